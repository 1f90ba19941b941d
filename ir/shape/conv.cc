#include <algorithm>

#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

// So that sums of a few extents and paddings do not overflow.
constexpr int64_t kMaxPadding = int64_t{1} << 60;

// low + high + what is left of `extent` with dilation - 1 zeros between its elements; an error if
// it is too large or negative.
absl::StatusOr<int64_t> PaddedExtent(const InferContext& c, int64_t extent, size_t i) {
  const int64_t low = c.attr_ints("low")[i], high = c.attr_ints("high")[i], dilation = c.attr_ints("a_dilation")[i];
  const auto error = [&](std::string_view what, std::string_view remedy) {
    return OpError(c.op, StrCat(what, " spatial axis ", i, " of ", c.operand(0).ToString(), remedy));
  };
  if (dilation < 1) {
    return error(StrCat("a_dilation ", dilation, " must be at least 1 on"), "; 1 adds no zeros");
  }
  if (std::max(low, high) > kMaxPadding || std::min(low, high) < -kMaxPadding) {
    return error(StrCat("padding ", low, " and ", high, " is too large for"), "; pad or cut less");
  }
  int64_t gaps = 0;
  if (extent > 0 && (__builtin_mul_overflow(extent - 1, dilation, &gaps) || gaps > kMaxPadding)) {
    return error(StrCat("a_dilation ", dilation, " is too large for"), "; dilate less");
  }
  const int64_t padded = low + gaps + (extent > 0 ? 1 : 0) + high;
  if (padded >= 0) return padded;
  return error(StrCat("padding ", low, " and ", high, " cuts more than there is of"), "; cut less");
}

absl::Status CheckOperands(const InferContext& c, int spatial) {
  const Type &a = c.operand(0), &b = c.operand(1);
  if (a.dtype != b.dtype) {
    return OpError(c.op, StrCat("operand dtypes differ: ", a.ToString(), " and ", b.ToString(), "; cast one of them"));
  }
  if (spatial < 1 || spatial > 3 || b.shape.rank() != a.shape.rank()) {
    return OpError(c.op, StrCat("input must be [n, spatial..., groups, channels] and filter [spatial..., groups, "
                                "channels, outputs] with 1 to 3 spatial axes, got ",
                                a.ToString(), " and ", b.ToString()));
  }
  for (int i = 0; i < 2; ++i) {
    if (a.shape[spatial + 1 + i] == b.shape[spatial + i]) continue;
    return OpError(
        c.op, StrCat("axis ", spatial + 1 + i, " of ", a.ToString(), " and axis ", spatial + i, " of ", b.ToString(),
                     " must have the same extent: ", i == 0 ? "the groups" : "the channels of a group"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<TypeList> InferConvRule(const InferContext& c) {
  const Type &a = c.operand(0), &b = c.operand(1);
  const int spatial = a.shape.rank() - 3;
  if (absl::Status s = CheckOperands(c, spatial); !s.ok()) return s;
  for (std::string_view name : {"strides", "low", "high", "a_dilation", "b_dilation"}) {
    if (absl::Status s = CheckLength(c, name, spatial, "spatial rank"); !s.ok()) return s;
  }
  Shape shape{a.shape[0]};
  for (int i = 0; i < spatial; ++i) {
    const auto n = static_cast<size_t>(i);
    const auto extent = NeedConstant(c.op, a.shape[i + 1]), size = NeedConstant(c.op, b.shape[i]);
    if (!extent.ok()) return extent.status();
    if (!size.ok()) return size.status();
    const auto padded = PaddedExtent(c, *extent, n);
    if (!padded.ok()) return padded.status();
    const auto windows = CountWindows(c.op, {*padded, *size, c.attr_ints("strides")[n], c.attr_ints("b_dilation")[n]});
    if (!windows.ok()) {
      return absl::InvalidArgumentError(
          StrCat(windows.status().message(), " (spatial axis ", i, " of ", a.ToString(), " and ", b.ToString(), ")"));
    }
    shape.push_back(*windows);
  }
  shape.push_back(a.shape[spatial + 1]);
  shape.push_back(b.shape[spatial + 2]);
  return TypeList{{a.dtype, shape}};
}

}  // namespace reel::ir
