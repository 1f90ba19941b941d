#include "frontend/stablehlo/slices.h"

#include "ir/strings.h"

namespace reel::stablehlo {
namespace {

// i64 zeros for the other axes.
Values StartsOf(Emitter& e, const Value& x, const Value& start, int axis) {
  Values out(static_cast<size_t>(x.type.shape.rank()), e.ScalarInt(kInt64, 0));
  out[static_cast<size_t>(axis)] = e.Convert(start, kInt64);
  return out;
}

// real_dynamic_slice: its bounds are tensors of i32.
Value SliceSymbolic(Emitter& e, const Value& x, const Value& starts, const Value& limits, const Value& strides,
                    const Shape& shape) {
  return e.Emit("stablehlo.real_dynamic_slice", {x, starts, limits, strides}, {x.type.dtype, shape});
}

Value Numbers(Emitter& e, absl::Span<const int64_t> numbers) {
  const std::vector<int32_t> narrow(numbers.begin(), numbers.end());
  return e.Constant(ir::Literal::From<int32_t>({static_cast<int64_t>(narrow.size())}, narrow));
}

}  // namespace

Value SliceOf(Emitter& e, const Value& x, std::vector<int64_t> starts, std::vector<int64_t> limits,
              std::vector<int64_t> strides) {
  if (x.type.shape.is_constant()) return e.Slice(x, starts, limits, strides);
  Shape ends, shape;
  for (size_t i = 0; i < starts.size(); ++i) {
    const Extent extent = x.type.shape[static_cast<int>(i)];
    ends.push_back(extent.is_constant() ? Extent(limits[i]) : extent);
    const int64_t length = limits[i] <= starts[i] ? 0 : (limits[i] - starts[i] - 1) / strides[i] + 1;
    shape.push_back(extent.is_constant() ? Extent(length) : extent);
  }
  return SliceSymbolic(e, x, Numbers(e, starts), e.Extents(ends), Numbers(e, strides), shape);
}

Value SliceAxis(Emitter& e, const Value& x, int axis, const Range& range) {
  const auto rank = static_cast<size_t>(x.type.shape.rank()), at = static_cast<size_t>(axis);
  std::vector<int64_t> starts(rank, 0), limits(rank, -1), strides(rank, 1);
  for (size_t i = 0; i < rank; ++i) {
    const Extent extent = x.type.shape[static_cast<int>(i)];
    if (extent.is_constant()) limits[i] = extent.value();
  }
  starts[at] = range.start;
  limits[at] = range.limit;
  strides[at] = range.stride;
  return SliceOf(e, x, std::move(starts), std::move(limits), std::move(strides));
}

Value DynamicSliceAxis(Emitter& e, const Value& x, const Value& start, int axis, int64_t size) {
  Shape shape = x.type.shape;
  shape.set(axis, size);
  if (shape.is_constant()) {
    Values operands = StartsOf(e, x, start, axis);
    operands.insert(operands.begin(), x);
    return e.Emit("stablehlo.dynamic_slice", operands, {x.type.dtype, shape},
                  StrCat("slice_sizes = ", I64s(shape.dims())));
  }
  // Moved into range by hand: the other axes have no numbers.
  const Value zero = e.ScalarInt(kInt64, 0), last = e.ScalarInt(kInt64, x.type.shape.dim(axis) - size);
  const Value at = e.Binary("stablehlo.minimum", e.Binary("stablehlo.maximum", e.Convert(start, kInt64), zero), last);
  const Value offset = e.Reshape(e.Convert(at, kInt32), {1});
  Values starts(static_cast<size_t>(x.type.shape.rank()), Numbers(e, {0}));
  starts[static_cast<size_t>(axis)] = offset;
  const Value from = e.Concatenate(starts, 0);
  const std::vector<int64_t> ones(starts.size(), 1);
  return SliceSymbolic(e, x, from, e.Add(from, e.Extents(shape)), Numbers(e, ones), shape);
}

Value DynamicUpdateAxis(Emitter& e, const Value& x, const Value& part, const Value& start, int axis) {
  Values operands = StartsOf(e, x, start, axis);
  operands.insert(operands.begin(), {x, part});
  return e.Emit("stablehlo.dynamic_update_slice", operands, x.type);
}

}  // namespace reel::stablehlo
