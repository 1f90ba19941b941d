#ifndef REEL_FRONTEND_RECORD_EVENT_LOG_H_
#define REEL_FRONTEND_RECORD_EVENT_LOG_H_

#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "frontend/autodiff/backward.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/location.h"
#include "frontend/values/variable_data.h"
#include "ir/hash_map.h"
#include "reel/recording.h"
#include "runtime/fork.h"

namespace reel::internal {

/// One logged event. Reads and assigns are of `variable`; their tensor is results[0] and
/// operands[0].
struct LogEvent {
  enum class Kind : uint8_t { kOp, kRead, kAssign };
  Kind kind;
  ir::Op op;
  AttributesPtr attributes;
  absl::InlinedVector<uint64_t, 3> operands;
  absl::InlinedVector<uint64_t, 1> results;
  absl::InlinedVector<Type, 1> result_types;
  VariablePtr variable;
  SourceLine line;
  std::optional<ir::Op> gradient_of = {};  // see GradientOf()
};

/// Logs every event in order: what Recording and traces are made of.
class EventLog : public EventSink {
 public:
  void OnOp(const OpEvent& event) override;
  void OnRead(const VariablePtr& variable, const Tensor& value, SourceLine line) override;
  void OnAssign(const VariablePtr& variable, const Tensor& value, SourceLine line) override;
  void OnCustom(const CustomEvent& event) override;
  bool listening() const override { return listening_; }
  void Stop() { listening_ = false; }

  const std::vector<LogEvent>& events() const { return events_; }
  /// What the call ops of an eager log name; null if there are none.
  const std::shared_ptr<ir::Module>& module() const { return module_; }
  void set_module(std::shared_ptr<ir::Module> module) { module_ = std::move(module); }
  /// Only looks at what a function does: nothing is built from it later.
  void set_watcher() { watcher_ = true; }
  bool watcher() const { return watcher_; }
  /// The tensor of an operand that no event produced, or null.
  const Tensor* Captured(uint64_t id) const {
    const auto it = captured_.find(id);
    return it == captured_.end() ? nullptr : &it->second;
  }

 private:
  void Capture(const Tensor& x);

  bool listening_ = true, watcher_ = false;
  std::vector<LogEvent> events_;
  HashSet<uint64_t> produced_;
  HashMap<uint64_t, Tensor> captured_;
  std::shared_ptr<ir::Module> module_;
};

class LiveFunction;

/// What the first call of a Function makes. It belongs to one module: a copy has none.
struct LiveSlot {
  LiveSlot() = default;
  LiveSlot(const LiveSlot&) {}
  LiveSlot& operator=(const LiveSlot&) = delete;
  runtime::Mutex mutex;
  std::shared_ptr<LiveFunction> function;
};

/// A module with the live variables it was made from.
struct ModuleData {
  ir::Module module;
  std::string entry;               // of a Function
  mutable std::vector<VariablePtr> bound;  // parallel to module.variables(); null: made when asked for; live guards it
  mutable LiveSlot live = {};
  bool gathers = false;  ///< of a Function: its results are the whole values of its variables, which are parts
};

/// The variables behind those of the module. Those of a module that was loaded are made by the first call that wants
/// them (`make`), with the module's values; null before.
std::vector<VariablePtr> BoundVariables(const ModuleData& data, bool make);

struct BuildRequest {
  std::string name;
  NamedTensors arguments, results;
  int64_t max_captured_bytes = int64_t{16} << 20;
  /// For the functions of control ops: outer symbolic tensors and variables (`free`) become
  /// arguments instead of constants and state; the last values of `carried` (of those) become
  /// further results.
  bool closed = false;
  /// Eager tensors older than this id count as outer ones too; so do those that gradients may be asked by, older than
  /// the second one.
  uint64_t outer_before = 0, differentiable_before = 0;
  std::vector<GradientEnd> free;
  std::vector<uint64_t> carried;
  /// If set, a read of an assigned variable is to gradients what it is to a tape: the variable, not what was assigned.
  /// The function that says so is added here.
  ir::Module* reads = nullptr;
};

/// A function and the variables behind its state, in order.
struct Built {
  ir::Function function;
  std::vector<VariablePtr> variables;
};

/// The part of a log on which the results and the variables' last values depend, as a function.
class LogBuilder {
 public:
  LogBuilder(const EventLog& log, const BuildRequest& request);

  /// Variables in use: read and needed, or assigned; in the order of creation.
  const std::vector<VariablePtr>& variables() const { return variables_; }
  /// Those that are assigned.
  std::vector<VariablePtr> Assigned() const;
  /// Tensors from outside that are used and stay operands, in the order of use.
  const std::vector<Tensor>& outer() const { return outer_; }
  Built Build(const std::vector<std::string>& state_names);

 private:
  void Resolve();
  // Of a variable that is read several times, for the function of a call or a control op: to gradients each read is a
  // value of its own, as to a tape.
  bool IsOwnRead(const LogEvent& e) const {
    return e.kind == LogEvent::Kind::kRead && own_reads_.contains(e.results[0]);
  }
  bool IsReread(const LogEvent& e) const { return rereads_.contains(e.results.empty() ? 0 : e.results[0]); }
  void AddReread(ir::Function* f, const LogEvent& e);
  void MarkNeeded();
  void CollectOuter();
  void AddParameters(ir::Function* f, const std::vector<std::string>& state_names);
  void AddNodes(ir::Function* f);
  uint64_t Resolved(uint64_t id) const {
    const auto it = alias_.find(id);
    return it == alias_.end() ? id : it->second;
  }
  ir::Value Get(ir::Function* f, uint64_t id, int32_t location = -1);
  const Tensor* Find(uint64_t id) const;

  const EventLog& log_;
  const BuildRequest& request_;
  HashMap<uint64_t, uint64_t> alias_;  // result of a read -> the value it saw
  HashMap<uint64_t, uint64_t> last_;  // variable -> its last assigned value
  HashMap<uint64_t, uint64_t> rereads_;  // result of a read after an assign -> the value it saw
  HashSet<uint64_t> own_reads_;
  HashMap<std::string, std::string> reread_names_;  // by type
  std::vector<bool> needed_;  // by event
  HashSet<uint64_t> arguments_;
  std::vector<VariablePtr> variables_;
  std::vector<Tensor> outer_;
  HashMap<uint64_t, ir::Value> values_;
  int64_t captured_bytes_ = 0;
};

/// Copies a function without state, and those that it names, under names that are new there; returns its name.
std::string ImportFunction(const ir::Module& from, const std::string& name, ir::Module* to);

/// Names for the state of a function: those of the variables, made distinct.
std::vector<std::string> StateNames(const std::vector<VariablePtr>& variables, const std::vector<std::string>& taken);

/// A Function of a built ir::Function: variables with their present values; `callees` provides the
/// functions that its control ops name, may be null.
Function MakeFunction(Built built, const ir::Module* callees);

/// The graph as Graphviz source.
std::string DotOf(absl::Span<const ir::Function* const> functions);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_RECORD_EVENT_LOG_H_
