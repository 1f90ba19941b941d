#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "frontend/ops/common.h"
#include "ir/strings.h"
#include "reel/reductions.h"

namespace reel::onnx {
namespace {

// Axes are an attribute at first: for ReduceSum until opset 13, for the others until 18.
struct Reduction {
  Axes axes;
  ReduceOptions options;
};

Reduction Read(const NodeContext& c, int64_t axes_since) {
  Reduction r;
  r.options.keepdims = c.Int("keepdims", 1) != 0;
  const bool noop = c.Int("noop_with_empty_axes", 0) != 0;
  const auto axes = c.IntsSince(axes_since, "axes", 1);
  if (axes && !axes->empty()) r.axes = *axes;
  if ((!axes || axes->empty()) && noop) r.axes = std::vector<int64_t>();  // of nothing: what a sum of squares squares
  return r;
}

template <Tensor (*kReduce)(const Operand&, const Axes&, ReduceOptions), int64_t kSince = 18>
Tensors Reduce(const NodeContext& c) {
  const Reduction r = Read(c, kSince);
  return {kReduce(c.In(0), r.axes, r.options)};
}

Tensor SumOfAbs(const Operand& x, const Axes& axes, ReduceOptions options) { return ReduceSum(Abs(x), axes, options); }
Tensor SumOfSquares(const Operand& x, const Axes& axes, ReduceOptions options) {
  return ReduceSum(Square(x), axes, options);
}
Tensor Norm(const Operand& x, const Axes& axes, ReduceOptions options) {
  const Tensor t = x.tensor();
  return Cast(Sqrt(SumOfSquares(internal::Wide(t), axes, options)), t.dtype());
}
Tensor LogSum(const Operand& x, const Axes& axes, ReduceOptions options) {
  const Tensor t = x.tensor();
  return Cast(Log(ReduceSum(internal::Wide(t), axes, options)), t.dtype());
}

template <Tensor (*kArg)(const Operand&, int64_t)>
Tensors Arg(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int64_t axis = AxisOf(c, "axis", 0, x.rank());
  const int64_t last = x.shape().dim(static_cast<int>(axis)) - 1;
  const Tensor index =
      c.Int("select_last_index", 0) == 0 ? kArg(x, axis) : last - kArg(Strided(x, axis, last, last + 1, -1), axis);
  return {c.Int("keepdims", 1) != 0 ? ExpandDims(index, axis) : index};
}

template <Tensor (*kOp)(const Operand&, int64_t, CumulativeOptions)>
Tensors Cumulative(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int64_t axis = NormalAxis(c.KnownInt(1), x.rank());
  return {kOp(x, axis, {c.Int("exclusive", 0) != 0, c.Int("reverse", 0) != 0})};
}

constexpr OpRow kRows[] = {
    {"ArgMax", 1, Arg<ArgMax>},
    {"ArgMin", 1, Arg<ArgMin>},
    {"CumProd", 26, Cumulative<CumProd>},
    {"CumSum", 11, Cumulative<CumSum>},
    {"ReduceL1", 1, Reduce<SumOfAbs>},
    {"ReduceL2", 1, Reduce<Norm>},
    {"ReduceLogSum", 1, Reduce<LogSum>},
    {"ReduceLogSumExp", 1, Reduce<LogSumExp>},
    {"ReduceMax", 1, Reduce<ReduceMax>},
    {"ReduceMean", 1, Reduce<ReduceMean>},
    {"ReduceMin", 1, Reduce<ReduceMin>},
    {"ReduceProd", 1, Reduce<ReduceProd>},
    {"ReduceSum", 1, Reduce<ReduceSum, 13>},
    {"ReduceSumSquare", 1, Reduce<SumOfSquares>},
};

}  // namespace

absl::Span<const OpRow> ReduceOps() { return kRows; }

}  // namespace reel::onnx
