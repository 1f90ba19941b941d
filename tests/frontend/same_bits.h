#ifndef REEL_TESTS_FRONTEND_SAME_BITS_H_
#define REEL_TESTS_FRONTEND_SAME_BITS_H_

#include <cstring>

#include "reel/reel.h"

namespace reel {

/// Whether two tensors have one type and the same bytes.
inline bool SameBits(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type()) return false;
  const auto bytes = static_cast<size_t>(a.type().bytes());
  return bytes == 0 || std::memcmp(a.raw_data(), b.raw_data(), bytes) == 0;
}

}  // namespace reel

#endif  // REEL_TESTS_FRONTEND_SAME_BITS_H_
