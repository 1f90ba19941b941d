#include <limits>

#include "frontend/stablehlo/operators.h"

namespace reel::stablehlo {
namespace {

using ir::Op;

// The value that changes nothing, and the result for no elements.
Value StartOf(Emitter& e, Op op, DType dtype) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  switch (op) {
    case Op::kReduceSum: return e.Scalar(dtype, 0);
    case Op::kReduceProd: return e.Scalar(dtype, 1);
    case Op::kReduceMax: return IsFloat(dtype) ? e.Scalar(dtype, -kInfinity) : e.ScalarInt(dtype, LowestInt(dtype));
    default: return IsFloat(dtype) ? e.Scalar(dtype, kInfinity) : e.ScalarInt(dtype, HighestInt(dtype));
  }
}

std::string_view CombinerOf(Op op, DType dtype) {
  switch (op) {
    case Op::kReduceSum: return "stablehlo.add";
    case Op::kReduceProd: return "stablehlo.multiply";
    case Op::kReduceMax: return dtype == kBool ? "stablehlo.or" : "stablehlo.maximum";
    default: return dtype == kBool ? "stablehlo.and" : "stablehlo.minimum";
  }
}

}  // namespace

HANDLER(Reduce) {
  const DType dtype = c.type().dtype;
  return {c.e.Reduce(c.x[0], StartOf(c.e, c.node.op, dtype), c.ints("axes"), CombinerOf(c.node.op, dtype))};
}

}  // namespace reel::stablehlo
