#include "frontend/tensorflow/order.h"

#include <limits>

namespace reel::tensorflow {
namespace {

// The bits of negative numbers without the sign, turned: its own inverse.
Value TurnNegative(Emitter& e, const Value& bits) {
  const DType dtype = bits.type.dtype;
  const Value sign = e.Binary("RightShift", bits, e.ScalarInt(dtype, SizeOf(dtype) * 8 - 1));  // 0 or -1
  const Value mask = e.Binary("BitwiseAnd", sign, e.ScalarInt(dtype, HighestInt(dtype)));
  return e.Binary("BitwiseXor", bits, mask);
}

}  // namespace

Value OrderedBits(Emitter& e, const Value& x, bool nan_largest) {
  const DType dtype = x.type.dtype, bits = dtype == kFloat32 ? kInt32 : kInt64;
  const Value turned = TurnNegative(e, e.Bitcast(x, bits));
  const Value end = e.ScalarInt(bits, nan_largest ? HighestInt(bits) : LowestInt(bits));
  return e.Select(e.Compare("NotEqual", x, x), end, turned);
}

Value FromOrderedBits(Emitter& e, const Value& bits, DType dtype) { return e.Bitcast(TurnNegative(e, bits), dtype); }

}  // namespace reel::tensorflow
