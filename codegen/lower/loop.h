#ifndef REEL_CODEGEN_LOWER_LOOP_H_
#define REEL_CODEGEN_LOWER_LOOP_H_

#include "absl/status/status.h"
#include "codegen/lower/lower.h"

namespace reel::codegen {

/// Fills an empty `i32 f(ptr instance, ptr arguments, ptr results)` with a loop in line (Step::in_line): its branches,
/// inner loops and counters, the kernels where they run. It returns a reel_status.
absl::Status LowerLoop(const Program& program, const Step& loop, const ProgramSymbols& symbols, const Target& target,
                       llvm::Function* function);

/// Marks functions that LowerLoop filled.
inline constexpr llvm::StringLiteral kIsLoop = "reel-loop";
/// For after LLVM's passes: puts addresses of gathers and scatters, which kernels in line may share, back beside these.
/// Code generation sees a base and offsets only within a block.
void SinkGatherAddresses(llvm::Function* function);

/// A kCheck step of a function that returns a reel_status: returns from it if the check refuses what `number` points
/// to.
void EmitCheck(llvm::IRBuilderBase& b, const Program& program, const Step& step, llvm::Value* instance,
               llvm::Value* number);

/// Returns REEL_CANCELLED from the function if reel_instance::stop says so.
void EmitPoll(llvm::IRBuilderBase& b, llvm::Value* instance);

/// What `while` does, and where: maximum_iterations of `loop`, the condition that its first steps leave. A loop that
/// may be long looks in each iteration whether it is to stop.
template <typename First, typename Condition, typename Second>
void EmitWhile(llvm::IRBuilderBase& b, const Step& loop, llvm::Value* instance, First first, Condition condition,
               Second second) {
  if (loop.maximum_iterations == 0) return;
  llvm::Function* function = b.GetInsertBlock()->getParent();
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(b.getContext(), name, function); };
  llvm::BasicBlock* before = b.GetInsertBlock();
  llvm::BasicBlock *test = block("test"), *body = block("body"), *done = block("done");
  b.CreateBr(test);
  b.SetInsertPoint(test);
  llvm::PHINode* n = b.CreatePHI(b.getInt64Ty(), 2, "n");
  n->addIncoming(b.getInt64(0), before);
  first();
  b.CreateCondBr(condition(), body, done);
  b.SetInsertPoint(body);
  if (MayBeLong(loop)) EmitPoll(b, instance);
  second();
  llvm::Value* next = b.CreateAdd(n, b.getInt64(1));
  n->addIncoming(next, b.GetInsertBlock());
  if (loop.maximum_iterations < 0) {
    b.CreateBr(test);
  } else {
    llvm::Value* most = b.getInt64(static_cast<uint64_t>(loop.maximum_iterations));
    b.CreateCondBr(b.CreateICmpSLT(next, most), test, done);
  }
  b.SetInsertPoint(done);
}

/// What `if` does: `condition` chooses.
template <typename Yes, typename No>
void EmitIf(llvm::IRBuilderBase& b, llvm::Value* condition, Yes yes, No no) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(b.getContext(), name, function); };
  llvm::BasicBlock *then = block("then"), *otherwise = block("else"), *done = block("done");
  b.CreateCondBr(condition, then, otherwise);
  b.SetInsertPoint(then);
  yes();
  b.CreateBr(done);
  b.SetInsertPoint(otherwise);
  no();
  b.CreateBr(done);
  b.SetInsertPoint(done);
}

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOWER_LOOP_H_
