#include "codegen/aot/weights.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/aot/function_emitter.h"
#include "codegen/aot/weights_layout.h"
#include "ir/strings.h"

// The functions of the object are emitted as one would write them in C; the C stands beside what is not plain.

namespace reel::codegen {
namespace {

using llvm::Value;

/// What a file is compared with, as constants of the object: variables in the order of their names, and words, which
/// are those names, the keys of an entry and the names of dtypes, as code points.
struct FileTables {
  /// Words of a row. The row of __metadata__ is a variable without elements, at no place.
  enum Word : uint32_t { kNumber, kOffset, kBytes, kBegin, kIsBool, kDType, kRank, kExtents, kWords };
  enum Key : uint32_t { kDataOffsets, kDTypeKey, kShape, kKeys };  // as they are sorted

  std::vector<uint64_t> rows, extents;
  std::vector<uint32_t> text, first;  // word i is text[first[i], first[i + 1])
  uint64_t count = 0;                 // of rows
  uint64_t metadata = 0;              // the row of __metadata__
  uint64_t keys = 0, dtypes = 0, end = 0;  // first words of a kind

  FileTables(const Program& program, const ir::SafetensorsLayout& layout);

 private:
  void AddWord(std::string_view word) {
    first.push_back(static_cast<uint32_t>(text.size()));
    while (!word.empty()) {
      // Names are UTF-8: n bytes begin with n ones, of one byte with none.
      const auto lead = static_cast<uint8_t>(word[0]);
      const auto ones = static_cast<size_t>(std::countl_one(lead)), bytes = std::max<size_t>(ones, 1);
      uint32_t code = lead & (0xFFu >> (ones + (ones > 0)));
      for (const char c : word.substr(1, bytes - 1)) code = code << 6 | (static_cast<uint8_t>(c) & 0x3Fu);
      text.push_back(code);
      word.remove_prefix(bytes);
    }
  }
};

FileTables::FileTables(const Program& program, const ir::SafetensorsLayout& layout) {
  std::vector<std::string_view> dtype_names;
  for (int i = 0; i < kNumDTypes; ++i) dtype_names.push_back(ir::SafetensorsName(static_cast<DType>(i)));
  std::sort(dtype_names.begin(), dtype_names.end());
  count = program.variables.size() + 1, keys = count, dtypes = keys + kKeys, end = dtypes + dtype_names.size();
  std::vector<std::pair<std::string_view, size_t>> sorted{{ir::kSafetensorsMetadata, program.variables.size()}};
  for (size_t i = 0; i < program.variables.size(); ++i) sorted.emplace_back(program.variables[i].name, i);
  std::sort(sorted.begin(), sorted.end());
  for (const auto& [name, i] : sorted) {
    AddWord(name);
    if (i == program.variables.size()) {
      metadata = rows.size() / kWords;
      rows.resize(rows.size() + kWords);
      continue;
    }
    const VariableSlot& v = program.variables[i];
    const auto dtype = std::find(dtype_names.begin(), dtype_names.end(), ir::SafetensorsName(v.type.dtype));
    rows.insert(rows.end(), {i, static_cast<uint64_t>(v.offset), static_cast<uint64_t>(v.type.bytes()),
                             static_cast<uint64_t>(layout.begins[i]), v.type.dtype == kBool,
                             dtypes + static_cast<uint64_t>(dtype - dtype_names.begin()),
                             static_cast<uint64_t>(v.type.shape.rank()), extents.size()});
    for (const Extent e : v.type.shape) extents.push_back(static_cast<uint64_t>(e.value()));
  }
  for (const std::string_view key : {"data_offsets", "dtype", "shape"}) AddWord(key);
  for (const std::string_view name : dtype_names) AddWord(name);
  first.push_back(static_cast<uint32_t>(text.size()));
  extents.push_back(0);  // no array is empty
}

class WeightsEmitter : public FunctionEmitter {
 public:
  WeightsEmitter(const Program& program, const ObjectNames& names, const Target& target, int64_t instance_bytes,
                 llvm::Module* module, const ir::SafetensorsLayout& layout)
      : FunctionEmitter(names, target, module),
        program_(program),
        instance_bytes_(instance_bytes),
        layout_(layout),
        tables_(program, layout),
        reader_type_(llvm::StructType::get(context_, {ptr_, i64_, i64_, i64_})) {}

