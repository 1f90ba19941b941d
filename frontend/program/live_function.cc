#include "frontend/program/live_function.h"

#include <algorithm>
#include <cstring>
#include <iterator>
#include <span>

#include "frontend/autodiff/check_numerics.h"
#include "frontend/autodiff/forward_mode.h"
#include "frontend/autodiff/tape.h"
#include "frontend/eager/dispatch.h"
#include "frontend/ops/callback.h"
#include "frontend/program/compiled_data.h"
#include "frontend/program/parts.h"
#include "frontend/record/event_stream.h"
#include "frontend/record/observed.h"
#include "frontend/values/location.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "frontend/values/variable_data.h"
#include "ir/calls.h"
#include "ir/hash_map.h"
#include "ir/lazy.h"
#include "ir/strings.h"
#include "ir/verifier.h"
#include "passes/rewrite.h"
#include "passes/specialize.h"
#include "reel/ops.h"
#include "runtime/communicator.h"
#include "runtime/fork.h"

namespace reel::internal {
namespace {

// What listens on this thread.
struct Listeners {
  std::vector<TapeCore*> tapes;  // that record
  bool logs = false;             // recordings, traces, ...: they see the ops
  bool accumulators = false;     // their tangents are made of the ops, which tapes have to see then
};

Listeners FindListeners() {
  Listeners out;
  for (const auto& sink : State().sinks) {
    if (!sink->listening()) continue;
    auto* tape = dynamic_cast<TapeCore*>(sink.get());
    if (dynamic_cast<ForwardCore*>(sink.get()))
      out.accumulators = true;
    else if (!tape)
      out.logs = true;
    else if (tape->recording())
      out.tapes.push_back(tape);
  }
  return out;
}

// Operands that are followed, of those that can be.
passes::Mask Followed(const Listeners& listeners, absl::Span<const Tensor> operands) {
  passes::Mask followed(operands.size());
  for (TapeCore* tape : listeners.tapes) tape->MarkFollowed(operands, &followed);
  for (size_t i = 0; i < operands.size(); ++i) {
    if (!IsDifferentiable(operands[i].dtype())) followed[i] = false;
  }
  return followed;
}

std::vector<bool> ReadParameters(const ir::Function& f) {
  std::vector<bool> read(static_cast<size_t>(f.num_parameters()));
  const auto use = [&](ir::Value v) {
    if (f.is_parameter(v)) read[static_cast<size_t>(v.id)] = true;
  };
  for (const ir::Node& node : f.nodes()) {
    for (ir::Value v : node.operands) use(v);
  }
  for (ir::Value v : f.results()) use(v);
  return read;
}

// Whether it calls functions of the process.
bool CallsBack(const ir::Module& module) {
  const auto calls_back = [](const ir::Node& node) { return node.op == ir::Op::kCallback; };
  return std::any_of(module.functions().begin(), module.functions().end(),
                     [&](const auto& f) { return std::any_of(f->nodes().begin(), f->nodes().end(), calls_back); });
}

constexpr int64_t kUnknownWork = int64_t{1} << 40;

// Elements that are computed, products counted; no number where there are loops, branches or symbols.
int64_t WorkOf(const ir::Function& f) {
  constexpr int64_t kDear = 64;
  int64_t work = 0;
  for (const ir::Node& node : f.nodes()) {
    const ir::OpInfo& info = ir::Info(node.op);
    if (info.Has(ir::kControl) || node.op == ir::Op::kCallback) return kUnknownWork;
    const bool cheap = info.Has(ir::kElementwise) || node.operands.empty();
    for (int i = 0; i < node.num_results; ++i) {
      const Shape& y = f.type(node.result(i)).shape;
      if (!y.is_constant()) return kUnknownWork;
      int64_t elements = y.size();
      for (ir::Value v : node.operands) {
        if (!f.type(v).shape.is_constant()) return kUnknownWork;
        elements += cheap ? 0 : f.type(v).shape.size();
      }
      work += (cheap ? 1 : kDear) * elements;
    }
    if (work > kUnknownWork) return kUnknownWork;
  }
  return work;
}

}  // namespace

bool OpsAreObserved() {
  const ThreadState& state = State();
  if (state.trace) return true;
  if (state.sinks.empty()) return false;
  const Listeners listeners = FindListeners();
  return listeners.logs || listeners.accumulators;
}

bool TangentsAreFollowed() { return !State().sinks.empty() && FindListeners().accumulators; }

PureFunction::PureFunction(std::shared_ptr<ir::Module> module, std::string name, std::shared_ptr<runtime::Mutex> mutex,
                           std::vector<codegen::InPlace> updates)
    : module_(std::move(module)),
      name_(std::move(name)),
      function_(*module_->FindFunction(name_)),
      updates_(std::move(updates)),
      reads_(ReadParameters(function_)),
      mutex_(std::move(mutex)) {
  for (ir::Value v : function_.results()) result_types_.push_back(function_.type(v));
}

std::shared_ptr<ir::Module> PureFunction::Alone() {
  {
    const std::lock_guard lock(*mutex_);
    if (alone_) return alone_;
  }
  auto copy = std::make_shared<ir::Module>(CopyAlone().module);
  const std::lock_guard lock(*mutex_);
  if (!alone_) alone_ = std::move(copy);
  return alone_;
}

ModuleData PureFunction::CopyAlone() {
  ModuleData data;
  data.entry = name_;
  data.module.set_name(name_);
  const std::lock_guard lock(*mutex_);
  data.module.symbols() = module_->symbols();
  ir::CopyCallees(data.module.AddFunction(function_), *module_, &data.module);
  return data;
}

void PureFunction::Make(Compiled* compiled) {
  const std::lock_guard lock(compiled->mutex);
  if (compiled->made) return;
  Executable run;
  bool in_place = false, calls_back = false;
  {
    const runtime::ForkWindow window(compiled->mutex);
    auto data = std::make_shared<const ModuleData>(CopyAlone());
    Check(ir::Verify(data->module));
    calls_back = CallsBack(data->module);
    run = CompileInPlace(data, updates_, &in_place);
  }
  compiled->run = std::move(run);
  compiled->in_place = in_place;
  compiled->calls_back = calls_back;
  compiled->made.store(true, std::memory_order_release);
}

const PureFunction::Compiled& PureFunction::Ready() {
  Compiled& compiled = compiled_[static_cast<size_t>(numerics_check.load(std::memory_order_relaxed))];
  if (!compiled.made.load(std::memory_order_acquire)) Make(&compiled);
  return compiled;
}

// What an update is written over: the operand, or what is equal to it if others have that.
Tensor PureFunction::Overwritten(const codegen::InPlace& update, const Tensor& operand) const {
  if (operand.internal_data().use_count() == 1 && operand.internal_data()->buffer().unique()) return operand;
  const auto bytes = static_cast<size_t>(operand.type().bytes());
  runtime::Buffer copy = runtime::Buffer::TryAllocate(bytes);
  if (!copy) ThrowError(ErrorCode::kResourceExhausted, StrCat("run: no memory for ", operand.type().ToString()));
  if (reads_[static_cast<size_t>(update.parameter)] && bytes > 0) std::memcpy(copy.data(), operand.raw_data(), bytes);
  return MakeTensor(operand.type(), std::move(copy));
}

std::vector<Tensor> PureFunction::Run(const Compiled& compiled, absl::Span<const Tensor> operands) {
  std::vector<Tensor> results(result_types_.size());
  for (size_t i = 0; compiled.in_place && i < updates_.size(); ++i) {
    const codegen::InPlace& update = updates_[i];
    results[static_cast<size_t>(update.result)] = Overwritten(update, operands[static_cast<size_t>(update.parameter)]);
  }
  const std::span<const Tensor> arguments(operands.data(), operands.size());
  // What it calls may come back here, and other members run it at once: memory of its own for each call.
  if (compiled.calls_back || runtime::IsMemberThread()) {
    compiled.run.NewInstance().Run(name_, arguments, results);
  } else {
    compiled.run.Run(name_, arguments, results);
  }
  return results;
}

std::vector<Tensor> PureFunction::Apply(absl::Span<const Tensor> operands) {
  if (State().sinks.empty()) return Run(operands);
  const Listeners listeners = FindListeners();
  if (listeners.accumulators) return Traced(operands);
  const Mask followed = Followed(listeners, operands);
  if (!passes::Any(followed)) return listeners.logs ? Traced(operands) : Run(operands);
  const bool again = std::any_of(listeners.tapes.begin(), listeners.tapes.end(),
                                 [](const TapeCore* tape) { return tape->persistent(); });
  return ApplyTaped(operands, followed, listeners.logs, again || listeners.tapes.size() > 1);
}

std::vector<Tensor> PureFunction::Traced(absl::Span<const Tensor> operands) {
  if (!State().trace) return RunThroughDispatch(Alone(), name_, operands);
  const std::shared_ptr<ir::Module>& module = State().trace->module;
  std::string callee = name_;
  if (module != module_) {
    const std::lock_guard lock(*mutex_);
    callee = ImportFunction(*module_, name_, module.get());
  }
  const TensorList results =
      DispatchAll(ir::Op::kCall, std::make_shared<const ir::Attributes>(ir::Attributes{{"callee", callee}}), operands);
  return {results.begin(), results.end()};
}

std::vector<Tensor> PureFunction::RunBeside(absl::Span<const Tensor> operands, bool logs) {
  if (!logs) return Run(operands);
  const PauseTapesScope pause;
  std::vector<Tensor> results = Traced(operands);
  HashSet<uint64_t> known;
  for (const Tensor& x : operands) known.insert(x.id());
  for (Tensor& y : results) {  // values of their own, as those of compiled code
    if (!known.insert(y.id()).second) y = Identity(y);
  }
  return results;
}

std::vector<Tensor> PureFunction::ApplyTaped(absl::Span<const Tensor> operands, const Mask& followed, bool logs,
                                             bool hold_all) {
  Forward* const forward = FindForward(followed);
  std::vector<Tensor> results = forward->function->RunBeside(operands, logs);
  const auto call = std::make_shared<CustomCall>();
  call->name = "function";
  call->why_none = "what the target uses of its results does not depend on it";
  for (const Tensor& x : operands) call->input_types.push_back(x.type());
  for (const Tensor& y : results) call->result_types.push_back(y.type());
  call->held = Held(*forward, operands, results, hold_all);
  // The call owns the closure.
  call->compiled = [self = shared_from_this(), forward, call = call.get()](const OptionalTensors& dys) {
    return self->Gradient(forward, *call, dys);
  };
  const CustomEvent event{call, operands, results, results, nullptr, UserLine()};
  TellTapes(event);
  results.resize(result_types_.size());
  return results;
}

std::vector<Tensor> PureFunction::Held(const Forward& forward, absl::Span<const Tensor> operands,
                                       absl::Span<const Tensor> results, bool all) {
  const passes::BackwardFunction& usual = forward.usual;
  // Where results have cotangents of their own, the gradient by some of them is another function.
  all = all || std::count(usual.seeded.begin(), usual.seeded.end(), true) > 1;
  std::vector<Tensor> held;
  for (size_t i = 0; i < operands.size(); ++i) held.push_back(all || usual.operands[i] ? operands[i] : Tensor());
  for (size_t i = 0; i < results.size(); ++i) held.push_back(all || usual.results[i] ? results[i] : Tensor());
  return held;
}

PureFunction::Forward* PureFunction::FindForward(const Mask& wanted) {
  const std::lock_guard lock(*mutex_);
  std::unique_ptr<Forward>& forward = forward_[wanted];
  if (forward) return forward.get();
  const passes::SplitGradient split = Take(passes::AddSplitGradient(module_.get(), name_, wanted));
  auto made = std::make_unique<Forward>();
  made->wanted = wanted;
  made->function = std::make_shared<PureFunction>(module_, split.forward, mutex_);
  made->usual = split.backward;
  made->backward[split.backward.seeded] = {split.backward,
                                           std::make_shared<PureFunction>(module_, split.backward.name, mutex_)};
  forward = std::move(made);
  return forward.get();
}

const PureFunction::Backward& PureFunction::FindBackward(Forward* forward, const Mask& seeded) {
  const std::lock_guard lock(*mutex_);
  const auto found = forward->backward.find(seeded);
  if (found != forward->backward.end()) return found->second;
  auto info = Take(passes::AddBackward(module_.get(), name_, forward->function->name_, forward->wanted, seeded));
  auto function = std::make_shared<PureFunction>(module_, info.name, mutex_);
  return forward->backward[seeded] = {std::move(info), std::move(function)};
}

std::vector<std::optional<GradientValue>> PureFunction::Gradient(Forward* forward, const CustomCall& call,
                                                                 const OptionalTensors& dys) {
  Mask seeded;
  for (const auto& dy : dys) seeded.push_back(dy.has_value());
  std::vector<std::optional<GradientValue>> out(call.input_types.size());
  if (!passes::Any(seeded)) return out;
  const Backward& backward = FindBackward(forward, seeded);
  const passes::BackwardFunction& info = backward.info;
  if (!passes::Any(info.connected)) return out;
  TensorList operands;
  const auto take = [&](const Mask& mask, size_t first) {
    for (size_t i = 0; i < mask.size(); ++i) {
      if (mask[i]) operands.push_back(call.held[first + i]);
    }
  };
  take(info.operands, 0);
  take(info.results, info.operands.size());
  for (const auto& dy : dys) {
    if (dy) operands.push_back(*dy);
  }
  const std::vector<Tensor> gradients = backward.function->Apply(operands);
  size_t next = 0, connected = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    if (!info.connected[i]) continue;
    std::vector<std::pair<Tensor, Tensor>> rows;
    for (int n = info.parts[connected++]; n > 0; --n, next += 2) {
      rows.emplace_back(gradients[next], gradients[next + 1]);
    }
    out[i] = rows.empty() ? GradientValue(gradients[next++]) : JoinRows(rows, call.input_types[i]);
  }
  return out;
}

