#ifndef REEL_LINALG_H_
#define REEL_LINALG_H_

#include <cstdint>
#include <string>

#include "reel/tensor.h"
#include "reel/variable.h"

// Linear algebra of f32 and f64 matrices: the last two axes; the others are a batch, and broadcast
// where two operands meet. Everything runs eagerly, traced and in objects, with the same bits, and
// has gradients to every order.
//
// No call throws because of a matrix's values: what does not exist comes out as NaN or infinity, in
// eager as in compiled code, and in a batch only for the matrices concerned.

namespace reel {

// --- factorizations ---

/// Lower triangular L with L L' = a, a positive definite, [..., n, n]. Reads the lower triangle;
/// the gradient is symmetric. A matrix that is not positive definite gives NaN on and below the
/// diagonal.
Tensor Cholesky(const Operand& a);

/// P a = L U by partial pivoting: `lu` holds L below the diagonal (its own is ones) and U; row i of
/// P a is row permutation[i] (i32) of a.
struct LuResult {
  Tensor lu, permutation;
};
LuResult Lu(const Operand& a);

/// a = q r, [..., m, n]: q [..., m, k] has orthonormal columns, r [..., k, n] is upper triangular,
/// k = min(m, n). Signs are LAPACK's. The gradient needs r's leading k columns to be invertible.
struct QrResult {
  Tensor q, r;
};
QrResult Qr(const Operand& a);

/// Eigenvalues, ascending, and eigenvectors (columns) of symmetric matrices: a v = v diag(w). Reads
/// the lower triangle, which also gets the whole gradient. Of each vector, the first component of
/// at least 0.55 of the largest is positive. Vectors of equal eigenvalues are one choice of many
/// and have no derivative: gradients take their mutual terms, 1 / (w_i - w_j), as 0, as TensorFlow. So a
/// gradient through `vectors` is right only where no two eigenvalues are equal, even for functions that do
/// not depend on the choice (v diag(w) v' has the gradient of a only there); that through `values` always is.
/// Infinities and NaN give NaN.
struct EighResult {
  Tensor values, vectors;
};
EighResult Eigh(const Operand& a);
/// Eigenvalues alone; their gradient holds for equal ones too.
Tensor EigvalsH(const Operand& a);

/// a = u diag(s) vt, [..., m, n]: u [..., m, k], s [..., k] descending, vt [..., k, n], k = min(m,
/// n). Signs as in Eigh, of the columns of u; gradients take 1 / (s_i - s_j) of equal values and 1
/// / s_i of zeros as 0: right through `s`, and through u and vt only where all are distinct and not 0.
struct SvdResult {
  Tensor u, s, vt;
};
SvdResult Svd(const Operand& a);
/// Singular values alone, descending.
Tensor SvdVals(const Operand& a);

// --- equations ---

/// Options of TriangularSolve.
struct TriangularOptions {
  bool lower = true;           ///< a's lower triangle, else the upper one; the other is not read
  bool transpose = false;      ///< solve with the transpose
  bool unit_diagonal = false;  ///< the diagonal is ones; a's is not read
};
/// x with T x = b for the triangle T of a. b is a vector [n] or matrices [..., n, k]. A zero on the
/// diagonal gives infinity or NaN.
Tensor TriangularSolve(const Operand& a, const Operand& b, const TriangularOptions& options = {});
/// x with L L' x = b, for l = Cholesky(a).
Tensor CholeskySolve(const Operand& l, const Operand& b);
/// x with a x = b, a square; as NumPy: b is a vector if its rank is 1, else matrices. Singular:
/// infinity or NaN.
Tensor Solve(const Operand& a, const Operand& b);
/// a^-1.
Tensor Inverse(const Operand& a);
/// x that minimises |a x - b|, for a of full rank; the shortest one if a is wide. By QR.
Tensor LeastSquares(const Operand& a, const Operand& b);
/// Moore-Penrose inverse, by SVD: singular values up to rcond times the largest count as 0. rcond <
/// 0: 10 max(m, n) epsilon, as in TensorFlow. The gradient, to every order, is that for a fixed rank: it holds
/// for equal singular values too, and does not exist where the rank is about to change.
Tensor PseudoInverse(const Operand& a, double rcond = -1);

// --- numbers of a matrix ---

/// Determinants, 1 of [0, 0]. The gradient of a singular matrix is not finite.
Tensor Det(const Operand& a);
/// det = sign exp(log_abs): without overflow. Singular: 0 and -infinity.
struct SlogDetResult {
  Tensor sign, log_abs;
};
SlogDetResult SlogDet(const Operand& a);
/// log det of positive definite matrices, by Cholesky: half the work, and a symmetric gradient.
Tensor LogDet(const Operand& a);
/// Number (i64) of singular values above rtol times the largest; rtol < 0: max(m, n) epsilon.
Tensor MatrixRank(const Operand& a, double rtol = -1);
/// Norm of matrices, by NumPy's names: "fro", "nuc" (sum of singular values), "2" and "-2" (the
/// largest and smallest), "1" and "-1" (largest and smallest column sum of |a|), "inf" and "-inf"
/// (the same of rows). "fro" at 0 has gradient 0.
Tensor MatrixNorm(const Operand& a, const std::string& order = "fro");

// --- powers and products ---

/// a^n by repeated squaring; a negative n takes the inverse first.
Tensor MatrixPower(const Operand& a, int64_t n);
/// e^a: Pade approximant of degree 13 with scaling and squaring (Higham 2005).
Tensor MatrixExp(const Operand& a);
/// Cross products of vectors with 3 elements along an axis; the rest broadcasts.
Tensor Cross(const Operand& a, const Operand& b, int64_t axis = -1);

}  // namespace reel

#endif  // REEL_LINALG_H_
