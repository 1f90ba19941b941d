#include <algorithm>
#include <cmath>
#include <limits>

#include "passes/expand/loop.h"
#include "passes/expand/rule.h"
#include "passes/matrix.h"

// Eigenvalues and singular values by Jacobi rotations (Golub & Van Loan, 4th ed., 8.5 and 8.6.3), n
// / 2 disjoint pairs at a time: a round-robin tournament in which every row meets every other one
// once per sweep (Brent & Luk 1985). A sweep is a loop of rounds; sweeps go on until nothing is
// left to rotate. Matrices of a batch that are done stay as they are, so a batch changes no matrix
// in it.

namespace reel::passes {
namespace {

constexpr int64_t kMaxSweeps = 40;  // about log2(n) + 6 are needed

double Epsilon(DType dtype) {
  return dtype == kFloat32 ? std::numeric_limits<float>::epsilon() : std::numeric_limits<double>::epsilon();
}

// Whom each of n players meets in a round, i32[n]: the circle method. Player i < m meets r - i mod
// m, where m = n - 1, or n if n is odd; who would meet himself meets player m, or rests.
ir::Value Partners(ir::Builder& b, ir::Value round, int64_t n) {
  const int64_t m = n % 2 == 0 ? n - 1 : n;
  const ir::Value i = b.Iota(kInt32, {n}, 0), zero = b.ScalarLike(i, 0);
  const ir::Value circle = b.ScalarLike(i, static_cast<double>(m));
  const ir::Value difference = b.Sub(Like(b, round, i), i);
  const ir::Value negative = b.Less(difference, zero);
  const ir::Value other = b.Select(negative, b.Add(difference, circle), difference);
  if (n % 2 != 0) return other;
  const ir::Value one = Index(b, 1), odd = b.Equal(b.And(round, one), one);
  const ir::Value even = b.Select(odd, b.Add(round, Index(b, m)), round);  // of player m: 2 p = r mod m
  const ir::Value last = Like(b, b.ShiftRight(even, one), i);
  const ir::Value is_last = b.Equal(i, circle);
  return b.Select(is_last, last, b.Select(b.Equal(other, i), circle, other));
}

struct Angles {
  ir::Value tangent, cosine, sine;  // [..., n]: x_i becomes c x_i - s x_partner
};
// That make [p x; x q] diagonal for the rows where `rotate` holds; no rotation elsewhere. p, q and
// x belong to row i: a row's partner gets the opposite tangent.
Angles AnglesOf(ir::Builder& b, ir::Value p, ir::Value x, ir::Value q, ir::Value before, ir::Value rotate) {
  const ir::Value zero = b.ScalarLike(p, 0), one = b.ScalarLike(p, 1);
  const ir::Value difference = b.Sub(q, p), tau = b.Div(difference, b.Add(x, x));
  const ir::Value size = b.Abs(tau);
  const ir::Value length = b.Add(size, b.Sqrt(b.Add(one, b.Mul(tau, tau))));
  const ir::Value above = b.Greater(tau, zero);
  const ir::Value positive = b.Or(above, b.And(b.Equal(tau, zero), before));
  const ir::Value sign = b.Select(positive, one, b.Neg(one));
  const ir::Value tangent = b.Select(rotate, b.Div(sign, length), zero);
  const ir::Value cosine = b.Div(one, b.Sqrt(b.Add(one, b.Mul(tangent, tangent))));
  return {tangent, cosine, b.Mul(tangent, cosine)};
}

ir::Value Take(ir::Builder& b, ir::Value x, ir::Value indices) {  // of the last axis
  return b.Gather(x, indices, b.shape(x).rank() - 1);
}

ir::Value RotateRows(ir::Builder& b, ir::Value x, ir::Value partner, const Angles& angles) {
  const ir::Value other = b.Gather(x, partner, b.shape(x).rank() - 2);
  const ir::Value mine = b.Mul(AsColumns(b, angles.cosine, x), x);
  return b.Sub(mine, b.Mul(AsColumns(b, angles.sine, x), other));
}
ir::Value RotateColumns(ir::Builder& b, ir::Value x, ir::Value partner, const Angles& angles) {
  const ir::Value other = Take(b, x, partner);
  const ir::Value mine = b.Mul(AsRows(b, angles.cosine, x), x);
  return b.Sub(mine, b.Mul(AsRows(b, angles.sine, x), other));
}

// The whole-matrix maximum, [..., 1, 1].
ir::Value LargestOfAll(ir::Builder& b, ir::Value x) { return Largest(b, Largest(b, x, Over::kColumns), Over::kRows); }

// The powers of two at or below sizes, or the least normal number: divided by them, squares do not
// overflow and nothing is rounded.
ir::Value PowersOfTwo(ir::Builder& b, ir::Value sizes) {
  const DType dtype = b.type(sizes).dtype, bits = dtype == kFloat32 ? kInt32 : kInt64;
  const double least = dtype == kFloat32 ? std::numeric_limits<float>::min() : std::numeric_limits<double>::min();
  const ir::Value infinity = b.ScalarLike(sizes, std::numeric_limits<double>::infinity());
  const ir::Value number = b.Bitcast(sizes, bits), exponent = b.Bitcast(infinity, bits);
  const ir::Value power = b.Bitcast(b.And(number, exponent), dtype);
  return b.Max(power, b.ScalarLike(power, least));
}
ir::Value ScaleOf(ir::Builder& b, ir::Value x) {  // of matrices, [..., 1, 1]
  return PowersOfTwo(b, LargestOfAll(b, b.Abs(x)));
}

// Any element of a bool tensor of any rank.
ir::Value Any(ir::Builder& b, ir::Value x) {
  std::vector<int64_t> axes;
  for (int i = 0; i < b.shape(x).rank(); ++i) axes.push_back(i);
  return b.ReduceMax(x, axes);
}

// For keys [..., n]: the i32 positions that sort them, equal ones in their order.
ir::Value SortedOrder(ir::Builder& b, ir::Value keys, bool descending) {
  Type type = b.type(keys);
  const int64_t n = type.shape.dim(type.shape.rank() - 1);
  type.shape.push_back(n);
  const ir::Value mine = AsColumns(b, keys, b.Zeros(type)), other = AsRows(b, keys, b.Zeros(type));
  const ir::Value column = ColumnIndex(b, mine), earlier = b.Less(column, RowIndex(b, mine));
  const ir::Value first = descending ? b.Greater(other, mine) : b.Less(other, mine);
  const ir::Value before = b.Or(first, b.And(b.Equal(other, mine), earlier));
  return InversePermutation(b, b.ReduceSum(b.Cast(before, kInt32), {type.shape.rank() - 1}));
}

ir::Value SignOf(ir::Builder& b, ir::Value x) {  // -1 below 0, else 1
  const ir::Value one = b.ScalarLike(x, 1), negative = b.Less(x, b.ScalarLike(x, 0));
  return b.Select(negative, b.Neg(one), one);
}

// -1 for rows whose first component of at least 0.55 of the largest is negative, else 1: [..., n,
// 1].
ir::Value Signs(ir::Builder& b, ir::Value rows) {
  const ir::Value size = b.Abs(rows), largest = Largest(b, size, Over::kColumns);
  const ir::Value least = StretchLike(b, b.Mul(largest, b.ScalarLike(largest, 0.55)), size);
  const ir::Value column = ColumnIndex(b, size);
  const ir::Value last = b.ScalarLike(column, static_cast<double>(Columns(b, rows) - 1));
  const ir::Value first = Smallest(b, b.Select(b.GreaterEqual(size, least), column, last), Over::kColumns);
  const ir::Value chosen = Sum(b, Masked(b, b.Equal(column, StretchLike(b, first, column)), rows), Over::kColumns);
  return SignOf(b, chosen);
}

// NaN for matrices [..., 1, 1] that are not finite.
ir::Value OrNaN(ir::Builder& b, ir::Value finite, ir::Value x) {
  const ir::Value nan = b.ScalarLike(x, std::numeric_limits<double>::quiet_NaN());
  return b.Select(StretchLike(b, finite, x), x, nan);
}

ir::Value IsFinite(ir::Builder& b, ir::Value x) {  // [..., 1, 1]
  const ir::Value largest = LargestOfAll(b, b.Abs(x));
  return b.Less(largest, b.ScalarLike(largest, std::numeric_limits<double>::infinity()));
}

// --- eigh ---

// Whether an element off the diagonal is large enough to matter, [..., 1, 1]. Rotations mix
// elements off the diagonal only among themselves, so they vanish quadratically with no floor of
// rounding errors.
ir::Value IsActive(ir::Builder& b, ir::Value a) {
  const ir::Value on = OnDiagonal(b, a), size = b.Abs(a);
  const ir::Value off = LargestOfAll(b, Masked(b, b.Not(on), size));
  const ir::Value scale = LargestOfAll(b, Masked(b, on, size));
  return b.Greater(off, b.Mul(scale, b.ScalarLike(scale, Epsilon(b.type(a).dtype) / 16)));
}

// One round on a and the rows of vt.
ir::ValueList EighRound(ir::Builder& s, ir::Value round, ir::Value a, ir::Value vt, ir::Value active) {
  const int64_t n = Rows(s, a);
  const ir::Value partner = Partners(s, round, n), i = s.Iota(kInt32, {n}, 0);
  Shape flat = s.shape(active);
  flat = Shape(std::span<const Extent>(flat.begin(), flat.end() - 2));
  flat.push_back(n * n);
  const ir::Value elements = s.Reshape(a, flat), p = Diagonal(s, a), q = Take(s, p, partner);
  // of the two equal elements, always the upper one: both rows must see the same number
  const DType position = IndexType(n * n);
  const ir::Value lower = s.Cast(s.Min(i, partner), position);
  const ir::Value upper = s.Cast(s.Max(i, partner), position);
  const ir::Value above = s.Add(s.Mul(lower, s.ScalarLike(lower, static_cast<double>(n))), upper);
  const ir::Value x = Take(s, elements, above);
  const auto per_row = [&](ir::Value v) { return s.BroadcastTo(v, Shape(s.shape(p))); };
  const ir::Value plays = per_row(s.NotEqual(i, partner));
  const ir::Value rotate = s.And(plays, s.NotEqual(x, s.ScalarLike(x, 0)));
  const Angles angles = AnglesOf(s, p, x, q, per_row(s.Less(i, partner)), rotate);
  const ir::Value rotated = RotateColumns(s, RotateRows(s, a, partner, angles), partner, angles);
  const ir::Value diagonal = s.Sub(p, s.Mul(angles.tangent, x));
  const ir::Value row = RowIndex(s, a), column = ColumnIndex(s, a);
  const ir::Value mate = s.Equal(column, AsColumns(s, per_row(partner), column));
  const ir::Value cleared = s.Select(mate, s.ScalarLike(a, 0), rotated);
  const ir::Value on = s.Equal(row, column);
  const ir::Value next = s.Select(on, AsRows(s, diagonal, a), cleared);
  const ir::Value keep = StretchLike(s, active, a);
  return {s.Select(keep, next, a), s.Select(keep, RotateRows(s, vt, partner, angles), vt)};
}

}  // namespace

EXPAND(Eigh) {
  ir::Builder& b = c.b;
  const Type type = c.x_type();
  const int64_t n = Rows(b, c.x()), rounds = n % 2 == 0 ? n - 1 : n;
  Type w_type = type;
  w_type.shape = Shape(std::span<const Extent>(type.shape.begin(), type.shape.end() - 1));
  if (type.shape.size() == 0) return {b.Zeros(w_type), b.Zeros(type)};
  if (!CheckPositions(b, c.x())) return {};
  const ir::Value row = RowIndex(b, c.x()), lower = b.GreaterEqual(row, ColumnIndex(b, c.x()));
  const ir::Value whole = b.Select(lower, c.x(), Transposed(b, c.x()));
  const ir::Value finite = IsFinite(b, whole);
  const ir::Value given = Masked(b, StretchLike(b, finite, whole), whole);
  const ir::Value scale = ScaleOf(b, given), a = b.Div(given, StretchLike(b, scale, given));
  Loops loops(c.module, "eigh");
  const auto round = [](ir::Builder& s, ir::Value r, Loops::Values carried, Loops::Values fixed) {
    return EighRound(s, r, carried[0], carried[1], fixed[0]);
  };
  const auto sweep = [&](ir::Builder& s, ir::Value, Loops::Values carried, Loops::Values) {
    ir::ValueList next = loops.For(s, rounds, carried.subspan(0, 2), {carried[2]}, round);
    if (next.empty()) return next;
    next.push_back(IsActive(s, next[0]));
    return next;
  };
  const auto more = [](ir::Builder& s, Loops::Values carried) { return Any(s, carried[2]); };
  const ir::ValueList done = loops.For(b, kMaxSweeps, {a, Identity(b, type), IsActive(b, a)}, {}, sweep, more);
  if (done.empty()) return {};
  const ir::Value w = Diagonal(b, done[0]), order = SortedOrder(b, w, false);
  const ir::Value sorted = GatherRows(b, AsColumn(b, w), order);  // [..., n, 1]
  const ir::Value scaled = b.Mul(sorted, StretchLike(b, scale, sorted));
  const ir::Value vt = GatherRows(b, done[1], order);
  const ir::Value signed_vt = b.Mul(vt, StretchLike(b, Signs(b, vt), vt));
  return {b.Reshape(OrNaN(b, finite, scaled), w_type.shape), OrNaN(b, finite, Transposed(b, signed_vt))};
}

// --- svd ---

namespace {

// One round on g, whose rows become orthogonal, and vt; `rotated` [..., 1, 1] says whether the
// sweep has rotated anything.
ir::ValueList SvdRound(ir::Builder& s, ir::Value round, Loops::Values carried) {
  const ir::Value g = carried[0], vt = carried[1];
  const int64_t n = Rows(s, g);
  const int last = s.shape(g).rank() - 1;
  const ir::Value partner = Partners(s, round, n), i = s.Iota(kInt32, {n}, 0);
  const ir::Value p = s.ReduceSum(s.Mul(g, g), {last}), q = Take(s, p, partner);
  const ir::Value x = s.ReduceSum(s.Mul(g, s.Gather(g, partner, last - 1)), {last});
  const auto per_row = [&](ir::Value v) { return s.BroadcastTo(v, Shape(s.shape(p))); };
  const double tolerance =
      Epsilon(s.type(g).dtype) * std::sqrt(static_cast<double>(std::max<int64_t>(Columns(s, g), 4)));
  const ir::Value mine = s.Sqrt(p), lengths = s.Mul(mine, s.Sqrt(q));
  const ir::Value least = s.Mul(lengths, s.ScalarLike(p, tolerance));
  // 0 for rows so short that their squares vanish: beside the others they are nothing
  const ir::Value matters = s.Greater(least, s.ScalarLike(least, 0));
  const ir::Value plays = s.And(per_row(s.NotEqual(i, partner)), matters);
  const ir::Value rotate = s.And(plays, s.Greater(s.Abs(x), least));
  const Angles angles = AnglesOf(s, p, x, q, per_row(s.Less(i, partner)), rotate);
  const ir::Value any = Largest(s, AsRow(s, rotate), Over::kColumns);
  return {RotateRows(s, g, partner, angles), RotateRows(s, vt, partner, angles), s.Or(carried[2], any)};
}

struct Factors {
  ir::Value u, s, vt;
};

// Of finite matrices with m >= n.
Factors TallSvd(ir::Builder& b, Loops& loops, ir::Value a) {
  const int64_t m = Rows(b, a), n = Columns(b, a), rounds = n % 2 == 0 ? n - 1 : n;
  ir::Value q, square = a;
  if (m >= 2 * n) {  // rotate the rows of r instead of the longer ones of a
    const ir::ValueList qr = b.EmitAll(ir::Op::kQr, {a});
    if (qr.empty()) return {};
    q = qr[0];
    square = qr[1];
  }
  const ir::Value scale = ScaleOf(b, square);
  const ir::Value columns = Transposed(b, b.Div(square, StretchLike(b, scale, square)));
  const auto round = [](ir::Builder& s, ir::Value r, Loops::Values carried, Loops::Values) {
    return SvdRound(s, r, carried);
  };
  const auto sweep = [&](ir::Builder& s, ir::Value, Loops::Values carried, Loops::Values) {
    const ir::Value none = s.Full({kBool, s.shape(carried[2])}, 0);
    return loops.For(s, rounds, {carried[0], carried[1], none}, {}, round);
  };
  const auto more = [](ir::Builder& s, Loops::Values carried) { return Any(s, carried[2]); };
  const Type vt_type = MatrixType(b, columns, n, n);
  const ir::Value start = b.Full({kBool, b.shape(scale)}, 1);
  const ir::ValueList done = loops.For(b, kMaxSweeps, {columns, Identity(b, vt_type), start}, {}, sweep, more);
  if (done.empty()) return {};
  const int last = b.shape(a).rank() - 1;
  const ir::Value sizes = PowersOfTwo(b, Largest(b, b.Abs(done[0]), Over::kColumns));
  const ir::Value unit = b.Div(done[0], StretchLike(b, sizes, done[0]));
  const ir::Value norms = b.Sqrt(b.ReduceSum(b.Mul(unit, unit), {last}));  // [..., n]
  const ir::Value lengths = b.Mul(norms, b.Reshape(sizes, b.shape(norms)));
  const ir::Value order = SortedOrder(b, lengths, true);
  const ir::Value sorted = GatherRows(b, AsColumn(b, lengths), order);  // [..., n, 1]
  const ir::Value s = b.Mul(sorted, StretchLike(b, scale, sorted));
  // Q of the orthogonal columns is them, of length 1, and completes those of length 0.
  const ir::ValueList qr = b.EmitAll(ir::Op::kQr, {Transposed(b, GatherRows(b, done[0], order))});
  if (qr.empty()) return {};
  const ir::Value sign = SignOf(b, AsRow(b, Diagonal(b, qr[1])));
  ir::Value u = b.Mul(qr[0], StretchLike(b, sign, qr[0]));
  if (q.valid()) u = Product(b, q, u);
  Shape s_shape(std::span<const Extent>(b.shape(s).begin(), b.shape(s).end() - 1));
  return {u, b.Reshape(s, s_shape), GatherRows(b, done[1], order)};
}

}  // namespace

EXPAND(Svd) {
  ir::Builder& b = c.b;
  const Type type = c.x_type();
  const int64_t m = Rows(b, c.x()), n = Columns(b, c.x()), k = std::min(m, n);
  if (type.shape.size() == 0) {
    Shape s_shape(std::span<const Extent>(type.shape.begin(), type.shape.end() - 2));
    s_shape.push_back(k);
    return {Identity(b, MatrixType(b, c.x(), m, k)), b.Zeros({type.dtype, s_shape}),
            Identity(b, MatrixType(b, c.x(), k, n))};
  }
  if (!CheckPositions(b, c.x())) return {};
  const ir::Value finite = IsFinite(b, c.x()), a = Masked(b, StretchLike(b, finite, c.x()), c.x());
  Loops loops(c.module, "svd");
  Factors f = TallSvd(b, loops, m >= n ? a : Transposed(b, a));
  if (!b.status().ok()) return {};
  if (m < n) f = {Transposed(b, f.vt), f.s, Transposed(b, f.u)};
  const ir::Value sign = Signs(b, Transposed(b, f.u));  // [..., k, 1]
  const ir::Value vt = b.Mul(f.vt, StretchLike(b, sign, f.vt));
  const ir::Value u = b.Mul(f.u, StretchLike(b, Transposed(b, sign), f.u));
  const Shape s_shape = b.shape(f.s);
  return {OrNaN(b, finite, u), b.Reshape(OrNaN(b, finite, AsRow(b, f.s)), s_shape), OrNaN(b, finite, vt)};
}

}  // namespace reel::passes
