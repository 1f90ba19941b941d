#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "frontend/eager/dispatch.h"
#include "frontend/stablehlo/import/context.h"
#include "frontend/stablehlo/import/probe.h"
#include "ir/strings.h"
#include "reel/conv.h"
#include "reel/indexing.h"
#include "reel/module.h"
#include "reel/reductions.h"
#include "reel/tape.h"
#include "reel/transforms.h"

namespace reel::stablehlo::reading {
namespace {

using internal::Dispatch;

Tensor CombineTwo(const std::string& combiner, const Tensor& a, const Tensor& b) {
  const bool is_bool = a.dtype() == kBool;
  if (combiner == "stablehlo.add") return is_bool ? LogicalOr(a, b) : Add(a, b);
  if (combiner == "stablehlo.multiply") return is_bool ? LogicalAnd(a, b) : Mul(a, b);
  if (combiner == "stablehlo.maximum") return is_bool ? LogicalOr(a, b) : Maximum(a, b);
  if (combiner == "stablehlo.minimum") return is_bool ? LogicalAnd(a, b) : Minimum(a, b);
  if (combiner == "stablehlo.or") return LogicalOr(a, b);
  return LogicalAnd(a, b);
}

// Reel's reduction for a combiner; nothing if there is none.
std::optional<ir::Op> ReductionOf(const std::string& combiner, DType dtype) {
  const bool is_bool = dtype == kBool;
  if (combiner == "stablehlo.add") return is_bool ? ir::Op::kReduceMax : ir::Op::kReduceSum;
  if (combiner == "stablehlo.multiply" && IsComplex(dtype)) return {};
  if (combiner == "stablehlo.multiply") return is_bool ? ir::Op::kReduceMin : ir::Op::kReduceProd;
  if (combiner == "stablehlo.maximum" || (is_bool && combiner == "stablehlo.or")) return ir::Op::kReduceMax;
  if (combiner == "stablehlo.minimum" || (is_bool && combiner == "stablehlo.and")) return ir::Op::kReduceMin;
  return {};
}

Tensor ReduceOne(const Context& c, size_t i, size_t n, const Ints& axes) {
  const Tensor& x = c.x(i);
  const Value& start = c.Input(n + i);
  const std::string combiner = CombinerOf(c.region(0), i);
  const Tensor out = axes.empty() ? x : Dispatch(*ReductionOf(combiner, x.dtype()), {x}, {{"axes", axes}});
  if (start.element && IsNeutral(combiner, *start.element)) return out;
  return CombineTwo(combiner, BroadcastAlong(start.tensor, out.shape(), {}), out);
}

// The region on each pair of elements of two lists of equal tensors.
Tensors CombineRows(const Context& c, const Tensors& a, const Tensors& b) {
  const Shape shape = a[0].shape();
  Tensors rows;
  for (const Tensors* side : {&a, &b}) {
    for (const Tensor& x : *side) rows.push_back(Reshaped(x, {shape.size()}));
  }
  const auto region = [&](std::span<const Tensor> arguments) {
    const Tensors out = c.Run(c.region(0), Tensors(arguments.begin(), arguments.end()));
    return NamedTensors(out.begin(), out.end());
  };
  Tensors out;
  for (const Tensor& y : internal::MapRows(region, rows, {})) out.push_back(Reshaped(y, shape));
  if (out.size() != a.size()) Malformed("its region returns another number of values");
  return out;
}

// Elements first, first + 2, ... below end of the leading axis.
Tensor EveryOther(const Tensor& x, int64_t first, int64_t end, int64_t stride) {
  Ints starts(static_cast<size_t>(x.rank()), 0), limits = x.shape().dims(), strides(starts.size(), 1);
  starts[0] = first, limits[0] = end, strides[0] = stride;
  return Dispatch(ir::Op::kSlice, {x}, {{"starts", starts}, {"limits", limits}, {"strides", strides}});
}

// Any region: neighbours are combined until one is left, then the start.
Tensors FoldAxes(const Context& c, Tensors xs, const Tensors& starts, const Ints& axes) {
  Ints order = axes;
  Shape kept;
  int64_t count = 1;
  for (int64_t i = 0; i < xs[0].rank(); ++i) {
    const Extent extent = xs[0].shape()[static_cast<int>(i)];
    if (std::binary_search(axes.begin(), axes.end(), i)) {
      count *= extent.value();
    } else {
      order.push_back(i);
      kept.push_back(extent);
    }
  }
  Tensors begin;
  for (const Tensor& start : starts) begin.push_back(BroadcastAlong(start, kept, {}));
  if (count == 0 || kept.size() == 0) return begin;
  Shape rows{count};
  for (const Extent extent : kept) rows.push_back(extent);
  for (Tensor& x : xs) x = Reshaped(Transposed(x, order), rows);
  return CombineRows(c, begin, FoldRows(c, std::move(xs)));
}

enum class Extreme : uint8_t { kNone, kMaximum, kMinimum };

// What a region (value, place, value, place) of an argmax returns for each order of its arguments.
Extreme FindExtreme(const Probe& probe, bool floats) {
  for (const bool maximum : {true, false}) {
    bool all = true;
    const double nan = std::numeric_limits<double>::quiet_NaN();
    std::vector<double> values{0, 1};
    if (floats) values.push_back(nan);
    for (const double a : values) {
      for (const double b : values) {
        for (const auto& [i, j] : {std::pair(0.0, 1.0), std::pair(1.0, 0.0)}) {
          const bool both = (std::isnan(a) && std::isnan(b)) || a == b;
          const bool first = both ? i < j : std::isnan(a) || (!std::isnan(b) && (maximum ? a > b : a < b));
          const std::vector<double> got = probe({a, i, b, j});
          const double value = first ? a : b;
          // With NaN first or both, any of its places may stay: JAX keeps the first in order.
          const bool same = got[0] == value || (std::isnan(got[0]) && std::isnan(value));
          all = all && same && (got[1] == (first ? i : j) || (std::isnan(a) && std::isnan(b)));
        }
      }
    }
    if (all) return maximum ? Extreme::kMaximum : Extreme::kMinimum;
  }
  return Extreme::kNone;
}

// (values, iota) reduced to the extreme and its place; nothing if the reduction is something else.
std::optional<Values> ReduceExtreme(const Context& c, const Ints& axes) {
  const Value &places = c.Input(1), &start = c.Input(2), &first = c.Input(3);
  const DType dtype = c.x(0).dtype();
  const bool begins =
      start.element && first.element && IsInteger(first.element->dtype()) && first.element->AsInt(0) == 0;
  if (axes.size() != 1 || places.iota_axis != axes[0] || !begins || IsComplex(dtype) ||
      !Probe::Understands(c.region(0))) {
    return {};
  }
  const Probe probe(c, c.region(0));
  const Extreme kind = FindExtreme(probe, IsFloat(dtype));
  const bool maximum = kind == Extreme::kMaximum;
  if (kind == Extreme::kNone || !IsNeutral(maximum ? "stablehlo.maximum" : "stablehlo.minimum", *start.element))
    return {};
  const ir::Op op = maximum ? ir::Op::kReduceMax : ir::Op::kReduceMin;
  const Tensor place = maximum ? ArgMax(c.x(0), axes[0]) : ArgMin(c.x(0), axes[0]);
  return Values{Dispatch(op, {c.x(0)}, {{"axes", axes}}), Cast(place, places.tensor.dtype())};
}

Values ReadReduce(const Context& c) {
  Ints axes = c.NeedInts("dimensions");
  const size_t n = c.size() / 2;
  if (n == 0 || c.size() != 2 * n) Malformed("its operands are no pairs");
  CheckAxes(axes, c.x(0).rank(), "dimensions");
  std::sort(axes.begin(), axes.end());
  if (c.region(0).parameters.size() != 2 * n) Malformed("its region has another number of parameters");
  bool simple = true;
  for (size_t i = 0; i < n; ++i) {
    if (c.x(i).shape() != c.x(0).shape() || c.x(n + i).type() != Type{c.x(i).dtype(), {}})
      Malformed("its operands differ in shape, or a start is no scalar of its operand's dtype");
    simple = simple && ReductionOf(CombinerOf(c.region(0), i), c.x(i).dtype());
  }
  Values out;
  if (simple) {
    for (size_t i = 0; i < n; ++i) out.emplace_back(ReduceOne(c, i, n, axes));
    return out;
  }
  if (n == 2) {
    if (auto extreme = ReduceExtreme(c, axes)) return *extreme;
  }
  const Tensors all = c.All();
  const auto middle = all.begin() + static_cast<std::ptrdiff_t>(n);
  for (const Tensor& y : FoldAxes(c, Tensors(all.begin(), middle), Tensors(middle, all.end()), axes))
    out.emplace_back(y);
  return out;
}

struct WindowGeometry {
  Ints sizes, strides, base, dilations, low, high;
};

WindowGeometry GeometryOf(const Context& c, const Tensor& x) {
  const auto rank = static_cast<size_t>(x.rank());
  const Ints ones(rank, 1);
  WindowGeometry w{c.NeedInts("window_dimensions"),
                   c.ReadInts("window_strides", ones),
                   c.ReadInts("base_dilations", ones),
                   c.ReadInts("window_dilations", ones),
                   {},
                   {}};
  for (const auto& [low, high] : c.Pairs("padding", rank)) w.low.push_back(low), w.high.push_back(high);
  for (const Ints* list : {&w.sizes, &w.strides, &w.base, &w.dilations}) {
    if (list->size() != rank) Malformed("its windows are not one for each axis");
    for (const int64_t number : *list) {
      if (number < 1) Malformed("sizes, strides and dilations of windows are at least 1");
    }
  }
  return w;
}

std::optional<WindowReduction> WindowReductionOf(const std::string& combiner) {
  if (combiner == "stablehlo.add") return WindowReduction::kSum;
  if (combiner == "stablehlo.multiply") return WindowReduction::kProd;
  if (combiner == "stablehlo.maximum") return WindowReduction::kMax;
  if (combiner == "stablehlo.minimum") return WindowReduction::kMin;
  return {};
}

// The axis along which windows are all elements before (or behind) and the element: a running sum; else -1.
int RunningAxis(const WindowGeometry& w, const Tensor& x, bool* reverse) {
  int found = -1;
  for (int i = 0; i < x.rank(); ++i) {
    const auto n = static_cast<size_t>(i);
    if (w.strides[n] != 1 || w.base[n] != 1 || w.dilations[n] != 1) return -1;
    if (w.sizes[n] == 1 && w.low[n] == 0 && w.high[n] == 0) continue;
    const int64_t extent = x.shape().dim(i);
    const bool before = w.low[n] == extent - 1 && w.high[n] == 0, behind = w.high[n] == extent - 1 && w.low[n] == 0;
    if (found >= 0 || w.sizes[n] != extent || (!before && !behind)) return -1;
    *reverse = behind;
    found = i;
  }
  return found;
}

Tensor Running(const Tensor& x, WindowReduction reduction, int axis, bool reverse) {
  const CumulativeOptions options{.reverse = reverse};
  switch (reduction) {
    case WindowReduction::kSum: return CumSum(x, axis, options);
    case WindowReduction::kProd: return CumProd(x, axis, options);
    case WindowReduction::kMax: return CumMax(x, axis, options);
    default: return CumMin(x, axis, options);
  }
}

// Paddings are starts; the elements of windows are axes that are reduced by any region.
Values FoldWindows(const Context& c, const WindowGeometry& w, const Ints& interior) {
  const size_t n = c.size() / 2;
  Tensors xs, starts;
  Ints axes, elements;
  for (int64_t i = 0; i < c.x(0).rank(); ++i) axes.push_back(i), elements.push_back(c.x(0).rank() + i);
  if (2 * c.x(0).rank() > kMaxRank) Refuse(StrCat("of rank ", c.x(0).rank(), " with a region of several operations"));
  for (size_t i = 0; i < n; ++i) {
    if (c.x(i).shape() != c.x(0).shape() || c.x(n + i).type() != Type{c.x(i).dtype(), {}})
      Malformed("its operands differ in shape, or a start is no scalar of its operand's dtype");
    const Tensor padded = Padded(c.x(i), c.x(n + i), w.low, w.high, interior);
    xs.push_back(Windows(padded, axes, w.sizes, {.strides = w.strides, .dilations = w.dilations}));
    starts.push_back(c.x(n + i));
  }
  Values out;
  for (const Tensor& y : FoldAxes(c, xs, starts, elements)) out.emplace_back(y);
  return out;
}

Values ReadReduceWindow(const Context& c) {
  const size_t n = c.size() / 2;
  if (n == 0 || c.size() != 2 * n || c.region(0).parameters.size() != 2 * n) Malformed("its operands are no pairs");
  const std::string combiner = CombinerOf(c.region(0), 0);
  const auto reduction = WindowReductionOf(combiner);
  const Value& start = c.Input(n);
  Tensor x = c.x(0);
  const WindowGeometry w = GeometryOf(c, x);
  Ints interior, none(w.base.size(), 0);
  for (const int64_t base : w.base) interior.push_back(base - 1);
  if (n != 1 || !reduction || x.dtype() == kBool || IsComplex(x.dtype()) || !start.element ||
      !IsNeutral(combiner, *start.element)) {
    return FoldWindows(c, w, interior);
  }
  bool reverse = false;
  if (const int axis = RunningAxis(w, x, &reverse); axis >= 0) return {Running(x, *reduction, axis, reverse)};
  // Paddings that cut are cut before.
  Ints cut_low, cut_high, low, high;
  for (size_t i = 0; i < w.low.size(); ++i) {
    cut_low.push_back(std::min<int64_t>(w.low[i], 0)), cut_high.push_back(std::min<int64_t>(w.high[i], 0));
    low.push_back(std::max<int64_t>(w.low[i], 0)), high.push_back(std::max<int64_t>(w.high[i], 0));
  }
  x = Padded(Padded(x, start.tensor, none, none, interior), start.tensor, cut_low, cut_high, none);
  return {
      ReduceWindow(x, *reduction, w.sizes, {.strides = w.strides, .dilations = w.dilations, .low = low, .high = high})};
}

// The gradient of a pooling: each number of the source is added where its window has its first maximum (minimum).
Values ReadSelectAndScatter(const Context& c) {
  const WindowGeometry w = GeometryOf(c, c.x(0));
  const Region& select = c.region(0);
  if (CombinerOf(c.region(1), 0) != "stablehlo.add") Refuse("with a region that does not add");
  const Value& start = c.Input(2);
  if (!start.element || start.element->AsDouble(0) != 0) Refuse("with an initial value that is not 0");
  if (!IsFloat(c.x(0).dtype())) Refuse(StrCat("of ", Name(c.x(0).dtype())));
  const Probe probe(c, select);
  const bool keeps = probe({0, 0})[0] != 0, larger = probe({1, 0})[0] != 0, smaller = probe({0, 1})[0] != 0;
  if (!keeps || larger == smaller) Refuse("with a region that is neither a >= b nor a <= b");
  for (const int64_t number : w.low) {
    if (number < 0) Refuse("with a negative padding");
  }
  for (const int64_t number : w.high) {
    if (number < 0) Refuse("with a negative padding");
  }
  const Tensor x = Identity(c.x(0));
  const Tensor pooled = ReduceWindow(x, larger ? WindowReduction::kMax : WindowReduction::kMin, w.sizes,
                                     {.strides = w.strides, .low = w.low, .high = w.high});
  if (pooled.type() != c.x(1).type())
    Malformed(StrCat("its source is ", c.x(1).type().ToString(), ", its windows are ", pooled.type().ToString()));
  SymbolicGradientOptions options;
  options.grad_ys.emplace_back(c.x(1));
  return {Gradients({pooled}, {x}, options).Dense(0)};
}

// The region on the elements of all operands.
Values ReadMap(const Context& c) {
  const Tensors xs = c.All();
  for (size_t i = 0; i < xs.size(); ++i) {
    if (c.x(i).shape() != c.x(0).shape()) Malformed("its operands differ in shape");
  }
  if (xs.empty() || xs[0].size() == 0) return {Zeros(c.type().shape, c.type().dtype)};
  Tensors rows;
  for (const Tensor& x : xs) rows.push_back(Reshaped(x, {x.size()}));
  const auto region = [&](std::span<const Tensor> arguments) {
    const Tensors out = c.Run(c.region(0), Tensors(arguments.begin(), arguments.end()));
    return NamedTensors(out.begin(), out.end());
  };
  Values out;
  for (const Tensor& y : internal::MapRows(region, rows, {})) out.emplace_back(Reshaped(y, xs[0].shape()));
  return out;
}

constexpr ImportRow kReduceRows[] = {
    {"stablehlo.map", ReadMap},
    {"stablehlo.reduce", ReadReduce, "by any region; one operation, or an argmax of an iota, is one of Reel's"},
    {"stablehlo.reduce_window", ReadReduceWindow, "by any region; one operation is one of Reel's"},
    {"stablehlo.select_and_scatter", ReadSelectAndScatter, "the gradient of a pooling: >= or <=, add"},
};

}  // namespace

Tensors FoldRows(const Context& c, Tensors xs) {
  int64_t count = xs[0].shape().dim(0);
  Shape kept = xs[0].shape();
  kept.erase(0);
  while (count > 1) {
    const int64_t pairs = count / 2;
    Tensors a, b;
    for (const Tensor& x : xs) {
      a.push_back(EveryOther(x, 0, 2 * pairs, 2));
      b.push_back(EveryOther(x, 1, 2 * pairs, 2));
    }
    Tensors next = CombineRows(c, a, b);
    for (size_t i = 0; i < xs.size(); ++i)
      xs[i] = count % 2 == 0 ? next[i] : Concat({next[i], EveryOther(xs[i], count - 1, count, 1)}, 0);
    count -= pairs;
  }
  for (Tensor& x : xs) x = Reshaped(x, kept);
  return xs;
}

absl::Span<const ImportRow> ReduceRows() { return kReduceRows; }

}  // namespace reel::stablehlo::reading
