#include <algorithm>
#include <numeric>

#include "passes/expand/conv_phases.h"
#include "passes/expand/rule.h"

namespace reel::passes {
namespace {

using ir::Value;
using Ints = std::vector<int64_t>;

// a with zeros between its elements and around, along as many axes as a convolution has, from `begin` on. Negative
// padding cuts first: what lies between a cut on one side and padding on the other may be larger than memory.
Value PadImage(ExpandContext& c, Value a, size_t begin) {
  const auto &low = c.ints("low"), &high = c.ints("high"), &dilation = c.ints("a_dilation");
  const Shape shape = c.b.shape(a);
  const auto rank = static_cast<size_t>(shape.rank());
  Ints before(rank, 0), after(rank, 0), interior(rank, 0), starts(rank, 0), limits = shape.dims();
  for (size_t i = 0; i < low.size(); ++i) {
    const size_t axis = i + begin;
    const int64_t n = limits[axis], size = n > 0 ? (n - 1) * dilation[i] + 1 : 0;
    const int64_t padded = low[i] + size + high[i];
    // elements at first and later of those at last and earlier stay
    const int64_t first = low[i] < 0 ? (-low[i] - 1) / dilation[i] + 1 : 0;
    const int64_t end = size + std::min<int64_t>(high[i], 0);
    const int64_t limit = end > 0 ? (end - 1) / dilation[i] + 1 : 0;
    interior[axis] = dilation[i] - 1;
    if (first >= limit) {
      limits[axis] = 0;
      before[axis] = padded;
      continue;
    }
    starts[axis] = first;
    limits[axis] = limit;
    before[axis] = first * dilation[i] + low[i];
    after[axis] = padded - before[axis] - (limit - 1 - first) * dilation[i] - 1;
  }
  if (limits != shape.dims() || starts != Ints(rank, 0)) {
    a = c.b.Slice(a, starts, limits, Ints(rank, 1));
  }
  const Ints none(rank, 0);
  if (before == none && after == none && interior == none) return a;
  return c.b.Pad(a, c.b.Scalar(c.b.type(a).dtype, 0), before, after, interior);
}

// x of a = [n, s..., g, c] that shows [n, channels, s...] with its channels turned to the end; invalid if a does not.
Value ChannelsFirst(const ir::Function& f, Value a) {
  const ir::Node* split = f.producer(a);
  const ir::Node* turn = split && split->op == ir::Op::kReshape ? f.producer(split->operands[0]) : nullptr;
  if (!turn || turn->op != ir::Op::kTranspose) return {};
  const Shape &from = f.type(turn->result()).shape, &to = f.type(a).shape;
  const int space = to.rank() - 2;
  if (from.rank() != space + 1 || (to[space] != from[space] && to[space + 1] != from[space])) return {};
  for (int i = 0; i < space; ++i) {
    if (from[i] != to[i]) return {};
  }
  Ints order = turn->attr<Ints>("permutation");
  std::rotate(order.begin() + 1, order.end() - 1, order.end());
  return ir::IsIdentity(order) ? turn->operands[0] : Value{};
}

// Fewer make runs too short to turn and to pad.
constexpr int64_t kFewChannels = 4;

// The padded input. Where each channel has a filter of its own, and the image lies channel by channel, it stays so:
// neighbours along its last axis are lanes of the product. So does an image of a few colours, which is read number by
// number.
Value PaddedInput(ExpandContext& c) {
  const Shape filter = c.x_type(1).shape;
  const int spatial = filter.rank() - 3;
  const bool own = filter[spatial] != Extent(1) && filter[spatial + 1] == Extent(1) && filter[spatial + 2] == Extent(1);
  const bool few = filter[spatial] == Extent(1) && filter.dim(spatial + 1) <= kFewChannels;
  const Value image = own || few ? ChannelsFirst(*c.b.function(), c.x()) : Value{};
  if (!image.valid()) return PadImage(c, c.x(), 1);
  const Shape split = c.x_type(0).shape;
  const Value padded = PadImage(c, image, 2);
  Ints order(static_cast<size_t>(spatial) + 2);
  std::iota(order.begin(), order.end(), 0);
  std::rotate(order.begin() + 1, order.begin() + 2, order.end());
  const Value turned = c.b.Transpose(padded, std::move(order));
  Shape shape = c.b.shape(turned);
  shape.set(spatial + 1, split[spatial + 1]);
  shape.push_back(split[spatial + 2]);
  return c.b.Reshape(turned, shape);
}

// The value without an axis of extent 1.
Value Drop(ir::Builder& b, Value x, int axis) {
  Shape shape;
  for (int i = 0; i < b.shape(x).rank(); ++i) {
    if (i != axis) shape.push_back(b.shape(x)[i]);
  }
  return b.Reshape(x, shape);
}

}  // namespace

// Windows [n, s..., g, c, k...] of a, contracted with [k..., g, c, o] over (k..., c), g being batches. A filter larger
// than the result (the gradient by a filter, whose c is the batch and whose n are channels) is summed over
// (c, k...) with rows (s..., n): neighbours in memory stay neighbours.
EXPAND(Conv) {
  if (const Value y = ConvInPhases(c); y.valid()) return {y};
  const Shape filter = c.x_type(1).shape;
  const int spatial = filter.rank() - 3;
  ir::Builder::Windows windows{{}, {}, c.ints("strides"), c.ints("b_dilation")};
  for (int i = 0; i < spatial; ++i) {
    windows.axes.push_back(i + 1);
    windows.sizes.push_back(filter.dim(i));
  }
  Value a = c.b.Window(PaddedInput(c), windows), b = c.x(1);
  if (!a.valid()) return {a};
  Shape y;
  int64_t places = 1, taps = 1;
  for (int i = 0; i < spatial + 2; ++i) y.push_back(c.b.shape(a)[i]);
  for (int i = 0; i < spatial; ++i) places *= y.dim(i + 1), taps *= filter.dim(i);
  y.push_back(filter[spatial + 2]);
  const bool grouped = filter[spatial] != Extent(1), turned = taps > places;
  if (!grouped) {
    a = Drop(c.b, a, spatial + 1);
    b = Drop(c.b, b, spatial);
  }
  const int channel = spatial + (grouped ? 2 : 1);  // of a
  ir::Builder::ContractAxes axes;
  if (grouped) axes.a_batch = {spatial + 1}, axes.b_batch = {spatial};
  for (int i = 0; i < spatial; ++i) {
    axes.a_contract.push_back(channel + 1 + i);
    axes.b_contract.push_back(i);
  }
  axes.a_contract.insert(turned ? axes.a_contract.begin() : axes.a_contract.end(), channel);
  axes.b_contract.insert(turned ? axes.b_contract.begin() : axes.b_contract.end(), channel - 1);
  Ints rows;  // s... and n where they stand in the sums
  const int first = grouped ? 1 : 0;
  rows.push_back(turned ? first + spatial : first);
  for (int i = 0; i < spatial; ++i) rows.push_back(turned ? first + i : first + 1 + i);
  if (turned) {
    Ints order;
    for (int i = 0; i < spatial; ++i) order.push_back(i + 1);
    order.push_back(0);
    for (int i = spatial + 1; i < c.b.shape(a).rank(); ++i) order.push_back(i);
    a = c.b.Transpose(a, order);
  }
  const Value sums = c.b.Contract(a, b, axes);
  Ints order = rows;  // [(g,) rows, o] -> [n, s..., (g,) o]
  if (grouped) order.push_back(0);
  order.push_back(first + spatial + 1);
  return {c.b.Reshape(std::is_sorted(order.begin(), order.end()) ? sums : c.b.Transpose(sums, order), y)};
}

}  // namespace reel::passes
