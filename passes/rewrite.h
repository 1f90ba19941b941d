#ifndef REEL_PASSES_REWRITE_H_
#define REEL_PASSES_REWRITE_H_

#include <vector>

#include "absl/types/span.h"
#include "ir/graph.h"

namespace reel::passes {

/// Copies nodes of one function to the end of another, renaming values: how passes rewrite, since
/// nodes never change in place.
class Copier {
 public:
  Copier(const ir::Function& from, ir::Function* to)
      : from_(from), to_(to), map_(static_cast<size_t>(from.num_values())),
        locations_(from.locations().size(), -1) {}

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

/// Per node: whether a result of the function depends on it.
std::vector<bool> LiveNodes(const ir::Function& f);
/// The function without nodes on which no result depends. With `keep_parameter`, also without the
/// parameters it marks false, which no live node or result may use; the function must then have no
/// state.
ir::Function WithoutDeadNodes(const ir::Function& f,
                              const std::vector<bool>* keep_parameter = nullptr);

}  // namespace reel::passes

#endif  // REEL_PASSES_REWRITE_H_
