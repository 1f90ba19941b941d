#include "codegen/aot/wrappers.h"

#include <cstddef>
#include <utility>
#include <vector>

#include "codegen/target/cpuid.h"
#include "ir/strings.h"
#include "runtime/abi.h"

namespace reel::codegen {
namespace {

using llvm::Value;

/// An internal constant.
llvm::GlobalVariable* AddData(llvm::Module* module, const std::string& name, llvm::Constant* data,
                              uint64_t alignment) {
  auto* global = llvm::cast<llvm::GlobalVariable>(module->getOrInsertGlobal(name, data->getType()));
  global->setInitializer(data);
  global->setConstant(true);
  global->setLinkage(llvm::GlobalValue::InternalLinkage);
  global->setAlignment(llvm::Align(alignment));
  return global;
}

/// A memory operand of a call, for the checks and for going through its rows.
struct Operand {
  Value* pointer;
  Value* bytes;
  bool empty;         ///< no elements, whatever its symbolic extents
  int64_t alignment;
  int64_t row_bytes;  ///< of the rows of a symbolic axis 0; 0: there is none
};

class WrapperEmitter {
 public:
  WrapperEmitter(const Program& program, const ObjectNames& names, const Target& target,
                 llvm::Module* module)
      : program_(program),
        names_(names),
        target_(target),
        module_(module),
        context_(module->getContext()),
        b_(context_),
        ptr_(b_.getPtrTy()),
        i32_(b_.getInt32Ty()),
        i64_(b_.getInt64Ty()) {}

  void Run(const std::string& manifest) {
    ConstantFunction("size", program_.instance_bytes);
    ConstantFunction("alignment", REEL_INSTANCE_ALIGNMENT);
    Init();
    overlaps_ = OverlapFunction();
    const std::vector<ObjectEntry> entries = ObjectEntries(program_);
    for (size_t i = 0; i < entries.size(); ++i) Entry(entries[i], names_.entries[i].name);
    for (size_t i = 0; i < program_.variables.size(); ++i) Variable(i);
    SetParallelFor();
    Error();
    auto* text = Text(StrCat(names_.name, "_manifest_json"), manifest);
    text->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }

