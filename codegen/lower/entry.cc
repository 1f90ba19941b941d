// Entry points: kernel calls, copies, branches and loops in order, on constant offsets. The code of a
// step is one call, on words of read-only data (step_functions.h).
#include <algorithm>
#include <array>
#include <string>
#include <utility>

#include "codegen/lower/collective.h"
#include "codegen/lower/loop.h"
#include "codegen/lower/ops.h"
#include "codegen/lower/step_functions.h"
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
      case Step::Control::kBeside: return RunBeside(s);
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
    std::vector<uint64_t> words = Words(buffers, chunks);
    if (program_.profile) words.push_back(static_cast<uint64_t>(number));
    pending_.push_back({llvm::cast<llvm::Constant>(kernel), std::move(words)});
  }

  /// Of a step: step_functions.h.
  std::vector<uint64_t> Words(const std::vector<Slot>& buffers, int64_t chunks) {
    std::vector<uint64_t> words{buffers.size(), static_cast<uint64_t>(chunks)};
    for (const Slot& slot : buffers) {
      const auto [base, offset] = Place(slot);
      words.push_back(offset << 2 | base);
    }
    return words;
  }

  /// All runs, through the instance's parallel_for: each is some parts of one table.
  void RunBeside(const Step& s) {
    std::vector<PendingCall> calls;
    std::vector<uint64_t> runs(static_cast<size_t>(2 * s.lanes));  // first and count of each
    uint64_t bytes = 0;
    for (const Step& part : s.first) {
      std::vector<uint64_t> words = Words(part.buffers, part.bytes + part.chunks);
      words.push_back(static_cast<uint64_t>(part.bytes));
      uint64_t* own = &runs[static_cast<size_t>(2 * part.lanes)];
      if (own[1]++ == 0) own[0] = bytes;
      bytes += StepHeadBytes(target_) + 8 * words.size();
      calls.push_back({llvm::cast<llvm::Constant>(KernelFunction(part.kernel)), std::move(words)});
    }
    llvm::Type* ptr = b_.getPtrTy();
    llvm::BasicBlock& entry = function_->getEntryBlock();
    llvm::IRBuilder<> front(&entry, entry.begin());
    Value* lists = front.CreateAlloca(ptr, b_.getInt64(kListsOfRuns), "lists");
    const std::array<Value*, kListsOfRuns> listed = {function_->getArg(0), function_->getArg(1), function_->getArg(2),
                                                     Table(calls),
                                                     Data(llvm::ConstantDataArray::get(b_.getContext(), runs))};
    for (unsigned i = 0; i < kListsOfRuns; ++i) {
      b_.CreateStore(listed[i], b_.CreateConstInBoundsGEP1_64(ptr, lists, i));
    }
    llvm::Function* part = StepFunction(module_, target_, Constants(), symbols_.most_buffers, StepKind::kPart);
    llvm::Function* own = RunsFunction(module_, target_, StepsFunction(module_, target_, part));
    b_.CreateCall(RunFunction(module_, target_), {own, lists, Int64(b_, s.lanes), function_->getArg(0)});
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

  struct PendingCall {
    llvm::Constant* kernel;
    std::vector<uint64_t> words;
  };

  llvm::Constant* WordsOf(const PendingCall& call) { return llvm::ConstantDataArray::get(b_.getContext(), call.words); }

  /// Emits the kernel calls that stand one after the other: a table of many, or one by one.
  void CallPending() {
    constexpr size_t kMany = 6;
    const std::vector<PendingCall> calls = std::exchange(pending_, {});
    if (calls.empty()) return;
    const StepKind kind = program_.profile ? StepKind::kProfiled : StepKind::kPlain;
    llvm::Function* step = StepFunction(module_, target_, Constants(), symbols_.most_buffers, kind);
    const auto emit = [&](llvm::Function* function, std::vector<Value*> last) {
      last.insert(last.begin(), {function_->getArg(0), function_->getArg(1), function_->getArg(2)});
      b_.CreateCall(function, last);
    };
    if (calls.size() < kMany) {
      for (const PendingCall& call : calls) emit(step, {Data(WordsOf(call)), call.kernel});
      return;
    }
    emit(StepsFunction(module_, target_, step),
         {Table(calls), b_.getInt64(0), Int64(b_, static_cast<int64_t>(calls.size()))});
  }

  /// What the function of many steps reads.
  llvm::GlobalVariable* Table(const std::vector<PendingCall>& calls) {
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
                    {place(call.kernel), llvm::ConstantInt::get(half, head + 8 * call.words.size()), WordsOf(call)});
    }
    table->setInitializer(llvm::ConstantStruct::get(type, fields));
    return table;
  }

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
