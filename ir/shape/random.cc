#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {

absl::StatusOr<TypeList> InferRandomBitsRule(const InferContext& c) {
  if (c.operand(0) != Type{kInt64, {2}}) {
    return OpError(c.op, StrCat("state must be i64[2] {key, counter}, got ", c.operand(0).ToString()));
  }
  const Shape& shape = c.attr_shape("shape");
  if (absl::Status s = CheckSymbols(c, shape); !s.ok()) return s;
  return TypeList{{kInt32, shape}};
}

absl::StatusOr<TypeList> InferCallbackRule(const InferContext& c) {
  const Shape& shape = c.attr_shape("shape");
  if (absl::Status s = CheckSymbols(c, shape); !s.ok()) return s;
  const Type result{c.attributes.Get<DType>("dtype"), shape};
  if (c.attributes.Get<bool>("effect") && (c.operands.empty() || c.operand(0) != result)) {
    return OpError(c.op, StrCat("of an effect, the first operand must be ", result.ToString(), ", as the result"));
  }
  if (c.attributes.Get<bool>("guarded") && (c.operands.size() < 2 || c.operand(1).dtype != kBool)) {
    return OpError(c.op, StrCat("of a guarded function, the second operand must be of bool, got ",
                                c.operands.size() < 2 ? "none" : c.operand(1).ToString()));
  }
  return TypeList{result};
}

}  // namespace reel::ir
