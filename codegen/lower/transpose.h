#ifndef REEL_CODEGEN_LOWER_TRANSPOSE_H_
#define REEL_CODEGEN_LOWER_TRANSPOSE_H_

#include "codegen/llvm/ir_headers.h"
#include "codegen/target/target.h"

namespace reel::codegen {

/// Swaps rows and columns of a square, a power of two rows in vectors of as many elements. One internal function of the
/// module does it, on registers: LLVM takes milliseconds for the shuffles, wherever they stand.
void TransposeRows(llvm::IRBuilderBase& b, const Target& target, llvm::Module* module,
                   llvm::SmallVectorImpl<llvm::Value*>* rows);

/// The same of each square of `block` x `block` elements, a power of two, in its place; in line.
void TransposeBlocks(llvm::IRBuilderBase& b, size_t block, llvm::SmallVectorImpl<llvm::Value*>* rows);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOWER_TRANSPOSE_H_
