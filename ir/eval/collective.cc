#include "ir/eval/kernels.h"
#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

// The evaluator is a group of its own, of one member: what it sends, it gets.
absl::StatusOr<KernelResults> Alone(const KernelContext& c) {
  if (const int64_t size = c.attr_int("size"); size != 1) {
    return OpError(c.op, StrCat("the evaluator is a group of one member, the op is for ", size, "; compile it"));
  }
  return KernelResults(c.operand(0));
}

}  // namespace

KERNEL(AllReduce) { return Alone(c); }
KERNEL(AllGather) { return Alone(c); }
KERNEL(ReduceScatter) { return Alone(c); }
KERNEL(AllToAll) { return Alone(c); }
KERNEL(BroadcastFrom) { return Alone(c); }

KERNEL(GroupRank) {
  if (const int64_t size = c.attr_int("size"); size != 1) {
    return OpError(c.op, StrCat("the evaluator is a group of one member, the op is for ", size, "; compile it"));
  }
  return KernelResults(ZeroTensor(c.result));
}

}  // namespace reel::ir
