// Entry points: kernel calls, copies, branches and loops in order, on constant offsets. The code of a
// step is one call; which buffers it gets are words of read-only data:
//
//   words of a step: number of buffers, chunks, then per buffer (what to add to a base << 2) | base;
//   with profiling at last the kernel's number
#include <algorithm>
#include <cstddef>
#include <string>
#include <unordered_map>

#include "codegen/lower/lower.h"
#include "ir/strings.h"
#include "runtime/abi.h"

namespace reel::codegen {
namespace {

using llvm::Value;

/// Steps in one function: code generation stays linear in the length of a program.
constexpr int64_t kStepsPerFunction = 2000;

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

/// With profiling: `void reel_profile_step(instance, kernel's number, kernel, buffers, chunks)`.
llvm::FunctionCallee ProfileStep(llvm::Module* module, llvm::IRBuilderBase& b) {
  llvm::Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty();
  return module->getOrInsertFunction(
      kProfileStep, llvm::FunctionType::get(b.getVoidTy(), {ptr, i64, ptr, ptr, i64}, false));
}

/// What a buffer's word adds to. Of the latter two, the sum points to the buffer's address.
enum Base : uint64_t { kInstance, kConstants, kArguments, kResults };

/// Internal `void reel.step(instance, arguments, results, words, kernel)`: makes the table of
/// buffers, at most `longest` of them, and runs all chunks.
llvm::Function* StepFunction(llvm::Module* module, const Target& target, llvm::Value* constants,
                             uint64_t longest, bool profile) {
  if (llvm::Function* known = module->getFunction("reel.step")) return known;
  llvm::Function* run = profile ? nullptr : RunFunction(module, target);
  llvm::LLVMContext& context = module->getContext();
  llvm::IRBuilder<> b(context);
  llvm::Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty(), *none = b.getVoidTy();
  auto* function =
      llvm::Function::Create(llvm::FunctionType::get(none, {ptr, ptr, ptr, ptr, ptr}, false),
                             llvm::Function::InternalLinkage, "reel.step", module);
  SetFunctionAttributes(function, target);
  Value *instance = function->getArg(0), *arguments = function->getArg(1);
  Value *results = function->getArg(2), *words = function->getArg(3), *kernel = function->getArg(4);
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(context, name, function); };
  llvm::BasicBlock *entry = block("entry"), *loop = block("loop"), *load = block("load");
  llvm::BasicBlock *store = block("store"), *call = block("call");

  b.SetInsertPoint(entry);
  Value* table = b.CreateAlloca(ptr, b.getInt64(longest), "buffers");
  auto word = [&](Value* i) { return b.CreateLoad(i64, b.CreateInBoundsGEP(i64, words, i)); };
  Value *count = word(b.getInt64(0)), *chunks = word(b.getInt64(1));
  b.CreateBr(loop);

  b.SetInsertPoint(loop);
  llvm::PHINode* i = b.CreatePHI(i64, 2, "i");
  Value* w = word(b.CreateAdd(i, b.getInt64(2)));
  Value* base = b.CreateAnd(w, b.getInt64(3));
  Value* direct = b.CreateSelect(b.CreateICmpEQ(base, b.getInt64(kConstants)), constants, instance);
  Value* listed = b.CreateSelect(b.CreateICmpEQ(base, b.getInt64(kResults)), results, arguments);
  Value* is_listed = b.CreateICmpUGE(base, b.getInt64(kArguments));
  Value* place = b.CreateGEP(b.getInt8Ty(), b.CreateSelect(is_listed, listed, direct),
                             b.CreateLShr(w, 2));
  b.CreateCondBr(is_listed, load, store);
  b.SetInsertPoint(load);
  Value* loaded = b.CreateLoad(ptr, place);
  b.CreateBr(store);

  b.SetInsertPoint(store);
  llvm::PHINode* buffer = b.CreatePHI(ptr, 2);
  buffer->addIncoming(place, loop);
  buffer->addIncoming(loaded, load);
  b.CreateStore(buffer, b.CreateInBoundsGEP(ptr, table, i));
  Value* next = b.CreateAdd(i, b.getInt64(1));
  i->addIncoming(b.getInt64(0), entry);
  i->addIncoming(next, store);
  b.CreateCondBr(b.CreateICmpULT(next, count), loop, call);

