#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/eager/dispatch.h"
#include "frontend/stablehlo/import/context.h"
#include "frontend/stablehlo/import/probe.h"
#include "ir/strings.h"
#include "reel/complex.h"
#include "reel/fft.h"
#include "reel/indexing.h"
#include "reel/linalg.h"
#include "reel/loops.h"

// Matrices, transforms, sorts, and the functions of LAPACK by which JAX says matrices for CPUs.

namespace reel::stablehlo::reading {
namespace {

using internal::Dispatch;

Tensor SwapLast(const Tensor& x) {
  Ints order;
  for (int64_t i = 0; i < x.rank(); ++i) order.push_back(i);
  std::swap(order[order.size() - 1], order[order.size() - 2]);
  return Transposed(x, order);
}

void NeedMatrices(const Context& c, size_t count) {
  for (size_t i = 0; i < count; ++i) {
    if (c.x(i).rank() < 2) Malformed("its operands are no matrices");
    if (IsComplex(c.x(i).dtype())) Refuse("of complex numbers");
  }
}

Values ReadCholesky(const Context& c) {
  NeedMatrices(c, 1);
  if (c.Bool("lower", false)) return {Cholesky(c.x(0))};
  return {SwapLast(Cholesky(SwapLast(c.x(0))))};  // reads the upper triangle
}

struct Triangle {
  bool left = true, lower = true, transpose = false, unit = false;
};

Tensor SolveTriangle(const Tensor& a, const Tensor& b, const Triangle& t) {
  if (!t.left) {  // x op(a) = b is op(a)' x' = b'
    Triangle turned = t;
    turned.left = true;
    turned.transpose = !t.transpose;
    return SwapLast(SolveTriangle(a, SwapLast(b), turned));
  }
  return TriangularSolve(a, b, {.lower = t.lower, .transpose = t.transpose, .unit_diagonal = t.unit});
}

Values ReadTriangularSolve(const Context& c) {
  NeedMatrices(c, 2);
  const std::string transpose = c.Word("transpose_a", "NO_TRANSPOSE");
  return {SolveTriangle(
      c.x(0), c.x(1),
      {c.Bool("left_side", true), c.Bool("lower", true), transpose != "NO_TRANSPOSE", c.Bool("unit_diagonal", false)})};
}

// Along the last axes, as many as there are lengths.
Values ReadFft(const Context& c) {
  const std::string type = c.Word("fft_type");
  const Ints length = c.NeedInts("fft_length");
  Tensor x = c.x(0);
  if (length.empty() || static_cast<int>(length.size()) > x.rank()) Malformed("fft_length has no number for each axis");
  const bool real_in = type == "RFFT", real_out = type == "IRFFT", inverse = type == "IFFT" || real_out;
  if (!real_in && !inverse && type != "FFT") Malformed(StrCat("'", type, "' is no transform"));
  if (real_in) x = Rfft(x);
  const auto last = static_cast<int64_t>(real_in || real_out ? 2 : 1);
  for (auto axis = static_cast<int64_t>(length.size()); axis >= last; --axis)
    x = inverse ? Ifft(x, {.axis = -axis}) : Fft(x, {.axis = -axis});
  return {real_out ? Irfft(x, {.n = length.back()}) : x};
}

// --- sorts ---

struct SortKey {
  size_t operand;
  bool descending;
};

// The operands that a comparator compares, the most important first. It sees pairs (a0, b0, a1, b1, ...).
std::vector<SortKey> FindKeys(const Context& c, const Probe& probe) {
  const size_t n = c.size();
  const auto less = [&](const std::vector<double>& a, const std::vector<double>& b) {
    std::vector<double> arguments;
    for (size_t i = 0; i < n; ++i) arguments.push_back(a[i]), arguments.push_back(b[i]);
    const std::vector<double> results = probe(arguments);
    if (results.size() != 1) Malformed("its comparator does not return one i1");
    return results[0] != 0;
  };
  std::vector<double> zeros(n, 0);
  std::vector<SortKey> keys;
  if (less(zeros, zeros)) Refuse("with a comparator by which equal elements are less");
  for (size_t k = 0; k < n; ++k) {
    std::vector<double> ones = zeros;
    ones[k] = 1;
    const bool up = less(zeros, ones), down = less(ones, zeros);
    if (up && down) Refuse("with a comparator that is no order");
    if (!up && !down) continue;
    keys.push_back({k, down});
    if (!IsFloat(c.x(k).dtype())) continue;
    std::vector<double> nans = zeros;
    nans[k] = std::numeric_limits<double>::quiet_NaN();
    // Reel has NaN behind all others, descending before.
    if (less(down ? zeros : nans, down ? nans : zeros)) Refuse("with a comparator that has NaN at the other end");
  }
  // a is less by one key and greater by the other: the more important one says which.
  const auto before = [&](const SortKey& a, const SortKey& b) {
    std::vector<double> x = zeros, y = zeros;
    (a.descending ? x : y)[a.operand] = 1;
    (b.descending ? y : x)[b.operand] = 1;
    return less(x, y);
  };
  std::stable_sort(keys.begin(), keys.end(), before);
  return keys;
}

Values ReadSort(const Context& c) {
  const int64_t axis = c.Int("dimension", -1);
  const Tensor& x = c.x(0);
  if (x.rank() == 0) return {x};
  if (axis < -x.rank() || axis >= x.rank()) Malformed(StrCat("there is no axis ", axis));
  for (const Tensor& other : c.All()) {
    if (other.shape() != x.shape()) Malformed("its operands differ in shape");
  }
  const Region& region = c.region(0);
  if (region.parameters.size() != 2 * c.size()) Malformed("its comparator has another number of parameters");
  const Probe probe(c, region);
  const std::vector<SortKey> keys = FindKeys(c, probe);
  if (keys.empty()) {
    Values same;
    for (size_t i = 0; i < c.size(); ++i) same.push_back(c.Input(i));
    return same;
  }
  // Stable sorts from the least important key on.
  Tensor order;
  for (size_t k = keys.size(); k-- > 0;) {
    const Tensor& key = c.x(keys[k].operand);
    const Tensor sorted = order.defined() ? TakeAlongAxis(key, order, axis) : key;
    const Tensor next = Argsort(sorted, axis, keys[k].descending);
    order = order.defined() ? TakeAlongAxis(order, next, axis) : next;
  }
  Values out;
  for (size_t i = 0; i < c.size(); ++i) {
    const bool places = c.Input(i).iota_axis >= 0 && c.Input(i).iota_axis == (axis < 0 ? axis + x.rank() : axis);
    out.emplace_back(places ? Cast(order, c.x(i).dtype()) : TakeAlongAxis(c.x(i), order, axis));
  }
  return out;
}

Values ReadTopK(const Context& c) {
  const TopKResult top = TopK(c.x(0), c.NeedInt("k"), -1);
  return {top.values, Cast(top.indices, c.type(1).dtype)};
}

// --- LAPACK ---

// A number of mhlo.backend_config: LAPACK's letters.
int64_t Letter(const Context& c, std::string_view name) {
  const Attribute* config = c.op().Find("mhlo.backend_config");
  const Attribute* value = config ? config->Find(name) : nullptr;
  if (!value || value->kind != Attribute::Kind::kInt) Malformed(StrCat("mhlo.backend_config has no ", name));
  return value->integer;
}

// Info of every matrix: none failed; what does not exist is NaN.
Tensor NoInfo(const Context& c, size_t i) { return Zeros(c.type(i).shape, c.type(i).dtype); }

Values ReadPotrf(const Context& c) {
  NeedMatrices(c, 1);
  const bool lower = Letter(c, "uplo") == 'L';
  return {lower ? Cholesky(c.x(0)) : SwapLast(Cholesky(SwapLast(c.x(0)))), NoInfo(c, 1)};
}

Values ReadTrsm(const Context& c) {
  NeedMatrices(c, 2);
  return {SolveTriangle(
      c.x(0), c.x(1),
      {Letter(c, "side") == 'L', Letter(c, "uplo") == 'L', Letter(c, "trans_x") != 'N', Letter(c, "diag") == 'U'})};
}

Values ReadSyevd(const Context& c) {
  NeedMatrices(c, 1);
  if (Letter(c, "uplo") != 'L') Refuse("of the upper triangle");
  const EighResult result = Eigh(c.x(0));
  return {result.vectors, result.values, NoInfo(c, 2)};
}

Values ReadGesdd(const Context& c) {
  NeedMatrices(c, 1);
  const int64_t mode = Letter(c, "mode");
  if (mode == 'A' && c.x(0).shape().dim(c.x(0).rank() - 1) != c.x(0).shape().dim(c.x(0).rank() - 2))
    Refuse("of full matrices; ask for full_matrices=False");
  const SvdResult result = Svd(c.x(0));
  if (mode == 'N')
    return {c.x(0), result.s, Zeros(c.type(2).shape, c.type(2).dtype), Zeros(c.type(3).shape, c.type(3).dtype),
            NoInfo(c, 4)};
  return {c.x(0), result.s, result.u, result.vt, NoInfo(c, 4)};
}

// LAPACK's exchanges of rows, counted from 1, that make the order `permutation` of m rows: row i meets row pivots[i].
Tensor PivotsOf(const Tensor& permutation, const Type& type) {
  const Tensor rows = Iota(permutation.shape(), -1, kInt32), steps = Iota(type.shape, -1, kInt32);
  const auto step = [&](const Tensor& i, const Tensors& state) {
    const Tensor &order = state[0], at = Cast(i, kInt32), wanted = DynamicSlice(permutation, i, 1, -1);
    const Tensor found = Equal(order, wanted);
    const Tensor place = ReduceSum(Where(found, rows, ZerosLike(rows)), -1, {.keepdims = true});
    const Tensor moved = Where(found, DynamicSlice(order, i, 1, -1), order);
    return Tensors{Where(Equal(rows, at), wanted, moved), Where(Equal(steps, at), place + 1, state[1])};
  };
  const int64_t count = type.shape.dim(type.shape.rank() - 1);
  return ForLoop(Tensor(count), step, {rows, Zeros(type.shape, kInt32)})[1];
}

Values ReadGetrf(const Context& c) {
  NeedMatrices(c, 1);
  const LuResult result = Lu(c.x(0));
  return {result.lu, PivotsOf(result.permutation, c.type(1)), NoInfo(c, 2)};
}

// R in its triangle; Q goes along for orgqr, which is all that reads the reflectors.
Values ReadGeqrf(const Context& c) {
  NeedMatrices(c, 1);
  const Tensor& a = c.x(0);
  const int64_t m = a.shape().dim(a.rank() - 2), n = a.shape().dim(a.rank() - 1);
  const QrResult result = Qr(a);
  Ints low(static_cast<size_t>(a.rank()), 0), high = low;
  high[high.size() - 2] = m - std::min(m, n);
  Value packed = Pad(result.r, low, high);
  packed.companion = result.q;
  return {packed, Zeros(c.type(1).shape, c.type(1).dtype)};
}

Values ReadOrgqr(const Context& c) {
  Tensor q = c.Input(0).companion;
  if (!q.defined()) Refuse("of anything but the result of geqrf as it is");
  if (q.shape() != c.type().shape) Refuse("of full matrices; ask for the reduced ones");
  return {q};
}

Values ReadSharding(const Context& c) { return {c.Input(0)}; }

constexpr ImportRow kLinalgRows[] = {
    {"stablehlo.cholesky", ReadCholesky, "of real numbers"},
    {"stablehlo.fft", ReadFft},
    {"stablehlo.sort", ReadSort, "by comparators that compare operands in some order; NaN last, descending first"},
    {"stablehlo.triangular_solve", ReadTriangularSolve, "of real numbers"},
    {"chlo.top_k", ReadTopK},
};

constexpr ImportRow kCustomCallRows[] = {
    {"Sharding", ReadSharding, "nothing: there is one device"},
    {"lapack_dgeqrf_ffi", ReadGeqrf, "with orgqr behind it"},
    {"lapack_dgesdd_ffi", ReadGesdd, "full_matrices=False"},
    {"lapack_dgetrf_ffi", ReadGetrf},
    {"lapack_dorgqr_ffi", ReadOrgqr},
    {"lapack_dpotrf_ffi", ReadPotrf, "what is not positive definite gives NaN"},
    {"lapack_dsyevd_ffi", ReadSyevd},
    {"lapack_dtrsm_ffi", ReadTrsm},
    {"lapack_sgeqrf_ffi", ReadGeqrf, "with orgqr behind it"},
    {"lapack_sgesdd_ffi", ReadGesdd, "full_matrices=False"},
    {"lapack_sgetrf_ffi", ReadGetrf},
    {"lapack_sorgqr_ffi", ReadOrgqr},
    {"lapack_spotrf_ffi", ReadPotrf, "what is not positive definite gives NaN"},
    {"lapack_ssyevd_ffi", ReadSyevd},
    {"lapack_strsm_ffi", ReadTrsm},
};

}  // namespace

absl::Span<const ImportRow> LinalgRows() { return kLinalgRows; }
absl::Span<const ImportRow> CustomCallRows() { return kCustomCallRows; }

}  // namespace reel::stablehlo::reading
