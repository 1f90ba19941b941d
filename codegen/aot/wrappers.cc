#include "codegen/aot/wrappers.h"

#include <algorithm>
#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codegen/aot/function_emitter.h"
#include "codegen/aot/weights.h"
#include "codegen/target/cpuid.h"
#include "ir/strings.h"
#include "runtime/abi.h"

namespace reel::codegen {
namespace {

using llvm::Value;

/// What an entry point's wrapper knows of its arguments and results, so many words each: code that goes through a table
/// in loops does not grow with it.
struct OperandTable {
  /// Words of a row. Bytes are those of the constant extents, 0 if one of them is; times a product of symbolic ones.
  enum Word : uint32_t { kBytes, kProduct, kLowBits, kWords };
  std::vector<uint64_t> words;
  /// Products of extents, by the symbols that are multiplied, with their numbers. The first is that of none.
  std::map<std::vector<int32_t>, uint64_t> products{{{}, 0}};

  uint64_t size() const { return words.size() / kWords; }
  void Add(const Type& type) {
    int64_t bytes = SizeOf(type.dtype);
    std::vector<int32_t> symbols;
    for (const Extent e : type.shape) {
      if (e.is_constant()) {
        bytes *= e.value();
      } else {
        symbols.push_back(e.symbol());
      }
    }
    const uint64_t product = products.try_emplace(std::move(symbols), products.size()).first->second;
    words.insert(words.end(),
                 {static_cast<uint64_t>(bytes), product, static_cast<uint64_t>(SizeOf(RealOf(type.dtype)) - 1)});
  }
};

class WrapperEmitter : public FunctionEmitter {
 public:
  WrapperEmitter(std::span<const TargetProgram> levels, const ObjectNames& names, const ObjectLayout& layout,
                 llvm::Module* module)
      : FunctionEmitter(names, levels[0].target, module),
        levels_(levels),
        program_(levels[0].program),
        layout_(layout) {}

  void Run(const std::string& manifest) {
    ConstantFunction("size", layout_.instance_bytes);
    ConstantFunction("alignment", REEL_INSTANCE_ALIGNMENT);
    Init();
    overlaps_ = OverlapFunction();
    const std::vector<ObjectEntry> entries = ObjectEntries(program_);
    for (size_t i = 0; i < entries.size(); ++i) Entry(entries[i], names_.entries[i].name);
    for (size_t i = 0; i < program_.variables.size(); ++i) Variable(i);
    AddWeights(program_, names_, target_, layout_.instance_bytes, module_);
    SetParallelFor();
    if (!program_.collectives.empty()) SetCommunicator();
    Error();
    auto* text = Text(StrCat(names_.name, "_manifest_json"), manifest);
    text->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }

 private:
  llvm::GlobalVariable* Text(const std::string& name, const std::string& text) {
    return AddData(module_, name, llvm::ConstantDataArray::getString(context_, text), 1);
  }

  /// Registers {eax, ebx, ecx, edx} of CPUID.
  Value* Cpuid(uint32_t leaf, uint32_t subleaf) {
    auto* result = llvm::StructType::get(context_, {i32_, i32_, i32_, i32_});
    auto* code =
        llvm::InlineAsm::get(llvm::FunctionType::get(result, {i32_, i32_}, false), "cpuid",
                             "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}", /*hasSideEffects=*/true);
    return b_.CreateCall(code->getFunctionType(), code, {b_.getInt32(leaf), b_.getInt32(subleaf)});
  }

  /// What Linux says when it is asked for AMX's tiles; 0: the process may use them. Without a C library.
  Value* RequestTiles() {
    auto* call = llvm::InlineAsm::get(llvm::FunctionType::get(i64_, {i64_, i64_, i64_}, false), "syscall",
                                      "={ax},{ax},{di},{si},~{cx},~{r11},~{memory},~{dirflag},~{fpsr},~{flags}",
                                      /*hasSideEffects=*/true);
    return b_.CreateCall(call->getFunctionType(), call,
                         {b_.getInt64(TileRequest::kArchPrctl), b_.getInt64(TileRequest::kRequest),
                          b_.getInt64(TileRequest::kTileData)});
  }