  void Run() {
    rows_ = Data("rows", tables_.rows);
    extents_ = Data("extents", tables_.extents);
    text_ = Data("text", tables_.text);
    first_ = Data("first", tables_.first);
    SaveSize();
    Save();
    Byte();
    Space();
    Take();
    Hex();
    Escape();
    Character();
    WordFunction();
    Number();
    Numbers();
    Metadata();
    Entry();
    Header();
    Places();
    Check();
    Load();
  }

 private:
  /// What a reader holds; the functions of the parser get it first. Row: of the entry that is read, or -1.
  enum Part : unsigned { kFrom, kAt, kEnd, kRow };
  /// Code points that are none.
  static constexpr int32_t kQuote = -1, kDamaged = -2;

  template <typename T>
  llvm::Constant* Data(const char* name, const std::vector<T>& words) {
    return AddData(module_, StrCat(names_.name, ".weights.", name), llvm::ConstantDataArray::get(context_, words),
                   sizeof(T));
  }

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
  Value* Bytes(Value* i64) { return b_.CreateTrunc(i64, size_); }
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

  Value* WordOf(Value* row, FileTables::Word word) {
    Value* at = b_.CreateAdd(b_.CreateMul(row, Int64(FileTables::kWords)), Int64(word));
    return b_.CreateLoad(i64_, Element(i64_, rows_, at));
  }
  /// Where the bytes of a row begin or end in the file; begins are -1 until the entry was read.
  Value* Span(Value* spans, Value* row, int64_t end) {
    return Element(i64_, spans, b_.CreateAdd(b_.CreateShl(row, 1), Int64(end)));
  }
  /// Do so many bytes at `a` overlap the instance?
  Value* OverlapsInstance(Value* a, Value* bytes, Value* instance) {
    Value *begin = b_.CreatePtrToInt(a, i64_), *own = b_.CreatePtrToInt(instance, i64_);
    return b_.CreateAnd(b_.CreateICmpULT(begin, b_.CreateAdd(own, Int64(instance_bytes_))),
                        b_.CreateICmpULT(own, b_.CreateAdd(begin, bytes)));
  }

  int64_t FileBytes() const { return static_cast<int64_t>(layout_.head.size()) + layout_.bytes; }

  /// size_t NAME_save_size(void)
  void SaveSize() {
    Begin("save_size", size_, {});
    b_.CreateRet(llvm::ConstantInt::get(size_, static_cast<uint64_t>(FileBytes())));
  }

  /// int NAME_save(const NAME* instance, void* to, size_t size)
  void Save() {
    BeginSmall("save", i32_, {ptr_, ptr_, size_}, /*visible=*/true);
    Value *instance = Argument(0), *to = Argument(1);
    CheckInstance(instance);
    Refuse(b_.CreateIsNull(to), REEL_NULL_POINTER);
    Refuse(b_.CreateICmpULT(b_.CreateZExt(Argument(2), i64_), Int64(FileBytes())), REEL_MEMORY_TOO_SMALL);
    Refuse(OverlapsInstance(to, Int64(FileBytes()), instance), REEL_OVERLAP);
    llvm::Constant* head = llvm::ConstantDataArray::getString(context_, layout_.head, /*AddNull=*/false);
    const auto head_bytes = static_cast<int64_t>(layout_.head.size());
    b_.CreateMemCpy(to, llvm::Align(1), AddData(module_, StrCat(names_.name, ".weights.head"), head, 1), llvm::Align(1),
                    Bytes(Int64(head_bytes)));
    Loop(tables_.count, [&](Value* row) {
      Value* begin = b_.CreateAdd(Int64(head_bytes), WordOf(row, FileTables::kBegin));
      b_.CreateMemCpy(Place(to, begin), llvm::Align(1), Place(instance, WordOf(row, FileTables::kOffset)),
                      llvm::Align(1), Bytes(WordOf(row, FileTables::kBytes)));
    });
    b_.CreateRet(Int32(REEL_OK));
  }

