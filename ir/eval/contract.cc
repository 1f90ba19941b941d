#include <algorithm>

#include "ir/eval/kernels.h"

namespace reel::ir {
namespace {

bool Has(const std::vector<int64_t>& v, int64_t x) { return std::find(v.begin(), v.end(), x) != v.end(); }

// Offsets into a tensor over some of its axes, in row-major order of those axes as listed.
std::vector<int64_t> AxisOffsets(const Shape& shape, const std::vector<int64_t>& axes) {
  const std::vector<int64_t> all = RowMajorStrides(shape);
  std::vector<int64_t> dims, strides;
  for (int64_t axis : axes) {
    dims.push_back(shape.dim(static_cast<int>(axis)));
    strides.push_back(all[static_cast<size_t>(axis)]);
  }
  return Offsets(dims, strides);
}

// One operand: offsets of its batch, remaining and contracted indices.
struct Side {
  Side(const Shape& shape, const std::vector<int64_t>& batch_axes, const std::vector<int64_t>& sum_axes)
      : batch(AxisOffsets(shape, batch_axes)), sum(AxisOffsets(shape, sum_axes)) {
    std::vector<int64_t> rest_axes;
    for (int k = 0; k < shape.rank(); ++k) {
      if (!Has(batch_axes, k) && !Has(sum_axes, k)) rest_axes.push_back(k);
    }
    rest = AxisOffsets(shape, rest_axes);
  }
  std::vector<int64_t> batch, rest, sum;
};

// out[n, i, j] = sum over k of a[n, i, k] * b[n, j, k].
template <typename T, typename F>
void Sum(const Side& a_side, const Side& b_side, const std::vector<T>& a, const std::vector<T>& b, std::vector<T>& out,
         F multiply_add) {
  size_t at = 0;
  for (size_t n = 0; n < a_side.batch.size(); ++n) {
    for (int64_t i : a_side.rest) {
      for (int64_t j : b_side.rest) {
        T sum = 0;
        for (size_t k = 0; k < a_side.sum.size(); ++k) {
          sum = multiply_add(a[static_cast<size_t>(a_side.batch[n] + i + a_side.sum[k])],
                             b[static_cast<size_t>(b_side.batch[n] + j + b_side.sum[k])], sum);
        }
        out[at++] = sum;
      }
    }
  }
}

}  // namespace

KERNEL(Contract) {
  const EvalTensor &a = c.operand(0), &b = c.operand(1);
  EvalTensor out = ZeroTensor(c.result);
  if (out.size() == 0) return out;  // other extents may be huge
  const Side a_side(a.type.shape, c.attr_ints("a_batch"), c.attr_ints("a_contract"));
  const Side b_side(b.type.shape, c.attr_ints("b_batch"), c.attr_ints("b_contract"));
  if (IsComplex(c.result.dtype)) {
    using Z = std::complex<double>;
    Sum(a_side, b_side, a.c, b.c, out.c, [](Z x, Z y, Z sum) { return sum + Product()(x, y); });
  } else if (IsFloat(c.result.dtype)) {
    Sum(a_side, b_side, a.f, b.f, out.f, [](double x, double y, double sum) { return sum + x * y; });
  } else {
    Sum(a_side, b_side, a.i, b.i, out.i, [dtype = c.result.dtype](int64_t x, int64_t y, int64_t sum) {
      return Wrap(dtype, static_cast<uint64_t>(sum) + Product()(x, y));
    });
  }
  return out;
}

}  // namespace reel::ir
