#include "codegen/lower/loop.h"

#include <cstddef>
#include <map>
#include <tuple>

#include "codegen/lower/addresses.h"
#include "codegen/lower/emitter.h"
#include "runtime/abi.h"

namespace reel::codegen {
namespace {

using llvm::Value;

class LoopEmitter {
 public:
  LoopEmitter(const Program& program, const ProgramSymbols& symbols, const Target& target, llvm::Function* function)
      : program_(program),
        symbols_(symbols),
        target_(target),
        function_(function),
        entry_(llvm::BasicBlock::Create(function->getContext(), "entry", function)),
        b_(function->getContext()) {}

  absl::Status Run(const Step& loop) {
    function_->addFnAttr(kIsLoop);
    auto* start = llvm::BasicBlock::Create(b_.getContext(), "start", function_);
    b_.SetInsertPoint(start);
    While(loop);
    b_.CreateRet(b_.getInt32(REEL_OK));
    llvm::IRBuilder<>(entry_).CreateBr(start);
    return status_;
  }

 private:
  // Recursion is as deep as control steps are nested.
  void Emit(const std::vector<Step>& steps) {
    for (const Step& s : steps) {
      switch (s.control) {
        case Step::Control::kIf: EmitIf(b_, Condition(s), [&] { Emit(s.first); }, [&] { Emit(s.second); }); break;
        case Step::Control::kWhile: While(s); break;
        case Step::Control::kCheck: EmitCheck(b_, program_, s, function_->getArg(0), Pointer(s.buffers[0])); break;
        default: s.kernel < 0 ? Copy(s) : Kernel(s);
      }
    }
  }

  void While(const Step& s) {
    EmitWhile(
        b_, s, function_->getArg(0), [&] { Emit(s.first); }, [&] { return Condition(s); }, [&] { Emit(s.second); });
  }

  Value* Condition(const Step& s) {
    return b_.CreateICmpNE(b_.CreateLoad(b_.getInt8Ty(), Pointer(s.buffers[0])), b_.getInt8(0));
  }

  void Copy(const Step& s) {
    if (s.bytes == 0 || s.buffers[0] == s.buffers[1]) return;
    b_.CreateMemCpy(Pointer(s.buffers[0]), llvm::MaybeAlign(1), Pointer(s.buffers[1]), llvm::MaybeAlign(1),
                    static_cast<uint64_t>(s.bytes));
  }

  void Kernel(const Step& s) {
    const codegen::Kernel& kernel = program_.kernels[static_cast<size_t>(s.kernel)];
    if (kernel.chunks() == 0) return;
    if (kernel.product_flops > 0) function_->addFnAttr(kHasProducts);
    std::vector<Value*> buffers;
    for (const Slot& slot : s.buffers) buffers.push_back(Pointer(slot));
    KernelEmitter emitter(kernel, target_, function_);
    const auto end = emitter.RunInLine(std::move(buffers), b_.GetInsertBlock());
    if (status_.ok()) status_ = end.status();
    if (end.ok()) b_.SetInsertPoint(*end);
  }

  /// Addresses are the same in every step: they stand in front of the loop.
  Value* Pointer(const Slot& slot) {
    Value*& pointer = pointers_[{slot.kind, slot.index, slot.offset}];
    if (pointer != nullptr) return pointer;
    llvm::IRBuilder<> b(entry_);
    const auto index = static_cast<uint64_t>(slot.index);
    const auto listed = [&](unsigned list) {
      Value* place = b.CreateConstInBoundsGEP1_64(b.getInt64Ty(), function_->getArg(list), index);
      return b.CreateLoad(b.getPtrTy(), place);
    };
    const auto at = [&](Value* base, int64_t offset) {
      return b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), base, static_cast<uint64_t>(offset));
    };
    switch (slot.kind) {
      case Slot::Kind::kArgument: return pointer = listed(1);
      case Slot::Kind::kResult: return pointer = listed(2);
      case Slot::Kind::kConstant:
        return pointer = at(function_->getParent()->getOrInsertGlobal(symbols_.constants, b.getInt8Ty()),
                            symbols_.layout.offsets[index]);
      case Slot::Kind::kInstance:
      case Slot::Kind::kLane: break;
    }
    return pointer = at(function_->getArg(0), slot.offset);
  }

