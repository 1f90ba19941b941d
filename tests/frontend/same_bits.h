#ifndef REEL_TESTS_FRONTEND_SAME_BITS_H_
#define REEL_TESTS_FRONTEND_SAME_BITS_H_

#include <cmath>
#include <cstring>
#include <vector>

#include "reel/reel.h"
#include "tests/frontend/expect.h"

namespace reel {

/// Whether two tensors have one type and the same bytes, the sign and payload of a NaN aside: these are the CPU's.
inline bool SameBits(const Tensor& a, const Tensor& b) {
  if (a.type() != b.type()) return false;
  const auto bytes = static_cast<size_t>(a.type().bytes());
  if (bytes == 0 || std::memcmp(a.raw_data(), b.raw_data(), bytes) == 0) return true;
  if (!IsFloat(a.type().dtype)) return false;
  const std::vector<double> x = Values(a), y = Values(b);
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]) != std::isnan(y[i])) return false;
    if (!std::isnan(x[i]) && (x[i] != y[i] || std::signbit(x[i]) != std::signbit(y[i]))) return false;
  }
  return true;
}

}  // namespace reel

#endif  // REEL_TESTS_FRONTEND_SAME_BITS_H_
