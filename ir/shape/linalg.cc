#include <algorithm>

#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

struct Matrix {
  int64_t rows, columns;
};

// The matrices of operand i, or an error.
absl::StatusOr<Matrix> MatrixOf(const InferContext& c, int i) {
  const Shape& shape = c.operand(i).shape;
  const int rank = shape.rank();
  if (rank < 2) {
    return OpError(c.op, StrCat("needs matrices, rank 2 or more, got ", c.operand(i).ToString(), "; reshape it"));
  }
  const auto rows = NeedConstant(c.op, shape[rank - 2]), columns = NeedConstant(c.op, shape[rank - 1]);
  if (!rows.ok()) return rows.status();
  if (!columns.ok()) return columns.status();
  return Matrix{*rows, *columns};
}

absl::StatusOr<int64_t> SquareOf(const InferContext& c) {
  const auto matrix = MatrixOf(c, 0);
  if (!matrix.ok()) return matrix.status();
  if (matrix->rows == matrix->columns) return matrix->rows;
  return OpError(
      c.op, StrCat("needs square matrices, got ", c.operand(0).ToString(), "; qr, svd and least squares take others"));
}

// The type of operand 0 with other extents in place of the last two.
Type WithMatrix(const InferContext& c, std::initializer_list<int64_t> extents, DType dtype) {
  const Shape& shape = c.operand(0).shape;
  Shape out(std::span<const Extent>(shape.begin(), shape.end() - 2));
  for (int64_t e : extents) out.push_back(e);
  return {dtype, out};
}
Type WithMatrix(const InferContext& c, std::initializer_list<int64_t> extents) {
  return WithMatrix(c, extents, c.operand(0).dtype);
}

}  // namespace

absl::StatusOr<TypeList> InferCholeskyRule(const InferContext& c) {
  const auto n = SquareOf(c);
  if (!n.ok()) return n.status();
  return TypeList{c.operand(0)};
}

absl::StatusOr<TypeList> InferTriangularSolveRule(const InferContext& c) {
  const auto n = SquareOf(c);
  if (!n.ok()) return n.status();
  const auto b = MatrixOf(c, 1);
  if (!b.ok()) return b.status();
  if (c.operand(1) != WithMatrix(c, {*n, b->columns})) {
    return OpError(c.op, StrCat("b must have the dtype, the leading axes and the ", *n, " rows of ",
                                c.operand(0).ToString(), ", got ", c.operand(1).ToString(), "; broadcast or cast it"));
  }
  return TypeList{c.operand(1)};
}

absl::StatusOr<TypeList> InferLuRule(const InferContext& c) {
  const auto n = SquareOf(c);
  if (!n.ok()) return n.status();
  return TypeList{c.operand(0), WithMatrix(c, {*n}, kInt32)};
}

absl::StatusOr<TypeList> InferQrRule(const InferContext& c) {
  const auto a = MatrixOf(c, 0);
  if (!a.ok()) return a.status();
  const int64_t k = std::min(a->rows, a->columns);
  return TypeList{WithMatrix(c, {a->rows, k}), WithMatrix(c, {k, a->columns})};
}

absl::StatusOr<TypeList> InferEighRule(const InferContext& c) {
  const auto n = SquareOf(c);
  if (!n.ok()) return n.status();
  return TypeList{WithMatrix(c, {*n}), c.operand(0)};
}

absl::StatusOr<TypeList> InferSvdRule(const InferContext& c) {
  const auto a = MatrixOf(c, 0);
  if (!a.ok()) return a.status();
  const int64_t k = std::min(a->rows, a->columns);
  return TypeList{WithMatrix(c, {a->rows, k}), WithMatrix(c, {k}), WithMatrix(c, {k, a->columns})};
}

}  // namespace reel::ir