  /// int byte(reader): takes one; -1 at the end.
  void Byte() {
    BeginSmall("byte", i32_, {ptr_});
    Refuse(b_.CreateNot(HasMore()), Int32(-1));
    Value* byte = Next();
    Advance();
    b_.CreateRet(byte);
  }

  /// void space(reader): goes to what is none.
  void Space() {
    BeginSmall("space", b_.getVoidTy(), {ptr_});
    const auto is_space = [&] {
      Value *c = Next(), *any = b_.getFalse();
      for (const char space : {' ', '\t', '\n', '\r'}) any = b_.CreateOr(any, Is(c, space));
      return any;
    };
    While([&] { return And(HasMore(), is_space); }, [&] { Advance(); });
    b_.CreateRetVoid();
  }

  /// bool take(reader, c): takes c, and space before it, if it is what comes.
  void Take() {
    BeginSmall("take", b_.getInt1Ty(), {ptr_, i32_});
    Call("space", {Argument(0)});
    Value* comes = And(HasMore(), [&] { return b_.CreateICmpEQ(Next(), Argument(1)); });
    If(comes, [&] { Advance(); });
    b_.CreateRet(comes);
  }
  Value* Takes(char c) { return Call("take", {Argument(0), Int32(c)}); }
  /// The current function returns `code` if c does not come.
  void Expect(char c, reel_status code = REEL_BAD_HEADER) { Refuse(b_.CreateNot(Takes(c)), code); }
  void Expect(char c, Value* code) { Refuse(b_.CreateNot(Takes(c)), code); }

  /// int hex(reader): four digits; -1 if they are none.
  void Hex() {
    BeginSmall("hex", i32_, {ptr_});
    Value* value = Local(i32_, Int32(0));
    Loop(4, [&](Value*) {
      Value* c = Call("byte", {Argument(0)});
      Value *digit = b_.CreateSub(c, Int32('0')), *letter = b_.CreateSub(b_.CreateOr(c, Int32(0x20)), Int32('a'));
      Value* is_digit = b_.CreateICmpULE(digit, Int32(9));
      Refuse(b_.CreateNot(b_.CreateOr(is_digit, b_.CreateICmpULE(letter, Int32(5)))), Int32(-1));
      Value* nibble = b_.CreateSelect(is_digit, digit, b_.CreateAdd(letter, Int32(10)));
      Set(value, b_.CreateOr(b_.CreateShl(Get(value), 4), nibble));
    });
    b_.CreateRet(Get(value));
  }

  /// int escape(reader): the code point of what follows a backslash.
  void Escape() {
    BeginSmall("escape", i32_, {ptr_});
    const auto surrogate = [&](Value* x, int32_t bits) {
      return b_.CreateAnd(x, Int32(static_cast<int32_t>(~0u << bits)));
    };
    Value* c = Call("byte", {Argument(0)});
    constexpr std::string_view kNames = "\"\\/bfnrt", kMeanings = "\"\\/\b\f\n\r\t";
    for (size_t i = 0; i < kNames.size(); ++i) Refuse(Is(c, kNames[i]), Int32(kMeanings[i]));
    Refuse(IsNot(c, 'u'), Int32(kDamaged));
    Value* high = Call("hex", {Argument(0)});
    Refuse(Is(high, -1), Int32(kDamaged));
    Refuse(IsNot(surrogate(high, 11), 0xD800), high);
    Refuse(b_.CreateICmpUGE(high, Int32(0xDC00)), Int32(kDamaged));
    for (const char next : {'\\', 'u'}) Refuse(IsNot(Call("byte", {Argument(0)}), next), Int32(kDamaged));
    Value* low = Call("hex", {Argument(0)});
    Refuse(IsNot(surrogate(low, 10), 0xDC00), Int32(kDamaged));
    Value* upper = b_.CreateShl(b_.CreateSub(high, Int32(0xD800)), 10);
    b_.CreateRet(b_.CreateAdd(upper, b_.CreateAdd(low, Int32(0x10000 - 0xDC00))));
  }

