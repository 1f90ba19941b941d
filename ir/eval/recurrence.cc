#include <cmath>

#include "ir/eval/kernels.h"

namespace reel::ir {
namespace {

// y[t] = step(a[t], b[t], carry) along the axis, or from its end, with 1 for a[0].
template <typename Carry, typename T, typename F>
void Run(const KernelContext& c, const std::vector<T>& a, const std::vector<T>& b, std::vector<T>& y, F step) {
  if (y.empty()) return;
  const auto axis = static_cast<size_t>(c.attr_int("axis"));
  const bool reverse = c.attributes.Get<bool>("reverse");
  const int64_t stride = RowMajorStrides(c.result.shape)[axis], n = c.result.shape.dim(static_cast<int>(axis));
  std::vector<int64_t> dims = c.result.shape.dims();
  dims[axis] = 1;
  for (int64_t row : Offsets(dims, RowMajorStrides(c.result.shape))) {
    Carry carry;
    for (int64_t t = 0; t < n; ++t) {
      const auto i = static_cast<size_t>(row + (reverse ? n - 1 - t : t) * stride);
      y[i] = step(t == 0 ? T{1} : a[i], b[i], carry);
    }
  }
}

// A sum and the rests that it lost.
struct Carried {
  double sum = -0.0, low = 0;
};

double Step(double a, double b, Carried& h) {
  const double product = a * h.sum, sum = product + b, b_part = sum - product;
  h.low = a * h.low + ((product - (sum - b_part)) + (b - b_part));
  h.sum = sum;
  return std::fabs(h.low) > 0 ? sum + h.low : sum;  // NaN, of infinite sums, does not count
}

}  // namespace

KERNEL(Recurrence) {
  EvalTensor out = ZeroTensor(c.result);
  if (IsFloat(c.result.dtype)) {
    Run<Carried>(c, c.operand(0).f, c.operand(1).f, out.f, Step);
  } else {
    struct Whole {
      int64_t sum = 0;
    };
    Run<Whole>(c, c.operand(0).i, c.operand(1).i, out.i, [dtype = c.result.dtype](int64_t a, int64_t b, Whole& h) {
      return h.sum = Wrap(dtype, Product()(a, h.sum) + static_cast<uint64_t>(b));
    });
  }
  return out;
}

}  // namespace reel::ir
