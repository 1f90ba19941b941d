#include <optional>
#include <string>

#include "ir/budget_scope.h"
#include "ir/hash_map.h"
#include "ir/structure.h"
#include "passes/pass.h"
#include "passes/rewrite.h"
#include "passes/splat.h"

namespace reel::passes {
namespace {

using ir::Op;
using ir::Value;

// The function with its first `num_parameters` parameters and `num_results` results, state as ordinary values; nothing
// if those results depend on other parameters.
std::optional<ir::Function> PartOf(const ir::Function& f, int num_parameters, size_t num_results) {
  ir::Function all("part");
  Copier copier(f, &all);
  for (int i = 0; i < f.num_parameters(); ++i) {
    copier.Map({i}, all.AddParameter(f.parameter(i).name, f.parameter(i).type));
  }
  copier.CopyNodes();
  std::vector<Value> results;
  for (size_t i = 0; i < num_results; ++i) results.push_back(copier(f.results()[i]));
  all.SetResults(std::move(results));
  std::vector<bool> keep(static_cast<size_t>(f.num_parameters()));
  const auto is_kept = [&](Value v) { return !all.is_parameter(v) || v.id < num_parameters; };
  for (int i = 0; i < num_parameters; ++i) keep[static_cast<size_t>(i)] = true;
  const std::vector<bool> live = LiveNodes(all);
  for (Value v : all.results()) {
    if (!is_kept(v)) return std::nullopt;
  }
  for (size_t i = 0; i < live.size(); ++i) {
    if (!live[i]) continue;
    for (Value v : all.nodes()[i].operands) {
      if (!is_kept(v)) return std::nullopt;
    }
  }
  return WithoutDeadNodes(all, &keep);
}

class Merger {
 public:
  Merger(const ir::Function& f, const ir::Module& m) : f_(f), m_(m) {}

  // For each loop, by node index, the later one that also computes its results.
  HashMap<int32_t, int32_t> Find() const {
    // Lists of operands are numbered: a longer one by that without its last and the last. Loops of each are noted.
    HashMap<std::pair<int32_t, int32_t>, int32_t> lists;
    HashMap<int32_t, int32_t> by_operands;  // the latest with these
    HashMap<int32_t, int32_t> found;
    for (size_t n = 0; n < f_.nodes().size(); ++n) {
      const ir::Node& node = f_.nodes()[n];
      if (node.op != Op::kWhile) continue;
      const auto index = static_cast<int32_t>(n);
      int32_t operands = 0;
      for (Value v : node.operands) {
        const auto it = by_operands.find(operands);
        if (it != by_operands.end() && !found.contains(it->second) && Extends(node, it->second)) {
          found.emplace(it->second, index);
        }
        ir::ChargeVisits(1);
        operands = lists.try_emplace({operands, v.id}, static_cast<int32_t>(lists.size()) + 1).first->second;
      }
      by_operands[operands] = index;
    }
    return found;
  }

 private:
  const ir::Function& Callee(const ir::Node& node, std::string_view attribute) const {
    return *m_.FindFunction(node.attr<std::string>(attribute));
  }

  // `large` starts with the operands of the loop `small_index`; its other operands are numbers, and
  // without them it is the same loop.
  bool Extends(const ir::Node& large, int32_t small_index) const {
    const ir::Node& small = f_.nodes()[static_cast<size_t>(small_index)];
    const int n = small.num_results;
    const auto *a = small.attrs().Find("maximum_iterations"), *b = large.attrs().Find("maximum_iterations");
    if (n == 0 || (a == nullptr) != (b == nullptr) || (a && *a != *b)) return false;
    for (size_t i = static_cast<size_t>(n); i < large.operands.size(); ++i) {
      if (!SplatOf(f_, large.operands[i])) return false;
    }
    return SamePart(Callee(small, "cond"), Callee(large, "cond"), n, 1) &&
           SamePart(Callee(small, "body"), Callee(large, "body"), n, static_cast<size_t>(n));
  }

  static bool SamePart(const ir::Function& small, const ir::Function& large, int parameters, size_t results) {
    const auto whole = PartOf(small, parameters, results);
    const auto part = whole ? PartOf(large, parameters, results) : std::nullopt;
    return part && ir::SameStructure(*whole, *part);
  }

  const ir::Function& f_;
  const ir::Module& m_;
};

// Emits the larger loop where the smaller one was; returns its results.
ir::ValueList EmitLarge(const ir::Function& f, const ir::Node& small, const ir::Node& large, const Copier& copier,
                        ir::Builder& b) {
  ir::ValueList operands = copier(small.operands);
  for (size_t i = operands.size(); i < large.operands.size(); ++i) {
    const Shape shape = f.type(large.operands[i]).shape;
    operands.push_back(b.BroadcastTo(b.Constant(*SplatOf(f, large.operands[i])), shape));
  }
  return b.EmitAll(Op::kWhile, operands, large.attrs());
}

}  // namespace

absl::StatusOr<bool> MergeLoops(ir::Module* m, const PassContext&) {
  bool changed = false;
  for (const auto& f : m->functions()) {
    const auto merged = Merger(*f, *m).Find();
    if (merged.empty()) continue;
    HashMap<int32_t, std::vector<ir::Value>> emitted;  // results by node index
    const auto visit = [&](const ir::Node& node, Copier& copier, ir::Builder& b) {
      if (node.op != Op::kWhile || node.num_results == 0) return false;
      const int32_t index = f->producer_index(node.result());
      if (!emitted.contains(index)) {
        const auto it = merged.find(index);
        if (it == merged.end() || emitted.contains(it->second)) return false;
        const ir::Node& large = f->nodes()[static_cast<size_t>(it->second)];
        const ir::ValueList results = EmitLarge(*f, node, large, copier, b);
        emitted[it->second].assign(results.begin(), results.end());
        emitted[index].assign(results.begin(), results.end());
      }
      const std::vector<ir::Value>& results = emitted[index];
      for (int i = 0; i < node.num_results && b.status().ok(); ++i) {
        copier.Map(node.result(i), results[static_cast<size_t>(i)]);
      }
      return true;
    };
    const auto rewritten = Rewrite(f.get(), m, visit);
    if (!rewritten.ok()) return rewritten;
    changed = changed || *rewritten;
  }
  return changed;
}

}  // namespace reel::passes
