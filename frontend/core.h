#ifndef REEL_FRONTEND_CORE_H_
#define REEL_FRONTEND_CORE_H_

#include <array>
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <source_location>
#include <string>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "frontend/binding.h"
#include "frontend/status.h"
#include "ir/graph.h"
#include "reel/tensor.h"
#include "reel/variable.h"
#include "runtime/buffer.h"

// The core of the front: what tensors and variables are, the event stream of a thread, and the one
// dispatcher through which every op goes.
//
//   op -> Dispatch -> infer types -> eager kernel, or a symbolic result while a trace is active
//                  -> one event to each sink: Recording, GradientTape, the trace itself

namespace reel::internal {

/// A number no tensor, variable or trace has had: identity, in the order of creation.
uint64_t NextId();

struct TensorData {
  /// Bytes of one element, of any dtype.
  struct alignas(16) Number {
    std::byte bytes[16];
  };

  TensorData(Type type_, runtime::Buffer buffer, uint64_t trace_ = 0);
  /// All elements are `number`. Memory is taken and written to when buffer() first asks for it.
  TensorData(Type type_, const Number& number);
  ~TensorData();
  TensorData(const TensorData&) = delete;
  TensorData& operator=(const TensorData&) = delete;

  /// Null if symbolic. Threads may share a tensor.
  const runtime::Buffer& buffer() const {
    if (!written()) [[unlikely]] Write();
    return buffer_;
  }
  /// All elements are number(), and there is no memory of them yet.
  bool is_number() const { return !written(); }
  /// What it was made of, if is_number() was ever true.
  const std::byte* number() const { return number_.bytes; }

  Type type;
  uint64_t id;
  uint64_t trace;  // id of the trace of a symbolic tensor, else 0
  bool has_tangent = false;  // a ForwardAccumulator knows one

 private:
  enum class State : uint8_t { kUnwritten, kPublishing, kWritten };
  bool written() const { return state_.load(std::memory_order_acquire) == State::kWritten; }
  void Write() const;

  mutable std::atomic<State> state_ = State::kWritten;
  Number number_;
  mutable runtime::Buffer buffer_;
};
inline bool IsNumber(const Tensor& x) { return x.internal_data()->is_number(); }
/// A tensor that has tangents dies (forward.cc).
void ForgetTangents(uint64_t id);

/// Tensors alive in the process, for leak tests.
int64_t LiveTensors();

struct VariableData {
  uint64_t id;
  std::string name;
  bool trainable;
  Type type;
  std::mutex mutex;        // guards buffer
  runtime::Buffer buffer;  // present value; replaced, never written to while shared
  std::recursive_mutex updating;  // held by a call that assigns it, from what it reads on

  runtime::Buffer Load();
  void Store(runtime::Buffer value);
};
using VariablePtr = std::shared_ptr<VariableData>;
using AttributesPtr = std::shared_ptr<const ir::Attributes>;
using TensorList = absl::InlinedVector<Tensor, 2>;

/// One op that ran (or was traced). The spans live only during the call.
struct OpEvent {
  ir::Op op;
  const AttributesPtr& attributes;
  absl::Span<const Tensor> operands, results;
  SourceLine line;
};

struct CustomCall;  // custom_gradient.h

/// A function with a gradient of its own that ran. Its ops were events already, with the results
/// `inner`; `results` are new tensors of the same values. `call` is this as a call op with a vjp,
/// null unless a log records.
struct CustomEvent {
  const std::shared_ptr<CustomCall>& custom;
  absl::Span<const Tensor> operands, inner, results;
  const OpEvent* call;
  SourceLine line;
};

/// A consumer of a thread's event stream.
class EventSink {
 public:
  virtual ~EventSink() = default;
  virtual void OnOp(const OpEvent& event) = 0;
  /// By default, results are identities of what the ordinary ops computed.
  virtual void OnCustom(const CustomEvent& event);
  virtual void OnRead(const VariablePtr& variable, const Tensor& value, SourceLine line) = 0;
  virtual void OnAssign(const VariablePtr& variable, const Tensor& value, SourceLine line) = 0;
  /// False once stopped: then it is not called.
  virtual bool listening() const = 0;
};

/// A trace in progress: the functions its control ops name, and its identity.
struct TraceState {
  explicit TraceState(TraceState* outer_) : id(NextId()), outer(outer_) {}
  uint64_t id;
  TraceState* outer;  // the trace of the function this one is a branch of; null if none
  uint64_t outer_before = outer ? outer->outer_before : 0;  // older eager tensors are operands
  std::shared_ptr<ir::Module> module = outer ? outer->module : std::make_shared<ir::Module>();
};

/// What a thread records now.
struct ThreadState {
  std::vector<std::shared_ptr<EventSink>> sinks;  // outermost first
  TraceState* trace = nullptr;                    // innermost
  SourceLine location;  // of the outermost op call in progress; a file "" is found when needed
};
ThreadState& State();
/// The location, found by the binding of another language if the call came from there.
SourceLine UserLine();

/// Whether a compiled program may stand for ops that run now: nothing records or traces them, or looks at their numbers.
bool MayRunPrograms();

/// Nothing is recorded or traced inside: for initial values, slots, checks.
class SuspendScope {
 public:
  SuspendScope();
  ~SuspendScope();
  SuspendScope(const SuspendScope&) = delete;
  SuspendScope& operator=(const SuspendScope&) = delete;

