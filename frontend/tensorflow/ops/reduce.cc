#include "frontend/tensorflow/operators.h"

namespace reel::tensorflow {

HANDLER(Reduce) {
  const bool logical = c.type().dtype == kBool;
  const std::string_view op = !logical ? c.said : c.node.op == ir::Op::kReduceMax ? "Any" : "All";
  return {c.e.Reduce(op, c.x[0], c.ints("axes"))};
}

}  // namespace reel::tensorflow
