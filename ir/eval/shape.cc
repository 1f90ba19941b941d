#include "ir/eval/kernels.h"

namespace reel::ir {
namespace {

// out[k] = x[offset of result index k under `strides`].
EvalTensor Read(const KernelContext& c, const std::vector<int64_t>& strides, int64_t base = 0) {
  const std::vector<int64_t> offsets = Offsets(c.result.shape.dims(), strides, base);
  return WithStorage(c, 0, [&](const auto& x, auto& out) {
    for (size_t k = 0; k < out.size(); ++k) out[k] = x[static_cast<size_t>(offsets[k])];
  });
}

}  // namespace

KERNEL(Constant) { return FromLiteral(c.attributes.Get<Literal>("value")); }

KERNEL(Reshape) {
  EvalTensor out = c.operand(0);
  out.type = c.result;
  return out;
}

KERNEL(Transpose) {
  const std::vector<int64_t> from = RowMajorStrides(c.operand(0).type.shape);
  std::vector<int64_t> strides;
  for (int64_t axis : c.attr_ints("permutation")) strides.push_back(from[static_cast<size_t>(axis)]);
  return Read(c, strides);
}

KERNEL(Slice) {
  std::vector<int64_t> strides = RowMajorStrides(c.operand(0).type.shape);
  const auto &starts = c.attr_ints("starts"), &steps = c.attr_ints("strides");
  int64_t base = 0;
  for (size_t k = 0; k < strides.size(); ++k) {
    base += starts[k] * strides[k];
    strides[k] *= steps[k];
  }
  return Read(c, strides, base);
}

// Missing and stretched axes have stride 0.
KERNEL(Broadcast) {
  const Shape& shape = c.operand(0).type.shape;
  const std::vector<int64_t> from = RowMajorStrides(shape);
  const auto& axes = c.attr_ints("axes");
  std::vector<int64_t> strides(static_cast<size_t>(c.result.shape.rank()), 0);
  for (size_t k = 0; k < axes.size(); ++k) {
    if (shape.dim(static_cast<int>(k)) != 1) strides[static_cast<size_t>(axes[k])] = from[k];
  }
  return Read(c, strides);
}

// Element n of an axis lands at low + n * (interior + 1).
KERNEL(Pad) {
  const EvalTensor& value = c.operand(1);
  const auto &low = c.attr_ints("low"), &interior = c.attr_ints("interior");
  std::vector<int64_t> strides = RowMajorStrides(c.result.shape);
  int64_t base = 0;
  for (size_t k = 0; k < strides.size(); ++k) {
    base += low[k] * strides[k];
    strides[k] *= interior[k] + 1;
  }
  const std::vector<int64_t> offsets = Offsets(c.operand(0).type.shape.dims(), strides, base);
  EvalTensor out = ZeroTensor(c.result);
  for (double& x : out.f) x = value.f[0];
  for (int64_t& x : out.i) x = value.i[0];
  for (auto& x : out.c) x = value.c[0];
  const EvalTensor& a = c.operand(0);
  for (size_t k = 0; k < a.f.size(); ++k) out.f[static_cast<size_t>(offsets[k])] = a.f[k];
  for (size_t k = 0; k < a.i.size(); ++k) out.i[static_cast<size_t>(offsets[k])] = a.i[k];
  for (size_t k = 0; k < a.c.size(); ++k) out.c[static_cast<size_t>(offsets[k])] = a.c[k];
  return out;
}

// Element n of a reversed axis is element extent - 1 - n.
KERNEL(Reverse) {
  const Shape& shape = c.operand(0).type.shape;
  std::vector<int64_t> strides = RowMajorStrides(shape);
  int64_t base = 0;
  for (int64_t axis : c.attr_ints("axes")) {
    int64_t& stride = strides[static_cast<size_t>(axis)];
    base += (shape.dim(static_cast<int>(axis)) - 1) * stride;
    stride = -stride;
  }
  return Read(c, strides, base);
}

// Element k of window w of an axis is element w * stride + k * dilation.
KERNEL(Window) {
  std::vector<int64_t> strides = RowMajorStrides(c.operand(0).type.shape);
  const auto& axes = c.attr_ints("axes");
  for (size_t i = 0; i < axes.size(); ++i) {  // steps that are never taken may be too large to multiply
    int64_t& stride = strides[static_cast<size_t>(axes[i])];
    const int64_t along = stride;
    stride = c.result.shape.dim(static_cast<int>(axes[i])) == 1 ? 0 : along * c.attr_ints("strides")[i];
    strides.push_back(c.attr_ints("sizes")[i] == 1 ? 0 : along * c.attr_ints("dilations")[i]);
  }
  return Read(c, strides);
}

KERNEL(Iota) {
  std::vector<int64_t> strides(static_cast<size_t>(c.result.shape.rank()), 0);
  strides[static_cast<size_t>(c.attr_int("axis"))] = 1;
  const std::vector<int64_t> positions = Offsets(c.result.shape.dims(), strides);
  EvalTensor out = ZeroTensor(c.result);
  for (size_t k = 0; k < out.f.size(); ++k) out.f[k] = static_cast<double>(positions[k]);
  for (size_t k = 0; k < out.i.size(); ++k) out.i[k] = Wrap(c.result.dtype, static_cast<uint64_t>(positions[k]));
  return out;
}

}  // namespace reel::ir