namespace {

// What a call holds of a variable that it assigns, from what it reads on: shared by the functions that assign it.
std::shared_ptr<runtime::CallMutex> UpdatesOf(uint64_t variable) {
  struct Known {
    runtime::Mutex mutex;
    std::map<uint64_t, std::weak_ptr<runtime::CallMutex>> by_variable;
    size_t next_sweep = 64;  // at so many
  };
  static constinit Lazy<Known> lazy;
  Known& known = lazy.Get();
  const std::lock_guard lock(known.mutex);
  if (known.by_variable.size() >= known.next_sweep) {
    std::erase_if(known.by_variable, [](const auto& one) { return one.second.expired(); });
    known.next_sweep = 2 * known.by_variable.size() + 64;
  }
  std::weak_ptr<runtime::CallMutex>& found = known.by_variable[variable];
  std::shared_ptr<runtime::CallMutex> updates = found.lock();
  if (!updates) found = updates = std::make_shared<runtime::CallMutex>();
  return updates;
}

// Of each assigned variable: the parameter with its value, and the result that is its new one.
std::vector<codegen::InPlace> UpdatesOf(const ClosedFunction& closed) {
  std::vector<codegen::InPlace> updates;
  for (size_t k = 0; k < closed.assigned.size(); ++k) {
    const auto at = std::find(closed.variables.begin(), closed.variables.end(), closed.assigned[k]);
    const auto variable = static_cast<size_t>(at - closed.variables.begin());
    updates.push_back({static_cast<int32_t>(closed.num_arguments + closed.outer.size() + variable),
                       static_cast<int32_t>(closed.num_results + k)});
  }
  return updates;
}

}  // namespace

