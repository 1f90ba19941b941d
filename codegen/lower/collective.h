#ifndef REEL_CODEGEN_LOWER_COLLECTIVE_H_
#define REEL_CODEGEN_LOWER_COLLECTIVE_H_

#include <cstdint>
#include <vector>

#include "codegen/llvm/ir_headers.h"
#include "codegen/program/program.h"
#include "codegen/target/target.h"

namespace reel::codegen {

/// A collective of the instance's communicator, from `from` (null: group_rank) to `to`: a reel_status. With `number`,
/// the address of an i64, it is only started, if the communicator can.
llvm::Value* EmitCollective(llvm::IRBuilderBase& b, const CollectiveSite& site, llvm::Value* instance, llvm::Value* to,
                            llvm::Value* from, const Target& target, llvm::Value* number = nullptr);
/// Ends what was started with this number: a reel_status.
llvm::Value* EmitWait(llvm::IRBuilderBase& b, llvm::Value* instance, llvm::Value* number, const Target& target);

/// The members of the group that the steps talk to; 1: they talk to none. As deep as control steps are nested.
int64_t GroupSizeOf(const Program& program, const std::vector<Step>& steps);
/// REEL_OK if the instance's communicator has so many members: a reel_status.
llvm::Value* EmitGroupCheck(llvm::IRBuilderBase& b, int64_t size, llvm::Value* instance, const Target& target);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOWER_COLLECTIVE_H_
