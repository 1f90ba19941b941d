#include <algorithm>
#include <numeric>
#include <optional>
#include <string>

#include "ir/budget_scope.h"
#include "ir/calls.h"
#include "ir/cost.h"
#include "ir/strings.h"
#include "passes/pass.h"
#include "passes/rewrite.h"
#include "passes/trip_count.h"

namespace reel::passes {
namespace {

using ir::Op;
using ir::Value;

using Ints = std::vector<int64_t>;

// Which values of a loop's body are the same in every iteration. `runs`: the loop does run, so a check may fail before
// it that would be the first to fail in it.
std::vector<bool> FixedValues(const ir::Function& body, bool runs) {
  std::vector<bool> fixed(static_cast<size_t>(body.num_values()));
  const auto is_fixed = [&](Value v) { return fixed[static_cast<size_t>(v.id)]; };
  for (int i = 0; i < body.num_parameters(); ++i)
    fixed[static_cast<size_t>(i)] = body.results()[static_cast<size_t>(i)] == Value{i};
  bool first = runs;  // to fail
  for (const ir::Node& node : body.nodes()) {
    const bool stays = node.num_results != 1 || ir::Info(node.op).Has(ir::kControl) || ir::IsCall(node.op);
    if (!stays && (first || !ir::IsCheck(node.op)))
      fixed[static_cast<size_t>(node.result().id)] = std::all_of(node.operands.begin(), node.operands.end(), is_fixed);
    if (stays || ir::IsCheck(node.op)) first = first && !stays && is_fixed(node.result());
  }
  return fixed;
}

// The axes of a product's second operand in the order in which it is compiled: batch, contracted,
// the rest. Empty if it has that order.
Ints CompiledOrder(const ir::Function& f, const ir::Node& contract) {
  const int rank = f.type(contract.operands[1]).shape.rank();
  Ints order = contract.attr<Ints>("b_batch");
  for (int64_t axis : contract.attr<Ints>("b_contract")) order.push_back(axis);
  for (int64_t axis = 0; axis < rank; ++axis) {
    if (std::find(order.begin(), order.end(), axis) == order.end()) order.push_back(axis);
  }
  return std::is_sorted(order.begin(), order.end()) ? Ints() : order;
}

// Products with a fixed second operand in another order take a transposed copy of it: the copy can
// leave the loop.
absl::StatusOr<ir::Function> WithTransposes(const ir::Function& body, bool runs, const ir::Module& m) {
  ir::Function out = body;
  const std::vector<bool> fixed = FixedValues(body, runs);
  const auto visit = [&](const ir::Node& node, Copier& copier, ir::Builder& b) {
    if (node.op != Op::kContract || !fixed[static_cast<size_t>(node.operands[1].id)]) return false;
    const Ints order = CompiledOrder(body, node);
    if (order.empty()) return false;
    Ints batch = node.attr<Ints>("b_batch"), contracted = node.attr<Ints>("b_contract");
    std::iota(batch.begin(), batch.end(), 0);
    std::iota(contracted.begin(), contracted.end(), static_cast<int64_t>(batch.size()));
    ir::Attributes attributes = node.attrs();
    attributes.Set("b_batch", batch);
    attributes.Set("b_contract", contracted);
    const Value turned = b.Transpose(copier(node.operands[1]), order);
    copier.Map(node.result(), b.Emit(Op::kContract, {copier(node.operands[0]), turned}, attributes));
    return true;
  };
  const auto changed = Rewrite(&out, &m, visit);
  if (!changed.ok()) return changed.status();
  return out;
}

// What of a loop's body need not be in it.
struct Invariants {
  std::vector<bool> moved;    // by node: computed before the loop
  std::vector<Value> carried; // their results that the body goes on using
};

Invariants FindInvariants(const ir::Function& body, bool runs) {
  const auto count = body.nodes().size();
  ir::ChargeVisits(count);
  const std::vector<bool> fixed = FixedValues(body, runs);
  std::vector<bool> costly(count);
  for (size_t n = 0; n < count; ++n) {
    const ir::Node& node = body.nodes()[n];
    costly[n] = node.num_results == 1 && fixed[static_cast<size_t>(node.result().id)] &&
                (ir::IsCostly(node.op) || ir::IsCheck(node.op));
  }
  // Backwards: which costly results what stays needs, then all that they are computed from.
  Invariants out;
  out.moved.assign(count, false);
  std::vector<bool> used(fixed.size()), needed(fixed.size());
  for (Value v : body.results()) used[static_cast<size_t>(v.id)] = true;
  for (size_t n = count; n-- > 0;) {
    const ir::Node& node = body.nodes()[n];
    const auto result = static_cast<size_t>(node.num_results > 0 ? node.result().id : 0);
    const bool carried = costly[n] && used[result];
    if (carried) out.carried.push_back(node.result());
    out.moved[n] = carried || (node.num_results == 1 && needed[result]);
    const bool stays = node.num_results != 1 || (used[result] && !carried);
    for (Value v : node.operands) {
      if (out.moved[n]) needed[static_cast<size_t>(v.id)] = true;
      if (stays) used[static_cast<size_t>(v.id)] = true;
    }
  }
  return out;
}

// The function with one more parameter for each carried value. A body returns them and takes them
// for what it computed before.
std::string WithCarried(const ir::Function& f, const ir::Function& body, const std::vector<Value>& carried,
                        ir::Module* m) {
  ir::Function out(m->UniqueFunctionName(f.name()));
  Copier copier(f, &out);
  CopySignature(f, &out, &copier);
  std::vector<std::string> names;  // what was hoisted from it before has some already
  for (int i = 0; i < f.num_parameters(); ++i) names.push_back(f.parameter(i).name);
  std::vector<Value> extra;
  for (Value v : carried) {
    std::string name = StrCat("fixed", extra.size());
    while (std::find(names.begin(), names.end(), name) != names.end()) name += "_";
    names.push_back(name);
    extra.push_back(out.AddParameter(std::move(name), body.type(v)));
  }
  const bool is_body = &f == &body;
  std::vector<Value> instead(static_cast<size_t>(f.num_values()));
  for (size_t i = 0; is_body && i < carried.size(); ++i) instead[static_cast<size_t>(carried[i].id)] = extra[i];
  for (const ir::Node& node : f.nodes()) {
    copier.CopyNode(node);
    if (node.num_results != 1) continue;
    const Value other = instead[static_cast<size_t>(node.result().id)];
    if (other.valid()) copier.Map(node.result(), other);
  }
  std::vector<Value> results;
  for (Value v : f.results()) results.push_back(copier(v));
  if (is_body) results.insert(results.end(), extra.begin(), extra.end());
  out.SetResults(std::move(results));
  const std::string name = out.name();
  m->AddFunction(std::move(out));
  return name;
}

// Emits the loop with what need not be in it before it; its results, or nothing if it stays as it is.
std::optional<ir::ValueList> HoistFrom(const ir::Function& f, const ir::Node& node, const Copier& copier, ir::Module* m,
                                       ir::Builder& b, ir::Function* target) {
  const ir::Function cond = *m->FindFunction(node.attr<std::string>("cond"));
  const ir::Function& given = *m->FindFunction(node.attr<std::string>("body"));
  if (!given.state().empty() || !cond.state().empty()) return std::nullopt;
  const bool runs = LeastIterations(f, node, *m) > 0;
  const auto turned = WithTransposes(given, runs, *m);
  if (!turned.ok()) return std::nullopt;  // what is valid stays so
  const ir::Function& body = *turned;
  const Invariants found = FindInvariants(body, runs);
  if (found.carried.empty()) return std::nullopt;
  ir::ValueList operands = copier(node.operands);
  Copier moved(body, target);
  for (int i = 0; i < body.num_parameters(); ++i) moved.Map({i}, operands[static_cast<size_t>(i)]);
  for (size_t n = 0; n < found.moved.size(); ++n) {
    if (found.moved[n]) moved.CopyNode(body.nodes()[n]);
  }
  for (Value v : found.carried) operands.push_back(moved(v));
  ir::Attributes attributes = node.attrs();
  attributes.Set("cond", WithCarried(cond, body, found.carried, m));
  attributes.Set("body", WithCarried(body, body, found.carried, m));
  return b.EmitAll(Op::kWhile, operands, attributes);
}

bool HasLoop(const ir::Function& f) {
  ir::ChargeVisits(f.nodes().size());
  return std::any_of(f.nodes().begin(), f.nodes().end(), [](const ir::Node& node) { return node.op == Op::kWhile; });
}

}  // namespace

// Bodies come before the loops that name them: what leaves an inner loop goes on outwards.
absl::StatusOr<bool> Hoist(ir::Module* m, const PassContext&) {
  bool changed = false;
  for (const std::string& name : ir::CalleesFirst(*m)) {
    if (!HasLoop(*m->FindFunction(name))) continue;
    ir::Function f = *m->FindFunction(name);
    const auto visit = [&](const ir::Node& node, Copier& copier, ir::Builder& b) {
      if (node.op != Op::kWhile) return false;
      const auto results = HoistFrom(f, node, copier, m, b, b.function());
      if (!results) return false;
      for (int i = 0; i < node.num_results && b.status().ok(); ++i)
        copier.Map(node.result(i), (*results)[static_cast<size_t>(i)]);
      return true;
    };
    const auto rewritten = Rewrite(&f, m, visit);
    if (!rewritten.ok()) return rewritten;
    if (!*rewritten) continue;
    m->AddFunction(std::move(f));
    changed = true;
  }
  return changed;
}

}  // namespace reel::passes
