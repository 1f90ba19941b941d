#include "passes/gradient/sweep.h"

#include <algorithm>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "ir/names.h"
#include "ir/strings.h"
#include "passes/gradient/rule.h"
#include "passes/rewrite.h"
#include "passes/splat.h"

namespace reel::passes {
namespace {

constexpr std::string_view kSuffix = ".grad";

size_t Index(ir::Value v) { return static_cast<size_t>(v.id); }

bool IsControl(const ir::Node& node) { return ir::Info(node.op).Has(ir::kControl); }

// Zero but for a part: what a slice or a gather gives its operand.
bool IsPart(const ir::Function& f, ir::Value v) {
  if (!f.Is(v, ir::Op::kDynamicUpdate) && !f.Is(v, ir::Op::kScatterAdd)) return false;
  const ir::Node& node = *f.producer(v);
  const auto splat = SplatOf(f, node.operands[0]);
  if (!splat || *splat != ir::Literal::Scalar(splat->dtype(), 0)) return false;
  if (node.op == ir::Op::kScatterAdd) return true;
  const auto axis = static_cast<int>(node.attr<int64_t>("axis"));  // the others may be symbolic
  return 2 * f.type(node.operands[1]).shape.dim(axis) <= f.type(v).shape.dim(axis);
}

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
    case Op::kSvd:
      return true;
    default:
      return false;
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

// sum + part, at the cost of the part: loops that slice an invariant stay linear.
ir::Value AddPart(ir::Builder& b, ir::Value sum, ir::Value part) {
  const ir::Node node = *b.function()->producer(part);
  const auto axis = node.attr<int64_t>("axis");
  if (node.op == ir::Op::kScatterAdd) {
    return b.ScatterAdd(sum, node.operands[1], node.operands[2], axis);
  }
  const ir::Value g = node.operands[1], start = node.operands[2];
  const int64_t size = b.shape(g).dim(static_cast<int>(axis));
  return b.DynamicUpdate(sum, b.Add(b.DynamicSlice(sum, start, axis, size), g), start, axis);
}

// A function's gradient under construction.
class FunctionSweep {
 public:
  FunctionSweep(const GradientKey& key, FunctionGradients* functions)
      : key_(key), functions_(functions),
        forward_(*functions->module()->FindFunction(key.function)),
        gradient_(StrCat(forward_.name(), ".grad")) {
    Copier copier(forward_, &gradient_);
    AddParameters(&copier);
    copier.CopyNodes();
    std::vector<ir::Value> ys, xs;
    for (size_t i = 0; i < key.results.size(); ++i) {
      if (key.results[i]) ys.push_back(copier(forward_.results()[i]));
    }
    for (int i = 0; i < forward_.num_parameters(); ++i) {
      if (key.parameters[static_cast<size_t>(i)]) xs.push_back({i});
    }
    for (size_t i = 0; i < key.sums.size(); ++i) {
      if (key.sums[i]) ys.push_back({static_cast<int32_t>(i)});
    }
    sweep_ = std::make_unique<Sweep>(&gradient_, functions);
    sweep_->Start(ys, seeds_, xs, {});
  }

  absl::StatusOr<std::optional<GradientKey>> Run() { return sweep_->Run(); }

  absl::Status Finish() {
    std::vector<ir::Value> results;
    for (int i = 0; i < forward_.num_parameters(); ++i) {
      if (!key_.parameters[static_cast<size_t>(i)]) continue;
      const ir::Value d = sweep_->Cotangent({i});
      results.push_back(d.valid() ? d : sweep_->builder().Zeros(gradient_.type({i})));
    }
    gradient_.SetResults(std::move(results));
    if (!sweep_->builder().status().ok()) return sweep_->builder().status();
    functions_->Add(key_, {WithoutDeadNodes(gradient_), Used()});
    return absl::OkStatus();
  }

 private:
  // All parameters of the forward function, its state included, then "d.<result>" for each seed,
  // then "sum.<parameter>" for each sum.
  void AddParameters(Copier* copier) {
    absl::flat_hash_set<std::string> names;
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
      const std::string name = r < outputs ? forward_.result_name(r)
                                           : forward_.state()[static_cast<size_t>(r - outputs)];
      seeds_.push_back(gradient_.AddParameter(unique(StrCat("d.", name)),
                                              forward_.type(forward_.results()[i])));
    }
    for (size_t i = 0; i < key_.sums.size(); ++i) {
      if (!key_.sums[i]) continue;
      const ir::Parameter& p = forward_.parameter(static_cast<int>(i));
      seeds_.push_back(gradient_.AddParameter(unique(StrCat("sum.", p.name)), p.type));
    }
  }

