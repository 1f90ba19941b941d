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
    const int64_t stride = axis.stride * axis.phases() / axis.spread, dilation = axis.dilation * step[i] / axis.spread;
    const int64_t taps = CeilDiv(axis.taps - first[i], step[i]);
    const int64_t low = -((phase[i] * axis.stride + first[i] * axis.dilation - axis.low) / axis.spread);
    geometry.strides.push_back(stride);
    geometry.low.push_back(low);
    geometry.high.push_back((axis.outputs() - 1) * stride + (taps - 1) * dilation + 1 - axis.extent - low);
    geometry.a_dilation.push_back(1);
    geometry.b_dilation.push_back(dilation);
  }
  return c.b.Conv(c.x(0), c.b.Slice(c.x(1), first, filter.dims(), step), geometry);
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
    const auto count = static_cast<size_t>(axes[i].phases());
    if (count == 1) continue;
    const Value at = b.Iota(kInt64, shape, 2 + 2 * static_cast<int64_t>(i));
    std::vector<Value> joined;
    for (size_t j = 0; j < level.size(); j += count) {
      Value all = level[j + count - 1];
      for (size_t k = count - 1; k-- > 0;) {
        const Value here = b.Equal(at, b.Broadcast(b.Scalar(kInt64, static_cast<double>(k)), shape, {}));
        all = b.Select(here, level[j + k], all);
      }
      joined.push_back(all);
    }
    level = std::move(joined);
  }
  return level[0];
}

}  // namespace

Value ConvInPhases(ExpandContext& c) {
  if (!ir::ConvSkipsZeros(c.ints("strides"), c.ints("a_dilation"))) return {};
  const std::vector<Axis> axes = AxesOf(c);
  const Shape a = c.x_type(0).shape, b = c.x_type(1).shape;
  const DType dtype = c.x_type(0).dtype;
  Shape part{a[0]}, stacked{a[0]}, joined{a[0]}, result{a[0]};
  size_t count = 1;
  for (const Axis& axis : axes) {
    count *= static_cast<size_t>(axis.phases());
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
  std::vector<Value> parts;
  for (size_t i = 0; i < count; ++i) {
    Ints phase(axes.size());
    size_t rest = i;
    for (size_t k = axes.size(); k-- > 0;) {
      phase[k] = static_cast<int64_t>(rest % static_cast<size_t>(axes[k].phases()));
      rest /= static_cast<size_t>(axes[k].phases());
    }
    const Value y = Phase(c, axes, phase);
    parts.push_back(y.valid() ? y : c.b.Zeros({dtype, part}));
  }
  if (count == 1) return parts[0];
  const Value y = c.b.Reshape(Interleaved(c.b, parts, axes, stacked), joined);
  if (joined == result) return y;
  const Ints none(static_cast<size_t>(result.rank()), 0), one(none.size(), 1);
  return c.b.Slice(y, none, result.dims(), one);
}

}  // namespace reel::passes
