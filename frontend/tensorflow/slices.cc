#include "frontend/tensorflow/slices.h"

#include <algorithm>

namespace reel::tensorflow {
namespace {

// 0, ..., 0, 1, 0, ..., 0 times a number.
Value AlongAxis(Emitter& e, int rank, int axis, const Value& number) {
  std::vector<int64_t> unit(static_cast<size_t>(rank), 0);
  unit[static_cast<size_t>(axis)] = 1;
  return e.Mul(e.Numbers(unit), number);
}

// Kernels take 8 axes, and Spaced adds one. Where there are more, an axis at a time stands between two that the others
// are joined to; without numbers they cannot be joined.
bool HasManyAxes(const Shape& shape) { return shape.rank() > 7 && shape.is_constant(); }

Shape AroundAxis(const Shape& shape, int axis) {
  int64_t before = 1, after = 1;
  for (int i = 0; i < shape.rank(); ++i) (i < axis ? before : after) *= i == axis ? 1 : shape.dim(i);
  return {before, shape[axis], after};
}

// A scalar moved into [0, last], as i64.
Value InRange(Emitter& e, const Value& start, int64_t last) {
  const Value zero = e.ScalarInt(kInt64, 0), end = e.ScalarInt(kInt64, last);
  if (start.type.dtype == kUInt64) {  // before a cast makes it negative
    const Value unsigned_end = e.ScalarInt(kUInt64, last);
    return e.Convert(e.Binary("Minimum", start, unsigned_end), kInt64);
  }
  return e.Binary("Minimum", e.Binary("Maximum", e.Convert(start, kInt64), zero), end);
}

// Elements between those of an axis: the axis gets one behind it, which is padded and joined with it.
Value Spaced(Emitter& e, const Value& x, const Value& scalar, int axis, int64_t interior) {
  const int64_t count = x.type.shape.dim(axis);
  if (interior == 0 || count < 2) return x;
  Type apart = x.type;
  apart.shape.insert(axis + 1, 1);
  const Value alone = e.Reshape(x, apart.shape);
  std::vector<int64_t> numbers(static_cast<size_t>(apart.shape.rank()) * 2, 0);
  numbers[static_cast<size_t>(axis) * 2 + 3] = interior;
  apart.shape.set(axis + 1, interior + 1);
  const Value sizes = e.Constant(ir::Literal::From<int64_t>({apart.shape.rank(), 2}, numbers));
  const Value wide = e.Emit("PadV2", {alone, sizes, scalar}, apart);
  Shape joined = x.type.shape;
  joined.set(axis, count * (interior + 1));
  const auto rank = static_cast<size_t>(joined.rank());
  std::vector<int64_t> starts(rank, 0), limits, strides(rank, 1);
  for (const Extent extent : joined) limits.push_back(extent.is_constant() ? extent.value() : -1);
  limits[static_cast<size_t>(axis)] -= interior;
  return SliceOf(e, e.Reshape(wide, joined), starts, limits, strides);
}

}  // namespace

Value OneByOne(Emitter& e, const Value& x, const std::function<Value(const Value&, int)>& change) {
  Value out = x;
  for (int axis = 0; axis < x.type.shape.rank(); ++axis) {
    const Value three = e.Reshape(out, AroundAxis(out.type.shape, axis)), changed = change(three, axis);
    Shape shape = out.type.shape;
    shape.set(axis, changed.type.shape[1]);
    if (changed.node != three.node) out = e.Reshape(changed, shape);
  }
  return out;
}

Value ReverseOf(Emitter& e, const Value& x, const std::vector<int64_t>& axes) {
  if (HasManyAxes(x.type.shape)) {
    return OneByOne(e, x, [&](const Value& three, int axis) {
      const bool turned = std::find(axes.begin(), axes.end(), axis) != axes.end();
      return turned ? ReverseOf(e, three, {1}) : three;
    });
  }
  return axes.empty() ? x : e.Emit("ReverseV2", {x, e.Numbers(axes)}, x.type);
}

Value SliceOf(Emitter& e, const Value& x, const std::vector<int64_t>& starts, const std::vector<int64_t>& limits,
              const std::vector<int64_t>& strides) {
  if (HasManyAxes(x.type.shape)) {
    return OneByOne(e, x, [&](const Value& three, int axis) {
      const auto i = static_cast<size_t>(axis);
      const int64_t before = three.type.shape.dim(0), after = three.type.shape.dim(2);
      return SliceOf(e, three, {0, starts[i], 0}, {before, limits[i], after}, {1, strides[i], 1});
    });
  }
  Shape shape;
  int64_t whole = 0;  // bits of the axes without numbers
  for (size_t i = 0; i < starts.size(); ++i) {
    const Extent extent = x.type.shape[static_cast<int>(i)];
    if (!extent.is_constant()) whole |= int64_t{1} << i;
    const int64_t length = limits[i] <= starts[i] ? 0 : (limits[i] - starts[i] - 1) / strides[i] + 1;
    shape.push_back(extent.is_constant() ? Extent(length) : extent);
  }
  if (x.type.shape == shape) return x;
  return e.Emit("StridedSlice", {x, e.Numbers(starts), e.Numbers(limits), e.Numbers(strides)}, {x.type.dtype, shape},
                {{"begin_mask", whole}, {"end_mask", whole}});
}

Value DynamicSliceAxis(Emitter& e, const Value& x, const Value& start, int axis, int64_t size) {
  if (HasManyAxes(x.type.shape)) {
    Shape shape = x.type.shape;
    shape.set(axis, size);
    const Value three = e.Reshape(x, AroundAxis(x.type.shape, axis));
    return e.Reshape(DynamicSliceAxis(e, three, start, 1, size), shape);
  }
  Type type = x.type;
  const Value at = InRange(e, start, x.type.shape.dim(axis) - size);
  type.shape.set(axis, size);
  std::vector<int64_t> sizes(static_cast<size_t>(type.shape.rank()), -1);  // what is left
  sizes[static_cast<size_t>(axis)] = size;
  return e.Emit("Slice", {x, AlongAxis(e, type.shape.rank(), axis, at), e.Numbers(sizes)}, type);
}

Value DynamicUpdateAxis(Emitter& e, const Value& x, const Value& part, const Value& start, int axis) {
  if (HasManyAxes(x.type.shape)) {
    const Value three = e.Reshape(x, AroundAxis(x.type.shape, axis));
    const Value of_three = e.Reshape(part, AroundAxis(part.type.shape, axis));
    return e.Reshape(DynamicUpdateAxis(e, three, of_three, start, 1), x.type.shape);
  }
  const int rank = x.type.shape.rank();
  const int64_t size = part.type.shape.dim(axis);
  const Value at = InRange(e, start, x.type.shape.dim(axis) - size);
  const Value begin = AlongAxis(e, rank, axis, at);
  const Value end = AlongAxis(e, rank, axis, e.Add(at, e.ScalarInt(kInt64, size)));
  const Value strides = e.Numbers(std::vector<int64_t>(static_cast<size_t>(rank), 1));
  const int64_t others = ((int64_t{1} << rank) - 1) & ~(int64_t{1} << axis);
  return e.Emit("TensorStridedSliceUpdate", {x, begin, end, strides, part}, x.type,
                {{"begin_mask", others}, {"end_mask", others}});
}

Value SpreadOf(Emitter& e, const Value& x, const Shape& shape, const std::vector<int64_t>& axes) {
  Shape column;  // x with extents of 1 for missing axes, without leading ones
  for (size_t i = 0; i < axes.size(); ++i) {
    for (auto at = i == 0 ? axes[0] : axes[i - 1] + 1; i > 0 && at < axes[i]; ++at) column.push_back(1);
    column.push_back(x.type.shape[static_cast<int>(i)]);
  }
  for (int at = axes.empty() ? shape.rank() : static_cast<int>(axes.back()) + 1; at < shape.rank(); ++at)
    column.push_back(1);
  return e.BroadcastTo(e.Reshape(x, column), shape);
}

// What is cut goes first: low and high may be large and cancel.
Value PadOf(Emitter& e, const Value& x, const Value& scalar, const Padding& padding) {
  if (HasManyAxes(x.type.shape)) {
    return OneByOne(e, x, [&](const Value& three, int axis) {
      const auto i = static_cast<size_t>(axis);
      return PadOf(e, three, scalar, {{0, padding.low[i], 0}, {0, padding.high[i], 0}, {0, padding.interior[i], 0}});
    });
  }
  Value out = x;
  const int rank = x.type.shape.rank();
  std::vector<int64_t> numbers, starts, limits;
  Shape shape;
  for (int axis = 0; axis < rank; ++axis) {
    const auto i = static_cast<size_t>(axis);
    if (!x.type.shape[axis].is_constant()) {
      starts.push_back(0);
      limits.push_back(-1);
      numbers.insert(numbers.end(), {0, 0});
      shape.push_back(x.type.shape[axis]);
      continue;
    }
    out = Spaced(e, out, scalar, axis, padding.interior[i]);
    const int64_t count = out.type.shape.dim(axis), low = padding.low[i], high = padding.high[i];
    const int64_t start = std::max<int64_t>(-low, 0), limit = std::min(count, count + high);
    const bool none = start >= limit;  // of x: all is padding
    starts.push_back(none ? 0 : start);
    limits.push_back(none ? 0 : limit);
    numbers.push_back(none ? count + low + high : std::max<int64_t>(low, 0));
    numbers.push_back(none ? 0 : std::max<int64_t>(high, 0));
    shape.push_back(count + low + high);
  }
  out = SliceOf(e, out, starts, limits, std::vector<int64_t>(static_cast<size_t>(rank), 1));
  if (std::all_of(numbers.begin(), numbers.end(), [](int64_t n) { return n == 0; })) return out;
  const Value sizes = e.Constant(ir::Literal::From<int64_t>({rank, 2}, numbers));
  return e.Emit("PadV2", {out, sizes, scalar}, {x.type.dtype, shape});
}

}  // namespace reel::tensorflow
