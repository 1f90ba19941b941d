#include "codegen/aot/entries.h"

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "codegen/aot/function_emitter.h"
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

class EntryEmitter : public FunctionEmitter {
 public:
  EntryEmitter(std::span<const TargetProgram> levels, const ObjectNames& names, const ObjectLayout& layout,
               llvm::Module* module)
      : FunctionEmitter(names, levels[0].target, module),
        levels_(levels),
        layout_(layout),
        overlaps_(OverlapFunction()) {}

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

 private:
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

  bool has_choice() const { return layout_.level_offset >= 0; }

  const std::span<const TargetProgram> levels_;
  const ObjectLayout& layout_;
  llvm::Function* const overlaps_;
};

}  // namespace

std::string EntrySymbol(const ObjectNames& names, const TargetProgram& level, size_t i) {
  return StrCat(names.name, ".", level.target.level, ".", i, ".", ToIdentifier(level.program.entries[i].name));
}

void AddEntries(std::span<const TargetProgram> levels, const ObjectNames& names, const ObjectLayout& layout,
                llvm::Module* module) {
  EntryEmitter emitter(levels, names, layout, module);
  const std::vector<ObjectEntry> entries = ObjectEntries(levels[0].program);
  for (size_t i = 0; i < entries.size(); ++i) emitter.Entry(entries[i], names.entries[i].name);
}

}  // namespace reel::codegen
