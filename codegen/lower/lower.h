#ifndef REEL_CODEGEN_LOWER_LOWER_H_
#define REEL_CODEGEN_LOWER_LOWER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/llvm/ir_headers.h"
#include "codegen/loop/loop.h"
#include "codegen/program/program.h"
#include "codegen/program/symbols.h"
#include "codegen/target/target.h"

// Loop trees and programs to LLVM IR, and LLVM IR to machine code.

namespace llvm {
class TargetMachine;
}

namespace reel::codegen {

/// LLVM's code generator for a target. Position independent; no fusing of multiplications and
/// additions.
absl::StatusOr<std::unique_ptr<llvm::TargetMachine>> MakeTargetMachine(const Target& target, int opt_level);
/// An empty module for the machine.
std::unique_ptr<llvm::Module> MakeModule(llvm::LLVMContext& context, const std::string& name,
                                         const llvm::TargetMachine& machine);

/// Adds `void symbol(ptr buffers, i64 chunk)`, where buffers is an array of pointers in the order
/// of Kernel::buffers.
absl::StatusOr<llvm::Function*> LowerKernel(const Kernel& kernel, const Target& target, const std::string& symbol,
                                            llvm::Module* module);

/// Names of what an entry point refers to.
struct ProgramSymbols {
  std::vector<std::string> kernels;  ///< by kernel; equal kernels share one
  std::string constants;             ///< all constants in one block, 64-byte aligned
  ConstantLayout layout;
  size_t most_buffers = 1;           ///< of a step
};

/// Symbols prefix_k<i>_<kernel name> and prefix_constants; equal kernels get the symbol of the
/// first.
ProgramSymbols NameSymbols(const Program& program, const std::string& prefix);

/// Adds `i32 symbol(ptr instance, ptr arguments, ptr results)`, which runs the steps in order. Long
/// entry points are split into internal functions; time is looked at before each.
absl::StatusOr<llvm::Function*> LowerEntry(const Program& program, const EntryPoint& entry,
                                           const ProgramSymbols& symbols, const Target& target,
                                           const std::string& symbol, llvm::Module* module,
                                           const ir::BudgetMeter* meter = nullptr);

/// Verifies the module (a mistake of ours becomes an InternalError) and, from level 1, brings
/// locals to registers, removes common subexpressions and takes index arithmetic out of loops.
/// Time is looked at before every function.
absl::Status Optimize(llvm::Module* module, llvm::TargetMachine* machine, int opt_level,
                      const ir::BudgetMeter* meter = nullptr);

/// Object code or assembly text of an optimized module. Time is looked at before every row of passes on a function;
/// what the module holds when it is up is gone.
absl::StatusOr<llvm::SmallVector<char, 0>> EmitCode(llvm::Module* module, llvm::TargetMachine* machine, bool assembly,
                                                    const ir::BudgetMeter* meter = nullptr);

/// LLVM's text of a module.
std::string ModuleText(const llvm::Module& module);

/// Attributes all generated functions share: the target's CPU, features and vector width.
void SetFunctionAttributes(llvm::Function* function, const Target& target);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOWER_LOWER_H_
