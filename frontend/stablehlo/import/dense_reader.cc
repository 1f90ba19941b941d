#include <bit>
#include <charconv>
#include <cstring>

#include "frontend/stablehlo/import/parser.h"
#include "frontend/values/status.h"
#include "ir/number.h"
#include "ir/strings.h"

namespace reel::stablehlo::reading {
namespace {

void AppendBits(uint64_t bits, size_t size, std::vector<std::byte>* out) {
  const size_t at = out->size();
  out->resize(at + size);
  std::memcpy(out->data() + at, &bits, size);  // little endian, as everything here
}

// The shortest text of a float reads back only if it is rounded once.
uint64_t FloatBits(DType dtype, const Token& token) {
  float narrow = 0;
  double wide = 0;
  if (dtype == kFloat32) {
    if (!ir::ParseNumber(token.text, &narrow)) Wrong(token.place, "the number does not fit into f32");
    return std::bit_cast<uint32_t>(narrow);
  }
  if (!ir::ParseNumber(token.text, &wide)) Wrong(token.place, "the number does not fit into f64");
  if (dtype == kFloat64) return std::bit_cast<uint64_t>(wide);
  uint16_t half = 0;
  std::memcpy(&half, ir::Literal::Scalar(dtype, wide).bytes().data(), sizeof(half));
  return half;
}

uint64_t IntegerBits(DType dtype, const Token& token) {
  const auto width = static_cast<unsigned>(8 * SizeOf(dtype));
  int64_t value = 0;
  uint64_t large = 0;
  if (ir::ParseNumber(token.text, &value)) {
    const bool fits = IsUnsigned(dtype) ? value >= 0 && (width == 64 || static_cast<uint64_t>(value) >> width == 0)
                                        : width == 64 || (value >= LowestInt(dtype) && value <= HighestInt(dtype));
    if (fits) return static_cast<uint64_t>(value);
  } else if (dtype == kUInt64 && ir::ParseNumber(token.text, &large)) {
    return large;
  }
  Wrong(token.place, StrCat("the number does not fit into ", Name(dtype)));
}

// 0x7FC00000: the bits themselves.
uint64_t HexBits(DType dtype, const Token& token) {
  uint64_t bits = 0;
  const char* const end = token.text.data() + token.text.size();
  const auto [last, error] = std::from_chars(token.text.data() + 2, end, bits, 16);
  const auto width = static_cast<unsigned>(8 * SizeOf(dtype));
  if (error != std::errc() || last != end || (width < 64 && bits >> width != 0))
    Wrong(token.place, StrCat("the bits do not fit into ", Name(dtype)));
  return bits;
}

class DenseReader {
 public:
  DenseReader(Lexer* lexer, const Place& place, const Type& type) : lexer_(lexer), place_(place), type_(type) {}

  DenseElements Read();

 private:
  void ReadElement();
  void ReadNumber(DType dtype);
  void ReadLevel(int axis);
  DenseElements FromHex(const Token& token) const;
  DenseElements Make(std::vector<std::byte> bytes, bool splat) const {
    const Type type = splat ? Type{type_.dtype, {}} : type_;
    return {type_, ir::Literal(type, std::move(bytes)), splat};
  }

