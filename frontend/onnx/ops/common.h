#ifndef REEL_FRONTEND_ONNX_OPS_COMMON_H_
#define REEL_FRONTEND_ONNX_OPS_COMMON_H_

#include "frontend/onnx/node.h"

// What several families of ONNX ops share.

namespace reel::onnx {

/// Larger extents of what is listed element by element at import are wrong.
constexpr int64_t kLongestList = 1 << 20;

/// axis, counted from the end if negative; throws if it is not one of a tensor of this rank.
int64_t NormalAxis(int64_t axis, int rank);
/// An attribute that is an axis of a tensor of this rank.
int64_t AxisOf(const NodeContext& c, std::string_view name, int64_t otherwise, int rank);
/// `count` elements along an axis: start, start + step, ..., all of them in range.
Tensor Strided(const Tensor& x, int64_t axis, int64_t start, int64_t count, int64_t step);
/// x at these positions along an axis.
Tensor TakeAt(const Tensor& x, const std::vector<int64_t>& positions, int64_t axis);
/// Indices as i64, negative ones counted from the end of an axis of this extent.
Tensor FromTheEnd(const Tensor& indices, int64_t extent);
/// x of shape [n] as [1, n, 1, ...], its axis at `axis` of `rank` axes.
Tensor Along(const Tensor& x, int64_t axis, int rank);
/// Input 1 of an op of two operands. Before opset 7 its first axis stands at the attribute `axis`
/// of input 0; since then operands broadcast as NumPy's do.
Tensor SecondOperand(const NodeContext& c);
/// The dtype of x for a number that is computed at import.
Tensor ScalarLike(const Tensor& x, double value);
/// x[i, .., index[i, .., j, ..], ..]: at every position of the indices, the element of x there with
/// its coordinate along `axis` replaced. The other extents of the indices may be smaller.
Tensor TakeAlong(const Tensor& x, const Tensor& indices, int64_t axis);
/// Row-major positions in a tensor of this shape of the elements that TakeAlong reads.
Tensor PositionsAlong(const Shape& shape, const Tensor& indices, int64_t axis);
/// A shape of extents that the model gives: not negative, not too many.
Shape ShapeOf(const std::vector<int64_t>& dims);
/// Extents of a constant shape from a to b, and their product.
std::vector<int64_t> Dims(const Shape& shape, int a, int b);
int64_t Product(const std::vector<int64_t>& dims);

}  // namespace reel::onnx

#endif  // REEL_FRONTEND_ONNX_OPS_COMMON_H_
