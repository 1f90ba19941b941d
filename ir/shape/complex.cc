#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {

absl::StatusOr<TypeList> InferComplexRule(const InferContext& c) {
  const Type &re = c.operand(0), &im = c.operand(1);
  if (re != im) {
    return OpError(c.op, StrCat("the parts have types ", re.ToString(), " and ", im.ToString(),
                                "; cast or broadcast one of them"));
  }
  return TypeList{{re.dtype == kFloat32 ? kComplex64 : kComplex128, re.shape}};
}

absl::StatusOr<TypeList> InferPartRule(const InferContext& c) {
  return TypeList{{RealOf(c.operand(0).dtype), c.operand(0).shape}};
}

}  // namespace reel::ir
