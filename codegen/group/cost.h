#ifndef REEL_CODEGEN_GROUP_COST_H_
#define REEL_CODEGEN_GROUP_COST_H_

#include "ir/ops.h"

namespace reel::codegen {

/// What an element of an op's result costs beside its operands, in additions; views cost nothing.
int OwnCost(ir::Op op);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_GROUP_COST_H_
