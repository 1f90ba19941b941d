#include "codegen/group/cost.h"

#include "codegen/group/group.h"

namespace reel::codegen {

using ir::Op;

int OwnCost(Op op) {
  switch (op) {
#define OP(...)
#define UNARY(...)
#define BINARY(...)
#define FUNCTION(Enum, ...) case Op::k##Enum: return 20;
#include "ir/ops.def"
#undef OP
    case Op::kPow: case Op::kAtan2: case Op::kRem: return 40;
    case Op::kErfc: case Op::kErfInv: case Op::kErfcInv: return 40;
    case Op::kLgamma: case Op::kDigamma: return 80;
    case Op::kIgamma: case Op::kIgammac: case Op::kZeta: case Op::kPolygamma: case Op::kBetainc: return 1000;
    case Op::kRandomBits: return 40;
    case Op::kIota: return 0;
    case Op::kDiv: case Op::kSqrt: return 5;
    case Op::kPad: case Op::kGather: case Op::kDynamicSlice: case Op::kDynamicUpdate: return 4;
    default: return IsView(op) ? 0 : 1;
  }
}

}  // namespace reel::codegen
