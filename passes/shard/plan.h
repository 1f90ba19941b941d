#ifndef REEL_PASSES_SHARD_PLAN_H_
#define REEL_PASSES_SHARD_PLAN_H_

#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "ir/graph.h"
#include "passes/shard/shard.h"
#include "passes/shard/split.h"

namespace reel::passes {

/// Which values of a function have rows of the batch, and what of them is computed where. A value that has them exists
/// by shards; one that has not exists whole, and, where shards read its rows alone and an op can give these, by shards
/// too. The shards of a level come after the whole values of that level; what is combined or gathered of them is of the
/// next one.
class ShardPlan {
 public:
  /// `others`: by state, whether others than this function read it.
  ShardPlan(const ir::Function& f, const ShardOptions& options, std::vector<bool> others)
      : f_(f),
        options_(options),
        others_(std::move(others)),
        values_(static_cast<size_t>(f.num_values())),
        nodes_(f.nodes().size()) {}

  struct ValuePlan {
    int rows = kWhole;  ///< the axis of its rows; such a value is whole when it has been gathered
    bool whole = false;  ///< somebody reads all of it
    int wanted = kWhole;  ///< the axis along which shards read their rows
    /// Every reader is computed in parts by members, or keeps it as a variable: so a member needs its rows alone.
    bool part = false;
  };
  struct NodePlan {
    std::optional<Split> split;  ///< by shards, if it is
    bool whole = false;  ///< whole
    bool part = false;  ///< of what is whole, each member computes its rows alone: the update of an optimizer
    int level = 0, whole_level = 0;
  };

  absl::Status Run();

  /// Of the state parameter: a member has its part alone.
  bool IsParted(int parameter) const { return parameter >= f_.num_arguments() && of({parameter}).part; }
  bool IsSplit(int argument) const { return options_.split[static_cast<size_t>(argument)]; }
  const ValuePlan& of(ir::Value v) const { return values_[v.index()]; }
  const NodePlan& of_node(size_t n) const { return nodes_[n]; }
  int levels() const { return levels_; }

 private:
  ValuePlan& at(ir::Value v) { return values_[v.index()]; }
  bool IsRead(const ir::Node& node) const;
  absl::Status FindRows();
  absl::Status CheckState() const;
  void Want(ir::Value v, int axis);
  void WantAll(const ir::Node& node, const Split& split);
  void WantOperands(size_t n);
  void FindParts();
  bool HasParts(ir::Value v) const;
  bool CanBePart(size_t n) const;
  int LevelOf(ir::Value v, int axis) const;
  void SetLevel(size_t n);

  const ir::Function& f_;
  const ShardOptions& options_;
  const std::vector<bool> others_;
  std::vector<ValuePlan> values_;
  std::vector<NodePlan> nodes_;
  int levels_ = 1;
};

}  // namespace reel::passes

#endif  // REEL_PASSES_SHARD_PLAN_H_
