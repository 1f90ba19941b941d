#ifndef REEL_CODEGEN_LOWER_COLLECTIVE_H_
#define REEL_CODEGEN_LOWER_COLLECTIVE_H_

#include "codegen/llvm/ir_headers.h"
#include "codegen/program/program.h"
#include "codegen/target/target.h"

namespace reel::codegen {

/// A collective of the instance's communicator, from `from` (null: group_rank) to `to`: a reel_status.
llvm::Value* EmitCollective(llvm::IRBuilderBase& b, const CollectiveSite& site, llvm::Value* instance, llvm::Value* to,
                            llvm::Value* from, const Target& target);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOWER_COLLECTIVE_H_
