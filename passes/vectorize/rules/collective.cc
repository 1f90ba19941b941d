#include "passes/vectorize/rule.h"

namespace reel::passes {
namespace {

// The op's axis 0 in front, the rows behind it, and back.
void AlongFirst(BatchContext& c, ir::Builder& b) {
  const ir::Value x = MoveAxis(b, c.in(), 0, 1);
  c.Set(0, MoveAxis(b, b.Emit(c.node().op, {x}, c.node().attrs()), 1, 0));
}

}  // namespace

BATCH(AllReduce) { c.Emit({c.in()}, c.node().attrs()); }
BATCH(AllGather) { AlongFirst(c, b); }
BATCH(ReduceScatter) { AlongFirst(c, b); }
BATCH(AllToAll) { AlongFirst(c, b); }
BATCH(BroadcastFrom) { c.Emit({c.in()}, c.node().attrs()); }
SHARED(GroupRank)

}  // namespace reel::passes
