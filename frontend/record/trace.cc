#include "frontend/record/trace.h"

#include <algorithm>

#include "frontend/record/observed.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/hash_map.h"
#include "ir/strings.h"
#include "passes/gradient/gradient.h"
#include "reel/module.h"

namespace reel {
namespace internal {

TraceScope::TraceScope(TraceState* trace, std::shared_ptr<EventLog> log)
    : static_values_(log.get()),
      sinks_({std::move(log)}),  // all that may throw comes first
      outer_(std::exchange(State().trace, trace)),
      location_(std::exchange(State().location, {})) {
  sinks_.swap(State().sinks);
}

TraceScope::~TraceScope() {
  State().sinks = std::move(sinks_);
  State().trace = outer_;
  State().location = location_;
}

namespace {

// Whether the gradient of a recorded op multiplies by values of the function, numbers included.
bool Multiplies(const LogEvent& e) {
  using Op = ir::Op;
  constexpr Op kOthers[] = {Op::kMax,        Op::kMin,        Op::kReduceMax,  Op::kReduceMin,    Op::kSelect,
                            Op::kGather,     Op::kScatterAdd, Op::kScatterSet, Op::kScatterMax,   Op::kScatterMin,
                            Op::kScatterMul, Op::kIf,         Op::kRecurrence, Op::kDynamicSlice, Op::kDynamicUpdate};
  if (e.op == Op::kWhile) return true;
  if (IsComplex(e.result_types[0].dtype)) return false;  // TensorFlow's conjugates of what it has multiplied by
  if (e.op == Op::kIdentity) return e.attributes && e.attributes->Find("connected");
  const passes::Needs needs = passes::NeededByGradient(e.op);
  return (needs.operands | needs.results) != 0 &&
         std::find(std::begin(kOthers), std::end(kOthers), e.op) == std::end(kOthers);
}

// Whether event n is the quotient of a mean: of the sum right before it.
bool IsOfMean(const std::vector<LogEvent>& events, size_t n) {
  uint64_t sum = events[n].operands[0];
  for (size_t k = n; events[n].op == ir::Op::kDiv && k > 0 && n - k < 4; --k) {
    const LogEvent& before = events[k - 1];
    if (before.results.empty() || before.results[0] != sum) continue;
    if (before.op == ir::Op::kReduceSum) return true;
    if (before.op == ir::Op::kReshape) sum = before.operands[0];
  }
  return false;
}

}  // namespace

bool GradientsReadTrace(absl::Span<const Tensor> results) {
  for (const auto& sink : State().sinks) {
    const auto* const log = dynamic_cast<const EventLog*>(sink.get());
    if (!log) continue;
    HashSet<uint64_t> wanted;
    for (const Tensor& y : results) wanted.insert(y.id());
    const std::vector<LogEvent>& events = log->events();
    for (size_t n = events.size(); n-- > 0;) {
      const LogEvent& e = events[n];
      const auto moves = [&](size_t i) {
        return wanted.contains(e.results[i]) && IsDifferentiable(e.result_types[i].dtype);
      };
      bool on_path = false;
      for (size_t i = 0; i < e.results.size(); ++i) on_path = on_path || moves(i);
      if (!on_path || e.kind != LogEvent::Kind::kOp || !passes::HasGradient(e.op)) continue;
      if (Multiplies(e) && !IsOfMean(events, n)) return true;
      wanted.insert(e.operands.begin(), e.operands.end());
    }
  }
  return false;
}

Type AddSymbols(const Spec& spec, ir::Module* module) {
  Type type = spec.type;
  for (int i = 0; i < type.shape.rank(); ++i) {
    if (type.shape[i].is_constant()) continue;
    const auto local = static_cast<size_t>(type.shape[i].symbol());
    if (local >= spec.symbols.size())
      ThrowInvalid(StrCat("Spec: axis ", i, " of ", type.ToString(), " is negative, or a symbol without a Dim"));
    const Dim& dim = spec.symbols[local];
    type.shape.set(i, AddSymbol({dim.name, dim.min, dim.max}, module));
  }
  return type;
}

Extent AddSymbol(const ir::Symbol& symbol, ir::Module* module) {
  auto& symbols = module->symbols();
  for (size_t i = 0; i < symbols.size(); ++i) {
    if (symbols[i].name != symbol.name) continue;
    if (!(symbols[i] == symbol)) {
      ThrowInvalid(StrCat("dimension '", symbol.name, "' ranges from ", symbols[i].min, " to ", symbols[i].max,
                          " in one place and from ", symbol.min, " to ", symbol.max,
                          " in another; give one range, or two names"));
    }
    return Extent::Symbol(static_cast<int32_t>(i));
  }
  symbols.push_back(symbol);
  return Extent::Symbol(static_cast<int32_t>(symbols.size() - 1));
}

Function TraceFunction(std::string name, const TracedFunction& function, const std::vector<Spec>& specs) {
  if (State().trace) {
    ThrowError(ErrorCode::kFailedPrecondition,
               StrCat("trace @", name, ": a trace is in progress; call the function itself instead"));
  }
  TraceState trace(nullptr);
  const auto log = std::make_shared<EventLog>();
  BuildRequest request;
  request.name = std::move(name);
  {
    const TraceScope scope(&trace, log);
    std::vector<Tensor> arguments;
    for (const Spec& spec : specs) {
      arguments.push_back(MakeSymbolic(AddSymbols(spec, trace.module.get()), trace.id));
      request.arguments.push_back({spec.name, arguments.back()});
    }
    request.results = function(arguments);
    for (const NamedTensor& y : request.results) {
      if (!y.tensor.defined()) ThrowInvalid(StrCat("trace @", request.name, ": a result is a null tensor"));
    }
  }
  LogBuilder builder(*log, request);
  return MakeFunction(builder.Build(StateNames(builder.variables(), {})), trace.module.get());
}

}  // namespace internal

namespace internal {

void AppendEntry(const LogEvent& e, const EventLog& log, TypeTable* types, std::vector<TapeEntry>* entries) {
  if (e.kind == LogEvent::Kind::kAssign) return;
  TapeEntry entry{e.op, e.attributes, {}, {}, {}, {}, {}, e.line};
  if (e.kind == LogEvent::Kind::kRead) {
    entry.operands.push_back(e.variable->id);
    entry.operand_types.push_back((*types)(e.variable->type));
  }
  for (uint64_t id : e.operands) {
    const Tensor* captured = log.Captured(id);
    entry.operands.push_back(id);
    entry.operand_types.push_back((*types)(captured ? captured->type() : Type()));  // used for captured ones alone
    if (captured) entry.kept.push_back(*captured);
  }
  entry.results.assign(e.results.begin(), e.results.end());
  for (const Type& type : e.result_types) entry.result_types.push_back((*types)(type));
  entries->push_back(std::move(entry));
}

}  // namespace internal

GradientList Gradients(const Targets& ys, const Sources& xs, const SymbolicGradientOptions& options,
                       std::source_location location) {
  const internal::LocationScope scope(location);
  internal::ThreadState& state = internal::State();
  if (!state.trace) {
    internal::ThrowError(ErrorCode::kFailedPrecondition,
                         "gradients: nothing is being traced; call Gradients inside a traced function, or use a "
                         "GradientTape around eager code");
  }
  internal::GradientRequest request = internal::MakeRequest(ys, xs, {options.grad_ys, options.unconnected_gradients});
  request.sparse = true;
  for (size_t i = 0; i < request.targets.size(); ++i) {
    const DType dtype = request.targets[i].type.dtype;
    if (!IsComplex(dtype) || (i < request.seeds.size() && request.seeds[i])) continue;
    internal::ThrowInvalid(StrCat("Gradients of complex tensors must set grad_ys (y.dtype = ", NumPyName(dtype), ")"));
  }
  for (const Tensor& stop : options.stop_gradients) request.stops.push_back({stop.id(), stop.type()});
  // The log of this trace is its first sink.
  const auto& log = static_cast<const internal::EventLog&>(*state.sinks.front());
  internal::TypeTable types;
  std::vector<internal::TapeEntry> entries;
  for (const internal::LogEvent& e : log.events()) internal::AppendEntry(e, log, &types, &entries);
  return internal::MakeGradientList(xs, internal::RunGradient(entries, request, state.trace->id));
}

}  // namespace reel
