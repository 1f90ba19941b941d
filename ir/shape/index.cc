#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

// a[:axis] + indices + a[axis+1:]
absl::StatusOr<Shape> GatheredShape(const InferContext& c) {
  const Type &a = c.operand(0), &indices = c.operand(1);
  if (absl::Status s = NeedInteger(c.op, "indices", indices); !s.ok()) return s;
  const auto axis = CheckAxis(c.op, "axis", c.attr_int("axis"), a.shape.rank());
  if (!axis.ok()) return axis.status();
  const int rank = a.shape.rank() - 1 + indices.shape.rank();
  if (rank > kMaxRank) return OpError(c.op, StrCat("result rank ", rank, " exceeds ", kMaxRank));
  Shape shape;
  for (int i = 0; i < a.shape.rank(); ++i) {
    if (i != *axis) {
      shape.push_back(a.shape[i]);
    } else {
      for (Extent e : indices.shape) shape.push_back(e);
    }
  }
  return shape;
}

}  // namespace

absl::StatusOr<TypeList> InferGatherRule(const InferContext& c) {
  const auto shape = GatheredShape(c);
  if (!shape.ok()) return shape.status();
  return TypeList{{c.operand(0).dtype, *shape}};
}

absl::StatusOr<TypeList> InferScatterRule(const InferContext& c) {
  const auto shape = GatheredShape(c);
  if (!shape.ok()) return shape.status();
  if (c.operand(2) != Type{c.operand(0).dtype, *shape}) {
    return OpError(
        c.op, StrCat("updates must be ", Type{c.operand(0).dtype, *shape}.ToString(), " for ", c.operand(0).ToString(),
                     " and indices ", c.operand(1).ToString(), ", got ", c.operand(2).ToString()));
  }
  return TypeList{c.operand(0)};
}

absl::StatusOr<TypeList> InferDynamicSliceRule(const InferContext& c) {
  const Type& a = c.operand(0);
  if (absl::Status s = NeedInteger(c.op, "start", c.operand(1), 0); !s.ok()) return s;
  const auto axis = CheckAxis(c.op, "axis", c.attr_int("axis"), a.shape.rank());
  if (!axis.ok()) return axis.status();
  const auto extent = NeedConstant(c.op, a.shape[*axis]);
  if (!extent.ok()) return extent.status();
  const int64_t size = c.attr_int("size");
  if (size < 0 || size > *extent) {
    return OpError(c.op, StrCat("size ", size, " must be in [0, ", *extent, "], axis ", *axis, " of ", a.ToString()));
  }
  Type result = a;
  result.shape.set(*axis, size);
  return TypeList{result};
}

absl::StatusOr<TypeList> InferDynamicUpdateRule(const InferContext& c) {
  const Type &a = c.operand(0), &update = c.operand(1);
  if (absl::Status s = NeedInteger(c.op, "start", c.operand(2), 0); !s.ok()) return s;
  const auto axis = CheckAxis(c.op, "axis", c.attr_int("axis"), a.shape.rank());
  if (!axis.ok()) return axis.status();
  bool fits = update.dtype == a.dtype && update.shape.rank() == a.shape.rank();
  for (int i = 0; fits && i < a.shape.rank(); ++i) {
    fits = i == *axis
               ? a.shape[i].is_constant() && update.shape[i].is_constant() && update.shape.dim(i) <= a.shape.dim(i)
               : a.shape[i] == update.shape[i];
  }
  if (!fits) {
    return OpError(c.op,
                   StrCat("update ", update.ToString(), " does not fit into ", a.ToString(), " along axis ", *axis));
  }
  return TypeList{a};
}

absl::StatusOr<TypeList> InferCheckIndexRule(const InferContext& c) {
  if (absl::Status s = NeedInteger(c.op, "indices", c.operand(0)); !s.ok()) return s;
  const auto axis = CheckAxis(c.op, "axis", c.attr_int("axis"), c.attributes.Get<Shape>("shape").rank());
  if (!axis.ok()) return axis.status();
  return TypeList{c.operand(0)};
}

absl::StatusOr<TypeList> InferCheckIntegerRule(const InferContext& c) { return TypeList{c.operand(0)}; }

}  // namespace reel::ir
