#include "passes/expand/conv_phases.h"

#include <algorithm>
#include <numeric>

#include "ir/conv_phases.h"

namespace reel::passes {
namespace {

using ir::Value;
using Ints = std::vector<int64_t>;

int64_t CeilDiv(int64_t a, int64_t b) { return (a + b - 1) / b; }

// One spatial axis. Result i and tap k meet what is at i stride + k dilation - low among the elements, which are
// `spread` apart there.
struct Axis {
  int64_t extent, taps, out;
  int64_t stride, dilation, low, spread;

  int64_t phases() const { return spread / std::gcd(spread, stride); }
  int64_t tap_step() const { return spread / std::gcd(spread, dilation); }
  int64_t outputs() const { return CeilDiv(out, phases()); }  // of the longest phase
  // The first tap that meets elements at results of this phase; `taps` if none does.
  int64_t FirstTap(int64_t phase) const {
    int64_t k = 0;
    const auto meets = [&] { return (phase * stride + k * dilation - low) % spread == 0; };
    while (k < std::min(tap_step(), taps) && !meets()) ++k;
    return k < std::min(tap_step(), taps) ? k : taps;
  }
  int64_t TapsFrom(int64_t first) const { return CeilDiv(taps - first, tap_step()); }
  // The element that this tap meets at the first result of the phase.
  int64_t ElementAt(int64_t phase, int64_t tap) const { return (phase * stride + tap * dilation - low) / spread; }
  int64_t phase_stride() const { return stride * phases() / spread; }
  int64_t phase_dilation() const { return dilation * tap_step() / spread; }
};

std::vector<Axis> AxesOf(ExpandContext& c) {
  const Shape &a = c.x_type(0).shape, &b = c.x_type(1).shape;
  std::vector<Axis> axes;
  for (int i = 0; i + 3 < a.rank(); ++i) {
    const auto n = static_cast<size_t>(i);
    Axis axis{a.dim(i + 1),           b.dim(i), 0, c.ints("strides")[n], c.ints("b_dilation")[n], c.ints("low")[n],
              c.ints("a_dilation")[n]};
    const int64_t size = axis.extent > 0 ? (axis.extent - 1) * axis.spread + 1 : 0;
    axis.out = (axis.low + size + c.ints("high")[n] - (axis.taps - 1) * axis.dilation - 1) / axis.stride + 1;
    axes.push_back(axis);
  }
  return axes;
}

// One phase: a convolution of the elements with every tap_step-th tap; invalid if no tap meets an element.
Value Phase(ExpandContext& c, const std::vector<Axis>& axes, const Ints& phase) {
  ir::Builder::ConvGeometry geometry;
  const Shape filter = c.x_type(1).shape;
  Ints first(static_cast<size_t>(filter.rank()), 0), step(first.size(), 1);
  for (size_t i = 0; i < axes.size(); ++i) {
    const Axis& axis = axes[i];
    first[i] = axis.FirstTap(phase[i]);
    if (first[i] >= axis.taps) return {};
    step[i] = axis.tap_step();
    const int64_t stride = axis.phase_stride(), dilation = axis.phase_dilation();
    const int64_t taps = axis.TapsFrom(first[i]), low = -axis.ElementAt(phase[i], first[i]);
    geometry.strides.push_back(stride);
    geometry.low.push_back(low);
    geometry.high.push_back((axis.outputs() - 1) * stride + (taps - 1) * dilation + 1 - axis.extent - low);
    geometry.a_dilation.push_back(1);
    geometry.b_dilation.push_back(dilation);
  }
  return c.b.Conv(c.x(0), c.b.Slice(c.x(1), first, filter.dims(), step), geometry);
}

// The phase of each axis, the last one varying fastest.
Ints PhaseOf(const std::vector<Axis>& axes, size_t i) {
  Ints phase(axes.size());
  for (size_t k = axes.size(); k-- > 0;) {
    phase[k] = static_cast<int64_t>(i % static_cast<size_t>(axes[k].phases()));
    i /= static_cast<size_t>(axes[k].phases());
  }
  return phase;
}

// The k-th part where `at` is k; at: below parts.
Value Chosen(ir::Builder& b, Value at, const std::vector<Value>& parts) {
  const Shape shape = b.shape(at);
  Value all = parts.back();
  for (size_t k = parts.size() - 1; k-- > 0;) {
    const Value here = b.Equal(at, b.Broadcast(b.Scalar(kInt64, static_cast<double>(k)), shape, {}));
    all = b.Select(here, parts[k], all);
  }
  return all;
}

// Parts [n, s..., g, o] as [n, (s, phase)..., g, o], where `shape` has the phases' extents.
Value Interleaved(ir::Builder& b, const std::vector<Value>& parts, const std::vector<Axis>& axes, const Shape& shape) {
  Ints places{0};
  for (size_t i = 0; i < axes.size(); ++i) places.push_back(1 + 2 * static_cast<int64_t>(i));
  const int64_t last = 2 * static_cast<int64_t>(axes.size()) + 1;
  places.insert(places.end(), {last, last + 1});
  std::vector<Value> level;
  for (Value part : parts) level.push_back(b.Broadcast(part, shape, places));
  for (size_t i = axes.size(); i-- > 0;) {  // the last axis varies fastest
    const int64_t count = axes[i].phases();
    if (count == 1) continue;
    const Value at = b.Iota(kInt64, shape, 2 + 2 * static_cast<int64_t>(i));
    std::vector<Value> joined;
    for (auto from = level.begin(); from != level.end(); from += count)
      joined.push_back(Chosen(b, at, {from, from + count}));
    level = std::move(joined);
  }
  return level[0];
}

// Along an axis, the elements that taps of any phase meet at its first result.
struct Cover {
  int64_t begin = 0, count = 0;
};
Cover CoverOf(const Axis& axis) {
  int64_t begin = INT64_MAX, end = INT64_MIN;
  for (int64_t r = 0; r < axis.phases(); ++r) {
    const int64_t first = axis.FirstTap(r);
    if (first >= axis.taps) continue;
    begin = std::min(begin, axis.ElementAt(r, first));
    end = std::max(end, axis.ElementAt(r, first) + axis.TapsFrom(first));
  }
  return end > begin ? Cover{begin, end - begin} : Cover{};
}

// Whether the phases are one convolution, whose outputs are those of all phases, with zeros in the filter: where
// these are few, and fewer products are computed for each element than the whole filter has.
bool AreTogether(const std::vector<Axis>& axes, int64_t outputs) {
  int64_t all = outputs, covered = 1, taps = 1;
  for (const Axis& axis : axes) {
    const int64_t count = CoverOf(axis).count;
    if (axis.phase_dilation() != 1 || count == 0) return false;
    all *= axis.phases();
    covered *= count;
    taps *= axis.taps;
  }
  return all > outputs && all <= ir::kConvTogether && covered < taps;
}

// The taps of one phase among those of the cover: [cover..., g, c, o].
Value Spread(ExpandContext& c, const std::vector<Axis>& axes, const Ints& phase, const Shape& cover) {
  const Shape filter = c.x_type(1).shape;
  const auto rank = static_cast<size_t>(filter.rank());
  Ints first(rank, 0), step(rank, 1), low(rank, 0), high(rank, 0);
  for (size_t i = 0; i < axes.size(); ++i) {
    first[i] = axes[i].FirstTap(phase[i]);
    if (first[i] >= axes[i].taps) return c.b.Zeros({c.x_type(1).dtype, cover});
    step[i] = axes[i].tap_step();
    low[i] = axes[i].ElementAt(phase[i], first[i]) - CoverOf(axes[i]).begin;
    high[i] = cover.dim(static_cast<int>(i)) - low[i] - axes[i].TapsFrom(first[i]);
  }
  const Value taps = c.b.Slice(c.x(1), first, filter.dims(), step);
  return c.b.Pad(taps, c.b.Scalar(c.x_type(1).dtype, 0), low, high, Ints(rank, 0));
}

// All phases as one convolution: [n, (s, phase)..., g, o].
Value Together(ExpandContext& c, const std::vector<Axis>& axes, int64_t count) {
  const Shape b = c.x_type(1).shape;
  const int spatial = b.rank() - 3;
  const int64_t outputs = b.dim(spatial + 2);
  ir::Builder::ConvGeometry geometry;
  Shape cover, filter, apart{c.x_type(0).shape[0]};
  for (const Axis& axis : axes) {
    const auto [begin, taps] = CoverOf(axis);
    cover.push_back(taps);
    apart.push_back(axis.outputs());
    geometry.strides.push_back(axis.phase_stride());
    geometry.low.push_back(-begin);
    geometry.high.push_back((axis.outputs() - 1) * axis.phase_stride() + taps - axis.extent + begin);
    geometry.a_dilation.push_back(1);
    geometry.b_dilation.push_back(1);
  }
  for (int i = spatial; i < spatial + 2; ++i) cover.push_back(b[i]);
  filter = cover;
  cover.push_back(outputs);
  filter.push_back(count);
  filter.push_back(outputs);
  Ints places, order{0};
  for (int i = 0; i < filter.rank(); ++i) {
    if (i != spatial + 2) places.push_back(i);
  }
  std::vector<Value> parts;
  for (int64_t i = 0; i < count; ++i) {
    parts.push_back(c.b.Broadcast(Spread(c, axes, PhaseOf(axes, static_cast<size_t>(i)), cover), filter, places));
  }
  const Value stack = Chosen(c.b, c.b.Iota(kInt64, filter, spatial + 2), parts);
  Shape wide(cover);
  wide.set(spatial + 2, count * outputs);
  const Value y = c.b.Conv(c.x(0), c.b.Reshape(stack, wide), geometry);
  apart.push_back(b[spatial]);
  for (int64_t i = 0; i < spatial; ++i) {  // [n, s..., g, phase..., o] before it is turned
    apart.push_back(axes[static_cast<size_t>(i)].phases());
    order.insert(order.end(), {i + 1, spatial + 2 + i});
  }
  apart.push_back(outputs);
  order.insert(order.end(), {spatial + 1, 2 * spatial + 2});
  return c.b.Transpose(c.b.Reshape(y, apart), order);
}

// Phases one by one: the same.
Value OneByOne(ExpandContext& c, const std::vector<Axis>& axes, size_t count, const Shape& part, const Shape& stacked) {
  std::vector<Value> parts;
  for (size_t i = 0; i < count; ++i) {
    const Value y = Phase(c, axes, PhaseOf(axes, i));
    parts.push_back(y.valid() ? y : c.b.Zeros({c.x_type(0).dtype, part}));
  }
  return count == 1 ? parts[0] : Interleaved(c.b, parts, axes, stacked);
}

}  // namespace

Value ConvInPhases(ExpandContext& c) {
  if (!ir::ConvSkipsZeros(c.ints("strides"), c.ints("a_dilation"))) return {};
  const std::vector<Axis> axes = AxesOf(c);
  const Shape a = c.x_type(0).shape, b = c.x_type(1).shape;
  Shape part{a[0]}, stacked{a[0]}, joined{a[0]}, result{a[0]};
  int64_t count = 1;
  for (const Axis& axis : axes) {
    count *= axis.phases();
    part.push_back(axis.outputs());
    stacked.push_back(axis.outputs());
    stacked.push_back(axis.phases());
    joined.push_back(axis.outputs() * axis.phases());
    result.push_back(axis.out);
  }
  for (Shape* shape : {&part, &stacked, &joined, &result}) {
    shape->push_back(b[b.rank() - 3]);
    shape->push_back(b[b.rank() - 1]);
  }
  const bool together = AreTogether(axes, b.dim(b.rank() - 1));
  Value y = together ? Together(c, axes, count) : OneByOne(c, axes, static_cast<size_t>(count), part, stacked);
  if (count > 1) y = c.b.Reshape(y, joined);
  if (joined == result) return y;
  const Ints none(static_cast<size_t>(result.rank()), 0), one(none.size(), 1);
  return c.b.Slice(y, none, result.dims(), one);
}

}  // namespace reel::passes
