#include <algorithm>
#include <numeric>
#include <optional>

#include "ir/builder.h"
#include "ir/hash_map.h"
#include "passes/pass.h"
#include "passes/rewrite.h"
#include "passes/sink_transposes.h"
#include "passes/splat.h"

namespace reel::passes {
namespace {

using ir::Builder;
using ir::Function;
using ir::Node;
using ir::Op;
using ir::Value;
using Ints = std::vector<int64_t>;

// What a product leaves, or a map of that, and how it is shown: reshape(transpose(of, order)), either of which may be
// none.
struct Shown {
  Value of;
  Ints order;
  Shape turned;  // of the transpose
};

// By axis of `joined`: how many axes of `cut` it is, and those of extent 1 that belong to none; -1 in the first one if
// they do not come to that.
Ints AxesOf(const Shape& joined, const Shape& cut) {
  Ints owner(static_cast<size_t>(cut.rank()), -1);
  int c = 0;
  for (int j = 0; j < joined.rank(); ++j) {
    int64_t n = 1;
    for (; n < joined.dim(j) && c < cut.rank(); ++c) {
      n *= cut.dim(c);
      if (cut.dim(c) != 1) owner[static_cast<size_t>(c)] = j;
    }
    if (n != joined.dim(j)) return {};
  }
  return owner;
}

// Of one function.
class ViewSinker {
 public:
  explicit ViewSinker(const Function& before) : before_(before), reads_(CountReads(before)) {}

  bool operator()(const Node& node, Copier& copier, Builder& b) {
    if (node.op == Op::kContract) return ReadPanels(node, copier, b);
    if (!ir::Info(node.op).Has(ir::kElementwise) || node.num_results != 1) return false;
    std::optional<Shown> shown;
    for (Value v : node.operands) {
      if (!shown) shown = ShownBy(*b.function(), v, copier(v));
    }
    const Shape shape = before_.type(node.result()).shape;
    if (!shown || (shown->turned.size() != 1 && AxesOf(shape, shown->turned).empty())) return false;
    ir::ValueList parts;
    for (Value v : copier(node.operands)) parts.push_back(Below(b, v, *shown));
    copier.Map(node.result(), Above(b, b.Emit(node.op, parts, node.attrs()), shown->order, shape));
    return true;
  }

 private:
  bool ReadPanels(const Node& node, Copier& copier, Builder& b) {
    const ir::ValueList operands = copier(node.operands);
    const Value panels = PanelsOf(*b.function(), operands[1], node);
    if (!panels.valid() || b.shape(operands[0]).rank() >= kMaxRank) return false;
    const auto ints = [&](const char* name) { return node.attr<Ints>(name); };
    const Value y =
        b.Contract(operands[0], panels, {ints("a_batch"), ints("b_batch"), ints("a_contract"), ints("b_contract")});
    copier.Map(node.result(), Above(b, y, {}, before_.type(node.result()).shape));
    return true;
  }

  // What a contraction's second operand shows as one axis of columns, stored panel by panel: [..., n, panel].
  static Value PanelsOf(const Function& f, Value b, const Node& contract) {
    const Node* reshape = f.producer(b);
    const Node* turn = reshape && reshape->op == Op::kReshape ? f.producer(reshape->operands[0]) : nullptr;
    if (!turn || turn->op != Op::kTranspose || !f.is_parameter(turn->operands[0])) return {};
    const auto& order = turn->attr<Ints>("permutation");
    const Shape &to = f.type(b).shape, &from = f.type(turn->result()).shape;
    const int last = to.rank() - 1;
    if (from.rank() != last + 2 || last < 1 || order[order.size() - 2] != 0) return {};
    if (order.back() != static_cast<int64_t>(order.size()) - 1) return {};
    for (int i = 0; i < last; ++i) {
      if (from[i] != to[i]) return {};
    }
    for (const char* name : {"b_batch", "b_contract"}) {
      for (int64_t axis : contract.attr<Ints>(name)) {
        if (axis == last) return {};
      }
    }
    return turn->result();
  }

  // How a value is shown that may be views of another.
  static std::optional<Shown> Seen(const Function& f, Value v) {
    const Node* node = f.type(v).shape.is_constant() ? f.producer(v) : nullptr;
    const bool reshaped = node && node->op == Op::kReshape;
    if (reshaped) {
      v = node->operands[0];
      node = f.producer(v);
    }
    if (node && node->op == Op::kTranspose) {
      return Shown{node->operands[0], node->attr<Ints>("permutation"), f.type(v).shape};
    }
    return reshaped ? std::optional(Shown{v, {}, f.type(v).shape}) : std::nullopt;
  }

