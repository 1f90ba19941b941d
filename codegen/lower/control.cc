#include "codegen/lower/control.h"

namespace reel::codegen {

using llvm::Value;

ControlBuilder::ControlBuilder(llvm::Function* function)
    : function_(function), context_(function->getContext()), b_(context_) {
  b_.SetInsertPoint(NewBlock("entry"));
}

llvm::AllocaInst* ControlBuilder::Array(llvm::Type* type, int64_t n) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  llvm::IRBuilder<> front(&entry, entry.begin());
  return front.CreateAlloca(type, n == 1 ? nullptr : Int(n));
}

llvm::AllocaInst* ControlBuilder::Variable(Value* value) {
  llvm::AllocaInst* variable = Array(value->getType(), 1);
  Set(variable, value);
  return variable;
}

void ControlBuilder::While(const std::function<Value*()>& condition, const std::function<void()>& body) {
  llvm::BasicBlock *test = NewBlock("while"), *inside = NewBlock("do"), *done = NewBlock("done");
  b_.CreateBr(test);
  b_.SetInsertPoint(test);
  b_.CreateCondBr(condition(), inside, done);
  b_.SetInsertPoint(inside);
  body();
  b_.CreateBr(test);
  b_.SetInsertPoint(done);
}

void ControlBuilder::For(Value* begin, Value* end, int64_t step, const std::function<void(Value*)>& body) {
  llvm::AllocaInst* i = Variable(begin);
  While([&] { return Less(Get(i), end); },
        [&] {
          Value* at = Get(i);
          body(at);
          Set(i, Add(at, Int(step)));
        });
}

void ControlBuilder::If(Value* condition, const std::function<void()>& then, const std::function<void()>& otherwise) {
  llvm::BasicBlock *yes = NewBlock("then"), *no = otherwise ? NewBlock("else") : nullptr, *done = NewBlock("end");
  b_.CreateCondBr(condition, yes, no != nullptr ? no : done);
  b_.SetInsertPoint(yes);
  then();
  b_.CreateBr(done);
  if (no != nullptr) {
    b_.SetInsertPoint(no);
    otherwise();
    b_.CreateBr(done);
  }
  b_.SetInsertPoint(done);
}

Value* ControlBuilder::AndThen(Value* first, const std::function<Value*()>& second) {
  llvm::BasicBlock *before = b_.GetInsertBlock(), *more = NewBlock("and"), *done = NewBlock("both");
  b_.CreateCondBr(first, more, done);
  b_.SetInsertPoint(more);
  Value* value = second();
  llvm::BasicBlock* after = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::PHINode* both = b_.CreatePHI(b_.getInt1Ty(), 2);
  both->addIncoming(b_.getFalse(), before);
  both->addIncoming(value, after);
  return both;
}

}  // namespace reel::codegen
