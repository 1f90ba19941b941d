#include "codegen/lower/collective.h"

#include <algorithm>
#include <cstddef>
#include <string>
#include <vector>

#include "codegen/lower/lower.h"
#include "codegen/lower/ops.h"
#include "ir/strings.h"
#include "runtime/abi.h"

namespace reel::codegen {
namespace {

using llvm::Value;

// Where reel_communicator has what, on a target whose pointers may have 32 bits.
struct CommunicatorLayout {
  explicit CommunicatorLayout(const Target& target) : pointer(static_cast<uint64_t>(target.platform.pointer_bytes)) {}
  uint64_t pointer;
  uint64_t rank = offsetof(reel_communicator, rank), size = offsetof(reel_communicator, size),
           context = offsetof(reel_communicator, context);
  uint64_t Function(ir::Op op) const {
    const uint64_t number = op == ir::Op::kAllToAll ? 1 : op == ir::Op::kAllGather ? 2 : 3;
    return context + number * pointer;
  }
  uint64_t Start(ir::Op op) const { return context + (op == ir::Op::kAllToAll ? 4 : 5) * pointer; }
  uint64_t Wait() const { return context + 6 * pointer; }
};

// Internal `i32 reel.<op>(instance, to, from, bytes, size, root, number)`, one a module; with a number's address it
// starts what it can start. And `i32 reel.wait(instance, number)`.
class CollectiveWriter {
 public:
  CollectiveWriter(llvm::Module* module, const Target& target, llvm::Function* function)
      : layout_(target), function_(function), b_(module->getContext()) {}

  // Where there is nothing to wait with, the start has done it all.
  void RunWait() {
    llvm::BasicBlock *entry = Block("entry"), *wait = Block("wait"), *done = Block("done");
    b_.SetInsertPoint(done);
    b_.CreateRet(b_.getInt32(REEL_OK));
    b_.SetInsertPoint(entry);
    Value* communicator = Field(function_->getArg(0), offsetof(reel_instance, communicator));
    Value* called = Field(communicator, layout_.Wait());
    b_.CreateCondBr(b_.CreateIsNull(called), done, wait);
    b_.SetInsertPoint(wait);
    Value* number = b_.CreateLoad(b_.getInt64Ty(), function_->getArg(1));
    Value* context = Field(communicator, layout_.context);
    ReturnStatus(b_.CreateCall(Returns32({b_.getPtrTy(), b_.getInt64Ty()}), called, {context, number}));
  }

  void Run(ir::Op op) {
    llvm::BasicBlock *entry = Block("entry"), *known = Block("known"), *good = Block("good"), *none = Block("none");
    b_.SetInsertPoint(none);
    b_.CreateRet(b_.getInt32(REEL_NO_COMMUNICATOR));
    b_.SetInsertPoint(entry);
    Value* communicator = Field(function_->getArg(0), offsetof(reel_instance, communicator));
    b_.CreateCondBr(b_.CreateIsNull(communicator), none, known);
    b_.SetInsertPoint(known);
    Value* size = b_.CreateLoad(b_.getInt64Ty(), At(communicator, layout_.size));
    b_.CreateCondBr(b_.CreateICmpEQ(size, function_->getArg(4)), good, none);
    b_.SetInsertPoint(good);
    if (op == ir::Op::kGroupRank) {
      b_.CreateStore(b_.CreateLoad(b_.getInt64Ty(), At(communicator, layout_.rank)), function_->getArg(1));
      b_.CreateRet(b_.getInt32(REEL_OK));
    } else {
      Communicate(op, communicator);
    }
  }

 private:
  llvm::BasicBlock* Block(const char* name) { return llvm::BasicBlock::Create(b_.getContext(), name, function_); }
  Value* At(Value* base, uint64_t offset) { return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), base, offset); }

  Value* Field(Value* communicator, uint64_t offset) { return b_.CreateLoad(b_.getPtrTy(), At(communicator, offset)); }
  void ReturnStatus(Value* status) {
    Value* failed = b_.CreateICmpNE(status, b_.getInt32(0));
    b_.CreateRet(b_.CreateSelect(failed, b_.getInt32(REEL_COMMUNICATION_FAILED), b_.getInt32(REEL_OK)));
  }
  llvm::FunctionType* Returns32(const std::vector<llvm::Type*>& parameters) {
    return llvm::FunctionType::get(b_.getInt32Ty(), parameters, false);
  }

