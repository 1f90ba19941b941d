#include "frontend/tensorflow/operators.h"
#include "frontend/tensorflow/slices.h"

namespace reel::tensorflow {

HANDLER(Constant) { return {c.e.Constant(c.node.attr<ir::Literal>("value"))}; }
HANDLER(Reshape) { return {c.e.Reshape(c.x[0], c.type().shape)}; }
HANDLER(Transpose) { return {c.e.Transpose(c.x[0], c.ints("permutation"))}; }
HANDLER(Iota) { return {c.e.Iota(c.type(), static_cast<int>(c.attr_int("axis")))}; }
HANDLER(Slice) { return {SliceOf(c.e, c.x[0], c.ints("starts"), c.ints("limits"), c.ints("strides"))}; }

HANDLER(Broadcast) {
  const auto& axes = c.ints("axes");
  return {SpreadOf(c.e, c.x[0], c.type().shape, axes)};
}

HANDLER(Pad) {
  const Value& x = c.x[0];
  return {PadOf(c.e, x, c.x[1], {c.ints("low"), c.ints("high"), c.ints("interior")})};
}

HANDLER(Reverse) { return {ReverseOf(c.e, c.x[0], c.ints("axes"))}; }

// Every axis in turn: the elements of its windows, whose new axis then goes to the end.
HANDLER(Window) {
  Emitter& e = c.e;
  Value x = c.x[0];
  const auto &axes = c.ints("axes"), &sizes = c.ints("sizes"), &strides = c.ints("strides"),
             &dilations = c.ints("dilations");
  for (size_t n = 0; n < axes.size(); ++n) {
    const int axis = static_cast<int>(axes[n]);
    NeedNumbers(c, Shape{c.type().shape[axis]});
    const int64_t windows = c.type().shape.dim(axis), size = sizes[n];
    std::vector<int64_t> places;
    for (int64_t w = 0; w < windows; ++w) {
      for (int64_t i = 0; i < size; ++i) places.push_back(w * strides[n] + i * dilations[n]);
    }
    Type type = x.type;
    type.shape.set(axis, windows);
    type.shape.insert(axis + 1, size);
    const Value indices = e.Constant(ir::Literal::From<int64_t>({windows, size}, places));
    x = e.Emit(c.said, {x, indices, e.ScalarInt(kInt32, axis)}, type, {{"batch_dims", int64_t{0}}});
    std::vector<int64_t> order;
    for (int i = 0; i < type.shape.rank(); ++i) {
      if (i != axis + 1) order.push_back(i);
    }
    order.push_back(axis + 1);
    x = e.Transpose(x, order);
  }
  return {x};
}

}  // namespace reel::tensorflow
