#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {

absl::StatusOr<TypeList> InferRecurrenceRule(const InferContext& c) {
  const Type &a = c.operand(0), &b = c.operand(1);
  if (a != b) {
    return OpError(
        c.op, StrCat("operand types differ: ", a.ToString(), " and ", b.ToString(), "; cast or broadcast one of them"));
  }
  const auto axis = CheckAxis(c.op, "axis", c.attr_int("axis"), a.shape.rank());
  if (!axis.ok()) return axis.status();
  if (auto n = NeedConstant(c.op, a.shape[*axis]); !n.ok()) return n.status();
  return TypeList{a};
}

}  // namespace reel::ir