  /// int character(reader): the next code point of a string, kQuote at its end, kDamaged if it is no JSON or UTF-8.
  void Character() {
    BeginSmall("character", i32_, {ptr_});
    Value* c = Call("byte", {Argument(0)});
    Refuse(Is(c, '"'), Int32(kQuote));
    If(Is(c, '\\'), [&] { b_.CreateRet(Call("escape", {Argument(0)})); });
    Refuse(b_.CreateICmpSLT(c, Int32(0x20)), Int32(kDamaged));
    Refuse(b_.CreateICmpULT(c, Int32(0x80)), c);
    Refuse(b_.CreateOr(b_.CreateICmpULT(c, Int32(0xC2)), b_.CreateICmpUGT(c, Int32(0xF4))), Int32(kDamaged));
    const auto from = [&](int32_t lead) { return b_.CreateZExt(b_.CreateICmpUGE(c, Int32(lead)), i32_); };
    Value* more = b_.CreateAdd(Int32(1), b_.CreateAdd(from(0xE0), from(0xF0)));  // bytes
    Value *code = Local(i32_, b_.CreateAnd(c, b_.CreateLShr(Int32(0x3F), more))), *left = Local(i32_, more);
    While([&] { return IsNot(Get(left), 0); },
          [&] {
            Value* next = Call("byte", {Argument(0)});
            Refuse(IsNot(b_.CreateAnd(next, Int32(~0x3F)), 0x80), Int32(kDamaged));
            Set(code, b_.CreateOr(b_.CreateShl(Get(code), 6), b_.CreateAnd(next, Int32(0x3F))));
            Set(left, b_.CreateSub(Get(left), Int32(1)));
          });
    // Longer than needed: below 2^11 of three bytes, 2^16 of four.
    Value* least = b_.CreateShl(Int32(2), b_.CreateMul(more, Int32(5)));
    Refuse(b_.CreateICmpULT(Get(code), least), Int32(kDamaged));
    Refuse(b_.CreateICmpUGT(Get(code), Int32(0x10FFFF)), Int32(kDamaged));
    Refuse(Is(b_.CreateAnd(Get(code), Int32(~0x7FF)), 0xD800), Int32(kDamaged));
    b_.CreateRet(Get(code));
  }

