#ifndef REEL_PASSES_SHARD_SPLIT_H_
#define REEL_PASSES_SHARD_SPLIT_H_

#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"

// What an op does to values that are split into equal shards along an axis of rows.

namespace reel::passes {

/// Of a value that is not split: every shard sees all of it.
inline constexpr int kWhole = -1;

/// How one node is computed by shards.
struct Split {
  std::vector<int> operands;  ///< by operand: the axis that it is split along, or kWhole
  int result = kWhole;        ///< the axis that the results are split along
  /// add, max or min: a shard's result is a part of the whole one, which this op makes of them.
  std::optional<ir::Op> combine = {};
};

/// How a node whose operands are split along the axes `rows`, one of them at least, is computed by shards. Operands
/// that are whole may be wanted in parts. Unimplemented, naming the op, if it mixes the shards in another way.
absl::StatusOr<Split> SplitOf(const ir::Function& f, const ir::Node& node, const std::vector<int>& rows,
                              int64_t shards);

/// How a node that is whole gives one shard's rows along the axis, of operands of which it reads these rows alone;
/// nothing: it is computed whole and sliced.
std::optional<Split> RowsOf(const ir::Function& f, const ir::Node& node, int axis, int64_t shards);

/// The node's attributes for one shard.
ir::Attributes ShardAttributes(const ir::Function& f, const ir::Node& node, const Split& split, int64_t shards);

}  // namespace reel::passes

#endif  // REEL_PASSES_SHARD_SPLIT_H_
