#include <algorithm>

#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

bool Has(const std::vector<int64_t>& v, int64_t x) { return std::find(v.begin(), v.end(), x) != v.end(); }

}  // namespace

// batch..., rest of a..., rest of b...
absl::StatusOr<TypeList> InferContractRule(const InferContext& c) {
  const Type &a = c.operand(0), &b = c.operand(1);
  const auto &a_batch = c.attr_ints("a_batch"), &b_batch = c.attr_ints("b_batch"),
             &a_contract = c.attr_ints("a_contract"), &b_contract = c.attr_ints("b_contract");
  if (a.dtype != b.dtype) {
    return OpError(c.op, StrCat("operand dtypes differ: ", a.ToString(), " and ", b.ToString(), "; cast one of them"));
  }
  if (a_batch.size() != b_batch.size() || a_contract.size() != b_contract.size()) {
    return OpError(c.op, "a and b must name equally many batch and contracted axes");
  }
  std::vector<int64_t> a_axes = a_batch, b_axes = b_batch;
  a_axes.insert(a_axes.end(), a_contract.begin(), a_contract.end());
  b_axes.insert(b_axes.end(), b_contract.begin(), b_contract.end());
  if (absl::Status s = CheckAxes(c.op, "axis of a", a_axes, a.shape.rank(), true); !s.ok()) return s;
  if (absl::Status s = CheckAxes(c.op, "axis of b", b_axes, b.shape.rank(), true); !s.ok()) return s;
  for (size_t i = 0; i < a_axes.size(); ++i) {
    const int ia = static_cast<int>(a_axes[i]), ib = static_cast<int>(b_axes[i]);
    if (a.shape[ia] != b.shape[ib]) {
      return OpError(c.op, StrCat("axis ", ia, " of ", a.ToString(), " and axis ", ib, " of ", b.ToString(),
                                  " must have the same extent"));
    }
  }
  const size_t rank = a_batch.size() + static_cast<size_t>(a.shape.rank()) - a_axes.size() +
                      static_cast<size_t>(b.shape.rank()) - b_axes.size();
  if (rank > kMaxRank) return OpError(c.op, StrCat("result rank ", rank, " exceeds ", kMaxRank));
  Shape shape;
  for (int64_t i : a_batch) shape.push_back(a.shape[static_cast<int>(i)]);
  for (int i = 0; i < a.shape.rank(); ++i) {
    if (!Has(a_axes, i)) shape.push_back(a.shape[i]);
  }
  for (int i = 0; i < b.shape.rank(); ++i) {
    if (!Has(b_axes, i)) shape.push_back(b.shape[i]);
  }
  return TypeList{{a.dtype, shape}};
}

}  // namespace reel::ir
