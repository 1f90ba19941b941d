#include "ir/builder.h"

#include <algorithm>

#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

std::shared_ptr<const Attributes> Share(Attributes attributes) {
  if (attributes.empty()) return nullptr;
  return std::make_shared<const Attributes>(std::move(attributes));
}

}  // namespace

Value Builder::Fail(absl::Status status) {
  if (status_.ok()) status_ = std::move(status);
  return {};
}

ValueList Builder::EmitAll(Op op, absl::Span<const Value> operands, Attributes attributes) {
  if (!status_.ok()) return {};
  for (Value v : operands) {
    if (!v.valid()) {
      Fail(OpError(op, "operand is not a value"));
      return {};
    }
  }
  const TypeList operand_types = OperandTypes(*function_, operands);
  auto types = InferTypes({op, operand_types, attributes, module_});
  if (!types.ok()) {
    Fail(types.status());
    return {};
  }
  const Node& node = function_->AddNode(op, operands, Share(std::move(attributes)), *types, location_);
  ValueList results;
  for (int i = 0; i < node.num_results; ++i) results.push_back(node.result(i));
  return results;
}

Value Builder::Emit(Op op, absl::Span<const Value> operands, Attributes attributes) {
  const ValueList results = EmitAll(op, operands, std::move(attributes));
  return results.size() == 1 ? results[0] : Value{};
}

Value Builder::Cast(Value x, DType dtype) {
  return type(x).dtype == dtype ? x : Emit(Op::kCast, {x}, {{"dtype", dtype}});
}

Value Builder::ReduceSum(Value x, std::vector<int64_t> axes) {
  return axes.empty() ? x : Emit(Op::kReduceSum, {x}, {{"axes", std::move(axes)}});
}
Value Builder::ReduceMax(Value x, std::vector<int64_t> axes) {
  return axes.empty() ? x : Emit(Op::kReduceMax, {x}, {{"axes", std::move(axes)}});
}
Value Builder::ReduceMin(Value x, std::vector<int64_t> axes) {
  return axes.empty() ? x : Emit(Op::kReduceMin, {x}, {{"axes", std::move(axes)}});
}
Value Builder::ReduceProd(Value x, std::vector<int64_t> axes) {
  return axes.empty() ? x : Emit(Op::kReduceProd, {x}, {{"axes", std::move(axes)}});
}

Value Builder::Constant(Literal literal) { return Emit(Op::kConstant, {}, {{"value", std::move(literal)}}); }

Value Builder::Full(Type type, double value) { return BroadcastTo(Scalar(type.dtype, value), type.shape); }

Value Builder::Iota(DType dtype, Shape shape, int64_t axis) {
  return Emit(Op::kIota, {}, {{"axis", axis}, {"dtype", dtype}, {"shape", shape}});
}

Value Builder::Reshape(Value x, Shape shape) {
  return x.valid() && this->shape(x) == shape ? x : Emit(Op::kReshape, {x}, {{"shape", shape}});
}

Value Builder::Transpose(Value x, std::vector<int64_t> permutation) {
  const bool same_rank = x.valid() && static_cast<int>(permutation.size()) == shape(x).rank();
  if (same_rank && IsIdentity(permutation)) return x;
  return Emit(Op::kTranspose, {x}, {{"permutation", std::move(permutation)}});
}

Value Builder::Slice(Value x, std::vector<int64_t> starts, std::vector<int64_t> limits, std::vector<int64_t> strides) {
  return Emit(Op::kSlice, {x},
              {{"starts", std::move(starts)}, {"limits", std::move(limits)}, {"strides", std::move(strides)}});
}

std::vector<Value> Builder::Elements(Value x, const std::vector<int64_t>& axes) {
  const Shape from = shape(x);
  Shape kept;
  int64_t count = 1;
  for (int i = 0; i < from.rank(); ++i) {
    if (std::binary_search(axes.begin(), axes.end(), i)) {
      count *= from.dim(i);
    } else {
      kept.push_back(from[i]);
    }
  }
  std::vector<int64_t> starts(static_cast<size_t>(from.rank()), 0), limits;
  for (Extent e : from) limits.push_back(e.is_constant() ? e.value() : -1);  // symbolic axes stay whole
  std::vector<Value> elements;
  for (int64_t k = 0; k < count; ++k) {
    int64_t rest = k;
    for (size_t i = axes.size(); i-- > 0;) {
      const auto a = static_cast<size_t>(axes[i]);
      const int64_t extent = from.dim(static_cast<int>(a));
      starts[a] = rest % extent;
      limits[a] = starts[a] + 1;
      rest /= extent;
    }
    elements.push_back(Reshape(Slice(x, starts, limits, std::vector<int64_t>(starts.size(), 1)), kept));
  }
  return elements;
}

Value Builder::Broadcast(Value x, Shape shape, std::vector<int64_t> axes) {
  return Emit(Op::kBroadcast, {x}, {{"shape", shape}, {"axes", std::move(axes)}});
}

