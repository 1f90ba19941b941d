#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"
#include "reel/indexing.h"

namespace reel::onnx {
namespace {

Tensors ImportGather(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int64_t axis = AxisOf(c, "axis", 0, x.rank());
  return {Gather(x, FromTheEnd(c.In(1), x.shape().dim(static_cast<int>(axis))), axis)};
}

Tensors ImportGatherElements(const NodeContext& c) {
  const Tensor x = c.In(0);
  return {TakeAlong(x, c.In(1), AxisOf(c, "axis", 0, x.rank()))};
}

// Points of an nd index: x as [points, rest...], and the number of the point that each index tuple
// (the last axis of the indices, after `batch` shared axes) names.
struct Points {
  Tensor x, position;
};
Points ReadPoints(const Tensor& x, const Tensor& indices, int batch) {
  if (indices.rank() < 1 || batch >= indices.rank() || batch > x.rank())
    Wrong(StrCat("indices ", indices.type().ToString(), " in ", x.type().ToString()));
  const auto depth = static_cast<int>(indices.shape().dim(indices.rank() - 1));
  if (batch + depth > x.rank()) Wrong(StrCat("tuples of ", depth, " indices in ", x.type().ToString()));
  const Shape shape(Dims(x.shape(), 0, batch + depth));
  const std::vector<int64_t> strides = RowMajorStrides(shape);
  const Shape tuples(Dims(indices.shape(), 0, indices.rank() - 1));
  Tensor position = Zeros(tuples, kInt64);
  for (int i = 0; i < batch; ++i) position = position + Iota(tuples, i) * strides[static_cast<size_t>(i)];
  std::vector<int64_t> starts(static_cast<size_t>(indices.rank()), 0);
  std::vector<int64_t> limits = indices.shape().dims();
  for (int i = 0; i < depth; ++i) {
    starts.back() = i;
    limits.back() = i + 1;
    const Tensor index = Reshape(Slice(indices, starts, limits), tuples.dims());
    position = position + FromTheEnd(index, shape.dim(batch + i)) * strides[static_cast<size_t>(batch + i)];
  }
  std::vector<int64_t> dims = Dims(x.shape(), batch + depth, x.rank());
  dims.insert(dims.begin(), shape.size());
  return {Reshape(x, dims), position};
}

Tensors ImportGatherND(const NodeContext& c) {
  const int64_t batch = c.Int("batch_dims", 0);
  if (batch < 0 || batch > kMaxRank) Wrong(StrCat("batch_dims ", batch));
  const Points p = ReadPoints(c.In(0), c.In(1), static_cast<int>(batch));
  return {Gather(p.x, p.position, 0)};
}

// Positions where the condition is true; it must be known, since it decides the shape.
Tensors ImportCompress(const NodeContext& c) {
  const Tensor x = c.HasAttribute("axis") ? c.In(0) : Reshape(c.In(0), {-1});
  const int64_t axis = AxisOf(c, "axis", 0, x.rank());
  const std::vector<int64_t> condition = c.KnownInts(1);
  std::vector<int64_t> positions;
  for (size_t i = 0; i < condition.size(); ++i) {
    if (condition[i] != 0) positions.push_back(static_cast<int64_t>(i));
  }
  return {TakeAt(x, positions, axis)};
}

// [rank, n]: the coordinates of the elements that are not zero; they must be known.
Tensors ImportNonZero(const NodeContext& c) {
  const Tensor x = c.Known(0);
  if (IsComplex(x.dtype())) Refuse(StrCat("complex numbers, ", x.type().ToString()));
  const ir::Literal literal = internal::ToLiteral(x);
  const std::vector<int64_t> dims = x.shape().dims(), strides = RowMajorStrides(x.shape());
  std::vector<int64_t> found;
  for (int64_t i = 0; i < literal.size(); ++i) {
    if (literal.AsDouble(i) != 0) found.push_back(i);
  }
  std::vector<int64_t> coordinates;
  for (size_t axis = 0; axis < dims.size(); ++axis) {
    for (const int64_t i : found) coordinates.push_back(i / strides[axis] % dims[axis]);
  }
  return {Tensor::FromData(coordinates, {x.rank(), static_cast<int64_t>(found.size())})};
}

// values = {off, on}; an index out of range gives a row of off.
Tensors ImportOneHot(const NodeContext& c) {
  const Tensor index = c.In(0), values = c.In(2);
  const std::vector<double> depth = c.KnownFloats(1);
  if (depth.size() != 1 || !(depth[0] >= 0 && depth[0] <= 1e9)) Wrong("the depth must be one number");
  const auto n = static_cast<int64_t>(depth[0]);
  return {OneHot(FromTheEnd(index, n), n, values[1], values[0], AxisOf(c, "axis", -1, index.rank() + 1))};
}

ScatterMode ModeOf(const NodeContext& c) {
  const std::string reduction = c.String("reduction", "none");
  if (reduction == "none") return ScatterMode::kSet;
  if (reduction == "add") return ScatterMode::kAdd;
  if (reduction == "mul") return ScatterMode::kMul;
  if (reduction == "max") return ScatterMode::kMax;
  if (reduction == "min") return ScatterMode::kMin;
  Wrong(StrCat("reduction ", reduction, "; it must be none, add, mul, max or min"));
}

// In the row of all elements, at the positions that TakeAlong reads.
Tensors ImportScatterElements(const NodeContext& c) {
  const Tensor x = c.In(0), indices = c.In(1);
  const int64_t axis = AxisOf(c, "axis", 0, x.rank());
  if (indices.rank() != x.rank()) Wrong(StrCat("indices ", indices.type().ToString(), " in ", x.type().ToString()));
  const Tensor positions = Reshape(PositionsAlong(x.shape(), indices, axis), {-1, 1});
  const Tensor updates = Reshape(c.In(2), {-1});
  const Tensor y = TensorScatter(Reshape(x, {-1}), positions, updates, ModeOf(c));
  return {Reshape(y, x.shape().dims())};
}

// Tuples of indices, each coordinate counted from the end if it is negative.
Tensors ImportScatterND(const NodeContext& c) {
  const Tensor x = c.In(0), indices = Cast(c.In(1), kInt64);
  if (indices.rank() < 1) Wrong("the indices must be tuples");
  const auto depth = static_cast<int>(indices.shape().dim(indices.rank() - 1));
  if (depth > x.rank()) Wrong(StrCat("tuples of ", depth, " indices in ", x.type().ToString()));
  const Tensor extents = IntsTensor(Dims(x.shape(), 0, depth));
  return {TensorScatter(x, Where(indices < 0, indices + extents, indices), c.In(2), ModeOf(c))};
}

// The k largest or smallest along an axis; k is an attribute before opset 10.
Tensors ImportTopK(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int64_t k = c.opset() < 10 ? c.Int("k") : c.KnownInt(1);
  c.Ignore("sorted");
  const TopKResult top = TopK(x, k, AxisOf(c, "axis", -1, x.rank()), c.Int("largest", 1) != 0);
  return {top.values, top.indices};
}

constexpr OpRow kRows[] = {
    {"Compress", 9, ImportCompress},
    {"Gather", 1, ImportGather},
    {"GatherElements", 11, ImportGatherElements},
    {"GatherND", 11, ImportGatherND},
    {"NonZero", 9, ImportNonZero},
    {"OneHot", 9, ImportOneHot},
    {"Scatter", 9, ImportScatterElements},
    {"ScatterElements", 11, ImportScatterElements},
    {"ScatterND", 11, ImportScatterND},
    {"TopK", 1, ImportTopK},
};

}  // namespace

absl::Span<const OpRow> IndexOps() { return kRows; }

}  // namespace reel::onnx
