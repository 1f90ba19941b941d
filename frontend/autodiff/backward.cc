#include "frontend/autodiff/backward.h"

#include <algorithm>
#include <map>

#include "frontend/autodiff/check_numerics.h"
#include "frontend/autodiff/custom_gradient.h"
#include "frontend/autodiff/tape_cache.h"
#include "frontend/eager/dispatch.h"
#include "frontend/record/event_log.h"
#include "frontend/values/status.h"
#include "ir/builder.h"
#include "ir/hash_map.h"
#include "ir/strings.h"
#include "passes/gradient/gradient.h"
#include "passes/splat.h"
#include "reel/ops.h"

namespace reel::internal {
namespace {

using ir::Value;

// The recorded ops on which a target depends, as a function: its parameters are the values that no
// op produces.
class Graph {
 public:
  Graph(absl::Span<const TapeEntry> entries, const GradientRequest& request, ir::Module* module)
      : f_("gradient"), module_(module), entries_(entries) {
    MarkNeeded(entries, request);
    FindCounts();
    for (const auto* ends : {&request.targets, &request.sources, &request.stops}) {
      for (const GradientEnd& end : *ends) {
        if (!produced_.contains(end.id)) AddParameter(end.id, end.type);
      }
    }
    for (size_t e = 0; e < entries.size(); ++e) {
      if (!needed_[e]) continue;
      for (size_t i = 0; i < entries[e].operands.size(); ++i) {
        const uint64_t id = entries[e].operands[i];
        if (!produced_.contains(id) && !counts_.contains(id)) AddParameter(id, *entries[e].operand_types[i]);
      }
    }
    for (const auto& seed : request.seeds) {
      if (seed) AddParameter(seed->id(), seed->type(), *seed);
    }
    for (const auto& [id, attributes] : counts_) {
      if (values_.contains(id)) continue;
      values_[id] =
          f_.AddNode(ir::Op::kConstant, {}, attributes, {attributes->Get<ir::Literal>("value").type()}).result();
      ids_.push_back(id);
    }
    for (size_t e = 0; e < entries.size(); ++e) {
      if (needed_[e]) AddNode(entries[e], static_cast<int32_t>(e));
    }
  }

  /// Once the nodes have run nothing names them.
  void RemoveStandIns() {
    for (size_t i = stand_ins_.size(); i-- > 0;) module_->RemoveFunction(stand_ins_[i]);
  }
  ir::Function* function() { return &f_; }
  /// Where the entries and seeds have the forward values.
  std::vector<KeptAt> Places(absl::Span<const TapeEntry> entries, const GradientRequest& request) const {
    HashMap<uint64_t, KeptAt> places;
    for (size_t i = 0; i < request.seeds.size(); ++i) {
      const auto& seed = request.seeds[i];
      if (seed) places.emplace(seed->id(), KeptAt{-1, static_cast<int32_t>(i), IsNumber(*seed)});
    }
    for (size_t e = 0; e < entries.size(); ++e) {
      for (size_t i = 0; i < entries[e].kept.size(); ++i)
        places.emplace(entries[e].kept[i].id(),
                       KeptAt{static_cast<int32_t>(e), static_cast<int32_t>(i), IsNumber(entries[e].kept[i])});
    }
    std::vector<KeptAt> out;
    for (uint64_t id : ids_) {
      const auto it = places.find(id & ~kDetached);
      out.push_back(it == places.end() ? KeptAt{} : it->second);
    }
    return out;
  }
  ir::Module* module() { return module_; }
  /// The user's gradient that a call node stands for, or null.
  CustomCall* Custom(const ir::Node& node) const {
    if (customs_.empty() || node.op != ir::Op::kCall) return nullptr;
    const auto it = customs_.find(node.attr<std::string>("callee"));
    return it == customs_.end() ? nullptr : it->second.get();
  }
  /// The recorded op whose gradient a backward node is part of, or null.
  const TapeEntry* Origin(const ir::Node& node) const {
    return node.location < 0 ? nullptr : &entries_[static_cast<size_t>(node.location)];
  }
  Value Find(uint64_t id) const { return values_.at(id); }
  /// Id of a forward value.
  uint64_t id(Value v) const { return ids_[static_cast<size_t>(v.id)]; }
  /// The tensor kept for a forward value, or null.
  const Tensor* Kept(Value v) const {
    const auto it = kept_.find(id(v) & ~kDetached);
    return it == kept_.end() ? nullptr : &it->second;
  }

