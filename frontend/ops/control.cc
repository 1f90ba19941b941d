#include <algorithm>
#include <map>

#include "frontend/eager/dispatch.h"
#include "frontend/ops/control.h"
#include "frontend/record/event_stream.h"
#include "frontend/record/observed.h"
#include "frontend/record/trace.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "frontend/values/variable_data.h"
#include "ir/strings.h"
#include "reel/ops.h"

// Control flow: plain C++ when eager; in a trace, the branches are traced into functions whose
// arguments are what they use of the trace around them, variables included.

namespace reel {

using internal::BuildRequest;
using internal::Dispatch;
using internal::DispatchAll;
using internal::EventLog;
using internal::GradientEnd;
using internal::LocationScope;
using internal::LogBuilder;
using internal::State;
using internal::TensorList;
using internal::ThrowError;
using internal::ThrowInvalid;
using internal::TraceState;
using internal::VariablePtr;

namespace {

// A branch traced, not yet built.
struct Branch {
  std::shared_ptr<EventLog> log = std::make_shared<EventLog>();
  BuildRequest request;
  std::unique_ptr<LogBuilder> builder;
};

// body(parameters, add): add(type) gives one more parameter.
template <typename Body>
Branch TraceBranch(const char* name, const std::vector<Tensor>& like, Body body) {
  Branch branch;
  TraceState inner(State().trace);
  branch.request.name = name;
  branch.request.closed = true;
  branch.request.outer_before = inner.outer_before;
  branch.request.differentiable_before = inner.id;
  const internal::AddCarried add = [&](const Type& type) {
    const Tensor parameter = internal::MakeSymbolic(type, inner.id);
    branch.request.arguments.push_back(parameter);
    return parameter;
  };
  std::vector<Tensor> parameters;
  for (const Tensor& x : like) parameters.push_back(add(x.type()));
  const internal::SourceLine line = State().location;
  const internal::TraceScope scope(&inner, branch.log);
  const uint64_t begin = internal::NextId();
  std::vector<Tensor> results = body(parameters, add);
  State().location = line;  // the identities are the op's, not the body's
  internal::SeparateResults(&results, begin);
  for (const Tensor& y : results) branch.request.results.push_back(y);
  return branch;
}

// What two branches use of their surroundings, in an order both share.
struct Surroundings {
  std::vector<Tensor> tensors;
  std::map<uint64_t, VariablePtr> variables, assigned;

  void Add(Branch* branch) {
    branch->builder = std::make_unique<LogBuilder>(*branch->log, branch->request);
    for (const Tensor& t : branch->builder->outer()) {
      const auto same = [&](const Tensor& u) { return u.id() == t.id(); };
      if (std::none_of(tensors.begin(), tensors.end(), same)) tensors.push_back(t);
    }
    for (const VariablePtr& v : branch->builder->variables()) variables.emplace(v->id, v);
    for (const VariablePtr& v : branch->builder->Assigned()) assigned.emplace(v->id, v);
  }

  std::vector<GradientEnd> Free() const {
    std::vector<GradientEnd> free;
    for (const Tensor& t : tensors) free.push_back({t.id(), t.type()});
    for (const auto& [id, v] : variables) free.push_back({id, v->type});
    return free;
  }