  b.SetInsertPoint(call);
  if (profile) {
    Value* number = word(b.CreateAdd(count, b.getInt64(2)));
    b.CreateCall(ProfileStep(module, b), {instance, number, kernel, table, chunks});
    b.CreateRetVoid();
    return function;
  }
  llvm::BasicBlock *one = block("one"), *many = block("many");
  b.CreateCondBr(b.CreateICmpEQ(chunks, b.getInt64(1)), one, many);
  b.SetInsertPoint(one);
  b.CreateCall(llvm::FunctionType::get(none, {ptr, i64}, false), kernel, {table, b.getInt64(0)});
  b.CreateRetVoid();
  b.SetInsertPoint(many);
  b.CreateCall(run, {kernel, table, chunks, instance});
  b.CreateRetVoid();
  return function;
}

/// Functions of one entry point: the symbol, then internal parts of it.
class EntryFunctions {
 public:
  EntryFunctions(std::string symbol, const Target& target, llvm::Module* module)
      : symbol_(std::move(symbol)), target_(target), module_(module) {}

  /// An empty `i32 f(ptr instance, ptr arguments, ptr results)`.
  llvm::Function* Make() {
    llvm::LLVMContext& context = module_->getContext();
    llvm::Type* ptr = llvm::PointerType::get(context, 0);
    auto* type = llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {ptr, ptr, ptr}, false);
    const bool first = count_ == 0;
    auto* function = llvm::Function::Create(
        type, first ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage,
        first ? symbol_ : StrCat(symbol_, ".", count_), module_);
    ++count_;
    SetFunctionAttributes(function, target_);
    // Nothing here is worth LLVM's time.
    function->addFnAttr(llvm::Attribute::NoInline);
    function->addFnAttr(llvm::Attribute::OptimizeNone);
    return function;
  }

 private:
  const std::string symbol_;
  const Target& target_;
  llvm::Module* module_;
  int count_ = 0;
};

/// Emits steps into one function (ptr instance, ptr arguments, ptr results). Recursion is as deep as
/// control steps are nested.
class StepEmitter {
 public:
  StepEmitter(const Program& program, const ProgramSymbols& symbols, const Target& target,
              EntryFunctions* functions)
      : program_(program),
        symbols_(symbols),
        target_(target),
        functions_(functions),
        function_(functions->Make()),
        module_(function_->getParent()),
        b_(function_->getContext()) {
    b_.SetInsertPoint(Block("entry"));
  }

  /// The function that does these steps.
  llvm::Function* Run(const Step* first, const Step* last) {
    Emit(first, last);
    b_.CreateRet(b_.getInt32(REEL_OK));
    return function_;
  }

 private:
  llvm::BasicBlock* Block(const char* name) {
    return llvm::BasicBlock::Create(function_->getContext(), name, function_);
  }

  /// Steps in place if they are few, else in functions of their own.
  void Emit(const Step* first, const Step* last) {
    const auto count = [](const Step& s) {
      return s.control == Step::Control::kNone
                 ? 1
                 : CountSteps(s.first, kStepsPerFunction) + CountSteps(s.second, kStepsPerFunction);
    };
    int64_t total = 0;
    for (const Step* s = first; s != last && total <= kStepsPerFunction; ++s) total += count(*s);
    if (total <= kStepsPerFunction || last - first == 1) {
      for (const Step* s = first; s != last; ++s) EmitOne(*s);
      return;
    }
    while (first != last) {
      const Step* end = first + 1;
      int64_t n = count(*first);
      while (end != last && (n += count(*end)) <= kStepsPerFunction) ++end;
      llvm::Function* part = StepEmitter(program_, symbols_, target_, functions_).Run(first, end);
      b_.CreateCall(part, {function_->getArg(0), function_->getArg(1), function_->getArg(2)});
      first = end;
    }
  }
  void Emit(const std::vector<Step>& steps) { Emit(steps.data(), steps.data() + steps.size()); }

  void EmitOne(const Step& s) {
    switch (s.control) {
      case Step::Control::kIf: return If(s);
      case Step::Control::kWhile: return While(s);
      case Step::Control::kNone: s.kernel < 0 ? Copy(s) : Call(s);
    }
  }

  /// The bool in a slot, as i1.
  Value* Condition(const Slot& slot) {
    return b_.CreateICmpNE(b_.CreateLoad(b_.getInt8Ty(), Pointer(slot)), b_.getInt8(0));
  }

  void If(const Step& s) {
    llvm::BasicBlock *yes = Block("then"), *no = Block("else"), *done = Block("done");
    b_.CreateCondBr(Condition(s.buffers[0]), yes, no);
    b_.SetInsertPoint(yes);
    Emit(s.first);
    b_.CreateBr(done);
    b_.SetInsertPoint(no);
    Emit(s.second);
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
  }

