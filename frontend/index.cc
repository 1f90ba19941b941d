#include "frontend/index.h"
#include "ir/strings.h"
#include "reel/ops.h"

namespace reel {

using internal::CheckIndices;
using internal::Dispatch;
using internal::IndexTensor;
using internal::LocationScope;
using internal::Materialize;
using internal::NormalizeAxis;
using internal::ThrowInvalid;

namespace internal {
namespace {

template <typename T>
void CheckRange(const char* op, const Tensor& x, const Tensor& indices, int64_t axis) {
  const int64_t n = x.shape().dim(static_cast<int>(axis));
  for (const T index : indices.data<T>()) {
    if (index >= 0 && index < n) continue;
    internal::ThrowError(ErrorCode::kOutOfRange,
                         StrCat(op, ": index ", index, " is out of range for axis ", axis, " of ",
                                x.type().ToString(), "; indices must be in [0, ", n, ")"));
  }
}

}  // namespace

void CheckIndices(const char* op, const Tensor& x, const Tensor& indices, int64_t axis) {
  if (indices.symbolic()) return;
  if (indices.dtype() == kInt32)
    CheckRange<int32_t>(op, x, indices, axis);
  else if (indices.dtype() == kInt64)
    CheckRange<int64_t>(op, x, indices, axis);
}

Tensor IndexTensor(const Operand& x) {
  Tensor t = Materialize(x);
  if (t.dtype() != kInt32 && t.dtype() != kInt64) {
    ThrowInvalid(StrCat("indices must be i32 or i64, got ", t.type().ToString(), "; Cast them"));
  }
  return t;
}

}  // namespace internal

Tensor Gather(const Operand& x, const Operand& indices, int64_t axis) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x), i = IndexTensor(indices);
  axis = NormalizeAxis("gather", axis, t.rank());
  CheckIndices("gather", t, i, axis);
  return Dispatch(ir::Op::kGather, {t, i}, {{"axis", axis}});
}

Tensor ScatterAdd(const Operand& x, const Operand& indices, const Operand& updates, int64_t axis) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x), i = IndexTensor(indices);
  axis = NormalizeAxis("scatter_add", axis, t.rank());
  CheckIndices("scatter_add", t, i, axis);
  return Dispatch(ir::Op::kScatterAdd, {t, i, internal::ConvertWeak(updates, t.dtype())},
                  {{"axis", axis}});
}

Tensor DynamicSlice(const Operand& x, const Operand& start, int64_t size, int64_t axis) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x), i = IndexTensor(start);
  axis = NormalizeAxis("dynamic_slice", axis, t.rank());
  return Dispatch(ir::Op::kDynamicSlice, {t, i}, {{"axis", axis}, {"size", size}});
}

Tensor DynamicUpdate(const Operand& x, const Operand& update, const Operand& start, int64_t axis) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x), u = internal::ConvertWeak(update, t.dtype()), i = IndexTensor(start);
  axis = NormalizeAxis("dynamic_update", axis, t.rank());
  return Dispatch(ir::Op::kDynamicUpdate, {t, u, i}, {{"axis", axis}});
}

Tensor OneHot(const Operand& indices, int64_t depth, DType dtype) {
  const LocationScope scope(indices);
  const Tensor i = ExpandDims(IndexTensor(indices), -1);
  if (depth < 0) ThrowInvalid(StrCat("one_hot: depth ", depth, " is negative"));
  Shape shape = i.shape();
  shape.set(shape.rank() - 1, depth);
  return Cast(Equal(i, Iota(shape, -1, i.dtype())), dtype);
}

}  // namespace reel