  Lexer* lexer_;
  Place place_;
  Type type_;
  std::vector<std::byte> bytes_;
};

void DenseReader::ReadNumber(DType dtype) {
  const auto size = static_cast<size_t>(SizeOf(dtype));
  const bool word = lexer_->IsName("true") || lexer_->IsName("false");
  if (word && dtype == kBool) return AppendBits(lexer_->Take().text == "true", size, &bytes_);
  if (!lexer_->Is(TokenKind::kInt) && !lexer_->Is(TokenKind::kFloat)) lexer_->Unexpected("a number");
  const Token token = lexer_->Take();
  const bool hex = token.text.starts_with("0x");
  if (dtype == kBool) {
    if (token.text != "0" && token.text != "1" && token.text != "-1") Wrong(token.place, "a bool is true or false");
    return AppendBits(token.text != "0", size, &bytes_);
  }
  if (hex) return AppendBits(HexBits(dtype, token), size, &bytes_);
  if (IsFloat(dtype)) return AppendBits(FloatBits(dtype, token), size, &bytes_);
  if (token.kind == TokenKind::kFloat) Wrong(token.place, StrCat("an element of ", Name(dtype), " is an integer"));
  AppendBits(IntegerBits(dtype, token), size, &bytes_);
}

void DenseReader::ReadElement() {
  if (!IsComplex(type_.dtype)) return ReadNumber(type_.dtype);
  lexer_->Expect('(');
  ReadNumber(RealOf(type_.dtype));
  lexer_->Expect(',');
  ReadNumber(RealOf(type_.dtype));
  lexer_->Expect(')');
}

// The lists of an axis; at most kMaxRank deep, and no more elements than the type has.
void DenseReader::ReadLevel(int axis) {
  if (axis == type_.shape.rank()) return ReadElement();
  const Place place = lexer_->Peek().place;
  lexer_->Expect('[');
  int64_t count = 0;
  while (!lexer_->SkipMark(']')) {
    if (count > 0) lexer_->Expect(',');
    if (++count > type_.shape.dim(axis)) break;
    ReadLevel(axis + 1);
  }
  if (count != type_.shape.dim(axis))
    Wrong(place, StrCat("a list of another length than axis ", axis, " of ", type_.ToString()));
}

// Row-major bytes, little endian, of all elements or of one; bools are bits or bytes.
DenseElements DenseReader::FromHex(const Token& token) const {
  const std::string_view text = token.string;
  if (!text.starts_with("0x") || text.size() % 2 != 0)
    Wrong(token.place, "the bytes of dense<\"...\"> are \"0x\" and two hexadecimal digits each");
  std::vector<std::byte> bytes;
  for (size_t i = 2; i < text.size(); i += 2) {
    unsigned value = 0;
    const auto [last, error] = std::from_chars(text.data() + i, text.data() + i + 2, value, 16);
    if (error != std::errc() || last != text.data() + i + 2) Wrong(token.place, "no hexadecimal digit");
    bytes.push_back(static_cast<std::byte>(value));
  }
  const auto count = static_cast<size_t>(type_.shape.size()), size = static_cast<size_t>(SizeOf(type_.dtype));
  if (type_.dtype == kBool && bytes.size() == (count + 7) / 8 && bytes.size() != count) {
    std::vector<std::byte> bools(count);
    for (size_t i = 0; i < count; ++i) bools[i] = bytes[i / 8] >> (i % 8) & std::byte{1};
    return Make(std::move(bools), false);
  }
  if (type_.dtype == kBool) {
    for (std::byte& b : bytes) b = static_cast<std::byte>(b != std::byte{0});
  }
  if (bytes.size() == count * size) return Make(std::move(bytes), false);
  if (bytes.size() == size) return Make(std::move(bytes), true);
  Wrong(token.place, StrCat(bytes.size(), " bytes are not the elements of ", type_.ToString()));
}

DenseElements DenseReader::Read() {
  if (lexer_->Is(TokenKind::kString)) return FromHex(lexer_->Take());
  if (lexer_->IsMark('>')) {
    if (type_.shape.size() != 0) Wrong(place_, StrCat("no elements for ", type_.ToString()));
    return Make({}, false);
  }
  if (!lexer_->IsMark('[')) {
    ReadElement();
    return Make(std::move(bytes_), true);
  }
  ReadLevel(0);
  return Make(std::move(bytes_), false);
}

}  // namespace

DenseElements ReadDense(Lexer* lexer, const Place& place, const Type& type, ir::BudgetMeter* meter) {
  const bool list = lexer->Is(TokenKind::kString) || lexer->IsMark('[');
  if (list) internal::Check(meter->AddLiteral(type));
  DenseElements out = DenseReader(lexer, place, type).Read();
  if (!lexer->IsMark('>')) lexer->Unexpected("'>'");
  return out;
}

}  // namespace reel::stablehlo::reading
