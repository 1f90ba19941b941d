#include "frontend/record/event_log.h"

#include <algorithm>
#include <map>

#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/builder.h"
#include "ir/hash_map.h"
#include "ir/strings.h"

namespace reel::internal {

void EventLog::Capture(const Tensor& x) {
  if (!produced_.contains(x.id())) captured_.emplace(x.id(), x);
}

void EventLog::OnOp(const OpEvent& event) {
  LogEvent e{LogEvent::Kind::kOp, event.op, event.attributes, {}, {}, {}, nullptr, event.line, GradientOf()};
  for (const Tensor& x : event.operands) {
    Capture(x);
    e.operands.push_back(x.id());
  }
  for (const Tensor& y : event.results) {
    produced_.insert(y.id());
    e.results.push_back(y.id());
    e.result_types.push_back(y.type());
  }
  events_.push_back(std::move(e));
}

void EventLog::OnRead(const VariablePtr& variable, const Tensor& value, SourceLine line) {
  produced_.insert(value.id());
  events_.push_back(
      {LogEvent::Kind::kRead, ir::Op::kIdentity, nullptr, {}, {value.id()}, {value.type()}, variable, line});
}

void EventLog::OnAssign(const VariablePtr& variable, const Tensor& value, SourceLine line) {
  Capture(value);
  events_.push_back({LogEvent::Kind::kAssign, ir::Op::kIdentity, nullptr, {value.id()}, {}, {}, variable, line});
}

void EventLog::OnCustom(const CustomEvent& event) { event.call ? OnOp(*event.call) : EventSink::OnCustom(event); }

LogBuilder::LogBuilder(const EventLog& log, const BuildRequest& request) : log_(log), request_(request) {
  for (const NamedTensor& x : request.arguments) arguments_.insert(x.tensor.id());
  Resolve();
  MarkNeeded();
  CollectOuter();
}

// A read sees the last assign before it, else the variable's value at the beginning, known by its
// id.
void LogBuilder::Resolve() {
  HashMap<uint64_t, int> reads;
  for (const LogEvent& e : log_.events()) {
    if (e.kind == LogEvent::Kind::kRead) ++reads[e.variable->id];
  }
  for (const LogEvent& e : log_.events()) {
    if (e.kind == LogEvent::Kind::kRead) {
      const auto last = last_.find(e.variable->id);
      if (last != last_.end() && request_.reads && IsDifferentiable(e.variable->type.dtype))
        rereads_[e.results[0]] = last->second;
      else if (last == last_.end() && request_.closed && reads[e.variable->id] > 1 &&
               IsDifferentiable(e.variable->type.dtype))
        own_reads_.insert(e.results[0]);
      else
        alias_[e.results[0]] = last == last_.end() ? e.variable->id : last->second;
    } else if (e.kind == LogEvent::Kind::kAssign) {
      last_[e.variable->id] = Resolved(e.operands[0]);
    }
  }
}

void LogBuilder::MarkNeeded() {
  HashSet<uint64_t> wanted;
  const auto want = [&](uint64_t id) {
    if (!arguments_.contains(id)) wanted.insert(id);
  };
  for (const NamedTensor& y : request_.results) want(Resolved(y.tensor.id()));
  for (const auto& [variable, value] : last_) want(value);
  const auto& events = log_.events();
  needed_.assign(events.size(), false);
  std::map<uint64_t, VariablePtr> touched;
  for (size_t n = events.size(); n-- > 0;) {
    const LogEvent& e = events[n];
    if (e.kind != LogEvent::Kind::kOp) {
      touched.emplace(e.variable->id, e.variable);
      if (IsOwnRead(e) && wanted.contains(e.results[0])) {
        needed_[n] = true;
        want(e.variable->id);
        continue;
      }
      if (!IsReread(e) || !wanted.contains(e.results[0])) continue;
      needed_[n] = true;
      want(e.variable->id);
      want(rereads_.at(e.results[0]));
      continue;
    }
    needed_[n] = std::any_of(e.results.begin(), e.results.end(), [&](uint64_t id) { return wanted.contains(id); });
    if (!needed_[n]) continue;
    for (uint64_t id : e.operands) want(Resolved(id));
  }
  for (const auto& [id, variable] : touched) {
    if (wanted.contains(id) || last_.contains(id)) variables_.push_back(variable);
  }
}

void LogBuilder::CollectOuter() {
  HashSet<uint64_t> known = arguments_;
  for (const VariablePtr& v : variables_) known.insert(v->id);
  const auto look = [&](uint64_t id) {
    if (!known.insert(id).second) return;
    const Tensor* t = Find(id);
    if (!t) return;
    const uint64_t before = IsDifferentiable(t->dtype()) ? request_.differentiable_before : 0;
    if (t->symbolic() || id < std::max(request_.outer_before, before)) outer_.push_back(*t);
  };
  for (size_t n = 0; n < needed_.size(); ++n) {
    if (!needed_[n]) continue;
    const LogEvent& e = log_.events()[n];
    if (IsReread(e)) look(rereads_.at(e.results[0]));
    for (uint64_t id : e.operands) look(Resolved(id));
    known.insert(log_.events()[n].results.begin(), log_.events()[n].results.end());
  }
  for (const NamedTensor& y : request_.results) look(Resolved(y.tensor.id()));
  for (const VariablePtr& v : Assigned()) look(last_.at(v->id));
}

std::vector<VariablePtr> LogBuilder::Assigned() const {
  std::vector<VariablePtr> out;
  for (const VariablePtr& v : variables_) {
    if (last_.contains(v->id)) out.push_back(v);
  }
  return out;
}

const Tensor* LogBuilder::Find(uint64_t id) const {
  if (const Tensor* t = log_.Captured(id)) return t;
  for (const NamedTensor& y : request_.results) {
    if (y.tensor.id() == id) return &y.tensor;
  }
  return nullptr;
}

namespace {

int32_t AddLocation(ir::Function* f, SourceLine line) {
  return line.file ? f->AddLocation({line.file, static_cast<int32_t>(line.line)}) : -1;
}

}  // namespace

ir::Value LogBuilder::Get(ir::Function* f, uint64_t id, int32_t location) {
  const auto found = values_.find(id);
  if (found != values_.end()) return found->second;
  const Tensor* t = Find(id);
  if (!t || t->symbolic()) {
    ThrowError(ErrorCode::kFailedPrecondition,
               StrCat("lift @", request_.name, ": a tensor ", t ? t->type().ToString() : "",
                      " was computed outside of what was recorded; compute it inside, or pass it "
                      "as an argument"));
  }
  captured_bytes_ += t->type().bytes();
  if (captured_bytes_ > request_.max_captured_bytes) {
    ThrowError(ErrorCode::kResourceExhausted,
               StrCat("lift @", request_.name, ": the captured tensors, the last of them ", t->type().ToString(),
                      ", take more than ", request_.max_captured_bytes,
                      " bytes as constants; pass large tensors as arguments, make them Variables, or raise "
                      "max_captured_bytes"));
  }
  const auto attributes = std::make_shared<const ir::Attributes>(ir::Attributes{{"value", ToLiteral(*t)}});
  const ir::Value v = f->AddNode(ir::Op::kConstant, {}, attributes, {t->type()}, location).result();
  values_[id] = v;
  return v;
}

void LogBuilder::AddParameters(ir::Function* f, const std::vector<std::string>& state_names) {
  std::vector<std::string> taken = state_names;
  for (size_t i = 0; i < request_.arguments.size(); ++i) {
    const NamedTensor& x = request_.arguments[i];
    const std::string base = x.name.empty() ? StrCat("arg", i) : x.name;
    std::string name = base;
    for (int n = 1; std::find(taken.begin(), taken.end(), name) != taken.end(); ++n) name = StrCat(base, "_", n);
    taken.push_back(name);
    values_[x.tensor.id()] = f->AddParameter(name, x.tensor.type());
  }
  if (request_.closed) {
    for (const GradientEnd& x : request_.free) {
      values_[x.id] = f->AddParameter(StrCat("free", f->num_parameters()), x.type);
    }
  } else {
    for (size_t i = 0; i < variables_.size(); ++i) {
      values_[variables_[i]->id] = f->AddState(state_names[i], variables_[i]->type);
    }
  }
}

// A call of @reread: (variable, assigned) -> assigned, whose vjp gives all to the variable.
void LogBuilder::AddReread(ir::Function* f, const LogEvent& e) {
  const Type& type = e.variable->type;
  std::string& name = reread_names_[type.ToString()];
  if (name.empty()) {
    name = request_.reads->UniqueFunctionName("reread");
    ir::Function forward(name), backward(StrCat(name, ".vjp"));
    for (ir::Function* g : {&forward, &backward}) {
      g->AddParameter("variable", type);
      g->AddParameter("assigned", type);
    }
    forward.SetResults({{1}});
    const ir::Value dy = backward.AddParameter("dy", type);
    const ir::Value zeros = ir::Builder(&backward, request_.reads).Zeros(type);
    backward.SetResults({dy, zeros});
    request_.reads->AddFunction(std::move(forward));
    request_.reads->AddFunction(std::move(backward));
  }
  const auto attributes =
      std::make_shared<const ir::Attributes>(ir::Attributes{{"callee", name}, {"vjp", StrCat(name, ".vjp")}});
  const ir::Value operands[] = {values_.at(e.variable->id), Get(f, rereads_.at(e.results[0]))};
  const ir::Value read = f->AddNode(ir::Op::kCall, operands, attributes, {type}, AddLocation(f, e.line)).result();
  values_[e.results[0]] = read;
}

void LogBuilder::AddNodes(ir::Function* f) {
  const auto& events = log_.events();
  for (size_t n = 0; n < events.size(); ++n) {
    if (!needed_[n]) continue;
    const LogEvent& e = events[n];
    if (IsReread(e)) {
      AddReread(f, e);
      continue;
    }
    const int32_t location = AddLocation(f, e.line);
    ir::ValueList operands;
    if (IsOwnRead(e)) operands.push_back(values_.at(e.variable->id));
    for (uint64_t id : e.operands) operands.push_back(Get(f, Resolved(id), location));
    const ir::Node& node = f->AddNode(e.op, operands, e.attributes, e.result_types, location);
    for (size_t i = 0; i < e.results.size(); ++i) {
      const ir::Value v = node.result(static_cast<int>(i));
      if (!arguments_.contains(e.results[i])) values_[e.results[i]] = v;
      if (e.gradient_of) f->set_name_hint(v, StrCat(ir::Name(*e.gradient_of), ".grad"));
    }
  }
}

Built LogBuilder::Build(const std::vector<std::string>& state_names) {
  ir::Function f(request_.name);
  AddParameters(&f, state_names);
  AddNodes(&f);
  std::vector<ir::Value> results;
  std::vector<std::string> names;
  for (const NamedTensor& y : request_.results) {
    results.push_back(Get(&f, Resolved(y.tensor.id())));
    names.push_back(y.name);
  }
  const auto add_last = [&](uint64_t id) {
    const auto it = last_.find(id);
    results.push_back(Get(&f, it == last_.end() ? id : it->second));
  };
  for (uint64_t id : request_.carried) add_last(id);
  for (const VariablePtr& v : variables_) {
    if (!request_.closed) add_last(v->id);
  }
  f.SetResults(std::move(results));
  f.set_result_names(std::move(names));
  return {std::move(f), variables_};
}

}  // namespace reel::internal
