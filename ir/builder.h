#ifndef REEL_IR_BUILDER_H_
#define REEL_IR_BUILDER_H_

#include <memory>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "ir/graph.h"

namespace reel::ir {

/// Appends type-checked nodes to a function. The first error sticks: later calls do nothing and
/// return an invalid Value, so a rule of many lines needs one look at status() at its end.
///
///   Builder b(&function, &module);
///   Value y = b.Mul(b.Exp(x), b.ScalarLike(x, 2.0));
///   if (!b.status().ok()) return b.status();
///
/// Types and shapes are taken by value: type(x) and shape(x) refer to what moves when a node is added.
class Builder {
 public:
  /// `module` resolves callees and symbols; null if there are none.
  explicit Builder(Function* function, const Module* module = nullptr) : function_(function), module_(module) {}

  /// A node with one result.
  Value Emit(Op op, absl::Span<const Value> operands, Attributes attributes = {});
  /// A node with any number of results.
  ValueList EmitAll(Op op, absl::Span<const Value> operands, Attributes attributes = {});

  // Elementwise ops without attributes: Neg(x), Add(a, b), Less(a, b), ...
#define OP(...)
#define UNARY(Enum, ...) \
  Value Enum(Value x) { return Emit(Op::k##Enum, {x}); }
#define BINARY(Enum, ...) \
  Value Enum(Value a, Value b) { return Emit(Op::k##Enum, {a, b}); }
#include "ir/ops.def"
#undef OP
  /// dense: see ops.def.
  Value Identity(Value x, bool dense = false) {
    return dense ? Emit(Op::kIdentity, {x}, {{"dense", true}}) : Emit(Op::kIdentity, {x});
  }
  Value Select(Value condition, Value a, Value b) { return Emit(Op::kSelect, {condition, a, b}); }
  Value Cast(Value x, DType dtype);  ///< x itself if it has the dtype
  /// x's bits as another dtype of the same size.
  Value Bitcast(Value x, DType dtype) { return Emit(Op::kBitcast, {x}, {{"dtype", dtype}}); }

  Value ReduceSum(Value x, std::vector<int64_t> axes);  ///< x itself if axes is empty
  Value ReduceMax(Value x, std::vector<int64_t> axes);
  Value ReduceMin(Value x, std::vector<int64_t> axes);
  Value ReduceProd(Value x, std::vector<int64_t> axes);

  Value Constant(Literal literal);
  /// A rank-0 constant.
  Value Scalar(DType dtype, double value) { return Constant(Literal::Scalar(dtype, value)); }
  /// The number as a constant of x's dtype, broadcast to x's shape.
  Value ScalarLike(Value x, double value) { return Full(type(x), value); }
  Value Full(Type type, double value);
  Value Zeros(Type type) { return Full(type, 0); }
  Value Ones(Type type) { return Full(type, 1); }
  Value Iota(DType dtype, Shape shape, int64_t axis);

  Value Reshape(Value x, Shape shape);  ///< x itself if it has the shape
  Value Transpose(Value x, std::vector<int64_t> permutation);  ///< x itself if nothing moves
  Value Slice(Value x, std::vector<int64_t> starts, std::vector<int64_t> limits, std::vector<int64_t> strides);
  /// The elements of x along some axes (ascending), one by one in row-major order: each of the shape without these.
  std::vector<Value> Elements(Value x, const std::vector<int64_t>& axes);
  Value Broadcast(Value x, Shape shape, std::vector<int64_t> axes);
  /// NumPy's rule: aligns trailing axes; x itself if it has the shape.
  Value BroadcastTo(Value x, Shape shape);
  Value Pad(Value x, Value value, std::vector<int64_t> low, std::vector<int64_t> high, std::vector<int64_t> interior);

  Value Reverse(Value x, std::vector<int64_t> axes);  ///< x itself if axes is empty
  /// One entry per axis to slide along: elements `dilations` apart, windows `strides` apart.
  struct Windows {
    std::vector<int64_t> axes, sizes, strides, dilations;
  };
  /// The windows in place of each axis, their elements as new axes at the end.
  Value Window(Value x, const Windows& windows);

  /// Pairs of axes of equal extent; the contracted ones are summed over.
  struct ContractAxes {
    std::vector<int64_t> a_batch, b_batch, a_contract, b_contract;
  };
  /// [batch..., rest of a..., rest of b...]
  Value Contract(Value a, Value b, const ContractAxes& axes);
  /// One entry per spatial axis; low and high are zeros around a, or cut it where negative.
  struct ConvGeometry {
    std::vector<int64_t> strides, low, high, a_dilation, b_dilation;
  };
  /// a[n, spatial..., groups, channels] with filters b[spatial..., groups, channels, outputs].
  Value Conv(Value a, Value b, const ConvGeometry& geometry);
  /// y[t] = a[t] y[t - 1] + b[t] along the axis, from its end if reverse.
  Value Recurrence(Value a, Value b, int64_t axis, bool reverse);
  /// Which triangle of a is read, whether it is transposed, whether its diagonal is read or ones.
  struct TriangularForm {
    bool lower = true, transpose = false, unit_diagonal = false;
  };
  /// x with a x = b.
  Value TriangularSolve(Value a, Value b, const TriangularForm& form);
  Value Gather(Value a, Value indices, int64_t axis);
  Value ScatterAdd(Value a, Value indices, Value updates, int64_t axis);
  /// The op is kScatterAdd, kScatterSet, kScatterMax, kScatterMin or kScatterMul.
  Value Scatter(Op op, Value a, Value indices, Value updates, int64_t axis);
  /// The i64 positions along the axis that sort x, equal elements in their order.
  Value Argsort(Value x, int64_t axis, bool descending);
  Value DynamicSlice(Value a, Value start, int64_t axis, int64_t size);
  Value DynamicUpdate(Value a, Value update, Value start, int64_t axis);
  Value RandomBits(Value state, Shape shape);
  ValueList Call(std::string_view callee, absl::Span<const Value> operands, std::string_view vjp = {});
  ValueList If(Value condition, std::string_view then_function, std::string_view else_function,
               absl::Span<const Value> operands);
  /// maximum_iterations < 0: no bound.
  ValueList While(std::string_view cond, std::string_view body, absl::Span<const Value> operands,
                  int64_t maximum_iterations = -1);

  const Type& type(Value v) const { return v.valid() ? function_->type(v) : invalid_type_; }
  const Shape& shape(Value v) const { return type(v).shape; }
  const absl::Status& status() const { return status_; }
  /// Records an error unless there is one already; returns an invalid value.
  Value Fail(absl::Status status);
  Function* function() { return function_; }
  const Module* module() const { return module_; }
  /// Location of the nodes that follow, an index of the function's locations().
  void set_location(int32_t location) { location_ = location; }

 private:
  Function* function_;
  const Module* module_;
  absl::Status status_;
  int32_t location_ = -1;
  Type invalid_type_;
};

/// Whether a permutation of axes moves nothing: 0, 1, 2, ... .
bool IsIdentity(const std::vector<int64_t>& permutation);

}  // namespace reel::ir

#endif  // REEL_IR_BUILDER_H_