  void Communicate(ir::Op op, Value* communicator) {
    llvm::Type *ptr = b_.getPtrTy(), *i64 = b_.getInt64Ty();
    Value *to = function_->getArg(1), *from = function_->getArg(2), *bytes = function_->getArg(3);
    Value* context = Field(communicator, layout_.context);
    if (op == ir::Op::kBroadcastFrom) {
      b_.CreateMemCpy(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1), bytes);
      Value* called = Field(communicator, layout_.Function(op));
      return ReturnStatus(
          b_.CreateCall(Returns32({ptr, ptr, i64, i64}), called, {context, to, bytes, function_->getArg(5)}));
    }
    llvm::BasicBlock *wanted = Block("wanted"), *start = Block("start"), *whole = Block("whole");
    Value* number = function_->getArg(6);
    b_.CreateCondBr(b_.CreateIsNull(number), whole, wanted);
    b_.SetInsertPoint(wanted);
    Value* called = Field(communicator, layout_.Start(op));
    b_.CreateCondBr(b_.CreateIsNull(called), whole, start);
    b_.SetInsertPoint(start);
    ReturnStatus(b_.CreateCall(Returns32({ptr, ptr, ptr, i64, ptr}), called, {context, from, to, bytes, number}));
    b_.SetInsertPoint(whole);
    called = Field(communicator, layout_.Function(op));
    ReturnStatus(b_.CreateCall(Returns32({ptr, ptr, ptr, i64}), called, {context, from, to, bytes}));
  }

  const CommunicatorLayout layout_;
  llvm::Function* function_;
  llvm::IRBuilder<> b_;
};

// Internal, one of its name a module.
llvm::Function* FunctionNamed(llvm::Module* module, const std::string& name, const std::vector<llvm::Type*>& parameters,
                              const Target& target) {
  auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(module->getContext()), parameters, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
  SetFunctionAttributes(function, target);
  return function;
}

llvm::Function* CollectiveFunction(llvm::Module* module, ir::Op op, const Target& target) {
  const std::string name = StrCat("reel.", ir::Name(op));
  if (llvm::Function* known = module->getFunction(name)) return known;
  llvm::LLVMContext& context = module->getContext();
  llvm::Type *ptr = llvm::PointerType::getUnqual(context), *i64 = llvm::Type::getInt64Ty(context);
  llvm::Function* function = FunctionNamed(module, name, {ptr, ptr, ptr, i64, i64, i64, ptr}, target);
  CollectiveWriter(module, target, function).Run(op);
  return function;
}

}  // namespace

Value* EmitCollective(llvm::IRBuilderBase& b, const CollectiveSite& site, Value* instance, Value* to, Value* from,
                      const Target& target, Value* number) {
  if (site.size == 1) {  // what a member sends itself
    if (from == nullptr) b.CreateStore(b.getInt64(0), to);
    if (from != nullptr) {
      b.CreateMemCpy(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1), static_cast<uint64_t>(site.bytes));
    }
    return b.getInt32(REEL_OK);
  }
  llvm::Function* function = CollectiveFunction(b.GetInsertBlock()->getModule(), site.op, target);
  const auto or_null = [&](Value* p) { return p != nullptr ? p : llvm::ConstantPointerNull::get(b.getPtrTy()); };
  return b.CreateCall(function, {instance, to, or_null(from), Int64(b, site.bytes), Int64(b, site.size),
                                 Int64(b, site.root), or_null(number)});
}

Value* EmitWait(llvm::IRBuilderBase& b, Value* instance, Value* number, const Target& target) {
  llvm::Module* module = b.GetInsertBlock()->getModule();
  llvm::Function* function = module->getFunction("reel.wait");
  if (function == nullptr) {
    function = FunctionNamed(module, "reel.wait", {b.getPtrTy(), b.getPtrTy()}, target);
    CollectiveWriter(module, target, function).RunWait();
  }
  return b.CreateCall(function, {instance, number});
}

int64_t GroupSizeOf(const Program& program, const std::vector<Step>& steps) {
  int64_t size = 1;
  for (const Step& s : steps) {
    if (s.control == Step::Control::kCollective) {
      size = std::max(size, program.collectives[static_cast<size_t>(s.bytes)].size);
    }
    size = std::max({size, GroupSizeOf(program, s.first), GroupSizeOf(program, s.second)});
  }
  return size;
}

Value* EmitGroupCheck(llvm::IRBuilderBase& b, int64_t size, Value* instance, const Target& target) {
  Value* rank = b.CreateAlloca(b.getInt64Ty());
  return EmitCollective(b, {ir::Op::kGroupRank, size}, instance, rank, nullptr, target);
}

}  // namespace reel::codegen
