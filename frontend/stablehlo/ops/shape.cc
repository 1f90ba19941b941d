#include "frontend/stablehlo/operators.h"
#include "frontend/stablehlo/slices.h"
#include "ir/strings.h"

namespace reel::stablehlo {

HANDLER(Constant) { return {c.e.Constant(c.node.attr<ir::Literal>("value"))}; }
HANDLER(Reshape) { return {c.e.Reshape(c.x[0], c.type().shape)}; }
HANDLER(Transpose) { return {c.e.Transpose(c.x[0], c.ints("permutation"))}; }
HANDLER(Broadcast) { return {c.e.Broadcast(c.x[0], c.type().shape, c.ints("axes"))}; }
HANDLER(Iota) { return {c.e.Iota(c.type(), c.attr_int("axis"))}; }

HANDLER(Slice) { return {SliceOf(c.e, c.x[0], c.ints("starts"), c.ints("limits"), c.ints("strides"))}; }

HANDLER(Pad) {
  return {c.e.Emit(c.said, c.x, c.type(),
                   StrCat("edge_padding_low = ", I64s(c.ints("low")), ", edge_padding_high = ", I64s(c.ints("high")),
                          ", interior_padding = ", I64s(c.ints("interior"))))};
}

// Of no axis it is the operand: IREE refuses an empty list.
HANDLER(Reverse) {
  if (c.ints("axes").empty()) return {c.x[0]};
  return {c.e.Emit(c.said, c.x, c.type(), StrCat("dimensions = ", I64s(c.ints("axes"))))};
}

// Every axis in turn: its windows are slices side by side, on a new axis behind it, which then goes to the end.
HANDLER(Window) {
  Emitter& e = c.e;
  Value x = c.x[0];
  const auto &axes = c.ints("axes"), &sizes = c.ints("sizes"), &strides = c.ints("strides"),
             &dilations = c.ints("dilations");
  for (size_t n = 0; n < axes.size(); ++n) {
    const int axis = static_cast<int>(axes[n]);
    const int64_t windows = c.type().shape.dim(axis), size = sizes[n];
    const bool by_window = windows < size;
    const int64_t slices = by_window ? windows : size, length = by_window ? size : windows;
    const int64_t apart = by_window ? strides[n] : dilations[n], step = by_window ? dilations[n] : strides[n];
    Shape one = x.type.shape;
    one.set(axis, by_window ? 1 : windows);
    one.insert(axis + 1, by_window ? size : 1);
    Values parts;
    for (int64_t i = 0; i < slices; ++i) {
      parts.push_back(e.Reshape(SliceAxis(e, x, axis, {i * apart, i * apart + (length - 1) * step + 1, step}), one));
    }
    x = e.Concatenate(parts, by_window ? axis : axis + 1);
    std::vector<int64_t> order;
    for (int i = 0; i < x.type.shape.rank(); ++i) {
      if (i != axis + 1) order.push_back(i);
    }
    order.push_back(axis + 1);
    if (order[static_cast<size_t>(axis) + 1] != axis + 1) x = e.Transpose(x, order);
  }
  return {x};
}

}  // namespace reel::stablehlo
