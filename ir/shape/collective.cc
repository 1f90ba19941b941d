#include <string>

#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

absl::StatusOr<int64_t> GroupSize(const InferContext& c) {
  const int64_t size = c.attr_int("size");
  constexpr int64_t kMost = int64_t{1} << 24;  // members of a group, so that products of extents do not overflow
  if (size >= 1 && size <= kMost) return size;
  return OpError(c.op, StrCat("size, the members of the group, must be from 1 to ", kMost, ", got ", size));
}

absl::Status CheckKind(const InferContext& c) {
  const auto& kind = c.attributes.Get<std::string>("kind");
  if (kind != "sum" && kind != "mean" && kind != "max") {
    return OpError(c.op, StrCat("kind must be sum, mean or max, got \"", kind, "\""));
  }
  if (kind == "mean" && !IsFloat(c.operand(0).dtype)) {
    return OpError(c.op, StrCat("a mean needs floats, got ", c.operand(0).ToString(), "; cast it, or take the sum"));
  }
  return absl::OkStatus();
}

// The extent of axis 0, which has one part for each member if `parts`.
absl::StatusOr<int64_t> FirstExtent(const InferContext& c, int64_t size, bool parts) {
  const Shape& shape = c.operand(0).shape;
  if (shape.rank() == 0) return OpError(c.op, "a scalar has no axis 0; reshape it to [1]");
  const auto n = NeedConstant(c.op, shape[0]);
  if (!n.ok() || !parts || *n % size == 0) return n;
  return OpError(c.op, StrCat("axis 0 of ", c.operand(0).ToString(), " has no ", size, " equal parts; pad it"));
}

Type WithFirst(Type type, int64_t extent) {
  Shape shape;
  for (int i = 0; i < type.shape.rank(); ++i) shape.push_back(i == 0 ? Extent(extent) : type.shape[i]);
  return {type.dtype, std::move(shape)};
}

}  // namespace

absl::StatusOr<TypeList> InferAllReduceRule(const InferContext& c) {
  if (const auto size = GroupSize(c); !size.ok()) return size.status();
  if (absl::Status s = CheckKind(c); !s.ok()) return s;
  return TypeList{c.operand(0)};
}

absl::StatusOr<TypeList> InferAllGatherRule(const InferContext& c) {
  const auto size = GroupSize(c);
  if (!size.ok()) return size.status();
  const auto n = FirstExtent(c, *size, false);
  if (!n.ok()) return n.status();
  int64_t all = 0;
  if (__builtin_mul_overflow(*n, *size, &all)) return OpError(c.op, "the result has too many elements");
  return TypeList{WithFirst(c.operand(0), all)};
}

absl::StatusOr<TypeList> InferReduceScatterRule(const InferContext& c) {
  const auto size = GroupSize(c);
  if (!size.ok()) return size.status();
  if (absl::Status s = CheckKind(c); !s.ok()) return s;
  const auto n = FirstExtent(c, *size, true);
  if (!n.ok()) return n.status();
  return TypeList{WithFirst(c.operand(0), *n / *size)};
}

absl::StatusOr<TypeList> InferAllToAllRule(const InferContext& c) {
  const auto size = GroupSize(c);
  if (!size.ok()) return size.status();
  if (const auto n = FirstExtent(c, *size, true); !n.ok()) return n.status();
  return TypeList{c.operand(0)};
}

absl::StatusOr<TypeList> InferBroadcastFromRule(const InferContext& c) {
  const auto size = GroupSize(c);
  if (!size.ok()) return size.status();
  if (const int64_t root = c.attr_int("root"); root < 0 || root >= *size) {
    return OpError(c.op, StrCat("root must be from 0 to ", *size - 1, ", got ", root));
  }
  return TypeList{c.operand(0)};
}

absl::StatusOr<TypeList> InferGroupRankRule(const InferContext& c) {
  if (const auto size = GroupSize(c); !size.ok()) return size.status();
  return TypeList{{kInt64, {}}};
}

}  // namespace reel::ir