  /// long word(reader, low, high): takes a string; which of the words from low to high it is, -1 if none, or kDamaged.
  /// The words are sorted: each character moves the bounds to those that have it there, so an entry costs as many steps
  /// as it has characters and there are words.
  void WordFunction() {
    BeginSmall("word", i64_, {ptr_, i64_, i64_});
    Expect('"', Int64(kDamaged));
    Value *low = Local(i64_, Argument(1)), *high = Local(i64_, Argument(2)), *k = Local(i64_, Int64(0));
    const auto first = [&](Value* word) {
      return b_.CreateZExt(b_.CreateLoad(i32_, Element(i32_, first_, word)), i64_);
    };
    const auto character = [&](Value* word) {
      return b_.CreateLoad(i32_, Element(i32_, text_, b_.CreateAdd(first(word), Get(k))));
    };
    const auto ends = [&] {  // the word at low, after k characters
      Value* length = b_.CreateSub(first(b_.CreateAdd(Get(low), Int64(1))), first(Get(low)));
      return b_.CreateICmpEQ(length, Get(k));
    };
    const auto is_any = [&] { return b_.CreateICmpULT(Get(low), Get(high)); };
    Value* c = Local(i32_, Int32(0));
    const auto is_less = [&] { return b_.CreateICmpULT(character(Get(low)), Get(c)); };
    const auto is_more = [&] { return b_.CreateICmpUGT(character(b_.CreateSub(Get(high), Int64(1))), Get(c)); };
    const auto next = [&] {
      Set(c, Call("character", {Argument(0)}));
      return b_.CreateICmpSGE(Get(c), Int32(0));
    };
    While(next, [&] {
      While([&] { return And(is_any(), [&] { return Or(ends(), is_less); }); }, [&] { Increment(low); });
      While([&] { return And(is_any(), is_more); }, [&] { Increment(high, -1); });
      Increment(k);
    });
    Refuse(Is(Get(c), kDamaged), Int64(kDamaged));
    b_.CreateRet(b_.CreateSelect(And(is_any(), ends), Get(low), Int64(-1)));
  }
  Value* Word(uint64_t low, uint64_t high) { return Call("word", {Argument(0), b_.getInt64(low), b_.getInt64(high)}); }
  Value* DamagedWord(Value* word) { return Is(word, kDamaged); }

  /// bool number(reader, unsigned long* to): digits without a sign, a fraction or zeros in front, below 2^64.
  void Number() {
    BeginSmall("number", b_.getInt1Ty(), {ptr_, ptr_});
    Call("space", {Argument(0)});
    const auto digit = [&] { return b_.CreateZExt(b_.CreateSub(Next(), Int32('0')), i64_); };
    const auto is_digit = [&] { return And(HasMore(), [&] { return b_.CreateICmpULE(digit(), Int64(9)); }); };
    Refuse(b_.CreateNot(is_digit()), b_.getFalse());
    Value* value = Local(i64_, digit());
    Advance();
    While(is_digit, [&] {
      Refuse(Is(Get(value), 0), b_.getFalse());
      Refuse(b_.CreateICmpUGT(Get(value), b_.getInt64(UINT64_MAX / 10)), b_.getFalse());
      Value* tens = b_.CreateMul(Get(value), Int64(10));
      Set(value, b_.CreateAdd(tens, digit()));
      Refuse(b_.CreateICmpULT(Get(value), tens), b_.getFalse());
      Advance();
    });
    b_.CreateStore(Get(value), Argument(1));
    b_.CreateRet(b_.getTrue());
  }

  /// long numbers(reader, unsigned long to[kMaxRank]): takes a list; how many there are, or -1. Those behind kMaxRank
  /// are not kept.
  void Numbers() {
    BeginSmall("numbers", i64_, {ptr_, ptr_});
    Expect('[', Int64(-1));
    Refuse(Takes(']'), Int64(0));
    Value *value = Local(i64_, Int64(0)), *count = Local(i64_, Int64(0));
    DoWhile(
        [&] {
          Refuse(b_.CreateNot(Call("number", {Argument(0), value})), Int64(-1));
          If(b_.CreateICmpULT(Get(count), Int64(kMaxRank)),
             [&] { b_.CreateStore(Get(value), Element(i64_, Argument(1), Get(count))); });
          Increment(count);
        },
        [&] { return Takes(','); });
    Expect(']', Int64(-1));
    b_.CreateRet(Get(count));
  }

  /// int metadata(reader): {"text": "text", ...}, which are not looked at.
  void Metadata() {
    BeginSmall("metadata", i32_, {ptr_});
    Expect('{');
    Refuse(Takes('}'), REEL_OK);
    DoWhile(
        [&] {
          Refuse(DamagedWord(Word(0, 0)), REEL_BAD_HEADER);
          Expect(':');
          Refuse(DamagedWord(Word(0, 0)), REEL_BAD_HEADER);
        },
        [&] { return Takes(','); });
    Expect('}');
    b_.CreateRet(Int32(REEL_OK));
  }

