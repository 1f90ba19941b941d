#include "ir/infer.h"

namespace reel::ir {

absl::StatusOr<TypeList> InferArgsortRule(const InferContext& c) {
  const Type& x = c.operand(0);
  const auto axis = CheckAxis(c.op, "axis", c.attr_int("axis"), x.shape.rank());
  if (!axis.ok()) return axis.status();
  if (auto n = NeedConstant(c.op, x.shape[*axis]); !n.ok()) return n.status();
  return TypeList{{kInt64, x.shape}};
}

}  // namespace reel::ir