  void While(const Step& s) {
    if (s.maximum_iterations == 0) return;
    llvm::BasicBlock* before = b_.GetInsertBlock();
    llvm::BasicBlock *test = Block("test"), *body = Block("body"), *done = Block("done");
    b_.CreateBr(test);
    b_.SetInsertPoint(test);
    llvm::PHINode* n = b_.CreatePHI(b_.getInt64Ty(), 2, "n");
    n->addIncoming(b_.getInt64(0), before);
    Emit(s.first);
    Value* more = Condition(s.buffers[0]);
    b_.CreateCondBr(more, body, done);
    b_.SetInsertPoint(body);
    Emit(s.second);
    Value* next = b_.CreateAdd(n, b_.getInt64(1));
    n->addIncoming(next, b_.GetInsertBlock());
    if (s.maximum_iterations < 0) {
      b_.CreateBr(test);
    } else {
      b_.CreateCondBr(b_.CreateICmpSLT(next, Int64(b_, s.maximum_iterations)), test, done);
    }
    b_.SetInsertPoint(done);
  }

  Value* Constants() { return module_->getOrInsertGlobal(symbols_.constants, b_.getInt8Ty()); }

  /// What the word of a buffer says.
  std::pair<Base, uint64_t> Place(const Slot& slot) {
    const auto index = static_cast<size_t>(slot.index);
    switch (slot.kind) {
      case Slot::Kind::kArgument: return {kArguments, index * sizeof(void*)};
      case Slot::Kind::kResult: return {kResults, index * sizeof(void*)};
      case Slot::Kind::kConstant:
        return {kConstants, static_cast<uint64_t>(symbols_.layout.offsets[index])};
      case Slot::Kind::kInstance: break;
    }
    return {kInstance, static_cast<uint64_t>(slot.offset)};
  }

  Value* Pointer(const Slot& slot) {
    const auto [base, offset] = Place(slot);
    Value* const from = base == kConstants   ? Constants()
                        : base == kArguments ? function_->getArg(1)
                        : base == kResults   ? function_->getArg(2)
                                             : function_->getArg(0);
    Value* place = b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), from, offset);
    return base < kArguments ? place : b_.CreateLoad(b_.getPtrTy(), place);
  }

  void Copy(const Step& s) {
    if (s.bytes == 0 || s.buffers[0] == s.buffers[1]) return;
    if (program_.profile) {
      llvm::Type *ptr = b_.getPtrTy(), *i64 = b_.getInt64Ty();
      auto* type = llvm::FunctionType::get(b_.getVoidTy(), {ptr, ptr, ptr, i64}, false);
      b_.CreateCall(module_->getOrInsertFunction(kProfileCopy, type),
                    {function_->getArg(0), Pointer(s.buffers[0]), Pointer(s.buffers[1]),
                     Int64(b_, s.bytes)});
      return;
    }
    b_.CreateMemCpy(Pointer(s.buffers[0]), llvm::MaybeAlign(1), Pointer(s.buffers[1]),
                    llvm::MaybeAlign(1), static_cast<uint64_t>(s.bytes));
  }

  void Call(const Step& s) {
    const int64_t chunks = program_.kernels[static_cast<size_t>(s.kernel)].chunks();
    if (chunks == 0) return;
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy(), b_.getInt64Ty()}, false);
    llvm::FunctionCallee kernel =
        module_->getOrInsertFunction(symbols_.kernels[static_cast<size_t>(s.kernel)], type);
    std::vector<uint64_t> words{s.buffers.size(), static_cast<uint64_t>(chunks)};
    for (const Slot& slot : s.buffers) {
      const auto [base, offset] = Place(slot);
      words.push_back(offset << 2 | base);
    }
    if (program_.profile) words.push_back(static_cast<uint64_t>(s.kernel));
    auto* data = llvm::ConstantDataArray::get(b_.getContext(), words);
    auto* global = new llvm::GlobalVariable(*module_, data->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::PrivateLinkage, data, "");
    b_.CreateCall(StepFunction(module_, target_, Constants(), symbols_.most_buffers,
                               program_.profile),
                  {function_->getArg(0), function_->getArg(1), function_->getArg(2), global,
                   kernel.getCallee()});
  }

  const Program& program_;
  const ProgramSymbols& symbols_;
  const Target& target_;
  EntryFunctions* functions_;
  llvm::Function* function_;
  llvm::Module* module_;
  llvm::IRBuilder<> b_;
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
    symbols.most_buffers = std::max(symbols.most_buffers, kernel.buffers.size());
  }
  symbols.constants = StrCat(prefix, "_constants");
  symbols.layout = LayOutConstants(program);
  return symbols;
}

llvm::Function* LowerEntry(const Program& program, const EntryPoint& entry,
                           const ProgramSymbols& symbols, const Target& target,
                           const std::string& symbol, llvm::Module* module) {
  EntryFunctions functions(symbol, target, module);
  const std::vector<Step>& steps = entry.steps;
  return StepEmitter(program, symbols, target, &functions)
      .Run(steps.data(), steps.data() + steps.size());
}

}  // namespace reel::codegen
