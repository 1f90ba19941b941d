#include "frontend/autodiff/custom_gradient.h"

#include <algorithm>
#include <map>

#include "frontend/autodiff/tape.h"
#include "frontend/eager/dispatch.h"
#include "frontend/program/live_function_binding.h"
#include "frontend/record/event_stream.h"
#include "frontend/record/trace.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/hash_map.h"
#include "ir/strings.h"
#include "passes/gradient/gradient.h"
#include "reel/ops.h"

// The function runs as ordinary ops, which tapes and logs see: what its gradient captured is known
// to the tapes around. Its results then get new identities, under which a tape finds the user's
// gradient. For traces and recordings, both are built as functions, from the ops that ran and from
// the gradient function traced: it may use what the function computed, so its graph begins with
// that again.

namespace reel::internal {
namespace {

std::string Types(const Tensor& t) { return t.defined() ? t.type().ToString() : "a null tensor"; }

// What a function took from its surroundings and computed its results from.
struct Used {
  std::vector<VariablePtr> variables;  ///< Trainable ones that were read, in the order of creation.
  std::vector<Tensor> captured;        ///< Differentiable tensors, the last used first.
};

Used UsedBy(const EventLog& log, const std::vector<Tensor>& results, const std::vector<Operand>& inputs) {
  HashSet<uint64_t> wanted, made;
  for (const Tensor& y : results) wanted.insert(y.id());
  std::map<uint64_t, VariablePtr> used;
  std::vector<uint64_t> operands;
  for (size_t n = log.events().size(); n-- > 0;) {
    const LogEvent& e = log.events()[n];
    made.insert(e.results.begin(), e.results.end());
    if (std::none_of(e.results.begin(), e.results.end(), [&](uint64_t id) { return wanted.contains(id); })) {
      continue;
    }
    if (e.kind == LogEvent::Kind::kRead) {
      const VariablePtr& v = e.variable;
      const bool given = std::any_of(inputs.begin(), inputs.end(),
                                     [&](const Operand& x) { return x.variable().internal_data() == v; });
      if (v->trainable && !given && IsDifferentiable(v->type.dtype)) used.emplace(v->id, v);
    } else if (passes::HasGradient(e.op)) {
      for (const uint64_t id : e.operands) {
        if (wanted.insert(id).second) operands.push_back(id);
      }
    }
  }
  Used out;
  for (const auto& [id, v] : used) out.variables.push_back(v);
  for (const uint64_t id : operands) {
    const Tensor* t = made.contains(id) ? nullptr : log.Captured(id);
    if (t && IsDifferentiable(t->dtype())) out.captured.push_back(*t);
  }
  return out;
}

void CheckGradients(const char* name, const char* what, const OptionalTensors& gradients,
                    absl::Span<const Type> types) {
  if (gradients.size() != types.size()) {
    ThrowInvalid(StrCat(name, ": the gradient function returns ", gradients.size(), " gradients for ", types.size(),
                        " ", what, "; return one for each, std::nullopt for none"));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (!gradients[i] || !IsDifferentiable(types[i].dtype)) continue;
    if (gradients[i]->defined() && gradients[i]->type() == types[i]) continue;
    ThrowInvalid(StrCat(name, ": gradient ", i, " of the ", what, " is ", Types(*gradients[i]), ", it must be ",
                        types[i].ToString(), "; reduce or cast it to that"));
  }
}

void CheckForward(const char* name, const CustomForward& forward, const std::vector<VariablePtr>& variables) {
  for (const Tensor& y : forward.results) {
    if (!y.defined()) ThrowInvalid(StrCat(name, ": the function returns a null tensor"));
  }
  if (forward.takes_variables || variables.empty()) return;
  std::string names;
  for (const VariablePtr& v : variables) StrAppend(&names, names.empty() ? "'" : ", '", v->name, "'");
  if (forward.refuse) forward.refuse(names);
  ThrowInvalid(StrCat(name, ": the function uses variables ", names,
                      ", so its gradient function must take them: add a parameter (const std::vector<Variable>& "
                      "variables) and return {inputs, variables}"));
}

// A handle for a value that a log knows by its id.
Tensor NamedAs(uint64_t id, const VariablePtr& v) {
  const TraceState* trace = State().trace;
  Tensor t = trace ? MakeSymbolic(v->type, trace->id) : MakeTensor(v->type, v->Load());
  t.internal_data()->id = id;
  return t;
}

// Builds the function and its gradient for logs.
class Builder {
 public:
  Builder(const CustomCall& call, const std::vector<Tensor>& inputs, const CustomForward& forward, const EventLog& log,
          uint64_t begin)
      : call_(call),
        inputs_(inputs),
        forward_(forward),
        log_(log),
        begin_(State().trace ? State().trace->outer_before : begin) {}

