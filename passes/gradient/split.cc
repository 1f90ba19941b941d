#include "passes/gradient/split.h"

#include <algorithm>

#include "ir/budget_scope.h"
#include "ir/cost.h"
#include "ir/hash_map.h"
#include "ir/strings.h"
#include "passes/gradient/gradient.h"
#include "passes/gradient/residuals.h"
#include "passes/rewrite.h"
#include "passes/splat.h"

namespace reel::passes {
namespace {

using ir::Value;
using Values = std::vector<Value>;

// A function and its gradient in one, flattened: (parameters, cotangents of `seeded`) -> (cotangents of `connected`,
// results of the forward function).
struct Joint {
  ir::Function function{""};
  int num_forward = 0;  // parameters
  Mask connected;
  Values gradients, results;
};

// `forward` is null, or a function that computes the results of f and more from the same parameters.
absl::StatusOr<Joint> MakeJoint(ir::Module* m, const ir::Function& f, const ir::Function* forward, const Mask& wanted,
                                const Mask& seeded) {
  ir::Function all(StrCat(f.name(), ".bwd"));
  Copier copier(f, &all), more(forward ? *forward : f, &all);
  Values xs, ys, results;
  GradientOptions options;
  for (int i = 0; i < f.num_parameters(); ++i) {
    const Value x = all.AddParameter(StrCat("x", i), f.parameter(i).type);
    copier.Map({i}, x);
    more.Map({i}, x);
    if (wanted[static_cast<size_t>(i)]) xs.push_back(x);
  }
  const ir::Function& last = forward ? *forward : f;
  for (size_t i = 0; i < seeded.size(); ++i) {
    if (seeded[i]) options.grad_ys.push_back(all.AddParameter(StrCat("d", i), last.type(last.results()[i])));
  }
  copier.CopyNodes();
  if (forward) more.CopyNodes();
  for (size_t i = 0; i < last.results().size(); ++i) {
    // The gradient is that of f itself: it adds contributions in the order that f's ops give.
    const bool own = i < f.results().size();
    const Value y = own ? copier(f.results()[i]) : more(last.results()[i]);
    results.push_back(forward ? more(last.results()[i]) : y);
    if (seeded[i]) ys.push_back(y);
  }
  std::reverse(ys.begin(), ys.end());  // as if the results were used in their order
  std::reverse(options.grad_ys.begin(), options.grad_ys.end());
  const auto gradients = Gradients(&all, m, ys, xs, options);
  if (!gradients.ok()) return gradients.status();
  Joint joint;
  joint.num_forward = f.num_parameters();
  Values outputs;
  size_t next = 0;
  for (const bool want : wanted) {
    const Value d = want ? (*gradients)[next++] : Value();
    joint.connected.push_back(d.valid());
    if (d.valid()) outputs.push_back(d);
  }
  const auto count = static_cast<std::ptrdiff_t>(outputs.size());
  outputs.insert(outputs.end(), results.begin(), results.end());
  all.SetResults(std::move(outputs));
  auto flat = Flatten(all, *m);
  if (!flat.ok()) return flat.status();
  joint.function = *std::move(flat);
  joint.function.set_name(all.name());
  const Values& out = joint.function.results();
  joint.gradients.assign(out.begin(), out.begin() + count);
  joint.results.assign(out.begin() + count, out.end());
  return joint;
}

// The indices and rows of a sum of rows scattered into zeros, one after the other; empty if it is anything else.
Values PartsOf(const ir::Function& f, Value v) {
  Values parts;
  while (f.Is(v, ir::Op::kScatterAdd)) {
    ir::ChargeVisits(1);
    const ir::Node& node = *f.producer(v);
    if (node.attr<int64_t>("axis") != 0 || !f.type(node.operands[1]).shape.is_constant()) return {};
    parts.insert(parts.end(), {node.operands[2], node.operands[1]});
    v = node.operands[0];
  }
  const auto splat = SplatOf(f, v);
  if (!splat || *splat != ir::Literal::Scalar(splat->dtype(), 0)) return {};
  std::reverse(parts.begin(), parts.end());  // the last came first
  return parts;
}

// Walks from some values to where `stop` says that one is known. Returns per node whether it is needed.
template <typename Stop>
std::vector<bool> NeededNodes(const ir::Function& f, const Values& from, Stop stop) {
  ir::ChargeVisits(f.nodes().size());
  std::vector<bool> needed(f.nodes().size());
  const auto need = [&](Value v) {
    const int32_t n = f.producer_index(v);
    if (!stop(v) && n >= 0) needed[static_cast<size_t>(n)] = true;
  };
  for (Value v : from) need(v);
  for (size_t n = needed.size(); n-- > 0;) {
    if (!needed[n]) continue;
    for (Value v : f.nodes()[n].operands) need(v);
  }
  return needed;
}

// What the gradient reads of the forward part and would have to compute again at some cost.
Values ChooseSaved(const Joint& joint) {
  const ir::Function& f = joint.function;
  ir::ChargeVisits(f.nodes().size());
  std::vector<bool> forward(static_cast<size_t>(f.num_values())), known = forward, saved = forward;
  for (int i = 0; i < joint.num_forward; ++i) forward[static_cast<size_t>(i)] = true;
  for (const ir::Node& node : f.nodes()) {
    const auto is_forward = [&](Value v) { return forward[v.index()]; };
    const bool all = std::all_of(node.operands.begin(), node.operands.end(), is_forward);
    for (int i = 0; i < node.num_results; ++i) forward[node.result(i).index()] = all;
  }
  for (Value v : joint.results) known[v.index()] = true;
  Values out;
  NeededNodes(f, joint.gradients, [&](Value v) {
    if (f.is_parameter(v) || known[v.index()]) return true;
    if (!forward[v.index()] || ir::IsRematerialisable(f.producer(v)->op)) return false;
    if (!saved[v.index()]) out.push_back(v);
    saved[v.index()] = true;
    return true;
  });
  return out;
}

// The function of some parameters and values to others. What is known is no longer computed.
class PartWriter {
 public:
  PartWriter(const ir::Function& from, std::string name) : from_(from), to_(std::move(name)), copier_(from, &to_) {}