  /// Internal i1 function: has this machine what the target needs? Leaves are asked for before they
  /// are read, XCR0 only where OSXSAVE is set.
  llvm::Function* CpuCheckFunction(const Target& target) {
    Begin(StrCat("cpu_supported.", target.level), b_.getInt1Ty(), {}, /*visible=*/false);
    const CpuNeeds& needs = *NeedsOf(target.level);
    for (const CpuCheck& check : needs.checks) {
      Value* last = b_.CreateExtractValue(Cpuid(check.leaf & 0x80000000u, 0), 0);
      Refuse(b_.CreateICmpULT(last, b_.getInt32(check.leaf)), b_.getFalse());
      Value* found = b_.CreateExtractValue(Cpuid(check.leaf, check.subleaf), static_cast<unsigned>(check.reg));
      Value* bits = b_.CreateAnd(found, b_.getInt32(check.mask));
      Refuse(b_.CreateICmpNE(bits, b_.getInt32(check.mask)), b_.getFalse());
    }
    if (needs.xcr0 != 0) {
      auto* result = llvm::StructType::get(context_, {i32_, i32_});
      auto* xgetbv = llvm::InlineAsm::get(llvm::FunctionType::get(result, {i32_}, false), ".byte 0x0f, 0x01, 0xd0",
                                          "={ax},={dx},{cx}", true);
      Value* saved = b_.CreateCall(xgetbv->getFunctionType(), xgetbv, {b_.getInt32(0)});
      Value* bits = b_.CreateAnd(b_.CreateExtractValue(saved, 0), b_.getInt32(needs.xcr0));
      Refuse(b_.CreateICmpNE(bits, b_.getInt32(needs.xcr0)), b_.getFalse());
    }
    if (needs.tiles) Refuse(b_.CreateICmpNE(RequestTiles(), b_.getInt64(0)), b_.getFalse());
    b_.CreateRet(b_.getTrue());
    return function_;
  }

  void ConstantFunction(const std::string& suffix, int64_t value) {
    Begin(suffix, size_, {});
    b_.CreateRet(llvm::ConstantInt::get(size_, static_cast<uint64_t>(value)));
  }

