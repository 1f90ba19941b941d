#include "frontend/autodiff/forward_mode.h"

#include <algorithm>
#include <cstdio>

#include "frontend/autodiff/custom_gradient.h"
#include "frontend/autodiff/tape.h"
#include "frontend/eager/dispatch.h"
#include "frontend/record/closure.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/lazy.h"
#include "ir/strings.h"
#include "passes/gradient/gradient.h"
#include "passes/rewrite.h"
#include "reel/ops.h"
#include "runtime/fork.h"

namespace reel {
namespace internal {
namespace {

// The accumulators alive: they are told when a tensor with a tangent dies.
struct Registry {
  runtime::Mutex mutex;
  std::vector<ForwardCore*> cores;
};
Registry& Cores() {
  static constinit Lazy<Registry> registry;
  return registry.Get();
}

// Only the sinks before this one listen: an accumulator and what began after it do not see what it computes.
class OutsideScope {
 public:
  explicit OutsideScope(const EventSink* sink) {
    auto& sinks = State().sinks;
    const auto at = std::find_if(sinks.begin(), sinks.end(), [sink](const auto& s) { return s.get() == sink; });
    std::vector<std::shared_ptr<EventSink>> before(sinks.begin(), at);
    all_ = std::exchange(sinks, std::move(before));
  }
  ~OutsideScope() { State().sinks = std::move(all_); }
  OutsideScope(const OutsideScope&) = delete;
  OutsideScope& operator=(const OutsideScope&) = delete;

 private:
  std::vector<std::shared_ptr<EventSink>> all_;  // the very vector: Dispatch may be walking it
};

// The tangents of an op's results: its node and its tangents' nodes as a function, which is run from there.
class OpJvp {
 public:
  OpJvp(const OpEvent& event, const std::vector<Tensor>& tangents) : f_("jvp") {
    std::vector<ir::Value> operands, xs, dxs;
    for (const Tensor& x : event.operands) operands.push_back(Parameter(x));
    for (size_t i = 0; i < tangents.size(); ++i) {
      if (!tangents[i].defined()) continue;
      xs.push_back(operands[i]);
      dxs.push_back(Parameter(tangents[i]));
    }
    ir::TypeList types;
    for (const Tensor& y : event.results) types.push_back(y.type());
    const ir::Value first = f_.AddNode(event.op, operands, event.attributes, types).result();
    for (size_t i = 0; i < event.results.size(); ++i) {
      ys_.push_back({first.id + static_cast<int32_t>(i)});
      values_.push_back(event.results[i]);
    }
    const TraceState* trace = State().trace;
    ys_ = Take(passes::Jvp(&f_, trace ? trace->module.get() : nullptr, ys_, xs, dxs));
    values_.resize(static_cast<size_t>(f_.num_values()));
  }

  // One per result; null where nothing moves.
  std::vector<Tensor> Run() {
    std::vector<ir::Value> roots;
    for (ir::Value d : ys_) {
      if (d.valid()) roots.push_back(d);
    }
    f_.SetResults(std::move(roots));
    const std::vector<bool> live = passes::LiveNodes(f_);
    for (size_t n = 1; n < live.size(); ++n) {
      if (live[n]) RunNode(f_.nodes()[n]);
    }
    std::vector<Tensor> out;
    for (ir::Value d : ys_) out.push_back(d.valid() ? values_[static_cast<size_t>(d.id)] : Tensor());
    return out;
  }

 private:
  ir::Value Parameter(const Tensor& value) {
    values_.push_back(value);
    return f_.AddParameter(StrCat("p", f_.num_parameters()), value.type());
  }

  void RunNode(const ir::Node& node) {
    if (node.op == ir::Op::kConstant) {
      values_[static_cast<size_t>(node.result().id)] = FromLiteral(node.attr<ir::Literal>("value"));
      return;
    }
    TensorList operands;
    for (ir::Value v : node.operands) operands.push_back(values_[static_cast<size_t>(v.id)]);
    const TensorList results = DispatchAll(node.op, node.attributes, operands);
    for (size_t i = 0; i < results.size(); ++i) {
      values_[static_cast<size_t>(node.result(static_cast<int>(i)).id)] = results[i];
    }
  }