  Mask Used() const {
    const std::vector<bool> live = LiveNodes(gradient_);
    Mask used(static_cast<size_t>(forward_.num_parameters()));
    const auto use = [&](ir::Value v) {
      if (v.id < forward_.num_parameters()) used[Index(v)] = true;
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
  std::vector<ir::Value> seeds_;
  std::unique_ptr<Sweep> sweep_;
};

}  // namespace

Sweep::Sweep(ir::Function* f, FunctionGradients* functions, bool name_nodes)
    : f_(f), functions_(functions), name_nodes_(name_nodes), builder_(f, functions->module()),
      active_(static_cast<size_t>(f->num_values())), differentiate_(f->nodes().size()),
      cotangents_(static_cast<size_t>(f->num_values())), remaining_(f->nodes().size()) {}

void Sweep::MarkActive(const ir::Node& node) {
  if (!HasGradient(node.op)) return;
  bool any = false;
  for (ir::Value v : node.operands) any = any || active_[Index(v)];
  if (!any) return;
  Mask results(static_cast<size_t>(node.num_results), true);
  if (IsControl(node)) {
    Mask operands;
    for (ir::Value v : node.operands) operands.push_back(active_[Index(v)]);
    results = functions_->flow().Forward(*f_, node, operands);
  }
  for (int i = 0; i < node.num_results; ++i) {
    const ir::Value v = node.result(i);
    if (!results[static_cast<size_t>(i)] || !IsDifferentiable(f_->type(v).dtype)) continue;
    active_[Index(v)] = true;
    differentiate_[static_cast<size_t>(f_->producer_index(v))] = true;
  }
}

void Sweep::Start(absl::Span<const ir::Value> ys, absl::Span<const ir::Value> seeds,
                  absl::Span<const ir::Value> xs, absl::Span<const ir::Value> stops) {
  for (ir::Value x : xs) active_[Index(x)] = IsDifferentiable(f_->type(x).dtype);
  std::vector<bool> stopped(remaining_);
  for (ir::Value v : stops) {
    if (const int32_t i = f_->producer_index(v); i >= 0) stopped[static_cast<size_t>(i)] = true;
  }
  for (size_t i = 0; i < remaining_; ++i) {
    if (!stopped[i]) MarkActive(f_->nodes()[i]);
  }
  for (size_t i = 0; i < ys.size(); ++i) Accumulate(ys[i], seeds[i]);
}

void Sweep::Accumulate(ir::Value v, ir::Value cotangent) {
  if (!active_[Index(v)] || !cotangent.valid()) return;
  ir::Value& sum = cotangents_[Index(v)];
  if (!sum.valid()) {
    sum = cotangent;
  } else if (IsPart(*f_, cotangent)) {
    sum = AddPart(builder_, sum, cotangent);
  } else if (IsPart(*f_, sum)) {
    sum = AddPart(builder_, cotangent, sum);
  } else {
    sum = builder_.Add(sum, cotangent);
  }
}

absl::StatusOr<std::optional<GradientKey>> Sweep::Run() {
  for (; remaining_ > 0; --remaining_) {
    if (!differentiate_[remaining_ - 1]) continue;
    auto request = Differentiate(f_->nodes()[remaining_ - 1]);
    if (!request.ok() || request->has_value()) return request;
  }
  return std::nullopt;
}

absl::StatusOr<std::optional<GradientKey>> Sweep::Differentiate(const ir::Node& node) {
  const GradRule& rule = RuleOf(node.op);
  Mask seeded(static_cast<size_t>(node.num_results));
  for (int i = 0; i < node.num_results; ++i) {
    seeded[static_cast<size_t>(i)] = cotangents_[Index(node.result(i))].valid();
  }
  if (!Any(seeded)) return std::nullopt;
  GradContext g(&builder_, node, functions_);
  const Mask reachable = IsControl(node) ? functions_->flow().Backward(*f_, node, seeded)
                                         : Mask(node.operands.size(), true);
  absl::flat_hash_map<int32_t, int> uses;  // only rules of control ops add to sums
  if (IsControl(node)) {
    for (ir::Value v : node.operands) ++uses[v.id];
  }
  uint32_t wanted = 0;
  for (size_t i = 0; i < node.operands.size(); ++i) {
    g.active_[i] = active_[Index(node.operands[i])];
    g.wanted_[i] = g.active_[i] && reachable[i];
    const auto same = uses.find(node.operands[i].id);
    if (g.wanted_[i] && same != uses.end() && same->second == 1) {
      g.sums_[i] = cotangents_[Index(node.operands[i])];
    }
    if (g.wanted_[i]) wanted |= 1u << std::min<size_t>(i, 31);
  }
  if (wanted == 0) return std::nullopt;
  if (absl::Status s = CheckExtents(*f_, node); !s.ok()) return s;
  g.needs_ = NeededByGradient(node.op, wanted);
  for (int i = 0; i < node.num_results; ++i) {
    g.cotangents_[static_cast<size_t>(i)] = cotangents_[Index(node.result(i))];
  }
  builder_.set_location(node.location);
  const int32_t first = f_->num_values();
  rule.emit(g, builder_);
  if (g.request_) return std::move(g.request_);
  if (!builder_.status().ok()) return builder_.status();
  for (size_t i = 0; i < g.gradients_.size(); ++i) {
    if (g.is_total_[i]) {
      cotangents_[Index(g.node_.operands[i])] = g.gradients_[i];
    } else if (g.wanted_[i]) {
      Accumulate(g.node_.operands[i], g.gradients_[i]);
    }
  }
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
