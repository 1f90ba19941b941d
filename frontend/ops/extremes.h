#ifndef REEL_FRONTEND_OPS_EXTREMES_H_
#define REEL_FRONTEND_OPS_EXTREMES_H_

#include <limits>

#include "frontend/eager/dispatch.h"
#include "frontend/values/promotion.h"
#include "frontend/values/tensor_data.h"

namespace reel::internal {

/// The lowest and highest scalar of a dtype, which a maximum and a minimum over nothing give:
/// infinite for floats.
inline Tensor LimitOf(DType dtype, bool highest) {
  if (!IsFloat(dtype))
    return FromLiteral(ir::Literal::ScalarInt(dtype, highest ? HighestInt(dtype) : LowestInt(dtype)));
  const double inf = std::numeric_limits<double>::infinity();
  return ScalarOf(dtype, highest ? inf : -inf);
}

/// x with copies of a scalar of its dtype around it.
inline Tensor PadWithScalar(const Tensor& x, const Tensor& value, const std::vector<int64_t>& low,
                            const std::vector<int64_t>& high) {
  return Dispatch(ir::Op::kPad, {x, value},
                  {{"low", low}, {"high", high}, {"interior", std::vector<int64_t>(low.size(), 0)}});
}

}  // namespace reel::internal

#endif  // REEL_FRONTEND_OPS_EXTREMES_H_