  // v: the value `before` of the function that is rewritten, if it shows such a thing.
  std::optional<Shown> ShownBy(const Function& f, Value before, Value v) const {
    auto shown = Seen(f, v);
    if (!shown || found_.contains(shown->of.id)) return shown;
    return !shown->order.empty() && IsOwnFilter(before, *shown) ? shown : std::nullopt;
  }

  // A product of one column for each of a batch, which is shown last: a convolution by a filter for each channel. What
  // else reads it would need it stored as well.
  bool IsOwnFilter(Value before, const Shown& shown) const {
    while (before_.Is(before, Op::kReshape) || before_.Is(before, Op::kTranspose)) {
      if (reads_[before.index()] != 1) return false;
      before = before_.producer(before)->operands[0];
    }
    if (!before_.Is(before, Op::kContract) || reads_[before.index()] != 1) return false;
    const Shape& y = before_.type(before).shape;
    const Node& product = *before_.producer(before);
    int last = shown.turned.rank() - 1;
    while (last > 0 && shown.turned.dim(last) == 1) --last;
    return product.attr<Ints>("a_batch").size() == 1 && y.dim(y.rank() - 1) == 1 && y.dim(0) > 1 &&
           y.rank() == static_cast<int>(shown.order.size()) && shown.order[static_cast<size_t>(last)] == 0;
  }

  // y as it is shown.
  Value Above(Builder& b, Value y, const Ints& order, const Shape& shape) {
    if (!y.valid()) return y;
    found_.insert(y.id);
    const Value turned = order.empty() ? y : b.Transpose(y, order);
    return turned.valid() && b.shape(turned) != shape ? b.Reshape(turned, shape) : turned;
  }

  // The other way, of what a map reads.
  Value Below(Builder& b, Value v, const Shown& shown) const {
    const Function& f = *b.function();
    const Shape own = f.type(shown.of).shape;
    const Node* node = f.producer(v);
    if (auto splat = SplatOf(f, v)) return b.Broadcast(b.Constant(*std::move(splat)), own, {});
    if (node && node->op == Op::kBroadcast) return BroadcastBelow(b, *node, shown, own);
    if (const auto seen = Seen(f, v); seen && seen->order == shown.order && seen->turned == shown.turned)
      return seen->of;
    const Value cut = b.shape(v) == shown.turned ? v : b.Reshape(v, shown.turned);
    return shown.order.empty() ? cut : b.Transpose(cut, Inverse(shown.order));
  }

  static Value BroadcastBelow(Builder& b, const Node& broadcast, const Shown& shown, const Shape& own) {
    const Ints owner = AxesOf(b.shape(broadcast.result()), shown.turned), axes = broadcast.attr<Ints>("axes");
    const Value x = broadcast.operands[0];
    const Shape shape = b.shape(x);
    Shape cut;
    Ints to;
    for (size_t a = 0; a < owner.size(); ++a) {
      const auto at = std::find(axes.begin(), axes.end(), owner[a]);
      if (owner[a] < 0 || at == axes.end() || shape.dim(static_cast<int>(at - axes.begin())) == 1) continue;
      cut.push_back(shown.turned[static_cast<int>(a)]);
      to.push_back(shown.order.empty() ? static_cast<int64_t>(a) : shown.order[a]);
    }
    Ints from(to.size());
    std::iota(from.begin(), from.end(), 0);
    std::sort(from.begin(), from.end(),
              [&](int64_t i, int64_t j) { return to[static_cast<size_t>(i)] < to[static_cast<size_t>(j)]; });
    std::sort(to.begin(), to.end());
    const Value parts = shape == cut ? x : b.Reshape(x, cut);
    return b.Broadcast(ir::IsIdentity(from) ? parts : b.Transpose(parts, from), own, to);
  }

  const Function& before_;
  const std::vector<int> reads_;
  HashSet<int32_t> found_;  // of the new function: what products leave, and maps of it
};

}  // namespace

absl::StatusOr<bool> SinkViews(ir::Module* m, const PassContext&) {
  bool changed = false;
  for (const auto& f : m->functions()) {
    const auto rewritten = Rewrite(f.get(), m, ViewSinker(*f));
    if (!rewritten.ok()) return rewritten;
    changed = changed || *rewritten;
  }
  return changed;
}

}  // namespace reel::passes
