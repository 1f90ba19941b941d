#include <algorithm>

#include "ir/hash_map.h"
#include "ir/key_hash.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace reel::passes {
namespace {

const ir::Attributes kNoAttributes;

// What a node computes: equal keys, equal bits.
struct Key {
  ir::Op op;
  ir::ValueList operands;
  std::shared_ptr<const ir::Attributes> attributes;

  const ir::Attributes& attrs() const { return attributes ? *attributes : kNoAttributes; }
  friend bool operator==(const Key& a, const Key& b) {
    return a.op == b.op && a.operands == b.operands && (a.attributes == b.attributes || a.attrs() == b.attrs());
  }
};

// Hashes an attribute by its content.
struct HashAttribute {
  size_t operator()(int64_t v) const { return absl::HashOf(v); }
  size_t operator()(bool v) const { return absl::HashOf(v); }
  size_t operator()(const std::string& v) const { return absl::HashOf(v); }
  size_t operator()(const std::vector<int64_t>& v) const { return absl::HashOf(v); }
  size_t operator()(DType v) const { return absl::HashOf(static_cast<int>(v)); }
  size_t operator()(const Shape& v) const {
    size_t h = static_cast<size_t>(v.rank());
    for (Extent e : v) h = absl::HashOf(h, e.is_constant() ? e.value() : -1 - int64_t{e.symbol()});
    return h;
  }
  size_t operator()(const ir::Literal& v) const {
    const auto bytes = v.bytes();
    const std::string text(reinterpret_cast<const char*>(bytes.data()),
                           std::min<size_t>(bytes.size(), 1024));  // the rest is compared
    return absl::HashOf((*this)(v.shape()), static_cast<int>(v.dtype()), text);
  }
};

template <typename H>
H AbslHashValue(H h, const Key& key) {
  h = H::combine(std::move(h), static_cast<int>(key.op));
  for (ir::Value v : key.operands) h = H::combine(std::move(h), v.id);
  for (const auto& [name, value] : key.attrs().entries()) {
    h = H::combine(std::move(h), name, std::visit(HashAttribute{}, value));
  }
  return h;
}

}  // namespace

absl::StatusOr<bool> Cse(ir::Module* m, const PassContext&) {
  bool changed = false;
  for (const auto& f : m->functions()) {
    HashMap<Key, ir::Value, ir::KeyHash> seen;  // first result, in the new function
    const auto visit = [&](const ir::Node& node, Copier& copier, ir::Builder& b) {
      if (ir::IsCollective(node.op)) return false;  // as often as op by op; a callback's order is an operand
      Key key{node.op, copier(node.operands), node.attributes};
      if (ir::Info(node.op).Has(ir::kCommutative)) {
        std::sort(key.operands.begin(), key.operands.end());
      }
      const auto [it, is_new] = seen.emplace(std::move(key), ir::Value{b.function()->num_values()});
      if (is_new) return false;  // copied next, so its first result is the value noted
      for (int i = 0; i < node.num_results; ++i) copier.Map(node.result(i), {it->second.id + i});
      return true;
    };
    const auto rewritten = Rewrite(f.get(), m, visit);
    if (!rewritten.ok()) return rewritten;
    changed = changed || *rewritten;
  }
  return changed;
}

}  // namespace reel::passes
