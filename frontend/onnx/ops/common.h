#ifndef REEL_FRONTEND_ONNX_OPS_COMMON_H_
#define REEL_FRONTEND_ONNX_OPS_COMMON_H_

#include "frontend/onnx/node.h"

// What several families of ONNX ops share.

namespace reel::onnx {

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
/// The dtype of x for a number that is computed at import.
Tensor ScalarLike(const Tensor& x, double value);
/// TakeAlongAxis with indices that may count from the end.
Tensor TakeAlong(const Tensor& x, const Tensor& indices, int64_t axis);
/// Extents of a constant shape from a to b, and their product.
std::vector<int64_t> Dims(const Shape& shape, int a, int b);
int64_t Product(const std::vector<int64_t>& dims);

}  // namespace reel::onnx

#endif  // REEL_FRONTEND_ONNX_OPS_COMMON_H_
