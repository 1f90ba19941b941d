#include <algorithm>

#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {

// [d0, d1, ...] without the reduced axes.
absl::StatusOr<TypeList> InferReduceRule(const InferContext& c) {
  const Type& x = c.operand(0);
  const auto& axes = c.attr_ints("axes");
  if (absl::Status s = CheckAxes(c.op, "axis", axes, x.shape.rank()); !s.ok()) return s;
  Shape shape;
  for (int i = 0; i < x.shape.rank(); ++i) {
    if (!std::binary_search(axes.begin(), axes.end(), i)) shape.push_back(x.shape[i]);
  }
  return TypeList{{x.dtype, shape}};
}

}  // namespace reel::ir
