#ifndef REEL_CODEGEN_AOT_WEIGHTS_H_
#define REEL_CODEGEN_AOT_WEIGHTS_H_

#include "codegen/aot/names.h"
#include "codegen/llvm/ir_headers.h"
#include "codegen/program/program.h"
#include "codegen/target/target.h"

namespace reel::codegen {

/// Adds NAME_save_size, NAME_save and NAME_load, if LayOutWeights gives a layout: the variables of an instance to and
/// from a safetensors file in memory. They allocate nothing, and believe no byte of the file before it was checked.
/// `instance_bytes`: of the object, which may be more than the program's.
void AddWeights(const Program& program, const ObjectNames& names, const Target& target, int64_t instance_bytes,
                llvm::Module* module);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_AOT_WEIGHTS_H_
