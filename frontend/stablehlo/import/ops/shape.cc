#include <algorithm>

#include "frontend/eager/dispatch.h"
#include "frontend/stablehlo/import/context.h"
#include "ir/strings.h"
#include "reel/products.h"

namespace reel::stablehlo::reading {
namespace {

using internal::Dispatch;

Values ReadConstant(const Context& c) {
  const Attribute* value = c.op().Find("value");
  if (!value || !value->dense) Malformed("its value is no dense<...>");
  const DenseElements& dense = *value->dense;
  Value out = ConstantOf(dense);
  if (dense.splat || dense.type.shape.rank() == 0) out.element = std::make_shared<const ir::Literal>(dense.literal);
  return {out};
}

Values ReadIota(const Context& c) {
  const int64_t axis = c.NeedInt("iota_dimension");
  const Type& type = c.type();
  if (axis < 0 || axis >= type.shape.rank()) Malformed(StrCat("there is no axis ", axis));
  const DType dtype = IsComplex(type.dtype) ? RealOf(type.dtype) : type.dtype;
  if (dtype != type.dtype || dtype == kBool) Refuse(StrCat("of ", Name(type.dtype)));
  Value out =
      Dispatch(ir::Op::kIota, absl::Span<const Tensor>(), {{"axis", axis}, {"dtype", dtype}, {"shape", type.shape}});
  out.iota_axis = static_cast<int>(axis);
  return {out};
}

Values ReadReshape(const Context& c) {
  Value out = Reshaped(c.x(0), c.type().shape);
  out.element = c.Input(0).element;
  return {out};
}

Values Stretch(const Context& c, const Ints& axes) {
  CheckAxes(axes, c.type().shape.rank(), "broadcast_dimensions");
  if (axes.size() != static_cast<size_t>(c.x(0).rank())) Malformed("broadcast_dimensions are not one for each axis");
  Value out = BroadcastAlong(c.x(0), c.type().shape, axes);
  out.element = c.Input(0).element;
  const int iota = c.Input(0).iota_axis;
  if (iota >= 0) {
    const auto to = static_cast<int>(axes[static_cast<size_t>(iota)]);
    if (c.x(0).shape()[iota] == c.type().shape[to]) out.iota_axis = to;
  }
  return {out};
}

Values ReadBroadcastInDim(const Context& c) { return Stretch(c, c.NeedInts("broadcast_dimensions")); }

// New axes in front.
Values ReadBroadcast(const Context& c) {
  Ints axes;
  const auto added = static_cast<int64_t>(c.NeedInts("broadcast_sizes").size());
  for (int64_t i = 0; i < c.x(0).rank(); ++i) axes.push_back(added + i);
  return Stretch(c, axes);
}

Values ReadTranspose(const Context& c) {
  const Ints permutation = c.NeedInts("permutation");
  CheckAxes(permutation, c.x(0).rank(), "permutation");
  if (permutation.size() != static_cast<size_t>(c.x(0).rank())) Malformed("permutation does not name all axes");
  return {Transposed(c.x(0), permutation)};
}

Values ReadSlice(const Context& c) {
  const Ints starts = c.NeedInts("start_indices"), limits = c.NeedInts("limit_indices");
  const Ints strides = c.ReadInts("strides", Ints(starts.size(), 1));
  Value out = Dispatch(ir::Op::kSlice, {c.x(0)}, {{"starts", starts}, {"limits", limits}, {"strides", strides}});
  out.companion = c.Input(0).companion;  // the reflectors of the first columns
  return {out};
}

Values ReadConcatenate(const Context& c) {
  const int64_t axis = c.NeedInt("dimension");
  if (axis < 0 || axis >= c.x(0).rank()) Malformed(StrCat("there is no axis ", axis));
  for (const Tensor& part : c.All()) {
    if (part.dtype() != c.x(0).dtype()) Malformed("its operands have two dtypes");
  }
  return {c.size() == 1 ? c.x(0) : Concat(c.All(), axis)};
}

Values ReadPad(const Context& c) {
  const Ints low = c.NeedInts("edge_padding_low"), high = c.NeedInts("edge_padding_high");
  return {Padded(c.x(0), c.x(1), low, high, c.ReadInts("interior_padding", Ints(low.size(), 0)))};
}

Values ReadReverse(const Context& c) {
  Ints axes = c.NeedInts("dimensions");
  CheckAxes(axes, c.x(0).rank(), "dimensions");
  std::sort(axes.begin(), axes.end());
  return {axes.empty() ? c.x(0) : Dispatch(ir::Op::kReverse, {c.x(0)}, {{"axes", axes}})};
}

// An i32 scalar.
Values ReadGetDimensionSize(const Context& c) {
  const int64_t axis = c.NeedInt("dimension");
  if (axis < 0 || axis >= c.x(0).rank()) Malformed(StrCat("there is no axis ", axis));
  return {ScalarOf(kInt32, c.x(0).shape().dim(static_cast<int>(axis)))};
}

Values ReadSame(const Context& c) {
  Values out;
  for (size_t i = 0; i < c.size(); ++i) out.push_back(c.Input(i));
  return out;
}

// The shape operand says again what the type says.
Values ReadDynamicReshape(const Context& c) { return {Reshaped(c.x(0), c.type().shape)}; }

Values ReadIndexSelect(const Context& c) {
  if (c.Int("batch_dims", 0) != 0) Refuse("with batch_dims");
  const int64_t axis = c.NeedInt("dim");
  if (axis < 0 || axis >= c.x(0).rank()) Malformed(StrCat("there is no axis ", axis));
  return {Dispatch(ir::Op::kGather, {c.x(0), Cast(c.x(1), kInt64)}, {{"axis", axis}})};
}

constexpr ImportRow kShapeRows[] = {
    {"stablehlo.broadcast", ReadBroadcast},
    {"stablehlo.broadcast_in_dim", ReadBroadcastInDim},
    {"stablehlo.concatenate", ReadConcatenate},
    {"stablehlo.constant", ReadConstant},
    {"stablehlo.dynamic_broadcast_in_dim", ReadBroadcastInDim, "to a type whose extents are numbers"},
    {"stablehlo.dynamic_iota", ReadIota, "of a type whose extents are numbers"},
    {"stablehlo.dynamic_reshape", ReadDynamicReshape, "to a type whose extents are numbers"},
    {"stablehlo.get_dimension_size", ReadGetDimensionSize},
    {"stablehlo.iota", ReadIota, "of real numbers"},
    {"stablehlo.optimization_barrier", ReadSame, "nothing: bits do not depend on what is computed together"},
    {"stablehlo.pad", ReadPad},
    {"stablehlo.reshape", ReadReshape},
    {"stablehlo.reverse", ReadReverse},
    {"stablehlo.slice", ReadSlice},
    {"stablehlo.torch_index_select", ReadIndexSelect, "without batch_dims; out of range reads 0"},
    {"stablehlo.transpose", ReadTranspose},
    {"sdy.sharding_constraint", ReadSame, "nothing: there is one device"},
};

}  // namespace

absl::Span<const ImportRow> ShapeRows() { return kShapeRows; }

}  // namespace reel::stablehlo::reading
