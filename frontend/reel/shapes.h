#ifndef REEL_SHAPES_H_
#define REEL_SHAPES_H_

#include <cstdint>
#include <vector>

#include "reel/ops.h"

// Moving, repeating and masking elements, with NumPy's meanings. Axes may be negative.

namespace reel {

/// The elements along the axes in the opposite order.
Tensor Flip(const Operand& x, const Axes& axes = {});
/// Elements moved along each axis by its shift; what leaves the end enters at the start.
Tensor Roll(const Operand& x, const std::vector<int64_t>& shifts, const std::vector<int64_t>& axes);
/// All elements as one row, moved.
Tensor Roll(const Operand& x, int64_t shift);
/// x repeated along each axis as a whole; fewer numbers than axes belong to the last ones.
Tensor Tile(const Operand& x, const std::vector<int64_t>& repeats);
/// Each element repeated along an axis.
Tensor Repeat(const Operand& x, int64_t repeats, int64_t axis);
/// Parts of equal extent along an axis.
std::vector<Tensor> Split(const Operand& x, int64_t parts, int64_t axis = 0);
/// Parts of these extents.
std::vector<Tensor> Split(const Operand& x, const std::vector<int64_t>& extents, int64_t axis = 0);
/// The slices along an axis, without it.
std::vector<Tensor> Unstack(const Operand& x, int64_t axis = 0);
/// x with axis `from` at position `to`.
Tensor MoveAxis(const Operand& x, int64_t from, int64_t to);
Tensor SwapAxes(const Operand& x, int64_t a, int64_t b);
/// One row of all elements; axes from `begin` to `end` merged into one.
Tensor Ravel(const Operand& x, int64_t begin = 0, int64_t end = -1);

/// What padding reads: the nearest element; elements mirrored at the edge, without it (kReflect) or
/// with it (kSymmetric); elements from the other side (kWrap).
enum class PadMode : uint8_t { kEdge, kReflect, kSymmetric, kWrap };
Tensor Pad(const Operand& x, const std::vector<int64_t>& low, const std::vector<int64_t>& high, PadMode mode);

/// The coordinates of a grid: one tensor of rank vectors.size() per vector. As NumPy's
/// indexing="ij"; xy swaps the first two axes.
std::vector<Tensor> Meshgrid(const std::vector<Tensor>& vectors, bool xy = false);
/// `count` numbers from start to stop, evenly apart; without the last one unless `endpoint`.
Tensor Linspace(double start, double stop, int64_t count, DType dtype = kFloat32, bool endpoint = true);
/// Ones on diagonal k of [rows, columns] (negative k: below), zeros elsewhere. columns < 0: as many
/// as rows.
Tensor Eye(int64_t rows, int64_t columns = -1, int64_t k = 0, DType dtype = kFloat32);
/// [..., n] on diagonal k of square matrices [..., n + |k|, n + |k|].
Tensor Diag(const Operand& x, int64_t k = 0);
/// Diagonal k of matrices: [..., m, n] to [..., length].
Tensor DiagPart(const Operand& x, int64_t k = 0);
/// The sum of diagonal k.
Tensor Trace(const Operand& x, int64_t k = 0);
/// true where column <= row + k.
Tensor TriangularMask(int64_t rows, int64_t columns, int64_t k = 0);
/// Matrices with zeros above (below) diagonal k.
Tensor Tril(const Operand& x, int64_t k = 0);
Tensor Triu(const Operand& x, int64_t k = 0);

}  // namespace reel

#endif  // REEL_SHAPES_H_
