#include "passes/recompute.h"

#include <algorithm>
#include <map>
#include <optional>
#include <set>

#include "ir/cost.h"
#include "ir/hash_map.h"
#include "passes/rewrite.h"

namespace reel::passes {
namespace {

using ir::Op;
using ir::Value;

constexpr int kMaxRounds = 24;
constexpr size_t kMaxChain = 24;  // ops that are repeated for one value

// Scalar operations of a node, roughly.
double CostOf(const ir::Function& f, const ir::Node& node) {
  const auto size = [&](Value v) { return static_cast<double>(f.type(v).shape.size()); };
  if (node.op == Op::kContract) {
    double depth = 1;
    for (int64_t axis : node.attr<std::vector<int64_t>>("a_contract"))
      depth *= static_cast<double>(f.type(node.operands[0]).shape.dim(static_cast<int>(axis)));
    return 2 * depth * size(node.result());
  }
  double most = ir::CyclesOf(node.op) * size(node.result());
  for (Value v : node.operands) most = std::max(most, size(v));
  return most;
}

bool MayRepeat(const ir::Node& node) {
  if (ir::Info(node.op).Has(ir::kControl) || node.num_results != 1) return false;
  if (ir::IsCall(node.op)) return false;
  return node.op != Op::kConv && node.op != Op::kArgsort && node.op != Op::kConstant;
}

// A value that is dropped after one use and computed again before the next.
struct Choice {
  Value value;
  int32_t again;             // the node before which
  std::vector<int32_t> ops;  // nodes to repeat, in order
  double cost = 0;
  int64_t bytes = 0;
};

// When values are live, by node index.
class Lifetimes {
 public:
  explicit Lifetimes(const ir::Function& f) : f_(f) {
    const auto n = static_cast<size_t>(f.num_values());
    uses_.resize(n);
    base_.resize(n);
    for (size_t v = 0; v < n; ++v) base_[v] = static_cast<int32_t>(v);
    for (size_t i = 0; i < f.nodes().size(); ++i) {
      const ir::Node& node = f.nodes()[i];
      if (ir::Info(node.op).Has(ir::kView)) base_[node.result().index()] = base_[node.operands[0].index()];
      for (Value v : node.operands) uses_[Base(v).index()].push_back(static_cast<int32_t>(i));
    }
    end_ = static_cast<int32_t>(f.nodes().size());
    for (Value v : f.results()) uses_[Base(v).index()].push_back(end_);
  }

  Value Base(Value v) const { return Value{base_[v.index()]}; }
  const std::vector<int32_t>& uses(Value v) const { return uses_[v.index()]; }
  int32_t end() const { return end_; }

  // Bytes in the arena: results of nodes that are not computed where they are used.
  int64_t Bytes(Value v) const {
    if (f_.is_parameter(v) || Base(v) != v || uses(v).empty() || uses(v).back() == end_) return 0;
    const ir::Node& node = *f_.producer(v);
    if (node.op == Op::kConstant || node.op == Op::kIota) return 0;
    const bool map = ir::Info(node.op).Has(ir::kElementwise);
    if (map && uses(v).size() == 1 && NextIsMap(v)) return 0;
    return f_.type(v).bytes();
  }

  // Live bytes at each node, and the node where they are most.
  std::pair<int32_t, int64_t> Peak() const {
    std::vector<int64_t> change(static_cast<size_t>(end_) + 2);
    for (int32_t id = f_.num_parameters(); id < f_.num_values(); ++id) {
      const int64_t bytes = Bytes({id});
      if (bytes == 0) continue;
      change[static_cast<size_t>(f_.producer_index({id}))] += bytes;
      change[static_cast<size_t>(uses({id}).back()) + 1] -= bytes;
    }
    int64_t live = 0, most = 0;
    int32_t at = 0;
    for (int32_t i = 0; i < end_; ++i) {
      live += change[static_cast<size_t>(i)];
      if (live > most) most = live, at = i;
    }
    return {at, most};
  }

 private:
  bool NextIsMap(Value v) const {
    const int32_t use = uses(v)[0];
    return use < end_ && ir::Info(f_.nodes()[static_cast<size_t>(use)].op).Has(ir::kElementwise);
  }

  const ir::Function& f_;
  std::vector<std::vector<int32_t>> uses_;  // of a value and its views
  std::vector<int32_t> base_;
  int32_t end_ = 0;
};

class Chooser {
 public:
  explicit Chooser(const ir::Function& f) : f_(f), lifetimes_(f) {}

  std::pair<int32_t, int64_t> Peak() const { return lifetimes_.Peak(); }

  // What to repeat so that `excess` bytes fewer are live at the node `peak`, the cheapest first.
  std::vector<Choice> Choose(int32_t peak, int64_t excess) {
    std::vector<Choice> found;
    for (int32_t id = f_.num_parameters(); id < f_.num_values(); ++id) {
      if (auto c = Candidate({id}, peak)) found.push_back(std::move(*c));
    }
    std::sort(found.begin(), found.end(), [](const Choice& a, const Choice& b) {
      const double x = a.cost * static_cast<double>(b.bytes);
      const double y = b.cost * static_cast<double>(a.bytes);
      return x != y ? x < y : a.value.id < b.value.id;
    });
    // What a choice starts from must stay; what was dropped can be started from no more.
    HashSet<int32_t> dropped, needed;
    std::vector<Choice> chosen;
    for (Choice& c : found) {
      if (excess <= 0) break;
      if (needed.contains(c.value.id)) continue;
      const std::vector<int32_t> sources = SourcesOf(c);
      if (std::any_of(sources.begin(), sources.end(), [&](int32_t s) { return dropped.contains(s); })) continue;
      needed.insert(sources.begin(), sources.end());
      dropped.insert(c.value.id);
      excess -= c.bytes;
      chosen.push_back(std::move(c));
    }
    return chosen;
  }

