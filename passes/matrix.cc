#include "passes/matrix.h"

#include <algorithm>
#include <limits>
#include <numeric>

#include "ir/strings.h"

namespace reel::passes {
namespace {

using Ints = std::vector<int64_t>;

int Rank(const ir::Builder& b, ir::Value x) { return b.shape(x).rank(); }

Shape WithAxis(const Shape& shape, int axis) {
  Shape out;
  for (int i = 0; i <= shape.rank(); ++i) {
    if (i == axis) out.push_back(1);
    if (i < shape.rank()) out.push_back(shape[i]);
  }
  return out;
}

int64_t AxisOf(const ir::Builder& b, ir::Value x, Over over) { return Rank(b, x) - (over == Over::kRows ? 2 : 1); }

Shape Kept(const ir::Builder& b, ir::Value x, int64_t axis) {
  Shape shape = b.shape(x);
  shape.set(static_cast<int>(axis), 1);
  return shape;
}

}  // namespace

int64_t Rows(const ir::Builder& b, ir::Value x) { return b.shape(x).dim(Rank(b, x) - 2); }
int64_t Columns(const ir::Builder& b, ir::Value x) { return b.shape(x).dim(Rank(b, x) - 1); }

Type MatrixType(const ir::Builder& b, ir::Value x, int64_t rows, int64_t columns) {
  Type type = b.type(x);
  type.shape.set(type.shape.rank() - 2, rows);
  type.shape.set(type.shape.rank() - 1, columns);
  return type;
}

ir::Value Product(ir::Builder& b, ir::Value x, ir::Value y, Side transposed) {
  const int64_t rank = Rank(b, x);
  Ints batch(static_cast<size_t>(rank - 2));
  std::iota(batch.begin(), batch.end(), 0);
  return b.Contract(x, y,
                    {batch,
                     batch,
                     {transposed == Side::kLeft ? rank - 2 : rank - 1},
                     {transposed == Side::kRight ? rank - 1 : rank - 2}});
}

ir::Value Transposed(ir::Builder& b, ir::Value x) {
  Ints permutation(static_cast<size_t>(Rank(b, x)));
  std::iota(permutation.begin(), permutation.end(), 0);
  std::swap(permutation.end()[-1], permutation.end()[-2]);
  return b.Transpose(x, permutation);
}

ir::Value RowIndex(ir::Builder& b, ir::Value x) { return b.Iota(kInt32, Shape(b.shape(x)), Rank(b, x) - 2); }
ir::Value ColumnIndex(ir::Builder& b, ir::Value x) { return b.Iota(kInt32, Shape(b.shape(x)), Rank(b, x) - 1); }
ir::Value OnDiagonal(ir::Builder& b, ir::Value x) {
  const ir::Value row = RowIndex(b, x);  // first: compilers differ in the order of arguments
  return b.Equal(row, ColumnIndex(b, x));
}
ir::Value Index(ir::Builder& b, int64_t value) { return b.Scalar(kInt32, static_cast<double>(value)); }
DType IndexType(int64_t count) { return count > std::numeric_limits<int32_t>::max() ? kInt64 : kInt32; }
bool CheckPositions(ir::Builder& b, ir::Value x) {
  if (IndexType(std::max(Rows(b, x), Columns(b, x))) == kInt32) return true;
  b.Fail(absl::UnimplementedError(
      StrCat("matrices with more than 2^31 - 1 rows or columns cannot ", "be compiled, got ", b.type(x).ToString())));
  return false;
}

ir::Value Masked(ir::Builder& b, ir::Value mask, ir::Value x) { return b.Select(mask, x, b.ScalarLike(x, 0)); }

ir::Value Keep(ir::Builder& b, ir::Value x, Triangle triangle) {
  const ir::Value row = RowIndex(b, x), column = ColumnIndex(b, x);
  switch (triangle) {
    case Triangle::kLower: return Masked(b, b.GreaterEqual(row, column), x);
    case Triangle::kStrictlyLower: return Masked(b, b.Greater(row, column), x);
    case Triangle::kUpper: return Masked(b, b.LessEqual(row, column), x);
    case Triangle::kStrictlyUpper: break;
  }
  return Masked(b, b.Less(row, column), x);
}

ir::Value Diagonal(ir::Builder& b, ir::Value x) {
  const Shape shape = b.shape(x);
  const int64_t rows = Rows(b, x), columns = Columns(b, x), k = std::min(rows, columns);
  Shape flat(std::span<const Extent>(shape.begin(), shape.end() - 2)), result = flat;
  flat.push_back(rows * columns);
  result.push_back(k);
  if (k == 0) return b.Zeros({b.type(x).dtype, result});
  Ints starts(static_cast<size_t>(flat.rank())), limits = flat.dims(), strides(static_cast<size_t>(flat.rank()), 1);
  limits.back() = (k - 1) * (columns + 1) + 1;
  strides.back() = columns + 1;
  return b.Slice(b.Reshape(x, flat), starts, limits, strides);
}

ir::Value DiagonalMatrix(ir::Builder& b, ir::Value d) {
  Type type = b.type(d);
  type.shape.push_back(type.shape[type.shape.rank() - 1]);
  const ir::Value zeros = b.Zeros(type), on = OnDiagonal(b, zeros);
  return b.Select(on, AsRows(b, d, zeros), zeros);
}

ir::Value Identity(ir::Builder& b, const Type& type) {
  const ir::Value zeros = b.Zeros(type), on = OnDiagonal(b, zeros);
  return b.Select(on, b.Ones(type), zeros);
}

ir::Value AsRows(ir::Builder& b, ir::Value d, ir::Value x) {
  const ir::Value row = AsRow(b, d);  // first: emitting moves shapes
  return Stretched(b, row, b.shape(x));
}
ir::Value AsColumns(ir::Builder& b, ir::Value d, ir::Value x) {
  const ir::Value column = AsColumn(b, d);
  return Stretched(b, column, b.shape(x));
}
ir::Value AsColumn(ir::Builder& b, ir::Value x) { return b.Reshape(x, WithAxis(b.shape(x), Rank(b, x))); }
ir::Value AsRow(ir::Builder& b, ir::Value x) { return b.Reshape(x, WithAxis(b.shape(x), Rank(b, x) - 1)); }

ir::Value Sum(ir::Builder& b, ir::Value x, Over over) {
  const int64_t axis = AxisOf(b, x, over);
  const Shape shape = Kept(b, x, axis);
  return b.Reshape(b.ReduceSum(x, {axis}), shape);
}
ir::Value Largest(ir::Builder& b, ir::Value x, Over over) {
  const int64_t axis = AxisOf(b, x, over);
  const Shape shape = Kept(b, x, axis);
  return b.Reshape(b.ReduceMax(x, {axis}), shape);
}
ir::Value Smallest(ir::Builder& b, ir::Value x, Over over) {
  const int64_t axis = AxisOf(b, x, over);
  const Shape shape = Kept(b, x, axis);
  return b.Reshape(b.ReduceMin(x, {axis}), shape);
}

// The batch is flattened: row i of matrix m is row m * rows + i of one tall matrix.
ir::Value GatherRows(ir::Builder& b, ir::Value x, ir::Value indices) {
  const Shape which = b.shape(indices);
  const int64_t rows = Rows(b, x), columns = Columns(b, x), k = which.dim(which.rank() - 1);
  const Type result = MatrixType(b, x, k, columns);
  if (result.shape.size() == 0) return b.Zeros(result);
  const int64_t count = result.shape.size() / (k * columns);
  ir::Value flat = b.Reshape(indices, {count, k});
  if (count > 1) {
    const DType dtype = IndexType(count * rows);
    const ir::Value matrix = b.Iota(dtype, {count, k}, 0);
    const ir::Value first = b.Mul(matrix, b.ScalarLike(matrix, static_cast<double>(rows)));
    flat = b.Add(b.Cast(flat, dtype), first);
  }
  const ir::Value tall = b.Reshape(x, {count * rows, columns});
  return b.Reshape(b.Gather(tall, b.Reshape(flat, {count * k}), 0), result.shape);
}

ir::Value InversePermutation(ir::Builder& b, ir::Value p) {
  Type type = b.type(p);
  const Extent n = type.shape[type.shape.rank() - 1];
  type.shape.push_back(n);
  if (type.shape.size() == 0) return p;
  const ir::Value zeros = b.Zeros(type);  // [..., i, k]: p[i] == k gives i
  const ir::Value place = AsColumns(b, p, zeros), hit = b.Equal(place, ColumnIndex(b, zeros));
  return b.ReduceMax(Masked(b, hit, RowIndex(b, zeros)), {type.shape.rank() - 2});
}

ir::Value RowsAt(ir::Builder& b, ir::Value x, ir::Value start, int64_t size) {
  return b.DynamicSlice(x, start, Rank(b, x) - 2, size);
}
ir::Value ColumnsAt(ir::Builder& b, ir::Value x, ir::Value start, int64_t size) {
  return b.DynamicSlice(x, start, Rank(b, x) - 1, size);
}
ir::Value WithRowsAt(ir::Builder& b, ir::Value x, ir::Value update, ir::Value start) {
  return b.DynamicUpdate(x, update, start, Rank(b, x) - 2);
}
ir::Value WithColumnsAt(ir::Builder& b, ir::Value x, ir::Value update, ir::Value start) {
  return b.DynamicUpdate(x, update, start, Rank(b, x) - 1);
}

ir::Value Corner(ir::Builder& b, ir::Value x, int64_t rows, int64_t columns) {
  const Type type = MatrixType(b, x, rows, columns);
  if (b.type(x) == type) return x;
  const auto rank = static_cast<size_t>(type.shape.rank());
  return b.Slice(x, Ints(rank, 0), type.shape.dims(), Ints(rank, 1));
}

ir::Value PadTo(ir::Builder& b, ir::Value x, int64_t rows, int64_t columns) {
  if (rows == Rows(b, x) && columns == Columns(b, x)) return x;
  const auto rank = static_cast<size_t>(Rank(b, x));
  Ints high(rank, 0);
  high[rank - 2] = rows - Rows(b, x);
  high[rank - 1] = columns - Columns(b, x);
  return b.Pad(x, b.Scalar(b.type(x).dtype, 0), Ints(rank, 0), high, Ints(rank, 0));
}

// By value: emitting another argument may move the types that a reference would refer to.
ir::Value Stretched(ir::Builder& b, ir::Value x, Shape shape) {  // NOLINT: by value
  if (b.shape(x) == shape) return x;
  Ints axes(static_cast<size_t>(b.shape(x).rank()));
  std::iota(axes.begin(), axes.end(), shape.rank() - b.shape(x).rank());
  return b.Broadcast(x, shape, axes);
}
ir::Value StretchLike(ir::Builder& b, ir::Value x, ir::Value like) { return Stretched(b, x, b.shape(like)); }
ir::Value Like(ir::Builder& b, ir::Value scalar, ir::Value x) { return b.BroadcastTo(scalar, Shape(b.shape(x))); }

}  // namespace reel::passes
