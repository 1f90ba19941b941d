#ifndef REEL_CODEGEN_LOWER_OPS_H_
#define REEL_CODEGEN_LOWER_OPS_H_

#include <cstdint>

#include "codegen/llvm/ir_headers.h"
#include "codegen/loop/loop.h"
#include "codegen/target/target.h"

// Scalar functions of ops.def as LLVM IR, on scalars or vectors alike. No fast-math flags anywhere.

namespace reel::codegen {

inline llvm::Value* Int64(llvm::IRBuilderBase& b, int64_t x) { return b.getInt64(static_cast<uint64_t>(x)); }

/// Type of one element in a register (bool: i1; f16 and bf16: their bits); null for complex numbers.
llvm::Type* RegisterType(llvm::LLVMContext& context, DType dtype);
/// Type of one element in memory (bool: i8).
llvm::Type* MemoryType(llvm::LLVMContext& context, DType dtype);
/// The scalar with these bits, in its register type.
llvm::Constant* ConstantOf(llvm::LLVMContext& context, DType dtype, uint64_t bits);

/// op(operands), all scalars or all vectors of one width. `from`: dtype of the last operand, `to`:
/// of the result. Null if the op has no lowering.
llvm::Value* EmitOp(llvm::IRBuilderBase& b, ir::Op op, DType from, DType to, llvm::ArrayRef<llvm::Value*> operands,
                    const Target& target);

/// Whether the op's code is dozens of instructions, of which a kernel should not have many copies.
bool IsLong(ir::Op op);
/// EmitOp as a call of an internal function of the module, made if needed: the same bits.
llvm::Value* EmitOpCall(llvm::IRBuilderBase& b, ir::Op op, DType from, DType to, llvm::ArrayRef<llvm::Value*> operands,
                        const Target& target);

/// combine(old, x) or, where it multiplies, combine(old, x * y).
llvm::Value* EmitCombine(llvm::IRBuilderBase& b, Combine combine, DType dtype, llvm::Value* old, llvm::Value* x,
                         llvm::Value* y, const Target& target);

/// Floats as integers in the same order, -0 before 0, NaN where `combine`, kMax or kMin, takes it; and back. The
/// integer instructions take one cycle each, which the latency of a tree of maxima shows.
llvm::Value* ToOrdered(llvm::IRBuilderBase& b, Combine combine, llvm::Value* x);
llvm::Value* FromOrdered(llvm::IRBuilderBase& b, llvm::Value* ordered, llvm::Type* type);

/// Word element % 4 of Philox4x32-10(counter + element / 4, key); i64 in, i32 out.
llvm::Value* EmitRandom(llvm::IRBuilderBase& b, llvm::Value* key, llvm::Value* counter, llvm::Value* element);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOWER_OPS_H_
