#ifndef REEL_FRONTEND_RECORD_DIFFERENCE_H_
#define REEL_FRONTEND_RECORD_DIFFERENCE_H_

#include <cstdint>
#include <optional>

#include "reel/tensor.h"

namespace reel::internal {

/// a - b of integer scalars, if that is one number whatever the arguments of the trace in progress are: both are sums
/// of the same multiples of the same values and a constant, as i * 32 and (i + 1) * 32. Overflow is not looked at.
std::optional<int64_t> Difference(const Tensor& a, const Tensor& b);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_RECORD_DIFFERENCE_H_