  void AppendOperands(TensorList* operands) const {
    operands->insert(operands->end(), tensors.begin(), tensors.end());
    for (const auto& [id, v] : variables) operands->push_back(internal::ReadVariable(v));
  }
};

std::string AddToModule(Branch* branch, const Surroundings& around) {
  ir::Module& module = *State().trace->module;
  branch->request.name = module.UniqueFunctionName(branch->request.name);  // nested ones have theirs by now
  branch->request.free = around.Free();
  module.AddFunction(branch->builder->Build({}).function);
  return branch->request.name;
}

// An identity whose cotangent has all elements, as those that functions of a graph pass on.
Tensor Dense(const Tensor& x) { return Dispatch(ir::Op::kIdentity, {x}, {{"dense", true}}); }

Tensor Condition(const char* op, const Operand& condition) {
  Tensor c = internal::Materialize(condition);
  if (c.type() != Type{kBool, {}}) {
    ThrowInvalid(
        StrCat(op, ": the condition must be bool[], got ", c.type().ToString(), "; compare and reduce it to one bool"));
  }
  return c;
}

}  // namespace

void internal::SeparateResults(std::vector<Tensor>* results, uint64_t begin) {
  if (!State().trace) {
    for (Tensor& y : *results) {
      if (y.defined() && IsDifferentiable(y.dtype())) y = Dense(y);
    }
    return;
  }
  std::map<uint64_t, int> uses;
  for (const Tensor& y : *results) {
    if (y.defined()) ++uses[y.id()];
  }
  for (Tensor& y : *results) {
    if (!y.defined() || !IsDifferentiable(y.dtype())) continue;
    if (y.id() < begin || uses[y.id()] > 1) y = Identity({y, {}});
  }
}

void internal::SeparateOperands(std::vector<Tensor>* values) {
  for (size_t i = values->size(); i-- > 0;) {
    Tensor& x = (*values)[i];
    if (x.defined() && IsDifferentiable(x.dtype())) x = Dense(x);
  }
}

std::vector<Tensor> internal::RunBranch(const std::function<std::vector<Tensor>()>& branch) {
  if (!Observed()) return branch();
  const uint64_t begin = NextId();
  std::vector<Tensor> results = branch();
  SeparateResults(&results, begin);
  return results;
}

std::vector<Tensor> Cond(const Operand& condition, const std::function<std::vector<Tensor>()>& then_branch,
                         const std::function<std::vector<Tensor>()>& else_branch) {
  const LocationScope scope(condition);
  const Tensor c = Condition("cond", condition);
  if (!State().trace) return internal::RunBranch(c.item<bool>() ? then_branch : else_branch);

  Branch yes = TraceBranch("then", {}, [&](const auto&, const auto&) { return then_branch(); });
  Branch no = TraceBranch("else", {}, [&](const auto&, const auto&) { return else_branch(); });
  Surroundings around;
  around.Add(&yes);
  around.Add(&no);
  for (Branch* branch : {&yes, &no}) {
    for (const auto& [id, v] : around.assigned) branch->request.carried.push_back(id);
  }
  const std::string then_name = AddToModule(&yes, around), else_name = AddToModule(&no, around);
  TensorList operands = {c};
  around.AppendOperands(&operands);
  const TensorList results = DispatchAll(
      ir::Op::kIf, std::make_shared<const ir::Attributes>(ir::Attributes{{"then", then_name}, {"else", else_name}}),
      operands);
  const size_t count = results.size() - around.assigned.size();
  size_t at = count;
  for (const auto& [id, v] : around.assigned) internal::AssignVariable(v, results[at++]);
  return std::vector<Tensor>(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(count));
}

Tensor Cond(const Operand& condition, const std::function<Tensor()>& then_branch,
            const std::function<Tensor()>& else_branch) {
  return Cond(
      condition, [&] { return std::vector<Tensor>{then_branch()}; },
      [&] { return std::vector<Tensor>{else_branch()}; })[0];
}

namespace {

// Throws unless loop variables of these types can be followed by those.
void CheckCarried(const std::vector<Tensor>& before, const std::vector<Tensor>& after) {
  if (after.size() != before.size()) {
    ThrowInvalid(StrCat("while: the body returns ", after.size(), " values for ", before.size(), " loop variables"));
  }
  for (size_t k = 0; k < after.size(); ++k) {
    const Type &from = before[k].type(), &to = after[k].type();
    if (from == to) continue;
    ThrowInvalid(StrCat("while: loop variable ", k, " changes from ", from.ToString(), " to ", to.ToString(),
                        "; it must keep its type"));
  }
}

std::vector<Tensor> EagerWhile(const std::function<Tensor(const std::vector<Tensor>&)>& cond,
                               const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
                               std::vector<Tensor> values, WhileOptions options) {
  const bool observed = internal::Observed();
  if (observed) internal::SeparateOperands(&values);
  for (int64_t i = 0; options.maximum_iterations < 0 || i < options.maximum_iterations; ++i) {
    if (!Condition("while", cond(values)).item<bool>()) break;
    const uint64_t begin = internal::NextId();
    std::vector<Tensor> next = body(values);
    CheckCarried(values, next);
    if (observed) internal::SeparateResults(&next, begin);
    values = std::move(next);
  }
  return values;
}

}  // namespace

std::vector<Tensor> WhileLoop(const std::function<Tensor(const std::vector<Tensor>&)>& cond,
                              const std::function<std::vector<Tensor>(const std::vector<Tensor>&)>& body,
                              const std::vector<Tensor>& values, WhileOptions options) {
  if (!State().trace) return EagerWhile(cond, body, values, options);
  return internal::TracedWhile(
      cond, [&](const auto& v, const internal::AddCarried&) { return body(v); }, values, options);
}

std::vector<Tensor> internal::TracedWhile(
    const std::function<Tensor(const std::vector<Tensor>&)>& cond,
    const std::function<std::vector<Tensor>(const std::vector<Tensor>&, const AddCarried&)>& body,
    std::vector<Tensor> values, WhileOptions options) {
  Branch step = TraceBranch("body", values, body);
  std::vector<Tensor> before, after;
  for (const NamedTensor& x : step.request.arguments) before.push_back(x.tensor);
  for (const NamedTensor& y : step.request.results) after.push_back(y.tensor);
  CheckCarried(before, after);
  for (size_t i = values.size(); i < step.request.arguments.size(); ++i) {
    const Type& type = step.request.arguments[i].tensor.type();
    values.push_back(Zeros(type.shape, type.dtype));
  }
  Branch test = TraceBranch("cond", values, [&](const auto& v, const auto&) { return std::vector<Tensor>{cond(v)}; });
  Surroundings around;
  around.Add(&test);
  if (!around.assigned.empty()) {
    ThrowInvalid(StrCat("while: the condition assigns variable '", around.assigned.begin()->second->name,
                        "'; assign it in the body"));
  }
  around.Add(&step);
  for (const GradientEnd& free : around.Free()) step.request.carried.push_back(free.id);
  ir::Attributes attributes;
  attributes.Set("cond", AddToModule(&test, around));
  attributes.Set("body", AddToModule(&step, around));
  if (options.maximum_iterations >= 0) attributes.Set("maximum_iterations", options.maximum_iterations);
  TensorList operands(values.begin(), values.end());
  around.AppendOperands(&operands);
  const TensorList results =
      DispatchAll(ir::Op::kWhile, std::make_shared<const ir::Attributes>(std::move(attributes)), operands);
  size_t at = values.size() + around.tensors.size();
  for (const auto& [id, v] : around.variables) {
    if (around.assigned.contains(id)) internal::AssignVariable(v, results[at]);
    ++at;
  }
  return std::vector<Tensor>(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(values.size()));
}

}  // namespace reel