 private:
  void MarkNeeded(absl::Span<const TapeEntry> entries, const GradientRequest& request) {
    HashSet<uint64_t> wanted;
    for (const GradientEnd& end : request.targets) wanted.insert(end.id);
    needed_.assign(entries.size(), false);
    for (size_t e = entries.size(); e-- > 0;) {
      const TapeEntry& entry = entries[e];
      if (std::none_of(entry.results.begin(), entry.results.end(), [&](uint64_t id) { return wanted.contains(id); })) {
        continue;
      }
      needed_[e] = true;
      wanted.insert(entry.operands.begin(), entry.operands.end());
      produced_.insert(entry.results.begin(), entry.results.end());
    }
  }

  // Numbers from which loops count: so the pass sees whether one runs at all.
  void FindCounts() {
    std::map<uint64_t, AttributesPtr> constants;  // of the trace
    for (size_t e = 0; e < entries_.size(); ++e) {
      if (!needed_[e] || entries_[e].op != ir::Op::kWhile) continue;
      if (constants.empty()) constants = TracedIntegers();
      for (const uint64_t id : entries_[e].operands) {
        const auto found = constants.find(id & ~kDetached);
        if (found != constants.end()) counts_.emplace(id, found->second);
      }
      for (const Tensor& t : entries_[e].kept) {
        if (t.symbolic() || !IsInteger(t.dtype()) || t.rank() != 0) continue;
        counts_.emplace(t.id() | kDetached,
                        std::make_shared<const ir::Attributes>(ir::Attributes{{"value", ToLiteral(t)}}));
      }
    }
  }

  static std::map<uint64_t, AttributesPtr> TracedIntegers() {
    std::map<uint64_t, AttributesPtr> out;
    const auto* log = State().sinks.empty() ? nullptr : dynamic_cast<const EventLog*>(State().sinks.front().get());
    if (!log || !State().trace) return out;
    for (const LogEvent& event : log->events()) {
      if (event.kind != LogEvent::Kind::kOp || event.op != ir::Op::kConstant) continue;
      const Type& type = event.result_types[0];
      if (IsInteger(type.dtype) && type.shape.rank() == 0) out.emplace(event.results[0], event.attributes);
    }
    return out;
  }

  void AddParameter(uint64_t id, const Type& type) {
    if (values_.contains(id)) return;
    values_[id] = f_.AddParameter(StrCat("p", f_.num_parameters()), type);
    ids_.push_back(id);
  }
  void AddParameter(uint64_t id, const Type& type, const Tensor& value) {
    AddParameter(id, type);
    kept_.emplace(id, value);
  }

  // Locations are positions in the entries: the pass gives backward nodes those of their forward nodes.
  void AddNode(const TapeEntry& entry, int32_t location) {
    ir::ValueList operands;
    for (uint64_t id : entry.operands) operands.push_back(values_.at(id));
    const AttributesPtr attributes = entry.custom ? StandIn(entry) : entry.attributes;
    ir::TypeList types;
    for (const Type* type : entry.result_types) types.push_back(*type);
    const ir::Node& node = f_.AddNode(entry.op, operands, attributes, types, location);
    for (size_t i = 0; i < entry.results.size(); ++i) {
      values_[entry.results[i]] = node.result(static_cast<int>(i));
      ids_.push_back(entry.results[i]);
    }
    for (const Tensor& t : entry.kept) kept_.emplace(t.id(), t);
  }

  // A call of an empty function, whose vjp is another one of the right type: the pass only names it.
  AttributesPtr StandIn(const TapeEntry& entry) {
    if (!module_) module_ = &own_module_;
    ir::Function forward(module_->UniqueFunctionName("custom")), backward("");
    ir::Builder a(&forward, module_), b(&backward, module_);
    std::vector<Value> results, gradients;
    for (size_t i = 0; i < entry.operand_types.size(); ++i) {
      const Type& type = *entry.operand_types[i];
      forward.AddParameter(StrCat("x", i), type);
      backward.AddParameter(StrCat("x", i), type);
    }
    for (size_t i = 0; i < entry.result_types.size(); ++i) {
      const Type& type = *entry.result_types[i];
      if (IsDifferentiable(type.dtype)) backward.AddParameter(StrCat("dy", i), type);
      results.push_back(a.Zeros(type));
    }
    for (const Type* type : entry.operand_types) {
      if (IsDifferentiable(type->dtype)) gradients.push_back(b.Zeros(*type));
    }
    forward.SetResults(std::move(results));
    backward.SetResults(std::move(gradients));
    const std::string callee = forward.name(), vjp = StrCat(callee, ".vjp");
    backward.set_name(vjp);
    module_->AddFunction(std::move(forward));
    module_->AddFunction(std::move(backward));
    customs_[vjp] = entry.custom;
    stand_ins_.insert(stand_ins_.end(), {callee, vjp});
    return std::make_shared<const ir::Attributes>(ir::Attributes{{"callee", callee}, {"vjp", vjp}});
  }

