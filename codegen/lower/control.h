#ifndef REEL_CODEGEN_LOWER_CONTROL_H_
#define REEL_CODEGEN_LOWER_CONTROL_H_

#include <functional>

#include "codegen/llvm/ir_headers.h"

namespace reel::codegen {

/// Loops, branches and variables of a function that is written out by hand. Variables are memory: LLVM's first passes
/// bring them to registers.
class ControlBuilder {
 public:
  explicit ControlBuilder(llvm::Function* function);

  llvm::IRBuilder<>& b() { return b_; }
  llvm::LLVMContext& context() { return context_; }
  llvm::Argument* argument(unsigned i) { return function_->getArg(i); }

  llvm::Value* Int(int64_t x) { return b_.getInt64(static_cast<uint64_t>(x)); }
  llvm::Value* Add(llvm::Value* x, llvm::Value* y) { return b_.CreateNSWAdd(x, y); }
  llvm::Value* Sub(llvm::Value* x, llvm::Value* y) { return b_.CreateNSWSub(x, y); }
  llvm::Value* Less(llvm::Value* x, llvm::Value* y) { return b_.CreateICmpSLT(x, y); }
  llvm::Value* Min(llvm::Value* x, llvm::Value* y) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); }
  llvm::Value* Max(llvm::Value* x, llvm::Value* y) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smax, x, y); }

  /// A variable of the whole function, which holds the value from here on.
  llvm::AllocaInst* Variable(llvm::Value* value);
  /// Memory of the function's frame, of `n` elements.
  llvm::AllocaInst* Array(llvm::Type* type, int64_t n);
  llvm::Value* Get(llvm::AllocaInst* variable) { return b_.CreateLoad(variable->getAllocatedType(), variable); }
  void Set(llvm::AllocaInst* variable, llvm::Value* value) { b_.CreateStore(value, variable); }
  void AddTo(llvm::AllocaInst* variable, llvm::Value* value) { Set(variable, Add(Get(variable), value)); }

  void While(const std::function<llvm::Value*()>& condition, const std::function<void()>& body);
  /// i = begin, begin + step, ... below end, which is evaluated once.
  void For(llvm::Value* begin, llvm::Value* end, int64_t step, const std::function<void(llvm::Value*)>& body);
  void If(llvm::Value* condition, const std::function<void()>& then, const std::function<void()>& otherwise = {});
  /// first && second(), which is not evaluated if first is false.
  llvm::Value* AndThen(llvm::Value* first, const std::function<llvm::Value*()>& second);

 private:
  llvm::BasicBlock* NewBlock(const char* name) { return llvm::BasicBlock::Create(context_, name, function_); }

  llvm::Function* function_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> b_;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOWER_CONTROL_H_