  // Adds both to the module; returns the attributes of the call.
  AttributesPtr Build(const std::shared_ptr<ir::Module>& module) {
    TraceState trace(State().trace);
    trace.module = module;
    TraceBackward(&trace);
    CollectSurroundings();
    BuildRequest forward = Request(call_.name, module.get());
    for (const Tensor& y : forward_.results) forward.results.push_back(y);
    module->AddFunction(LogBuilder(log_, forward).Build({}).function);
    BuildRequest backward = Request(StrCat(forward.name, ".vjp"), module.get());
    for (const Tensor& dy : dys_) {
      if (IsDifferentiable(dy.dtype())) backward.arguments.push_back(dy);
    }
    FillResults(&trace, &backward);
    module->AddFunction(LogBuilder(*backward_log_, backward).Build({}).function);
    return std::make_shared<const ir::Attributes>(ir::Attributes{{"callee", forward.name}, {"vjp", backward.name}});
  }

  // What the call takes: inputs, other tensors, variables; stopped where no gradient comes back.
  TensorList Operands() {
    TensorList operands;
    for (size_t i = 0; i < inputs_.size(); ++i) {
      const bool floating = IsDifferentiable(inputs_[i].dtype());
      operands.push_back(floating && !gradients_.inputs[i] ? StopGradient(inputs_[i]) : inputs_[i]);
    }
    for (const Tensor& t : outer_) operands.push_back(StopGradient(t));
    for (const auto& [id, v] : variables_) {
      const std::optional<Tensor>* d = GradientOf(id);
      const bool moves = d && d->has_value();
      const Tensor value = moves && !assigned_.contains(id) ? ReadVariable(v) : FirstRead(v);
      operands.push_back(moves ? value : StopGradient(value));
    }
    return operands;
  }

 private:
  void TraceBackward(TraceState* trace) {
    backward_log_ = std::make_shared<EventLog>(log_);
    const TraceScope scope(trace, backward_log_);
    for (const Type& type : call_.result_types) {
      dys_.push_back(IsDifferentiable(type.dtype) ? MakeSymbolic(type, trace->id) : Zeros(type.shape, type.dtype));
    }
    std::vector<Variable> variables;
    for (const VariablePtr& v : call_.variables) variables.push_back(Variable(v));
    gradients_ = forward_.backward(dys_, variables);
    CheckGradients(call_.name, "inputs", gradients_.inputs, call_.input_types);
    std::vector<Type> types;
    for (const VariablePtr& v : call_.variables) types.push_back(v->type);
    CheckGradients(call_.name, "variables", gradients_.variables, types);
  }

  // Everything that one of the two uses besides the inputs.
  void CollectSurroundings() {
    BuildRequest forward, backward;
    for (const Tensor& x : inputs_) forward.arguments.push_back(x);
    forward.closed = true;
    forward.outer_before = begin_;
    backward = forward;
    for (const Tensor& y : forward_.results) forward.results.push_back(y);
    for (const Tensor& dy : dys_) backward.arguments.push_back(dy);
    for (const auto* list : {&gradients_.inputs, &gradients_.variables}) {
      for (const auto& d : *list) {
        if (d) backward.results.push_back(*d);
      }
    }
    Collect(LogBuilder(log_, forward));
    Collect(LogBuilder(*backward_log_, backward));
  }
  void Collect(const LogBuilder& builder) {
    for (const Tensor& t : builder.outer()) {
      if (std::none_of(outer_.begin(), outer_.end(), [&](const Tensor& u) { return u.id() == t.id(); })) {
        outer_.push_back(t);
      }
    }
    for (const VariablePtr& v : builder.variables()) variables_.emplace(v->id, v);
    for (const VariablePtr& v : builder.Assigned()) assigned_.insert(v->id);
  }