  ir::Function f_;
  ir::Module* module_;      // of the functions that nodes call; null if there are none
  ir::Module own_module_{"gradient"};
  absl::Span<const TapeEntry> entries_;
  HashMap<std::string, std::shared_ptr<CustomCall>> customs_;  // by name of the vjp
  std::vector<std::string> stand_ins_;
  std::vector<bool> needed_;
  HashSet<uint64_t> produced_;
  HashMap<uint64_t, Value> values_;
  std::map<uint64_t, AttributesPtr> counts_;  // constants by id
  std::vector<uint64_t> ids_;  // by forward value
  HashMap<uint64_t, Tensor> kept_;
};

// Ops inside are part of the gradient of a recorded op, and carry its line.
class OriginScope {
 public:
  explicit OriginScope(const TapeEntry* origin) : location_(State().location), gradient_of_(GradientOf()) {
    if (!origin) return;
    if (origin->line.file) State().location = {origin->line.file, origin->line.line, location_.function};
    GradientOf() = origin->op;
  }
  ~OriginScope() {
    State().location = location_;
    GradientOf() = gradient_of_;
  }
  OriginScope(const OriginScope&) = delete;
  OriginScope& operator=(const OriginScope&) = delete;

 private:
  const SourceLine location_;
  const std::optional<ir::Op> gradient_of_;
};

// Sends the nodes that the pass appended through Dispatch, each value living until its last use.
class BackwardRun {
 public:
  BackwardRun(const Graph& graph, const ir::Function& f, size_t first_node, uint64_t trace)
      : graph_(graph),
        f_(f),
        first_node_(first_node),
        trace_(trace),
        first_value_(first_node < f.nodes().size() ? f.nodes()[first_node].first_result : f.num_values()),
        uses_(static_cast<size_t>(f.num_values())),
        values_(static_cast<size_t>(f.num_values())) {}

  /// What the gradients are made of.
  GradientRoots Roots(absl::Span<const Value> gradients, bool sparse) const {
    GradientRoots roots;
    const auto add = [&](Value v) {
      roots.values.push_back(v);
      return static_cast<int>(roots.values.size()) - 1;
    };
    for (Value gradient : gradients) {
      GradientRoots::Of& of = roots.sources.emplace_back();
      if (!gradient.valid()) continue;
      if (sparse) {
        for (const auto& [indices, rows] : PartsOf(gradient)) {
          const int at = add(indices);
          of.rows.emplace_back(at, add(rows));
        }
      }
      if (of.rows.empty()) of.root = add(gradient);
    }
    return roots;
  }

  /// The roots; nothing for what a user's gradient did not give, and for gradients that Rows has.
  std::vector<std::optional<Tensor>> Run(const GradientRoots& roots, bool sparse) {
    CountUses(roots.values);
    for (size_t n = first_node_; n < f_.nodes().size(); ++n) {
      if (live_[n - first_node_]) RunNode(f_.nodes()[n]);
    }
    std::vector<std::optional<Tensor>> out(roots.values.size());
    for (size_t i = 0; i < out.size(); ++i) {
      if (none_.contains(roots.values[i].id) || (sparse && Rows(roots.values[i]))) continue;
      out[i] = Get(roots.values[i]);
    }
    return out;
  }

  /// A gradient that a compiled function gave as rows, or null.
  const GradientValue* Rows(Value v) const {
    const auto rows = rows_.find(v.id);
    return rows == rows_.end() ? nullptr : &rows->second;
  }

 private:
  using Parts = std::vector<std::pair<Value, Value>>;  // indices and the rows added there

