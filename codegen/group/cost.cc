#include "codegen/group/cost.h"

#include <algorithm>

#include "codegen/group/group.h"
#include "codegen/loop/cost.h"

namespace reel::codegen {

using ir::Op;

int OwnCost(Op op) {
  switch (op) {
    case Op::kRandomBits: return 40;
    case Op::kIota: return 0;
    case Op::kDiv:
    case Op::kSqrt: return 5;
    case Op::kPad:
    case Op::kGather:
    case Op::kDynamicSlice:
    case Op::kDynamicUpdate: return 4;
    default: return IsView(op) ? 0 : std::max(1, FlopsOf(op));
  }
}

}  // namespace reel::codegen
