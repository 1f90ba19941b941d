#include "ir/structure.h"

#include <algorithm>

#include "ir/budget_scope.h"

namespace reel::ir {
namespace {

bool SameNode(const Node& a, const Node& b) {
  return a.op == b.op && a.num_results == b.num_results && a.operands == b.operands &&
         (a.attributes == b.attributes || a.attrs() == b.attrs());
}

}  // namespace

bool SameStructure(const Function& a, const Function& b) {
  if (a.num_parameters() != b.num_parameters() || a.num_values() != b.num_values() || a.state() != b.state() ||
      a.results() != b.results()) {
    return false;
  }
  ChargeVisits(a.nodes().size());
  for (Value v{0}; v.id < a.num_values(); ++v.id) {
    if (a.type(v) != b.type(v)) return false;
  }
  return std::equal(a.nodes().begin(), a.nodes().end(), b.nodes().begin(), b.nodes().end(), SameNode);
}

}  // namespace reel::ir
