#ifndef REEL_PASSES_REWRITE_H_
#define REEL_PASSES_REWRITE_H_

#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/budget_scope.h"
#include "ir/builder.h"
#include "ir/graph.h"

namespace reel::passes {

/// Copies nodes of one function to the end of another, renaming values: how passes rewrite, since
/// nodes never change in place.
class Copier {
 public:
  Copier(const ir::Function& from, ir::Function* to)
      : from_(from), to_(to), map_(static_cast<size_t>(from.num_values())), locations_(from.locations().size(), -1) {}

  /// Says what a value of the source is called in the target.
  void Map(ir::Value from, ir::Value to) { map_[static_cast<size_t>(from.id)] = to; }
  /// The target's name of a source value; invalid if it has none.
  ir::Value operator()(ir::Value from) const { return map_[static_cast<size_t>(from.id)]; }
  ir::ValueList operator()(absl::Span<const ir::Value> from) const;
  /// Copies a node whose operands all have names, its location and name hints.
  void CopyNode(const ir::Node& node);
  /// Copies all nodes in order.
  void CopyNodes();
  /// The target's index of a location of the source.
  int32_t MapLocation(int32_t location);

 private:
  const ir::Function& from_;
  ir::Function* to_;
  std::vector<ir::Value> map_;
  std::vector<int32_t> locations_;
};

/// Adds the arguments and state of `from` to an empty `to` and maps them.
void CopySignature(const ir::Function& from, ir::Function* to, Copier* copier);
/// Sets the results of `to` from those of `from`, with their names.
void CopyResults(const ir::Function& from, ir::Function* to, const Copier& copier);

/// By value: how often it is read, as a result too.
std::vector<int> CountReads(const ir::Function& f);
/// Per node: whether a result of the function depends on it.
std::vector<bool> LiveNodes(const ir::Function& f);
/// The function without nodes on which no result depends. With `keep_parameter`, also without the
/// parameters it marks false, which no live node or result may use; the function must then have no
/// state.
ir::Function WithoutDeadNodes(const ir::Function& f, const std::vector<bool>* keep_parameter = nullptr);

/// Rebuilds a function node by node. visit(node, copier, builder) looks at a node of the old
/// function and either maps all its results to values of the new one, and returns true, or returns
/// false to have it copied. Operands already have their names in the new function:
/// copier(node.operands). Returns whether any visit returned true; only then is the function
/// replaced.
template <typename Visit>
absl::StatusOr<bool> Rewrite(ir::Function* f, const ir::Module* m, Visit visit) {
  ir::Function out(f->name());
  Copier copier(*f, &out);
  CopySignature(*f, &out, &copier);
  ir::Builder builder(&out, m);
  bool changed = false;
  for (const ir::Node& node : f->nodes()) {
    ir::ChargeVisits(1);
    builder.set_location(copier.MapLocation(node.location));
    if (visit(node, copier, builder)) {
      changed = true;
    } else {
      copier.CopyNode(node);
    }
    if (!builder.status().ok()) return builder.status();
  }
  if (!changed) return false;
  CopyResults(*f, &out, copier);
  *f = std::move(out);
  return true;
}

}  // namespace reel::passes

#endif  // REEL_PASSES_REWRITE_H_
