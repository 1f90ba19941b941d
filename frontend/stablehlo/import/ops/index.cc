#include <algorithm>

#include "frontend/eager/dispatch.h"
#include "frontend/stablehlo/import/context.h"
#include "ir/strings.h"

// Gathers and scatters of windows. Reel's take rows at one axis, so the axes that are indexed come first and become
// one, whose positions are computed; axes that are taken whole stay behind it as the row.

namespace reel::stablehlo::reading {
namespace {

using internal::Dispatch;

bool Contains(const Ints& list, int64_t x) { return std::find(list.begin(), list.end(), x) != list.end(); }

// What gathers and scatters say alike.
struct SliceWindows {
  Ints window_axes;      // of the result or the updates
  Ints collapsed;        // axes of the operand without one there
  Ints batch, index_batch;
  Ints map;              // the axis of the operand that each number of an index is of
  int64_t vector_axis = 0;
  Ints sizes;            // of the window, by axis of the operand

  bool IsCollapsed(int64_t axis) const { return Contains(collapsed, axis) || Contains(batch, axis); }
};

void CheckWindows(const SliceWindows& w, const Tensor& x, const Tensor& indices) {
  CheckAxes(w.map, x.rank(), "start_index_map");
  CheckAxes(w.collapsed, x.rank(), "collapsed axes");
  CheckAxes(w.batch, x.rank(), "batching axes");
  CheckAxes(w.index_batch, indices.rank(), "batching axes of the indices");
  if (w.batch.size() != w.index_batch.size()) Malformed("operand and indices have other numbers of batching axes");
  if (w.vector_axis < 0 || w.vector_axis > indices.rank()) Malformed("index_vector_dim is no axis");
  if (w.sizes.size() != static_cast<size_t>(x.rank())) Malformed("slice sizes are not one for each axis");
  for (int i = 0; i < x.rank(); ++i) {
    const int64_t size = w.sizes[static_cast<size_t>(i)];
    if (size < 0 || size > x.shape().dim(i)) Malformed(StrCat("a window of ", size, " along axis ", i));
    if (w.IsCollapsed(i) && size > 1) Malformed(StrCat("axis ", i, " is collapsed and has a window of ", size));
  }
  if (!IsInteger(indices.dtype())) Malformed("indices are no integers");
}

// Indices as i64 [places..., numbers].
Tensor IndexVectors(const SliceWindows& w, const Tensor& given) {
  Tensor indices = Cast(given, kInt64);
  if (w.vector_axis == indices.rank()) {
    Shape shape = indices.shape();
    shape.push_back(1);
    indices = Reshaped(indices, shape);
  } else {
    Ints order;
    for (int64_t i = 0; i < indices.rank(); ++i) {
      if (i != w.vector_axis) order.push_back(i);
    }
    order.push_back(w.vector_axis);
    indices = Transposed(indices, order);
  }
  if (indices.shape().dim(indices.rank() - 1) != static_cast<int64_t>(w.map.size()))
    Malformed("index vectors have another length than start_index_map");
  return indices;
}

// Number k of every index vector, [places...].
Tensor IndexNumber(const Tensor& vectors, size_t k) {
  const auto rank = static_cast<size_t>(vectors.rank());
  Ints starts(rank, 0), limits = vectors.shape().dims(), strides(rank, 1);
  starts.back() = static_cast<int64_t>(k);
  limits.back() = starts.back() + 1;
  const Tensor part =
      Dispatch(ir::Op::kSlice, {vectors}, {{"starts", starts}, {"limits", limits}, {"strides", strides}});
  Shape shape = part.shape();
  shape.erase(shape.rank() - 1);
  return Reshaped(part, shape);
}

// Where the elements of all windows are.
struct Positions {
  Ints order;         // of the operand: indexed axes, then those of the rows
  size_t indexed = 0;
  int64_t extent = 1;  // of the indexed axes as one
  Ints windows;        // indexed axes that windows have, in order
  Tensor index;        // i64 [places..., windows...]
};

Tensor Constant64(int64_t value, const Shape& shape) { return BroadcastAlong(ScalarOf(kInt64, value), shape, {}); }

// The places' axis that a batching axis of the operand goes along with.
int64_t PlaceOfBatch(const SliceWindows& w, size_t i) {
  const int64_t axis = w.index_batch[i];
  return axis > w.vector_axis ? axis - 1 : axis;
}

// clamp: windows are moved into the operand, as gathers do; else elements that are outside get -1.
Positions FindPositions(const SliceWindows& w, const Tensor& x, const Tensor& given, bool clamp) {
  Positions out;
  const Tensor vectors = IndexVectors(w, given);
  Shape places = vectors.shape();
  places.erase(places.rank() - 1);
  Ints rows;
  for (int64_t i = 0; i < x.rank(); ++i) {
    const int64_t size = w.sizes[static_cast<size_t>(i)], extent = x.shape().dim(static_cast<int>(i));
    const bool whole = !Contains(w.map, i) && !w.IsCollapsed(i) && size == extent;
    (whole ? rows : out.order).push_back(i);
    if (!whole && !w.IsCollapsed(i)) out.windows.push_back(i);
  }
  out.indexed = out.order.size();
  Shape all = places;
  for (const int64_t axis : out.windows) all.push_back(w.sizes[static_cast<size_t>(axis)]);
  if (all.rank() > kMaxRank) Refuse("indices and windows have too many axes together");
  Ints place_axes;
  for (int i = 0; i < places.rank(); ++i) place_axes.push_back(i);
  Tensor inside;
  for (const int64_t axis : out.order) {
    const int64_t extent = x.shape().dim(static_cast<int>(axis)), size = w.sizes[static_cast<size_t>(axis)];
    Tensor at = Constant64(0, all);
    const auto k = std::find(w.map.begin(), w.map.end(), axis);
    const auto batch = std::find(w.batch.begin(), w.batch.end(), axis);
    if (k != w.map.end()) {
      Tensor start = IndexNumber(vectors, static_cast<size_t>(k - w.map.begin()));
      if (clamp) start = Minimum(Maximum(start, Constant64(0, places)), Constant64(extent - size, places));
      at = BroadcastAlong(start, all, place_axes);
    } else if (batch != w.batch.end()) {
      at = Iota(all, PlaceOfBatch(w, static_cast<size_t>(batch - w.batch.begin())), kInt64);
    }
    const auto window = std::find(out.windows.begin(), out.windows.end(), axis);
    if (window != out.windows.end()) at = at + Iota(all, places.rank() + (window - out.windows.begin()), kInt64);
    if (!clamp && k != w.map.end()) {
      const Tensor good = GreaterEqual(at, Constant64(0, all)) & Less(at, Constant64(extent, all));
      inside = inside.defined() ? inside & good : good;
    }
    out.index = out.index.defined() ? out.index * Constant64(extent, all) + at : at;
    out.extent *= extent;
  }
  if (!out.index.defined()) out.index = Constant64(0, all);
  if (inside.defined()) out.index = Where(inside, out.index, Constant64(-1, all));
  out.order.insert(out.order.end(), rows.begin(), rows.end());
  return out;
}

// The operand with its indexed axes as the first one.
Tensor AsRows(const Tensor& x, const Positions& p) {
  const Tensor moved = Transposed(x, p.order);
  Shape shape{p.extent};
  for (int i = static_cast<int>(p.indexed); i < x.rank(); ++i) shape.push_back(moved.shape()[i]);
  return Reshaped(moved, shape);
}

// For each axis of [places..., windows..., rows...] its place in the result (of a gather) or updates (of a scatter).
Ints ResultAxes(const SliceWindows& w, const Positions& p, int places, int rank) {
  Ints out;
  for (int64_t i = 0; i < rank; ++i) {
    if (!Contains(w.window_axes, i)) out.push_back(i);
  }
  if (out.size() != static_cast<size_t>(places)) Malformed("window axes and indices do not make the result's rank");
  Ints kept;  // axes of the operand that windows have
  for (int64_t i = 0; i < static_cast<int64_t>(p.order.size()); ++i) {
    if (!w.IsCollapsed(i)) kept.push_back(i);
  }
  if (kept.size() != w.window_axes.size()) Malformed("window axes are not one for each axis that is not collapsed");
  const auto append = [&](int64_t axis) {
    out.push_back(w.window_axes[static_cast<size_t>(std::find(kept.begin(), kept.end(), axis) - kept.begin())]);
  };
  for (const int64_t axis : p.windows) append(axis);
  for (size_t i = p.indexed; i < p.order.size(); ++i) append(p.order[i]);
  return out;
}

Values ReadGather(const Context& c) {
  constexpr std::string_view kNumbers = "dimension_numbers";
  const Tensor &x = c.x(0), &indices = c.x(1);
  const auto field = [&](std::string_view name) { return c.ReadInts(c.Field(kNumbers, name), name); };
  const Attribute* vector = c.Field(kNumbers, "index_vector_dim");
  const SliceWindows w{field("offset_dims"),           field("collapsed_slice_dims"),
                       field("operand_batching_dims"), field("start_indices_batching_dims"),
                       field("start_index_map"),       vector ? vector->integer : 0,
                       c.NeedInts("slice_sizes")};
  CheckWindows(w, x, indices);
  CheckAxes(w.window_axes, c.type().shape.rank(), "offset_dims");
  const Positions p = FindPositions(w, x, indices, true);
  const Tensor rows =
      p.extent == 0 ? Tensor() : Dispatch(ir::Op::kGather, {AsRows(x, p), p.index}, {{"axis", int64_t{0}}});
  if (!rows.defined()) {
    if (c.type().shape.size() != 0) Malformed("a window in an operand without elements");
    return {Zeros(c.type().shape, x.dtype())};
  }
  const int places = p.index.rank() - static_cast<int>(p.windows.size());
  return {Transposed(rows, Inverse(ResultAxes(w, p, places, rows.rank())))};
}

ir::Op ScatterOp(const std::string& combiner, DType dtype) {
  if (combiner == "second") return ir::Op::kScatterSet;
  if (combiner == "stablehlo.add" && dtype != kBool) return ir::Op::kScatterAdd;
  if (combiner == "stablehlo.multiply" && dtype != kBool) return ir::Op::kScatterMul;
  if (combiner == "stablehlo.maximum" || (dtype == kBool && combiner == "stablehlo.or")) return ir::Op::kScatterMax;
  if (combiner == "stablehlo.minimum" || (dtype == kBool && combiner == "stablehlo.and")) return ir::Op::kScatterMin;
  Refuse("with a region that is not one add, multiply, maximum or minimum of its arguments, or the second of them");
}

Values ReadScatter(const Context& c) {
  constexpr std::string_view kNumbers = "scatter_dimension_numbers";
  if (c.size() != 3) Refuse("of several operands at once");
  const Tensor &x = c.x(0), &indices = c.x(1), &updates = c.x(2);
  const auto field = [&](std::string_view name) { return c.ReadInts(c.Field(kNumbers, name), name); };
  const Attribute* vector = c.Field(kNumbers, "index_vector_dim");
  SliceWindows w{field("update_window_dims"),
                 field("inserted_window_dims"),
                 field("input_batching_dims"),
                 field("scatter_indices_batching_dims"),
                 field("scatter_dims_to_operand_dims"),
                 vector ? vector->integer : 0,
                 {}};
  CheckAxes(w.window_axes, updates.rank(), "update_window_dims");
  size_t next = 0;
  for (int64_t i = 0; i < x.rank(); ++i) {
    const bool collapsed = w.IsCollapsed(i);
    if (!collapsed && next >= w.window_axes.size()) Malformed("update_window_dims are too few");
    w.sizes.push_back(collapsed ? 1 : updates.shape().dim(static_cast<int>(w.window_axes[next++])));
  }
  CheckWindows(w, x, indices);
  if (x.size() == 0 || updates.size() == 0) return {Identity(x)};
  const Positions p = FindPositions(w, x, indices, false);
  const int places = p.index.rank() - static_cast<int>(p.windows.size());
  // [places..., windows..., rows...] as the row scatter wants it.
  const Tensor moved = Transposed(updates, ResultAxes(w, p, places, updates.rank()));
  const DType dtype = x.dtype();
  const ir::Op op = ScatterOp(CombinerOf(c.region(0), 0), dtype);
  const bool as_numbers = dtype == kBool && op != ir::Op::kScatterSet;
  const Tensor rows = AsRows(x, p);
  Tensor out = Dispatch(op, {as_numbers ? Cast(rows, kUInt8) : rows, p.index, as_numbers ? Cast(moved, kUInt8) : moved},
                        {{"axis", int64_t{0}}});
  if (as_numbers) out = Cast(out, kBool);
  Shape shape;
  for (const int64_t axis : p.order) shape.push_back(x.shape()[static_cast<int>(axis)]);
  return {Transposed(Reshaped(out, shape), Inverse(p.order))};
}

// A start for Reel's ops.
Tensor Start(const Tensor& x) {
  if (x.rank() != 0 || !IsInteger(x.dtype())) Malformed("a start is no integer scalar");
  return x.dtype() == kInt32 || x.dtype() == kInt64 ? x : Cast(x, kInt64);
}

Values ReadDynamicSlice(const Context& c) {
  const Ints sizes = c.NeedInts("slice_sizes");
  Tensor x = c.x(0);
  if (sizes.size() != static_cast<size_t>(x.rank())) Malformed("slice_sizes are not one for each axis");
  for (int i = 0; i < c.x(0).rank(); ++i) {
    const int64_t size = sizes[static_cast<size_t>(i)];
    if (size == x.shape().dim(i)) continue;
    x = Dispatch(ir::Op::kDynamicSlice, {x, Start(c.x(static_cast<size_t>(i) + 1))},
                 {{"axis", int64_t{i}}, {"size", size}});
  }
  return {x};
}

// Along the axes that the update does not fill: the inner one is written into a slice of the outer ones.
Tensor UpdateFrom(const Context& c, const Tensor& x, int axis) {
  const Tensor& update = c.x(1);
  while (axis < x.rank() && update.shape()[axis] == c.x(0).shape()[axis]) ++axis;
  if (axis == x.rank()) return update;
  const Tensor start = Start(c.x(static_cast<size_t>(axis) + 2));
  bool more = false;
  for (int i = axis + 1; i < x.rank(); ++i) more = more || !(update.shape()[i] == c.x(0).shape()[i]);
  Tensor inner = update;
  if (more) {
    const Tensor slice =
        Dispatch(ir::Op::kDynamicSlice, {x, start}, {{"axis", int64_t{axis}}, {"size", update.shape().dim(axis)}});
    inner = UpdateFrom(c, slice, axis + 1);
  }
  return Dispatch(ir::Op::kDynamicUpdate, {x, inner, start}, {{"axis", int64_t{axis}}});
}

Values ReadDynamicUpdateSlice(const Context& c) {
  if (c.x(0).rank() != c.x(1).rank() || c.x(0).dtype() != c.x(1).dtype())
    Malformed("operand and update differ in rank or dtype");
  return {UpdateFrom(c, c.x(0), 0)};
}

constexpr ImportRow kIndexRows[] = {
    {"stablehlo.dynamic_slice", ReadDynamicSlice},
    {"stablehlo.dynamic_update_slice", ReadDynamicUpdateSlice},
    {"stablehlo.gather", ReadGather},
    {"stablehlo.scatter", ReadScatter,
     "of one operand; add, multiply, maximum, minimum, of bool and, or, or the last update stays"},
};

}  // namespace

absl::Span<const ImportRow> IndexRows() { return kIndexRows; }

}  // namespace reel::stablehlo::reading
