#include "frontend/ops/index.h"

#include <algorithm>
#include <atomic>
#include <utility>

#include "frontend/eager/dispatch.h"
#include "frontend/record/event_log.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/check.h"
#include "ir/strings.h"
#include "reel/debugging.h"
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

std::atomic<bool> bounds_check{true};
[[gnu::tls_model("initial-exec")]] thread_local constinit int unchecked_scopes = 0;

template <typename T>
void CheckIndexValues(const ir::Attributes& check, const Tensor& indices) {
  const auto x = indices.data<T>();
  const auto index = ir::IndexOutOfRange<T>({x.data(), x.size()}, ir::CheckedExtent(check));
  if (index) ThrowError(ErrorCode::kOutOfRange, ir::IndexOutOfRangeText(check, *index));
}

template <typename T>
bool IsRefused(const ir::Attributes& check, const Tensor& values) {
  if (values.dtype() != DTypeOf<T>::value) return false;
  const auto x = values.data<T>();
  return ir::IntegerRefused<T>(check, {x.data(), x.size()}).has_value();
}

template <typename... T>
void CheckIntegerValues(const ir::Attributes& check, const Tensor& values) {
  if ((IsRefused<T>(check, values) || ...)) ThrowInvalid(ir::IntegerRefusedText(check));
}

// Whether something is made that will run with other indices.
bool IsForLater(const Tensor& indices) {
  const ThreadState& state = State();
  if (indices.symbolic() || state.trace) return indices.symbolic();
  return std::any_of(state.sinks.begin(), state.sinks.end(), [](const auto& sink) {
    const auto* log = dynamic_cast<const EventLog*>(sink.get());
    return log && log->listening() && !log->watcher();
  });
}

Tensor Checked(ir::Op op, ir::Attributes check, const Tensor& values) {
  if (IsForLater(values)) return ChecksBounds() ? Dispatch(op, {values}, std::move(check)) : values;
  CheckValues(op, check, values);
  return values;
}

Tensor CheckedIndices(ir::Attributes check, const Tensor& indices) {
  if (indices.dtype() != kInt32 && indices.dtype() != kInt64) return indices;  // the op itself says so
  return Checked(ir::Op::kCheckIndex, std::move(check), indices);
}

}  // namespace

bool ChecksBounds() { return unchecked_scopes == 0 && bounds_check.load(std::memory_order_relaxed); }
UncheckedScope::UncheckedScope() { ++unchecked_scopes; }
UncheckedScope::~UncheckedScope() { --unchecked_scopes; }

void CheckValues(ir::Op op, const ir::Attributes& check, const Tensor& values) {
  if (op == ir::Op::kCheckInteger) {
    return CheckIntegerValues<int8_t, int16_t, int32_t, int64_t, uint8_t, uint16_t, uint32_t, uint64_t>(check, values);
  }
  if (!check.Get<Shape>("shape").is_constant()) return;
  values.dtype() == kInt32 ? CheckIndexValues<int32_t>(check, values) : CheckIndexValues<int64_t>(check, values);
}

Tensor CheckIndices(const char* op, const Type& x, const Tensor& indices, int64_t axis) {
  return CheckedIndices(ir::CheckIndexAttributes(op, x, axis, false), indices);
}

Tensor CheckLabelRange(const char* op, const Tensor& labels, int64_t classes) {
  return CheckedIndices(ir::CheckIndexAttributes(op, {kFloat32, {classes}}, 0, true), labels);
}

Tensor CheckIntegers(const char* op, const Tensor& values, bool negative) {
  if (!IsInteger(values.dtype()) || (negative && IsUnsigned(values.dtype()))) return values;
  return Checked(ir::Op::kCheckInteger, ir::CheckIntegerAttributes(op, negative), values);
}

Tensor IndexTensor(const Operand& x) {
  Tensor t = Materialize(x);
  if (t.dtype() != kInt32 && t.dtype() != kInt64) {
    ThrowInvalid(StrCat("indices must be i32 or i64, got ", t.type().ToString(), "; Cast them"));
  }
  return t;
}

}  // namespace internal

bool CheckBounds(bool check) { return internal::bounds_check.exchange(check); }

Tensor Gather(const Operand& x, const Operand& indices, int64_t axis) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x), i = IndexTensor(indices);
  axis = NormalizeAxis("gather", axis, t.rank());
  return Dispatch(ir::Op::kGather, {t, CheckIndices("gather", t, i, axis)}, {{"axis", axis}});
}

Tensor ScatterAdd(const Operand& x, const Operand& indices, const Operand& updates, int64_t axis) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x), i = IndexTensor(indices);
  axis = NormalizeAxis("scatter_add", axis, t.rank());
  const Tensor checked = CheckIndices("scatter_add", t, i, axis);
  return Dispatch(ir::Op::kScatterAdd, {t, checked, internal::ConvertWeak(updates, t.dtype())}, {{"axis", axis}});
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
