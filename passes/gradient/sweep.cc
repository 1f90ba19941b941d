#include "passes/gradient/sweep.h"

#include <algorithm>
#include <memory>

#include "ir/budget_scope.h"
#include "ir/hash_map.h"
#include "ir/names.h"
#include "ir/strings.h"
#include "passes/gradient/rule.h"
#include "passes/rewrite.h"
#include "passes/splat.h"

namespace reel::passes {
namespace {

constexpr std::string_view kSuffix = ".grad";

bool IsControl(const ir::Node& node) { return ir::Info(node.op).Has(ir::kControl); }

// Whether its rule knows of cotangents that may be missing.
bool TakesMaybe(const ir::Node& node) { return IsControl(node) && !node.attrs().Find("vjp"); }

// Whether its rule adds to what its operands have so far, part by part. A call is one op: its own parts of a cotangent
// are added up first, as where it runs compiled beside a tape.
bool AddsToSums(const ir::Node& node) { return IsControl(node) && node.op != ir::Op::kCall; }

// Whether the op's rule computes with extents of all axes, which must be constants then.
bool UsesExtents(const ir::Node& node) {
  using ir::Op;
  switch (node.op) {
    case Op::kScatterSet:
    case Op::kScatterMul:
    case Op::kCholesky:
    case Op::kTriangularSolve:
    case Op::kLu:
    case Op::kQr:
    case Op::kEigh:
    case Op::kSvd: return true;
    default: return false;
  }
}

// Whether it computes with those of the axes that are reduced, and one is symbolic: for products, and where the
// cotangent goes to the first of the elements that have the extremum.
bool CountsReduced(const ir::Function& f, const ir::Node& node) {
  if (node.op == ir::Op::kReduceMax || node.op == ir::Op::kReduceMin) {
    const auto* first = node.attrs().Find("first");
    if (!first || !std::get<bool>(*first)) return false;
  } else if (node.op != ir::Op::kReduceProd) {
    return false;
  }
  const Shape& shape = f.type(node.operands[0]).shape;
  const auto& axes = node.attr<std::vector<int64_t>>("axes");
  return std::any_of(axes.begin(), axes.end(),
                     [&](int64_t axis) { return !shape[static_cast<int>(axis)].is_constant(); });
}

absl::Status CheckExtents(const ir::Function& f, const ir::Node& node) {
  if (!UsesExtents(node) && !CountsReduced(f, node)) return absl::OkStatus();
  for (ir::Value v : node.operands) {
    if (f.type(v).shape.is_constant()) continue;
    return absl::UnimplementedError(
        StrCat("gradients: ", ir::Name(node.op), " of ", f.type(v).ToString(),
               ": its derivative needs constant extents, got a symbolic one; fix the dimension"));
  }
  return absl::OkStatus();
}

// sum + part, at the cost of the part: loops that slice an invariant stay linear. A missing sum is +0, and then the
// result is the part; where the part is missing, it is the sum.
ir::Value AddPart(ir::Builder& b, const Cotangent& sum, const Cotangent& part) {
  const ir::Node node = *b.function()->producer(part.value);
  const auto axis = node.attr<int64_t>("axis");
  if (node.op == ir::Op::kScatterAdd) return b.ScatterAdd(sum.value, node.operands[1], node.operands[2], axis);
  const ir::Value g = node.operands[1], start = node.operands[2];
  const Type type = b.type(g);
  const ir::Value before = b.DynamicSlice(sum.value, start, axis, type.shape.dim(static_cast<int>(axis)));
  ir::Value rows = b.Add(before, g);
  if (sum.maybe()) rows = b.Select(b.BroadcastTo(sum.present, type.shape), rows, g);
  if (part.maybe()) rows = b.Select(b.BroadcastTo(part.present, type.shape), rows, before);
  return b.DynamicUpdate(sum.value, rows, start, axis);
}

// A part that is +0 where it is missing. Rows of -0 that are scattered change no sum.
Cotangent MaybePart(ir::Builder& b, ir::Value part, ir::Value present) {
  const ir::Node node = *b.function()->producer(part);
  const bool scatter = node.op == ir::Op::kScatterAdd;
  const ir::Value rows = node.operands[scatter ? 2 : 1];
  const Type type = b.type(rows);
  const ir::Value kept = b.Select(b.BroadcastTo(present, type.shape), rows, Missing(b, type, !scatter));
  const auto axis = node.attr<int64_t>("axis");
  return {scatter ? b.ScatterAdd(node.operands[0], node.operands[1], kept, axis)
                  : b.DynamicUpdate(node.operands[0], kept, node.operands[2], axis),
          present, true};
}

// One "present" for all results of a node whose rule does not know of it. If one is always there, the others are
// zeros where they are missing.
Cotangent Share(ir::Builder& b, absl::Span<Cotangent> dys) {
  Cotangent shared;
  bool always = false;
  for (const Cotangent& dy : dys) {
    if (!dy.valid()) continue;
    always = always || !dy.maybe();
    shared = {dy.value, shared.valid() ? EitherPresent(b, shared, dy) : dy.present, dy.zero};
  }
  if (!always) return shared;
  for (Cotangent& dy : dys) {
    if (dy.maybe()) dy = {WithMissing(b, dy, true).value};
  }
  return {};
}

// A function's gradient under construction.
class FunctionSweep {
 public:
  FunctionSweep(const GradientKey& key, FunctionGradients* functions)
      : key_(key),
        functions_(functions),
        forward_(*functions->module()->FindFunction(key.function)),
        gradient_(StrCat(forward_.name(), ".grad")) {
    Copier copier(forward_, &gradient_);
    AddParameters(&copier);
    copier.CopyNodes();
    std::vector<ir::Value> ys, xs;
    for (size_t i = 0; i < key.sums.size(); ++i) {  // first what was contributed after the node
      if (key.sums[i]) ys.push_back({static_cast<int32_t>(i)});
    }
    for (size_t i = key.results.size(); i-- > 0;) {  // as if the results were used in their order
      if (key.results[i]) ys.push_back(copier(forward_.results()[i]));
    }
    for (int i = 0; i < forward_.num_parameters(); ++i) {
      if (key.parameters[static_cast<size_t>(i)]) xs.push_back({i});
    }
    sweep_ = std::make_unique<Sweep>(&gradient_, functions);
    std::vector<Cotangent> seeds = sums_;
    seeds.insert(seeds.end(), seeds_.rbegin(), seeds_.rend());
    sweep_->Start(ys, seeds, xs, {});
  }

