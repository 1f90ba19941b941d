#include "frontend/tensorflow/operators.h"
#include "frontend/tensorflow/order.h"

namespace reel::tensorflow {

// TopKV2 of all elements of the last axis, which keeps the order of equal ones; ascending is descending of turned bits.
HANDLER(Argsort) {
  Emitter& e = c.e;
  const int axis = static_cast<int>(c.attr_int("axis")), rank = c.type().shape.rank();
  const DType dtype = c.x[0].type.dtype;
  Value keys = c.x[0];
  if (dtype == kBool) keys = e.Convert(keys, kInt32);
  if (IsFloat(dtype)) {
    const Value zero = e.Scalar(dtype, 0);
    keys = OrderedBits(e, e.Select(e.Compare("Equal", keys, zero), zero, keys), true);
  }
  if (!c.attr_bool("descending")) keys = e.Unary("Invert", keys);
  std::vector<int64_t> order;
  for (int i = 0; i < rank; ++i) order.push_back(i == axis ? rank - 1 : i == rank - 1 ? axis : i);  // its own inverse
  keys = e.Transpose(keys, order);
  const Value count = e.Convert(e.ExtentOf(c.type().shape[axis]), kInt32);
  const Values top = e.EmitAll(c.said, {keys, count}, {keys.type, {kInt32, keys.type.shape}}, {{"sorted", true}});
  return {e.Convert(e.Transpose(top[1], order), kInt64)};
}

}  // namespace reel::tensorflow
