#include "reel/linalg.h"

#include <algorithm>
#include <limits>

#include "frontend/eager/dispatch.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"
#include "reel/ops.h"
#include "reel/shapes.h"

namespace reel {

using internal::Dispatch;
using internal::LocationScope;
using internal::Materialize;
using internal::TensorList;
using internal::ThrowInvalid;

namespace {

Shape Leading(const Shape& shape) { return Shape(std::span<const Extent>(shape.begin(), shape.end() - 2)); }
int64_t RowsOf(const Tensor& x) { return x.shape().dim(x.rank() - 2); }
int64_t ColumnsOf(const Tensor& x) { return x.shape().dim(x.rank() - 1); }

// The operand as matrices, or an error in the name of what the user called.
Tensor Matrices(const char* op, const Operand& x) {
  Tensor t = Materialize(x);
  if (t.dtype() != kFloat32 && t.dtype() != kFloat64) {
    ThrowInvalid(StrCat(op, ": operand must be f32 or f64, got ", t.type().ToString(), "; cast it first"));
  }
  if (t.rank() < 2) {
    ThrowInvalid(StrCat(op, ": needs matrices, rank 2 or more, got ", t.type().ToString(), "; reshape it"));
  }
  return t;
}
Tensor SquareMatrices(const char* op, const Operand& x) {
  Tensor t = Matrices(op, x);
  if (RowsOf(t) == ColumnsOf(t)) return t;
  ThrowInvalid(
      StrCat(op, ": needs square matrices, got ", t.type().ToString(), "; LeastSquares and PseudoInverse take others"));
}

TensorList Factors(ir::Op op, const Tensor& a) { return internal::DispatchAll(op, nullptr, std::span(&a, 1)); }

Tensor WithBatch(const Tensor& x, const Shape& batch) {
  Shape shape = batch;
  shape.push_back(RowsOf(x));
  shape.push_back(ColumnsOf(x));
  return internal::BroadcastTensor(x, shape);
}

// The two operands of an equation: b as matrices, leading axes alike.
struct Equation {
  Equation(const char* op, const Tensor& matrices, const Operand& rhs) : a(matrices), b(Materialize(rhs)) {
    if (rhs.type().dtype != a.dtype()) b = internal::ConvertWeak(rhs, a.dtype());
    vector = b.rank() == 1;
    if (vector) b = ExpandDims(b, -1);
    if (b.rank() == 0 || b.dtype() != a.dtype() || RowsOf(b) != RowsOf(a)) {
      ThrowInvalid(StrCat(op, ": ", rhs.type().ToString(), " is no right side for ", a.type().ToString(),
                          "; b needs a's dtype and ", RowsOf(a), " rows, or is a vector of ", RowsOf(a)));
    }
    const Shape batch = internal::BroadcastShapes(ir::Op::kTriangularSolve, Leading(a.shape()), Leading(b.shape()));
    a = WithBatch(a, batch);
    b = WithBatch(b, batch);
  }
  Tensor Finish(const Tensor& x) const { return vector ? Squeeze(x, -1) : x; }
  Tensor a, b;
  bool vector;
};

Tensor SolveTriangle(const Tensor& a, const Tensor& b, const TriangularOptions& options) {
  return Dispatch(
      ir::Op::kTriangularSolve, {a, b},
      {{"lower", options.lower}, {"transpose", options.transpose}, {"unit_diagonal", options.unit_diagonal}});
}

Tensor IdentityLike(const Tensor& a) {
  const Tensor row = Iota(a.shape(), -2, kInt32), column = Iota(a.shape(), -1, kInt32);
  return Cast(Equal(row, column), a.dtype());
}

// Over the last axis, in pairs of halves: the gradient divides by nothing.
Tensor ProductOf(Tensor x) {
  std::vector<int64_t> dims = x.shape().dims();
  if (dims.back() == 0) {
    dims.pop_back();
    return Ones(Shape(dims), x.dtype());
  }
  while (dims.back() > 1) {
    const int64_t half = dims.back() / 2, odd = dims.back() % 2;
    std::vector<int64_t> start(dims.size(), 0), middle = start, end = dims;
    end.back() = half + odd;
    middle.back() = half + odd;
    Tensor second = Slice(x, middle, dims);
    if (odd != 0) {
      std::vector<int64_t> high(dims.size(), 0);
      high.back() = 1;
      second = Pad(second, start, high, 1);
    }
    x = Mul(Slice(x, start, end), second);
    dims.back() = half + odd;
  }
  return Squeeze(x, -1);
}

// 1 or -1: the parity of the number of pairs out of order.
Tensor ParityOf(const Tensor& permutation, DType dtype) {
  const Tensor i = ExpandDims(permutation, -1), j = ExpandDims(permutation, -2);
  const Tensor swapped = Greater(i, j);
  const Tensor earlier = Less(Iota(swapped.shape(), -2, kInt32), Iota(swapped.shape(), -1, kInt32));
  const Tensor count = ReduceSum(Cast(LogicalAnd(swapped, earlier), kInt32), {-2, -1});
  return Cast(Sub(1, Mul(2, LogicalAnd(count, 1))), dtype);
}

double EpsilonOf(const Tensor& x) {
  return x.dtype() == kFloat32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}

// [...] true where singular values [..., k] exceed `tolerance` times the largest.
Tensor Significant(const Tensor& s, double tolerance) {
  return Greater(s, Mul(ReduceMax(s, -1, {.keepdims = true}), tolerance));
}

}  // namespace

Tensor Cholesky(const Operand& a) {
  const LocationScope scope(a);
  return Dispatch(ir::Op::kCholesky, {Materialize(a)});
}
LuResult Lu(const Operand& a) {
  const LocationScope scope(a);
  const TensorList y = Factors(ir::Op::kLu, Materialize(a));
  return {y[0], y[1]};
}
QrResult Qr(const Operand& a) {
  const LocationScope scope(a);
  const TensorList y = Factors(ir::Op::kQr, Materialize(a));
  return {y[0], y[1]};
}
EighResult Eigh(const Operand& a) {
  const LocationScope scope(a);
  const TensorList y = Factors(ir::Op::kEigh, Materialize(a));
  return {y[0], y[1]};
}
Tensor EigvalsH(const Operand& a) { return Eigh(a).values; }
SvdResult Svd(const Operand& a) {
  const LocationScope scope(a);
  const TensorList y = Factors(ir::Op::kSvd, Materialize(a));
  return {y[0], y[1], y[2]};
}
Tensor SvdVals(const Operand& a) { return Svd(a).s; }

Tensor TriangularSolve(const Operand& a, const Operand& b, const TriangularOptions& options) {
  const LocationScope scope(a);
  const Equation e("triangular_solve", SquareMatrices("triangular_solve", a), b);
  return e.Finish(SolveTriangle(e.a, e.b, options));
}

Tensor CholeskySolve(const Operand& l, const Operand& b) {
  const LocationScope scope(l);
  const Equation e("cholesky_solve", SquareMatrices("cholesky_solve", l), b);
  const Tensor y = SolveTriangle(e.a, e.b, {});
  return e.Finish(SolveTriangle(e.a, y, {.transpose = true}));
}

// P a = L U: x = U^-1 L^-1 P b, where the rows of P b are gathered from all matrices at once.
Tensor Solve(const Operand& a, const Operand& b) {
  const LocationScope scope(a);
  const Equation e("solve", SquareMatrices("solve", a), b);
  if (e.b.size() == 0) return e.Finish(Identity(e.b));
  const LuResult f = Lu(e.a);
  const int64_t n = RowsOf(e.a), k = ColumnsOf(e.b), count = e.b.size() / (n * k);
  const Tensor offsets = Mul(Iota({count, n}, 0, kInt32), n);
  const Tensor rows = Reshape(Add(Reshape(f.permutation, {count, n}), offsets), {count * n});
  const Tensor permuted = Reshape(
      Dispatch(ir::Op::kGather, {Reshape(e.b, {count * n, k}), rows}, {{"axis", int64_t{0}}}), e.b.shape().dims());
  const Tensor y = SolveTriangle(f.lu, permuted, {.unit_diagonal = true});
  return e.Finish(SolveTriangle(f.lu, y, {.lower = false}));
}

Tensor Inverse(const Operand& a) {
  const LocationScope scope(a);
  const Tensor x = SquareMatrices("inverse", a);
  return Solve(x, IdentityLike(x));
}

Tensor LeastSquares(const Operand& a, const Operand& b) {
  const LocationScope scope(a);
  const Equation e("least_squares", Matrices("least_squares", a), b);
  if (RowsOf(e.a) >= ColumnsOf(e.a)) {
    const QrResult f = Qr(e.a);
    return e.Finish(SolveTriangle(f.r, MatMul(SwapAxes(f.q, -1, -2), e.b), {.lower = false}));
  }
  const QrResult f = Qr(SwapAxes(e.a, -1, -2));
  return e.Finish(MatMul(f.q, SolveTriangle(f.r, e.b, {.lower = false, .transpose = true})));
}

namespace {

// The pseudo-inverse of matrices that have, with the constants u, s and v of `f` for the significant singular values,
// the rank of x: x = C N^-1 R with C = x v / s (near u), R = u' x / s (near v') and N = u' x v / s / s (near 1 / s), so
// that its pseudo-inverse is R'(R R')^-1 N (C'C)^-1 C'. No derivative of u or v is needed, which equal values have not.
Tensor PseudoInverseNear(const Tensor& x, const SvdResult& f, const Tensor& inverse, const Tensor& v_over_s) {
  const Tensor ut_over_s = Mul(ExpandDims(inverse, -1), SwapAxes(f.u, -1, -2));
  const Tensor c = MatMul(x, v_over_s), ct = SwapAxes(c, -1, -2), r = MatMul(ut_over_s, x), rt = SwapAxes(r, -1, -2);
  const Tensor n = MatMul(r, v_over_s);
  // Ones for what is not significant, so that the products, near the unit matrix, have inverses.
  const Tensor unit = IdentityLike(n), rest = Mul(unit, ExpandDims(Cast(Equal(inverse, 0.0), x.dtype()), -1));
  const Tensor left = MatMul(rt, Solve(Add(MatMul(r, rt), rest), n));
  return MatMul(left, Solve(Add(MatMul(ct, c), rest), ct));
}

}  // namespace

Tensor PseudoInverse(const Operand& a, double rcond) {
  const LocationScope scope(a);
  const Tensor x = Matrices("pseudo_inverse", a);
  if (rcond < 0) rcond = 10 * static_cast<double>(std::max(RowsOf(x), ColumnsOf(x))) * EpsilonOf(x);
  const SvdResult f = Svd(StopGradient(x));
  const Tensor used = Significant(f.s, rcond);
  const Tensor inverse = Where(used, Reciprocal(Where(used, f.s, 1.0)), 0.0);
  const Tensor columns = Mul(SwapAxes(f.vt, -1, -2), ExpandDims(inverse, -2)), ut = SwapAxes(f.u, -1, -2);
  const Tensor value = MatMul(columns, ut), moving = PseudoInverseNear(x, f, inverse, columns);
  return Add(value, Sub(moving, StopGradient(moving)));
}

Tensor Det(const Operand& a) {
  const LocationScope scope(a);
  const Tensor x = SquareMatrices("det", a);
  const LuResult f = Lu(x);
  return Mul(ProductOf(DiagPart(f.lu)), ParityOf(f.permutation, x.dtype()));
}

SlogDetResult SlogDet(const Operand& a) {
  const LocationScope scope(a);
  const Tensor x = SquareMatrices("slogdet", a);
  const LuResult f = Lu(x);
  const Tensor d = DiagPart(f.lu);
  return {Mul(ProductOf(Sign(d)), ParityOf(f.permutation, x.dtype())), ReduceSum(Log(Abs(d)), -1)};
}

Tensor LogDet(const Operand& a) {
  const LocationScope scope(a);
  return Mul(2.0, ReduceSum(Log(DiagPart(Cholesky(SquareMatrices("logdet", a)))), -1));
}

Tensor MatrixRank(const Operand& a, double rtol) {
  const LocationScope scope(a);
  const Tensor x = Matrices("matrix_rank", a);
  if (rtol < 0) rtol = static_cast<double>(std::max(RowsOf(x), ColumnsOf(x))) * EpsilonOf(x);
  return ReduceSum(Cast(Significant(SvdVals(x), rtol), kInt64), -1);
}

Tensor MatrixNorm(const Operand& a, const std::string& order) {
  const LocationScope scope(a);
  const Tensor x = Matrices("matrix_norm", a);
  if (order == "fro") {
    const Tensor square = ReduceSum(Square(x), {-2, -1}), zero = Equal(square, 0.0);
    return Where(zero, 0.0, Sqrt(Where(zero, 1.0, square)));
  }
  if (order == "nuc") return ReduceSum(SvdVals(x), -1);
  if (order == "2") return ReduceMax(SvdVals(x), -1);
  if (order == "-2") return ReduceMin(SvdVals(x), -1);
  if (order == "1") return ReduceMax(ReduceSum(Abs(x), -2), -1);
  if (order == "-1") return ReduceMin(ReduceSum(Abs(x), -2), -1);
  if (order == "inf") return ReduceMax(ReduceSum(Abs(x), -1), -1);
  if (order == "-inf") return ReduceMin(ReduceSum(Abs(x), -1), -1);
  ThrowInvalid(StrCat("matrix_norm: there is no order '", order, "'; it is one of fro, nuc, 1, -1, 2, -2, inf, -inf"));
}

Tensor MatrixPower(const Operand& a, int64_t n) {
  const LocationScope scope(a);
  Tensor power = SquareMatrices("matrix_power", a), result;
  if (n == 0) return IdentityLike(power);
  if (n < 0) power = Inverse(power);
  uint64_t left = n < 0 ? 0 - static_cast<uint64_t>(n) : static_cast<uint64_t>(n);
  for (;;) {
    if ((left & 1) != 0) result = result.defined() ? MatMul(result, power) : power;
    left >>= 1;
    if (left == 0) return result;
    power = MatMul(power, power);
  }
}

// N. Higham, The scaling and squaring method for the matrix exponential revisited, 2005.
Tensor MatrixExp(const Operand& a) {
  const LocationScope scope(a);
  constexpr double kTheta = 5.371920351148152;  // of the 1-norm: up to it no scaling is needed
  constexpr int kSquarings = 20;
  constexpr double kCoefficients[] = {64764752532480000,
                                      32382376266240000,
                                      7771770303897600,
                                      1187353796428800,
                                      129060195264000,
                                      10559470521600,
                                      670442572800,
                                      33522128640,
                                      1323241920,
                                      40840800,
                                      960960,
                                      16380,
                                      182,
                                      1};
  const Tensor x = SquareMatrices("matrix_exp", a);
  if (x.size() == 0) return Identity(x);
  Tensor norm = StopGradient(ExpandDims(ExpandDims(MatrixNorm(x, "1"), -1), -1)), scale = OnesLike(norm);
  std::vector<Tensor> squared;  // whether a squaring is one of this matrix's
  for (int i = 0; i < kSquarings; ++i) {
    squared.push_back(Greater(Mul(norm, scale), kTheta));
    scale = Where(squared.back(), Mul(scale, 0.5), scale);
  }
  const Tensor one = IdentityLike(x), x1 = Mul(x, scale), x2 = MatMul(x1, x1), x4 = MatMul(x2, x2), x6 = MatMul(x2, x4);
  const auto sum = [&](int first) {  // of the powers 6, 4 and 2, two by two coefficients
    const double* b = kCoefficients + first;
    return Add(Add(Mul(x6, b[4]), Mul(x4, b[2])), Mul(x2, b[0]));
  };
  const Tensor odd = MatMul(x1, Add(Add(MatMul(x6, sum(9)), sum(3)), Mul(one, kCoefficients[1])));
  const Tensor even = Add(Add(MatMul(x6, sum(8)), sum(2)), Mul(one, kCoefficients[0]));
  Tensor y = Solve(Sub(even, odd), Add(even, odd));
  for (const Tensor& square : squared) y = Where(square, MatMul(y, y), y);
  return y;
}

Tensor Cross(const Operand& a, const Operand& b, int64_t axis) {
  const LocationScope scope(a);
  TensorList t = internal::Promote(ir::Op::kMul, {&a, &b});
  internal::BroadcastTogether(ir::Op::kMul, absl::MakeSpan(t));
  axis = internal::NormalizeAxis("cross", axis, t[0].rank());
  if (t[0].shape().dim(static_cast<int>(axis)) != 3) {
    ThrowInvalid(StrCat("cross: axis ", axis, " of ", a.type().ToString(), " and ", b.type().ToString(),
                        " must have 3 elements; pad vectors of 2"));
  }
  const Tensor next({1, 2, 0}), last({2, 0, 1});
  const auto at = [&](const Tensor& x, const Tensor& which) { return Gather(x, which, axis); };
  return Sub(Mul(at(t[0], next), at(t[1], last)), Mul(at(t[0], last), at(t[1], next)));
}

}  // namespace reel