LiveFunction::LiveFunction(ClosedFunction closed, std::string name, std::vector<std::string> result_names, bool gathers)
    : closed_(std::move(closed)),
      name_(std::move(name)),
      gathers_(gathers),
      updates_(UpdatesOf(closed_)),
      pure_(
          std::make_shared<PureFunction>(closed_.module, closed_.name, std::make_shared<runtime::Mutex>(), updates_)) {
  std::copy_if(closed_.variables.begin(), closed_.variables.end(), std::back_inserter(parts_),
               [](const VariablePtr& v) { return v->whole != nullptr; });
  result_names.resize(closed_.num_results);
  for (size_t i = 0; i < result_names.size(); ++i) {
    if (result_names[i].empty()) result_names[i] = StrCat("result", i);
  }
  result_names_ = std::make_shared<const std::vector<std::string>>(std::move(result_names));
  const std::vector<bool> read = ReadParameters(pure_->function());
  // A call that assigns may have to wait for another.
  work_ = closed_.assigned.empty() ? WorkOf(pure_->function()) : kUnknownWork;
  // Nobody waits for the order of callbacks, which is one of all functions.
  std::copy_if(closed_.assigned.begin(), closed_.assigned.end(), std::back_inserter(in_order_),
               [](const auto& v) { return v->id != CallbackOrder().id(); });
  std::sort(in_order_.begin(), in_order_.end(), [](const auto& a, const auto& b) { return a->id < b->id; });
  for (const VariablePtr& v : in_order_) locked_.push_back(UpdatesOf(v->id));
  reads_.assign(read.end() - static_cast<std::ptrdiff_t>(closed_.variables.size()), read.end());
}