  BuildRequest Request(std::string name, ir::Module* module) {
    BuildRequest request;
    request.name = module->UniqueFunctionName(name);
    request.closed = true;
    for (const Tensor& x : inputs_) request.arguments.push_back(x);
    for (const Tensor& t : outer_) request.arguments.push_back(t);
    for (const auto& [id, v] : variables_) request.arguments.push_back(NamedAs(id, v));
    return request;
  }

  // One cotangent per floating operand.
  void FillResults(TraceState* trace, BuildRequest* request) {
    const TraceScope scope(trace, backward_log_);
    const auto add = [&](const Type& type, const std::optional<Tensor>& d) {
      if (!IsDifferentiable(type.dtype)) return;
      request->results.push_back(d ? *d : Zeros(type.shape, type.dtype));
    };
    for (size_t i = 0; i < inputs_.size(); ++i) add(inputs_[i].type(), gradients_.inputs[i]);
    for (const Tensor& t : outer_) add(t.type(), {});
    for (const auto& [id, v] : variables_) {
      const std::optional<Tensor>* d = GradientOf(id);
      add(v->type, d ? *d : std::nullopt);
    }
  }

  // The user's gradient of a variable, or null if it is not one of those that get any.
  const std::optional<Tensor>* GradientOf(uint64_t id) const {
    for (size_t i = 0; i < call_.variables.size(); ++i) {
      if (call_.variables[i]->id == id) return &gradients_.variables[i];
    }
    return nullptr;
  }

  // The value that the function saw first: it may have changed the variable since.
  Tensor FirstRead(const VariablePtr& v) const {
    for (const LogEvent& e : log_.events()) {
      if (e.variable != v) continue;
      if (e.kind == LogEvent::Kind::kRead) return NamedAs(e.results[0], v);
      break;
    }
    return ReadVariable(v);
  }

  const CustomCall& call_;
  const std::vector<Tensor>& inputs_;
  const CustomForward& forward_;
  const EventLog& log_;
  std::shared_ptr<EventLog> backward_log_;
  uint64_t begin_;  // ids of this call's own eager tensors are larger
  std::vector<Tensor> dys_;
  CustomGradients gradients_;
  std::vector<Tensor> outer_;
  std::map<uint64_t, VariablePtr> variables_;
  HashSet<uint64_t> assigned_;
};

// The module in which the recordings of this thread keep functions; null if there is none.
std::shared_ptr<ir::Module> ModuleOfRecordings() {
  std::shared_ptr<ir::Module> module;
  std::vector<EventLog*> logs;
  for (const auto& sink : State().sinks) {
    auto* log = dynamic_cast<EventLog*>(sink.get());
    if (!log || !log->listening() || log->watcher()) continue;
    logs.push_back(log);
    if (log->module()) module = log->module();
  }
  if (!logs.empty() && !module) module = std::make_shared<ir::Module>();
  for (EventLog* log : logs) log->set_module(module);
  return module;
}

// A call, whose gradient is that of a tape inside the trace, too: the user's function, with what the ops before
// computed.
std::vector<Tensor> Traced(Builder* builder, const std::shared_ptr<CustomCall>& call, const std::vector<Tensor>& inputs,
                           const std::vector<Tensor>& inner) {
  const AttributesPtr attributes = builder->Build(State().trace->module);
  if (TangentsAreFollowed()) {  // tapes have to see what those are made of
    const TensorList results = DispatchAll(ir::Op::kCall, attributes, builder->Operands());
    return {results.begin(), results.end()};
  }
  TensorList results;
  {
    const PauseTapesScope pause;
    results = DispatchAll(ir::Op::kCall, attributes, builder->Operands());
  }
  TellTapes({call, inputs, inner, results, nullptr, UserLine()});
  return {results.begin(), results.end()};
}

std::vector<Tensor> Eager(Builder* builder, const std::shared_ptr<CustomCall>& call, const std::vector<Tensor>& inputs,
                          const std::vector<Tensor>& inner) {
  std::vector<Tensor> results;
  for (const Tensor& y : inner) results.push_back(MakeTensor(y.type(), y.internal_data()->buffer()));
  AttributesPtr attributes;
  TensorList operands;
  const auto module = ModuleOfRecordings();
  if (module) {
    attributes = builder->Build(module);
    operands = builder->Operands();
  }
  const SourceLine line = UserLine();
  const OpEvent op{ir::Op::kCall, attributes, operands, results, line};
  const CustomEvent event{call, inputs, inner, results, module ? &op : nullptr, line};
  for (const auto& sink : State().sinks) {
    if (sink->listening()) sink->OnCustom(event);
  }
  return results;
}

using Values = std::vector<std::pair<VariablePtr, Tensor>>;

// Notes what a variable was when it was read before it was assigned.
class AssignWatcher : public EventSink {
 public:
  void OnOp(const OpEvent&) override {}
  void OnRead(const VariablePtr& v, const Tensor& value, SourceLine) override {
    if (!assigned_.contains(v->id)) read_.try_emplace(v->id, value);
  }
  void OnAssign(const VariablePtr& v, const Tensor&, SourceLine) override { assigned_.emplace(v->id, v); }
  bool listening() const override { return true; }