  // A sum of rows scattered into zeros, in the order of the additions; empty if it is anything else, or of a symbolic
  // number of rows.
  Parts PartsOf(Value gradient) const {
    Parts parts;
    std::vector<Value> work = {gradient};
    while (!work.empty()) {
      const Value v = work.back();
      work.pop_back();
      const ir::Node* node = f_.producer_index(v) < static_cast<int32_t>(first_node_) ? nullptr : f_.producer(v);
      if (!node || parts.size() > f_.nodes().size()) return {};
      if (node->op == ir::Op::kScatterAdd && node->attr<int64_t>("axis") == 0) {
        // Rows of several lookups are counted to be joined.
        if (!f_.type(node->operands[1]).shape.is_constant()) return {};
        parts.emplace_back(node->operands[1], node->operands[2]);
        work.push_back(node->operands[0]);
      } else if (node->op == ir::Op::kAdd) {
        work.insert(work.end(), {node->operands[0], node->operands[1]});
      } else if (!IsZero(v)) {
        return {};
      }
    }
    std::reverse(parts.begin(), parts.end());
    return parts;
  }

  bool IsZero(Value v) const {
    const auto splat = passes::SplatOf(f_, v);
    return splat && *splat == ir::Literal::Scalar(splat->dtype(), 0);
  }

  void CountUses(absl::Span<const Value> gradients) {
    for (Value v : gradients) {
      if (v.valid()) ++uses_[static_cast<size_t>(v.id)];
    }
    live_.assign(f_.nodes().size() - first_node_, false);
    for (size_t n = f_.nodes().size(); n-- > first_node_;) {
      const ir::Node& node = f_.nodes()[n];
      for (int i = 0; i < node.num_results; ++i) {
        if (uses_[static_cast<size_t>(node.result(i).id)] > 0) live_[n - first_node_] = true;
      }
      if (!live_[n - first_node_]) continue;
      for (Value v : node.operands) ++uses_[static_cast<size_t>(v.id)];
    }
  }

  void RunNode(const ir::Node& node) {
    TensorList results;
    if (CustomCall* custom = graph_.Custom(node)) return RunCustom(node, custom);
    const OriginScope scope(graph_.Origin(node));
    if (!none_.empty() && RunWithNone(node)) return;
    if (node.op == ir::Op::kConstant) {
      results = {FromLiteral(node.attr<ir::Literal>("value"))};
    } else {
      TensorList operands;
      for (Value v : node.operands) operands.push_back(Get(v));
      for (Value v : node.operands) Release(v);
      results = DispatchAll(node.op, node.attributes, operands);
    }
    for (int i = 0; i < node.num_results; ++i) {
      const auto at = static_cast<size_t>(node.result(i).id);
      if (uses_[at] > 0) values_[at] = std::move(results[static_cast<size_t>(i)]);
    }
  }

  // The user's gradient: it is given the cotangents and has kept what else it needs.
  void RunCustom(const ir::Node& node, CustomCall* custom) {
    OptionalTensors dys;
    size_t next = custom->input_types.size() + custom->variables.size();
    for (const Type& type : custom->result_types) {
      dys.emplace_back();
      if (!IsDifferentiable(type.dtype)) continue;
      const Value dy = node.operands[next++];
      if (!none_.contains(dy.id) && !IsZero(dy)) dys.back() = Get(dy);
    }
    for (Value v : node.operands) Release(v);
    const auto gradients = Gradients(custom, dys);
    int i = 0;
    for (size_t k = 0; k < gradients.size(); ++k) {
      const Type& type = k < custom->input_types.size() ? custom->input_types[k]
                                                        : custom->variables[k - custom->input_types.size()]->type;
      if (!IsDifferentiable(type.dtype)) continue;
      const Value result = node.result(i++);
      if (!gradients[k])
        none_.insert(result.id);
      else if (gradients[k]->sparse())
        rows_.emplace(result.id, *gradients[k]);
      else if (uses_[static_cast<size_t>(result.id)] > 0)
        values_[static_cast<size_t>(result.id)] = *gradients[k];
    }
  }

  static std::vector<std::optional<GradientValue>> Gradients(CustomCall* custom, const OptionalTensors& dys) {
    std::vector<std::optional<GradientValue>> out;
    if (!custom->compiled) {
      for (auto& d : custom->Run(dys)) {
        out.emplace_back();
        if (d) out.back().emplace(std::move(*d));
      }
      return out;
    }
    out = custom->compiled(dys);
    custom->none.clear();
    for (const auto& d : out) custom->none.push_back(!d.has_value());
    return out;
  }