void LiveFunction::CheckArguments(const std::vector<Tensor>& arguments) const {
  const ir::Function& f = pure_->function();
  if (arguments.size() != closed_.num_arguments) {
    ThrowInvalid(StrCat("call @", name_, ": takes ", closed_.num_arguments, " arguments, got ", arguments.size()));
  }
  for (size_t i = 0; i < arguments.size(); ++i) {
    if (!arguments[i].defined())
      ThrowInvalid(StrCat("call @", name_, ": argument ", i, " is a null tensor; assign it first"));
    const ir::Parameter& p = f.parameter(static_cast<int>(i));
    if (!p.type.shape.is_constant() || arguments[i].type() == p.type) continue;  // symbols: when it is compiled
    ThrowInvalid(StrCat("call @", name_, ": argument ", i, " ('", p.name, "') must be ", p.type.ToString(), ", got ",
                        arguments[i].type().ToString(), "; cast or reshape it, or trace for its shape"));
  }
}

std::shared_ptr<PureFunction> LiveFunction::Specialized(const std::vector<Tensor>& arguments) {
  constexpr size_t kMaxPrograms = 32;  // as of an Executable
  std::vector<Type> types;
  for (const Tensor& x : arguments) types.push_back(x.type());
  for (const Tensor& x : closed_.outer) types.push_back(x.type());
  for (const VariablePtr& v : closed_.variables) types.push_back(v->type);
  const std::lock_guard lock(specializing_);
  const passes::Extents extents = Take(passes::BindArguments(*closed_.module, pure_->function(), types));
  const auto found = specialized_.find(extents);
  if (found != specialized_.end()) return found->second;
  auto module = std::make_shared<ir::Module>(
      Take(passes::Specialize(*closed_.module, extents, std::vector<std::string>{closed_.name})));
  if (specialized_.size() == kMaxPrograms) specialized_.clear();
  return specialized_[extents] = std::make_shared<PureFunction>(std::move(module), closed_.name,
                                                                std::make_shared<runtime::Mutex>(), updates_);
}

