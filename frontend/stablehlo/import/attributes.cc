#include <charconv>

#include "frontend/stablehlo/import/parser.h"
#include "ir/number.h"
#include "ir/strings.h"

namespace reel::stablehlo::reading {
namespace {

using Kind = Attribute::Kind;

Attribute WordOf(const Place& place, std::string_view text) {
  Attribute out;
  out.kind = Kind::kWord;
  out.text = std::string(text);
  out.place = place;
  return out;
}

}  // namespace

// A balanced pair of brackets and all that is in it.
void Parser::SkipBrackets() {
  const Place place = lexer_.Peek().place;
  int open = 0;
  do {
    if (lexer_.Is(TokenKind::kEnd)) Wrong(place, "a bracket that is never closed");
    const Token token = lexer_.Take();
    if (token.kind != TokenKind::kPunctuation) continue;
    const char c = token.text[0];
    if (c == '<' || c == '(' || c == '[' || c == '{') ++open;
    if (c == '>' || c == ')' || c == ']' || c == '}') --open;
  } while (open > 0);
}

// 3, -1.5, 0x7F.
Attribute Parser::ParseNumber() {
  const Token token = lexer_.Take();
  Attribute out;
  out.place = token.place;
  if (token.kind == TokenKind::kFloat) {
    out.kind = Kind::kFloat;
    if (!ir::ParseNumber(token.text, &out.number)) Wrong(token.place, "a number that does not fit");
  } else {
    out.kind = Kind::kInt;
    uint64_t bits = 0;
    const bool hex = token.text.starts_with("0x");
    const bool fits =
        hex ? std::from_chars(token.text.data() + 2, token.text.data() + token.text.size(), bits, 16).ec == std::errc()
            : ir::ParseNumber(token.text, &out.integer) || ir::ParseNumber(token.text, &bits);
    if (!fits) Wrong(token.place, "a number that does not fit");
    if (bits != 0) out.integer = static_cast<int64_t>(bits);
  }
  return out;
}

Attribute Parser::ParseList() {
  Attribute out;
  out.kind = Kind::kList;
  out.place = lexer_.Peek().place;
  lexer_.Expect('[');
  while (!lexer_.SkipMark(']')) {
    if (!out.list.empty()) lexer_.Expect(',');
    out.list.push_back(ParseAttribute());
  }
  return out;
}

// Behind `array`: <i64: 1, 2>.
Attribute Parser::ParseArray() {
  Attribute out;
  out.kind = Kind::kList;
  out.place = lexer_.Peek().place;
  lexer_.Expect('<');
  lexer_.Expect(TokenKind::kName, "an element type");
  if (lexer_.SkipMark(':')) {
    do {
      out.list.push_back(ParseAttribute());
    } while (lexer_.SkipMark(','));
  }
  lexer_.Expect('>');
  return out;
}

// Behind `dense`.
Attribute Parser::ParseDense(const Place& place) {
  lexer_.Expect('<');
  Attribute out;
  out.kind = Kind::kDense;
  out.place = place;
  // The type comes behind the elements: they are passed over first.
  Lexer elements = lexer_;
  int open = 1;
  while (true) {
    if (lexer_.Is(TokenKind::kEnd)) Wrong(place, "dense<...> without its end");
    if (lexer_.IsMark('<')) ++open;
    if (lexer_.IsMark('>') && --open == 0) break;
    lexer_.Take();
  }
  lexer_.Expect('>');
  lexer_.Expect(':');
  const Type type = ParseType();
  if (!refused_.empty()) return out;  // nothing runs
  auto dense = std::make_shared<DenseElements>();
  *dense = ReadDense(&elements, place, type, meter_);
  out.dense = std::move(dense);
  return out;
}

// Behind #stablehlo.conv: <[b, 0, f]x[0, i, o]->[b, 0, f]>, also without the outer brackets.
Attribute Parser::ParseConvolutionNumbers() {
  Attribute out;
  out.kind = Kind::kList;
  out.place = lexer_.Peek().place;
  out.list.push_back(ParseList());
  lexer_.ExpectName("x");
  out.list.push_back(ParseList());
  lexer_.Expect(TokenKind::kArrow, "'->'");
  out.list.push_back(ParseList());
  return out;
}

// #stablehlo<comparison_direction LT>, #stablehlo.gather<offset_dims = [1]>, #loc1.
Attribute Parser::ParseHash() {
  const Token name = lexer_.Take();
  if (!lexer_.IsMark('<')) return WordOf(name.place, name.text);
  if (name.text.starts_with("sdy.")) return SkipBrackets(), WordOf(name.place, name.text);
  lexer_.Expect('<');
  Attribute out;
  out.place = name.place;
  if (name.text == "stablehlo.conv") {
    out = ParseConvolutionNumbers();
    lexer_.Expect('>');
    return out;
  }
  out.kind = Kind::kRecord;
  while (!lexer_.SkipMark('>')) {
    if (!out.fields.empty()) lexer_.SkipMark(',');
    if (!lexer_.Is(TokenKind::kName)) {  // nothing that an operation here has
      ParseAttribute();
      lexer_.SkipMark(',');
      continue;
    }
    const std::string key(lexer_.Take().text);
    if (lexer_.SkipMark('=')) {
      out.fields.emplace_back(key, ParseAttribute());
    } else if (lexer_.Is(TokenKind::kName)) {  // an enumeration and its value
      out = WordOf(name.place, lexer_.Take().text);
    } else {
      out = WordOf(name.place, key);
    }
    if (lexer_.Is(TokenKind::kEnd)) lexer_.Unexpected("'>'");
  }
  return out;
}

Attributes Parser::ParseAttributeRecord() {
  const Depth depth(this);
  Attributes out;
  lexer_.Expect('{');
  while (!lexer_.SkipMark('}')) {
    if (!out.empty()) lexer_.Expect(',');
    std::string key;
    if (lexer_.Is(TokenKind::kString)) {
      key = lexer_.Take().string;
    } else {
      key = std::string(lexer_.Expect(TokenKind::kName, "the name of an attribute").text);
    }
    Attribute value;
    value.kind = Kind::kBool;  // a name alone is true
    value.integer = 1;
    if (lexer_.SkipMark('=')) value = ParseAttribute();
    out.emplace_back(std::move(key), std::move(value));
  }
  return out;
}

Attribute Parser::ParseAttribute() {
  const Depth depth(this);
  const Place place = lexer_.Peek().place;
  Attribute out;
  out.place = place;
  if (lexer_.IsMark('[')) return ParseList();
  if (lexer_.IsMark('{')) {
    out.kind = Kind::kRecord;
    out.fields = ParseAttributeRecord();
    return out;
  }
  if (lexer_.Is(TokenKind::kInt) || lexer_.Is(TokenKind::kFloat)) {
    out = ParseNumber();
    if (lexer_.SkipMark(':')) ParseType();  // 3 : i64
    return out;
  }
  if (lexer_.Is(TokenKind::kHash)) return ParseHash();
  if (lexer_.Is(TokenKind::kString)) {
    out.kind = Kind::kString;
    out.text = lexer_.Take().string;
    if (lexer_.SkipMark(':')) ParseType();
    return out;
  }
  if (lexer_.Is(TokenKind::kSymbol)) {
    out = WordOf(place, lexer_.Take().string);
    while (lexer_.IsMark(':')) {  // @a::@b
      lexer_.Take();
      if (lexer_.Is(TokenKind::kSymbol)) out.text = lexer_.Take().string;
    }
    return out;
  }
  if (lexer_.IsMark('(') || lexer_.Is(TokenKind::kBang) || lexer_.IsName("tensor") || lexer_.IsName("tuple")) {
    std::vector<Type> a, b;  // a type
    lexer_.IsMark('(') ? ParseFunctionType(&a, &b) : void(ParseType());
    return out;
  }
  if (lexer_.IsMark('?') || lexer_.IsMark('*')) return lexer_.Take(), WordOf(place, "?");
  const Token name = lexer_.Expect(TokenKind::kName, "an attribute");
  if (name.text == "dense") return ParseDense(place);
  if (name.text == "array") return ParseArray();
  if (name.text == "true" || name.text == "false") {
    out.kind = Kind::kBool;
    out.integer = name.text == "true";
    return out;
  }
  if (name.text == "dense_resource")
    Wrong(place, "dense_resource: its bytes are elsewhere; print constants as dense<...>");
  if (name.text == "loc" || name.text == "affine_map" || name.text == "opaque") {
    SkipBrackets();
    return out;
  }
  return WordOf(place, name.text);
}

}  // namespace reel::stablehlo::reading