  // What a user's gradient did not give stays None through what is linear in it, adds nothing to a
  // sum, and is zeros to other ops. False: the node has to run.
  bool RunWithNone(const ir::Node& node) {
    const auto none = [&](Value v) { return none_.contains(v.id); };
    if (std::none_of(node.operands.begin(), node.operands.end(), none)) return false;
    const auto nothing = [&](Value v) {  // None, a constant 0, an index
      return none(v) || !IsDifferentiable(f_.type(v).dtype) || IsZero(v);
    };
    const bool product =
        node.op == ir::Op::kMul || node.op == ir::Op::kDiv || node.op == ir::Op::kContract || node.op == ir::Op::kConv;
    if (!ir::Info(node.op).Has(ir::kControl) &&
        (product || std::all_of(node.operands.begin(), node.operands.end(), nothing))) {
      for (int i = 0; i < node.num_results; ++i) none_.insert(node.result(i).id);
    } else if (node.op == ir::Op::kAdd) {
      values_[static_cast<size_t>(node.result().id)] = Get(node.operands[none(node.operands[0])]);
    } else {
      for (Value v : node.operands) {
        if (none(v)) values_[static_cast<size_t>(v.id)] = GetOrZeros(v);
      }
      return false;
    }
    for (Value v : node.operands) Release(v);
    return true;
  }

  Tensor GetOrZeros(Value v) {
    if (!none_.contains(v.id)) return Get(v);
    return Zeros(f_.type(v).shape, f_.type(v).dtype);
  }

  Tensor Get(Value v) {
    Tensor& slot = values_[static_cast<size_t>(v.id)];
    if (slot.defined()) return slot;
    if (const GradientValue* rows = Rows(v)) return slot = rows->Dense({});
    if (v.id >= first_value_) return slot;
    if (const Tensor* kept = graph_.Kept(v)) {
      slot = *kept;
    } else if (trace_ != 0) {
      slot = MakeSymbolic(f_.type(v), trace_);
      slot.internal_data()->id = graph_.id(v);
    } else {
      ThrowError(ErrorCode::kInternal, StrCat("gradient: the tape did not keep a value of type ", f_.type(v).ToString(),
                                              " that the backward needs"));
    }
    return slot;
  }

  void Release(Value v) {
    if (--uses_[static_cast<size_t>(v.id)] == 0) values_[static_cast<size_t>(v.id)] = Tensor();
  }