  /// int entry(reader, spans, bytes of all elements): {"dtype": ..., "shape": ..., "data_offsets": ...} of a row.
  void Entry() {
    BeginSmall("entry", i32_, {ptr_, ptr_, i64_});
    Value *row = Read(kRow), *numbers = Array(kMaxRank), *seen = Local(i64_, Int64(0));
    Expect('{');
    DoWhile(
        [&] {
          Value* key = Word(tables_.keys, tables_.dtypes);
          Refuse(b_.CreateICmpSLT(key, Int64(0)), REEL_BAD_HEADER);
          Value* bit = b_.CreateShl(Int64(1), b_.CreateSub(key, b_.getInt64(tables_.keys)));
          Refuse(IsNot(b_.CreateAnd(Get(seen), bit), 0), REEL_BAD_HEADER);
          Set(seen, b_.CreateOr(Get(seen), bit));
          Expect(':');
          If(
              Is(bit, 1 << FileTables::kDTypeKey), [&] { CheckDType(row); },
              [&] {
                Value* count = Call("numbers", {Argument(0), numbers});
                Refuse(Is(count, -1), REEL_BAD_HEADER);
                If(
                    Is(bit, 1 << FileTables::kShape), [&] { CheckShape(row, numbers, count); },
                    [&] { CheckOffsets(row, numbers, count); });
              });
        },
        [&] { return Takes(','); });
    Expect('}');
    Refuse(IsNot(Get(seen), (1 << FileTables::kKeys) - 1), REEL_BAD_HEADER);
    b_.CreateRet(Int32(REEL_OK));
  }
  void CheckDType(Value* row) {
    Value* dtype = Word(tables_.dtypes, tables_.end);
    Refuse(DamagedWord(dtype), REEL_BAD_HEADER);
    Refuse(b_.CreateICmpNE(dtype, WordOf(row, FileTables::kDType)), REEL_WRONG_DTYPE);
  }
  void CheckShape(Value* row, Value* numbers, Value* count) {
    Refuse(b_.CreateICmpNE(count, WordOf(row, FileTables::kRank)), REEL_WRONG_SHAPE);
    Value *own = Element(i64_, extents_, WordOf(row, FileTables::kExtents)), *axis = Local(i64_, Int64(0));
    While([&] { return b_.CreateICmpULT(Get(axis), count); },
          [&] {
            Value* given = b_.CreateLoad(i64_, Element(i64_, numbers, Get(axis)));
            Refuse(b_.CreateICmpNE(given, b_.CreateLoad(i64_, Element(i64_, own, Get(axis)))), REEL_WRONG_SHAPE);
            Increment(axis);
          });
  }
  /// Puts where the entry lies into spans.
  void CheckOffsets(Value* row, Value* numbers, Value* count) {
    Refuse(IsNot(count, 2), REEL_BAD_HEADER);
    Value *begin = b_.CreateLoad(i64_, numbers), *end = b_.CreateLoad(i64_, Element(i64_, numbers, uint64_t{1}));
    Refuse(b_.CreateICmpUGT(begin, end), REEL_WRONG_BYTES);
    Refuse(b_.CreateICmpUGT(end, Argument(2)), REEL_WRONG_BYTES);
    Refuse(b_.CreateICmpNE(b_.CreateSub(end, begin), WordOf(row, FileTables::kBytes)), REEL_WRONG_BYTES);
    b_.CreateStore(begin, Span(Argument(1), row, 0));
    b_.CreateStore(end, Span(Argument(1), row, 1));
  }

