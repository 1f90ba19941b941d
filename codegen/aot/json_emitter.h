#ifndef REEL_CODEGEN_AOT_JSON_EMITTER_H_
#define REEL_CODEGEN_AOT_JSON_EMITTER_H_

#include <cstdint>

#include "codegen/aot/function_emitter.h"

namespace reel::codegen {

/// Emits a reader of JSON: internal functions, each of which gets a reader first, and what functions that use it need.
class JsonEmitter : public FunctionEmitter {
 protected:
  /// What a reader holds; the emitted functions get it first. Row: of the entry that is read, or -1.
  enum Part : unsigned { kFrom, kAt, kEnd, kRow };
  /// Code points that are none.
  static constexpr int32_t kQuote = -1, kDamaged = -2;

  JsonEmitter(const ObjectNames& names, const Target& target, llvm::Module* module)
      : FunctionEmitter(names, target, module),
        reader_type_(llvm::StructType::get(context_, {ptr_, i64_, i64_, i64_})) {}

  /// Emits the functions. Word i of those that strings are compared with has the code points text[first[i], first[i +
  /// 1]).
  void EmitReader(llvm::Constant* text, llvm::Constant* first);

  /// Begins a function that shall be small. Its loops are none of memcpy's, and its cases no table of addresses.
  llvm::Function* BeginSmall(const char* suffix, llvm::Type* result, llvm::ArrayRef<llvm::Type*> parameters,
                             bool visible = false) {
    llvm::Function* function = Begin(suffix, result, parameters, visible);
    function->addFnAttr(llvm::Attribute::MinSize);
    function->addFnAttr(llvm::Attribute::OptimizeForSize);
    function->addFnAttr("no-builtins");
    function->addFnAttr("no-jump-tables", "true");
    return function;
  }
  Value* Argument(unsigned i) { return function_->getArg(i); }
  Value* Call(const char* suffix, llvm::ArrayRef<Value*> arguments) {
    return b_.CreateCall(Find(suffix, /*visible=*/false), arguments);
  }

  Value* Int32(int32_t x) { return b_.getInt32(static_cast<uint32_t>(x)); }
  Value* Is(Value* a, int64_t b) { return b_.CreateICmpEQ(a, llvm::ConstantInt::getSigned(a->getType(), b)); }
  Value* IsNot(Value* a, int64_t b) { return b_.CreateNot(Is(a, b)); }
  void Increment(Value* local, int64_t by = 1) { Set(local, b_.CreateAdd(Get(local), Int64(by))); }
  Value* Place(Value* array, Value* i64) { return Element(b_.getInt8Ty(), array, i64); }

  Value* PartOf(Value* reader, Part part) { return b_.CreateStructGEP(reader_type_, reader, part); }
  Value* Read(Part part) {
    return b_.CreateLoad(part == kFrom ? static_cast<llvm::Type*>(ptr_) : i64_, PartOf(Argument(0), part));
  }
  void Write(Part part, Value* value) { b_.CreateStore(value, PartOf(Argument(0), part)); }
  Value* HasMore() { return b_.CreateICmpULT(Read(kAt), Read(kEnd)); }
  /// The byte to come, where there is one.
  Value* Next() { return b_.CreateZExt(b_.CreateLoad(b_.getInt8Ty(), Place(Read(kFrom), Read(kAt))), i32_); }
  void Advance() { Write(kAt, b_.CreateAdd(Read(kAt), Int64(1))); }

  Value* Takes(char c) { return Call("take", {Argument(0), Int32(c)}); }
  /// The current function returns `code` if c does not come.
  void Expect(char c, reel_status code = REEL_BAD_HEADER) { Refuse(b_.CreateNot(Takes(c)), code); }
  void Expect(char c, Value* code) { Refuse(b_.CreateNot(Takes(c)), code); }

  /// Takes a string: which of the words from low to high it is, -1 if none, or what DamagedWord finds.
  Value* Word(uint64_t low, uint64_t high) { return Call("word", {Argument(0), b_.getInt64(low), b_.getInt64(high)}); }
  Value* DamagedWord(Value* word) { return Is(word, kDamaged); }

  /// Takes a list of numbers into `to`, an array of kMaxRank words: how many there are, or -1.
  Value* Numbers(Value* to) { return Call("numbers", {Argument(0), to}); }

  llvm::StructType* reader_type_;

 private:
  void Byte();
  void Space();
  void Take();
  void Hex();
  void Escape();
  void Character();
  void WordFunction();
  void Number();
  void NumbersFunction();

  llvm::Constant *text_ = nullptr, *first_ = nullptr;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_AOT_JSON_EMITTER_H_