Value Builder::BroadcastTo(Value x, Shape shape) {
  if (!x.valid() || this->shape(x) == shape) return x;
  const int offset = shape.rank() - this->shape(x).rank();
  if (offset < 0) {
    return Fail(OpError(Op::kBroadcast, StrCat(type(x).ToString(), " has a higher rank than ", shape.ToString())));
  }
  std::vector<int64_t> axes;
  for (int i = offset; i < shape.rank(); ++i) axes.push_back(i);
  return Broadcast(x, shape, std::move(axes));
}

Value Builder::Pad(Value x, Value value, std::vector<int64_t> low, std::vector<int64_t> high,
                   std::vector<int64_t> interior) {
  return Emit(Op::kPad, {x, value},
              {{"low", std::move(low)}, {"high", std::move(high)}, {"interior", std::move(interior)}});
}

Value Builder::Reverse(Value x, std::vector<int64_t> axes) {
  return axes.empty() ? x : Emit(Op::kReverse, {x}, {{"axes", std::move(axes)}});
}

Value Builder::Window(Value x, const Windows& w) {
  return Emit(Op::kWindow, {x},
              {{"axes", w.axes}, {"sizes", w.sizes}, {"strides", w.strides}, {"dilations", w.dilations}});
}

Value Builder::Contract(Value a, Value b, const ContractAxes& axes) {
  return Emit(Op::kContract, {a, b},
              {{"a_batch", axes.a_batch},
               {"b_batch", axes.b_batch},
               {"a_contract", axes.a_contract},
               {"b_contract", axes.b_contract}});
}

Value Builder::Conv(Value a, Value b, const ConvGeometry& g) {
  return Emit(Op::kConv, {a, b},
              {{"strides", g.strides},
               {"low", g.low},
               {"high", g.high},
               {"a_dilation", g.a_dilation},
               {"b_dilation", g.b_dilation}});
}

Value Builder::Recurrence(Value a, Value b, int64_t axis, bool reverse) {
  return Emit(Op::kRecurrence, {a, b}, {{"axis", axis}, {"reverse", reverse}});
}

Value Builder::TriangularSolve(Value a, Value b, const TriangularForm& form) {
  return Emit(Op::kTriangularSolve, {a, b},
              {{"lower", form.lower}, {"transpose", form.transpose}, {"unit_diagonal", form.unit_diagonal}});
}

Value Builder::Gather(Value a, Value indices, int64_t axis) {
  return Emit(Op::kGather, {a, indices}, {{"axis", axis}});
}
Value Builder::ScatterAdd(Value a, Value indices, Value updates, int64_t axis) {
  return Scatter(Op::kScatterAdd, a, indices, updates, axis);
}
Value Builder::Scatter(Op op, Value a, Value indices, Value updates, int64_t axis) {
  return Emit(op, {a, indices, updates}, {{"axis", axis}});
}
Value Builder::Argsort(Value x, int64_t axis, bool descending) {
  return Emit(Op::kArgsort, {x}, {{"axis", axis}, {"descending", descending}});
}
Value Builder::DynamicSlice(Value a, Value start, int64_t axis, int64_t size) {
  return Emit(Op::kDynamicSlice, {a, start}, {{"axis", axis}, {"size", size}});
}
Value Builder::DynamicUpdate(Value a, Value update, Value start, int64_t axis) {
  return Emit(Op::kDynamicUpdate, {a, update, start}, {{"axis", axis}});
}
Value Builder::RandomBits(Value state, Shape shape) { return Emit(Op::kRandomBits, {state}, {{"shape", shape}}); }

ValueList Builder::Call(std::string_view callee, absl::Span<const Value> operands, std::string_view vjp) {
  Attributes attributes{{"callee", std::string(callee)}};
  if (!vjp.empty()) attributes.Set("vjp", std::string(vjp));
  return EmitAll(Op::kCall, operands, std::move(attributes));
}

ValueList Builder::If(Value condition, std::string_view then_function, std::string_view else_function,
                      absl::Span<const Value> operands) {
  ValueList all{condition};
  all.insert(all.end(), operands.begin(), operands.end());
  return EmitAll(Op::kIf, all, {{"then", std::string(then_function)}, {"else", std::string(else_function)}});
}

ValueList Builder::While(std::string_view cond, std::string_view body, absl::Span<const Value> operands,
                         int64_t maximum_iterations) {
  Attributes attributes{{"cond", std::string(cond)}, {"body", std::string(body)}};
  if (maximum_iterations >= 0) attributes.Set("maximum_iterations", maximum_iterations);
  return EmitAll(Op::kWhile, operands, std::move(attributes));
}

bool IsIdentity(const std::vector<int64_t>& permutation) {
  for (size_t i = 0; i < permutation.size(); ++i) {
    if (permutation[i] != static_cast<int64_t>(i)) return false;
  }
  return true;
}

}  // namespace reel::ir