  /// int header(reader, spans, bytes of all elements)
  void Header() {
    BeginSmall("header", i32_, {ptr_, ptr_, i64_});
    Value *has_metadata = Local(b_.getInt1Ty(), b_.getFalse()), *status = Local(i32_, Int32(REEL_OK));
    const auto metadata = [&] {
      Refuse(Get(has_metadata), REEL_BAD_HEADER);
      Set(has_metadata, b_.getTrue());
      Set(status, Call("metadata", {Argument(0)}));
    };
    const auto entry = [&] {
      Refuse(IsNot(b_.CreateLoad(i64_, Span(Argument(1), Read(kRow), 0)), -1), REEL_VARIABLE_TWICE);
      Set(status, Call("entry", {Argument(0), Argument(1), Argument(2)}));
    };
    Expect('{');
    If(b_.CreateNot(Takes('}')), [&] {
      DoWhile(
          [&] {
            Value* row = Word(0, tables_.count);
            Refuse(DamagedWord(row), REEL_BAD_HEADER);
            Refuse(Is(row, -1), REEL_NO_SUCH_VARIABLE);
            Value* is_metadata = b_.CreateICmpEQ(row, b_.getInt64(tables_.metadata));
            Write(kRow, b_.CreateSelect(is_metadata, Int64(-1), row));
            Expect(':');
            If(is_metadata, metadata, entry);
            Refuse(IsNot(Get(status), REEL_OK), Get(status));
            Write(kRow, Int64(-1));
          },
          [&] { return Takes(','); });
      Expect('}');
    });
    Call("space", {Argument(0)});
    Refuse(HasMore(), REEL_BAD_HEADER);
    b_.CreateRet(Int32(REEL_OK));
  }

  /// int places(reader, spans, elements, bytes of all elements): that every variable has an entry, that they share no
  /// byte and leave none, and that bools are 0 or 1.
  void Places() {
    BeginSmall("places", i32_, {ptr_, ptr_, ptr_, i64_});
    Value *spans = Argument(1), *none = b_.getInt64(tables_.metadata);
    Loop(tables_.count, [&](Value* row) {
      Write(kRow, row);
      Value* missing = Is(b_.CreateLoad(i64_, Span(spans, row, 0)), -1);
      Refuse(b_.CreateAnd(missing, b_.CreateICmpNE(row, none)), REEL_VARIABLE_MISSING);
    });
    for (const int64_t end : {0, 1}) b_.CreateStore(Int64(0), Span(spans, none, end));
    Loop(tables_.count, [&](Value* row) {
      Write(kRow, row);
      Refuse(Call("overlaps", {spans, row}), REEL_WRONG_BYTES);
      Value *at = Local(i64_, Int64(0)), *begin = b_.CreateLoad(i64_, Span(spans, row, 0));
      Value* bools = b_.CreateMul(WordOf(row, FileTables::kIsBool), WordOf(row, FileTables::kBytes));
      While([&] { return b_.CreateICmpULT(Get(at), bools); },
            [&] {
              Value* byte = b_.CreateLoad(b_.getInt8Ty(), Place(Argument(2), b_.CreateAdd(begin, Get(at))));
              Refuse(b_.CreateICmpUGT(byte, b_.getInt8(1)), REEL_NOT_BOOL);
              Increment(at);
            });
    });
    Write(kRow, Int64(-1));
    // Entries have the sizes of their variables and share nothing, so what is left over is all that can be.
    Refuse(IsNot(Argument(3), layout_.bytes), REEL_WRONG_BYTES);
    b_.CreateRet(Int32(REEL_OK));
  }

