#include "ir/conv_phases.h"
#include "ir/eval/kernels.h"

namespace reel::ir {
namespace {

// The tensors with always three spatial axes, missing ones of extent 1: a[n, x, y, z, g, c], b[i,
// j, k, g, c, o].
struct Geometry {
  explicit Geometry(const KernelContext& c) {
    const Shape &a = c.operand(0).type.shape, &b = c.operand(1).type.shape;
    const int spatial = a.rank() - 3;
    batch = a.dim(0);
    groups = a.dim(spatial + 1);
    channels = a.dim(spatial + 2);
    outputs = b.dim(spatial + 2);
    skips_zeros = ConvSkipsZeros(c.attr_ints("strides"), c.attr_ints("a_dilation"));
    for (int s = 0; s < spatial; ++s) {
      const auto n = static_cast<size_t>(s);
      in[n] = a.dim(s + 1);
      filter[n] = b.dim(s);
      out[n] = c.result.shape.dim(s + 1);
      stride[n] = c.attr_ints("strides")[n];
      low[n] = c.attr_ints("low")[n];
      a_dilation[n] = c.attr_ints("a_dilation")[n];
      b_dilation[n] = c.attr_ints("b_dilation")[n];
    }
  }
  // Where element k of window w of spatial axis s is in a; -1: in the padding, which is 0.
  int64_t Source(size_t s, int64_t w, int64_t k) const {
    const int64_t at = w * stride[s] + k * b_dilation[s] - low[s];
    return at < 0 || at % a_dilation[s] != 0 || at / a_dilation[s] >= in[s] ? -1 : at / a_dilation[s];
  }
  // Whether that is a zero between elements which takes no part in the sums.
  bool Skips(size_t s, int64_t w, int64_t k) const {
    return skips_zeros && (w * stride[s] + k * b_dilation[s] - low[s]) % a_dilation[s] != 0;
  }
  int64_t batch, groups, channels, outputs;
  bool skips_zeros;
  int64_t in[3] = {1, 1, 1}, filter[3] = {1, 1, 1}, out[3] = {1, 1, 1}, stride[3] = {1, 1, 1}, low[3] = {0, 0, 0},
          a_dilation[3] = {1, 1, 1}, b_dilation[3] = {1, 1, 1};
};

// Sums over one window at n, (x, y, z), g for output o.
template <typename T, typename F>
T SumWindow(const Geometry& q, const std::vector<T>& a, const std::vector<T>& b, int64_t n, const int64_t (&w)[3],
            int64_t g, int64_t o, F multiply_add) {
  T sum = 0;
  for (int64_t i = 0; i < q.filter[0]; ++i) {
    for (int64_t j = 0; j < q.filter[1]; ++j) {
      for (int64_t k = 0; k < q.filter[2]; ++k) {
        if (q.Skips(0, w[0], i) || q.Skips(1, w[1], j) || q.Skips(2, w[2], k)) continue;
        const int64_t x = q.Source(0, w[0], i), y = q.Source(1, w[1], j), z = q.Source(2, w[2], k);
        const bool padding = x < 0 || y < 0 || z < 0;
        const int64_t from = (((n * q.in[0] + x) * q.in[1] + y) * q.in[2] + z) * q.groups + g;
        const int64_t with = ((i * q.filter[1] + j) * q.filter[2] + k) * q.groups + g;
        for (int64_t c = 0; c < q.channels; ++c) {
          const T left = padding ? T{0} : a[static_cast<size_t>(from * q.channels + c)];
          const T right = b[static_cast<size_t>((with * q.channels + c) * q.outputs + o)];
          sum = multiply_add(left, right, sum);
        }
      }
    }
  }
  return sum;
}

template <typename T, typename F>
void Convolve(const Geometry& q, const std::vector<T>& a, const std::vector<T>& b, std::vector<T>& out,
              F multiply_add) {
  size_t at = 0;
  for (int64_t n = 0; n < q.batch; ++n) {
    for (int64_t x = 0; x < q.out[0]; ++x) {
      for (int64_t y = 0; y < q.out[1]; ++y) {
        for (int64_t z = 0; z < q.out[2]; ++z) {
          for (int64_t g = 0; g < q.groups; ++g) {
            for (int64_t o = 0; o < q.outputs; ++o) {
              out[at++] = SumWindow(q, a, b, n, {x, y, z}, g, o, multiply_add);
            }
          }
        }
      }
    }
  }
}

}  // namespace

KERNEL(Conv) {
  const Geometry q(c);
  EvalTensor out = ZeroTensor(c.result);
  if (out.size() == 0 || q.channels == 0) return out;  // other extents may be huge
  if (IsFloat(c.result.dtype)) {
    Convolve(q, c.operand(0).f, c.operand(1).f, out.f, [](double x, double y, double sum) { return sum + x * y; });
  } else {
    Convolve(q, c.operand(0).i, c.operand(1).i, out.i, [dtype = c.result.dtype](int64_t x, int64_t y, int64_t sum) {
      return Wrap(dtype, static_cast<uint64_t>(sum) + Product()(x, y));
    });
  }
  return out;
}

}  // namespace reel::ir
