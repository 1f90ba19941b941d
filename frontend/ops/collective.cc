#include <string>

#include "frontend/eager/dispatch.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "reel/distributed.h"
#include "runtime/communicator.h"

namespace reel {
namespace {

ir::Attributes Group() { return {{"size", GroupSize()}}; }

ir::Attributes Combining(Combine combine) {
  ir::Attributes attributes = Group();
  const char* kind = combine == Combine::kSum ? "sum" : combine == Combine::kMean ? "mean" : "max";
  attributes.Set("kind", std::string(kind));
  return attributes;
}

Tensor Collect(ir::Op op, const Operand& x, ir::Attributes attributes, const char* function = __builtin_FUNCTION()) {
  const internal::LocationScope scope(x, function);
  return internal::Dispatch(op, {internal::Materialize(x)}, std::move(attributes));
}

}  // namespace

int64_t GroupSize() {
  const reel_communicator* const group = runtime::CurrentCommunicator();
  return group ? group->size : 1;
}

int64_t GroupRank() {
  const reel_communicator* const group = runtime::CurrentCommunicator();
  return group ? group->rank : 0;
}

Tensor AllReduce(const Operand& x, Combine combine) { return Collect(ir::Op::kAllReduce, x, Combining(combine)); }
Tensor AllGather(const Operand& x) { return Collect(ir::Op::kAllGather, x, Group()); }
Tensor ReduceScatter(const Operand& x, Combine combine) {
  return Collect(ir::Op::kReduceScatter, x, Combining(combine));
}
Tensor AllToAll(const Operand& x) { return Collect(ir::Op::kAllToAll, x, Group()); }

Tensor BroadcastFrom(const Operand& x, int64_t root) {
  ir::Attributes attributes = Group();
  attributes.Set("root", root);
  return Collect(ir::Op::kBroadcastFrom, x, std::move(attributes));
}

}  // namespace reel