  /// int check(reader, spans, from, size): all of the file.
  void Check() {
    constexpr int64_t kLengthBytes = 8;
    BeginSmall("check", i32_, {ptr_, ptr_, ptr_, i64_});
    Value *spans = Argument(1), *from = Argument(2), *size = Argument(3);
    Write(kRow, Int64(-1));
    Write(kAt, Int64(0));
    Refuse(b_.CreateICmpULE(size, Int64(kLengthBytes)), REEL_NOT_SAFETENSORS);
    Value* length = b_.CreateAlignedLoad(i64_, from, llvm::Align(1));
    Value* rest = b_.CreateSub(size, Int64(kLengthBytes));
    Refuse(b_.CreateICmpUGT(length, rest), REEL_NOT_SAFETENSORS);
    Refuse(b_.CreateICmpUGT(length, b_.getInt64(ir::kMaxSafetensorsHeader)), REEL_NOT_SAFETENSORS);
    Write(kFrom, Place(from, Int64(kLengthBytes)));
    Write(kEnd, length);
    Refuse(b_.CreateNot(And(HasMore(), [&] { return Is(Next(), '{'); })), REEL_NOT_SAFETENSORS);
    b_.CreateMemSet(spans, b_.getInt8(0xFF), Bytes(b_.getInt64(tables_.count * 2 * sizeof(uint64_t))), llvm::Align(8));
    Value* bytes = b_.CreateSub(rest, length);
    Value* status = Call("header", {Argument(0), spans, bytes});
    Refuse(IsNot(status, REEL_OK), status);
    b_.CreateRet(Call("places", {Argument(0), spans, Place(Read(kFrom), length), bytes}));
  }

  /// int NAME_load(NAME* instance, const void* from, size_t size)
  void Load() {
    BeginSmall("load", i32_, {ptr_, ptr_, size_}, /*visible=*/true);
    Value *instance = Argument(0), *from = Argument(1), *size = b_.CreateZExt(Argument(2), i64_);
    CheckInstance(instance);
    Refuse(b_.CreateIsNull(from), REEL_NULL_POINTER);
    Refuse(OverlapsInstance(from, size, instance), REEL_OVERLAP);
    Value* spans = Array(2 * tables_.count);
    Value* reader = Local(reader_type_, llvm::Constant::getNullValue(reader_type_));
    const auto part = [&](Part p) {
      return b_.CreateLoad(p == kFrom ? static_cast<llvm::Type*>(ptr_) : i64_, PartOf(reader, p));
    };
    Value* status = Call("check", {reader, spans, from, size});
    If(IsNot(status, REEL_OK), [&] {
      constexpr uint64_t kFault = offsetof(reel_instance, fault), kWord = sizeof(int64_t);
      Value* row = part(kRow);
      b_.CreateStore(Int64(-1), Field(instance, kFault));
      If(IsNot(row, -1), [&] { b_.CreateStore(WordOf(row, FileTables::kNumber), Field(instance, kFault)); });
      b_.CreateStore(b_.CreateAdd(part(kAt), Int64(8)), Field(instance, kFault + kWord));
      b_.CreateRet(status);
    });
    Value* elements = Place(part(kFrom), part(kEnd));
    Loop(tables_.count, [&](Value* row) {
      Value* begin = b_.CreateLoad(i64_, Span(spans, row, 0));
      b_.CreateMemCpy(Place(instance, WordOf(row, FileTables::kOffset)), llvm::Align(1), Place(elements, begin),
                      llvm::Align(1), Bytes(WordOf(row, FileTables::kBytes)));
    });
    b_.CreateRet(Int32(REEL_OK));
  }

  const Program& program_;
  const int64_t instance_bytes_;
  const ir::SafetensorsLayout& layout_;
  const FileTables tables_;
  llvm::StructType* reader_type_;
  Value *rows_ = nullptr, *extents_ = nullptr, *text_ = nullptr, *first_ = nullptr;
};

}  // namespace

void AddWeights(const Program& program, const ObjectNames& names, const Target& target, int64_t instance_bytes,
                llvm::Module* module) {
  if (const auto layout = LayOutWeights(program); layout.ok()) {
    WeightsEmitter(program, names, target, instance_bytes, module, *layout).Run();
  }
}

}  // namespace reel::codegen