  void AddParameter(std::string name, Value v) { copier_.Map(v, to_.AddParameter(std::move(name), from_.type(v))); }
  bool Knows(Value v) const { return copier_(v).valid(); }
  ir::Function Write(const Values& results) {
    const std::vector<bool> needed = NeededNodes(from_, results, [&](Value v) { return Knows(v); });
    for (size_t n = 0; n < needed.size(); ++n) {
      if (needed[n]) Copy(from_.nodes()[n]);
    }
    Values out;
    for (Value v : results) out.push_back(copier_(v));
    to_.SetResults(std::move(out));
    return std::move(to_);
  }

 private:
  // A node of several results, of which some may be known.
  void Copy(const ir::Node& node) {
    std::vector<std::pair<Value, Value>> given;
    for (int i = 0; i < node.num_results; ++i) {
      if (Knows(node.result(i))) given.emplace_back(node.result(i), copier_(node.result(i)));
    }
    copier_.CopyNode(node);
    for (const auto& [from, to] : given) copier_.Map(from, to);
  }

  const ir::Function& from_;
  ir::Function to_;
  Copier copier_;
};

std::string Add(ir::Module* m, ir::Function f) {
  const std::string name = m->UniqueFunctionName(f.name());
  f.set_name(name);
  m->AddFunction(std::move(f));
  return name;
}

// Takes of the parameters and results what it needs, and every seed.
BackwardFunction WriteBackward(ir::Module* m, const Joint& joint, const Mask& seeded) {
  const ir::Function& f = joint.function;
  Values outputs;
  std::vector<int> counts;
  for (Value d : joint.gradients) {
    const Values parts = PartsOf(f, d);
    counts.push_back(static_cast<int>(parts.size() / 2));
    parts.empty() ? outputs.push_back(d) : (void)outputs.insert(outputs.end(), parts.begin(), parts.end());
  }
  HashMap<int32_t, size_t> result_of;
  for (size_t i = 0; i < joint.results.size(); ++i) result_of.emplace(joint.results[i].id, i);
  BackwardFunction out{"",
                       Mask(static_cast<size_t>(joint.num_forward)),
                       Mask(joint.results.size()),
                       seeded,
                       joint.connected,
                       std::move(counts)};
  NeededNodes(f, outputs, [&](Value v) {
    if (f.is_parameter(v)) {
      if (v.id < joint.num_forward) out.operands[v.index()] = true;
      return true;
    }
    const auto at = result_of.find(v.id);
    if (at != result_of.end()) out.results[at->second] = true;
    return at != result_of.end();
  });
  PartWriter writer(f, f.name());
  for (int i = 0; i < joint.num_forward; ++i) {
    if (out.operands[static_cast<size_t>(i)]) writer.AddParameter(StrCat("x", i), {i});
  }
  for (size_t i = 0; i < out.results.size(); ++i) {
    if (out.results[i]) writer.AddParameter(StrCat("y", i), joint.results[i]);
  }
  for (int i = joint.num_forward; i < f.num_parameters(); ++i) writer.AddParameter(f.parameter(i).name, {i});
  out.name = Add(m, writer.Write(outputs));
  return out;
}

absl::StatusOr<const ir::Function*> Find(const ir::Module& m, std::string_view name) {
  const ir::Function* f = m.FindFunction(name);
  if (!f) return absl::NotFoundError(StrCat("gradients: there is no function @", name));
  if (!f->state().empty()) return absl::InvalidArgumentError(StrCat("gradients: @", name, " has state"));
  return f;
}

}  // namespace

absl::StatusOr<SplitGradient> AddSplitGradient(ir::Module* m, std::string_view function, const Mask& wanted) {
  const auto f = Find(*m, function);
  if (!f.ok()) return f.status();
  Mask seeded;
  for (Value y : (*f)->results()) seeded.push_back(IsDifferentiable((*f)->type(y).dtype));
  auto joint = MakeJoint(m, **f, nullptr, wanted, seeded);
  if (!joint.ok()) return joint.status();
  const Values saved = ChooseSaved(*joint);
  joint->results.insert(joint->results.end(), saved.begin(), saved.end());
  PartWriter writer(joint->function, StrCat(function, ".fwd"));
  for (int i = 0; i < joint->num_forward; ++i) writer.AddParameter((*f)->parameter(i).name, {i});
  SplitGradient out;
  out.forward = Add(m, writer.Write(joint->results));
  seeded.resize(joint->results.size());
  out.backward = WriteBackward(m, *joint, seeded);
  return out;
}

absl::StatusOr<BackwardFunction> AddBackward(ir::Module* m, std::string_view function, std::string_view forward,
                                             const Mask& wanted, const Mask& seeded) {
  const auto f = Find(*m, function), all = Find(*m, forward);
  if (!f.ok()) return f.status();
  if (!all.ok()) return all.status();
  auto joint = MakeJoint(m, **f, *all, wanted, seeded);
  if (!joint.ok()) return joint.status();
  return WriteBackward(m, *joint, seeded);
}

}  // namespace reel::passes