  absl::StatusOr<std::optional<GradientKey>> Run() { return sweep_->Run(); }

  absl::Status Finish() {
    std::vector<ir::Value> results, present;
    Mask maybe(key_.parameters.size()), wants_zeros(key_.parameters.size());
    ir::Builder& b = sweep_->builder();
    for (size_t i = 0; i < key_.parameters.size(); ++i) {
      if (!key_.parameters[i]) continue;
      const ir::Value x{static_cast<int32_t>(i)};
      const bool zero = Has(key_.zeros, i);
      Cotangent d = sweep_->Found(x);
      d = d.valid() ? WithMissing(b, d, zero)
                    : Cotangent{Missing(b, gradient_.type(x), zero), b.Scalar(kBool, 0), zero};
      maybe[i] = d.maybe();
      wants_zeros[i] = sweep_->WantsZeros(x);
      results.push_back(d.value);
      present.push_back(d.maybe() ? d.present : b.Scalar(kBool, 1));
    }
    results.insert(results.end(), present.begin(), present.end());
    gradient_.SetResults(std::move(results));
    if (!b.status().ok()) return b.status();
    functions_->Add(key_, {WithoutDeadNodes(gradient_), Used(), std::move(maybe), std::move(wants_zeros)});
    return absl::OkStatus();
  }

