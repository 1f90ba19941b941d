#include <algorithm>

#include "frontend/stablehlo/import/parser.h"
#include "ir/number.h"
#include "ir/strings.h"

// MLIR's pretty form: stablehlo.add %0, %1 : tensor<2xf32>. Most operations are operands, words and named parts in any
// order, then types; a few have a syntax of their own.

namespace reel::stablehlo::reading {
namespace {

using Kind = Attribute::Kind;

// How a part is called in the pretty form of an operation ("" of any), and in the generic one.
struct PartName {
  std::string_view op, pretty, generic;
};
constexpr PartName kPartNames[] = {
    {"stablehlo.broadcast_in_dim", "dims", "broadcast_dimensions"},
    {"stablehlo.dynamic_broadcast_in_dim", "dims", "broadcast_dimensions"},
    {"stablehlo.broadcast", "sizes", "broadcast_sizes"},
    {"stablehlo.transpose", "dims", "permutation"},
    {"stablehlo.reverse", "dims", "dimensions"},
    {"stablehlo.iota", "dim", "iota_dimension"},
    {"stablehlo.dynamic_iota", "dim", "iota_dimension"},
    {"stablehlo.concatenate", "dim", "dimension"},
    {"stablehlo.get_dimension_size", "dim", "dimension"},
    {"stablehlo.set_dimension_size", "dim", "dimension"},
    {"stablehlo.pad", "low", "edge_padding_low"},
    {"stablehlo.pad", "high", "edge_padding_high"},
    {"stablehlo.pad", "interior", "interior_padding"},
    {"stablehlo.dynamic_slice", "sizes", "slice_sizes"},
    {"stablehlo.convolution", "dim_numbers", "dimension_numbers"},
    {"stablehlo.dot_general", "precision", "precision_config"},
    {"stablehlo.dot", "precision", "precision_config"},
    {"stablehlo.rng_bit_generator", "algorithm", "rng_algorithm"},
    {"stablehlo.fft", "type", "fft_type"},
    {"stablehlo.fft", "length", "fft_length"},
    {"window", "stride", "window_strides"},
    {"window", "pad", "padding"},
    {"window", "lhs_dilate", "lhs_dilation"},
    {"window", "rhs_dilate", "rhs_dilation"},
    {"window", "reverse", "window_reversal"},
};

std::string GenericName(std::string_view op, const std::string& pretty) {
  for (const PartName& part : kPartNames) {
    if (part.op == op && part.pretty == pretty) return std::string(part.generic);
  }
  return pretty;
}

}  // namespace

void NameAttributes(Operation* op, const std::vector<Attribute>& words) {
  Attributes window;
  for (auto& [key, value] : op->attributes) {
    if (key == "window" && value.kind == Kind::kRecord) {
      for (auto& [part, inner] : value.fields) window.emplace_back(GenericName("window", part), std::move(inner));
    }
    key = GenericName(op->name, key);
  }
  std::move(window.begin(), window.end(), std::back_inserter(op->attributes));
  if (op->name == "stablehlo.compare" && !words.empty()) {
    op->attributes.emplace_back("comparison_direction", words[0]);
    if (words.size() > 1) op->attributes.emplace_back("compare_type", words[1]);
  } else if (op->name == "stablehlo.custom_call" && !words.empty()) {
    Attribute target = words[0];
    target.kind = Kind::kString;
    op->attributes.emplace_back("call_target_name", std::move(target));
  } else if (op->name == "stablehlo.composite" && !words.empty()) {
    op->attributes.emplace_back("name", words[0]);
  } else if (op->name == "func.call" && !words.empty()) {
    op->attributes.emplace_back("callee", words[0]);
  }
}

// key = value; of dot_general `contracting_dims = [1] x [0]` two lists.
void Parser::ParseNamedPart(Operation* op, std::string name) {
  if (name == "dim_numbers") {
    op->attributes.emplace_back(std::move(name), ParseConvolutionNumbers());
    return;
  }
  // A number alone: the colon behind it begins the operation's types.
  Attribute value = lexer_.Is(TokenKind::kInt) || lexer_.Is(TokenKind::kFloat) ? ParseNumber() : ParseAttribute();
  if (value.kind == Kind::kList && lexer_.SkipName("x")) {
    op->attributes.emplace_back(StrCat("lhs_", name), std::move(value));
    value = ParseAttribute();
    name = StrCat("rhs_", name);
  }
  op->attributes.emplace_back(std::move(name), std::move(value));
}

// All up to the colon before the types.
void Parser::ParseOperandsAndWords(Operation* op, std::vector<Attribute>* words) {
  while (!lexer_.IsMark(':') && !lexer_.IsMark('}') && !lexer_.Is(TokenKind::kEnd) && !lexer_.IsName("loc")) {
    if (lexer_.SkipMark(',') || lexer_.SkipMark('(') || lexer_.SkipMark(')')) continue;
    if (lexer_.Is(TokenKind::kValue)) {
      op->operands.push_back(ParseOperand());
    } else if (lexer_.IsMark('{')) {
      for (auto& [key, value] : ParseAttributeRecord()) op->attributes.emplace_back(key, std::move(value));
    } else if (lexer_.IsMark('<') && op->name.starts_with("sdy.")) {
      SkipBrackets();
    } else if (lexer_.IsMark('<')) {  // properties, of some printers
      lexer_.Take();
      for (auto& [key, value] : ParseAttributeRecord()) op->attributes.emplace_back(key, std::move(value));
      lexer_.Expect('>');
    } else if (lexer_.Is(TokenKind::kName)) {
      const Token name = lexer_.Take();
      if (lexer_.SkipMark('=')) {
        ParseNamedPart(op, std::string(name.text));
        continue;
      }
      Attribute word;
      word.kind = Kind::kWord;
      word.text = std::string(name.text);
      word.place = name.place;
      words->push_back(std::move(word));
    } else if (lexer_.Is(TokenKind::kString) || lexer_.Is(TokenKind::kSymbol)) {
      words->push_back(ParseAttribute());
    } else {
      lexer_.Unexpected(StrCat("an operand or a named part of ", op->name));
    }
  }
}

// The types behind the colon: all of them, or those that say the others.
void Parser::ParseSignature(Operation* op) {
  const bool ends = op->name == "func.return" || op->name == "stablehlo.return";
  if (!lexer_.SkipMark(':')) {
    if (!ends || !op->operands.empty()) lexer_.Unexpected(StrCat("':' and the types of ", op->name));
    return;
  }
  if (lexer_.IsMark('(')) {
    op->operand_types.emplace();
    return ParseFunctionType(&*op->operand_types, &op->types);
  }
  std::vector<Type> types;
  do {
    types.push_back(ParseType());
  } while (lexer_.SkipMark(','));
  if (lexer_.Is(TokenKind::kArrow)) {
    lexer_.Take();
    if (types.size() == op->operands.size()) op->operand_types = types;
    op->types = lexer_.SkipMark('(') ? ParseTypeList() : std::vector<Type>{ParseType()};
  } else if (ends) {
    op->operand_types = std::move(types);
  } else if (op->name == "stablehlo.optimization_barrier") {
    op->types = std::move(types);
  } else {  // select says the condition's first
    op->types = {types.back()};
  }
}

// (%a = %0, %b = %1) : types cond {...} do {...}
void Parser::ParseWhile(Operation* op) {
  std::vector<Parameter> carried;
  lexer_.Expect('(');
  while (!lexer_.SkipMark(')')) {
    if (!carried.empty()) lexer_.Expect(',');
    carried.emplace_back().name = ParseOperand();
    lexer_.Expect('=');
    op->operands.push_back(ParseOperand());
  }
  if (!carried.empty()) {
    lexer_.Expect(':');
    do {
      op->types.push_back(ParseType());
    } while (lexer_.SkipMark(','));
  }
  if (op->types.size() != carried.size()) {
    Wrong(op->place, StrCat(op->name, " carries ", carried.size(), " values of ", op->types.size(), " types"));
  }
  for (size_t i = 0; i < carried.size(); ++i) carried[i].type = op->types[i];
  op->operand_types = op->types;
  if (lexer_.SkipName("attributes")) op->attributes = ParseAttributeRecord();
  for (const std::string_view part : {"cond", "do"}) {
    lexer_.ExpectName(part);
    Region region = ParseRegion();
    region.parameters = carried;
    op->regions.push_back(std::move(region));
  }
}

// (%a init: %b), (%c init: %d) applies stablehlo.add across dimensions = [0] : types
//   or across dimensions = [0] : types reducer(%x: t, %y: t) (%z: t, %w: t) {...}
void Parser::ParseReduce(Operation* op) {
  std::vector<std::string> starts;
  do {
    lexer_.Expect('(');
    op->operands.push_back(ParseOperand());
    lexer_.ExpectName("init");
    lexer_.Expect(':');
    starts.push_back(ParseOperand());
    lexer_.Expect(')');
  } while (lexer_.SkipMark(','));
  const size_t count = starts.size();
  std::move(starts.begin(), starts.end(), std::back_inserter(op->operands));
  std::string applied;
  if (lexer_.SkipName("applies")) applied = std::string(lexer_.Expect(TokenKind::kName, "an operation").text);
  lexer_.ExpectName("across");
  std::vector<Attribute> words;
  ParseOperandsAndWords(op, &words);
  ParseSignature(op);
  Region region;
  if (applied.empty()) {
    lexer_.ExpectName("reducer");
    std::vector<Parameter> left, right;
    for (size_t i = 0; i < count; ++i) {
      lexer_.Expect('(');
      std::vector<Parameter> pair = ParseParameters();
      if (pair.size() != 2) Wrong(op->place, "a reducer has two parameters for each operand");
      left.push_back(std::move(pair[0]));
      right.push_back(std::move(pair[1]));
    }
    region = ParseRegion();
    std::move(right.begin(), right.end(), std::back_inserter(left));
    region.parameters = std::move(left);
  } else {
    if (count != 1 || op->types.size() != 1) Wrong(op->place, "'applies' is for one operand");
    const Type scalar{op->types[0].dtype, {}};
    region.parameters = {{"a", scalar, {}}, {"b", scalar, {}}};
    Operation inner;
    inner.name = applied;
    inner.place = op->place;
    inner.results = {"c"};
    inner.operands = {"a", "b"};
    inner.types = {scalar};
    Operation end;
    end.name = "stablehlo.return";
    end.place = op->place;
    end.operands = {"c"};
    region.operations = {std::move(inner), std::move(end)};
  }
  op->regions.push_back(std::move(region));
}

// %a [0:2, 1:4:2] : types
void Parser::ParseSlice(Operation* op) {
  op->operands.push_back(ParseOperand());
  Attribute lists[3];
  for (Attribute& list : lists) list.kind = Kind::kList;
  lexer_.Expect('[');
  for (bool first = true; !lexer_.SkipMark(']'); first = false) {
    if (!first) lexer_.Expect(',');
    for (int i = 0; i < 3; ++i) {
      Attribute number;
      number.kind = Kind::kInt;
      number.integer = 1;
      if (i < 2 || lexer_.SkipMark(':')) {
        const Token token = lexer_.Expect(TokenKind::kInt, "a number");
        if (!ir::ParseNumber(token.text, &number.integer)) Wrong(token.place, "a number that does not fit");
      }
      if (i == 0) lexer_.Expect(':');
      lists[i].list.push_back(std::move(number));
    }
  }
  op->attributes.emplace_back("start_indices", std::move(lists[0]));
  op->attributes.emplace_back("limit_indices", std::move(lists[1]));
  op->attributes.emplace_back("strides", std::move(lists[2]));
  std::vector<Attribute> words;
  ParseOperandsAndWords(op, &words);
  ParseSignature(op);
}

// [<@mesh, [{"x"}, {}]>, ...]: a list of lists of axes for each value, with the mesh's name.
Attribute Parser::ParseShardings() {
  Attribute out;
  out.kind = Kind::kList;
  lexer_.Expect('[');
  while (!lexer_.SkipMark(']')) {
    if (!out.list.empty()) lexer_.Expect(',');
    lexer_.Expect('<');
    const std::string mesh = lexer_.Expect(TokenKind::kSymbol, "the name of a mesh").string;
    lexer_.Expect(',');
    Attribute sharding = ParseList();
    sharding.text = mesh;
    if (lexer_.SkipMark(',')) {
      lexer_.ExpectName("replicated");  // along axes that no list names, which they are anyway
      lexer_.Expect('=');
      SkipBrackets();
    }
    lexer_.Expect('>');
    out.list.push_back(std::move(sharding));
  }
  return out;
}

// (%a, %b) in_shardings=[...] out_shardings=[...] manual_axes={"x"} (%c: type, %d: type) {...} : types
void Parser::ParseManual(Operation* op) {
  lexer_.Expect('(');
  while (!lexer_.SkipMark(')')) {
    if (!op->operands.empty()) lexer_.Expect(',');
    op->operands.push_back(ParseOperand());
  }
  for (const char* name : {"in_shardings", "out_shardings"}) {
    lexer_.ExpectName(name);
    lexer_.Expect('=');
    op->attributes.emplace_back(name, ParseShardings());
  }
  lexer_.ExpectName("manual_axes");
  lexer_.Expect('=');
  op->attributes.emplace_back("manual_axes", ParseAttribute());
  lexer_.Expect('(');
  std::vector<Parameter> parameters = ParseParameters();
  op->regions.push_back(ParseRegion());
  op->regions.back().parameters = std::move(parameters);
  ParseSignature(op);
}

void Parser::ParsePretty(Operation* op) {
  if (op->name == "sdy.manual_computation") return ParseManual(op);
  if (op->name == "stablehlo.while") return ParseWhile(op);
  if (op->name == "stablehlo.reduce" && lexer_.IsMark('(')) return ParseReduce(op);
  if (op->name == "stablehlo.slice") return ParseSlice(op);
  if (op->name == "stablehlo.constant") {
    if (lexer_.IsMark('{')) op->attributes = ParseAttributeRecord();
    Attribute value = ParseAttribute();
    if (value.dense) op->types = {value.dense->type};
    op->attributes.emplace_back("value", std::move(value));
    return;
  }
  std::vector<Attribute> words;
  ParseOperandsAndWords(op, &words);
  ParseSignature(op);
  NameAttributes(op, words);
}

}  // namespace reel::stablehlo::reading