 private:
  Value* Int64(int64_t x) { return b_.getInt64(static_cast<uint64_t>(x)); }
  Value* Field(Value* instance, uint64_t offset) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), instance, offset);
  }
  llvm::BasicBlock* NewBlock(const char* name) {
    return llvm::BasicBlock::Create(context_, name, function_);
  }

  /// Begins a function for the baseline CPU.
  void Begin(const std::string& suffix, llvm::Type* result, llvm::ArrayRef<llvm::Type*> parameters,
             bool visible = true) {
    const auto linkage =
        visible ? llvm::Function::ExternalLinkage : llvm::Function::InternalLinkage;
    function_ = llvm::Function::Create(llvm::FunctionType::get(result, parameters, false), linkage,
                                       StrCat(names_.name, visible ? "_" : ".", suffix), module_);
    function_->addFnAttr(llvm::Attribute::NoUnwind);
    function_->addFnAttr("target-cpu", "x86-64");
    b_.SetInsertPoint(NewBlock("entry"));
  }

  llvm::GlobalVariable* Text(const std::string& name, const std::string& text) {
    return AddData(module_, name, llvm::ConstantDataArray::getString(context_, text), 1);
  }

  /// Returns `code` from the current function where `wrong` holds.
  void Refuse(Value* wrong, Value* code_if_wrong) {
    llvm::BasicBlock *refused = NewBlock("refused"), *next = NewBlock("checked");
    b_.CreateCondBr(wrong, refused, next);
    b_.SetInsertPoint(refused);
    if (error_slot_ == nullptr) {
      b_.CreateRet(code_if_wrong);
    } else {
      StoreError(code_if_wrong);
      b_.CreateRet(llvm::ConstantPointerNull::get(ptr_));
    }
    b_.SetInsertPoint(next);
  }
  void Refuse(Value* wrong, reel_status code) {
    Refuse(wrong, b_.getInt32(static_cast<uint32_t>(code)));
  }

  /// *error = code unless error is null.
  void StoreError(Value* code) {
    llvm::BasicBlock *store = NewBlock("store"), *done = NewBlock("stored");
    b_.CreateCondBr(b_.CreateIsNull(error_slot_), done, store);
    b_.SetInsertPoint(store);
    b_.CreateStore(code, error_slot_);
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
  }

  Value* Misaligned(Value* pointer, int64_t alignment) {
    Value* low = b_.CreateAnd(b_.CreatePtrToInt(pointer, i64_), Int64(alignment - 1));
    return b_.CreateICmpNE(low, b_.getInt64(0));
  }

  /// Registers {eax, ebx, ecx, edx} of CPUID.
  Value* Cpuid(uint32_t leaf, uint32_t subleaf) {
    auto* result = llvm::StructType::get(context_, {i32_, i32_, i32_, i32_});
    auto* code = llvm::InlineAsm::get(
        llvm::FunctionType::get(result, {i32_, i32_}, false), "cpuid",
        "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}", /*hasSideEffects=*/true);
    return b_.CreateCall(code->getFunctionType(), code, {b_.getInt32(leaf), b_.getInt32(subleaf)});
  }

  /// Internal i1 function: has this machine what the target needs? Leaves are asked for before they
  /// are read, XCR0 only where OSXSAVE is set.
  llvm::Function* CpuCheckFunction() {
    Begin("cpu_supported", b_.getInt1Ty(), {}, /*visible=*/false);
    const CpuNeeds& needs = NeedsOf(target_.name);
    for (const CpuCheck& check : needs.checks) {
      Value* last = b_.CreateExtractValue(Cpuid(check.leaf & 0x80000000u, 0), 0);
      Refuse(b_.CreateICmpULT(last, b_.getInt32(check.leaf)), b_.getFalse());
      Value* found =
          b_.CreateExtractValue(Cpuid(check.leaf, check.subleaf), static_cast<unsigned>(check.reg));
      Value* bits = b_.CreateAnd(found, b_.getInt32(check.mask));
      Refuse(b_.CreateICmpNE(bits, b_.getInt32(check.mask)), b_.getFalse());
    }
    if (needs.xcr0 != 0) {
      auto* result = llvm::StructType::get(context_, {i32_, i32_});
      auto* xgetbv = llvm::InlineAsm::get(llvm::FunctionType::get(result, {i32_}, false),
                                          ".byte 0x0f, 0x01, 0xd0", "={ax},={dx},{cx}", true);
      Value* saved = b_.CreateCall(xgetbv->getFunctionType(), xgetbv, {b_.getInt32(0)});
      Value* bits = b_.CreateAnd(b_.CreateExtractValue(saved, 0), b_.getInt32(needs.xcr0));
      Refuse(b_.CreateICmpNE(bits, b_.getInt32(needs.xcr0)), b_.getFalse());
    }
    b_.CreateRet(b_.getTrue());
    return function_;
  }

  void ConstantFunction(const std::string& suffix, int64_t value) {
    Begin(suffix, i64_, {});
    b_.CreateRet(Int64(value));
  }

  /// NAME* NAME_init(void* memory, size_t size, int* error)
  void Init() {
    llvm::Function* supported = CpuCheckFunction();
    Begin("init", ptr_, {ptr_, i64_, ptr_});
    Value *memory = function_->getArg(0), *size = function_->getArg(1);
    error_slot_ = function_->getArg(2);
    Refuse(b_.CreateNot(b_.CreateCall(supported)), REEL_UNSUPPORTED_CPU);
    Refuse(b_.CreateIsNull(memory), REEL_NULL_POINTER);
    Refuse(Misaligned(memory, REEL_INSTANCE_ALIGNMENT), REEL_MISALIGNED);
    Refuse(b_.CreateICmpULT(size, Int64(program_.instance_bytes)), REEL_MEMORY_TOO_SMALL);
    b_.CreateMemSet(memory, b_.getInt8(0), sizeof(reel_instance), llvm::Align(64));
    for (size_t i = 0; i < program_.variables.size(); ++i) {
      const VariableSlot& v = program_.variables[i];
      if (v.initial.bytes().empty()) continue;
      llvm::GlobalVariable* initial = AddBytes(module_, StrCat(names_.name, ".v", i), v.initial.bytes());
      b_.CreateMemCpy(Field(memory, static_cast<uint64_t>(v.offset)), llvm::Align(64), initial,
                      llvm::Align(64), v.initial.bytes().size());
    }
    b_.CreateStore(b_.getInt64(REEL_INSTANCE_MAGIC), memory);
    StoreError(b_.getInt32(REEL_OK));
    b_.CreateRet(memory);
    error_slot_ = nullptr;
  }

  /// Internal i1 function: does span `last` of an array, where each begins and ends, overlap one before it? A loop: an
  /// entry point's code grows with its operands, not with their pairs.
  llvm::Function* OverlapFunction() {
    Begin("overlaps", b_.getInt1Ty(), {ptr_, i64_}, /*visible=*/false);
    Value *spans = function_->getArg(0), *last = function_->getArg(1);
    const auto bound = [&](Value* span, int64_t end) {
      Value* at = b_.CreateAdd(b_.CreateShl(span, 1), Int64(end));
      return b_.CreateLoad(i64_, b_.CreateInBoundsGEP(i64_, spans, at));
    };
    Value *begin = bound(last, 0), *end = bound(last, 1);
    llvm::BasicBlock *entry = b_.GetInsertBlock(), *head = NewBlock("head");
    b_.CreateBr(head);
    b_.SetInsertPoint(head);
    llvm::PHINode* i = b_.CreatePHI(i64_, 2);
    i->addIncoming(Int64(0), entry);
    Refuse(b_.CreateICmpEQ(i, last), b_.getFalse());
    Value *before = b_.CreateICmpULE(end, bound(i, 0)), *behind = b_.CreateICmpUGE(begin, bound(i, 1));
    Refuse(b_.CreateNot(b_.CreateOr(before, behind)), b_.getTrue());
    i->addIncoming(b_.CreateAdd(i, Int64(1)), b_.GetInsertBlock());
    b_.CreateBr(head);
    return function_;
  }

  /// Refuses nulls and misaligned pointers. A tensor without elements may be null.
  void CheckPointers(const std::vector<Operand>& operands) {
    for (const Operand& o : operands) {
      if (!o.empty) Refuse(b_.CreateIsNull(o.pointer), REEL_NULL_POINTER);
      if (o.alignment > 1) Refuse(Misaligned(o.pointer, o.alignment), REEL_MISALIGNED);
    }
  }

  /// Refuses results that overlap arguments, the instance (the last argument) or each other.
  void CheckOverlap(const std::vector<Operand>& arguments, const std::vector<Operand>& results) {
    Value* spans = b_.CreateAlloca(llvm::ArrayType::get(i64_, 2 * (arguments.size() + results.size())));
    int64_t count = 0;
    const auto add = [&](const Operand& o) {
      Value* begin = b_.CreatePtrToInt(o.pointer, i64_);
      const auto at = static_cast<uint64_t>(2 * count++);
      b_.CreateStore(begin, b_.CreateConstInBoundsGEP1_64(i64_, spans, at));
      b_.CreateStore(b_.CreateAdd(begin, o.bytes), b_.CreateConstInBoundsGEP1_64(i64_, spans, at + 1));
    };
    for (const Operand& o : arguments) {
      if (!o.empty) add(o);
    }
    for (const Operand& o : results) {
      if (o.empty) continue;
      add(o);
      Refuse(b_.CreateCall(overlaps_, {spans, Int64(count - 1)}), REEL_OVERLAP);
    }
  }

  Value* PointerArray(const std::vector<Operand>& operands, size_t count) {
    if (count == 0) return llvm::ConstantPointerNull::get(ptr_);
    Value* array = b_.CreateAlloca(llvm::ArrayType::get(ptr_, count));
    for (size_t i = 0; i < count; ++i) {
      b_.CreateStore(operands[i].pointer, b_.CreateConstInBoundsGEP1_64(ptr_, array, i));
    }
    return array;
  }

  /// A pointer of the function that a wrapper is, with what its type says; `extents`: values of symbols.
  Operand OperandOf(const Type& type, Value* pointer, const std::vector<Value*>& extents) {
    int64_t known = SizeOf(type.dtype);
    Value* bytes = nullptr;
    for (const Extent e : type.shape) {
      if (e.is_constant()) {
        known *= e.value();
        continue;
      }
      Value* extent = extents[static_cast<size_t>(e.symbol())];
      bytes = bytes == nullptr ? extent : b_.CreateMul(bytes, extent);
    }
    const bool rows = type.shape.rank() > 0 && !type.shape[0].is_constant();
    bytes = bytes == nullptr ? Int64(known) : b_.CreateMul(bytes, Int64(known));
    return {pointer, bytes, known == 0, SizeOf(RealOf(type.dtype)), rows ? known : 0};
  }

  /// int NAME_<entry>(NAME* instance, int64_t extents..., arguments..., results...)
  void Entry(const ObjectEntry& entry, const std::string& name) {
    const size_t inputs = entry.arguments.size();
    std::vector<llvm::Type*> types(1, ptr_);
    types.insert(types.end(), entry.symbols.size(), i64_);
    types.insert(types.end(), inputs + entry.results.size(), ptr_);
    Begin(name, i32_, types);
    Value* instance = function_->getArg(0);
    Refuse(b_.CreateIsNull(instance), REEL_NULL_POINTER);
    Refuse(Misaligned(instance, REEL_INSTANCE_ALIGNMENT), REEL_MISALIGNED);
    Value* magic = b_.CreateLoad(i64_, instance);
    Refuse(b_.CreateICmpNE(magic, b_.getInt64(REEL_INSTANCE_MAGIC)), REEL_NOT_INITIALIZED);
    unsigned next = 1;
    std::vector<Value*> extents;
    for (const ir::Symbol& symbol : entry.symbols) {
      extents.push_back(function_->getArg(next++));
      Value* above = b_.CreateSub(extents.back(), Int64(symbol.min));
      Refuse(b_.CreateICmpUGT(above, Int64(symbol.max - symbol.min)), REEL_INVALID_ARGUMENT);
    }
    std::vector<Operand> arguments, results;
    for (const ir::Parameter& p : entry.arguments) {
      arguments.push_back(OperandOf(p.type, function_->getArg(next++), extents));
    }
    for (const ir::Parameter& p : entry.results) {
      results.push_back(OperandOf(p.type, function_->getArg(next++), extents));
    }
    CheckPointers(arguments);
    CheckPointers(results);
    std::vector<Operand> with_instance = arguments;
    with_instance.push_back({instance, Int64(program_.instance_bytes), false, 1, 0});
    CheckOverlap(with_instance, results);
    Value* in = PointerArray(arguments, inputs);
    Value* out = PointerArray(results, results.size());
    if (entry.rowwise) return CallInChunks(entry, extents[0], {instance, in, out}, arguments, results);
    for (const ObjectEntry::Variant& v : entry.variants) CallIfEqual(v, extents, {instance, in, out});
    if (!entry.symbols.empty()) b_.CreateRet(b_.getInt32(REEL_INVALID_ARGUMENT));
  }

  Value* CallEntry(int32_t entry, llvm::ArrayRef<Value*> arguments) {
    const std::string symbol = EntrySymbol(program_, names_, static_cast<size_t>(entry));
    return b_.CreateCall(module_->getFunction(symbol), arguments);
  }

  /// Returns what the variant does if the extents are its own.
  void CallIfEqual(const ObjectEntry::Variant& variant, const std::vector<Value*>& extents,
                   llvm::ArrayRef<Value*> arguments) {
    llvm::BasicBlock* other = nullptr;
    if (!extents.empty()) {
      Value* equal = b_.getTrue();
      for (size_t i = 0; i < extents.size(); ++i) {
        equal = b_.CreateAnd(equal, b_.CreateICmpEQ(extents[i], Int64(variant.extents[i])));
      }
      llvm::BasicBlock* call = NewBlock("call");
      other = NewBlock("other");
      b_.CreateCondBr(equal, call, other);
      b_.SetInsertPoint(call);
    }
    b_.CreateRet(CallEntry(variant.entry, arguments));
    if (other != nullptr) b_.SetInsertPoint(other);
  }

  /// Moves the pointers of a PointerArray to the next rows.
  void Advance(Value* array, const std::vector<Operand>& operands, int64_t rows) {
    for (size_t i = 0; i < operands.size(); ++i) {
      if (operands[i].row_bytes == 0) continue;
      Value* slot = b_.CreateConstInBoundsGEP1_64(ptr_, array, i);
      Value* row = b_.CreateLoad(ptr_, slot);
      b_.CreateStore(Field(row, static_cast<uint64_t>(operands[i].row_bytes * rows)), slot);
    }
  }

  /// Each variant as often as its rows fit into those that are left.
  void CallInChunks(const ObjectEntry& entry, Value* rows, llvm::ArrayRef<Value*> call,
                    const std::vector<Operand>& arguments, const std::vector<Operand>& results) {
    Value* left = b_.CreateAlloca(i64_);
    b_.CreateStore(rows, left);
    for (const ObjectEntry::Variant& v : entry.variants) {
      llvm::BasicBlock *head = NewBlock("head"), *chunk = NewBlock("chunk"), *done = NewBlock("done");
      b_.CreateBr(head);
      b_.SetInsertPoint(head);
      b_.CreateCondBr(b_.CreateICmpUGE(b_.CreateLoad(i64_, left), Int64(v.extents[0])), chunk, done);
      b_.SetInsertPoint(chunk);
      Value* status = CallEntry(v.entry, call);
      Refuse(b_.CreateICmpNE(status, b_.getInt32(REEL_OK)), status);
      Advance(call[1], arguments, v.extents[0]);
      Advance(call[2], results, v.extents[0]);
      b_.CreateStore(b_.CreateSub(b_.CreateLoad(i64_, left), Int64(v.extents[0])), left);
      b_.CreateBr(head);
      b_.SetInsertPoint(done);
    }
    b_.CreateRet(b_.getInt32(REEL_OK));
  }

  /// T* NAME_variable_<name>(NAME* instance)
  void Variable(size_t i) {
    Begin(StrCat("variable_", names_.variables[i]), ptr_, {ptr_});
    Value* instance = function_->getArg(0);
    Value* address = Field(instance, static_cast<uint64_t>(program_.variables[i].offset));
    b_.CreateRet(b_.CreateSelect(b_.CreateIsNull(instance), instance, address));
  }

  void SetParallelFor() {
    Begin("set_parallel_for", b_.getVoidTy(), {ptr_, ptr_, ptr_});
    Value* instance = function_->getArg(0);
    llvm::BasicBlock *set = NewBlock("set"), *done = NewBlock("done");
    b_.CreateCondBr(b_.CreateIsNull(instance), done, set);
    b_.SetInsertPoint(set);
    b_.CreateStore(function_->getArg(1), Field(instance, offsetof(reel_instance, parallel_for)));
    b_.CreateStore(function_->getArg(2), Field(instance, offsetof(reel_instance, context)));
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
    b_.CreateRetVoid();
  }

  /// const char* NAME_error(int code): selects, not a table of pointers, which would need relocated
  /// data.
  void Error() {
    Begin("error", ptr_, {i32_});
    Value* text = Text(StrCat(names_.name, ".e"), reel_status_message(-1));
    for (int32_t code = 0; code < REEL_STATUS_COUNT; ++code) {
      Value* known = Text(StrCat(names_.name, ".e", code), reel_status_message(code));
      Value* is_code =
          b_.CreateICmpEQ(function_->getArg(0), b_.getInt32(static_cast<uint32_t>(code)));
      text = b_.CreateSelect(is_code, known, text);
    }
    b_.CreateRet(text);
  }

  const Program& program_;
  const ObjectNames& names_;
  const Target& target_;
  llvm::Module* module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> b_;
  llvm::PointerType* ptr_;
  llvm::Type *i32_, *i64_;
  llvm::Function *function_ = nullptr, *overlaps_ = nullptr;
  Value* error_slot_ = nullptr;  // of a function that returns a pointer
};

}  // namespace

std::string EntrySymbol(const Program& program, const ObjectNames& names, size_t i) {
  return StrCat(names.name, ".entry.", i, ".", ToIdentifier(program.entries[i].name));
}

llvm::GlobalVariable* AddBytes(llvm::Module* module, const std::string& name,
                               std::span<const std::byte> bytes) {
  llvm::Constant* data = llvm::ConstantDataArray::getRaw(
      llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size()), bytes.size(),
      llvm::Type::getInt8Ty(module->getContext()));
  return AddData(module, name, data, 64);
}

void AddWrappers(const Program& program, const ObjectNames& names, const Target& target,
                 const std::string& manifest, llvm::Module* module) {
  WrapperEmitter(program, names, target, module).Run(manifest);
}

}  // namespace reel::codegen
