#include "reel/fft.h"

#include <cmath>
#include <complex>
#include <numbers>

#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/complex.h"
#include "reel/ops.h"
#include "reel/shapes.h"

// Cooley-Tukey, decimation in frequency. With n = r m, j = j1 m + j2 and k = k1 + r k2:
//
//   y[k1 + r k2] = sum_j2 W_m^(j2 k2) W_n^(j2 k1) sum_j1 W_r^(j1 k1) x[j1 m + j2],   W_n = exp(-2 pi i / n)
//
// is a contraction with the r x r matrix, a product with the twiddle factors and transforms of length m. A length
// with a prime factor above kMaxRadix is a convolution with a chirp (Bluestein), of a length that is a power of two.

namespace reel {

using internal::LocationScope;
using internal::Materialize;
using internal::NormalizeAxis;
using internal::ThrowInvalid;

namespace {

using Z = std::complex<double>;

constexpr int64_t kMaxRadix = 31;      // prime factors up to here are contracted with their matrix
constexpr int64_t kMaxTable = 1 << 12;  // larger tables of twiddle factors are products of two

// exp(sign 2 pi i q / n), right to the last bits: q is reduced first, and eighths are exact.
Z Root(int64_t q, int64_t n, int sign) {
  q %= n;
  const int64_t eighths = 8 * q / n;
  const double rest = static_cast<double>(8 * q - (eighths + eighths % 2) * n) / static_cast<double>(8 * n);
  const double angle = 2 * std::numbers::pi * rest, c = std::cos(angle), s = std::sin(angle);
  switch ((eighths + eighths % 2) / 2 % 4) {
    case 0: return {c, sign * s};
    case 1: return {-s, sign * c};
    case 2: return {-c, -sign * s};
    default: return {s, -sign * c};
  }
}

Tensor Table(const std::vector<Z>& values, const Shape& shape, DType dtype) {
  if (dtype == kComplex128) return Tensor::FromData(values, shape);
  return Tensor::FromData(std::vector<std::complex<float>>(values.begin(), values.end()), shape);
}

// table[a, b] = W_n^(a * step * b), a < rows, b < columns.
Tensor Roots(int64_t rows, int64_t step, int64_t columns, int64_t n, int sign, DType dtype) {
  std::vector<Z> values;
  for (int64_t a = 0; a < rows; ++a) {
    for (int64_t b = 0; b < columns; ++b) values.push_back(Root(a * step % n * b, n, sign));
  }
  return Table(values, {rows, columns}, dtype);
}

// W_n^(j2 k1) as [m, 1, r]. A long table is made where it is used, of j2 = high * low_count + low.
Tensor Twiddles(int64_t m, int64_t r, int sign, DType dtype) {
  const int64_t n = m * r;
  int64_t low = m;
  while (low * r > kMaxTable && low % 2 == 0) low /= 2;
  if (low == m) return Reshape(Roots(m, 1, r, n, sign, dtype), {m, 1, r});
  const Tensor high = Reshape(Roots(m / low, low, r, n, sign, dtype), {m / low, 1, r});
  const Tensor product = Mul(high, Reshape(Roots(low, 1, r, n, sign, dtype), {1, low, r}));
  return Reshape(product, {m, 1, r});
}

// Radices whose product is n, small ones of two joined to eight; empty if a prime factor is too large.
std::vector<int64_t> Radices(int64_t n) {
  std::vector<int64_t> out;
  for (int64_t r : {8, 4, 2}) {
    for (; n % r == 0; n /= r) out.push_back(r);
  }
  for (int64_t r = 3; r <= kMaxRadix; r += 2) {
    for (; n % r == 0; n /= r) out.push_back(r);
  }
  if (n > 1) out.clear();
  return out;
}

// x [batch, n] by the stages of its radices. Between them: [batch, m, k], k the digits known so far.
Tensor Stages(const Tensor& x, const std::vector<int64_t>& radices, int sign) {
  const int64_t batch = x.shape().dim(0), n = x.shape().dim(1);
  Tensor t = x;
  int64_t m = n, known = 1;
  for (const int64_t r : radices) {
    m /= r;
    t = Reshape(t, {batch, r, m, known});
    // [batch, m, known, k1]
    t = Contract(t, Roots(r, 1, r, r, sign, x.dtype()),
                 {.a_batch = {}, .b_batch = {}, .a_contract = {1}, .b_contract = {0}});
    if (m > 1) t = Mul(t, Twiddles(m, r, sign, x.dtype()));
    t = Transpose(t, {0, 1, 3, 2});  // the last digit found is the most significant
    known *= r;
  }
  return Reshape(t, {batch, n});
}

Tensor Scaled(const Tensor& z, double factor) {
  if (factor == 1) return z;
  return Complex(Mul(Real(z), factor), Mul(Imag(z), factor));
}

// x [batch, n] for any n: j k = (j^2 + k^2 - (k - j)^2) / 2 makes the sum a convolution.
Tensor Bluestein(const Tensor& x, int sign) {
  const int64_t batch = x.shape().dim(0), n = x.shape().dim(1);
  int64_t length = 1;
  while (length < 2 * n - 1) length *= 2;
  std::vector<Z> chirp, filter(static_cast<size_t>(length));
  for (int64_t j = 0; j < n; ++j) {
    chirp.push_back(Root(j * j % (2 * n), 2 * n, sign));
    filter[static_cast<size_t>(j)] = filter[static_cast<size_t>((length - j) % length)] = std::conj(chirp.back());
  }
  const std::vector<int64_t> radices = Radices(length);
  const Tensor w = Table(chirp, {1, n}, x.dtype());
  const Tensor a = Stages(Pad(Mul(x, w), {0, 0}, {0, length - n}), radices, -1);
  const Tensor b = Stages(Table(filter, {1, length}, x.dtype()), radices, -1);
  const Tensor c = Scaled(Stages(Mul(a, b), radices, 1), 1.0 / static_cast<double>(length));
  return Mul(Slice(c, {0, 0}, {batch, n}), w);
}

// The sums of x [batch, n] without a factor.
Tensor Sums(const Tensor& x, int sign) {
  const int64_t n = x.shape().dim(1);
  if (x.size() == 0 || n == 1) return x;
  const std::vector<int64_t> radices = Radices(n);
  return radices.empty() ? Bluestein(x, sign) : Stages(x, radices, sign);
}

Tensor ToComplex(const Tensor& x) {
  if (IsComplex(x.dtype())) return x;
  return Cast(x, x.dtype() == kFloat64 ? kComplex128 : kComplex64);
}

// The axis last, then back.
std::vector<int64_t> AxisLast(int rank, int64_t axis) {
  std::vector<int64_t> out;
  for (int64_t k = 0; k < rank; ++k) {
    if (k != axis) out.push_back(k);
  }
  out.push_back(axis);
  return out;
}
std::vector<int64_t> AxisBack(int rank, int64_t axis) {
  std::vector<int64_t> out;
  for (int64_t k = 0; k < rank; ++k) out.push_back(k < axis ? k : k == axis ? rank - 1 : k - 1);
  return out;
}

// Cut or padded with zeros to n along the last axis.
Tensor Resized(const Tensor& x, int64_t n) {
  const int64_t last = x.rank() - 1, now = x.shape().dim(static_cast<int>(last));
  std::vector<int64_t> zeros(static_cast<size_t>(x.rank()), 0), limits = x.shape().dims();
  if (n < now) {
    limits.back() = n;
    return Slice(x, zeros, limits);
  }
  std::vector<int64_t> high = zeros;
  high.back() = n - now;
  return n == now ? x : Pad(x, zeros, high);
}

double FactorOf(FftNorm norm, bool inverse, int64_t n) {
  if (norm == FftNorm::kOrtho) return 1 / std::sqrt(static_cast<double>(n));
  return (norm == FftNorm::kBackward) == inverse ? 1 / static_cast<double>(n) : 1.0;
}

// x with the axis last, and the length of the transform.
struct Prepared {
  Tensor x;
  int64_t axis, n;
};

Prepared Prepare(const char* op, const Operand& operand, const FftOptions& options, bool from_half) {
  Tensor x = Materialize(operand);
  const int64_t axis = NormalizeAxis(op, options.axis, x.rank());
  x = Transpose(x, AxisLast(x.rank(), axis));
  const int64_t extent = x.shape().dim(x.rank() - 1);
  const int64_t n = options.n != -1 ? options.n : from_half ? 2 * (extent - 1) : extent;
  if (n < 1) {
    ThrowInvalid(StrCat(op, ": the length ", n, " of the transform of ", x.type().ToString(),
                        " must be positive; pass another n"));
  }
  return {x, axis, n};
}

// The transform of the last axis of complex x.
Tensor Transform(const Tensor& x, FftNorm norm, bool inverse) {
  const int64_t n = x.shape().dim(x.rank() - 1);
  const Tensor rows = Reshape(x, {n == 0 ? 0 : x.size() / n, n});
  const Tensor y = Scaled(Sums(rows, inverse ? 1 : -1), FactorOf(norm, inverse, n));
  return Reshape(y, x.shape().dims());
}

Tensor Complete(const char* op, const Operand& x, const FftOptions& options, bool inverse) {
  const LocationScope scope(x);
  const Prepared p = Prepare(op, x, options, false);
  const Tensor y = Transform(Resized(ToComplex(p.x), p.n), options.norm, inverse);
  return Transpose(y, AxisBack(y.rank(), p.axis));
}

Tensor TwoAxes(const char* op, const Operand& x, FftNorm norm, bool inverse) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  if (t.rank() < 2) ThrowInvalid(StrCat(op, ": needs two axes, got ", t.type().ToString()));
  const Tensor rows = Complete(op, t, {.axis = -1, .norm = norm}, inverse);
  return Complete(op, rows, {.axis = -2, .norm = norm}, inverse);
}

}  // namespace

