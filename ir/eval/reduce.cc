#include <algorithm>
#include <limits>

#include "ir/eval/kernels.h"

namespace reel::ir {
namespace {

// out starts as `init`; out[index without the axes] = f(out[...], x[index]) over x in row-major
// order.
template <typename T, typename F>
void Fold(const KernelContext& c, const std::vector<T>& x, std::vector<T>& out, T init, F f) {
  const Shape& shape = c.operand(0).type.shape;
  const auto& axes = c.attr_ints("axes");
  std::vector<int64_t> strides = RowMajorStrides(c.result.shape);
  for (int64_t axis : axes) strides.insert(strides.begin() + axis, 0);
  const std::vector<int64_t> offsets = Offsets(shape.dims(), strides);
  std::fill(out.begin(), out.end(), init);
  for (size_t k = 0; k < x.size(); ++k) {
    T& slot = out[static_cast<size_t>(offsets[k])];
    slot = f(slot, x[k]);
  }
}

constexpr double kInfinity = std::numeric_limits<double>::infinity();

}  // namespace

// -0 is the identity of addition, but a sum over nothing is +0.
KERNEL(ReduceSum) {
  EvalTensor out = ZeroTensor(c.result);
  const EvalTensor& x = c.operand(0);
  const double init = x.size() == 0 ? 0.0 : -0.0;
  if (IsComplex(c.result.dtype)) {
    Fold(c, x.c, out.c, std::complex<double>(init, init), [](auto a, auto b) { return a + b; });
  } else if (IsFloat(c.result.dtype)) {
    Fold(c, x.f, out.f, init, [](double a, double b) { return a + b; });
  } else {
    Fold(c, x.i, out.i, int64_t{0}, [dtype = c.result.dtype](int64_t a, int64_t b) {
      return Wrap(dtype, static_cast<uint64_t>(a) + static_cast<uint64_t>(b));
    });
  }
  return out;
}

KERNEL(ReduceMax) {
  EvalTensor out = ZeroTensor(c.result);
  if (IsFloat(c.result.dtype)) {
    Fold(c, c.operand(0).f, out.f, -kInfinity, Maximum);
  } else {
    const DType dtype = c.result.dtype;
    Fold(c, c.operand(0).i, out.i, LowestInt(dtype),
         [dtype](int64_t a, int64_t b) { return OrderOf(dtype, a) < OrderOf(dtype, b) ? b : a; });
  }
  return out;
}

KERNEL(ReduceMin) {
  EvalTensor out = ZeroTensor(c.result);
  if (IsFloat(c.result.dtype)) {
    Fold(c, c.operand(0).f, out.f, kInfinity, Minimum);
  } else {
    const DType dtype = c.result.dtype;
    Fold(c, c.operand(0).i, out.i, HighestInt(dtype),
         [dtype](int64_t a, int64_t b) { return OrderOf(dtype, a) > OrderOf(dtype, b) ? b : a; });
  }
  return out;
}

KERNEL(ReduceProd) {
  EvalTensor out = ZeroTensor(c.result);
  if (IsFloat(c.result.dtype)) {
    Fold(c, c.operand(0).f, out.f, 1.0, Product());
  } else {
    Fold(c, c.operand(0).i, out.i, int64_t{1},
         [dtype = c.result.dtype](int64_t a, int64_t b) { return Wrap(dtype, Product()(a, b)); });
  }
  return out;
}

}  // namespace reel::ir