  const Graph& graph_;
  const ir::Function& f_;
  size_t first_node_;
  uint64_t trace_;
  int32_t first_value_;  // of the backward
  std::vector<int32_t> uses_;
  std::vector<bool> live_;
  std::vector<Tensor> values_;
  HashSet<int32_t> none_;  // values that a user's gradient did not give
  HashMap<int32_t, GradientValue> rows_;  // those that a compiled one gave as rows
};

// The rows of several lookups as one sparse gradient.
std::optional<GradientValue> Slices(const std::vector<std::pair<int, int>>& parts,
                                    absl::Span<const std::optional<Tensor>> roots, const Type& type) {
  std::vector<std::pair<Tensor, Tensor>> rows;
  for (const auto& [at, value] : parts) {
    if (roots[static_cast<size_t>(value)])
      rows.emplace_back(*roots[static_cast<size_t>(at)], *roots[static_cast<size_t>(value)]);
  }
  if (rows.empty()) return std::nullopt;
  return JoinRows(rows, type);
}

// The gradients that the computed roots are, or make.
std::vector<std::optional<GradientValue>> Assemble(const GradientRoots& plan,
                                                   absl::Span<const std::optional<Tensor>> roots,
                                                   const GradientRequest& request) {
  std::vector<std::optional<GradientValue>> out(plan.sources.size());
  for (size_t i = 0; i < out.size(); ++i) {
    const GradientRoots::Of& of = plan.sources[i];
    const Type& type = request.sources[i].type;
    if (!of.rows.empty())
      out[i] = Slices(of.rows, roots, type);
    else if (of.root >= 0 && roots[static_cast<size_t>(of.root)])
      out[i].emplace(*roots[static_cast<size_t>(of.root)]);
    if (!out[i] && request.zero_unconnected) out[i].emplace(Zeros(type.shape, type.dtype));
  }
  return out;
}

}  // namespace

std::optional<ir::Op>& GradientOf() {
  thread_local std::optional<ir::Op> op;
  return op;
}

std::vector<std::optional<GradientValue>> RunGradient(absl::Span<const TapeEntry> entries,
                                                      const GradientRequest& request, uint64_t trace) {
  ProgramCache::Found found;
  if (MayRunPrograms()) found = FindGradient(entries, request);
  if (found.program) {
    const auto& program = static_cast<const GradientProgram&>(*found.program);
    if (const auto roots = program.RunOn(entries, request)) {
      ProgramCache::Get().CountHit();
      return Assemble(program.roots(), *roots, request);
    }
  }
  TraceState* state = State().trace;
  Graph graph(entries, request, state ? state->module.get() : nullptr);
  ir::Function* f = graph.function();
  passes::GradientOptions options;
  options.zero_unconnected = request.zero_unconnected;
  options.name_nodes = false;
  for (const GradientEnd& stop : request.stops) options.stop_gradients.push_back(graph.Find(stop.id));
  for (const auto& seed : request.seeds) {
    options.grad_ys.push_back(seed ? graph.Find(seed->id()) : Value());
  }
  std::vector<Value> ys, xs;
  for (const GradientEnd& y : request.targets) ys.push_back(graph.Find(y.id));
  for (const GradientEnd& x : request.sources) xs.push_back(graph.Find(x.id));
  const size_t forward_nodes = f->nodes().size();
  const std::vector<Value> gradients = Take(passes::Gradients(f, graph.module(), ys, xs, options));
  BackwardRun backward(graph, *f, forward_nodes, trace);
  GradientRoots roots = backward.Roots(gradients, request.sparse);
  const auto values = backward.Run(roots, request.sparse);
  if (state) graph.RemoveStandIns();
  auto out = Assemble(roots, values, request);
  for (size_t i = 0; i < out.size() && request.sparse; ++i) {
    const int root = roots.sources[i].root;
    const GradientValue* const rows = root < 0 ? nullptr : backward.Rows(roots.values[static_cast<size_t>(root)]);
    if (rows) out[i] = *rows;
  }
  if (found.wanted) {
    std::vector<KeptAt> places = graph.Places(entries, request);
    AddGradient(std::move(found), {std::move(*f), forward_nodes, std::move(roots), std::move(places)});
  }
  return out;
}

namespace {

void AddEnds(const char* what, const std::vector<Source>& list, std::vector<GradientEnd>* ends) {
  for (const Source& end : list) {
    if (!end.is_variable() && !end.tensor().defined()) {
      ThrowInvalid(StrCat("gradient: ", what, " ", ends->size(), " is a null tensor; pass one that was computed"));
    }
    ends->push_back({end.id(), end.type()});
  }
}

}  // namespace

GradientRequest MakeRequest(const Targets& targets, const Sources& sources, const GradientOptions& options) {
  GradientRequest request;
  AddEnds("target", targets.list(), &request.targets);
  AddEnds("source", sources.list(), &request.sources);
  if (options.unconnected_gradients != UnconnectedGradients::kNone &&
      options.unconnected_gradients != UnconnectedGradients::kZero) {
    ThrowInvalid(StrCat("Unknown value for unconnected_gradients: ", static_cast<int>(options.unconnected_gradients),
                        "; it must be kNone or kZero"));
  }
  const auto& seeds = options.output_gradients;
  if (!seeds.empty() && seeds.size() != targets.list().size()) {
    ThrowInvalid(StrCat("gradient: ", seeds.size(), " output_gradients for ", targets.list().size(),
                        " targets; pass one per target, std::nullopt for ones"));
  }
  for (size_t i = 0; i < seeds.size(); ++i) {
    const Type& type = targets.list()[i].type();
    if (seeds[i] && !seeds[i]->defined()) {
      ThrowInvalid(StrCat("gradient: output gradient ", i, " is a null tensor; pass std::nullopt for ones"));
    }
    if (seeds[i] && seeds[i]->type() != type) {
      ThrowInvalid(StrCat("gradient: output gradient ", i, " is ", seeds[i]->type().ToString(), ", its target is ",
                          type.ToString(), "; they must have the same type"));
    }
  }
  request.seeds = seeds;
  request.zero_unconnected = options.unconnected_gradients == UnconnectedGradients::kZero;
  return request;
}

}  // namespace reel::internal