Tensor Fft(const Operand& x, FftOptions options) { return Complete("fft", x, options, false); }
Tensor Ifft(const Operand& x, FftOptions options) { return Complete("ifft", x, options, true); }
Tensor Fft2(const Operand& x, FftNorm norm) { return TwoAxes("fft2", x, norm, false); }
Tensor Ifft2(const Operand& x, FftNorm norm) { return TwoAxes("ifft2", x, norm, true); }

Tensor Rfft(const Operand& x, FftOptions options) {
  const LocationScope scope(x);
  const Prepared p = Prepare("rfft", x, options, false);
  if (IsComplex(p.x.dtype())) {
    ThrowInvalid(StrCat("rfft: takes real numbers, got ", p.x.type().ToString(), "; use Fft, or Real of it"));
  }
  const Tensor y = Transform(Resized(ToComplex(p.x), p.n), options.norm, false);
  return Transpose(Resized(y, p.n / 2 + 1), AxisBack(y.rank(), p.axis));
}

// The other half are the conjugates, read backwards.
Tensor Irfft(const Operand& x, FftOptions options) {
  const LocationScope scope(x);
  const Prepared p = Prepare("irfft", x, options, true);
  const int64_t half = p.n / 2 + 1;
  const Tensor z = Resized(ToComplex(p.x), half);
  std::vector<int64_t> starts(static_cast<size_t>(z.rank()), 0), limits = z.shape().dims();
  starts.back() = 1;  // elements n - half, ..., 1 are those from half on
  limits.back() = 1 + p.n - half;
  const Tensor mirrored = Flip(Slice(z, starts, limits), {-1});
  const Tensor y = Real(Transform(Concat({z, Conj(mirrored)}, -1), options.norm, true));
  return Transpose(y, AxisBack(y.rank(), p.axis));
}

}  // namespace reel
