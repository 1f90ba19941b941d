#include <algorithm>
#include <numeric>

#include "passes/simplify/site.h"

namespace reel::passes {
namespace {

using Ints = std::vector<int64_t>;

// If `v` is a transpose that keeps the order of the axes in neither list, names the axes of what it
// transposes instead. The order of summation is that of the lists, so the bits stay.
bool Absorb(const Site& site, ir::Value* v, Ints* batch, Ints* contract) {
  const ir::Node* node = site.f().producer(*v);
  if (!node || node->op != ir::Op::kTranspose) return false;
  const auto& permutation = node->attr<Ints>("permutation");
  const auto has = [](const Ints& list, int64_t x) { return std::find(list.begin(), list.end(), x) != list.end(); };
  Ints rest;
  for (size_t i = 0; i < permutation.size(); ++i) {
    const auto axis = static_cast<int64_t>(i);
    if (!has(*batch, axis) && !has(*contract, axis)) rest.push_back(permutation[i]);
  }
  if (!std::is_sorted(rest.begin(), rest.end())) return false;
  for (Ints* list : {batch, contract}) {
    for (int64_t& axis : *list) axis = permutation[static_cast<size_t>(axis)];
  }
  *v = node->operands[0];
  return true;
}

// transpose(contract(a, b)) = contract(b, a) if it exchanges their axes: the products and the order
// of their sums stay.
ir::Value Exchanged(Site& site) {
  const ir::Node* node = site.f().producer(site.x());
  if (!site.sole_user || !node || node->op != ir::Op::kContract) return {};
  if (IsComplex(site.type.dtype)) return {};
  const auto ints = [node](const char* name) { return node->attr<Ints>(name); };
  const ir::Value a = node->operands[0], b = node->operands[1];
  const auto batch = static_cast<std::ptrdiff_t>(ints("a_batch").size()),
             deep = static_cast<std::ptrdiff_t>(ints("a_contract").size());
  const std::ptrdiff_t rows = site.f().type(a).shape.rank() - batch - deep;
  Ints wanted(site.attr<Ints>("permutation").size());
  std::iota(wanted.begin(), wanted.end(), 0);
  std::rotate(wanted.begin() + batch, wanted.begin() + batch + rows, wanted.end());
  if (site.attr<Ints>("permutation") != wanted) return {};
  return site.b.Contract(b, a, {ints("b_batch"), ints("a_batch"), ints("b_contract"), ints("a_contract")});
}

}  // namespace

// contract(transpose(a), b) = contract(a, b) with other axes
ir::Value SimplifyContract(Site& site) {
  if (site.op == ir::Op::kTranspose) return Exchanged(site);
  if (site.op != ir::Op::kContract) return {};
  ir::Value a = site.operands[0], b = site.operands[1];
  ir::Builder::ContractAxes axes{site.attr<Ints>("a_batch"), site.attr<Ints>("b_batch"), site.attr<Ints>("a_contract"),
                                 site.attr<Ints>("b_contract")};
  const bool changed_a = Absorb(site, &a, &axes.a_batch, &axes.a_contract);
  const bool changed_b = Absorb(site, &b, &axes.b_batch, &axes.b_contract);
  return changed_a || changed_b ? site.b.Contract(a, b, axes) : ir::Value{};
}

}  // namespace reel::passes
