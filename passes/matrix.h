#ifndef REEL_PASSES_MATRIX_H_
#define REEL_PASSES_MATRIX_H_

#include "ir/builder.h"

// Matrix algebra as primitives, for gradient rules and expansions. A matrix is the last two axes of
// a value, [..., rows, columns]; the others are a batch. Extents are constant.

namespace reel::passes {

/// Extents of the last two axes.
int64_t Rows(const ir::Builder& b, ir::Value x);
int64_t Columns(const ir::Builder& b, ir::Value x);
/// The type of x with other matrices.
Type MatrixType(const ir::Builder& b, ir::Value x, int64_t rows, int64_t columns);

/// Whether Product transposes its operands first.
enum class Side { kNeither, kLeft, kRight };
/// x y, x' y or x y'.
ir::Value Product(ir::Builder& b, ir::Value x, ir::Value y, Side transposed = Side::kNeither);
ir::Value Transposed(ir::Builder& b, ir::Value x);

/// i32 positions of rows or columns, of x's shape.
ir::Value RowIndex(ir::Builder& b, ir::Value x);
ir::Value ColumnIndex(ir::Builder& b, ir::Value x);
/// Whether row = column, of x's shape.
ir::Value OnDiagonal(ir::Builder& b, ir::Value x);
/// An i32 scalar.
ir::Value Index(ir::Builder& b, int64_t value);
/// i32, or i64 where that cannot count so many positions.
DType IndexType(int64_t count);
/// False, and an error of the builder, if rows or columns of x are more than i32 counts.
bool CheckPositions(ir::Builder& b, ir::Value x);

/// x where the mask holds, zeros elsewhere.
ir::Value Masked(ir::Builder& b, ir::Value mask, ir::Value x);
enum class Triangle { kLower, kStrictlyLower, kUpper, kStrictlyUpper };
/// x in the triangle, zeros elsewhere.
ir::Value Keep(ir::Builder& b, ir::Value x, Triangle triangle);
/// The diagonal, [..., min(rows, columns)].
ir::Value Diagonal(ir::Builder& b, ir::Value x);
/// The matrix with diagonal d [..., n], zeros elsewhere.
ir::Value DiagonalMatrix(ir::Builder& b, ir::Value d);
/// Ones on the diagonal, zeros elsewhere.
ir::Value Identity(ir::Builder& b, const Type& type);

/// d [..., n] repeated for matrices like x: every row is d, or every column.
ir::Value AsRows(ir::Builder& b, ir::Value d, ir::Value x);
ir::Value AsColumns(ir::Builder& b, ir::Value d, ir::Value x);
/// x with an axis of extent 1 at its end, or before its last axis.
ir::Value AsColumn(ir::Builder& b, ir::Value x);
ir::Value AsRow(ir::Builder& b, ir::Value x);
/// One of the last two axes reduced, kept with extent 1.
enum class Over { kRows, kColumns };
ir::Value Sum(ir::Builder& b, ir::Value x, Over over);
ir::Value Largest(ir::Builder& b, ir::Value x, Over over);
ir::Value Smallest(ir::Builder& b, ir::Value x, Over over);

/// Rows of each matrix at its own i32 indices [..., k]: [..., k, columns].
ir::Value GatherRows(ir::Builder& b, ir::Value x, ir::Value indices);
/// order[p[i]] = i for permutations p of the last axis, i32.
ir::Value InversePermutation(ir::Builder& b, ir::Value p);

/// A slice of `size` rows or columns from a computed position, and its update.
ir::Value RowsAt(ir::Builder& b, ir::Value x, ir::Value start, int64_t size = 1);
ir::Value ColumnsAt(ir::Builder& b, ir::Value x, ir::Value start, int64_t size = 1);
ir::Value WithRowsAt(ir::Builder& b, ir::Value x, ir::Value update, ir::Value start);
ir::Value WithColumnsAt(ir::Builder& b, ir::Value x, ir::Value update, ir::Value start);
/// The leading rows and columns.
ir::Value Corner(ir::Builder& b, ir::Value x, int64_t rows, int64_t columns);
/// x with zeros after its rows and columns up to these extents.
ir::Value PadTo(ir::Builder& b, ir::Value x, int64_t rows, int64_t columns);

/// x of an equal or smaller rank repeated along its axes of extent 1; trailing axes match.
ir::Value Stretched(ir::Builder& b, ir::Value x, Shape shape);
/// The same, to the shape of another value.
ir::Value StretchLike(ir::Builder& b, ir::Value x, ir::Value like);
/// A scalar in the shape of x.
ir::Value Like(ir::Builder& b, ir::Value scalar, ir::Value x);

}  // namespace reel::passes

#endif  // REEL_PASSES_MATRIX_H_
