#include "codegen/aot/weights.h"

#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "codegen/aot/json_emitter.h"
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

class WeightsEmitter : JsonEmitter {
 public:
  WeightsEmitter(const Program& program, const ObjectNames& names, const Target& target, int64_t instance_bytes,
                 llvm::Module* module, const ir::SafetensorsLayout& layout)
      : JsonEmitter(names, target, module),
        instance_bytes_(instance_bytes),
        layout_(layout),
        tables_(program, layout) {}

  void Run() {
    rows_ = Data("rows", tables_.rows);
    extents_ = Data("extents", tables_.extents);
    SaveSize();
    Save();
    EmitReader(Data("text", tables_.text), Data("first", tables_.first));
    Metadata();
    Entry();
    Header();
    Places();
    Check();
    Load();
  }

 private:
  template <typename T>
  llvm::Constant* Data(const char* name, const std::vector<T>& words) {
    return AddData(module_, StrCat(names_.name, ".weights.", name), llvm::ConstantDataArray::get(context_, words),
                   sizeof(T));
  }

  Value* Bytes(Value* i64) { return b_.CreateTrunc(i64, size_); }

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
                Value* count = Numbers(numbers);
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

  const int64_t instance_bytes_;
  const ir::SafetensorsLayout& layout_;
  const FileTables tables_;
  Value *rows_ = nullptr, *extents_ = nullptr;
};

}  // namespace

void AddWeights(const Program& program, const ObjectNames& names, const Target& target, int64_t instance_bytes,
                llvm::Module* module) {
  if (const auto layout = LayOutWeights(program); layout.ok()) {
    WeightsEmitter(program, names, target, instance_bytes, module, *layout).Run();
  }
}

}  // namespace reel::codegen
