#include "frontend/program/parts.h"

#include <cmath>
#include <cstring>
#include <mutex>
#include <utility>

#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"
#include "reel/distributed.h"
#include "runtime/allocator.h"
#include "runtime/fork.h"

namespace reel::internal {
namespace {

void RequireGroup(const VariableData& part) {
  if (MembersOf(part) == GroupSize()) return;
  ThrowError(ErrorCode::kFailedPrecondition,
             StrCat("variable '", part.name, "' is in ", MembersOf(part), " parts, this group has ", GroupSize(),
                    " members; make the step for this size, or start as many"));
}

void RequireSet(VariableData& part) {
  const std::lock_guard lock(part.mutex);
  if (!part.in_parts) return;
  ThrowError(ErrorCode::kFailedPrecondition,
             StrCat("variable '", part.name, "' is in ", MembersOf(part),
                    " parts, of which the module has no values; assign the whole variable, as a checkpoint does"));
}

// Memory of its own: who shares bytes keeps the whole alive.
runtime::Buffer CopyOfRows(const VariableData& part, const void* whole) {
  const auto bytes = static_cast<size_t>(part.type.bytes());
  runtime::Buffer rows = runtime::Buffer::TryAllocate(bytes);
  if (!rows) ThrowError(ErrorCode::kResourceExhausted, StrCat("run: no memory for ", part.type.ToString()));
  std::memcpy(rows.data(), static_cast<const std::byte*>(whole) + static_cast<size_t>(GroupRank()) * bytes, bytes);
  return rows;
}

}  // namespace

VariablePtr PartOf(const VariablePtr& whole, const Type& part) {
  const runtime::NoFork no_fork;
  const std::lock_guard lock(whole->mutex);
  if (VariablePtr known = whole->part.lock(); known && known->type == part) return known;
  auto made = std::make_shared<VariableData>();
  made->id = NextId();
  made->name = whole->name;
  made->trainable = whole->trainable;
  made->type = part;
  made->in_parts = true;
  made->whole = whole;
  if (!whole->in_parts) whole->part = made;
  return made;
}

VariablePtr LoadPart(const ir::Variable& v) {
  const auto& initial = std::get<ir::Literal>(v.initial);
  bool unset = v.type.shape.size() > 0;
  for (int64_t i = 0; unset && i < v.type.shape.size(); ++i)
    unset = IsFloat(v.type.dtype) && std::isnan(initial.AsDouble(i));
  auto whole = std::make_shared<VariableData>();
  whole->id = NextId();
  whole->name = v.name;
  whole->trainable = v.trainable;
  whole->type = v.WholeType();
  whole->in_parts = true;
  VariablePtr part = PartOf(whole, v.type);
  whole->part = part;
  if (!unset) part->Store(internal::FromLiteral(initial).internal_data()->buffer());
  return part;
}

int64_t MembersOf(const VariableData& part) { return part.whole->type.shape.dim(0) / part.type.shape.dim(0); }

Tensor OwnRows(const VariableData& part, const Tensor& whole) {
  RequireGroup(part);
  return MakeTensor(part.type, CopyOfRows(part, whole.raw_data()));
}

void TakeParts(const std::vector<VariablePtr>& parts) {
  bool any = false;
  for (const VariablePtr& part : parts) {
    RequireGroup(*part);
    VariableData& whole = *part->whole;
    runtime::Buffer taken;  // lives longer than the lock: what dies with it may call
    runtime::Buffer rows;
    {
      const runtime::NoFork no_fork;
      const std::lock_guard lock(whole.mutex);
      if (whole.in_parts && whole.part.lock() == part) {
        RequireSet(*part);
        continue;
      }
      whole.RequireValue();
      rows = CopyOfRows(*part, whole.buffer.data());
      std::swap(taken, whole.buffer);
      whole.in_parts = true;
      whole.part = part;
    }
    part->Store(std::move(rows));
    any = true;
  }
  if (any) runtime::Allocator::Default().ReleaseCache();  // where whole values were
}

void PutBack(const VariablePtr& part, const Tensor& value) {
  part->whole->Store(value.internal_data()->buffer());
  runtime::Buffer old;
  const runtime::NoFork no_fork;
  const std::lock_guard lock(part->mutex);
  std::swap(old, part->buffer);
  part->in_parts = true;
}

}  // namespace reel::internal