std::vector<Tensor> LiveFunction::Call(const std::vector<Tensor>& arguments) {
  CheckArguments(arguments);
  std::vector<std::unique_lock<runtime::CallMutex>> updates;  // no call reads what another is about to assign
  if (!State().trace) {
    for (const auto& one : locked_) updates.emplace_back(*one);
    TakeParts(parts_);
  }
  const auto pure = State().trace || closed_.module->symbols().empty() ? pure_ : Specialized(arguments);
  TensorList operands(arguments.begin(), arguments.end());
  operands.insert(operands.end(), closed_.outer.begin(), closed_.outer.end());
  std::vector<Tensor> results;
  if (!MayRunPrograms()) {
    const bool observed = Observed();
    for (size_t i = 0; i < closed_.variables.size(); ++i) {
      const VariablePtr& v = closed_.variables[i];
      operands.push_back(observed && (reads_[i] || State().trace) ? ReadVariable(v) : MakeTensor(v->type, v->Load()));
    }
    results = pure->Apply(operands);
    Assign(results);
  } else {
    results = CallAlone(pure.get(), &operands);
  }
  results.resize(closed_.num_results);
  for (size_t i = 0; gathers_ && !State().trace && i < results.size(); ++i) PutBack(parts_[i], results[i]);
  return results;
}

