#ifndef REEL_CODEGEN_AOT_ENTRIES_H_
#define REEL_CODEGEN_AOT_ENTRIES_H_

#include <cstddef>
#include <span>
#include <string>

#include "codegen/aot/layout.h"
#include "codegen/aot/names.h"
#include "codegen/llvm/ir_headers.h"
#include "codegen/program/code.h"

namespace reel::codegen {

/// Name of the internal function of entry point i for level `level` of a target, which AddEntries expects in the
/// module.
std::string EntrySymbol(const ObjectNames& names, const TargetProgram& level, size_t i);

/// Adds the C function of each entry point, which checks its pointers and extents and calls the code of the level that
/// the instance has, and the internal function NAME.overlaps, which AddWeights expects. `levels` ascend.
void AddEntries(std::span<const TargetProgram> levels, const ObjectNames& names, const ObjectLayout& layout,
                llvm::Module* module);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_AOT_ENTRIES_H_