  // The variables that were assigned, with what was read of them before; a null tensor if nothing.
  Values Assigned() const {
    Values out;
    for (const auto& [id, v] : assigned_) {
      const auto read = read_.find(id);
      out.emplace_back(v, read == read_.end() ? Tensor() : read->second);
    }
    return out;
  }

 private:
  HashMap<uint64_t, Tensor> read_;
  std::map<uint64_t, VariablePtr> assigned_;
};

// The second run of a recomputed function, and its gradients.
struct Again {
  ListFunction function;
  std::vector<Tensor> inputs, captured;
  Values assigned;

  CustomGradients operator()(const std::vector<Tensor>& dys, const std::vector<Variable>& variables) const;

 private:
  std::vector<Tensor> Run(const std::vector<Tensor>& xs) const;
};

// With what it read the first time; the variables are afterwards what they are now.
std::vector<Tensor> Again::Run(const std::vector<Tensor>& xs) const {
  Values present;
  for (const auto& [v, old] : assigned) {
    present.emplace_back(v, ReadVariable(v));
    if (old.defined()) AssignVariable(v, old);
  }
  std::vector<Tensor> results = function(xs);
  for (const auto& [v, value] : present) AssignVariable(v, value);
  return results;
}

CustomGradients Again::operator()(const std::vector<Tensor>& dys, const std::vector<Variable>& variables) const {
  std::vector<Tensor> xs;
  for (const Tensor& x : inputs) xs.push_back(Identity(x));  // the same tensor twice is two inputs
  std::vector<Source> sources;
  for (const auto* list : {&std::as_const(xs), &captured}) {
    for (const Tensor& x : *list) {
      if (IsDifferentiable(x.dtype())) sources.push_back(x);
    }
  }
  const size_t count = sources.size();
  sources.insert(sources.end(), variables.begin(), variables.end());
  GradientTape tape;
  tape.Watch(sources);
  const std::vector<Tensor> results = Run(xs);
  std::vector<Tensor> targets;
  GradientOptions options{.unconnected_gradients = UnconnectedGradients::kZero};
  for (size_t i = 0; i < results.size(); ++i) {
    if (!IsDifferentiable(results[i].dtype())) continue;
    targets.push_back(results[i]);
    options.output_gradients.push_back(dys[i]);
  }
  const GradientList list = tape.Gradient(targets, sources, options);
  CustomGradients gradients;
  size_t next = 0;
  for (const auto* tensors : {&inputs, &captured}) {
    for (const Tensor& x : *tensors)
      gradients.inputs.push_back(IsDifferentiable(x.dtype()) ? std::optional(list.Dense(next++)) : std::nullopt);
  }
  for (size_t i = count; i < list.size(); ++i) gradients.variables.emplace_back(list.Dense(i));
  return gradients;
}

// Of tensors that a function captured, those whose gradient somebody may ask for: what a tape follows, what a trace
// computed or takes as an operand, and under a recording, which may be lifted and differentiated, all that were there
// before.
std::vector<Tensor> Followed(const std::vector<Tensor>& captured, uint64_t begin) {
  std::vector<bool> followed(captured.size());
  bool recorded = false;
  const uint64_t outer_before = State().trace ? State().trace->outer_before : 0;
  for (const auto& sink : State().sinks) {
    if (auto* tape = dynamic_cast<TapeCore*>(sink.get())) tape->MarkFollowed(captured, &followed);
    const auto* log = dynamic_cast<const EventLog*>(sink.get());
    recorded |= log && log->listening() && !log->watcher() && !State().trace;
  }
  std::vector<Tensor> out;
  for (size_t i = 0; i < captured.size(); ++i) {
    const Tensor& t = captured[i];
    if (followed[i] || t.symbolic() || t.id() < outer_before || (recorded && t.id() < begin)) out.push_back(t);
  }
  return out;
}

}  // namespace

void CheckArity(size_t got, size_t want) {
  if (got == want) return;
  ThrowInvalid(StrCat("the function takes ", want, " tensors, got ", got));
}

OptionalTensors CustomCall::Run(const OptionalTensors& optional) {
  std::vector<Tensor> dys;
  for (size_t i = 0; i < result_types.size(); ++i) {
    dys.push_back(optional[i] ? *optional[i] : Zeros(result_types[i].shape, result_types[i].dtype));
  }
  std::vector<Variable> given;
  std::vector<Type> types;
  for (const VariablePtr& v : variables) {
    given.push_back(Variable(v));
    types.push_back(v->type);
  }
  CustomGradients gradients = backward(dys, given);
  CheckGradients(name, "inputs", gradients.inputs, input_types);
  CheckGradients(name, "variables", gradients.variables, types);
  OptionalTensors out = std::move(gradients.inputs);
  out.insert(out.end(), gradients.variables.begin(), gradients.variables.end());
  none.clear();
  for (const auto& d : out) none.push_back(!d.has_value());
  return out;
}

std::shared_ptr<CustomCall> CustomCall::WithoutValues() const {
  auto out = std::make_shared<CustomCall>();
  out->name = name;
  out->none = none;
  out->why_none = why_none;
  return out;
}

std::vector<Tensor> CallCustom(const char* name, const CustomFunction& function, const std::vector<Operand>& operands) {
  std::optional<LocationScope> scope;
  if (!operands.empty()) scope.emplace(operands[0]);
  std::vector<Tensor> inputs;
  for (const Operand& x : operands) inputs.push_back(Materialize(x));
  const uint64_t begin = NextId();
  const auto log = std::make_shared<EventLog>();
  log->set_watcher();
  CustomForward forward;
  {
    const SinkScope watching(log);
    forward = function(inputs);
  }
  const auto call = std::make_shared<CustomCall>();
  call->name = name;
  const Used used = UsedBy(*log, forward.results, operands);
  call->variables = used.variables;
  CheckForward(name, forward, call->variables);
  if (auto* again = forward.backward.target<Again>()) {
    again->captured = Followed(used.captured, begin);
    inputs.insert(inputs.end(), again->captured.begin(), again->captured.end());
  }
  for (const Tensor& x : inputs) call->input_types.push_back(x.type());
  for (const Tensor& y : forward.results) call->result_types.push_back(y.type());
  Builder builder(*call, inputs, forward, *log, begin);
  call->backward = forward.backward;
  if (State().trace) return Traced(&builder, call, inputs, forward.results);
  return Eager(&builder, call, inputs, forward.results);
}

CustomForward ForwardToRecompute(const ListFunction& function, const std::vector<Tensor>& inputs) {
  const auto watcher = std::make_shared<AssignWatcher>();
  std::vector<Tensor> results;
  {
    const PauseTapesScope pause;
    const SinkScope watching(watcher);
    results = function(inputs);
  }
  return {std::move(results), Again{function, inputs, {}, watcher->Assigned()}, true};
}

CustomForward ForwardToPassThrough(const ListFunction& function, const std::vector<Tensor>& inputs) {
  std::vector<Tensor> results = function(inputs);
  if (results.size() != inputs.size()) {
    ThrowInvalid(StrCat("grad_pass_through: the function returns ", results.size(), " tensors for ", inputs.size(),
                        " inputs; it must return one for each"));
  }
  return {std::move(results),
          [](const std::vector<Tensor>& dys, const std::vector<Variable>& variables) {
            return CustomGradients{{dys.begin(), dys.end()}, std::vector<std::optional<Tensor>>(variables.size())};
          },
          true};
}

}  // namespace reel::internal
