#ifndef REEL_IR_INFER_H_
#define REEL_IR_INFER_H_

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"

namespace reel::ir {

/// What a shape rule sees. `module` resolves the callees of control ops and may be null for others.
struct InferContext {
  Op op;
  absl::Span<const Type> operands;
  const Attributes& attributes;
  const Module* module;

  const Type& operand(int i) const { return operands[static_cast<size_t>(i)]; }
  int64_t attr_int(std::string_view name) const { return attributes.Get<int64_t>(name); }
  const std::vector<int64_t>& attr_ints(std::string_view name) const {
    return attributes.Get<std::vector<int64_t>>(name);
  }
  const Shape& attr_shape(std::string_view name) const { return attributes.Get<Shape>(name); }
};

/// Result types of an op, or an error that names the op, the types and a remedy. Checks everything the
/// verifier promises about one node: operand count, dtypes, attributes present and of their
/// kind, shapes, sizes that fit.
absl::StatusOr<TypeList> InferTypes(const InferContext& context);

/// "add: <message>" as InvalidArgument.
absl::Status OpError(Op op, std::string_view message);

// The rules of ops.def, by family in ir/shape/. Their operands and attributes have passed the generic checks.
#define OP(Enum, text, operands, traits, cost, rule, ...) \
  absl::StatusOr<TypeList> Infer##rule##Rule(const InferContext& context);
#include "ir/ops.def"
#undef OP

// Shared by the rules.
absl::StatusOr<int> CheckAxis(Op op, std::string_view what, int64_t axis, int rank);
/// Sorted, distinct and in [0, rank) unless `any_order`.
absl::Status CheckAxes(Op op, std::string_view what, const std::vector<int64_t>& axes, int rank,
                       bool any_order = false);
/// The attribute, of integers, has one entry for each of `count` things, named by `what`.
absl::Status CheckLength(const InferContext& context, std::string_view name, int count, std::string_view what = "rank");
/// Windows of an axis: size elements, dilation apart, starting stride apart. All at least 1; the axis must hold one.
struct AxisWindow {
  int64_t extent, size, stride, dilation;
};
absl::StatusOr<int64_t> CountWindows(Op op, const AxisWindow& window);
/// The constant extent or an error that names the op.
absl::StatusOr<int64_t> NeedConstant(Op op, Extent extent);
/// Symbolic extents of an attribute are symbols of the module.
absl::Status CheckSymbols(const InferContext& context, const Shape& shape);
absl::Status NeedInteger(Op op, std::string_view what, const Type& type, int rank = -1);

}  // namespace reel::ir

#endif  // REEL_IR_INFER_H_
