// Entry points: kernel calls, copies, branches and loops in order, on constant offsets. The code of a
// step is one call; which buffers it gets are words of read-only data:
//
//   words of a step: number of buffers, chunks, then per buffer (what to add to a base << 2) | base;
//   with profiling at last the kernel's number
#include <algorithm>
#include <cstddef>
#include <string>
#include <utility>

#include "codegen/lower/collective.h"
#include "codegen/lower/loop.h"
#include "codegen/lower/ops.h"
#include "codegen/program/code.h"
#include "ir/callback.h"
#include "ir/strings.h"
#include "runtime/abi.h"

namespace reel::codegen {
namespace {

using llvm::Value;

/// Steps in one function: code generation stays linear in the length of a program.
constexpr int64_t kStepsPerFunction = 2000;

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
  auto* function = llvm::Function::Create(llvm::FunctionType::get(none, {ptr, ptr, i64, ptr}, false),
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
  b.CreateCall(parallel_type, parallel_for, {field(offsetof(reel_instance, context)), chunks, kernel, buffers});
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
  return module->getOrInsertFunction(kProfileStep,
                                     llvm::FunctionType::get(b.getVoidTy(), {ptr, i64, ptr, ptr, i64}, false));
}

/// Of the address of an argument or a result in its list: a pointer of 32 bits is the first half (little-endian).
constexpr uint64_t kWordBytes = 8;
/// In front of a step's words in a table of steps: where its kernel is and how long the step is. Both have 32 bits
/// where the kernel's place is its distance from the table; else it is an address.
uint64_t StepHeadBytes(const Target& target) {
  return target.platform.has_distances ? 8 : 2 * static_cast<uint64_t>(target.platform.pointer_bytes);
}

/// What a buffer's word adds to. Of the latter two, the sum points to the buffer's address.
enum Base : uint64_t { kInstance, kConstants, kArguments, kResults };

/// Internal `void reel.step(instance, arguments, results, words, kernel)`: makes the table of
/// buffers, at most `longest` of them, and runs all chunks.
llvm::Function* StepFunction(llvm::Module* module, const Target& target, llvm::Value* constants, uint64_t longest,
                             bool profile) {
  if (llvm::Function* known = module->getFunction("reel.step")) return known;
  llvm::Function* run = profile ? nullptr : RunFunction(module, target);
  llvm::LLVMContext& context = module->getContext();
  llvm::IRBuilder<> b(context);
  llvm::Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty(), *none = b.getVoidTy();
  auto* function = llvm::Function::Create(llvm::FunctionType::get(none, {ptr, ptr, ptr, ptr, ptr}, false),
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
  Value* place = b.CreateGEP(b.getInt8Ty(), b.CreateSelect(is_listed, listed, direct), b.CreateLShr(w, 2));
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

/// Internal `void reel.steps(instance, arguments, results, table, count)`: so many steps in order. Each has a head
/// (StepHeadBytes) and the words of reel.step.
llvm::Function* StepsFunction(llvm::Module* module, const Target& target, llvm::Function* step) {
  if (llvm::Function* known = module->getFunction("reel.steps")) return known;
  llvm::LLVMContext& context = module->getContext();
  llvm::IRBuilder<> b(context);
  llvm::Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty();
  auto* function = llvm::Function::Create(llvm::FunctionType::get(b.getVoidTy(), {ptr, ptr, ptr, ptr, i64}, false),
                                          llvm::Function::InternalLinkage, "reel.steps", module);
  SetFunctionAttributes(function, target);
  Value *table = function->getArg(3), *count = function->getArg(4);
  auto* entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* loop = llvm::BasicBlock::Create(context, "loop", function);
  auto* done = llvm::BasicBlock::Create(context, "done", function);
  b.SetInsertPoint(entry);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode *i = b.CreatePHI(i64, 2, "i"), *at = b.CreatePHI(ptr, 2, "at");
  const uint64_t head = StepHeadBytes(target);
  llvm::Type* half = b.getIntNTy(static_cast<unsigned>(4 * head));
  const auto field = [&](uint64_t k) {
    Value* place = b.CreateConstInBoundsGEP1_64(half, at, k);
    return b.CreateSExt(b.CreateLoad(half, place), i64);
  };
  const auto after = [&](Value* from, Value* bytes) { return b.CreateGEP(b.getInt8Ty(), from, bytes); };
  Value* kernel = target.platform.has_distances ? after(table, field(0)) : b.CreateLoad(ptr, at);
  b.CreateCall(step,
               {function->getArg(0), function->getArg(1), function->getArg(2), after(at, b.getInt64(head)), kernel});
  Value *next = b.CreateAdd(i, b.getInt64(1)), *next_at = after(at, field(1));
  i->addIncoming(b.getInt64(0), entry);
  i->addIncoming(next, loop);
  at->addIncoming(table, entry);
  at->addIncoming(next_at, loop);
  b.CreateCondBr(b.CreateICmpULT(next, count), loop, done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return function;
}

/// Functions of one entry point: the symbol, then internal parts of it.
class EntryFunctions {
 public:
  EntryFunctions(std::string symbol, const Target& target, llvm::Module* module, const ir::BudgetMeter* meter)
      : symbol_(std::move(symbol)), target_(target), module_(module), meter_(meter) {}

  absl::Status CheckTime() const { return codegen::CheckTime(meter_); }

  /// An empty `i32 f(ptr instance, ptr arguments, ptr results)`.
  llvm::Function* Make() {
    llvm::LLVMContext& context = module_->getContext();
    llvm::Type* ptr = llvm::PointerType::get(context, 0);
    return Add(llvm::FunctionType::get(llvm::Type::getInt32Ty(context), {ptr, ptr, ptr}, false));
  }

  /// An empty `void f(ptr buffers, i64 lane)`.
  llvm::Function* MakeBody() {
    llvm::LLVMContext& context = module_->getContext();
    llvm::Type *ptr = llvm::PointerType::get(context, 0), *i64 = llvm::Type::getInt64Ty(context);
    return Add(llvm::FunctionType::get(llvm::Type::getVoidTy(context), {ptr, i64}, false));
  }

  /// The same, worth LLVM's time.
  llvm::Function* MakeLoop() {
    llvm::Function* function = Make();
    function->removeFnAttr(llvm::Attribute::OptimizeNone);
    return function;
  }

 private:
  /// The first one is the entry point.
  llvm::Function* Add(llvm::FunctionType* type) {
    const bool first = count_ == 0;
    auto* function =
        llvm::Function::Create(type, first ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage,
                               first ? symbol_ : StrCat(symbol_, ".", count_), module_);
    ++count_;
    SetFunctionAttributes(function, target_);
    // Nothing here is worth LLVM's time.
    function->addFnAttr(llvm::Attribute::NoInline);
    function->addFnAttr(llvm::Attribute::OptimizeNone);
    return function;
  }

  const std::string symbol_;
  const Target& target_;
  llvm::Module* module_;
  const ir::BudgetMeter* meter_;
  int count_ = 0;
};

/// Emits steps into one function (ptr instance, ptr arguments, ptr results). Recursion is as deep as
/// control steps are nested.
class StepEmitter {
 public:
  StepEmitter(const Program& program, const ProgramSymbols& symbols, const Target& target, EntryFunctions* functions)
      : program_(program),
        symbols_(symbols),
        target_(target),
        functions_(functions),
        function_(functions->Make()),
        module_(function_->getParent()),
        b_(function_->getContext()) {
    b_.SetInsertPoint(Block("entry"));
  }

  /// A call without the group that these steps are for fails before it has changed anything.
  void MeetGroup(const std::vector<Step>& steps) {
    const int64_t size = GroupSizeOf(program_, steps);
    if (size > 1) PassFailureOn(EmitGroupCheck(b_, size, function_->getArg(0), target_));
  }

  /// The function that does these steps.
  absl::StatusOr<llvm::Function*> Run(const Step* first, const Step* last) {
    if (absl::Status s = functions_->CheckTime(); !s.ok()) return s;
    Emit(first, last);
    CallPending();
    b_.CreateRet(b_.getInt32(REEL_OK));
    if (!status_.ok()) return status_;
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
      CallPending();
      const auto part = StepEmitter(program_, symbols_, target_, functions_).Run(first, end);
      if (!part.ok()) {
        status_ = part.status();
        return;
      }
      PassFailureOn(b_.CreateCall(*part, {function_->getArg(0), function_->getArg(1), function_->getArg(2)}));
      first = end;
    }
  }
  void Emit(const std::vector<Step>& steps) { Emit(steps.data(), steps.data() + steps.size()); }

  void EmitOne(const Step& s) {
    const bool call = s.control == Step::Control::kNone ? s.kernel >= 0 : s.control == Step::Control::kChain;
    if (!call) CallPending();
    switch (s.control) {
      case Step::Control::kIf: return If(s);
      case Step::Control::kWhile: return While(s);
      case Step::Control::kChain: return Chain(s);
      case Step::Control::kCheck: return EmitCheck(b_, program_, s, function_->getArg(0), Pointer(s.buffers[0]));
      case Step::Control::kCallback: return CallBack(s);
      case Step::Control::kCollective: return Communicate(s);
      case Step::Control::kWait:
        return PassFailureOn(EmitWait(b_, function_->getArg(0), Pointer(s.buffers[0]), target_));
      case Step::Control::kNone: s.kernel < 0 ? Copy(s) : Call(s);
    }
  }

  /// The bool in a slot, as i1.
  Value* Condition(const Slot& slot) {
    return b_.CreateICmpNE(b_.CreateLoad(b_.getInt8Ty(), Pointer(slot)), b_.getInt8(0));
  }

  void If(const Step& s) {
    const auto all = [this](const std::vector<Step>& steps) {
      Emit(steps);
      CallPending();
    };
    EmitIf(b_, Condition(s.buffers[0]), [&] { all(s.first); }, [&] { all(s.second); });
  }

  void While(const Step& s) {
    if (s.in_line) return LoopInLine(s);
    const auto all = [this](const std::vector<Step>& steps) {
      Emit(steps);
      CallPending();
    };
    EmitWhile(
        b_, s, function_->getArg(0), [&] { all(s.first); }, [&] { return Condition(s.buffers[0]); },
        [&] { all(s.second); });
  }

  void LoopInLine(const Step& s) {
    llvm::Function* function = functions_->MakeLoop();
    if (absl::Status made = LowerLoop(program_, s, symbols_, target_, function); !made.ok()) status_ = std::move(made);
    PassFailureOn(b_.CreateCall(function, {function_->getArg(0), function_->getArg(1), function_->getArg(2)}));
  }

  /// Returns a status that is not REEL_OK.
  void PassFailureOn(Value* status) {
    llvm::BasicBlock *failed = Block("failed"), *done = Block("done");
    b_.CreateCondBr(b_.CreateICmpNE(status, b_.getInt32(REEL_OK)), failed, done);
    b_.SetInsertPoint(failed);
    b_.CreateRet(status);
    b_.SetInsertPoint(done);
  }

  Value* Constants() { return module_->getOrInsertGlobal(symbols_.constants, b_.getInt8Ty()); }

  /// What the word of a buffer says.
  std::pair<Base, uint64_t> Place(const Slot& slot) {
    const auto index = static_cast<size_t>(slot.index);
    switch (slot.kind) {
      case Slot::Kind::kArgument: return {kArguments, index * kWordBytes};
      case Slot::Kind::kResult: return {kResults, index * kWordBytes};
      case Slot::Kind::kConstant: return {kConstants, static_cast<uint64_t>(symbols_.layout.offsets[index])};
      case Slot::Kind::kInstance:
      case Slot::Kind::kLane: break;
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
                    {function_->getArg(0), Pointer(s.buffers[0]), Pointer(s.buffers[1]), Int64(b_, s.bytes)});
      return;
    }
    b_.CreateMemCpy(Pointer(s.buffers[0]), llvm::MaybeAlign(1), Pointer(s.buffers[1]), llvm::MaybeAlign(1),
                    static_cast<uint64_t>(s.bytes));
  }

  /// `i32 reel_callback(i64 id, ptr call, ptr buffers)`, on a table of buffers that all runs of the step share.
  void CallBack(const Step& s) {
    const CallbackSite& site = program_.callbacks[static_cast<size_t>(s.bytes)];
    llvm::Type *ptr = b_.getPtrTy(), *i64 = b_.getInt64Ty();
    llvm::BasicBlock& first = function_->getEntryBlock();
    llvm::IRBuilder<> front(&first, first.begin());
    Value* table = front.CreateAlloca(ptr, b_.getInt64(s.buffers.size()), "buffers");
    for (size_t i = 0; i < s.buffers.size(); ++i) {
      b_.CreateStore(Pointer(s.buffers[i]), b_.CreateConstInBoundsGEP1_64(ptr, table, i));
    }
    const std::vector<int64_t> numbers = ir::CallbackWords(site.guarded, site.types);
    const std::vector<uint64_t> words(numbers.begin(), numbers.end());
    Value* call = Data(llvm::ConstantDataArray::get(b_.getContext(), words));
    auto* type = llvm::FunctionType::get(b_.getInt32Ty(), {i64, ptr, ptr}, false);
    PassFailureOn(
        b_.CreateCall(module_->getOrInsertFunction(kCallback, type), {Int64(b_, site.function->id()), call, table}));
  }

  void Communicate(const Step& s) {
    const CollectiveSite& site = program_.collectives[static_cast<size_t>(s.bytes)];
    Value* from = s.buffers.size() > 1 ? Pointer(s.buffers[1]) : nullptr;
    Value* number = s.buffers.size() > 2 ? Pointer(s.buffers[2]) : nullptr;
    PassFailureOn(EmitCollective(b_, site, function_->getArg(0), Pointer(s.buffers[0]), from, target_, number));
  }

  void Call(const Step& s) {
    const int64_t chunks = program_.kernels[static_cast<size_t>(s.kernel)].chunks();
    if (chunks > 0) CallStep(s.buffers, chunks, KernelFunction(s.kernel), s.kernel);
  }

  Value* KernelFunction(int32_t kernel) {
    auto* type = llvm::FunctionType::get(b_.getVoidTy(), {b_.getPtrTy(), b_.getInt64Ty()}, false);
    return module_->getOrInsertFunction(symbols_.kernels[static_cast<size_t>(kernel)], type).getCallee();
  }

  /// All chunks of a kernel on these buffers. Its number goes to profiles, of programs that have no chains.
  void CallStep(const std::vector<Slot>& buffers, int64_t chunks, Value* kernel, int32_t number = -1) {
    std::vector<uint64_t> words{buffers.size(), static_cast<uint64_t>(chunks)};
    for (const Slot& slot : buffers) {
      const auto [base, offset] = Place(slot);
      words.push_back(offset << 2 | base);
    }
    if (program_.profile) words.push_back(static_cast<uint64_t>(number));
    pending_.push_back({llvm::cast<llvm::Constant>(kernel), std::move(words)});
  }

  void Chain(const Step& s) {
    std::vector<Slot> buffers;
    for (const Step& call : s.first) buffers.insert(buffers.end(), call.buffers.begin(), call.buffers.end());
    CallStep(buffers, s.lanes, ChainFunction(s));
  }

  /// Internal `void chain(ptr buffers, i64 lane)`: the kernels of one chunk after the other of the lane. `buffers` has
  /// those of all kernels. Chunk i of a kernel adds what belongs to it to a buffer's address; frames have room for one.
  llvm::Function* ChainFunction(const Step& s) {
    llvm::Function* function = functions_->MakeBody();
    llvm::IRBuilder<> b(function_->getContext());
    const auto block = [&](const char* name) { return llvm::BasicBlock::Create(b.getContext(), name, function); };
    llvm::BasicBlock *entry = block("entry"), *loop = block("chunk"), *done = block("done");
    b.SetInsertPoint(entry);
    Value* table = b.CreateAlloca(b.getPtrTy(), b.getInt64(symbols_.most_buffers), "buffers");
    Value* lane = function->getArg(1);
    Value* first = b.CreateMul(lane, Int64(b, s.chunks_per_lane()));
    Value* frame = b.CreateMul(lane, Int64(b, s.bytes));
    b.CreateBr(loop);
    b.SetInsertPoint(loop);
    llvm::PHINode* n = b.CreatePHI(b.getInt64Ty(), 2, "n");
    n->addIncoming(b.getInt64(0), entry);
    Value* chunk = b.CreateAdd(first, n);
    uint64_t next = 0;
    for (const Step& call : s.first) {
      for (size_t i = 0; i < call.buffers.size(); ++i) {
        const Slot& slot = call.buffers[i];
        Value* address = b.CreateLoad(b.getPtrTy(), b.CreateConstGEP1_64(b.getPtrTy(), function->getArg(0), next++));
        if (slot.kind == Slot::Kind::kLane) {
          Value* back = b.CreateMul(chunk, Int64(b, slot.index));
          address = b.CreateGEP(b.getInt8Ty(), address, b.CreateSub(frame, back));
        }
        b.CreateStore(address, b.CreateConstGEP1_64(b.getPtrTy(), table, i));
      }
      b.CreateCall(function->getFunctionType(), KernelFunction(call.kernel), {table, chunk});
    }
    Value* after = b.CreateAdd(n, b.getInt64(1));
    n->addIncoming(after, b.GetInsertBlock());
    Value* more = b.CreateAnd(b.CreateICmpSLT(after, Int64(b, s.chunks_per_lane())),
                              b.CreateICmpSLT(b.CreateAdd(first, after), Int64(b, s.chunks)));
    b.CreateCondBr(more, loop, done);
    b.SetInsertPoint(done);
    b.CreateRetVoid();
    return function;
  }

  /// Read-only data, in the order of use.
  llvm::GlobalVariable* Data(llvm::Constant* value) {
    auto* global = new llvm::GlobalVariable(*module_, value->getType(), /*isConstant=*/true,
                                            llvm::GlobalValue::PrivateLinkage, value, "");
    global->setAlignment(llvm::Align(8));
    return global;
  }

  /// Emits the kernel calls that stand one after the other: a table of many, or one by one.
  void CallPending() {
    constexpr size_t kMany = 6;
    const std::vector<PendingCall> calls = std::exchange(pending_, {});
    if (calls.empty()) return;
    llvm::Function* step = StepFunction(module_, target_, Constants(), symbols_.most_buffers, program_.profile);
    const auto words = [&](const PendingCall& call) {
      return llvm::ConstantDataArray::get(b_.getContext(), call.words);
    };
    const auto emit = [&](llvm::Function* function, Value* data, Value* last) {
      b_.CreateCall(function, {function_->getArg(0), function_->getArg(1), function_->getArg(2), data, last});
    };
    if (calls.size() < kMany) {
      for (const PendingCall& call : calls) emit(step, Data(words(call)), call.kernel);
      return;
    }
    const uint64_t head = StepHeadBytes(target_);
    llvm::Type *half = b_.getIntNTy(static_cast<unsigned>(4 * head)), *i64 = b_.getInt64Ty();
    const bool distances = target_.platform.has_distances;
    std::vector<llvm::Type*> types;
    for (const PendingCall& call : calls) {
      types.insert(types.end(), {distances ? half : b_.getPtrTy(), half, llvm::ArrayType::get(i64, call.words.size())});
    }
    auto* type = llvm::StructType::get(b_.getContext(), types);
    llvm::GlobalVariable* table = Data(llvm::UndefValue::get(type));
    const auto place = [&](llvm::Constant* kernel) -> llvm::Constant* {
      if (!distances) return kernel;
      const auto address = [&](llvm::Constant* of) { return llvm::ConstantExpr::getPtrToInt(of, i64); };
      return llvm::ConstantExpr::getTrunc(llvm::ConstantExpr::getSub(address(kernel), address(table)), half);
    };
    std::vector<llvm::Constant*> fields;
    for (const PendingCall& call : calls) {
      fields.insert(fields.end(),
                    {place(call.kernel), llvm::ConstantInt::get(half, head + 8 * call.words.size()), words(call)});
    }
    table->setInitializer(llvm::ConstantStruct::get(type, fields));
    emit(StepsFunction(module_, target_, step), table, Int64(b_, static_cast<int64_t>(calls.size())));
  }

  struct PendingCall {
    llvm::Constant* kernel;
    std::vector<uint64_t> words;
  };

  const Program& program_;
  const ProgramSymbols& symbols_;
  const Target& target_;
  EntryFunctions* functions_;
  llvm::Function* function_;
  llvm::Module* module_;
  llvm::IRBuilder<> b_;
  std::vector<PendingCall> pending_;  // kernel calls to emit before anything else
  absl::Status status_;
};

/// Most buffers of a step: a chain has those of its kernels. Recursion is as deep as control steps are nested.
size_t MostBuffers(const std::vector<Step>& steps) {
  size_t most = 1;
  for (const Step& s : steps) {
    size_t own = s.buffers.size();
    if (s.control == Step::Control::kChain) {
      for (const Step& call : s.first) own += call.buffers.size();
    }
    most = std::max({most, own, MostBuffers(s.first), MostBuffers(s.second)});
  }
  return most;
}

}  // namespace

ProgramSymbols NameSymbols(const Program& program, const std::string& prefix) {
  ProgramSymbols symbols;
  for (size_t i = 0; i < program.kernels.size(); ++i) {
    symbols.kernels.push_back(StrCat(prefix, "_k", i, "_", SymbolPart(program.kernels[i].name)));
  }
  for (const EntryPoint& entry : program.entries) {
    symbols.most_buffers = std::max(symbols.most_buffers, MostBuffers(entry.steps));
  }
  symbols.constants = StrCat(prefix, "_constants");
  symbols.layout = LayOutConstants(program);
  return symbols;
}

absl::StatusOr<llvm::Function*> LowerEntry(const Program& program, const EntryPoint& entry,
                                           const ProgramSymbols& symbols, const Target& target,
                                           const std::string& symbol, llvm::Module* module,
                                           const ir::BudgetMeter* meter) {
  EntryFunctions functions(symbol, target, module, meter);
  const std::vector<Step>& steps = entry.steps;
  StepEmitter emitter(program, symbols, target, &functions);
  emitter.MeetGroup(steps);
  return emitter.Run(steps.data(), steps.data() + steps.size());
}

}  // namespace reel::codegen
