#include <limits>

#include "frontend/eager/dispatch.h"
#include "frontend/ops/common.h"
#include "frontend/ops/extremes.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"
#include "reel/indexing.h"
#include "reel/reductions.h"

namespace reel {
namespace {

using internal::Dispatch;
using internal::LocationScope;
using internal::Materialize;
using internal::NormalizeAxis;
using internal::ThrowInvalid;
using Ints = std::vector<int64_t>;

int64_t ExtentOf(const Tensor& x, int64_t axis) { return x.shape().dim(static_cast<int>(axis)); }

void NeedNumber(const char* op, const Tensor& x) {
  if (x.dtype() == kBool) ThrowInvalid(StrCat(op, ": needs a number, got ", x.type().ToString(), "; Cast it"));
}

// x moved by n along the axis (towards its start if reverse), filled up with a number.
Tensor Shift(const Tensor& x, int64_t axis, int64_t n, const Tensor& fill, bool reverse) {
  const auto rank = static_cast<size_t>(x.rank()), a = static_cast<size_t>(axis);
  Ints starts(rank, 0), limits(rank, kEnd), low(rank, 0), high(rank, 0);
  const int64_t extent = ExtentOf(x, axis);
  n = std::min(n, extent);
  limits[a] = reverse ? extent : extent - n;
  if (reverse) starts[a] = n;
  (reverse ? high : low)[a] = n;
  return internal::PadWithScalar(Slice(x, starts, limits), fill, low, high);
}

// Where an element is the first along the axis, or the last if reverse.
Tensor IsFirst(const Tensor& x, int64_t axis, bool reverse) {
  return Equal(Iota(x.shape(), axis), reverse ? ExtentOf(x, axis) - 1 : int64_t{0});
}

Tensor Shift(const Tensor& x, int64_t axis, int64_t n, double fill, bool reverse) {
  return Shift(x, axis, n, internal::ScalarOf(x.dtype(), fill), reverse);
}

Tensor Run(const Tensor& a, const Tensor& b, int64_t axis, bool reverse) {
  return Dispatch(ir::Op::kRecurrence, {a, b}, {{"axis", axis}, {"reverse", reverse}});
}

// max(x[0], ..., x[t]) by doubling: after step s every element has seen the s up to it. Exact in
// any order.
Tensor RunningMax(Tensor x, int64_t axis, bool max, bool reverse) {
  const Tensor lowest = internal::LimitOf(x.dtype(), !max);
  for (int64_t s = 1; s < ExtentOf(x, axis); s *= 2) {
    const Tensor before = Shift(x, axis, s, lowest, reverse);
    x = max ? Maximum(x, before) : Minimum(x, before);
  }
  return x;
}

Tensor CumExtremum(const char* op, const Operand& operand, int64_t axis, bool max, CumulativeOptions options) {
  const LocationScope scope(operand);
  const Tensor x = Materialize(operand);
  NeedNumber(op, x);
  axis = NormalizeAxis(op, axis, x.rank());
  if (x.shape().has_zero()) return Identity(x);
  const Tensor lowest = internal::LimitOf(x.dtype(), !max);
  // A position counts where its element exceeds all before it, or is the first NaN. The latest such
  // position is the first that attains the maximum so far.
  const Tensor value = StopGradient(x),
               before = Shift(RunningMax(value, axis, max, options.reverse), axis, 1, lowest, options.reverse);
  Tensor counts = LogicalOr(max ? Greater(value, before) : Less(value, before), IsFirst(x, axis, options.reverse));
  if (IsFloat(x.dtype())) counts = LogicalOr(counts, LogicalAnd(NotEqual(value, value), Equal(before, before)));
  const Tensor position = Iota(x.shape(), axis);
  const int64_t n = ExtentOf(x, axis);
  const Tensor index =
      RunningMax(Where(counts, position, options.reverse ? n : int64_t{-1}), axis, !options.reverse, options.reverse);
  const Tensor y = TakeAlongAxis(x, index, axis);
  return options.exclusive ? Shift(y, axis, 1, lowest, options.reverse) : y;
}

}  // namespace

Tensor Recurrence(const Operand& a, const Operand& b, int64_t axis, bool reverse) {
  const LocationScope scope(a);
  internal::TensorList t = internal::Promote(ir::Op::kRecurrence, {&a, &b});
  internal::BroadcastTogether(ir::Op::kRecurrence, absl::MakeSpan(t));
  return Run(t[0], t[1], NormalizeAxis("recurrence", axis, t[0].rank()), reverse);
}

Tensor CumSum(const Operand& operand, int64_t axis, CumulativeOptions options) {
  const LocationScope scope(operand);
  const Tensor x = Materialize(operand);
  NeedNumber("cumsum", x);
  axis = NormalizeAxis("cumsum", axis, x.rank());
  const Tensor y = Run(Ones(x.shape(), x.dtype()), x, axis, options.reverse);
  return options.exclusive && !x.shape().has_zero() ? Shift(y, axis, 1, 0, options.reverse) : y;
}

Tensor CumProd(const Operand& operand, int64_t axis, CumulativeOptions options) {
  const LocationScope scope(operand);
  const Tensor x = Materialize(operand);
  NeedNumber("cumprod", x);
  axis = NormalizeAxis("cumprod", axis, x.rank());
  // y + -0 = y for every y
  const Tensor nothing = Full(x.shape(), IsFloat(x.dtype()) ? -0.0 : 0.0, x.dtype());
  const Tensor y = Run(x, Where(IsFirst(x, axis, options.reverse), x, nothing), axis, options.reverse);
  return options.exclusive && !x.shape().has_zero() ? Shift(y, axis, 1, 1, options.reverse) : y;
}

Tensor CumMax(const Operand& x, int64_t axis, CumulativeOptions options) {
  return CumExtremum("cummax", x, axis, true, options);
}
Tensor CumMin(const Operand& x, int64_t axis, CumulativeOptions options) {
  return CumExtremum("cummin", x, axis, false, options);
}

// With m the maximum so far: h[t] = exp(m[t - 1] - m[t]) h[t - 1] + exp(x[t] - m[t]), y = m + log
// h. Where only -inf came before, h is 0 and its factor too: m has no value there.
Tensor LogCumSumExp(const Operand& operand, int64_t axis, CumulativeOptions options) {
  const LocationScope scope(operand);
  const Tensor given = Materialize(operand), x = internal::Wide(given);
  if (!IsFloat(x.dtype())) {
    ThrowInvalid(StrCat("log_cum_sum_exp: needs floats, got ", x.type().ToString(), "; Cast it to kFloat32"));
  }
  axis = NormalizeAxis("log_cum_sum_exp", axis, x.rank());
  if (x.shape().has_zero()) return Identity(given);
  const double inf = std::numeric_limits<double>::infinity();
  const Tensor running = RunningMax(StopGradient(x), axis, true, options.reverse);
  const Tensor m = Where(Less(Abs(running), inf), running, 0);
  const Tensor first = Equal(Shift(running, axis, 1, -inf, options.reverse), -inf);
  const Tensor factor = Where(first, 0, Exp(Sub(Shift(m, axis, 1, 0, options.reverse), m)));
  const Tensor h = Run(factor, Exp(Sub(x, m)), axis, options.reverse);
  const Tensor none = Equal(h, 0);  // only -inf so far: the gradient there is 0
  const Tensor y = Where(none, -inf, Add(m, Log(Where(none, 1, h))));
  return Cast(options.exclusive ? Shift(y, axis, 1, -inf, options.reverse) : y, given.dtype());
}

}  // namespace reel
