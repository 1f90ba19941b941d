#include <limits>

#include "frontend/ops/common.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/indexing.h"
#include "reel/reductions.h"

namespace reel {
namespace {

using internal::LocationScope;
using internal::Materialize;
using internal::NormalizeAxis;
using internal::ThrowInvalid;

Tensor NeedFloats(const char* op, const Operand& x) {
  const Tensor t = Materialize(x);
  if (IsFloat(t.dtype())) return t;
  ThrowInvalid(StrCat(op, ": needs floats, got ", t.type().ToString(), "; Cast it to kFloat32"));
}

// What sums of squares are taken in, so that (but for f64) they do not overflow where their root does not.
Tensor Widest(const Tensor& x) { return Cast(x, x.dtype() == kFloat16 ? kFloat32 : kFloat64); }

// sqrt(x) with derivative 0 at 0.
Tensor SafeSqrt(const Tensor& x) {
  const Tensor zero = Equal(x, 0);
  return Where(zero, 0, Sqrt(Where(zero, 1, x)));
}

}  // namespace

Tensor CountNonzero(const Operand& x, const Axes& axes, ReduceOptions options) {
  const LocationScope scope(x);
  return ReduceSum(Cast(Cast(Materialize(x), kBool), kInt64), axes, options);
}

Tensor ReduceVariance(const Operand& x, const Axes& axes, VarianceOptions options) {
  const LocationScope scope(x);
  const Tensor given = NeedFloats("reduce_variance", x), t = Widest(given);
  Tensor distance = Sub(t, ReduceMean(t, axes, {.keepdims = true}));
  // In its own dtype the mean is rounded far from 0: what the distances then sum up to would be squared into the
  // result. Its derivative is 0.
  if (t.dtype() == given.dtype())
    distance = Sub(distance, StopGradient(ReduceMean(distance, axes, {.keepdims = true})));
  const Tensor squares = ReduceSum(Square(distance), axes, {.keepdims = options.keepdims});
  if (!t.shape().is_constant()) {
    const Tensor n = internal::CountOf(t, internal::ResolveAxes("reduce_variance", axes, t.rank()));
    const Tensor divisor = Maximum(Sub(n, options.ddof), int64_t{0});
    return Cast(Div(squares, Cast(divisor, t.dtype())), given.dtype());
  }
  const double count = squares.size() == 0 ? 1 : static_cast<double>(t.size()) / static_cast<double>(squares.size());
  const double divisor = std::max(count - static_cast<double>(options.ddof), 0.0);
  return Cast(Div(squares, divisor), given.dtype());
}

Tensor ReduceStd(const Operand& x, const Axes& axes, VarianceOptions options) {
  const LocationScope scope(x);
  const Tensor t = NeedFloats("reduce_std", x);
  return Cast(SafeSqrt(ReduceVariance(Widest(t), axes, options)), t.dtype());
}

Tensor Norm(const Operand& x, const Axes& axes, NormOptions options) {
  const LocationScope scope(x);
  const Tensor t = NeedFloats("norm", x);
  const ReduceOptions reduce{.keepdims = options.keepdims};
  if (options.order == NormOrder::kOne) return ReduceSum(Abs(t), axes, reduce);
  if (options.order == NormOrder::kTwo) return Cast(SafeSqrt(ReduceSum(Square(Widest(t)), axes, reduce)), t.dtype());
  // Over nothing it is 0, not -inf.
  return Maximum(ReduceMax(Abs(t), axes, reduce), 0);
}

Tensor Median(const Operand& x, int64_t axis, ReduceOptions options) {
  const LocationScope scope(x);
  const Tensor t = NeedFloats("median", x);
  axis = NormalizeAxis("median", axis, t.rank());
  const int64_t n = t.shape().dim(static_cast<int>(axis));
  if (n == 0) ThrowInvalid(StrCat("median: axis ", axis, " of ", t.type().ToString(), " is empty"));
  const Tensor sorted = Sort(t, axis);
  const auto at = [&](int64_t i) { return internal::SliceAxis(sorted, axis, i, i + 1); };
  const Tensor middle = n % 2 == 1 ? at(n / 2) : Mul(Add(at(n / 2 - 1), at(n / 2)), 0.5);
  const Tensor last = at(n - 1), nan = NotEqual(last, last);
  const Tensor y = Where(nan, last, middle);
  return options.keepdims ? y : Squeeze(y, axis);
}

}  // namespace reel
