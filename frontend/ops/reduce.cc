#include <algorithm>

#include "frontend/eager/composite.h"
#include "frontend/eager/dispatch.h"
#include "frontend/ops/common.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/reductions.h"

namespace reel {

using internal::Dispatch;
using internal::LocationScope;
using internal::Materialize;
using internal::NormalizeAxis;
using internal::ThrowInvalid;

std::vector<int64_t> internal::ResolveAxes(const char* op, const Axes& axes, int rank) {
  std::vector<int64_t> out;
  if (axes.all()) {
    for (int i = 0; i < rank; ++i) out.push_back(i);
    return out;
  }
  for (int64_t axis : axes.list()) out.push_back(NormalizeAxis(op, axis, rank));
  std::sort(out.begin(), out.end());
  if (const auto twice = std::adjacent_find(out.begin(), out.end()); twice != out.end()) {
    ThrowInvalid(StrCat(op, ": axis ", *twice, " is named twice"));
  }
  return out;
}

namespace {

Tensor Reduce(const char* name, ir::Op op, const Operand& x, const Axes& axes, ReduceOptions options) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  const std::vector<int64_t> list = internal::ResolveAxes(name, axes, t.rank());
  Tensor y = list.empty() ? Identity(t) : Dispatch(op, {t}, {{"axes", list}});
  if (!options.keepdims || list.empty()) return y;
  Shape shape = t.shape();
  for (int64_t axis : list) shape.set(static_cast<int>(axis), 1);
  return Reshape(y, shape);
}

void NeedBool(const char* op, const Operand& x) {
  const LocationScope scope(x);
  if (x.type().dtype == kBool) return;
  ThrowInvalid(StrCat(op, ": needs bool, got ", x.type().ToString(), "; compare first"));
}

}  // namespace

Tensor ReduceSum(const Operand& x, const Axes& axes, ReduceOptions options) {
  return Reduce("reduce_sum", ir::Op::kReduceSum, x, axes, options);
}
Tensor ReduceMax(const Operand& x, const Axes& axes, ReduceOptions options) {
  return Reduce("reduce_max", ir::Op::kReduceMax, x, axes, options);
}
Tensor ReduceMin(const Operand& x, const Axes& axes, ReduceOptions options) {
  return Reduce("reduce_min", ir::Op::kReduceMin, x, axes, options);
}
Tensor ReduceProd(const Operand& x, const Axes& axes, ReduceOptions options) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  const auto product = [&](const Tensor& a) { return Reduce("reduce_prod", ir::Op::kReduceProd, a, axes, options); };
  // Every factor rounds once: n of them cost f32 half its digits.
  return t.dtype() == kFloat32 ? Cast(product(Cast(t, kFloat64)), kFloat32) : product(t);
}
Tensor ReduceAll(const Operand& x, const Axes& axes, ReduceOptions options) {
  NeedBool("reduce_all", x);
  return Reduce("reduce_all", ir::Op::kReduceMin, x, axes, options);
}
Tensor ReduceAny(const Operand& x, const Axes& axes, ReduceOptions options) {
  NeedBool("reduce_any", x);
  return Reduce("reduce_any", ir::Op::kReduceMax, x, axes, options);
}

Tensor ReduceMean(const Operand& x, const Axes& axes, ReduceOptions options) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  if (IsHalf(t.dtype())) return Cast(ReduceMean(internal::Wide(t), axes, options), t.dtype());
  if (!IsDifferentiable(t.dtype())) {
    ThrowInvalid(StrCat("reduce_mean: needs floats, got ", t.type().ToString(), "; Cast it to kFloat32"));
  }
  const std::vector<int64_t> list = internal::ResolveAxes("reduce_mean", axes, t.rank());
  const Tensor sum = ReduceSum(t, axes, options);
  if (!t.shape().is_constant()) return Div(sum, Cast(internal::CountOf(t, list), t.dtype()));
  double count = 1;
  for (int64_t axis : list) count *= static_cast<double>(t.shape().dim(static_cast<int>(axis)));
  return Div(sum, count);
}

Tensor LogSumExp(const Operand& x, const Axes& axes, ReduceOptions options) {
  const LocationScope scope(x);
  const Tensor given = Materialize(x);
  std::vector<double> numbers = {options.keepdims ? 1.0 : 0.0};
  for (int64_t axis : internal::ResolveAxes("reduce_logsumexp", axes, given.rank()))
    numbers.push_back(static_cast<double>(axis));
  return internal::Compose("reduce_logsumexp", {given}, numbers, [&](absl::Span<const Tensor> in) {
    const Tensor t = internal::Wide(in[0]), top = StopGradient(ReduceMax(t, axes, {.keepdims = true}));
    const Tensor finite = Where(Less(Abs(top), std::numeric_limits<double>::infinity()), top, 0);
    const Tensor sum = Log(ReduceSum(Exp(Sub(t, finite)), axes, options));
    return Cast(Add(sum, Reshape(finite, sum.shape())), in[0].dtype());
  });
}

namespace {

// The first position along axis where `found` is true.
Tensor FirstTrue(const Tensor& found, int64_t axis) {
  const int64_t n = found.shape().dim(static_cast<int>(axis));
  const Tensor position = Iota(found.shape(), axis);
  return ReduceMin(Where(found, position, n), axis);
}

Tensor ArgReduce(const char* name, const Operand& x, int64_t axis, bool max) {
  const LocationScope scope(x, name);
  const Tensor t = StopGradient(Materialize(x));
  axis = NormalizeAxis(name, axis, t.rank());
  if (t.shape()[static_cast<int>(axis)] == Extent(0)) {
    ThrowInvalid(StrCat(name, ": axis ", axis, " of ", t.type().ToString(), " is empty"));
  }
  const Tensor best = max ? ReduceMax(t, axis, {.keepdims = true}) : ReduceMin(t, axis, {.keepdims = true});
  Tensor found = Equal(t, best);
  if (IsFloat(t.dtype())) found = LogicalOr(found, NotEqual(t, t));
  return FirstTrue(found, axis);
}

}  // namespace

Tensor ArgMax(const Operand& x, int64_t axis) { return ArgReduce("argmax", x, axis, true); }
Tensor ArgMin(const Operand& x, int64_t axis) { return ArgReduce("argmin", x, axis, false); }

}  // namespace reel