 private:
  // All parameters of the forward function, its state included, then "d.<result>" for each seed,
  // then "sum.<parameter>" for each sum, then "has.<...>" for those of both that may be missing.
  void AddParameters(Copier* copier) {
    HashSet<std::string> names;
    const auto unique = [&names](std::string name) {
      while (!names.insert(name).second) name += "_";
      return name;
    };
    for (int i = 0; i < forward_.num_parameters(); ++i) {
      const ir::Parameter& p = forward_.parameter(i);
      copier->Map({i}, gradient_.AddParameter(unique(p.name), p.type));
    }
    for (size_t i = 0; i < key_.results.size(); ++i) {
      if (!key_.results[i]) continue;
      const int r = static_cast<int>(i), outputs = forward_.num_outputs();
      const std::string name =
          r < outputs ? forward_.result_name(r) : forward_.state()[static_cast<size_t>(r - outputs)];
      seeds_.push_back({gradient_.AddParameter(unique(StrCat("d.", name)), forward_.type(forward_.results()[i])),
                        {},
                        Has(key_.zeros, i)});
    }
    for (size_t i = 0; i < key_.sums.size(); ++i) {
      if (!key_.sums[i]) continue;
      const ir::Parameter& p = forward_.parameter(static_cast<int>(i));
      sums_.push_back({gradient_.AddParameter(unique(StrCat("sum.", p.name)), p.type), {}, Has(key_.zeros, i)});
    }
    const auto add_present = [&](const Mask& given, const Mask& maybe, std::vector<Cotangent>* list) {
      for (size_t i = 0, next = 0; i < given.size(); ++i) {
        if (!given[i]) continue;
        Cotangent& d = (*list)[next++];
        if (Has(maybe, i)) d.present = gradient_.AddParameter(unique(StrCat("has", i)), {kBool, {}});
      }
    };
    add_present(key_.results, key_.maybe_results, &seeds_);
    add_present(key_.sums, key_.maybe_sums, &sums_);
  }

  Mask Used() const {
    const std::vector<bool> live = LiveNodes(gradient_);
    Mask used(static_cast<size_t>(forward_.num_parameters()));
    const auto use = [&](ir::Value v) {
      if (v.id < forward_.num_parameters()) used[v.index()] = true;
    };
    for (ir::Value v : gradient_.results()) use(v);
    for (size_t i = 0; i < live.size(); ++i) {
      if (!live[i]) continue;
      for (ir::Value v : gradient_.nodes()[i].operands) use(v);
    }
    return used;
  }

