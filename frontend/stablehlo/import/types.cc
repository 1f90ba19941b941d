#include <algorithm>

#include "frontend/stablehlo/import/parser.h"
#include "ir/number.h"
#include "ir/strings.h"

namespace reel::stablehlo::reading {
namespace {

// More types than these are not listed: the text is of another kind.
constexpr size_t kMostRefused = 50;

struct ElementName {
  std::string_view text;
  DType dtype;
};
constexpr ElementName kElements[] = {
    {"i1", kBool},     {"i8", kInt8},     {"i16", kInt16},   {"i32", kInt32},     {"i64", kInt64},   {"si8", kInt8},
    {"si16", kInt16},  {"si32", kInt32},  {"si64", kInt64},  {"ui8", kUInt8},     {"ui16", kUInt16}, {"ui32", kUInt32},
    {"ui64", kUInt64}, {"index", kInt64}, {"f16", kFloat16}, {"bf16", kBFloat16}, {"f32", kFloat32}, {"f64", kFloat64}};

bool FindElement(std::string_view name, DType* dtype) {
  const auto it =
      std::find_if(std::begin(kElements), std::end(kElements), [&](const auto& e) { return e.text == name; });
  if (it == std::end(kElements)) return false;
  *dtype = it->dtype;
  return true;
}

}  // namespace

// The type is listed and reading goes on with another one: nothing runs.
Type Parser::RefuseType(const Place& place, std::string_view what) {
  if (refused_.size() < kMostRefused) refused_.push_back(StrCat(Text(place), ": ", what));
  return {kFloat32, {}};
}

// Behind `tensor<`.
Type Parser::ParseTensorType() {
  const Place place = lexer_.Peek().place;
  std::string_view rest = lexer_.TakeUntil("<>,");
  const std::string whole(rest);
  Type type;
  bool open = false;
  for (size_t x = rest.find('x'); x != std::string_view::npos; x = rest.find('x')) {
    const std::string_view part = rest.substr(0, x);
    int64_t extent = 0;
    if (part == "?" || part == "*") {
      open = true;
    } else if (!ir::ParseNumber(part, &extent) || extent < 0) {
      break;  // the x of complex
    }
    if (type.shape.rank() == kMaxRank)
      Wrong(place, StrCat("tensor<", whole, ">: Reel's tensors have at most ", kMaxRank, " axes"));
    type.shape.push_back(extent);
    rest.remove_prefix(x + 1);
  }
  bool refused = !FindElement(rest, &type.dtype);
  std::string shown = whole;
  if (rest == "complex" && lexer_.SkipMark('<')) {
    const Token part = lexer_.Expect(TokenKind::kName, "f32 or f64");
    refused = part.text != "f32" && part.text != "f64";
    type.dtype = part.text == "f64" ? kComplex128 : kComplex64;
    lexer_.Expect('>');
    StrAppend(&shown, "<", part.text, ">");
  } else if (lexer_.IsMark('<')) {
    SkipBrackets();  // !quant.uniform<...>
  }
  if (lexer_.SkipMark(',')) ParseAttribute();  // an encoding: bounds of open extents
  lexer_.Expect('>');
  if (refused && rest.empty()) Wrong(place, StrCat("tensor<", whole, "> has no element type"));
  if (refused) return RefuseType(place, StrCat("tensor<", shown, ">: Reel has no such element type"));
  if (open) {
    return RefuseType(place, StrCat("tensor<", shown,
                                    ">: extents must be numbers; write the text for given ones "
                                    "(dims={...} in Reel, concrete specs in JAX)"));
  }
  if (!FitsInMemory(type.shape)) Wrong(place, StrCat("tensor<", shown, "> is too large"));
  return type;
}

Type Parser::ParseType() {
  const Depth depth(this);
  const Place place = lexer_.Peek().place;
  if (lexer_.Is(TokenKind::kBang)) {
    const std::string name(lexer_.Take().text);
    if (lexer_.IsMark('<')) SkipBrackets();
    return RefuseType(place, StrCat("!", name, ": Reel has no such type"));
  }
  const Token name = lexer_.Expect(TokenKind::kName, "a type");
  DType dtype = kFloat32;
  if (FindElement(name.text, &dtype)) return {dtype, {}};
  if (name.text == "tensor") {
    lexer_.Expect('<');
    return ParseTensorType();
  }
  if (name.text == "tuple" || name.text == "memref" || name.text == "vector") {
    const std::string shown(name.text);
    SkipBrackets();
    return RefuseType(place, StrCat(shown, "<...>: Reel has no such type; only tensors"));
  }
  Wrong(place, StrCat("'", std::string(name.text), "' is no type"));
}

// Behind the opening bracket.
std::vector<Type> Parser::ParseTypeList() {
  std::vector<Type> types;
  while (!lexer_.SkipMark(')')) {
    if (!types.empty()) lexer_.Expect(',');
    types.push_back(ParseType());
    std::string location;
    if (lexer_.IsMark('{')) ParseAttributeRecord();
  }
  return types;
}

void Parser::ParseFunctionType(std::vector<Type>* operands, std::vector<Type>* results) {
  lexer_.Expect('(');
  *operands = ParseTypeList();
  lexer_.Expect(TokenKind::kArrow, "'->'");
  if (lexer_.SkipMark('(')) {
    *results = ParseTypeList();
  } else {
    *results = {ParseType()};
  }
}

}  // namespace reel::stablehlo::reading
