#include "frontend/kernel.h"

#include "ir/eval/eval.h"

namespace reel::internal {

TensorList RunKernel(ir::Op op, const AttributesPtr& attributes, absl::Span<const Tensor> operands,
                     absl::Span<const Type> result_types) {
  if (op == ir::Op::kIdentity || op == ir::Op::kStopGradient || op == ir::Op::kReshape) {
    return {MakeTensor(result_types[0], operands[0].internal_data()->buffer)};
  }
  std::vector<ir::EvalTensor> in;
  for (const Tensor& x : operands) in.push_back(Take(ir::FromLiteral(ToLiteral(x))));
  static const ir::Attributes kNone;
  ir::EvalOptions options;
  options.round_each_op = true;
  TensorList out;
  for (const ir::EvalTensor& y : Take(ir::EvaluateNode(op, attributes ? *attributes : kNone, in, options))) {
    out.push_back(internal::FromLiteral(ir::ToLiteral(y)));
  }
  return out;
}

}  // namespace reel::internal
