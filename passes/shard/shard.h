#ifndef REEL_PASSES_SHARD_SHARD_H_
#define REEL_PASSES_SHARD_SHARD_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/graph.h"

namespace reel::passes {

struct ShardOptions {
  int64_t shards = 8;   ///< of the global batch
  int64_t members = 1;  ///< of the group; each computes shards / members of them
  std::vector<bool> split = {};  ///< by argument: whether its axis 0 is the batch
  int64_t bucket_bytes = 64 << 10;  ///< what is smaller than half of it travels together, about so much at a time
  /// Each member computes its part of what updates do to single elements of variables; of those that nothing else
  /// reads, in this function or another entry point, it has its part alone: PartedVariable. No bits change.
  bool shard_optimizer = false;
};

/// A variable of which each member has its part: of as many equal ones along axis 0 the one with its rank's number. In
/// the module it has the part's type.
struct PartedVariable {
  std::string name;
  Type whole;
  /// Of all parts. Where these differ, the module's variable begins as NaN, until AddScatter's or AddBegin's function
  /// has run.
  ir::Literal initial = {};
  bool begins_alike = true;
};

/// Makes of a function on a global batch, which no other calls, what one member of a group runs. Arguments that are
/// split are the member's own part; results and variables are whole and the same for all members. What is computed of
/// rows is computed shard by shard, sums over the batch are added in a balanced tree of the shards: the bits do not
/// depend on the number of members. Calls are written out and lose their vjp: it is for what is compiled, not for what
/// is differentiated further.
///
/// Functions that it alone called go. Returns the variables of which a member has a part now.
///
/// InvalidArgument: shards do not divide a batch, members not the shards. Unimplemented, naming the op: it mixes the
/// rows in another way than by a sum, matrix product, maximum or minimum.
absl::StatusOr<std::vector<PartedVariable>> Shard(ir::Module* m, std::string_view function,
                                                  const ShardOptions& options);

/// Adds a function without arguments that gives the whole values of these variables, for all members to call.
absl::Status AddGather(ir::Module* m, const std::vector<PartedVariable>& parts, const std::string& name);
/// Adds a function that takes the whole values of these variables, of which the member keeps its parts.
absl::Status AddScatter(ir::Module* m, const std::vector<PartedVariable>& parts, const std::string& name);
/// Adds a function without arguments after which these variables have the values they begin with. Only where their
/// parts do not begin alike there is need of it.
absl::Status AddBegin(ir::Module* m, const std::vector<PartedVariable>& parts, const std::string& name);

}  // namespace reel::passes

#endif  // REEL_PASSES_SHARD_SHARD_H_
