#include "frontend/ops/fft_sums.h"

#include <cmath>
#include <complex>
#include <functional>
#include <numbers>
#include <utility>
#include <vector>

#include "frontend/ops/common.h"
#include "frontend/record/event_stream.h"
#include "reel/complex.h"
#include "reel/custom_gradient.h"
#include "reel/ops.h"
#include "reel/shapes.h"

// Cooley-Tukey, decimation in frequency. With n = r m, j = j1 m + j2 and k = k1 + r k2:
//
//   y[k1 + r k2] = sum_j2 W_m^(j2 k2) W_n^(j2 k1) sum_j1 W_r^(j1 k1) x[j1 m + j2],   W_n = exp(sign 2 pi i / n)
//
// are sums of r parts, a product with the twiddle factors and transforms of length m. All of it goes along an axis with
// others behind it, so that lanes are neighbours: the last axis is [n1, n2], transformed along n1, turned, and along
// n2. A length with a prime factor above kMaxRadix is a convolution with a chirp (Bluestein), of a power of two. Real
// numbers are complex ones of half the length (Press et al., Numerical Recipes, 12.3).

namespace reel::internal {
namespace {

using Z = std::complex<double>;

constexpr int64_t kMaxRadix = 31;  // prime factors up to here are contracted with their matrix
constexpr int64_t kMaxDirect = 32;  // rows of at most so many elements are contracted as a whole
constexpr int64_t kMaxTable = 1 << 12;  // larger tables of twiddle factors are products of smaller ones
constexpr int64_t kMaxLanes = 64;  // of n1: neighbours enough for lanes, and a short table

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

Tensor Table(const std::vector<double>& values, const std::vector<int64_t>& shape, DType dtype) {
  if (dtype == kFloat64) return Tensor::FromData(values, Shape(shape));
  return Tensor::FromData(std::vector<float>(values.begin(), values.end()), Shape(shape));
}
Parts Tables(const std::vector<Z>& values, const std::vector<int64_t>& shape, DType dtype) {
  std::vector<double> re, im;
  for (const Z& z : values) re.push_back(z.real()), im.push_back(z.imag());
  return {Table(re, shape, dtype), Table(im, shape, dtype)};
}

Parts operator+(const Parts& a, const Parts& b) { return {Add(a.re, b.re), Add(a.im, b.im)}; }
Parts operator-(const Parts& a, const Parts& b) { return {Sub(a.re, b.re), Sub(a.im, b.im)}; }
Parts operator*(const Parts& a, const Parts& b) {
  return {Sub(Mul(a.re, b.re), Mul(a.im, b.im)), Add(Mul(a.re, b.im), Mul(a.im, b.re))};
}
Parts Conjugate(const Parts& a) { return {a.re, Neg(a.im)}; }
// sign i a
Parts Turned(const Parts& a, int sign) { return sign > 0 ? Parts{Neg(a.im), a.re} : Parts{a.im, Neg(a.re)}; }

Parts Map(const Parts& a, const std::function<Tensor(const Tensor&)>& f) { return {f(a.re), f(a.im)}; }
Parts Shaped(const Parts& a, const std::vector<int64_t>& shape) {
  return Map(a, [&](const Tensor& x) { return Reshape(x, shape); });
}
int64_t Extent(const Parts& a, int axis) { return a.re.shape().dim(axis); }
int64_t Length(const Parts& a) { return Extent(a, 1); }

// Of axis 1: elements from `begin` on, to `end`, each `step`-th.
Tensor Part(const Tensor& x, int64_t begin, int64_t end, int64_t step = 1) {
  std::vector<int64_t> starts(static_cast<size_t>(x.rank()), 0), limits = x.shape().dims(), steps(starts.size(), 1);
  starts[1] = begin, limits[1] = end, steps[1] = step;
  return Slice(x, starts, limits, steps);
}
Parts Part(const Parts& x, int64_t begin, int64_t end) {
  return Map(x, [&](const Tensor& t) { return Part(t, begin, end); });
}
Tensor PaddedTo(const Tensor& x, int64_t low, int64_t n) {
  return Pad(x, {0, low, 0}, {0, n - low - x.shape().dim(1), 0});
}

// W_n^(step a b) as [rows, columns], a < rows. A long table is made where it is used, of a = high * low_rows + low.
Parts Twiddles(int64_t rows, int64_t step, const std::vector<int64_t>& columns, int64_t n, int sign, DType dtype) {
  const auto count = static_cast<int64_t>(columns.size());
  if (rows * count > kMaxTable && count < kMaxTable) {
    const int64_t low = kMaxTable / count, high = (rows + low - 1) / low;
    const Parts far = Twiddles(high, step * low % n, columns, n, sign, dtype);
    const Parts near = Twiddles(low, step, columns, n, sign, dtype);
    const Parts all = Shaped(far, {high, 1, count}) * Shaped(near, {1, low, count});
    return Map(all, [&](const Tensor& t) { return Slice(Reshape(t, {high * low, count}), {0, 0}, {rows, count}); });
  }
  std::vector<Z> values;
  for (int64_t a = 0; a < rows; ++a) {
    for (int64_t b : columns) values.push_back(Root(a * step % n * b, n, sign));
  }
  return Tables(values, {rows, count}, dtype);
}
std::vector<int64_t> Counted(int64_t n) {
  std::vector<int64_t> out;
  for (int64_t i = 0; i < n; ++i) out.push_back(i);
  return out;
}

// Radices whose product is n; empty if a prime factor is too large.
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

// exp(sign 2 pi i k / 8) a, 0 < k < 4: one product, as its parts are sqrt(1/2), or none.
Parts ByEighths(const Parts& a, int64_t k, int sign) {
  const Parts turned = Turned(a, sign);
  if (k == 2) return turned;
  const Parts sum = k == 1 ? a + turned : turned - a;
  return Map(sum, [](const Tensor& x) { return Mul(x, std::numbers::sqrt2 / 2); });
}

// Sums of 2, 4 or 8 parts: those of every other one, put together.
std::vector<Parts> FewSums(const std::vector<Parts>& x, int sign) {
  if (x.size() == 1) return x;
  std::vector<Parts> halves[2], out(x.size());
  for (size_t j = 0; j < x.size(); ++j) halves[j % 2].push_back(x[j]);
  const std::vector<Parts> even = FewSums(halves[0], sign), odd = FewSums(halves[1], sign);
  const size_t half = even.size();
  for (size_t k = 0; k < half; ++k) {
    const Parts turned = k == 0 ? odd[0] : ByEighths(odd[k], static_cast<int64_t>(4 * k / half), sign);
    out[k] = even[k] + turned;
    out[k + half] = even[k] - turned;
  }
  return out;
}

// Parts [a, b, c], as [a, b, parts, c]: those of one table, which one kernel makes, [a, b, 2, parts, c].
Parts Stacked(const std::vector<Parts>& parts) {
  const int64_t count = static_cast<int64_t>(parts.size()), a = Extent(parts[0], 0), b = Extent(parts[0], 1);
  std::vector<Tensor> all;
  for (const Parts& part : parts) all.push_back(part.re);
  for (const Parts& part : parts) all.push_back(part.im);
  const std::vector<int64_t> shape = {a, b, count, Extent(parts[0], 2)};
  const Tensor table = Reshape(Stack(all, 2), {a, b, 2, count, shape[3]});
  return Shaped({SliceAxis(table, 2, 0, 1), SliceAxis(table, 2, 1, 2)}, shape);
}
// The same value, made by one kernel.
Parts Together(const Parts& x) {
  const int64_t outer = Extent(x, 0), rows = Extent(x, 1) * Extent(x, 2);
  return Shaped(Stacked({Shaped(x, {outer, 1, rows})}), x.re.shape().dims());
}

// One stage of t [outer, r, m, s]: [outer, m, r, s]; the last one, where m is 1, times `last` [r s], if there is one.
Parts EvenStage(const Parts& t, int sign, const Parts* last) {
  const int64_t outer = Extent(t, 0), r = Extent(t, 1), m = Extent(t, 2), s = Extent(t, 3);
  std::vector<Parts> parts;
  for (int64_t j = 0; j < r; ++j) parts.push_back(Shaped(Part(t, j, j + 1), {outer, m, s}));
  parts = FewSums(parts, sign);
  for (int64_t k = 0; k < r; ++k) {
    Parts& part = parts[static_cast<size_t>(k)];
    if (m > 1 && k > 0) part = part * Shaped(Twiddles(m, 1, {k}, m * r, sign, t.re.dtype()), {m, 1});
    if (last != nullptr) part = part * Map(*last, [&](const Tensor& x) { return Slice(x, {k * s}, {(k + 1) * s}); });
  }
  return Stacked(parts);
}
Parts OddStage(const Parts& t, int sign, const Parts* last) {
  const int64_t r = Extent(t, 1), m = Extent(t, 2), s = Extent(t, 3);
  const Parts w = Twiddles(r, 1, Counted(r), r, sign, t.re.dtype());
  // [outer, m, s, k1]
  const auto sums = [](const Tensor& x, const Tensor& table) {
    return Contract(x, table, {.a_batch = {}, .b_batch = {}, .a_contract = {1}, .b_contract = {0}});
  };
  Parts y{Sub(sums(t.re, w.re), sums(t.im, w.im)), Add(sums(t.re, w.im), sums(t.im, w.re))};
  if (m > 1) y = y * Shaped(Twiddles(m, 1, Counted(r), m * r, sign, t.re.dtype()), {m, 1, r});
  y = Map(y, [](const Tensor& x) { return Transpose(x, {0, 1, 3, 2}); });
  return last == nullptr ? y : y * Shaped(*last, {r, s});
}

// x [outer, n, inner] by the stages of its radices, times `last` [n inner]. Between them: [outer, m, known, inner],
// known digits so far.
Parts Stages(const Parts& x, const std::vector<int64_t>& radices, int sign, const Parts* last = nullptr) {
  const int64_t outer = Extent(x, 0), n = Length(x), inner = Extent(x, 2);
  Parts t = x;
  int64_t m = n, known = inner;
  for (const int64_t r : radices) {
    m /= r;
    t = Shaped(t, {outer, r, m, known});
    const bool even = r == 2 || r == 4 || r == 8;
    const Parts* by = m == 1 ? last : nullptr;
    t = even ? EvenStage(t, sign, by) : OddStage(t, sign, by);  // the last digit found is the most significant
    known *= r;
  }
  return Shaped(t, {outer, n, inner});
}

// W_n^(a b) of n = n1 n2, a < n1 and b < n2, one after the other. A long table is made of those of b's digits.
Parts TurnedTwiddles(int64_t n1, int64_t n2, int sign, DType dtype) {
  const int64_t low = std::min(n2, kMaxTable / n1), high = (n2 + low - 1) / low;
  std::vector<int64_t> far = Counted(high);
  for (int64_t& b : far) b *= low;
  const Parts near = Twiddles(n1, 1, Counted(low), n1 * n2, sign, dtype);
  if (high == 1) return Shaped(near, {n1 * n2});
  const Parts all = Shaped(Twiddles(n1, 1, far, n1 * n2, sign, dtype), {n1, high, 1}) * Shaped(near, {n1, 1, low});
  return Map(
      all, [&](const Tensor& t) { return Reshape(Slice(Reshape(t, {n1, high * low}), {0, 0}, {n1, n2}), {n1 * n2}); });
}

// The last axis, [outer, n, 1], as [n1, n2] with n1 near the root of n.
Parts TurnedStages(const Parts& x, const std::vector<int64_t>& radices, int sign) {
  const int64_t outer = Extent(x, 0), n = Length(x);
  size_t split = 1;
  int64_t n1 = radices[0];
  while (split + 1 < radices.size() && n1 * n1 < n && n1 * radices[split] <= kMaxLanes) n1 *= radices[split++];
  const auto middle = radices.begin() + static_cast<std::ptrdiff_t>(split);
  const int64_t n2 = n / n1;
  const Parts w = TurnedTwiddles(n1, n2, sign, x.re.dtype());
  Parts t = Stages(Shaped(x, {outer, n1, n2}), {radices.begin(), middle}, sign, &w);
  t = Map(t, [](const Tensor& y) { return Transpose(y, {0, 2, 1}); });
  return Shaped(Stages(t, {middle, radices.end()}, sign), {outer, n, 1});
}

Parts BySums(const Parts& x, int sign);

// For any n: j k = (j^2 + k^2 - (k - j)^2) / 2 makes the sum a convolution.
Parts Bluestein(const Parts& x, int sign) {
  const int64_t n = Length(x);
  const DType dtype = x.re.dtype();
  int64_t length = 1;
  while (length < 2 * n - 1) length *= 2;
  std::vector<Z> chirp, filter(static_cast<size_t>(length));
  for (int64_t j = 0; j < n; ++j) {
    chirp.push_back(Root(j * j % (2 * n), 2 * n, sign));
    filter[static_cast<size_t>(j)] = filter[static_cast<size_t>((length - j) % length)] = std::conj(chirp.back());
  }
  const Parts w = Tables(chirp, {1, n, 1}, dtype);
  const Parts a = BySums(Map(x * w, [&](const Tensor& y) { return PaddedTo(y, 0, length); }), -1);
  const Parts c = BySums(a * BySums(Tables(filter, {1, length, 1}, dtype), -1), 1);
  return Map(Part(c, 0, n) * w, [&](const Tensor& y) { return Mul(y, 1 / static_cast<double>(length)); });
}

Parts BySums(const Parts& x, int sign) {
  const int64_t n = Length(x);
  if (x.re.size() == 0 || n == 1) return x;
  const std::vector<int64_t> radices = Radices(n);
  const bool last = Extent(x, 2) == 1;
  if (last && n <= kMaxDirect) return Stages(x, {n}, sign);
  if (radices.empty()) return Bluestein(x, sign);
  return last && radices.size() > 1 ? TurnedStages(x, radices, sign) : Stages(x, radices, sign);
}

Parts Flipped(const Parts& x) {
  return Map(x, [](const Tensor& t) { return Flip(t, {1}); });
}

// Of z = x[2 j] + i x[2 j + 1] with the sums Z: X[k] = (Z[k] + Z'[h - k] - i W_n^k (Z[k] - Z'[h - k])) / 2, '
// conjugates, Z[h] = Z[0].
Parts ByHalves(const Tensor& x) {
  const int64_t n = x.shape().dim(1), h = n / 2;
  const Parts z = BySums({Part(x, 0, n, 2), Part(x, 1, n, 2)}, -1);
  const Parts to = Map(z, [](const Tensor& t) { return Concat({t, Part(t, 0, 1)}, 1); });
  const Parts back = Conjugate(Flipped(to));
  const Parts w = Shaped(Twiddles(h + 1, 1, {1}, n, -1, x.dtype()), {1, h + 1, 1});
  return Together(Map(to + back + Turned((to - back) * w, -1), [](const Tensor& t) { return Mul(t, 0.5); }));
}

// The way back: Z[k] = X[k] + X'[h - k] + i W_n^-k (X[k] - X'[h - k]), where X[0] and X[h] are real.
Tensor FromHalves(const Parts& x, int64_t n) {
  const int64_t h = n / 2, outer = Extent(x, 0), inner = Extent(x, 2);
  const Tensor at = Iota({1, h + 1, 1}, 1, kInt32);
  const Parts real_ends = Together({x.re, Where(LogicalAnd(Greater(at, 0), Less(at, h)), x.im, 0)});
  const Parts to = Part(real_ends, 0, h), back = Conjugate(Flipped(Part(real_ends, 1, h + 1)));
  const Parts w = Shaped(Twiddles(h, 1, {1}, n, 1, x.re.dtype()), {1, h, 1});
  const Parts z = BySums(Together(to + back + Turned((to - back) * w, 1)), 1);
  return Reshape(Stack({z.re, z.im}, 2), {outer, n, inner});
}

// Those of an odd length have no halves.
Tensor FromAll(const Parts& x, int64_t n) {
  const Parts mirrored = Conjugate(Flipped(Part(x, 1, n - n / 2)));
  const Parts all{Concat({x.re, mirrored.re}, 1), Concat({x.im, mirrored.im}, 1)};
  return BySums(all, 1).re;
}

// Times `inside`, but for the ends, which stand for no conjugates.
Parts Weighted(const Parts& x, int64_t n, double inside) {
  std::vector<double> weights(static_cast<size_t>(Length(x)), inside);
  weights.front() = 1;
  if (n % 2 == 0) weights.back() = 1;
  const Tensor table = Table(weights, {1, Length(x), 1}, x.re.dtype());
  return Map(x, [&](const Tensor& t) { return Mul(t, table); });
}

std::vector<Tensor> List(const Parts& x) { return {x.re, x.im}; }
std::vector<Tensor> Joined(const Parts& x) { return {Complex(x.re, x.im)}; }
Parts Split(const Tensor& z) { return {Real(z), Imag(z)}; }

Parts RealSums(const Tensor& x) {
  const int64_t outer = x.shape().dim(0), n = x.shape().dim(1), inner = x.shape().dim(2);
  if (x.size() == 0) {
    const Tensor none = Zeros({outer, n / 2 + 1, inner}, x.dtype());
    return {none, none};
  }
  return n % 2 == 0 ? ByHalves(x) : Part(BySums({x, ZerosLike(x)}, -1), 0, n / 2 + 1);
}
Tensor InverseSums(const Parts& z, int64_t n) {
  if (z.re.size() == 0) return Zeros({Extent(z, 0), n, Extent(z, 2)}, z.re.dtype());
  return n % 2 == 0 ? FromHalves(z, n) : FromAll(z, n);
}

// f(x), a linear map whose gradient is `transposed`. That is made without such gradients of its own, or a trace would
// not come to an end.
using LinearMap = std::function<std::vector<Tensor>(const std::vector<Tensor>&)>;
std::vector<Tensor> Linear(const std::vector<Tensor>& x, const LinearMap& f, const LinearMap& transposed) {
  if (MayRunPrograms()) return f(x);
  return CustomGradient([&](const std::vector<Tensor>& in) { return std::pair(f(in), transposed); })(x);
}

}  // namespace

Tensor FourierSums(const Parts& x, int sign) {
  const auto sums = [sign](const std::vector<Tensor>& in) { return Joined(BySums({in[0], in[1]}, sign)); };
  const auto transposed = [sign](const std::vector<Tensor>& dy) { return List(BySums(Split(dy[0]), -sign)); };
  return Linear(List(x), sums, transposed)[0];
}

Tensor RealFourierSums(const Tensor& x) {
  const auto sums = [](const std::vector<Tensor>& in) { return Joined(RealSums(in[0])); };
  const auto transposed = [n = x.shape().dim(1)](const std::vector<Tensor>& dy) {
    return std::vector<Tensor>{InverseSums(Weighted(Split(dy[0]), n, 0.5), n)};
  };
  return Linear({x}, sums, transposed)[0];
}

Tensor RealInverseSums(const Parts& z, int64_t n) {
  const auto sums = [n](const std::vector<Tensor>& in) { return std::vector<Tensor>{InverseSums({in[0], in[1]}, n)}; };
  const auto transposed = [n](const std::vector<Tensor>& dy) { return List(Weighted(RealSums(dy[0]), n, 2)); };
  return Linear(List(z), sums, transposed)[0];
}

}  // namespace reel::internal
