#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {

// [..., n, ...] -> [..., windows, ..., size...]: the sizes in the order of axes.
absl::StatusOr<TypeList> InferWindowRule(const InferContext& c) {
  const Type& x = c.operand(0);
  const auto &axes = c.attr_ints("axes"), &sizes = c.attr_ints("sizes"), &strides = c.attr_ints("strides"),
             &dilations = c.attr_ints("dilations");
  if (absl::Status s = CheckAxes(c.op, "axis", axes, x.shape.rank(), true); !s.ok()) return s;
  const int count = static_cast<int>(axes.size());
  for (std::string_view name : {"sizes", "strides", "dilations"}) {
    if (absl::Status s = CheckLength(c, name, count, "axis count"); !s.ok()) return s;
  }
  if (x.shape.rank() + count > kMaxRank) {
    return OpError(c.op, StrCat("result rank ", x.shape.rank() + count, " exceeds ", kMaxRank));
  }
  Shape shape = x.shape;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int axis = static_cast<int>(axes[i]);
    const auto extent = NeedConstant(c.op, x.shape[axis]);
    if (!extent.ok()) return extent.status();
    const auto windows = CountWindows(c.op, {*extent, sizes[i], strides[i], dilations[i]});
    if (!windows.ok()) {
      return absl::InvalidArgumentError(StrCat(windows.status().message(), " (axis ", axis, " of ", x.ToString(), ")"));
    }
    shape.set(axis, *windows);
    shape.push_back(sizes[i]);
  }
  return TypeList{{x.dtype, shape}};
}

}  // namespace reel::ir
