#include "ir/infer.h"

#include <algorithm>

#include "absl/status/status.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

absl::Status CheckAttributes(const InferContext& c) {
  const OpInfo& info = Info(c.op);
  size_t present = 0;
  for (const AttrSpec& spec : info.attributes) {
    const AttrValue* value = c.attributes.Find(spec.name);
    if (!value) {
      if (spec.optional) continue;
      return OpError(c.op, StrCat("attribute '", spec.name, "' of kind ", Name(spec.kind), " is missing"));
    }
    ++present;
    if (value->index() != static_cast<size_t>(spec.kind)) {
      return OpError(c.op, StrCat("attribute '", spec.name, "' must be of kind ", Name(spec.kind), ", not ",
                                  Name(static_cast<AttrKind>(value->index()))));
    }
  }
  if (present == c.attributes.entries().size()) return absl::OkStatus();
  for (const auto& [name, value] : c.attributes.entries()) {
    const bool known = std::any_of(info.attributes.begin(), info.attributes.end(),
                                   [&n = name](const AttrSpec& s) { return s.name == n; });
    if (!known) return OpError(c.op, StrCat("unknown attribute '", name, "'"));
  }
  return OpError(c.op, "attributes are repeated");
}

using Rule = absl::StatusOr<TypeList> (*)(const InferContext&);
constexpr Rule kRules[] = {
#define OP(Enum, text, operands, traits, cost, rule, ...) Infer##rule##Rule,
#include "ir/ops.def"
#undef OP
};

}  // namespace

absl::Status OpError(Op op, std::string_view message) {
  return absl::InvalidArgumentError(StrCat(Name(op), ": ", message));
}

absl::StatusOr<TypeList> InferTypes(const InferContext& c) {
  const OpInfo& info = Info(c.op);
  if (info.operands >= 0 && static_cast<size_t>(info.operands) != c.operands.size()) {
    return OpError(c.op, StrCat("takes ", info.operands, " operands, got ", c.operands.size()));
  }
  if (info.operands > 0 && !Contains(info.dtypes, c.operand(0).dtype)) {
    return OpError(
        c.op, StrCat("operand must be ", Describe(info.dtypes), ", got ", c.operand(0).ToString(), "; cast it first"));
  }
  if (absl::Status s = CheckAttributes(c); !s.ok()) return s;
  auto types = kRules[static_cast<size_t>(c.op)](c);
  if (!types.ok()) return types;
  for (const Type& type : *types) {
    if (!FitsInMemory(type.shape)) {
      return OpError(c.op, StrCat("result ", type.ToString(), " is too large"));
    }
  }
  return types;
}

absl::StatusOr<int> CheckAxis(Op op, std::string_view what, int64_t axis, int rank) {
  if (axis >= 0 && axis < rank) return static_cast<int>(axis);
  return OpError(op, StrCat(what, " ", axis, " is out of range for rank ", rank));
}

absl::Status CheckAxes(Op op, std::string_view what, const std::vector<int64_t>& axes, int rank, bool any_order) {
  uint32_t seen = 0;
  int64_t last = -1;
  for (int64_t axis : axes) {
    if (auto a = CheckAxis(op, what, axis, rank); !a.ok()) return a.status();
    if (seen & (1u << axis)) return OpError(op, StrCat(what, " ", axis, " is repeated"));
    if (!any_order && axis < last) return OpError(op, StrCat(what, " must be increasing"));
    seen |= 1u << axis;
    last = axis;
  }
  return absl::OkStatus();
}

absl::Status CheckLength(const InferContext& c, std::string_view name, int count, std::string_view what) {
  const size_t entries = c.attr_ints(name).size();
  if (static_cast<int>(entries) == count) return absl::OkStatus();
  return OpError(c.op, StrCat("'", name, "' has ", entries, " entries for ", what, " ", count, " (operand ",
                              c.operand(0).ToString(), "); give ", count));
}

absl::StatusOr<int64_t> CountWindows(Op op, const AxisWindow& w) {
  for (auto [name, v] : {std::pair("size", w.size), std::pair("stride", w.stride), std::pair("dilation", w.dilation)}) {
    if (v < 1) return OpError(op, StrCat("window ", name, " ", v, " must be at least 1"));
  }
  int64_t span = 0;
  if (__builtin_mul_overflow(w.size - 1, w.dilation, &span) || span >= w.extent) {
    return OpError(op, StrCat("a window of ", w.size, " elements, ", w.dilation, " apart, does not fit into extent ",
                              w.extent, "; pad the axis or make the window smaller"));
  }
  return (w.extent - span - 1) / w.stride + 1;
}

absl::StatusOr<int64_t> NeedConstant(Op op, Extent extent) {
  if (extent.is_constant()) return extent.value();
  return OpError(op, "needs a constant extent here, got a symbolic one; fix the dimension");
}

absl::Status NeedInteger(Op op, std::string_view what, const Type& type, int rank) {
  if (type.dtype != kInt32 && type.dtype != kInt64) {
    return OpError(op, StrCat(what, " must be i32 or i64, got ", type.ToString(), "; cast it"));
  }
  if (rank >= 0 && type.shape.rank() != rank) {
    return OpError(op, StrCat(what, " must have rank ", rank, ", got ", type.ToString()));
  }
  return absl::OkStatus();
}

}  // namespace reel::ir
