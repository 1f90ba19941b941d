#include "codegen/plan/uses.h"
#include "ir/cost.h"

#include <algorithm>

namespace reel::codegen {
namespace {

using ir::Node;
using ir::Op;
using ir::Value;

// By value: what it shows all elements of, in some order.
std::vector<Value> Origins(const ir::Function& f) {
  std::vector<Value> origins;
  for (int32_t i = 0; i < f.num_values(); ++i) {
    const Node* node = f.producer({i});
    const bool view = node && (node->op == Op::kReshape || node->op == Op::kTranspose || node->op == Op::kBroadcast);
    origins.push_back(view ? origins[node->operands[0].index()] : Value{i});
  }
  return origins;
}

// Operations from the one array v is a map of, beside small ones; more than `most` if there are several.
int64_t CostFromArray(const ir::Function& f, const std::vector<Value>& origins, const Arrays& arrays, Value v,
                      int64_t most) {
  int64_t cost = 0;
  std::vector<Value> stack{v}, seen{v};
  while (!stack.empty() && cost <= most) {
    const Node& node = *f.producer(stack.back());
    stack.pop_back();
    ++cost;
    for (Value o : node.operands) {
      const Value b = origins[o.index()];
      const bool map = b != arrays.of[v.index()] && arrays.of[b.index()] == arrays.of[v.index()];
      if (!map || std::find(seen.begin(), seen.end(), b) != seen.end()) continue;
      seen.push_back(b);
      stack.push_back(b);
    }
  }
  return cost;
}

}  // namespace

// The arrays that values are maps of by operations of cost 1, and how many maps of each several readers share.
Arrays FindArrays(const ir::Function& f, const std::vector<int>& uses, const Tuning& tuning) {
  const auto n = static_cast<size_t>(f.num_values());
  const std::vector<Value> origins = Origins(f);
  Arrays arrays{std::vector<Value>(n), std::vector<int>(n, 0)};
  for (int32_t i = 0; i < f.num_values(); ++i) {
    const Value v{i};
    arrays.of[v.index()] = v;
    const Node* node = f.producer(v);
    if (!node || !Info(node->op).Has(ir::kElementwise) || ir::CyclesOf(node->op) > 1) continue;
    Value array;
    for (Value o : node->operands) {
      const Value b = origins[o.index()];
      if (f.Is(b, Op::kIota) || 4 * f.type(b).shape.size() <= f.type(v).shape.size()) continue;
      array = array.valid() && array != arrays.of[b.index()] ? v : arrays.of[b.index()];
    }
    if (!array.valid() || array == v) continue;
    arrays.of[v.index()] = array;
    const int64_t cost = CostFromArray(f, origins, arrays, v, tuning.cheap_cycles_of_array);
    if (cost > tuning.cheap_cycles_of_array) {
      arrays.of[v.index()] = v;
    } else if (cost > tuning.cheap_cycles && uses[v.index()] > 1) {
      ++arrays.maps[array.index()];
    }
  }
  return arrays;
}

}  // namespace reel::codegen
