#ifndef REEL_REDUCTIONS_H_
#define REEL_REDUCTIONS_H_

#include <cstdint>

#include "reel/ops.h"

// Statistics over axes and running sums along one. Axes may be negative; see ops.h for Axes and
// ReduceOptions.

namespace reel {

/// The product; 1 if there is nothing. Its gradient is right where elements are 0.
Tensor ReduceProd(const Operand& x, const Axes& axes = {}, ReduceOptions options = {});
/// Number (i64) of elements that are not 0 (bool: true).
Tensor CountNonzero(const Operand& x, const Axes& axes = {}, ReduceOptions options = {});

/// Options of ReduceVariance and ReduceStd.
struct VarianceOptions {
  bool keepdims = false;
  int64_t ddof = 0;  ///< divides by n - ddof; 1 estimates from a sample
};
/// Mean of the squared distances from the mean, in two passes: exact to rounding also far from 0.
Tensor ReduceVariance(const Operand& x, const Axes& axes = {}, VarianceOptions options = {});
/// Its square root; the derivative at 0 is 0.
Tensor ReduceStd(const Operand& x, const Axes& axes = {}, VarianceOptions options = {});

/// Which norm: sum of magnitudes, Euclidean, largest magnitude.
enum class NormOrder : uint8_t { kOne, kTwo, kInfinity };
/// Options of Norm.
struct NormOptions {
  NormOrder order = NormOrder::kTwo;
  bool keepdims = false;
};
/// sqrt(sum x^2), sum |x| or max |x|; the derivative at 0 is 0.
Tensor Norm(const Operand& x, const Axes& axes = {}, NormOptions options = {});
/// The middle element in order along an axis, the mean of the two middle ones of an even number.
/// NaN if any is.
Tensor Median(const Operand& x, int64_t axis = -1, ReduceOptions options = {});

/// Options of running sums, products and extremes.
struct CumulativeOptions {
  bool exclusive = false;  ///< without the element itself: begins with what nothing gives
  bool reverse = false;    ///< from the end
};
/// y[t] = x[0] + ... + x[t] along an axis, added in this order.
Tensor CumSum(const Operand& x, int64_t axis = -1, CumulativeOptions options = {});
/// y[t] = x[0] * ... * x[t]. Its gradient is right where elements are 0.
Tensor CumProd(const Operand& x, int64_t axis = -1, CumulativeOptions options = {});
/// y[t] = max(x[0], ..., x[t]); the gradient goes to the first that attains it. Exclusive: -inf
/// (the lowest) first.
Tensor CumMax(const Operand& x, int64_t axis = -1, CumulativeOptions options = {});
Tensor CumMin(const Operand& x, int64_t axis = -1, CumulativeOptions options = {});
/// log(exp(x[0]) + ... + exp(x[t])), without overflow.
Tensor LogCumSumExp(const Operand& x, int64_t axis = -1, CumulativeOptions options = {});
/// y[0] = b[0], y[t] = a[t] * y[t - 1] + b[t] along an axis: what the others are made of. a and b
/// broadcast.
Tensor Recurrence(const Operand& a, const Operand& b, int64_t axis = -1, bool reverse = false);

}  // namespace reel

#endif  // REEL_REDUCTIONS_H_
