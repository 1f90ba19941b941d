#include "ir/eval/kernels.h"

namespace reel::ir {
namespace {

// y[0] = b[0], y[t] = step(a[t], y[t - 1], b[t]) along the axis, or from its end.
template <typename T, typename F>
void Run(const KernelContext& c, const std::vector<T>& a, const std::vector<T>& b,
         std::vector<T>& y, F step) {
  if (y.empty()) return;
  const auto axis = static_cast<size_t>(c.attr_int("axis"));
  const bool reverse = c.attributes.Get<bool>("reverse");
  const int64_t stride = RowMajorStrides(c.result.shape)[axis],
                n = c.result.shape.dim(static_cast<int>(axis));
  std::vector<int64_t> dims = c.result.shape.dims();
  dims[axis] = 1;
  for (int64_t row : Offsets(dims, RowMajorStrides(c.result.shape))) {
    for (int64_t t = 0; t < n; ++t) {
      const int64_t at = row + (reverse ? n - 1 - t : t) * stride;
      const int64_t before = reverse ? at + stride : at - stride;
      const auto i = static_cast<size_t>(at);
      y[i] = t == 0 ? b[i] : step(a[i], y[static_cast<size_t>(before)], b[i]);
    }
  }
}

}  // namespace

KERNEL(Recurrence) {
  EvalTensor out = ZeroTensor(c.result);
  if (IsFloat(c.result.dtype)) {
    Run(c, c.operand(0).f, c.operand(1).f, out.f,
        [](double a, double y, double b) { return a * y + b; });
  } else {
    Run(c, c.operand(0).i, c.operand(1).i, out.i,
        [dtype = c.result.dtype](int64_t a, int64_t y, int64_t b) {
          return Wrap(dtype, Product()(a, y) + static_cast<uint64_t>(b));
        });
  }
  return out;
}

}  // namespace reel::ir