  const Program& program_;
  const ProgramSymbols& symbols_;
  const Target& target_;
  llvm::Function* function_;
  llvm::BasicBlock* entry_;
  llvm::IRBuilder<> b_;
  std::map<std::tuple<Slot::Kind, int32_t, int64_t>, Value*> pointers_;
  absl::Status status_;
};

}  // namespace

void SinkGatherAddresses(llvm::Function* function) {
  for (llvm::BasicBlock& block : *function) {
    for (llvm::Instruction& i : block) {
      auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
      if (call == nullptr) continue;
      const bool gather = call->getIntrinsicID() == llvm::Intrinsic::masked_gather;
      if (!gather && call->getIntrinsicID() != llvm::Intrinsic::masked_scatter) continue;
      const unsigned operand = gather ? 0 : 1;
      auto* address = llvm::dyn_cast<llvm::GetElementPtrInst>(call->getArgOperand(operand));
      if (address == nullptr || address->getParent() == &block) continue;
      llvm::Instruction* own = address->clone();
      own->insertInto(&block, i.getIterator());
      call->setArgOperand(operand, own);
    }
  }
}

void EmitCheck(llvm::IRBuilderBase& b, const Program& program, const Step& step, Value* instance, Value* number) {
  const ValueCheck& check = program.checks[static_cast<size_t>(step.bytes)];
  llvm::Function* function = b.GetInsertBlock()->getParent();
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(b.getContext(), name, function); };
  llvm::BasicBlock *failed = block("failed"), *good = block("good");
  Value* value = b.CreateLoad(b.getIntNTy(static_cast<unsigned>(8 * SizeOf(check.dtype))), number);
  Value* wide = IsUnsigned(check.dtype) ? b.CreateZExt(value, b.getInt64Ty()) : b.CreateSExt(value, b.getInt64Ty());
  const bool index = check.op == ir::Op::kCheckIndex;
  Value* accepted = index ? b.CreateICmpULT(wide, b.getInt64(static_cast<uint64_t>(check.extent)))
                    : !check.attributes->Get<bool>("negative") ? b.CreateICmpNE(wide, b.getInt64(0))
                    : IsUnsigned(check.dtype)                  ? b.getTrue()
                                                               : b.CreateICmpSGE(wide, b.getInt64(0));
  b.CreateCondBr(accepted, good, failed, llvm::MDBuilder(b.getContext()).createBranchWeights(1 << 20, 1));
  b.SetInsertPoint(failed);
  const auto store = [&](Value* x, size_t i) {
    const uint64_t offset = offsetof(reel_instance, fault) + i * sizeof(int64_t);
    b.CreateStore(x, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), instance, offset));
  };
  store(b.getInt64(static_cast<uint64_t>(step.bytes)), 0);
  store(wide, 1);
  b.CreateRet(b.getInt32(step.lanes == 1 ? REEL_STATE_PARTLY_UPDATED : REEL_INDEX_OUT_OF_RANGE));
  b.SetInsertPoint(good);
}

void EmitPoll(llvm::IRBuilderBase& b, Value* instance) {
  llvm::Function* function = b.GetInsertBlock()->getParent();
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(b.getContext(), name, function); };
  llvm::BasicBlock *look = block("look"), *stop = block("stop"), *go_on = block("go_on");
  Value* place = b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), instance, offsetof(reel_instance, stop));
  Value* flag = b.CreateLoad(b.getPtrTy(), place);
  b.CreateCondBr(b.CreateIsNull(flag), go_on, look);
  b.SetInsertPoint(look);
  Value* stopped = b.CreateLoad(b.getInt32Ty(), flag, /*isVolatile=*/true);
  b.CreateCondBr(b.CreateIsNull(stopped), go_on, stop);
  b.SetInsertPoint(stop);
  b.CreateRet(b.getInt32(REEL_CANCELLED));
  b.SetInsertPoint(go_on);
}

absl::Status LowerLoop(const Program& program, const Step& loop, const ProgramSymbols& symbols, const Target& target,
                       llvm::Function* function) {
  return LoopEmitter(program, symbols, target, function).Run(loop);
}

}  // namespace reel::codegen
