#include <algorithm>

#include "passes/gradient/rule.h"

namespace reel::passes {
namespace {

using Ints = std::vector<int64_t>;

bool Contains(const Ints& v, int64_t x) { return std::find(v.begin(), v.end(), x) != v.end(); }

// Axes in neither list, ascending.
Ints Free(int rank, const Ints& batch, const Ints& contract) {
  Ints out;
  for (int64_t i = 0; i < rank; ++i) {
    if (!Contains(batch, i) && !Contains(contract, i)) out.push_back(i);
  }
  return out;
}

// first, first + 1, ...
Ints Range(size_t first, size_t count) {
  Ints out(count);
  for (size_t i = 0; i < count; ++i) out[i] = static_cast<int64_t>(first + i);
  return out;
}

// Axis k of v is axis axes[k] of the operand: puts them in the operand's order.
ir::Value Arrange(ir::Builder& b, ir::Value v, const Ints& axes) {
  Ints permutation(axes.size());
  for (size_t k = 0; k < axes.size(); ++k) {
    permutation[static_cast<size_t>(axes[k])] = static_cast<int64_t>(k);
  }
  return std::is_sorted(permutation.begin(), permutation.end()) ? v : b.Transpose(v, permutation);
}

// The contracted axes of one operand, ordered as the matching ones of the other ascend.
Ints Matching(const Ints& mine, const Ints& other) {
  std::vector<std::pair<int64_t, int64_t>> pairs;
  for (size_t i = 0; i < mine.size(); ++i) pairs.emplace_back(other[i], mine[i]);
  std::sort(pairs.begin(), pairs.end());
  Ints out;
  for (const auto& [o, m] : pairs) out.push_back(m);
  return out;
}

Ints Join(Ints a, const Ints& b, const Ints& c) {
  a.insert(a.end(), b.begin(), b.end());
  a.insert(a.end(), c.begin(), c.end());
  return a;
}

}  // namespace

// y[batch, i, j] = sum_k a[batch, i, k] b[batch, k, j], with axes anywhere:
//   da[batch, i, k] = sum_j dy[batch, i, j] b[batch, k, j]
//   db[batch, k, j] = sum_i a[batch, i, k] dy[batch, i, j]
// with the conjugates of complex a and b.
GRAD_EACH(Contract, kB, kNone, kA, kNone) {
  const auto ints = [&g](std::string_view name) { return g.node().attr<Ints>(name); };
  const Ints a_batch = ints("a_batch"), b_batch = ints("b_batch"), a_contract = ints("a_contract"),
             b_contract = ints("b_contract");
  const Ints a_free = Free(g.x_shape(0).rank(), a_batch, a_contract);
  const Ints b_free = Free(g.x_shape(1).rank(), b_batch, b_contract);
  const Ints y_batch = Range(0, a_batch.size()), y_a = Range(a_batch.size(), a_free.size()),
             y_b = Range(a_batch.size() + a_free.size(), b_free.size());
  if (g.wants(0)) {
    const ir::Value da = b.Contract(g.dy(), Conj(b, g.in(1)), {y_batch, b_batch, y_b, b_free});
    g.Set(0, Arrange(b, da, Join(a_batch, a_free, Matching(a_contract, b_contract))));
  }
  if (g.wants(1)) {
    const ir::Value db = b.Contract(Conj(b, g.in(0)), g.dy(), {a_batch, y_batch, a_free, y_a});
    g.Set(1, Arrange(b, db, Join(b_batch, Matching(b_contract, a_contract), b_free)));
  }
}

}  // namespace reel::passes