  ir::Function f_;
  std::vector<ir::Value> ys_;   // results, then their tangents
  std::vector<Tensor> values_;  // by value
};

// J dx where the user's gradient is u -> J'u: that traced, and its gradient by u.
std::vector<Tensor> CustomJvp(const CustomEvent& event, const std::vector<Tensor>& tangents) {
  CustomCall& call = *event.custom;
  std::vector<Type> seeds;
  for (const Type& type : call.result_types) {
    if (IsDifferentiable(type.dtype)) seeds.push_back(type);
  }
  std::vector<Tensor> along;  // tangents of the operands that the user's gradient knows
  const auto backward = [&](std::span<const Tensor> us) {
    OptionalTensors dys;
    size_t next = 0;
    for (const Type& type : call.result_types) {
      dys.push_back(IsDifferentiable(type.dtype) ? us[next++] : Zeros(type.shape, type.dtype));
    }
    const auto gradients = call.Run(dys);
    NamedTensors out;
    along.clear();
    for (size_t i = 0; i < gradients.size(); ++i) {
      if (!gradients[i] || !tangents[i].defined()) continue;
      out.push_back(*gradients[i]);
      along.push_back(tangents[i]);
    }
    return out;
  };
  const ClosedFunction closed = TraceClosed("custom_gradient", backward, seeds);
  std::vector<std::string> ys, xs;
  for (size_t i = 0; i < closed.num_results; ++i) ys.push_back(StrCat(i));
  for (size_t i = 0; i < seeds.size(); ++i) xs.push_back(closed.function().parameter(static_cast<int>(i)).name);
  std::vector<Tensor> out(call.result_types.size());
  if (ys.empty()) return out;
  const auto transpose = Take(passes::AddGradientFunction(closed.module.get(), closed.name, ys, xs, true));
  std::vector<Tensor> ones;
  for (const Type& type : seeds) ones.push_back(Ones(type.shape, type.dtype));
  TensorList operands = closed.Operands(ones);
  operands.insert(operands.end(), along.begin(), along.end());
  const std::vector<Tensor> moved = RunThroughDispatch(closed.module, transpose.name, operands);
  size_t next = 0;
  for (size_t i = 0; i < out.size(); ++i) {
    if (!IsDifferentiable(call.result_types[i].dtype)) continue;
    if (transpose.connected[next]) out[i] = moved[next];
    ++next;
  }
  return out;
}

bool Any(const std::vector<Tensor>& tangents) {
  return std::any_of(tangents.begin(), tangents.end(), [](const Tensor& t) { return t.defined(); });
}

}  // namespace

void ForgetTangents(uint64_t id) {
  absl::InlinedVector<Tensor, 8> forgotten;  // die without the lock: they may have tangents themselves
  Registry& registry = Cores();
  const std::lock_guard lock(registry.mutex);
  for (ForwardCore* core : registry.cores) forgotten.push_back(core->Exchange(id, Tensor()));
}

ForwardCore::ForwardCore() {
  const std::lock_guard lock(Cores().mutex);
  Cores().cores.push_back(this);
}

ForwardCore::~ForwardCore() {
  {
    const std::lock_guard lock(Cores().mutex);
    std::erase(Cores().cores, this);
  }
  const auto last = std::move(tangents_);  // dies when nobody asks any more
}

Tensor ForwardCore::Find(uint64_t id) const {
  const std::lock_guard lock(mutex_);
  const auto it = tangents_.find(id);
  return it == tangents_.end() ? Tensor() : it->second;
}

size_t ForwardCore::size() const {
  const std::lock_guard lock(mutex_);
  return tangents_.size();
}

Tensor ForwardCore::Exchange(uint64_t id, Tensor tangent) {
  const std::lock_guard lock(mutex_);
  const auto it = tangents_.find(id);
  Tensor old;
  if (it != tangents_.end()) old = std::move(it->second);
  if (tangent.defined()) {
    tangents_[id] = std::move(tangent);
  } else if (it != tangents_.end()) {
    tangents_.erase(it);
  }
  return old;
}

void ForwardCore::Put(const Tensor& value, Tensor tangent) {
  if (!tangent.defined()) return;
  // A symbolic tensor lives on in its trace, which Gradients may name again.
  if (!value.symbolic()) value.internal_data()->has_tangent = true;
  Exchange(value.id(), std::move(tangent));
}

void ForwardCore::Watch(const Source& primal, const Tensor& tangent) {
  const Tensor known = Find(primal.id());
  const Tensor sum = known.defined() ? known + tangent : tangent;
  if (!primal.is_variable()) return Put(primal.tensor(), sum);
  Exchange(primal.id(), sum);
}

void ForwardCore::OnOp(const OpEvent& event) {
  if (!passes::HasGradient(event.op)) return;
  std::vector<Tensor> tangents;
  for (const Tensor& x : event.operands) tangents.push_back(Find(x.id()));
  if (!Any(tangents)) return;
  const OutsideScope outside(this);
  std::vector<Tensor> moved = OpJvp(event, tangents).Run();
  for (size_t i = 0; i < moved.size(); ++i) Put(event.results[i], std::move(moved[i]));
}

void ForwardCore::OnCustom(const CustomEvent& event) {
  std::vector<Tensor> tangents;
  for (const Tensor& x : event.operands) tangents.push_back(Find(x.id()));
  for (const VariablePtr& v : event.custom->variables) tangents.push_back(Find(v->id));
  if (!Any(tangents)) return;
  const OutsideScope outside(this);
  std::vector<Tensor> moved = CustomJvp(event, tangents);
  for (size_t i = 0; i < moved.size(); ++i) Put(event.results[i], std::move(moved[i]));
}

void ForwardCore::OnRead(const VariablePtr& variable, const Tensor& value, SourceLine) {
  Put(value, Find(variable->id));
}

}  // namespace internal

namespace {

// The tangent of a primal, in its dtype; a null tensor if the primal cannot move.
Tensor TangentFor(const Source& primal, const Tensor& tangent, size_t i) {
  if (!tangent.defined()) internal::ThrowInvalid(StrCat("forward accumulator: tangent ", i, " is a null tensor"));
  if (!IsDifferentiable(primal.type().dtype)) {
    std::fprintf(stderr, "reel: forward accumulator: %s cannot be differentiated, only floats can\n",
                 primal.type().ToString().c_str());
    return {};
  }
  if (tangent.shape() != primal.type().shape) {
    internal::ThrowInvalid(StrCat("forward accumulator: tangent ", i, " is ", tangent.type().ToString(),
                                  ", its primal is ", primal.type().ToString(), "; they must have one shape"));
  }
  return tangent.dtype() == primal.type().dtype ? tangent : Cast(tangent, primal.type().dtype);
}

}  // namespace

ForwardAccumulator::ForwardAccumulator(const Sources& primals, const std::vector<Tensor>& tangents,
                                       std::source_location location)
    : core_(std::make_shared<internal::ForwardCore>()) {
  Watch(primals, tangents, location);
  Start();
}

void ForwardAccumulator::Watch(const Sources& primals, const std::vector<Tensor>& tangents,
                               std::source_location location) {
  const internal::LocationScope scope(location);
  const std::vector<Source>& list = primals.list();
  if (list.size() != tangents.size()) {
    internal::ThrowInvalid(
        StrCat("forward accumulator: ", tangents.size(), " tangents for ", list.size(), " primals; give one for each"));
  }
  for (size_t i = 0; i < list.size(); ++i) {
    if (!list[i].is_variable() && !list[i].tensor().defined()) {
      internal::ThrowInvalid(StrCat("forward accumulator: primal ", i, " is a null tensor"));
    }
    for (size_t k = 0; k < i; ++k) {
      if (list[k].id() != list[i].id()) continue;
      internal::ThrowInvalid(StrCat("forward accumulator: primal ", i, ", ", list[i].type().ToString(),
                                    ", was specified multiple times; pass it once, with the sum of its tangents"));
    }
    const Tensor tangent = TangentFor(list[i], tangents[i], i);
    if (tangent.defined()) core_->Watch(list[i], tangent);
  }
}

ForwardAccumulator::~ForwardAccumulator() {
  if (!core_->listening()) return;
  core_->SetRecording(false);
  if (internal::PopSink(core_.get())) return;
  std::fputs(
      "reel: a ForwardAccumulator was not destroyed in reverse order of construction on its thread; it is detached\n",
      stderr);
}

std::optional<Tensor> ForwardAccumulator::Jvp(const Source& target, UnconnectedGradients unconnected) const {
  const Tensor tangent = core_->Find(target.id());
  if (tangent.defined()) return tangent;
  if (unconnected == UnconnectedGradients::kNone) return std::nullopt;
  return Zeros(target.type().shape, target.type().dtype);
}

std::vector<std::optional<Tensor>> ForwardAccumulator::Jvp(const std::vector<Tensor>& targets,
                                                           UnconnectedGradients unconnected) const {
  std::vector<std::optional<Tensor>> out;
  for (const Tensor& target : targets) out.push_back(Jvp(Source(target), unconnected));
  return out;
}

void ForwardAccumulator::Stop() {
  if (!core_->listening()) return;
  core_->SetRecording(false);
  internal::PopSink(core_.get());
}

void ForwardAccumulator::Start() {
  if (core_->listening()) {
    internal::ThrowError(ErrorCode::kFailedPrecondition,
                         "forward accumulator: it is already recording; Stop() it before it starts again");
  }
  core_->SetRecording(true);
  internal::PushSink(core_);
}

bool ForwardAccumulator::recording() const { return core_->listening(); }

}  // namespace reel
