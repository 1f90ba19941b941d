#include <algorithm>

#include "passes/gradient/rule.h"
#include "passes/matrix.h"

// Matrix factorizations. <x> is the cotangent of x; ' transposes; o multiplies elements.

namespace reel::passes {
namespace {

using Form = ir::Builder::TriangularForm;

ir::Value Scaled(ir::Builder& b, ir::Value x, double factor) { return b.Mul(x, b.ScalarLike(x, factor)); }
// Adds values of which each may be none (zero).
ir::Value Plus(ir::Builder& b, ir::Value x, ir::Value y) { return !x.valid() ? y : !y.valid() ? x : b.Add(x, y); }
// x A^-1 or x A'^-1 for the triangle of A: (A'^-1 x')'.
ir::Value SolveRight(ir::Builder& b, ir::Value x, ir::Value a, Form form) {
  form.transpose = !form.transpose;
  return Transposed(b, b.TriangularSolve(a, Transposed(b, x), form));
}
// 1 / x, but 0 at 0.
ir::Value Reciprocal(ir::Builder& b, ir::Value x) {
  const ir::Value zero = b.ScalarLike(x, 0), one = b.ScalarLike(x, 1), is_zero = b.Equal(x, zero);
  return b.Select(is_zero, zero, b.Div(one, b.Select(is_zero, one, x)));
}
// 1 / (d_j - d_i), but 0 for equal ones.
ir::Value Gaps(ir::Builder& b, ir::Value d) {
  const ir::Value like = DiagonalMatrix(b, d);
  const ir::Value rows = AsRows(b, d, like), columns = AsColumns(b, d, like);
  return Reciprocal(b, b.Sub(rows, columns));
}

}  // namespace

// Murray 2016 (arXiv:1602.07527): <a> = sym(L'^-1 phi(L' <L>) L^-1), phi: the lower triangle,
// diagonal halved. Symmetric, as in TensorFlow.
GRAD(Cholesky, kNone, kY) {
  const ir::Value l = g.y(), inner = Product(b, l, g.dy(), Side::kLeft);
  const ir::Value lower = Keep(b, inner, Triangle::kLower);
  const ir::Value phi = b.Sub(lower, Scaled(b, DiagonalMatrix(b, Diagonal(b, inner)), 0.5));
  const ir::Value left = b.TriangularSolve(l, phi, {.transpose = true});
  const ir::Value da = SolveRight(b, left, l, {});
  g.Set(0, Scaled(b, b.Add(da, Transposed(b, da)), 0.5));
}

// A x = b: <b> = A'^-1 <x>, <A> = -<b> x'. With A': <A> = -x <b>'.
GRAD(TriangularSolve, kA, kY) {
  const bool lower = g.node().attr<bool>("lower"), transpose = g.node().attr<bool>("transpose"),
             unit = g.node().attr<bool>("unit_diagonal");
  const ir::Value db =
      b.TriangularSolve(g.in(0), g.dy(), {.lower = lower, .transpose = !transpose, .unit_diagonal = unit});
  if (g.wants(1)) g.Set(1, db);
  if (!g.wants(0)) return;
  const ir::Value da = transpose ? Product(b, g.y(), db, Side::kRight) : Product(b, db, g.y(), Side::kRight);
  const Triangle triangle = lower ? (unit ? Triangle::kStrictlyLower : Triangle::kLower)
                                  : (unit ? Triangle::kStrictlyUpper : Triangle::kUpper);
  g.Set(0, b.Neg(Keep(b, da, triangle)));
}

// de Hoog, Anderssen & Lukas 2011: <P a> = L'^-1 (stril(L' <L>) + triu(<U> U')) U'^-1.
GRAD(Lu, kNone, kAll) {
  if (!g.dy().valid()) return;
  const ir::Value packed = g.y();
  const ir::Value below = Keep(b, packed, Triangle::kStrictlyLower), l = b.Add(below, Identity(b, g.y_type())),
                  u = Keep(b, packed, Triangle::kUpper);
  const ir::Value dl = Keep(b, g.dy(), Triangle::kStrictlyLower), du = Keep(b, g.dy(), Triangle::kUpper);
  const ir::Value of_l = Keep(b, Product(b, l, dl, Side::kLeft), Triangle::kStrictlyLower),
                  of_u = Keep(b, Product(b, du, u, Side::kRight), Triangle::kUpper);
  const ir::Value left = b.TriangularSolve(packed, b.Add(of_l, of_u), {.transpose = true, .unit_diagonal = true});
  const ir::Value rows = SolveRight(b, left, packed, {.lower = false, .transpose = true});
  g.Set(0, GatherRows(b, rows, InversePermutation(b, g.y(1))));
}

// Walter & Lehmann 2010; Roberts & Roberts 2020 (arXiv:2009.10071) for wide a = [x | y], r = [u |
// v], v = q'y:
//   m = u <u>' - <q>' q,  <x> = (<q> + q sym(m)) u'^-1, sym: the lower triangle mirrored
//   <y> = q <v>, and <q> gains y <v>' = q v <v>'
GRAD(Qr, kNone, kAll) {
  const ir::Value q = g.y();
  const int64_t k = Columns(b, q), n = Columns(b, g.y(1));
  ir::Value u = g.y(1), dq = g.dy(0), du = g.dy(1), dy;
  if (n > k) {
    const auto part = [&](ir::Value r, int64_t from, int64_t to) {
      std::vector<int64_t> starts(static_cast<size_t>(b.shape(r).rank())), limits = b.shape(r).dims();
      starts.back() = from;
      limits.back() = to;
      return b.Slice(r, starts, limits, std::vector<int64_t>(starts.size(), 1));
    };
    const ir::Value r = u, dr = g.dy_or_zeros(1), dv = part(dr, k, n);
    u = part(r, 0, k);
    du = part(dr, 0, k);
    dy = Product(b, q, dv);
    dq = Plus(b, dq, Product(b, q, Product(b, part(r, k, n), dv, Side::kRight)));
  }
  ir::Value m;
  if (du.valid()) m = Product(b, u, du, Side::kRight);
  if (dq.valid()) m = Plus(b, m, b.Neg(Product(b, dq, q, Side::kLeft)));
  const ir::Value lower = Keep(b, m, Triangle::kLower);
  const ir::Value mirrored = b.Add(lower, Transposed(b, Keep(b, m, Triangle::kStrictlyLower)));
  const ir::Value total = Plus(b, dq, Product(b, q, mirrored));
  ir::Value dx = SolveRight(b, total, u, {.lower = false, .transpose = true});
  if (dy.valid()) {  // [dx | dy]
    const auto rank = static_cast<size_t>(b.shape(dx).rank());
    std::vector<int64_t> low(rank, 0), none(rank, 0);
    low.back() = k;
    dx = PadTo(b, dx, Rows(b, dx), n);
    dx = b.Add(dx, b.Pad(dy, b.Scalar(b.type(dy).dtype, 0), low, none, none));
  }
  g.Set(0, dx);
}

// Giles 2008 (NA-08-01, 3.1): <a> = V (diag <w> + F o (V' <V>)) V', F_ij = 1 / (w_j - w_i); as in TensorFlow 0
// for equal eigenvalues, whose vectors have no derivative.
// The lower triangle holds the sum of both, as in TensorFlow: nothing else is read.
GRAD(Eigh, kNone, kAll) {
  const ir::Value w = g.y(0), v = g.y(1);
  ir::Value inner;
  if (g.dy(0).valid()) inner = DiagonalMatrix(b, g.dy(0));
  if (g.dy(1).valid()) {
    const ir::Value gaps = Gaps(b, w);
    inner = Plus(b, inner, b.Mul(gaps, Product(b, v, g.dy(1), Side::kLeft)));
  }
  const ir::Value da = Product(b, Product(b, v, inner), v, Side::kRight);
  const ir::Value both = Keep(b, b.Add(da, Transposed(b, da)), Triangle::kStrictlyLower);
  g.Set(0, b.Add(both, DiagonalMatrix(b, Diagonal(b, da))));
}

// Townsend 2016 (Differentiating the singular value decomposition), F_ij = 1 / (s_j^2 - s_i^2):
//   <a> = U (J S + S K + diag <s>) V' + (I - U U') <U> S^-1 V' + U S^-1 <V>' (I - V V')
//   J = F o (U' <U> - <U>' U), K = F o (V' <V> - <V>' V)
// 1 / 0 counts as 0: equal singular values, and zero ones.
GRAD(Svd, kNone, kAll) {
  const ir::Value u = g.y(0), s = g.y(1), vt = g.y(2), du = g.dy(0), dvt = g.dy(2);
  ir::Value inner, outside;
  if (g.dy(1).valid()) inner = DiagonalMatrix(b, g.dy(1));
  const ir::Value inverse = Reciprocal(b, s);
  const auto twisted = [&](ir::Value x) {  // F o (x - x')
    const ir::Value gaps = Gaps(b, b.Mul(s, s));
    return b.Mul(gaps, b.Sub(x, Transposed(b, x)));
  };
  if (du.valid()) {
    const ir::Value x = Product(b, u, du, Side::kLeft), j = twisted(x);
    inner = Plus(b, inner, b.Mul(j, AsRows(b, s, j)));
    if (Rows(b, u) > Columns(b, u)) {
      const ir::Value rest = b.Sub(du, Product(b, u, x));
      outside = Product(b, b.Mul(rest, AsRows(b, inverse, rest)), vt);
    }
  }
  if (dvt.valid()) {
    const ir::Value x = Product(b, vt, dvt, Side::kRight), k = twisted(x);
    inner = Plus(b, inner, b.Mul(AsColumns(b, s, k), k));
    if (Columns(b, vt) > Rows(b, vt)) {
      const ir::Value rest = b.Sub(dvt, Product(b, Transposed(b, x), vt));
      outside = Plus(b, outside, Product(b, u, b.Mul(AsColumns(b, inverse, rest), rest)));
    }
  }
  g.Set(0, Plus(b, Product(b, Product(b, u, inner), vt), outside));
}

}  // namespace reel::passes