  const GradientKey key_;
  FunctionGradients* functions_;
  const ir::Function& forward_;
  ir::Function gradient_;
  std::vector<Cotangent> seeds_, sums_;
  std::unique_ptr<Sweep> sweep_;
};

}  // namespace

bool IsPart(const ir::Function& f, ir::Value v) {
  if (!f.Is(v, ir::Op::kDynamicUpdate) && !f.Is(v, ir::Op::kScatterAdd)) return false;
  const ir::Node& node = *f.producer(v);
  const auto splat = SplatOf(f, node.operands[0]);
  if (!splat || *splat != ir::Literal::Scalar(splat->dtype(), 0)) return false;
  if (node.op == ir::Op::kScatterAdd) return true;
  const auto axis = static_cast<int>(node.attr<int64_t>("axis"));  // the others may be symbolic
  return 2 * f.type(node.operands[1]).shape.dim(axis) <= f.type(v).shape.dim(axis);
}

Cotangent Whole(ir::Builder& b, Cotangent d) {
  if (d.valid() && IsPart(*b.function(), d.value)) d.value = b.Identity(d.value);
  return d;
}

ir::Value Missing(ir::Builder& b, const Type& type, bool zero) {
  const ir::Value zeros = b.Zeros(type);
  return zero ? zeros : b.Neg(zeros);
}

Cotangent WithMissing(ir::Builder& b, Cotangent d, bool zero) {
  if (!d.maybe() || d.zero == zero) return d;
  const Type type = b.type(d.value);
  const ir::Value missing = Missing(b, type, zero);
  return {b.Select(b.BroadcastTo(d.present, type.shape), d.value, missing), d.present, zero};
}

ir::Value EitherPresent(ir::Builder& b, const Cotangent& x, const Cotangent& y) {
  if (!x.maybe() || !y.maybe()) return {};
  return x.present == y.present ? x.present : b.Or(x.present, y.present);
}

Sweep::Sweep(ir::Function* f, FunctionGradients* functions, bool name_nodes)
    : f_(f),
      functions_(functions),
      name_nodes_(name_nodes),
      builder_(f, functions->module()),
      active_(static_cast<size_t>(f->num_values())),
      differentiate_(f->nodes().size()),
      cotangents_(static_cast<size_t>(f->num_values())),
      wants_zeros_(static_cast<size_t>(f->num_values())),
      remaining_(f->nodes().size()) {}

void Sweep::MarkActive(const ir::Node& node) {
  if (!HasGradient(node.op)) return;
  bool any = false;
  for (ir::Value v : node.operands) any = any || active_[v.index()];
  if (!any) return;
  Mask results(static_cast<size_t>(node.num_results), true);
  if (IsControl(node)) {
    Mask operands;
    for (ir::Value v : node.operands) operands.push_back(active_[v.index()]);
    results = functions_->flow().Forward(*f_, node, operands);
  }
  for (int i = 0; i < node.num_results; ++i) {
    const ir::Value v = node.result(i);
    if (!results[static_cast<size_t>(i)] || !IsDifferentiable(f_->type(v).dtype)) continue;
    active_[v.index()] = true;
    differentiate_[static_cast<size_t>(f_->producer_index(v))] = true;
  }
}

void Sweep::Start(absl::Span<const ir::Value> ys, absl::Span<const Cotangent> seeds, absl::Span<const ir::Value> xs,
                  absl::Span<const ir::Value> stops) {
  for (ir::Value x : xs) active_[x.index()] = IsDifferentiable(f_->type(x).dtype);
  std::vector<bool> stopped(remaining_);
  for (ir::Value v : stops) {
    if (const int32_t i = f_->producer_index(v); i >= 0) stopped[static_cast<size_t>(i)] = true;
  }
  ir::ChargeVisits(remaining_);
  for (size_t i = 0; i < remaining_; ++i) {
    if (!stopped[i]) MarkActive(f_->nodes()[i]);
  }
  for (size_t i = 0; i < ys.size(); ++i) Accumulate(ys[i], seeds[i]);
}

void Sweep::Accumulate(ir::Value v, Cotangent d) {
  if (!active_[v.index()] || !d.valid()) return;
  Cotangent& sum = cotangents_[v.index()];
  if (!sum.valid()) {
    sum = d;
    return;
  }
  const ir::Value present = EitherPresent(builder_, sum, d);
  const bool part = IsPart(*f_, d.value);
  if (part) {
    if (sum.maybe()) wants_zeros_[v.index()] = true;
    sum.value = AddPart(builder_, WithMissing(builder_, sum, true), d);
  } else {  // also where the sum is a part: a function that it is passed to does not know
    const ir::Value before = WithMissing(builder_, sum, false).value;
    sum.value = builder_.Add(before, WithMissing(builder_, d, false).value);
  }
  sum.present = present;
  sum.zero = part && present.valid();
}

void Sweep::TakeSums(const ir::Node& node, GradContext* g) const {
  HashSet<int32_t> taken;
  for (size_t i = node.operands.size(); i-- > 0;) {
    if (!taken.insert(node.operands[i].id).second || !g->wanted_[i]) continue;
    g->sums_[i] = cotangents_[node.operands[i].index()];
  }
}

void Sweep::HandOut(const ir::Node& node, GradContext* g, const Cotangent& shared) {
  for (size_t i = 0; i < g->gradients_.size(); ++i) {
    const ir::Value v = node.operands[i];
    if (g->wants_zeros_[i] && f_->is_parameter(cotangents_[v.index()].value)) wants_zeros_[v.index()] = true;
    if (!g->is_total_[i]) continue;
    if (g->sums_[i].valid())
      cotangents_[v.index()] = g->gradients_[i];
    else
      Accumulate(v, g->gradients_[i]);
  }
  for (size_t i = 0; i < g->gradients_.size(); ++i) {
    if (g->is_total_[i] || !g->wanted_[i]) continue;
    Cotangent d = g->gradients_[i];
    if (shared.maybe() && d.valid()) {
      d.present = shared.present;
      if (node.op == ir::Op::kIdentity) {
        d.zero = shared.zero;
      } else if (IsPart(*f_, d.value)) {
        d = MaybePart(builder_, d.value, shared.present);
      } else {
        const Type type = builder_.type(d.value);
        d.value = builder_.Select(builder_.BroadcastTo(d.present, type.shape), d.value, Missing(builder_, type, false));
      }
    }
    Accumulate(node.operands[i], d);
  }
}

absl::StatusOr<std::optional<GradientKey>> Sweep::Run() {
  for (; remaining_ > 0; --remaining_) {
    if (!differentiate_[remaining_ - 1]) continue;
    ir::ChargeVisits(1);
    auto request = Differentiate(f_->nodes()[remaining_ - 1]);
    if (!request.ok() || request->has_value()) return request;
  }
  return std::nullopt;
}

absl::StatusOr<std::optional<GradientKey>> Sweep::Differentiate(const ir::Node& node) {
  const GradRule& rule = RuleOf(node.op);
  Mask seeded(static_cast<size_t>(node.num_results));
  for (int i = 0; i < node.num_results; ++i) {
    seeded[static_cast<size_t>(i)] = cotangents_[node.result(i).index()].valid();
  }
  if (!Any(seeded)) return std::nullopt;
  GradContext g(&builder_, node, functions_);
  const Mask reachable =
      IsControl(node) ? functions_->flow().Backward(*f_, node, seeded) : Mask(node.operands.size(), true);
  uint32_t wanted = 0;
  for (size_t i = 0; i < node.operands.size(); ++i) {
    g.active_[i] = active_[node.operands[i].index()];
    g.wanted_[i] = g.active_[i] && reachable[i];
    if (g.wanted_[i]) wanted |= 1u << std::min<size_t>(i, 31);
  }
  if (wanted == 0) return std::nullopt;
  if (absl::Status s = CheckExtents(*f_, node); !s.ok()) return s;
  g.needs_ = NeededByGradient(node.op, wanted);
  for (int i = 0; i < node.num_results; ++i) {
    g.cotangents_[static_cast<size_t>(i)] = cotangents_[node.result(i).index()];
  }
  if (AddsToSums(node)) TakeSums(node, &g);
  builder_.set_location(node.location);
  const int32_t first = f_->num_values();
  Cotangent shared;
  if (!TakesMaybe(g.node_)) shared = Share(builder_, absl::MakeSpan(g.cotangents_));
  rule.emit(g, builder_);
  if (g.request_) return std::move(g.request_);
  if (!builder_.status().ok()) return builder_.status();
  HandOut(g.node_, &g, shared);
  if (name_nodes_) NameNodes(g.node_, first);
  return std::nullopt;
}

void Sweep::NameNodes(const ir::Node& forward, int32_t first) {
  const std::string_view hint = f_->name_hint(forward.result());
  std::string name = hint.empty() ? StrCat(ir::Name(forward.op), kSuffix) : StrCat(hint, kSuffix);
  if (name.size() > ir::kMaxNameBytes) name = hint;
  for (int32_t id = first; id < f_->num_values(); ++id) {
    if (f_->name_hint({id}).empty()) f_->set_name_hint({id}, name);
  }
}

absl::Status RunSweep(Sweep* sweep, FunctionGradients* functions) {
  std::vector<std::unique_ptr<FunctionSweep>> stack;
  while (true) {
    auto request = stack.empty() ? sweep->Run() : stack.back()->Run();
    if (!request.ok()) return request.status();
    if (request->has_value()) {
      stack.push_back(std::make_unique<FunctionSweep>(**request, functions));
    } else if (stack.empty()) {
      return sweep->builder().status();
    } else {
      if (absl::Status s = stack.back()->Finish(); !s.ok()) return s;
      stack.pop_back();
    }
  }
}

}  // namespace reel::passes
