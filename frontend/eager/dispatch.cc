#include "frontend/eager/dispatch.h"

#include <array>
#include <utility>

#include "frontend/autodiff/check_numerics.h"
#include "frontend/eager/kernel.h"
#include "frontend/eager/kernel_library.h"
#include "frontend/values/location.h"
#include "frontend/values/status.h"
#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::internal {

namespace {

// A symbolic operand must belong to the trace in progress or to one around it.
void CheckTraces(ir::Op op, absl::Span<const Tensor> operands) {
  for (const Tensor& x : operands) {
    if (!x.defined()) ThrowInvalid(StrCat(ir::Name(op), ": an operand is a null tensor; assign it first"));
    if (!x.symbolic()) continue;
    const TraceState* trace = State().trace;
    while (trace && trace->id != x.internal_data()->trace) trace = trace->outer;
    if (!trace) {
      ThrowError(ErrorCode::kFailedPrecondition,
                 StrCat(ir::Name(op), ": a symbolic tensor ", x.type().ToString(),
                        " is used outside the trace that made it; return it from the traced "
                        "function instead"));
    }
  }
}

// An event for those who listen.
void Tell(const ThreadState& state, ir::Op op, const AttributesPtr& attributes, absl::Span<const Tensor> operands,
          absl::Span<const Tensor> results) {
  if (state.sinks.empty()) return;
  const OpEvent event{op, attributes, operands, results, UserLine()};
  for (const auto& sink : state.sinks) {
    if (sink->listening()) sink->OnOp(event);
  }
}

const ir::Attributes kNoAttributes;

}  // namespace

TensorList DispatchAll(ir::Op op, AttributesPtr attributes, absl::Span<const Tensor> operands) {
  CheckTraces(op, operands);
  ThreadState& state = State();
  ir::TypeList operand_types;
  for (const Tensor& x : operands) operand_types.push_back(x.type());
  const ir::TypeList types = Take(ir::InferTypes({op, operand_types, attributes ? *attributes : kNoAttributes,
                                                  state.trace ? state.trace->module.get() : nullptr}));
  TensorList results;
  if (state.trace) {
    for (const Type& type : types) results.push_back(MakeSymbolic(type, state.trace->id));
  } else {
    results = RunKernel(op, attributes, operands, types);
    if (ChecksNumerics()) [[unlikely]]
      CheckNumericsOf(op, operands, results);
  }
  Tell(state, op, attributes, operands, results);
  return results;
}

Tensor RunReady(ir::Op op, std::initializer_list<const Operand*> operands, const char* function) {
  const ThreadState& state = State();
  if (state.trace || ChecksNumerics()) return {};  // the latter: for the line of the user
  std::array<ElementwiseOperand, 3> in;
  const TensorData* first = nullptr;
  size_t n = 0;
  for (const Operand* x : operands) {
    const Tensor* tensor = x->plain();
    const TensorData* data = tensor ? tensor->internal_data().get() : nullptr;
    if (!data || data->trace != 0 || (first && !(data->type == first->type))) return {};
    if (!first) first = data;
    in[n++] = ElementwiseOperand(*data);
  }
  const LibraryOp found = FindInLibrary(op, first->type.dtype);
  if (!found.kernel) return {};
  const Type type{found.result, first->type.shape};
  runtime::Buffer buffer = NewBuffer(type);
  RunElementwise(*found.kernel, {in.data(), n}, type, buffer.data());
  Tensor result = MakeTensor(type, std::move(buffer));
  if (!state.sinks.empty()) {
    const LocationScope scope(**operands.begin(), function);
    std::array<Tensor, 3> tensors;
    for (size_t i = 0; i < n; ++i) tensors[i] = *operands.begin()[i]->plain();
    Tell(state, op, nullptr, {tensors.data(), n}, {&result, 1});
  }
  return result;
}

Tensor Dispatch(ir::Op op, absl::Span<const Tensor> operands, ir::Attributes attributes) {
  AttributesPtr shared;
  if (!attributes.empty()) shared = std::make_shared<const ir::Attributes>(std::move(attributes));
  return std::move(DispatchAll(op, std::move(shared), operands)[0]);
}

Tensor ReadVariable(const VariablePtr& variable) {
  ThreadState& state = State();
  const Tensor value =
      state.trace ? MakeSymbolic(variable->type, state.trace->id) : MakeTensor(variable->type, variable->Load());
  for (const auto& sink : state.sinks) {
    if (sink->listening()) sink->OnRead(variable, value, UserLine());
  }
  return value;
}

void AssignVariable(const VariablePtr& variable, const Tensor& value) {
  if (!value.defined() || value.type() != variable->type) {
    ThrowInvalid(StrCat("assign: variable '", variable->name, "' is ", variable->type.ToString(), ", the value is ",
                        value.defined() ? value.type().ToString() : "a null tensor", "; cast or reshape it"));
  }
  ThreadState& state = State();
  const Tensor operands[] = {value};
  CheckTraces(ir::Op::kIdentity, operands);
  if (!state.trace) variable->Store(value.internal_data()->buffer());
  for (const auto& sink : state.sinks) {
    if (sink->listening()) sink->OnAssign(variable, value, UserLine());
  }
}

}  // namespace reel::internal
