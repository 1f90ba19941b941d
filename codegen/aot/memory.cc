#include "codegen/aot/memory.h"

#include <string>

#include "codegen/lower/lower.h"

namespace reel::codegen {
namespace {

using llvm::Value;

/// `ptr name(ptr to, second, size_t bytes)`, of which `body` emits what follows.
class MemoryFunction {
 public:
  MemoryFunction(const char* name, const Target& target, llvm::Module* module, bool from_memory)
      : b_(module->getContext()), size_(b_.getIntNTy(static_cast<unsigned>(8 * target.platform.pointer_bytes))) {
    llvm::Type *ptr = b_.getPtrTy(), *second = from_memory ? ptr : static_cast<llvm::Type*>(b_.getInt32Ty());
    auto* type = llvm::FunctionType::get(ptr, {ptr, second, size_}, false);
    function_ = llvm::cast<llvm::Function>(module->getOrInsertFunction(name, type).getCallee());
    function_->setLinkage(llvm::GlobalValue::WeakAnyLinkage);
    function_->setVisibility(llvm::GlobalValue::HiddenVisibility);
    SetFunctionAttributes(function_, target);
    function_->addFnAttr("no-builtins");  // else LLVM makes a call of itself of the loop
    b_.SetInsertPoint(Block("entry"));
  }

  llvm::Function* function() { return function_; }
  llvm::IRBuilder<>& b() { return b_; }
  Value* argument(unsigned i) { return function_->getArg(i); }
  Value* Size(uint64_t n) { return llvm::ConstantInt::get(size_, n); }
  llvm::BasicBlock* Block(const char* name) { return llvm::BasicBlock::Create(b_.getContext(), name, function_); }

  /// Stores `value(i)`, a byte, at i = 0, ..., bytes - 1, or from the last to the first, then returns.
  template <typename Byte>
  void Loop(bool downward, const Byte& value) {
    llvm::BasicBlock *before = b_.GetInsertBlock(), *head = Block("head"), *body = Block("byte"), *done = Block("done");
    Value* bytes = argument(2);
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    llvm::PHINode* n = b_.CreatePHI(size_, 2);
    n->addIncoming(Size(0), before);
    b_.CreateCondBr(b_.CreateICmpULT(n, bytes), body, done);
    b_.SetInsertPoint(body);
    Value* at = downward ? b_.CreateSub(b_.CreateSub(bytes, Size(1)), n) : n;
    b_.CreateStore(value(at), b_.CreateGEP(b_.getInt8Ty(), argument(0), at));
    n->addIncoming(b_.CreateAdd(n, Size(1)), body);
    b_.CreateBr(head);
    b_.SetInsertPoint(done);
    b_.CreateRet(argument(0));
  }

  /// The byte i of the second argument.
  Value* From(Value* i) { return b_.CreateLoad(b_.getInt8Ty(), b_.CreateGEP(b_.getInt8Ty(), argument(1), i)); }

 private:
  llvm::IRBuilder<> b_;
  llvm::Type* size_;
  llvm::Function* function_;
};

}  // namespace

void AddMemoryFunctions(const Target& target, llvm::Module* module) {
  MemoryFunction copy("memcpy", target, module, true);
  copy.Loop(false, [&](Value* i) { return copy.From(i); });

  MemoryFunction move("memmove", target, module, true);
  llvm::BasicBlock *up = move.Block("up"), *down = move.Block("down");
  move.b().CreateCondBr(move.b().CreateICmpULT(move.argument(1), move.argument(0)), down, up);
  move.b().SetInsertPoint(up);
  move.Loop(false, [&](Value* i) { return move.From(i); });
  move.b().SetInsertPoint(down);
  move.Loop(true, [&](Value* i) { return move.From(i); });

  MemoryFunction set("memset", target, module, false);
  Value* byte = set.b().CreateTrunc(set.argument(1), set.b().getInt8Ty());
  set.Loop(false, [&](Value*) { return byte; });
}

}  // namespace reel::codegen
