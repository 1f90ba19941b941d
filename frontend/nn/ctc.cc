#include <limits>

#include "frontend/nn/loss_common.h"
#include "frontend/ops/common.h"
#include "frontend/ops/index.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/activations.h"
#include "reel/loops.h"
#include "reel/losses.h"
#include "reel/ops.h"

// Connectionist temporal classification: the sum over all alignments, forwards in time, in
// logarithms. The extended labels have a blank before, between and after the labels: S = 2 L + 1.

namespace reel {
namespace {

// Stands for the logarithm of 0: finite, so that differences of two are not NaN.
constexpr double kNever = -1e30;

struct Sizes {
  int64_t batch, time, classes, labels;
};

Sizes CheckCtc(const Tensor& x, const Tensor& labels, const CtcOptions& options) {
  const auto integer = [](const Tensor& t) { return t.dtype() == kInt32 || t.dtype() == kInt64; };
  if (x.rank() != 3 || !IsFloat(x.dtype()) || labels.rank() != 2 || !integer(labels) ||
      labels.shape().dim(0) != x.shape().dim(0) || x.shape().dim(1) == 0) {
    internal::ThrowInvalid(StrCat("ctc_loss: logits ", x.type().ToString(), " and labels ", labels.type().ToString(),
                                  " do not fit; logits are floats [batch, time, classes] of at "
                                  "least one step, labels i32 or i64 [batch, length]"));
  }
  const Sizes n = {x.shape().dim(0), x.shape().dim(1), x.shape().dim(2), labels.shape().dim(1)};
  for (const Tensor& lengths : {options.logit_lengths, options.label_lengths}) {
    if (!lengths.defined() || (integer(lengths) && lengths.shape() == Shape({n.batch}))) continue;
    internal::ThrowInvalid(
        StrCat("ctc_loss: lengths must be i32 or i64 [", n.batch, "], got ", lengths.type().ToString()));
  }
  if (options.blank < 0 || options.blank >= n.classes) {
    internal::ThrowInvalid(StrCat("ctc_loss: blank ", options.blank, " is not one of ", n.classes, " classes"));
  }
  return n;
}

// [batch, S]: blank, label, blank, ..., blank.
Tensor Extended(const Tensor& labels, const Sizes& n, int64_t blank) {
  const Tensor blanks = Full({n.batch, n.labels, 1}, static_cast<double>(blank), kInt64);
  const Tensor pairs = Reshape(Concat({blanks, ExpandDims(labels, -1)}, 2), {n.batch, 2 * n.labels});
  return Concat({pairs, Full({n.batch, 1}, static_cast<double>(blank), kInt64)}, 1);
}

// Scores [time, batch, S] of the extended labels.
Tensor Emissions(const Tensor& scores, const Tensor& extended, const Sizes& n) {
  const Shape shape = {n.time, n.batch, 2 * n.labels + 1};
  const Tensor row = Add(Mul(Iota(shape, 1), n.time), Iota(shape, 0));
  const Tensor place = Add(Mul(row, n.classes), extended);
  return Gather(Reshape(scores, {-1}), place);
}

// x moved k places up the last axis of [batch, S].
Tensor Delayed(const Tensor& x, int64_t k) {
  const int64_t size = x.shape().dim(1), kept = std::max<int64_t>(size - k, 0);
  return Pad(Slice(x, {0, 0}, {x.shape().dim(0), kept}), {0, size - kept}, {0, 0}, kNever);
}

Tensor LogSum(const std::vector<Tensor>& terms) {
  Tensor top = terms[0], sum;
  for (const Tensor& t : terms) top = Maximum(top, t);
  top = StopGradient(top);
  for (const Tensor& t : terms) {
    const Tensor e = Exp(Sub(t, top));
    sum = sum.defined() ? Add(sum, e) : e;
  }
  return Add(top, Log(sum));
}

Tensor Lengths(const Tensor& lengths, int64_t batch, int64_t all) {
  return ExpandDims(lengths.defined() ? Cast(lengths, kInt64) : Full({batch}, static_cast<double>(all), kInt64), 1);
}

// x[position] of every row, kNever before the first.
Tensor At(const Tensor& x, const Tensor& position) {
  const Tensor found = Equal(Iota(x.shape(), 1), position);
  const Tensor picked = ReduceSum(Where(found, x, 0), 1);
  return Where(Less(Squeeze(position, 1), 0), kNever, picked);
}

}  // namespace

Tensor CtcLoss(const Operand& logits, const Operand& labels, const CtcOptions& options) {
  const internal::LocationScope scope(logits);
  const Tensor x = internal::Materialize(logits), y = internal::Materialize(labels);
  const Sizes n = CheckCtc(x, y, options);
  const Tensor label_lengths = Lengths(options.label_lengths, n.batch, n.labels);
  const Tensor counts = Less(Iota(y.shape(), 1), label_lengths);  // the rest is padding
  const Tensor used = internal::CheckLabelRange("ctc_loss", Where(counts, Cast(y, kInt64), options.blank), n.classes);
  const Tensor extended = Extended(used, n, options.blank);
  const Tensor wide = internal::Wide(x);
  const Tensor emissions = Emissions(LogSoftmax(wide), extended, n);
  const Shape row = extended.shape();
  // A step over a blank is possible between labels that differ.
  const Tensor before = Pad(extended, {0, 2}, {0, 0}, static_cast<double>(options.blank));
  const Tensor two_back = Slice(before, {0, 0}, {row.dim(0), row.dim(1)});
  const Tensor skips = NotEqual(extended, two_back);
  const Tensor skippable = LogicalAnd(skips, NotEqual(extended, options.blank));
  const Tensor steps = Lengths(options.logit_lengths, n.batch, n.time);
  const auto step = [&](const std::vector<Tensor>& carry, const std::vector<Tensor>& at) {
    const Tensor& alpha = carry[0];
    const Tensor skip = Where(skippable, Delayed(alpha, 2), kNever);
    const Tensor next = Add(LogSum({alpha, Delayed(alpha, 1), skip}), at[0]);
    const Tensor running = Where(Less(at[1], steps), next, alpha);
    return ScanStep{{running}, {}};
  };
  // Before the first step the alignment stands on the first blank, which may be passed over.
  const Tensor start = Where(Equal(Iota(row, 1), 0), 0, Full(row, kNever, wide.dtype()));
  const Tensor first =
      Where(LessEqual(Iota(row, 1), 1), Squeeze(Slice(emissions, {0, 0, 0}, {1, row.dim(0), row.dim(1)}), 0), kNever);
  const Tensor alive = Where(Greater(steps, 0), first, start);
  Tensor last = alive;
  if (n.time > 1) {
    const Tensor rest = Slice(emissions, {1, 0, 0}, {n.time, row.dim(0), row.dim(1)});
    last = Scan(step, {alive}, {rest, Arange(1, n.time)}).carry[0];
  }
  const Tensor end = Mul(label_lengths, 2);
  const Tensor total = LogSum({At(last, end), At(last, Sub(end, 1))});
  const Tensor impossible = Less(total, kNever / 2);
  const Tensor values = Where(impossible, std::numeric_limits<double>::infinity(), Neg(total));
  return Cast(internal::Reduced(values, options.reduction), x.dtype());
}

}  // namespace reel
