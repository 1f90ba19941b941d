// Entry points: kernel calls and copies in order, on constant offsets.
#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_map>

#include "absl/container/flat_hash_map.h"
#include "codegen/lower/lower.h"
#include "ir/strings.h"
#include "runtime/abi.h"

namespace reel::codegen {
namespace {

using llvm::Value;

/// Steps in one function: code generation stays linear in the length of a program.
constexpr size_t kStepsPerFunction = 2000;

Value* Int64(llvm::IRBuilderBase& b, int64_t x) { return b.getInt64(static_cast<uint64_t>(x)); }

/// Letters, digits and underscores of a name, at most 40.
std::string SymbolPart(const std::string& name) {
  std::string out;
  for (char c : name.substr(0, 40)) {
    const bool plain = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
    out += plain ? c : '_';
  }
  return out;
}

/// Internal `void reel.run(kernel, buffers, chunks, instance)`: all chunks, through the instance's
/// parallel_for if it has one.
llvm::Function* RunFunction(llvm::Module* module, const Target& target) {
  if (llvm::Function* known = module->getFunction("reel.run")) return known;
  llvm::LLVMContext& context = module->getContext();
  llvm::IRBuilder<> b(context);
  llvm::Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty(), *none = b.getVoidTy();
  auto* function =
      llvm::Function::Create(llvm::FunctionType::get(none, {ptr, ptr, i64, ptr}, false),
                             llvm::Function::InternalLinkage, "reel.run", module);
  SetFunctionAttributes(function, target);
  Value *kernel = function->getArg(0), *buffers = function->getArg(1);
  Value *chunks = function->getArg(2), *instance = function->getArg(3);
  auto* body_type = llvm::FunctionType::get(none, {ptr, i64}, false);
  auto* parallel_type = llvm::FunctionType::get(none, {ptr, i64, ptr, ptr}, false);
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(context, name, function); };
  llvm::BasicBlock *entry = block("entry"), *parallel = block("parallel");
  llvm::BasicBlock *serial = block("serial"), *done = block("done");
  b.SetInsertPoint(entry);
  auto field = [&](uint64_t offset) {
    return b.CreateLoad(ptr, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), instance, offset));
  };
  Value* parallel_for = field(offsetof(reel_instance, parallel_for));
  b.CreateCondBr(b.CreateIsNull(parallel_for), serial, parallel);
  b.SetInsertPoint(parallel);
  b.CreateCall(parallel_type, parallel_for,
               {field(offsetof(reel_instance, context)), chunks, kernel, buffers});
  b.CreateBr(done);
  b.SetInsertPoint(serial);
  llvm::PHINode* chunk = b.CreatePHI(i64, 2);
  b.CreateCall(body_type, kernel, {buffers, chunk});
  Value* next = b.CreateAdd(chunk, b.getInt64(1));
  chunk->addIncoming(b.getInt64(0), entry);
  chunk->addIncoming(next, serial);
  b.CreateCondBr(b.CreateICmpSLT(next, chunks), serial, done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return function;
}

/// Emits consecutive steps into one function (ptr instance, ptr arguments, ptr results).
class StepEmitter {
 public:
  StepEmitter(const Program& program, const ProgramSymbols& symbols, const Target& target,
              llvm::Function* function)
      : program_(program),
        symbols_(symbols),
        target_(target),
        function_(function),
        module_(function->getParent()),
        b_(function->getContext()) {
    b_.SetInsertPoint(llvm::BasicBlock::Create(function->getContext(), "entry", function));
  }

  llvm::IRBuilder<>& builder() { return b_; }

  void Emit(const Step* first, const Step* last) {
    size_t most = 1;
    for (const Step* s = first; s != last; ++s) most = std::max(most, s->buffers.size());
    table_ = b_.CreateAlloca(llvm::ArrayType::get(b_.getPtrTy(), most), nullptr, "buffers");
    for (const Step* s = first; s != last; ++s) s->kernel < 0 ? Copy(*s) : Call(*s);
  }

