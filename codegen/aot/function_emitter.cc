#include "codegen/aot/function_emitter.h"

#include "ir/strings.h"

namespace reel::codegen {

using llvm::Value;

llvm::GlobalVariable* AddData(llvm::Module* module, const std::string& name, llvm::Constant* data, uint64_t alignment) {
  auto* global = llvm::cast<llvm::GlobalVariable>(module->getOrInsertGlobal(name, data->getType()));
  global->setInitializer(data);
  global->setConstant(true);
  global->setLinkage(llvm::GlobalValue::InternalLinkage);
  global->setAlignment(llvm::Align(alignment));
  return global;
}

llvm::Function* FunctionEmitter::Begin(const std::string& suffix, llvm::Type* result,
                                       llvm::ArrayRef<llvm::Type*> parameters, bool visible) {
  const auto linkage = visible ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage;
  function_ = llvm::Function::Create(llvm::FunctionType::get(result, parameters, false), linkage,
                                     StrCat(names_.name, visible ? "_" : ".", suffix), module_);
  function_->addFnAttr(llvm::Attribute::NoUnwind);
  function_->addFnAttr("target-cpu", target_.platform.baseline_cpu);
  if (!target_.platform.baseline_features.empty()) {
    function_->addFnAttr("target-features", target_.platform.baseline_features);
  }
  b_.SetInsertPoint(NewBlock("entry"));
  return function_;
}

llvm::Function* FunctionEmitter::Find(const std::string& suffix, bool visible) {
  return module_->getFunction(StrCat(names_.name, visible ? "_" : ".", suffix));
}

Value* FunctionEmitter::Local(llvm::Type* type, Value* initial) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  Value* local = llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(type);
  Set(local, initial);
  return local;
}

Value* FunctionEmitter::Get(Value* local) {
  return b_.CreateLoad(llvm::cast<llvm::AllocaInst>(local)->getAllocatedType(), local);
}

Value* FunctionEmitter::Array(uint64_t count) {
  llvm::BasicBlock& entry = function_->getEntryBlock();
  return llvm::IRBuilder<>(&entry, entry.begin()).CreateAlloca(i64_, b_.getInt64(count));
}

void FunctionEmitter::GoTo(llvm::BasicBlock* next) {
  if (b_.GetInsertBlock()->getTerminator() == nullptr) b_.CreateBr(next);
}

void FunctionEmitter::If(Value* condition, const Body& then, const Body& other) {
  llvm::BasicBlock *yes = NewBlock("then"), *no = other ? NewBlock("else") : nullptr, *done = NewBlock("done");
  b_.CreateCondBr(condition, yes, no ? no : done);
  b_.SetInsertPoint(yes);
  then();
  GoTo(done);
  if (other) {
    b_.SetInsertPoint(no);
    other();
    GoTo(done);
  }
  b_.SetInsertPoint(done);
}

void FunctionEmitter::While(const Condition& condition, const Body& body) {
  llvm::BasicBlock *head = NewBlock("head"), *each = NewBlock("each"), *done = NewBlock("all");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  b_.CreateCondBr(condition(), each, done);
  b_.SetInsertPoint(each);
  body();
  GoTo(head);
  b_.SetInsertPoint(done);
}

void FunctionEmitter::DoWhile(const Body& body, const Condition& condition) {
  llvm::BasicBlock *each = NewBlock("each"), *done = NewBlock("all");
  b_.CreateBr(each);
  b_.SetInsertPoint(each);
  body();
  b_.CreateCondBr(condition(), each, done);
  b_.SetInsertPoint(done);
}

Value* FunctionEmitter::Decide(Value* a, bool decides, const Condition& b) {
  llvm::BasicBlock *first = b_.GetInsertBlock(), *second = NewBlock("second"), *done = NewBlock("decided");
  b_.CreateCondBr(a, decides ? done : second, decides ? second : done);
  b_.SetInsertPoint(second);
  Value* other = b();
  llvm::BasicBlock* last = b_.GetInsertBlock();
  b_.CreateBr(done);
  b_.SetInsertPoint(done);
  llvm::PHINode* result = b_.CreatePHI(b_.getInt1Ty(), 2);
  result->addIncoming(b_.getInt1(decides), first);
  result->addIncoming(other, last);
  return result;
}

void FunctionEmitter::Loop(uint64_t count, const std::function<void(Value* i)>& body) {
  if (count == 0) return;
  llvm::BasicBlock *before = b_.GetInsertBlock(), *head = NewBlock("each"), *done = NewBlock("all");
  b_.CreateBr(head);
  b_.SetInsertPoint(head);
  llvm::PHINode* i = b_.CreatePHI(i64_, 2);
  i->addIncoming(Int64(0), before);
  body(i);
  Value* next = b_.CreateAdd(i, Int64(1));
  i->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpULT(next, b_.getInt64(count)), head, done);
  b_.SetInsertPoint(done);
}

void FunctionEmitter::Refuse(Value* wrong, Value* code_if_wrong) {
  If(wrong, [&] {
    if (error_slot_ == nullptr) {
      b_.CreateRet(code_if_wrong);
    } else {
      StoreError(code_if_wrong);
      b_.CreateRet(llvm::ConstantPointerNull::get(ptr_));
    }
  });
}

void FunctionEmitter::StoreError(Value* code) {
  If(b_.CreateIsNotNull(error_slot_), [&] { b_.CreateStore(code, error_slot_); });
}

Value* FunctionEmitter::Misaligned(Value* pointer, int64_t alignment) {
  Value* low = b_.CreateAnd(b_.CreatePtrToInt(pointer, i64_), Int64(alignment - 1));
  return b_.CreateICmpNE(low, b_.getInt64(0));
}

void FunctionEmitter::CheckInstance(Value* instance) {
  Refuse(b_.CreateIsNull(instance), REEL_NULL_POINTER);
  Refuse(Misaligned(instance, REEL_INSTANCE_ALIGNMENT), REEL_MISALIGNED);
  Value* magic = b_.CreateLoad(i64_, instance);
  Refuse(b_.CreateICmpNE(magic, b_.getInt64(REEL_INSTANCE_MAGIC)), REEL_NOT_INITIALIZED);
}

}  // namespace reel::codegen
