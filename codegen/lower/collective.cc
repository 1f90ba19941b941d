#include "codegen/lower/collective.h"

#include <algorithm>
#include <cstddef>
#include <string>

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
};

// Internal `i32 reel.<op>(instance, to, from, bytes, size, root)`, one a module.
class CollectiveWriter {
 public:
  CollectiveWriter(llvm::Module* module, const Target& target, llvm::Function* function)
      : layout_(target), function_(function), b_(module->getContext()) {}

  void Run(ir::Op op) {
    llvm::BasicBlock *entry = Block("entry"), *known = Block("known"), *good = Block("good"), *none = Block("none");
    b_.SetInsertPoint(none);
    b_.CreateRet(b_.getInt32(REEL_NO_COMMUNICATOR));
    b_.SetInsertPoint(entry);
    Value* place = At(function_->getArg(0), offsetof(reel_instance, communicator));
    Value* communicator = b_.CreateLoad(b_.getPtrTy(), place);
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

  void Communicate(ir::Op op, Value* communicator) {
    llvm::Type *ptr = b_.getPtrTy(), *i64 = b_.getInt64Ty(), *i32 = b_.getInt32Ty();
    Value *to = function_->getArg(1), *from = function_->getArg(2), *bytes = function_->getArg(3);
    Value* context = b_.CreateLoad(ptr, At(communicator, layout_.context));
    Value* called = b_.CreateLoad(ptr, At(communicator, layout_.Function(op)));
    Value* status = nullptr;
    if (op == ir::Op::kBroadcastFrom) {
      b_.CreateMemCpy(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1), bytes);
      auto* type = llvm::FunctionType::get(i32, {ptr, ptr, i64, i64}, false);
      status = b_.CreateCall(type, called, {context, to, bytes, function_->getArg(5)});
    } else {
      auto* type = llvm::FunctionType::get(i32, {ptr, ptr, ptr, i64}, false);
      status = b_.CreateCall(type, called, {context, from, to, bytes});
    }
    Value* failed = b_.CreateICmpNE(status, b_.getInt32(0));
    b_.CreateRet(b_.CreateSelect(failed, b_.getInt32(REEL_COMMUNICATION_FAILED), b_.getInt32(REEL_OK)));
  }

  const CommunicatorLayout layout_;
  llvm::Function* function_;
  llvm::IRBuilder<> b_;
};

llvm::Function* CollectiveFunction(llvm::Module* module, ir::Op op, const Target& target) {
  const std::string name = StrCat("reel.", ir::Name(op));
  if (llvm::Function* known = module->getFunction(name)) return known;
  llvm::LLVMContext& context = module->getContext();
  llvm::Type *ptr = llvm::PointerType::getUnqual(context), *i64 = llvm::Type::getInt64Ty(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {ptr, ptr, ptr, i64, i64, i64}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
  SetFunctionAttributes(function, target);
  CollectiveWriter(module, target, function).Run(op);
  return function;
}

}  // namespace

Value* EmitCollective(llvm::IRBuilderBase& b, const CollectiveSite& site, Value* instance, Value* to, Value* from,
                      const Target& target) {
  if (site.size == 1) {  // what a member sends itself
    if (from == nullptr) b.CreateStore(b.getInt64(0), to);
    if (from != nullptr) {
      b.CreateMemCpy(to, llvm::MaybeAlign(1), from, llvm::MaybeAlign(1), static_cast<uint64_t>(site.bytes));
    }
    return b.getInt32(REEL_OK);
  }
  llvm::Function* function = CollectiveFunction(b.GetInsertBlock()->getModule(), site.op, target);
  Value* source = from != nullptr ? from : llvm::ConstantPointerNull::get(b.getPtrTy());
  return b.CreateCall(function, {instance, to, source, Int64(b, site.bytes), Int64(b, site.size), Int64(b, site.root)});
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
