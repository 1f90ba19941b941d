#include <algorithm>
#include <limits>
#include <tuple>
#include <utility>

#include "passes/expand/loop.h"
#include "passes/expand/rule.h"
#include "passes/matrix.h"

// Factorizations as loops over columns, in panels of kBlock columns with a matrix product for what
// lies outside the panel (Golub & Van Loan, Matrix Computations, 4th ed., 3.1, 3.4, 4.2, 5.2).
// Every step works on a whole panel under masks, so shapes are fixed and a batch runs in step.

namespace reel::passes {
namespace {

constexpr int64_t kBlock = 32;
constexpr int64_t kMostUnrolledBlocks = 4;  // of a matrix whose panels have loops of their own, as narrow as they are

int64_t Blocks(int64_t n) { return (n + kBlock - 1) / kBlock; }

ir::Value Times(ir::Builder& b, ir::Value i, int64_t factor) { return b.Mul(i, Index(b, factor)); }

// a with ones after the end of its diagonal, zeros beside them: [..., size, size].
ir::Value PadWithIdentity(ir::Builder& b, ir::Value a, int64_t size) {
  const int64_t n = Rows(b, a);
  if (n == size) return a;
  const ir::Value padded = PadTo(b, a, size, size), row = RowIndex(b, padded);
  const ir::Value on = b.Equal(row, ColumnIndex(b, padded));
  const ir::Value added = b.And(on, b.GreaterEqual(row, Like(b, Index(b, n), row)));
  return b.Select(added, b.Ones(Type(b.type(padded))), padded);
}

// Rows and columns from the first of each pair to before the second.
ir::Value Part(ir::Builder& b, ir::Value x, std::pair<int64_t, int64_t> rows, std::pair<int64_t, int64_t> columns) {
  const Shape shape = b.shape(x);
  const auto rank = static_cast<size_t>(shape.rank());
  std::vector<int64_t> starts(rank, 0), limits = shape.dims(), strides(rank, 1);
  std::tie(starts[rank - 2], limits[rank - 2]) = rows;
  std::tie(starts[rank - 1], limits[rank - 1]) = columns;
  return b.Slice(x, starts, limits, strides);
}

// Zeros before its columns.
ir::Value PadBefore(ir::Builder& b, ir::Value x, int64_t columns) {
  std::vector<int64_t> none(static_cast<size_t>(b.shape(x).rank()), 0), low = none;
  low.back() = columns;
  return columns == 0 ? x : b.Pad(x, b.Scalar(b.type(x).dtype, 0), low, none, none);
}

// --- cholesky ---

// All of it is of U = L', whose rows, the columns of L, lie side by side.

// Rows first, first + 1, ... of U from those of a' - (what earlier rows contribute).
ir::Value CholeskyPanel(ir::Builder& b, Loops& loops, ir::Value panel, ir::Value first) {
  const auto step = [](ir::Builder& s, ir::Value j, Loops::Values carried, Loops::Values fixed) {
    const ir::Value u = carried[0], at_j = s.Add(fixed[1], j);
    const ir::Value given = RowsAt(s, fixed[0], j);
    const ir::Value row = s.Sub(given, Product(s, ColumnsAt(s, u, at_j), u, Side::kLeft));
    const ir::Value root = StretchLike(s, s.Sqrt(ColumnsAt(s, row, at_j)), row);
    const ir::Value column = ColumnIndex(s, row), at = Like(s, at_j, column);
    const ir::Value right = s.Greater(column, at), beside = Masked(s, right, s.Div(row, root));
    return ir::ValueList{WithRowsAt(s, u, s.Select(s.Equal(column, at), root, beside), j)};
  };
  const ir::ValueList u = loops.For(b, Rows(b, panel), {b.Zeros(Type(b.type(panel)))}, {panel, first}, step);
  return u.empty() ? ir::Value{} : u[0];
}

// Panel after panel, of as many columns as are left.
ir::Value CholeskyOfFew(ir::Builder& b, Loops& loops, ir::Value a) {
  const int64_t n = Rows(b, a);
  ir::Value u = b.Zeros(Type(b.type(a)));
  for (int64_t start = 0; start < n; start += kBlock) {
    ir::Value panel = Transposed(b, Part(b, a, {start, n}, {start, start + kBlock}));
    if (start > 0) {
      const ir::Value left = Part(b, u, {0, start}, {start, start + kBlock});
      const ir::Value sums = Product(b, left, Part(b, u, {0, start}, {start, n}), Side::kLeft);
      // A sum that goes on over zeros is never -0.
      panel = b.Sub(panel, b.Add(sums, b.ScalarLike(sums, 0)));
    }
    const ir::Value factor = CholeskyPanel(b, loops, panel, Index(b, 0));
    if (!factor.valid()) return {};
    u = WithRowsAt(b, u, PadBefore(b, factor, start), Index(b, start));
  }
  return u;
}

// The same as a loop: all rows and columns, zeros where they are not yet known.
ir::Value CholeskyOfMany(ir::Builder& b, Loops& loops, ir::Value a) {
  const auto step = [&loops](ir::Builder& s, ir::Value i, Loops::Values carried, Loops::Values fixed) {
    const ir::Value start = Times(s, i, kBlock), left = ColumnsAt(s, carried[0], start, kBlock);
    const ir::Value given = Transposed(s, ColumnsAt(s, fixed[0], start, kBlock));
    const ir::Value panel = s.Sub(given, Product(s, left, carried[0], Side::kLeft));
    return ir::ValueList{WithRowsAt(s, carried[0], CholeskyPanel(s, loops, panel, start), start)};
  };
  const ir::ValueList u = loops.For(b, Blocks(Rows(b, a)), {b.Zeros(Type(b.type(a)))}, {a}, step);
  return u.empty() ? ir::Value{} : u[0];
}

// --- triangular solve ---

// Rows of x one after the other, from the top if lower: x_i = (b_i - t_i x) / d_i, where t is
// strictly triangular and d [..., n, 1] its diagonal, or invalid for ones.
ir::Value Substitute(ir::Builder& b, Loops& loops, ir::Value t, ir::Value d, ir::Value rhs, bool lower) {
  const int64_t n = Rows(b, rhs);
  ir::ValueList fixed{t, rhs};
  if (d.valid()) fixed.push_back(d);
  const auto step = [n, lower](ir::Builder& s, ir::Value i, Loops::Values carried, Loops::Values in) {
    if (!lower) i = s.Sub(Index(s, n - 1), i);
    const ir::Value given = RowsAt(s, in[1], i);
    ir::Value x = s.Sub(given, Product(s, RowsAt(s, in[0], i), carried[0]));
    if (in.size() > 2) x = s.Div(x, StretchLike(s, RowsAt(s, in[2], i), x));
    return ir::ValueList{WithRowsAt(s, carried[0], x, i)};
  };
  const ir::ValueList x = loops.For(b, n, {b.Zeros(Type(b.type(rhs)))}, fixed, step);
  return x.empty() ? ir::Value{} : x[0];
}

// The same in blocks of rows: the rows of a block share one product with the x so far.
ir::Value SubstituteBlocks(ir::Builder& b, Loops& loops, ir::Value t, ir::Value d, ir::Value rhs, bool lower) {
  const int64_t blocks = Rows(b, rhs) / kBlock;
  ir::ValueList fixed{t, rhs};
  if (d.valid()) fixed.push_back(d);
  const auto step = [&](ir::Builder& s, ir::Value i, Loops::Values carried, Loops::Values in) {
    if (!lower) i = s.Sub(Index(s, blocks - 1), i);
    const ir::Value start = Times(s, i, kBlock), rows = RowsAt(s, in[0], start, kBlock);
    const ir::Value given = RowsAt(s, in[1], start, kBlock);
    const ir::Value left = s.Sub(given, Product(s, rows, carried[0]));
    const ir::Value diagonal = in.size() > 2 ? RowsAt(s, in[2], start, kBlock) : ir::Value{};
    const ir::Value x = Substitute(s, loops, ColumnsAt(s, rows, start, kBlock), diagonal, left, lower);
    return ir::ValueList{WithRowsAt(s, carried[0], x, start)};
  };
  const ir::ValueList x = loops.For(b, blocks, {b.Zeros(Type(b.type(rhs)))}, fixed, step);
  return x.empty() ? ir::Value{} : x[0];
}

}  // namespace

EXPAND(Cholesky) {
  ir::Builder& b = c.b;
  const int64_t n = Rows(b, c.x());
  if (c.x_type().shape.size() == 0) return {b.Zeros(c.x_type())};
  if (!CheckPositions(b, c.x())) return {};
  Loops loops(c.module, "cholesky");
  const int64_t blocks = Blocks(n);
  const ir::Value a = blocks == 1 ? c.x() : PadWithIdentity(b, c.x(), blocks * kBlock);
  const ir::Value all = blocks == 1                     ? CholeskyPanel(b, loops, Transposed(b, a), Index(b, 0))
                        : blocks <= kMostUnrolledBlocks ? CholeskyOfFew(b, loops, a)
                                                        : CholeskyOfMany(b, loops, a);
  if (!all.valid()) return {};
  const ir::Value u = Corner(b, all, n, n), l = Transposed(b, u);
  const ir::Value least = Smallest(b, AsRow(b, Diagonal(b, u)), Over::kColumns);  // [..., 1, 1]
  const ir::Value positive = b.Greater(least, b.ScalarLike(least, 0));
  const ir::Value nan = Keep(b, b.ScalarLike(l, std::numeric_limits<double>::quiet_NaN()), Triangle::kLower);
  return {b.Select(StretchLike(b, positive, l), l, nan)};
}

EXPAND(TriangularSolve) {
  ir::Builder& b = c.b;
  const Type type = c.x_type(1);
  if (type.shape.size() == 0) return {b.Zeros(type)};
  if (!CheckPositions(b, c.x())) return {};
  const bool transpose = c.node.attr<bool>("transpose"), unit = c.node.attr<bool>("unit_diagonal");
  const bool lower = c.node.attr<bool>("lower") != transpose;
  const int64_t n = Rows(b, c.x(1)), columns = Columns(b, c.x(1));
  const bool blocked = n > kBlock;
  const ir::Value a = transpose ? Transposed(b, c.x()) : c.x();
  ir::Value t = Keep(b, a, lower ? Triangle::kStrictlyLower : Triangle::kStrictlyUpper), rhs = c.x(1),
            d = unit ? ir::Value{} : AsColumn(b, Diagonal(b, a));
  Loops loops(c.module, "triangular_solve");
  if (!blocked) return {Substitute(b, loops, t, d, rhs, lower)};
  const int64_t padded = Blocks(n) * kBlock;  // more equations: 1 x = 0
  t = PadTo(b, t, padded, padded);
  rhs = PadTo(b, rhs, padded, columns);
  if (d.valid() && padded > n) {
    const auto rank = static_cast<size_t>(type.shape.rank());
    std::vector<int64_t> none(rank, 0), high = none;
    high[rank - 2] = padded - n;
    d = b.Pad(d, b.Scalar(type.dtype, 1), none, high, none);
  }
  const ir::Value x = SubstituteBlocks(b, loops, t, d, rhs, lower);
  return {Corner(b, x, n, columns)};
}

// --- lu ---

namespace {

// Rows stay where they are; position [..., n, 1] says where row swaps would have put them by now.
// Columns first, first + 1, ... of a panel are eliminated; returns the panel and the positions.
ir::ValueList LuPanel(ir::Builder& b, Loops& loops, ir::Value panel, ir::Value position, ir::Value first) {
  const auto step = [](ir::Builder& s, ir::Value j, Loops::Values carried, Loops::Values fixed) {
    const ir::Value a = carried[0], position = carried[1], k = Like(s, s.Add(fixed[0], j), position);
    const ir::Value column = ColumnsAt(s, a, j);
    // the largest of the rows left, NaN before all; the first of equal ones
    const ir::Value number = s.Equal(column, column), length = s.Abs(column);
    const ir::Value size = s.Select(number, length, s.ScalarLike(column, std::numeric_limits<double>::infinity()));
    const ir::Value open = s.GreaterEqual(position, k);
    const ir::Value left = s.Select(open, size, s.ScalarLike(size, -1));
    const ir::Value largest = s.Equal(left, StretchLike(s, Largest(s, left, Over::kRows), left));
    const ir::Value last = s.ScalarLike(position, std::numeric_limits<int32_t>::max());
    const ir::Value found = StretchLike(s, Smallest(s, s.Select(largest, position, last), Over::kRows), position);
    const ir::Value chosen = s.Equal(position, found);
    const ir::Value moved = s.Select(chosen, k, s.Select(s.Equal(position, k), found, position));
    // a -= l u for the rows and columns left
    const ir::Value u = Sum(s, Masked(s, StretchLike(s, chosen, a), a), Over::kRows);
    const ir::Value pivot = StretchLike(s, ColumnsAt(s, u, j), column);
    const ir::Value none = s.Equal(pivot, s.ScalarLike(pivot, 0));
    const ir::Value l = s.Select(none, column, s.Div(column, pivot));
    const ir::Value lower = StretchLike(s, l, a), at = Like(s, j, a), where = ColumnIndex(s, a);
    const ir::Value right = s.Sub(a, s.Mul(lower, StretchLike(s, u, a)));
    const ir::Value after = s.Greater(where, at);
    const ir::Value next = s.Select(after, right, s.Select(s.Equal(where, at), lower, a));
    return ir::ValueList{s.Select(StretchLike(s, s.Greater(moved, k), a), next, a), moved};
  };
  return loops.For(b, Columns(b, panel), {panel, position}, {first}, step);
}

// The rows whose positions are first, first + 1, ...: i32 [..., count].
ir::Value RowsInOrder(ir::Builder& b, ir::Value position, ir::Value first, int64_t count) {
  Type type = b.type(position);  // [..., n, 1]
  const int rank = type.shape.rank();
  const int64_t n = Rows(b, position);
  type.shape.set(rank - 2, 1);
  type.shape.set(rank - 1, n);
  const ir::Value row = b.Reshape(position, type.shape);
  type.shape.set(rank - 2, count);
  const ir::Value zeros = b.Zeros(type), offset = RowIndex(b, zeros);
  const ir::Value place = b.Add(offset, Like(b, first, zeros));
  const ir::Value hit = b.Equal(StretchLike(b, row, zeros), place);
  return b.ReduceMax(Masked(b, hit, ColumnIndex(b, zeros)), {rank - 1});
}

// Eliminates the columns of block i and updates those to their right.
ir::ValueList LuBlock(ir::Builder& s, Loops& loops, ir::Value i, ir::Value a, ir::Value position) {
  const ir::Value start = Times(s, i, kBlock);
  const ir::ValueList factored = LuPanel(s, loops, ColumnsAt(s, a, start, kBlock), position, start);
  if (factored.empty()) return {};
  const ir::Value panel = factored[0], moved = factored[1];
  // Rows 1, chosen in this block: u12 = l11^-1 a12. Rows 2, left: a22 -= l21 u12.
  const ir::Value chosen = RowsInOrder(s, moved, start, kBlock);
  const ir::Value l11 = Keep(s, GatherRows(s, panel, chosen), Triangle::kStrictlyLower);
  const ir::Value u12 = Substitute(s, loops, l11, {}, GatherRows(s, a, chosen), true);
  const ir::Value first = Like(s, start, moved), next = Like(s, s.Add(start, Index(s, kBlock)), moved);
  const ir::Value left = s.GreaterEqual(moved, next);
  const ir::Value l21 = Masked(s, StretchLike(s, left, panel), panel);
  const ir::Value below = s.Sub(a, Product(s, l21, u12));
  // row r of the whole matrix gets row position - start of u12, if it is in this block
  const ir::Value reached = s.GreaterEqual(moved, first), in_block = s.And(reached, s.Not(left));
  const ir::Value which = Masked(s, in_block, s.Sub(moved, first));
  const Shape batch_rows(std::span<const Extent>(s.shape(which).begin(), s.shape(which).end() - 1));
  const ir::Value across = GatherRows(s, u12, s.Reshape(which, batch_rows));
  const ir::Value chosen_rows = s.Select(StretchLike(s, in_block, a), across, a);
  const ir::Value updated = s.Select(StretchLike(s, left, a), below, chosen_rows);
  const ir::Value where = ColumnIndex(s, a);
  const ir::Value right = s.GreaterEqual(where, Like(s, s.Add(start, Index(s, kBlock)), where));
  return {WithColumnsAt(s, s.Select(right, updated, a), panel, start), moved};
}

}  // namespace

EXPAND(Lu) {
  ir::Builder& b = c.b;
  const Type type = c.x_type();
  const int64_t n = Rows(b, c.x());
  Type permutation{kInt32, Shape(std::span<const Extent>(type.shape.begin(), type.shape.end() - 1))};
  if (type.shape.size() == 0) return {b.Zeros(type), b.Zeros(permutation)};
  if (!CheckPositions(b, c.x())) return {};
  Loops loops(c.module, "lu");
  const int64_t size = n <= kBlock ? n : Blocks(n) * kBlock;
  const ir::Value a = PadWithIdentity(b, c.x(), size);
  Shape column = b.shape(a);
  column.set(column.rank() - 1, 1);
  const ir::Value position = b.Iota(kInt32, column, column.rank() - 2);
  ir::ValueList done;
  if (n <= kBlock) {
    done = LuPanel(b, loops, a, position, Index(b, 0));
  } else {
    done = loops.For(b, Blocks(n), {a, position}, {},
                     [&loops](ir::Builder& s, ir::Value i, Loops::Values carried, Loops::Values) {
                       return LuBlock(s, loops, i, carried[0], carried[1]);
                     });
  }
  if (done.empty()) return {};
  const ir::Value places = Corner(b, done[1], n, 1);
  const ir::Value order = RowsInOrder(b, places, Index(b, 0), n);
  return {GatherRows(b, Corner(b, done[0], n, n), order), order};
}

// --- qr ---

namespace {

// H = I - tau v v' that makes column j of r zero below its diagonal; v = 0 and tau = 1 if it is.
// Returns v [..., m, 1], tau [..., 1, 1] and the column after H. Scaled, so that squares do not
// overflow.
struct Reflection {
  ir::Value v, tau, column;
};
Reflection Reflect(ir::Builder& s, ir::Value x, ir::Value j) {
  const ir::Value row = RowIndex(s, x), at = Like(s, j, row);
  const ir::Value below = Masked(s, s.Greater(row, at), x);
  const ir::Value alpha = Sum(s, Masked(s, s.Equal(row, at), x), Over::kRows);
  const ir::Value zero = s.ScalarLike(alpha, 0), one = s.ScalarLike(alpha, 1);
  const ir::Value size = Largest(s, s.Abs(below), Over::kRows);
  const ir::Value done = s.Equal(size, zero), largest = s.Max(size, s.Abs(alpha));
  const ir::Value scale = s.Select(done, one, largest);
  const ir::Value rest = Masked(s, s.GreaterEqual(row, at), x);
  const ir::Value part = s.Div(rest, StretchLike(s, scale, x));
  const ir::Value norm = s.Mul(scale, s.Sqrt(Sum(s, s.Mul(part, part), Over::kRows)));
  const ir::Value negative = s.Less(alpha, zero), beta = s.Select(negative, norm, s.Neg(norm));
  const ir::Value tau = s.Select(done, one, s.Div(s.Sub(beta, alpha), beta));
  const ir::Value divisor = s.Select(done, one, s.Sub(alpha, beta));
  const ir::Value head = StretchLike(s, s.Select(done, zero, one), x);
  const ir::Value on = s.Equal(row, at);
  const ir::Value v = s.Select(on, head, s.Div(below, StretchLike(s, divisor, x)));
  const ir::Value diagonal = StretchLike(s, s.Select(done, alpha, beta), x);
  return {v, tau, s.Select(on, diagonal, Masked(s, s.Less(row, at), x))};
}

// Reflections of the first `count` columns of a panel, whose diagonal starts at row `first`: the
// panel after them, V (column j is v_j) and tau [..., 1, count].
ir::ValueList QrPanel(ir::Builder& b, Loops& loops, ir::Value panel, ir::Value first, int64_t count) {
  const auto step = [](ir::Builder& s, ir::Value j, Loops::Values carried, Loops::Values fixed) {
    const ir::Value r = carried[0];
    const ir::Value column = ColumnsAt(s, r, j);
    const Reflection h = Reflect(s, column, s.Add(fixed[0], j));
    const ir::Value w = Product(s, h.v, r, Side::kLeft);  // v' r
    const ir::Value scaled = s.Mul(h.v, StretchLike(s, h.tau, h.v));
    const ir::Value columns = StretchLike(s, scaled, r);
    const ir::Value after = s.Sub(r, s.Mul(columns, StretchLike(s, w, r)));
    const ir::Value where = ColumnIndex(s, r);
    const ir::Value next = s.Select(s.Greater(where, Like(s, j, where)), after, r);
    return ir::ValueList{WithColumnsAt(s, next, h.column, j), WithColumnsAt(s, carried[1], h.v, j),
                         WithColumnsAt(s, carried[2], h.tau, j)};
  };
  const Type v = MatrixType(b, panel, Rows(b, panel), count), tau = MatrixType(b, panel, 1, count);
  return loops.For(b, count, {panel, b.Zeros(v), b.Ones(tau)}, {first}, step);
}

// x - V T V' x, the reflections in order, or x - V T' V' x, in the opposite order: T^-1 is upper
// triangular, 1 / tau on its diagonal, V' V above it (Walker 1988).
ir::Value ApplyReflections(ir::Builder& b, Loops& loops, ir::Value v, ir::Value tau, ir::Value x, bool transpose) {
  const ir::Value square = Product(b, v, v, Side::kLeft);
  const ir::Value upper = transpose ? Transposed(b, square) : square;
  const ir::Value t = Keep(b, upper, transpose ? Triangle::kStrictlyLower : Triangle::kStrictlyUpper);
  Shape column = b.shape(tau);
  column.set(column.rank() - 2, Columns(b, v));
  column.set(column.rank() - 1, 1);
  const ir::Value d = b.Reshape(b.Div(b.ScalarLike(tau, 1), tau), column);
  const ir::Value w = Substitute(b, loops, t, d, Product(b, v, x, Side::kLeft), transpose);
  return b.Sub(x, Product(b, v, w));
}

// Factors block i and applies its reflections to the columns to its right. Carried: r, V, tau.
ir::ValueList QrBlock(ir::Builder& s, Loops& loops, ir::Value i, Loops::Values carried) {
  const ir::Value start = Times(s, i, kBlock), r = carried[0];
  const ir::ValueList panel = QrPanel(s, loops, ColumnsAt(s, r, start, kBlock), start, kBlock);
  if (panel.empty()) return {};
  const ir::Value after = ApplyReflections(s, loops, panel[1], panel[2], r, true);
  const ir::Value where = ColumnIndex(s, r);
  const ir::Value right = s.GreaterEqual(where, Like(s, s.Add(start, Index(s, kBlock)), where));
  return {WithColumnsAt(s, s.Select(right, after, r), panel[0], start), WithColumnsAt(s, carried[1], panel[1], start),
          WithColumnsAt(s, carried[2], panel[2], start)};
}

}  // namespace

EXPAND(Qr) {
  ir::Builder& b = c.b;
  const int64_t m = Rows(b, c.x()), n = Columns(b, c.x()), k = std::min(m, n);
  const Type q_type = MatrixType(b, c.x(), m, k), r_type = MatrixType(b, c.x(), k, n);
  if (c.x_type().shape.size() == 0) return {Identity(b, q_type), b.Zeros(r_type)};
  if (!CheckPositions(b, c.x())) return {};
  Loops loops(c.module, "qr");
  const int64_t blocks = Blocks(k);
  if (blocks == 1) {
    const ir::ValueList done = QrPanel(b, loops, c.x(), Index(b, 0), k);
    if (done.empty()) return {};
    const ir::Value q = ApplyReflections(b, loops, done[1], done[2], Identity(b, q_type), false);
    return {q, Corner(b, done[0], k, n)};
  }
  const int64_t columns = blocks * kBlock;  // columns of zeros need no reflection
  const ir::Value a = PadTo(b, c.x(), m, std::max(n, columns));
  const Type v_type = MatrixType(b, a, m, columns), tau_type = MatrixType(b, a, 1, columns);
  const ir::ValueList done = loops.For(b, blocks, {a, b.Zeros(v_type), b.Ones(tau_type)}, {},
                                       [&loops](ir::Builder& s, ir::Value i, Loops::Values carried, Loops::Values) {
                                         return QrBlock(s, loops, i, carried);
                                       });
  if (done.empty()) return {};
  const auto backward = [&](ir::Builder& s, ir::Value i, Loops::Values carried, Loops::Values fixed) {
    const ir::Value start = Times(s, s.Sub(Index(s, blocks - 1), i), kBlock);
    const ir::Value v = ColumnsAt(s, fixed[0], start, kBlock);
    const ir::Value tau = ColumnsAt(s, fixed[1], start, kBlock);
    return ir::ValueList{ApplyReflections(s, loops, v, tau, carried[0], false)};
  };
  const ir::ValueList q = loops.For(b, blocks, {Identity(b, q_type)}, {done[1], done[2]}, backward);
  if (q.empty()) return {};
  return {q[0], Corner(b, done[0], k, n)};
}

}  // namespace reel::passes
