#include "frontend/onnx/ops/common.h"

#include <algorithm>

#include "frontend/values/promotion.h"
#include "ir/strings.h"

namespace reel::onnx {

int64_t NormalAxis(int64_t axis, int rank) {
  if (axis < -rank || axis >= rank) Wrong(StrCat("axis ", axis, " is out of range for rank ", rank));
  return axis < 0 ? axis + rank : axis;
}

int64_t AxisOf(const NodeContext& c, std::string_view name, int64_t otherwise, int rank) {
  return NormalAxis(c.Int(name, otherwise), rank);
}

Tensor TakeAt(const Tensor& x, const std::vector<int64_t>& positions, int64_t axis) {
  return Gather(x, IntsTensor(positions), axis);
}

Tensor Strided(const Tensor& x, int64_t axis, int64_t start, int64_t count, int64_t step) {
  return Gather(x, start + step * Iota({count}, 0), axis);
}

Tensor FromTheEnd(const Tensor& indices, int64_t extent) {
  const Tensor i = Cast(indices, kInt64);
  return Where(i < 0, i + extent, i);
}

Tensor Along(const Tensor& x, int64_t axis, int rank) {
  std::vector<int64_t> dims(static_cast<size_t>(rank), 1);
  dims[static_cast<size_t>(NormalAxis(axis, rank))] = -1;
  return Reshape(x, dims);
}

Tensor SecondOperand(const NodeContext& c) {
  const Tensor b = c.In(1);
  if (c.opset() >= 7) return b;
  c.Ignore("broadcast");
  if (!c.HasAttribute("axis")) return b;
  const int rank = c.In(0).rank();
  const int64_t after = rank - AxisOf(c, "axis", 0, rank) - b.rank();
  std::vector<int64_t> dims = b.shape().dims();
  dims.insert(dims.end(), static_cast<size_t>(std::max<int64_t>(after, 0)), 1);
  return Reshape(b, dims);
}

Tensor ScalarLike(const Tensor& x, double value) { return internal::ScalarOf(x.dtype(), value); }

Tensor PositionsAlong(const Shape& shape, const Tensor& indices, int64_t axis) {
  const std::vector<int64_t> strides = RowMajorStrides(shape);
  Tensor position = FromTheEnd(indices, shape.dim(static_cast<int>(axis))) * strides[static_cast<size_t>(axis)];
  for (int i = 0; i < shape.rank(); ++i) {
    if (i == axis || indices.shape().dim(i) == 1) continue;
    position = position + Iota(indices.shape(), i) * strides[static_cast<size_t>(i)];
  }
  return position;
}

Tensor TakeAlong(const Tensor& x, const Tensor& indices, int64_t axis) {
  if (indices.rank() != x.rank())
    Wrong(StrCat("the indices ", indices.type().ToString(), " must have the rank of ", x.type().ToString()));
  return Gather(Reshape(x, {-1}), PositionsAlong(x.shape(), indices, axis), 0);
}

Shape ShapeOf(const std::vector<int64_t>& dims) {
  if (dims.size() > static_cast<size_t>(kMaxRank)) Refuse(StrCat("rank ", dims.size(), " is above ", kMaxRank));
  for (const int64_t d : dims) {
    if (d < 0) Wrong(StrCat("an extent is ", d));
  }
  const Shape shape(dims);
  if (!FitsInMemory(shape)) Wrong(StrCat("the shape ", shape.ToString(), " is too large"));
  return shape;
}

std::vector<int64_t> Dims(const Shape& shape, int a, int b) {
  const std::vector<int64_t> dims = shape.dims();
  return {dims.begin() + a, dims.begin() + b};
}

int64_t Product(const std::vector<int64_t>& dims) {
  int64_t product = 1;
  for (const int64_t d : dims) {
    if (__builtin_mul_overflow(product, d, &product)) Wrong("a shape is too large");
  }
  return product;
}

}  // namespace reel::onnx
