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

}  // namespace reel::ir