  /// The bytes of all variables as they lie one after the other in an instance.
  std::string InitialValues() const {
    std::string out;
    for (const VariableSlot& v : program_.variables) {
      const auto bytes = v.initial.bytes();
      out.resize(static_cast<size_t>(v.offset - program_.variables[0].offset));
      out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return out;
  }

  bool has_choice() const { return layout_.level_offset >= 0; }

  /// The last level that the CPU supports, an i32; refuses if it has none. Each is asked only if those above it are not
  /// there: CPUID takes long in virtual machines.
  Value* Choose(const std::vector<llvm::Function*>& supported) {
    if (supported.empty()) return b_.getInt32(0);
    llvm::BasicBlock* chosen = NewBlock("chosen");
    std::vector<std::pair<uint32_t, llvm::BasicBlock*>> from;
    for (size_t i = supported.size(); i-- > 0;) {
      llvm::BasicBlock* lower = NewBlock("lower");
      from.emplace_back(static_cast<uint32_t>(i), b_.GetInsertBlock());
      b_.CreateCondBr(b_.CreateCall(supported[i]), chosen, lower);
      b_.SetInsertPoint(lower);
    }
    StoreError(b_.getInt32(REEL_UNSUPPORTED_CPU));
    b_.CreateRet(llvm::ConstantPointerNull::get(ptr_));
    b_.SetInsertPoint(chosen);
    llvm::PHINode* level = b_.CreatePHI(i32_, static_cast<unsigned>(from.size()));
    for (const auto& [i, block] : from) level->addIncoming(b_.getInt32(i), block);
    return level;
  }

  /// NAME* NAME_init(void* memory, size_t size, int* error)
  void Init() {
    std::vector<llvm::Function*> supported;
    for (const TargetProgram& level : levels_) {
      if (target_.platform.has_cpuid) supported.push_back(CpuCheckFunction(level.target));
    }
    Begin("init", ptr_, {ptr_, size_, ptr_});
    Value *memory = function_->getArg(0), *size = b_.CreateZExt(function_->getArg(1), i64_);
    error_slot_ = function_->getArg(2);
    Value* level = Choose(supported);
    Refuse(b_.CreateIsNull(memory), REEL_NULL_POINTER);
    Refuse(Misaligned(memory, REEL_INSTANCE_ALIGNMENT), REEL_MISALIGNED);
    Refuse(b_.CreateICmpULT(size, Int64(layout_.instance_bytes)), REEL_MEMORY_TOO_SMALL);
    b_.CreateMemSet(memory, b_.getInt8(0), sizeof(reel_instance), llvm::Align(64));
    if (const std::string values = InitialValues(); !values.empty()) {
      const auto first = static_cast<uint64_t>(program_.variables[0].offset);
      llvm::GlobalVariable* initial =
          AddBytes(module_, StrCat(names_.name, ".initial"), std::as_bytes(std::span(values)));
      b_.CreateMemCpy(Field(memory, first), llvm::Align(64), initial, llvm::Align(64), values.size());
    }
    if (has_choice()) b_.CreateStore(level, Field(memory, static_cast<uint64_t>(layout_.level_offset)));
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
    Value* i = Local(i64_, Int64(0));
    While([&] { return b_.CreateICmpNE(Get(i), last); },
          [&] {
            Value *before = b_.CreateICmpULE(end, bound(Get(i), 0)),
                  *behind = b_.CreateICmpUGE(begin, bound(Get(i), 1));
            If(b_.CreateNot(b_.CreateOr(before, behind)), [&] { b_.CreateRet(b_.getTrue()); });
            Set(i, b_.CreateAdd(Get(i), Int64(1)));
          });
    b_.CreateRet(b_.getFalse());
    return function_;
  }

  /// A word of operand i.
  Value* WordOf(Value* table, Value* i, OperandTable::Word word) {
    Value* at = b_.CreateAdd(b_.CreateMul(i, Int64(OperandTable::kWords)), Int64(word));
    return b_.CreateLoad(i64_, Element(i64_, table, at));
  }

  /// Begins the function of an entry point with so many extents and pointers after the instance; returns an array of
  /// them, words of 64 bits. Where the platform says so, the first come in registers and the others lie on the stack
  /// like an array that is passed by value.
  Value* BeginEntry(const std::string& name, uint64_t extents, uint64_t pointers) {
    const auto registers = static_cast<uint64_t>(target_.platform.register_words);
    const uint64_t count = extents + pointers, rest = registers == 0 ? 0 : count - std::min(count, registers);
    std::vector<llvm::Type*> types(1 + count - rest, ptr_);
    std::fill_n(types.begin() + 1, std::min(extents, count - rest), i64_);
    if (rest > 0) types.push_back(ptr_);
    Begin(name, i32_, types);
    Value* words = Array(count);
    for (unsigned i = 0; i < count - rest; ++i) {
      Value* word = function_->getArg(i + 1);
      if (i >= extents) word = b_.CreatePtrToInt(word, i64_);  // 64 bits also where pointers have 32
      b_.CreateStore(word, Element(i64_, words, i));
    }
    if (rest == 0) return words;
    llvm::Argument* stack = function_->getArg(static_cast<unsigned>(1 + registers));
    stack->addAttr(llvm::Attribute::getWithByValType(context_, llvm::ArrayType::get(i64_, rest)));
    stack->addAttr(llvm::Attribute::getWithAlignment(context_, llvm::Align(8)));
    Loop(rest, [&](Value* i) {
      Value* word = b_.CreateLoad(i64_, Element(i64_, stack, i));
      b_.CreateStore(word, Element(i64_, Element(i64_, words, registers), i));
    });
    return words;
  }

  /// The values of symbols, which come first.
  std::vector<Value*> Extents(const ObjectEntry& entry, Value* words) {
    std::vector<Value*> extents;
    for (const ir::Symbol& symbol : entry.symbols) {
      extents.push_back(b_.CreateLoad(i64_, Element(i64_, words, extents.size())));
      Value* above = b_.CreateSub(extents.back(), Int64(symbol.min));
      Refuse(b_.CreateICmpUGT(above, Int64(symbol.max - symbol.min)), REEL_INVALID_ARGUMENT);
    }
    return extents;
  }

  /// An array of each product of extents.
  Value* Products(const OperandTable& table, const std::vector<Value*>& extents) {
    Value* products = Array(table.products.size());
    for (const auto& [symbols, k] : table.products) {
      Value* product = Int64(1);
      for (const int32_t symbol : symbols) product = b_.CreateMul(product, extents[static_cast<size_t>(symbol)]);
      b_.CreateStore(product, Element(i64_, products, k));
    }
    return products;
  }

  /// Refuses null pointers (a tensor without elements may be null), misaligned ones, and results, those after `inputs`,
  /// that overlap arguments, the instance or each other.
  void CheckPointers(const OperandTable& operands, Value* table, uint64_t inputs, Value* pointers,
                     const std::vector<Value*>& extents) {
    Value* spans = Array(2 * (operands.size() + 1));  // the instance's after the arguments'
    Value* products = Products(operands, extents);
    const auto add_span = [&](Value* at, Value* begin, Value* bytes) {
      Value* span = Element(i64_, spans, b_.CreateShl(at, 1));
      b_.CreateStore(begin, span);
      b_.CreateStore(b_.CreateAdd(begin, bytes), Element(i64_, span, 1));
    };
    Loop(operands.size(), [&](Value* i) {
      Value* begin = b_.CreateLoad(i64_, Element(i64_, pointers, i));
      Value* bytes = WordOf(table, i, OperandTable::kBytes);
      Value* not_empty = b_.CreateICmpNE(bytes, Int64(0));
      Refuse(b_.CreateAnd(not_empty, b_.CreateICmpEQ(begin, Int64(0))), REEL_NULL_POINTER);
      Value* low = b_.CreateAnd(begin, WordOf(table, i, OperandTable::kLowBits));
      Refuse(b_.CreateICmpNE(low, Int64(0)), REEL_MISALIGNED);
      Value* product = b_.CreateLoad(i64_, Element(i64_, products, WordOf(table, i, OperandTable::kProduct)));
      Value* is_result = b_.CreateZExt(b_.CreateICmpUGE(i, b_.getInt64(inputs)), i64_);
      // What has no elements is from 0 to 0, which overlaps nothing.
      add_span(b_.CreateAdd(i, is_result), b_.CreateSelect(not_empty, begin, Int64(0)), b_.CreateMul(bytes, product));
    });
    add_span(b_.getInt64(inputs), b_.CreatePtrToInt(function_->getArg(0), i64_), Int64(layout_.instance_bytes));
    Loop(operands.size() - inputs, [&](Value* i) {
      Refuse(b_.CreateCall(overlaps_, {spans, b_.CreateAdd(i, b_.getInt64(inputs + 1))}), REEL_OVERLAP);
    });
  }

  /// int NAME_<entry>(NAME* instance, int64_t extents..., arguments..., results...)
  void Entry(const ObjectEntry& entry, const std::string& name) {
    OperandTable operands;
    for (const ir::Parameter& p : entry.arguments) operands.Add(p.type);
    for (const ir::Parameter& p : entry.results) operands.Add(p.type);
    Value* words = BeginEntry(name, entry.symbols.size(), operands.size());
    Value* instance = function_->getArg(0);
    CheckInstance(instance);
    const std::vector<Value*> extents = Extents(entry, words);
    Value* table = AddData(module_, StrCat(names_.name, ".", name, ".operands"),
                           llvm::ConstantDataArray::get(context_, operands.words), alignof(uint64_t));
    Value* in = Element(i64_, words, entry.symbols.size());
    CheckPointers(operands, table, entry.arguments.size(), in, extents);
    Value* out = Element(i64_, in, entry.arguments.size());
    if (entry.rowwise) return CallInChunks(entry, extents[0], {instance, in, out}, operands.size(), table);
    for (const ObjectEntry::Variant& v : entry.variants) CallIfEqual(v, extents, {instance, in, out});
    b_.CreateRet(b_.getInt32(REEL_INVALID_ARGUMENT));
  }

  /// The entry point's status. `arguments`: instance, arguments, results.
  Value* CallEntry(int32_t entry, llvm::ArrayRef<Value*> arguments) {
    const auto call = [&](const TargetProgram& level) {
      return b_.CreateCall(module_->getFunction(EntrySymbol(names_, level, static_cast<size_t>(entry))), arguments);
    };
    if (!has_choice()) return call(levels_[0]);
    Value* level = b_.CreateLoad(i32_, Field(arguments[0], static_cast<uint64_t>(layout_.level_offset)));
    llvm::BasicBlock* none = NewBlock("no_level");
    llvm::SwitchInst* choice = b_.CreateSwitch(level, none, static_cast<unsigned>(levels_.size()));
    b_.SetInsertPoint(none);  // someone wrote over the instance
    b_.CreateRet(b_.getInt32(REEL_NOT_INITIALIZED));
    llvm::BasicBlock* done = NewBlock("called");
    std::vector<std::pair<Value*, llvm::BasicBlock*>> results;
    for (uint32_t i = 0; i < levels_.size(); ++i) {
      llvm::BasicBlock* block = NewBlock("level");
      choice->addCase(b_.getInt32(i), block);
      b_.SetInsertPoint(block);
      results.emplace_back(call(levels_[i]), block);
      b_.CreateBr(done);
    }
    b_.SetInsertPoint(done);
    llvm::PHINode* status = b_.CreatePHI(i32_, static_cast<unsigned>(results.size()));
    for (const auto& [value, block] : results) status->addIncoming(value, block);
    return status;
  }

  /// Returns what the variant does if the extents are its own.
  void CallIfEqual(const ObjectEntry::Variant& variant, const std::vector<Value*>& extents,
                   llvm::ArrayRef<Value*> arguments) {
    Value* equal = b_.getTrue();
    for (size_t i = 0; i < extents.size(); ++i) {
      equal = b_.CreateAnd(equal, b_.CreateICmpEQ(extents[i], Int64(variant.extents[i])));
    }
    If(equal, [&] { b_.CreateRet(CallEntry(variant.entry, arguments)); });
  }

  /// Moves pointers to the next rows. The only symbol is their number, which operands have or not.
  void Advance(Value* pointers, uint64_t count, Value* table, int64_t rows) {
    Loop(count, [&](Value* i) {
      Value* slot = Element(i64_, pointers, i);
      Value* has_rows = b_.CreateICmpNE(WordOf(table, i, OperandTable::kProduct), Int64(0));
      Value* bytes = b_.CreateMul(WordOf(table, i, OperandTable::kBytes), Int64(rows));
      Value* next = b_.CreateAdd(b_.CreateLoad(i64_, slot), b_.CreateSelect(has_rows, bytes, Int64(0)));
      b_.CreateStore(next, slot);
    });
  }

  /// Each variant as often as its rows fit into those that are left.
  void CallInChunks(const ObjectEntry& entry, Value* rows, llvm::ArrayRef<Value*> call, uint64_t operands,
                    Value* table) {
    Value* left = Array(1);
    b_.CreateStore(rows, left);
    for (const ObjectEntry::Variant& v : entry.variants) {
      While([&] { return b_.CreateICmpUGE(b_.CreateLoad(i64_, left), Int64(v.extents[0])); },
            [&] {
              Value* status = CallEntry(v.entry, call);
              Refuse(b_.CreateICmpNE(status, b_.getInt32(REEL_OK)), status);
              Advance(call[1], operands, table, v.extents[0]);
              b_.CreateStore(b_.CreateSub(b_.CreateLoad(i64_, left), Int64(v.extents[0])), left);
            });
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
    If(b_.CreateIsNotNull(instance), [&] {
      b_.CreateStore(function_->getArg(1), Field(instance, offsetof(reel_instance, parallel_for)));
      b_.CreateStore(function_->getArg(2), Field(instance, offsetof(reel_instance, context)));
    });
    b_.CreateRetVoid();
  }

  /// int NAME_set_communicator(NAME* instance, const struct reel_communicator* communicator)
  void SetCommunicator() {
    Begin("set_communicator", i32_, {ptr_, ptr_});
    Value *instance = function_->getArg(0), *communicator = function_->getArg(1);
    CheckInstance(instance);
    If(b_.CreateIsNotNull(communicator), [&] {
      Value* version = b_.CreateLoad(i64_, Field(communicator, offsetof(reel_communicator, version)));
      Refuse(b_.CreateICmpNE(version, Int64(REEL_COMMUNICATOR_VERSION)), REEL_OTHER_COMMUNICATOR);
    });
    b_.CreateStore(communicator, Field(instance, offsetof(reel_instance, communicator)));
    b_.CreateRet(b_.getInt32(REEL_OK));
  }

  /// const char* NAME_error(int code): selects, not a table of pointers, which would need relocated
  /// data.
  void Error() {
    Begin("error", ptr_, {i32_});
    Value* text = Text(StrCat(names_.name, ".e"), reel_status_message(-1));
    for (int32_t code = 0; code < REEL_STATUS_COUNT; ++code) {
      Value* known = Text(StrCat(names_.name, ".e", code), reel_status_message(code));
      Value* is_code = b_.CreateICmpEQ(function_->getArg(0), b_.getInt32(static_cast<uint32_t>(code)));
      text = b_.CreateSelect(is_code, known, text);
    }
    b_.CreateRet(text);
  }

  const std::span<const TargetProgram> levels_;
  const Program& program_;  // of the first level: entry points and variables are those of all
  const ObjectLayout& layout_;
  llvm::Function* overlaps_ = nullptr;
};

}  // namespace

std::string EntrySymbol(const ObjectNames& names, const TargetProgram& level, size_t i) {
  return StrCat(names.name, ".", level.target.level, ".", i, ".", ToIdentifier(level.program.entries[i].name));
}

llvm::GlobalVariable* AddBytes(llvm::Module* module, const std::string& name, std::span<const std::byte> bytes) {
  llvm::Constant* data =
      llvm::ConstantDataArray::getRaw(llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                                      bytes.size(), llvm::Type::getInt8Ty(module->getContext()));
  return AddData(module, name, data, 64);
}

void AddWrappers(std::span<const TargetProgram> levels, const ObjectNames& names, const ObjectLayout& layout,
                 const std::string& manifest, llvm::Module* module) {
  WrapperEmitter(levels, names, layout, module).Run(manifest);
}

}  // namespace reel::codegen
