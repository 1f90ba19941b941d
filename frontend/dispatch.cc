#include <algorithm>
#include <array>
#include <atomic>
#include <cstring>
#include <thread>
#include <utility>

#include "frontend/core.h"
#include "frontend/kernel.h"
#include "frontend/library.h"
#include "frontend/numerics.h"
#include "ir/infer.h"
#include "ir/strings.h"
#include "runtime/fork.h"
#include "runtime/per_thread.h"

namespace reel::internal {
namespace {

std::atomic<int64_t> live_tensors{0};
std::atomic<uint64_t> next_id{1};
std::atomic<LineFinder> line_finder{nullptr};

// A symbolic operand must belong to the trace in progress or to one around it.
void CheckTraces(ir::Op op, absl::Span<const Tensor> operands) {
  for (const Tensor& x : operands) {
    if (!x.defined())
      ThrowInvalid(StrCat(ir::Name(op), ": an operand is a null tensor; assign it first"));
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

}  // namespace

TensorData::TensorData(Type type_, runtime::Buffer buffer, uint64_t trace_)
    : type(std::move(type_)), id(NextId()), trace(trace_), buffer_(std::move(buffer)) {
  live_tensors.fetch_add(1, std::memory_order_relaxed);
}
TensorData::TensorData(Type type_, const Number& number)
    : type(std::move(type_)), id(NextId()), trace(0), state_(State::kUnwritten), number_(number) {
  live_tensors.fetch_add(1, std::memory_order_relaxed);
}
void TensorData::Write() const {
  runtime::Buffer filled = Filled(number_.bytes, type);
  State before = State::kUnwritten;
  const runtime::NoFork whole;  // a child would wait for kWritten
  if (state_.compare_exchange_strong(before, State::kPublishing, std::memory_order_acquire)) {
    buffer_ = std::move(filled);
    state_.store(State::kWritten, std::memory_order_release);
  }
  while (!written()) std::this_thread::yield();  // for an assignment of another thread
}
TensorData::~TensorData() {
  if (has_tangent) ForgetTangents(id);
  live_tensors.fetch_sub(1, std::memory_order_relaxed);
}

int64_t LiveTensors() { return live_tensors.load(std::memory_order_relaxed); }
uint64_t NextId() { return next_id.fetch_add(1, std::memory_order_relaxed); }

ThreadState& State() { return runtime::PerThread<ThreadState>(); }

void EventSink::OnCustom(const CustomEvent& event) {
  for (size_t i = 0; i < event.results.size(); ++i) {
    OnOp({ir::Op::kIdentity, nullptr, event.inner.subspan(i, 1), event.results.subspan(i, 1),
          event.line});
  }
}

void SetLineFinder(LineFinder find) { line_finder = find; }

SourceLine UserLine() {
  const ThreadState* const state = runtime::FindPerThread<ThreadState>();  // a destructor asks, which may not throw
  if (state && state->location.file && *state->location.file) return state->location;
  const LineFinder find = line_finder;
  return find ? find() : SourceLine{};
}

Tensor AdoptMemory(const Type& type, const void* elements, void (*release)(void*), void* context) {
  runtime::Buffer buffer =
      runtime::Buffer::TryAdopt(elements, static_cast<size_t>(type.bytes()), release, context);
  if (!buffer) {
    ThrowError(ErrorCode::kResourceExhausted,
               StrCat("no memory for ", type.ToString(), ": ", type.bytes(), " bytes"));
  }
  return MakeTensor(type, std::move(buffer));
}

bool Observed() { return State().trace != nullptr || !State().sinks.empty(); }

bool MayRunPrograms() {
  const ThreadState& state = State();
  return !state.trace && !ChecksNumerics() &&
         std::none_of(state.sinks.begin(), state.sinks.end(), [](const auto& sink) { return sink->listening(); });
}

SuspendScope::SuspendScope()
    : sinks_(std::exchange(State().sinks, {})), trace_(std::exchange(State().trace, nullptr)) {}
SuspendScope::~SuspendScope() {
  State().sinks = std::move(sinks_);
  State().trace = trace_;
}

LocationScope::LocationScope(const std::source_location& location, const char* function)
    : outermost_(State().location.file == nullptr) {
  if (outermost_) State().location = {location.file_name(), location.line(), function};
}
LocationScope::~LocationScope() {
  if (outermost_) State().location = {};
}

Tensor MakeTensor(const Type& type, runtime::Buffer buffer) {
  return Tensor(std::make_shared<TensorData>(type, std::move(buffer)));
}

Tensor MakeSymbolic(const Type& type, uint64_t trace) {
  return Tensor(std::make_shared<TensorData>(type, runtime::Buffer(), trace));
}

Tensor FromLiteral(const ir::Literal& literal) {
  return Tensor::FromBytes(literal.dtype(), literal.shape(), literal.bytes().data());
}

ir::Literal ToLiteral(const Tensor& tensor) {
  const auto* first = static_cast<const std::byte*>(tensor.raw_data());
  // Buffers are never written to while shared, so the literal keeps one instead of a copy.
  const auto owner = std::make_shared<const runtime::Buffer>(tensor.internal_data()->buffer());
  return ir::Literal(tensor.type(), std::shared_ptr<const std::byte>(owner, first));
}

namespace {

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
  const ir::TypeList types =
      Take(ir::InferTypes({op, operand_types, attributes ? *attributes : kNoAttributes,
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
  const Tensor value = state.trace ? MakeSymbolic(variable->type, state.trace->id)
                                   : MakeTensor(variable->type, variable->Load());
  for (const auto& sink : state.sinks) {
    if (sink->listening()) sink->OnRead(variable, value, UserLine());
  }
  return value;
}

void AssignVariable(const VariablePtr& variable, const Tensor& value) {
  if (!value.defined() || value.type() != variable->type) {
    ThrowInvalid(StrCat(
        "assign: variable '", variable->name, "' is ", variable->type.ToString(), ", the value is ",
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

runtime::Buffer VariableData::Load() {
  const runtime::NoFork whole;
  const std::lock_guard lock(mutex);
  return buffer;
}

void VariableData::Store(runtime::Buffer value) {
  const runtime::NoFork whole;
  const std::lock_guard lock(mutex);
  std::swap(buffer, value);
}

}  // namespace reel::internal
