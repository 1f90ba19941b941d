#ifndef REEL_CODEGEN_LOWER_ADDRESSES_H_
#define REEL_CODEGEN_LOWER_ADDRESSES_H_

#include "codegen/llvm/ir_headers.h"

namespace reel::codegen {

/// Index arithmetic leaves the loops it does not depend on, and sums in addresses start with what changes least: what
/// is left in a loop are a pointer, an index and a displacement. Linear, unlike LLVM's loop strength reduction, which
/// EmitCode leaves out. Only in functions marked kHasProducts: elsewhere it gains nothing, and norm_gelu, which has
/// more addresses than registers, took up to 1.8 times as long.
inline constexpr llvm::StringLiteral kHasProducts = "reel-products";
class HoistAddressesPass : public llvm::PassInfoMixin<HoistAddressesPass> {
 public:
  llvm::PreservedAnalyses run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses);
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOWER_ADDRESSES_H_