 private:
  // v waits at `peak` for a later use, and can be had again from what lives until then.
  std::optional<Choice> Candidate(Value v, int32_t peak) const {
    Choice c{v, -1, {}, 0, lifetimes_.Bytes(v)};
    if (c.bytes == 0 || f_.producer_index(v) >= peak) return std::nullopt;
    for (int32_t use : lifetimes_.uses(v)) {
      if (use == peak) return std::nullopt;
      if (use > peak) {
        c.again = use;
        break;
      }
    }
    if (c.again < 0 || c.again >= lifetimes_.end()) return std::nullopt;
    std::set<int32_t> chain;  // node indices
    std::vector<Value> stack{v};
    while (!stack.empty()) {
      const Value x = stack.back();
      stack.pop_back();
      const int32_t index = f_.producer_index(x);
      const ir::Node& node = f_.nodes()[static_cast<size_t>(index)];
      if (!MayRepeat(node) || chain.size() >= kMaxChain) return std::nullopt;
      if (!chain.insert(index).second) continue;
      c.cost += CostOf(f_, node);
      for (Value o : node.operands) {
        if (!IsThere(o, c.again)) stack.push_back(o);
      }
    }
    c.ops.assign(chain.begin(), chain.end());
    return c;
  }

  // A parameter, a constant, or live at the node anyway.
  bool IsThere(Value v, int32_t node) const {
    if (f_.is_parameter(v) || f_.Is(v, Op::kConstant)) return true;
    const Value base = lifetimes_.Base(v);
    if (f_.is_parameter(base)) return base == v;
    return base == v && lifetimes_.Bytes(v) > 0 && lifetimes_.uses(v).back() >= node;
  }

  std::vector<int32_t> SourcesOf(const Choice& c) const {
    std::vector<int32_t> sources;
    for (int32_t index : c.ops) {
      for (Value o : f_.nodes()[static_cast<size_t>(index)].operands) {
        if (!std::binary_search(c.ops.begin(), c.ops.end(), f_.producer_index(o))) sources.push_back(o.id);
      }
    }
    return sources;
  }

  const ir::Function& f_;
  Lifetimes lifetimes_;
};

// Views of each value that is none, in order.
std::vector<std::vector<int32_t>> ViewsOf(const ir::Function& f) {
  const Lifetimes lifetimes(f);
  std::vector<std::vector<int32_t>> views(static_cast<size_t>(f.num_values()));
  for (size_t i = 0; i < f.nodes().size(); ++i) {
    const ir::Node& node = f.nodes()[i];
    if (!ir::Info(node.op).Has(ir::kView)) continue;
    views[lifetimes.Base(node.result()).index()].push_back(static_cast<int32_t>(i));
  }
  return views;
}

// Repeats the ops of a choice and the views of its value; all later uses take those.
void Repeat(const ir::Function& f, const Choice& c, absl::Span<const int32_t> views, Copier* copier) {
  std::vector<Value> names;
  for (int32_t op : c.ops) {
    const ir::Node& node = f.nodes()[static_cast<size_t>(op)];
    names.push_back((*copier)(node.result()));
    copier->CopyNode(node);
  }
  for (size_t i = 0; i < c.ops.size(); ++i) {  // the others keep their first results
    const Value v = f.nodes()[static_cast<size_t>(c.ops[i])].result();
    if (v != c.value) copier->Map(v, names[i]);
  }
  for (int32_t view : views) {
    if (view < c.again) copier->CopyNode(f.nodes()[static_cast<size_t>(view)]);
  }
}

// The function with the chosen values computed again: before c.again, for all uses from there on.
ir::Function WithRepeats(const ir::Function& f, const std::vector<Choice>& choices) {
  const std::vector<std::vector<int32_t>> views = ViewsOf(f);
  std::multimap<int32_t, const Choice*> at;
  for (const Choice& c : choices) at.emplace(c.again, &c);
  ir::Function out(f.name());
  Copier copier(f, &out);
  CopySignature(f, &out, &copier);
  for (int32_t i = 0; i < static_cast<int32_t>(f.nodes().size()); ++i) {
    const auto [first, last] = at.equal_range(i);
    for (auto it = first; it != last; ++it) {
      Repeat(f, *it->second, views[it->second->value.index()], &copier);
    }
    copier.CopyNode(f.nodes()[static_cast<size_t>(i)]);
  }
  CopyResults(f, &out, copier);
  return out;
}

}  // namespace

int64_t Recompute(ir::Function* f, int64_t bytes) {
  int64_t most = 0;
  for (int round = 0; round < kMaxRounds; ++round) {
    Chooser chooser(*f);
    const auto [peak, live] = chooser.Peak();
    most = live;
    if (live <= bytes) break;
    const std::vector<Choice> choices = chooser.Choose(peak, live - bytes);
    if (choices.empty()) break;
    *f = WithRepeats(*f, choices);
  }
  return most;
}

}  // namespace reel::passes