 private:
  std::vector<std::shared_ptr<EventSink>> sinks_;
  TraceState* trace_;
};

/// Ops inside carry this line unless an enclosing scope already set one: the user's line wins.
class LocationScope {
 public:
  explicit LocationScope(const std::source_location& location, const char* function = __builtin_FUNCTION());
  explicit LocationScope(const Operand& x, const char* function = __builtin_FUNCTION())
      : LocationScope(x.location(), function) {}
  ~LocationScope();
  LocationScope(const LocationScope&) = delete;
  LocationScope& operator=(const LocationScope&) = delete;

 private:
  bool outermost_;
};

Tensor MakeTensor(const Type& type, runtime::Buffer buffer);
Tensor MakeSymbolic(const Type& type, uint64_t trace);
/// A copy of a literal, and of a concrete tensor as a literal.
Tensor FromLiteral(const ir::Literal& literal);
ir::Literal ToLiteral(const Tensor& tensor);

/// The op on the operands, with their exact types: no broadcasting, no promotion. Throws on a type
/// error.
TensorList DispatchAll(ir::Op op, AttributesPtr attributes, absl::Span<const Tensor> operands);
/// The same for ops with one result.
Tensor Dispatch(ir::Op op, absl::Span<const Tensor> operands, ir::Attributes attributes = {});
inline Tensor Dispatch(ir::Op op, std::initializer_list<Tensor> operands,
                       ir::Attributes attributes = {}) {
  return Dispatch(op, absl::Span<const Tensor>(operands.begin(), operands.size()),
                  std::move(attributes));
}

/// An elementwise op whose operands have one type and values, and for which there is a kernel, outside of traces: it is
/// run, and told to those who record. Null if that is not so.
Tensor RunReady(ir::Op op, std::initializer_list<const Operand*> operands,
                const char* function = __builtin_FUNCTION());

/// The value of a variable as a new tensor; in a trace, symbolic.
Tensor ReadVariable(const VariablePtr& variable);
void AssignVariable(const VariablePtr& variable, const Tensor& value);

/// An op of one operand on a complex tensor as a composition; nothing if it takes complex numbers itself, takes
/// none at all, or z is real (complex.cc).
std::optional<Tensor> ComplexForm(ir::Op op, const Tensor& z);

// Promotion and broadcasting, used by all op families (elementwise.cc).

/// Operands as tensors of one dtype: the array API table, weak numbers follow.
TensorList Promote(ir::Op op, absl::Span<const Operand* const> operands);
/// Broadcast to one shape by NumPy's rule.
void BroadcastTogether(ir::Op op, absl::Span<Tensor> operands);
Shape BroadcastShapes(ir::Op op, const Shape& a, const Shape& b);
Tensor BroadcastTensor(const Tensor& x, const Shape& shape);
/// A weak number becomes a scalar of this dtype.
Tensor ConvertWeak(const Operand& x, DType dtype);
/// The operand; a weak number gets its default dtype (f32 or i64).
Tensor Materialize(const Operand& x);
Tensor ScalarOf(DType dtype, double value);
/// axis, or axis + rank if negative; throws if out of range.
int64_t NormalizeAxis(const char* op, int64_t axis, int rank);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_CORE_H_
