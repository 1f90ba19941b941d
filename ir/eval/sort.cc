#include <algorithm>
#include <cmath>
#include <numeric>

#include "ir/eval/kernels.h"

namespace reel::ir {
namespace {

// NaN is the largest number.
bool Less(double a, double b) { return std::isnan(b) ? !std::isnan(a) : a < b; }
bool Less(int64_t a, int64_t b) { return a < b; }

template <typename T>
void Sort(const KernelContext& c, const std::vector<T>& x, std::vector<int64_t>& out) {
  if (x.empty()) return;
  const auto axis = static_cast<size_t>(c.attr_int("axis"));
  const bool descending = c.attributes.Get<bool>("descending");
  const int64_t stride = RowMajorStrides(c.result.shape)[axis];
  std::vector<int64_t> dims = c.result.shape.dims();
  std::vector<int64_t> order(static_cast<size_t>(dims[axis]));
  dims[axis] = 1;
  for (int64_t row : Offsets(dims, RowMajorStrides(c.result.shape))) {
    std::iota(order.begin(), order.end(), 0);
    const auto at = [&](int64_t i) { return x[static_cast<size_t>(row + i * stride)]; };
    std::stable_sort(order.begin(), order.end(),
                     [&](int64_t i, int64_t j) { return descending ? Less(at(j), at(i)) : Less(at(i), at(j)); });
    for (size_t i = 0; i < order.size(); ++i) {
      out[static_cast<size_t>(row + static_cast<int64_t>(i) * stride)] = order[i];
    }
  }
}

}  // namespace

KERNEL(Argsort) {
  EvalTensor out = ZeroTensor(c.result);
  if (IsFloat(c.operand(0).type.dtype)) {
    Sort(c, c.operand(0).f, out.i);
  } else {
    std::vector<int64_t> keys = c.operand(0).i;
    for (int64_t& x : keys) x = OrderOf(c.operand(0).type.dtype, x);
    Sort(c, keys, out.i);
  }
  return out;
}

}  // namespace reel::ir
