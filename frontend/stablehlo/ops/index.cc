#include <limits>

#include "frontend/stablehlo/operators.h"
#include "frontend/stablehlo/slices.h"
#include "ir/strings.h"

namespace reel::stablehlo {
namespace {

using ir::Op;
using Ints = std::vector<int64_t>;

// The axes of slices among those of [outer..., indices..., inner...].
Ints SliceAxes(int axis, int rank, int indices) {
  Ints out;
  for (int i = 0; i < rank - 1; ++i) out.push_back(i < axis ? i : i + indices);
  return out;
}

std::string_view ScatterCombiner(Op op) {
  switch (op) {
    case Op::kScatterAdd: return "stablehlo.add";
    case Op::kScatterMul: return "stablehlo.multiply";
    case Op::kScatterMax: return "stablehlo.maximum";
    default: return "stablehlo.minimum";
  }
}

// The axes of indices in [outer..., indices..., inner...].
Ints PlaceAxes(int axis, const Shape& indices) {
  Ints out;
  for (int i = 0; i < indices.rank(); ++i) out.push_back(axis + i);
  return out;
}

// Whether i64 indices are in [0, extent).
Value InRange(Emitter& e, const Value& indices, int64_t extent) {
  return e.And(e.Compare("GE", indices, e.FullInt(indices.type, 0)),
               e.Compare("LT", indices, e.FullInt(indices.type, extent)));
}

// What a combiner leaves as it is.
Value Neutral(Emitter& e, const Type& type, std::string_view combiner) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  if (combiner == "stablehlo.multiply") return e.Full(type, 1);
  if (combiner == "stablehlo.add") return IsInteger(type.dtype) ? e.FullInt(type, 0) : e.Full(type, -0.0);
  const bool maximum = combiner == "stablehlo.maximum";
  if (IsFloat(type.dtype)) return e.Full(type, maximum ? -kInfinity : kInfinity);
  return e.FullInt(type, maximum ? LowestInt(type.dtype) : HighestInt(type.dtype));
}

// A scatter drops what is out of range by its definition, but not in every backend: nothing is added to row 0 instead.
Value ScatterRows(Emitter& e, const Value& a, const Value& given, const Value& rows, int axis,
                  std::string_view combiner) {
  const int rank = given.type.shape.rank();
  const Value in_range = InRange(e, given, a.type.shape.dim(axis));
  const Value indices = e.Select(in_range, given, e.FullInt(given.type, 0));
  const Value mask = e.Broadcast(in_range, rows.type.shape, PlaceAxes(axis, given.type.shape));
  const Value kept = e.Select(mask, rows, Neutral(e, rows.type, combiner));
  return e.Emit("stablehlo.scatter", {a, indices, kept}, a.type,
                StrCat("scatter_dimension_numbers = #stablehlo.scatter<update_window_dims = ",
                       List(SliceAxes(axis, a.type.shape.rank(), rank)), ", inserted_window_dims = [", axis,
                       "], scatter_dims_to_operand_dims = [", axis, "], index_vector_dim = ", rank,
                       ">, indices_are_sorted = false, unique_indices = false"),
                {e.Combiner(a.type.dtype, combiner)});
}

// a's slices at i64 indices that are in range.
Value GatherRows(Emitter& e, const Value& a, const Value& indices, int axis) {
  const int rank = a.type.shape.rank(), places = indices.type.shape.rank();
  Shape shape, sizes = a.type.shape;
  sizes.set(axis, 1);
  for (int i = 0; i < rank; ++i) {
    if (i != axis) {
      shape.push_back(a.type.shape[i]);
      continue;
    }
    for (const Extent extent : indices.type.shape) shape.push_back(extent);
  }
  const Type type{a.type.dtype, shape};
  const std::string numbers =
      StrCat("dimension_numbers = #stablehlo.gather<offset_dims = ", List(SliceAxes(axis, rank, places)),
             ", collapsed_slice_dims = [", axis, "], start_index_map = [", axis, "], index_vector_dim = ", places,
             ">, indices_are_sorted = false");
  if (!sizes.is_constant()) return e.Emit("stablehlo.dynamic_gather", {a, indices, e.Extents(sizes)}, type, numbers);
  return e.Emit("stablehlo.gather", {a, indices}, type, StrCat(numbers, ", slice_sizes = ", I64s(sizes.dims())));
}

}  // namespace

HANDLER(Gather) {
  Emitter& e = c.e;
  const int axis = static_cast<int>(c.attr_int("axis"));
  const Value &a = c.x[0], indices = e.Convert(c.x[1], kInt64), zero = e.FullInt(indices.type, 0);
  NeedConstantShape(c, Shape{a.type.shape[axis]});
  if (a.type.shape.dim(axis) == 0) return {e.Full(c.type(), 0)};  // nothing is in range
  const Value in_range = InRange(e, indices, a.type.shape.dim(axis));
  const Value rows = GatherRows(e, a, e.Select(in_range, indices, zero), axis);
  const Value mask = e.Broadcast(in_range, rows.type.shape, PlaceAxes(axis, indices.type.shape));
  return {e.Select(mask, rows, e.FullLike(rows, 0))};
}

HANDLER(Scatter) {
  const int axis = static_cast<int>(c.attr_int("axis"));
  NeedConstantShape(c, Shape{c.x[0].type.shape[axis]});
  return {ScatterRows(c.e, c.x[0], c.e.Convert(c.x[1], kInt64), c.x[2], axis, ScatterCombiner(c.node.op))};
}

// Which of equal indices stays is the backend's: the largest place of each is found first.
HANDLER(ScatterSet) {
  Emitter& e = c.e;
  const int axis = static_cast<int>(c.attr_int("axis"));
  const Value &a = c.x[0], indices = e.Convert(c.x[1], kInt64);
  NeedConstantShape(c, indices.type.shape);
  NeedConstantShape(c, Shape{a.type.shape[axis]});
  const int64_t count = indices.type.shape.size();
  if (count == 0) return {a};
  const Shape list{count}, along{a.type.shape[axis]};
  const Value places = e.Iota({kInt64, list}, 0);
  const Value last =
      ScatterRows(e, e.FullInt({kInt64, along}, -1), e.Reshape(indices, list), places, 0, "stablehlo.maximum");
  const Value written = e.Compare("GE", last, e.FullInt(last.type, 0));
  Shape rows_shape = a.type.shape;
  rows_shape.set(axis, count);
  const Value rows =
      GatherRows(e, e.Reshape(c.x[2], rows_shape), e.Select(written, last, e.FullInt(last.type, 0)), axis);
  return {e.Select(e.Broadcast(written, a.type.shape, {axis}), rows, a)};
}

HANDLER(DynamicSlice) {
  return {DynamicSliceAxis(c.e, c.x[0], c.x[1], static_cast<int>(c.attr_int("axis")), c.attr_int("size"))};
}

HANDLER(DynamicUpdate) {
  return {DynamicUpdateAxis(c.e, c.x[0], c.x[1], c.x[2], static_cast<int>(c.attr_int("axis")))};
}

}  // namespace reel::stablehlo