 private:
  /// Pointer i of an array of pointers that nothing writes.
  Value* Element(unsigned argument, int32_t i) {
    Value*& known = pointers_[{argument, i}];
    if (known == nullptr) {
      Value* slot = b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), function_->getArg(argument),
                                                  static_cast<uint64_t>(i));
      known = b_.CreateLoad(b_.getPtrTy(), slot);
    }
    return known;
  }

  Value* Pointer(const Slot& slot) {
    switch (slot.kind) {
      case Slot::Kind::kArgument:
        return Element(1, slot.index);
      case Slot::Kind::kResult:
        return Element(2, slot.index);
      case Slot::Kind::kConstant:
        return module_->getOrInsertGlobal(symbols_.constants[static_cast<size_t>(slot.index)],
                                          b_.getInt8Ty());
      case Slot::Kind::kInstance:
        break;
    }
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), function_->getArg(0),
                                         static_cast<uint64_t>(slot.offset));
  }

  void Copy(const Step& s) {
    if (s.bytes == 0 || s.buffers[0] == s.buffers[1]) return;
    b_.CreateMemCpy(Pointer(s.buffers[0]), llvm::MaybeAlign(1), Pointer(s.buffers[1]),
                    llvm::MaybeAlign(1), static_cast<uint64_t>(s.bytes));
  }

  void Call(const Step& s) {
    const int64_t chunks = program_.kernels[static_cast<size_t>(s.kernel)].chunks();
    if (chunks == 0) return;
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy(), b_.getInt64Ty()}, false);
    llvm::FunctionCallee kernel =
        module_->getOrInsertFunction(symbols_.kernels[static_cast<size_t>(s.kernel)], type);
    for (size_t i = 0; i < s.buffers.size(); ++i) {
      b_.CreateStore(Pointer(s.buffers[i]),
                     b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), table_, i));
    }
    if (chunks == 1) {
      b_.CreateCall(kernel, {table_, b_.getInt64(0)});
    } else {
      b_.CreateCall(RunFunction(module_, target_),
                    {kernel.getCallee(), table_, Int64(b_, chunks), function_->getArg(0)});
    }
  }

  const Program& program_;
  const ProgramSymbols& symbols_;
  const Target& target_;
  llvm::Function* function_;
  llvm::Module* module_;
  llvm::IRBuilder<> b_;
  Value* table_ = nullptr;
  absl::flat_hash_map<std::pair<unsigned, int32_t>, Value*> pointers_;
};

}  // namespace

ProgramSymbols NameSymbols(const Program& program, const std::string& prefix) {
  ProgramSymbols symbols;
  std::unordered_map<uint64_t, std::string> by_content;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    const Kernel& kernel = program.kernels[i];
    auto [it, is_new] = by_content.try_emplace(Fingerprint(kernel));
    if (is_new) it->second = StrCat(prefix, "_k", i, "_", SymbolPart(kernel.name));
    symbols.kernels.push_back(it->second);
  }
  for (size_t i = 0; i < program.constants.size(); ++i) {
    symbols.constants.push_back(StrCat(prefix, "_c", i));
  }
  return symbols;
}

llvm::Function* LowerEntry(const Program& program, const EntryPoint& entry,
                           const ProgramSymbols& symbols, const Target& target,
                           const std::string& symbol, llvm::Module* module) {
  llvm::LLVMContext& context = module->getContext();
  llvm::Type* ptr = llvm::PointerType::get(context, 0);
  auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {ptr, ptr, ptr}, false);
  auto make = [&](const std::string& name, llvm::Function::LinkageTypes linkage) {
    auto* function = llvm::Function::Create(type, linkage, name, module);
    SetFunctionAttributes(function, target);
    return function;
  };
  llvm::Function* main = make(symbol, llvm::Function::ExternalLinkage);
  const std::vector<Step>& steps = entry.steps;
  StepEmitter top(program, symbols, target, main);
  llvm::IRBuilder<>& b = top.builder();
  if (steps.size() <= kStepsPerFunction) {
    top.Emit(steps.data(), steps.data() + steps.size());
  } else {
    for (size_t at = 0; at < steps.size(); at += kStepsPerFunction) {
      const size_t end = std::min(steps.size(), at + kStepsPerFunction);
      llvm::Function* part = make(StrCat(symbol, ".", at), llvm::Function::InternalLinkage);
      StepEmitter emitter(program, symbols, target, part);
      emitter.Emit(steps.data() + at, steps.data() + end);
      emitter.builder().CreateRet(emitter.builder().getInt32(REEL_OK));
      b.CreateCall(part, {main->getArg(0), main->getArg(1), main->getArg(2)});
    }
  }
  b.CreateRet(b.getInt32(REEL_OK));
  return main;
}

}  // namespace reel::codegen
