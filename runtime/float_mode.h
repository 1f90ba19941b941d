// The floating-point mode of a thread: rounding, flush-to-zero, exception masks (not sticky flags).
#ifndef REEL_RUNTIME_FLOAT_MODE_H_
#define REEL_RUNTIME_FLOAT_MODE_H_

#include <cstdint>

#ifdef __SSE__
#include <xmmintrin.h>
#endif

namespace reel::runtime {

#if defined(__SSE__)
inline constexpr uint64_t kFloatStickyFlags = 0x3F;
inline uint64_t FloatMode() { return _mm_getcsr() & ~kFloatStickyFlags; }
inline void SetFloatMode(uint64_t mode) { _mm_setcsr(static_cast<unsigned>(mode)); }
#elif defined(__aarch64__)
inline uint64_t FloatMode() {
  uint64_t mode;
  asm volatile("mrs %0, fpcr" : "=r"(mode));
  return mode;
}
inline void SetFloatMode(uint64_t mode) { asm volatile("msr fpcr, %0" : : "r"(mode)); }
#else
inline uint64_t FloatMode() { return 0; }
inline void SetFloatMode(uint64_t) {}
#endif

}  // namespace reel::runtime

#endif  // REEL_RUNTIME_FLOAT_MODE_H_