std::vector<Tensor> LiveFunction::CallAlone(PureFunction* pure, TensorList* operands) const {
  const PureFunction::Compiled& compiled = pure->Ready();
  if (closed_.variables.empty()) return pure->Run(compiled, *operands);
  const bool in_place = compiled.in_place;
  const size_t first = operands->size();
  operands->resize(first + closed_.variables.size());
  std::vector<bool> taken(closed_.variables.size());
  for (const codegen::InPlace& update : updates_) taken[static_cast<size_t>(update.parameter) - first] = in_place;
  for (size_t i = 0; i < closed_.variables.size(); ++i) {
    const VariablePtr& v = closed_.variables[i];
    if (!taken[i]) (*operands)[first + i] = MakeTensor(v->type, v->Load());
  }
  if (in_place) return CallInPlace(pure, compiled, operands);
  std::vector<Tensor> results = pure->Run(compiled, *operands);
  Assign(results);
  return results;
}

// Takes the values out of the variables that it assigns: who reads one meanwhile waits for the new one, and so does a
// fork. The operands live longer than the locks: what dies with them may call.
std::vector<Tensor> LiveFunction::CallInPlace(PureFunction* pure, const PureFunction::Compiled& compiled,
                                              TensorList* operands) const {
  const runtime::NoFork whole;
  std::vector<VariableData::Hold> locks;
  for (const VariablePtr& v : in_order_) locks.emplace_back(v->mutex);
  const auto operand = [&](size_t k) -> Tensor& { return (*operands)[static_cast<size_t>(updates_[k].parameter)]; };
  for (const VariablePtr& v : closed_.assigned) v->RequireValue();
  for (size_t k = 0; k < updates_.size(); ++k) {
    operand(k) = MakeTensor(closed_.assigned[k]->type, closed_.assigned[k]->buffer);
  }
  for (const VariablePtr& v : closed_.assigned) v->buffer = {};
  std::vector<Tensor> results;
  try {
    results = pure->Run(compiled, *operands);
  } catch (...) {
    for (size_t k = 0; k < updates_.size(); ++k) closed_.assigned[k]->buffer = operand(k).internal_data()->buffer();
    throw;
  }
  for (size_t k = 0; k < updates_.size(); ++k) {
    closed_.assigned[k]->buffer = results[static_cast<size_t>(updates_[k].result)].internal_data()->buffer();
  }
  return results;
}

// A child has all of them or none.
void LiveFunction::Assign(const std::vector<Tensor>& results) const {
  std::optional<runtime::NoFork> whole;
  if (closed_.assigned.size() > 1 && !Observed()) whole.emplace();
  closed_.Assign(results);
}

