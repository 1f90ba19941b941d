#ifndef REEL_CODEGEN_LOOP_CEIL_H_
#define REEL_CODEGEN_LOOP_CEIL_H_

#include <bit>
#include <cstdint>

namespace reel::codegen {

/// n / by, rounded up.
constexpr int64_t Ceil(int64_t n, int64_t by) { return (n + by - 1) / by; }
/// The first multiple of `by` that is at least n.
constexpr int64_t RoundUp(int64_t n, int64_t by) { return Ceil(n, by) * by; }

/// The first power of two that is at least n.
constexpr int64_t PowerOfTwo(int64_t n) { return static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(n))); }

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOOP_CEIL_H_