std::shared_ptr<LiveFunction> MakeLive(const ModuleData& data) {
  const ir::Function& f = *data.module.FindFunction(data.entry);
  auto module = std::make_shared<ir::Module>(data.module);
  ClosedFunction closed{module,
                        module->UniqueFunctionName(data.entry),
                        static_cast<size_t>(f.num_arguments()),
                        static_cast<size_t>(f.num_outputs()),
                        {},
                        {},
                        {}};
  ir::Function pure(closed.name);
  passes::Copier copier(f, &pure);
  for (int i = 0; i < f.num_parameters(); ++i) {
    copier.Map({i}, pure.AddParameter(f.parameter(i).name, f.parameter(i).type));
  }
  copier.CopyNodes();
  std::vector<ir::Value> results;
  for (int i = 0; i < f.num_outputs(); ++i) results.push_back(copier(f.results()[static_cast<size_t>(i)]));
  for (size_t i = 0; i < f.state().size(); ++i) {
    VariablePtr variable;
    for (size_t k = 0; k < data.bound.size(); ++k) {
      if (data.module.variables()[k].name == f.state()[i]) variable = data.bound[k];
    }
    closed.variables.push_back(variable);
    const ir::Value last = f.results()[static_cast<size_t>(f.num_outputs()) + i];
    if (last.id == f.num_arguments() + static_cast<int>(i)) continue;
    closed.assigned.push_back(std::move(variable));
    results.push_back(copier(last));
  }
  pure.SetResults(std::move(results));
  std::vector<std::string> names;
  for (int i = 0; i < f.num_outputs(); ++i) names.push_back(f.result_name(i));
  module->AddFunction(std::move(pure));
  return std::make_shared<LiveFunction>(std::move(closed), data.entry, std::move(names), data.gathers);
}

std::shared_ptr<LiveFunction> TraceLive(const std::string& name, const TracedFunction& function,
                                        const std::vector<Type>& types) {
  return std::make_shared<LiveFunction>(TraceClosed(name, function, types, true), name, std::vector<std::string>());
}

std::shared_ptr<LiveFunction> TraceLive(const std::string& name, const TracedFunction& function,
                                        const std::vector<Spec>& specs) {
  return std::make_shared<LiveFunction>(TraceClosed(name, function, specs, true), name, std::vector<std::string>());
}

std::vector<Tensor> CallLive(LiveFunction& function, const std::vector<Tensor>& arguments) {
  return function.Call(arguments);
}
int64_t WorkOf(const LiveFunction& function) { return function.work(); }

std::vector<Variable> VariablesOf(const LiveFunction& function) {
  std::vector<Variable> out;
  for (const VariablePtr& v : function.closed().variables) {
    if (v->id != CallbackOrder().id()) out.push_back(Variable(v));
  }
  return out;
}

Function GraphOf(const LiveFunction& live, const std::string& name) {
  const ClosedFunction& closed = live.closed();
  const ir::Function& f = closed.function();
  const std::vector<std::string> state_names = StateNames(closed.variables, {});
  ir::Function out(name);
  passes::Copier copier(f, &out);
  const auto first_outer = static_cast<int>(closed.num_arguments);
  const auto first_variable = first_outer + static_cast<int>(closed.outer.size());
  for (int i = 0; i < first_outer; ++i) {
    copier.Map({i}, out.AddParameter(f.parameter(i).name, f.parameter(i).type));
  }
  for (int i = first_variable; i < f.num_parameters(); ++i) {
    copier.Map({i}, out.AddState(state_names[static_cast<size_t>(i - first_variable)], f.parameter(i).type));
  }
  for (int i = first_outer; i < first_variable; ++i) {
    const Tensor& value = closed.outer[static_cast<size_t>(i - first_outer)];
    const auto attributes = std::make_shared<const ir::Attributes>(ir::Attributes{{"value", ToLiteral(value)}});
    copier.Map({i}, out.AddNode(ir::Op::kConstant, {}, attributes, {value.type()}).result());
  }
  copier.CopyNodes();
  std::vector<ir::Value> results;
  for (size_t i = 0; i < closed.num_results; ++i) results.push_back(copier(f.results()[i]));
  for (size_t i = 0; i < closed.variables.size(); ++i) {
    const auto at = std::find(closed.assigned.begin(), closed.assigned.end(), closed.variables[i]);
    const auto k = static_cast<size_t>(at - closed.assigned.begin());
    results.push_back(at == closed.assigned.end() ? copier({first_variable + static_cast<int32_t>(i)})
                                                  : copier(f.results()[closed.num_results + k]));
  }
  out.SetResults(std::move(results));
  return MakeFunction({std::move(out), closed.variables}, closed.module.get());
}

}  // namespace reel::internal
