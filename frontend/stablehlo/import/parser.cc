#include "frontend/stablehlo/import/parser.h"

#include <algorithm>

#include "frontend/values/status.h"
#include "ir/number.h"
#include "ir/strings.h"
#include "reel/error.h"

namespace reel::stablehlo::reading {
namespace {

// Regions, lists and types that nest deeper are refused: reading them is recursive.
constexpr int kDeepest = 200;
// Devices along an axis of a mesh.
constexpr int64_t kMostDevices = 1 << 20;
// Names of results that one operation may have.
constexpr int64_t kMostResults = 100'000;
// Steps from one named location to the next.
constexpr int kMostLocationSteps = 16;

// "file":12:3 in what a location says.
bool FindFileLine(std::string_view text, std::string* file, int* line) {
  for (size_t quote = text.find('"'); quote != std::string_view::npos; quote = text.find('"', quote + 1)) {
    const size_t end = text.find('"', quote + 1);
    if (end == std::string_view::npos) return false;
    if (end + 1 < text.size() && text[end + 1] == ':') {
      const size_t colon = text.find(':', end + 2);
      if (colon != std::string_view::npos && ir::ParseNumber(text.substr(end + 2, colon - end - 2), line)) {
        *file = std::string(text.substr(quote + 1, end - quote - 1));
        return true;
      }
    }
    quote = end;
  }
  return false;
}

}  // namespace

Parser::Depth::Depth(Parser* parser) : parser_(parser) {
  if (++parser_->depth_ > kDeepest)
    Wrong(parser_->lexer_.Peek().place, StrCat("nested deeper than ", kDeepest, " levels"));
}

std::string Parser::ParseOperand() {
  const Token token = lexer_.Expect(TokenKind::kValue, "a value such as %0");
  return std::string(token.text);
}

// %0 = , %0:2 = , %a, %b =
void Parser::ParseResults(Operation* op) {
  if (!lexer_.Is(TokenKind::kValue)) return;
  do {
    const std::string name = ParseOperand();
    if (!lexer_.SkipMark(':')) {
      op->results.push_back(name);
      continue;
    }
    const Token token = lexer_.Expect(TokenKind::kInt, "the number of results");
    int64_t count = 0;
    if (!ir::ParseNumber(token.text, &count) || count < 1 || count > kMostResults)
      Wrong(token.place, "the number of results is out of range");
    for (int64_t i = 0; i < count; ++i) op->results.push_back(count == 1 ? name : StrCat(name, "#", i));
  } while (lexer_.SkipMark(','));
  lexer_.Expect('=');
}

// Behind the quoted name.
void Parser::ParseGeneric(Operation* op) {
  lexer_.Expect('(');
  while (!lexer_.SkipMark(')')) {
    if (!op->operands.empty()) lexer_.Expect(',');
    op->operands.push_back(ParseOperand());
  }
  if (lexer_.IsMark('[')) Wrong(op->place, "an operation with successors: there are only regions of one block");
  if (lexer_.SkipMark('<')) {
    op->attributes = ParseAttributeRecord();
    lexer_.Expect('>');
  }
  if (lexer_.SkipMark('(')) {
    do {
      op->regions.push_back(ParseRegion());
    } while (lexer_.SkipMark(','));
    lexer_.Expect(')');
  }
  if (lexer_.IsMark('{')) {
    for (auto& [key, value] : ParseAttributeRecord()) op->attributes.emplace_back(key, std::move(value));
  }
  lexer_.Expect(':');
  op->operand_types.emplace();
  ParseFunctionType(&*op->operand_types, &op->types);
}

// loc(...), if it comes next.
void Parser::ParseLocation(std::string* location) {
  if (!lexer_.SkipName("loc")) return;
  lexer_.Expect('(');
  int open = 1;
  while (open > 0) {
    if (lexer_.Is(TokenKind::kEnd)) lexer_.Unexpected("')'");
    const Token token = lexer_.Take();
    if (token.kind == TokenKind::kPunctuation) open += token.text[0] == '(' ? 1 : token.text[0] == ')' ? -1 : 0;
    if (open == 0) break;
    if (token.kind == TokenKind::kString) {
      StrAppend(location, "\"", token.string, "\"");
    } else if (token.kind == TokenKind::kHash) {
      StrAppend(location, "#", token.text, " ");
    } else {
      StrAppend(location, token.text);
    }
  }
}

Operation Parser::ParseOperation() {
  Operation op;
  ParseResults(&op);
  op.place = lexer_.Peek().place;
  if (lexer_.Is(TokenKind::kString)) {
    op.name = lexer_.Take().string;
    ParseGeneric(&op);
  } else {
    op.name = std::string(lexer_.Expect(TokenKind::kName, "an operation").text);
    if (op.name == "call" || op.name == "return") op.name = StrCat("func.", op.name);
    if (op.name == "sdy.return") op.name = "stablehlo.return";
    ParsePretty(&op);
  }
  ParseLocation(&op.location);
  if (op.results.size() != op.types.size() && !op.results.empty() && refused_.empty()) {
    Wrong(op.place, StrCat(op.name, " has ", op.types.size(), " results, of which ", op.results.size(), " are named"));
  }
  if (op.operand_types && op.operand_types->size() != op.operands.size()) {
    Wrong(op.place, StrCat(op.name, " has ", op.operands.size(), " operands and ", op.operand_types->size(), " types"));
  }
  internal::Check(meter_->AddNode(op.operands.size(), op.types.size()));
  return op;
}

void Parser::ParseBlock(Region* region) {
  while (!lexer_.IsMark('}')) {
    if (lexer_.Is(TokenKind::kBlock))
      Wrong(lexer_.Peek().place, "a region of several blocks: only those of one are read");
    region->operations.push_back(ParseOperation());
  }
}

// {^bb0(%a: tensor<f32>): ...}
Region Parser::ParseRegion() {
  const Depth depth(this);
  Region region;
  lexer_.Expect('{');
  if (lexer_.Is(TokenKind::kBlock)) {
    lexer_.Take();
    if (lexer_.SkipMark('(')) region.parameters = ParseParameters();
    lexer_.Expect(':');
  }
  ParseBlock(&region);
  lexer_.Expect('}');
  return region;
}

// Behind the opening bracket: %a: tensor<f32> {a = 1} loc(...), ...
std::vector<Parameter> Parser::ParseParameters() {
  std::vector<Parameter> out;
  while (!lexer_.SkipMark(')')) {
    if (!out.empty()) lexer_.Expect(',');
    Parameter p;
    if (lexer_.Is(TokenKind::kValue)) {
      p.name = ParseOperand();
      lexer_.Expect(':');
    } else {
      p.name = StrCat("argument ", out.size());  // of a declaration
    }
    p.type = ParseType();
    if (lexer_.IsMark('{')) p.attributes = ParseAttributeRecord();
    std::string location;
    ParseLocation(&location);
    out.push_back(std::move(p));
  }
  return out;
}

// Behind sdy.mesh: @mesh = <["x"=2, "y"=4]>. A mesh whose devices are in another order has no name here.
Mesh Parser::ParseMesh() {
  Mesh mesh;
  mesh.name = lexer_.Expect(TokenKind::kSymbol, "the name of a mesh").string;
  lexer_.Expect('=');
  lexer_.Expect('<');
  lexer_.Expect('[');
  while (!lexer_.SkipMark(']')) {
    if (!mesh.axes.empty()) lexer_.Expect(',');
    std::string axis = lexer_.Expect(TokenKind::kString, "the name of an axis").string;
    lexer_.Expect('=');
    const Token size = lexer_.Expect(TokenKind::kInt, "the size of an axis");
    int64_t number = 0;
    if (!ir::ParseNumber(size.text, &number) || number < 1 || number > kMostDevices)
      Wrong(size.place, StrCat("an axis of a mesh has 1 to ", kMostDevices, " devices"));
    mesh.axes.emplace_back(std::move(axis), number);
  }
  if (lexer_.SkipMark(',')) {
    mesh.name.clear();
    lexer_.ExpectName("device_ids");
    lexer_.Expect('=');
    SkipBrackets();
  }
  lexer_.Expect('>');
  if (lexer_.IsMark('{')) SkipBrackets();
  std::string location;
  ParseLocation(&location);
  return mesh;
}

// Behind func.func.
Function Parser::ParseFunction() {
  Function f;
  f.place = lexer_.Peek().place;
  if (lexer_.SkipName("private")) {
    f.is_public = false;
  } else if (!lexer_.SkipName("public")) {
    lexer_.SkipName("nested");
  }
  f.name = lexer_.Expect(TokenKind::kSymbol, "the name of a function").string;
  lexer_.Expect('(');
  f.parameters = ParseParameters();
  if (lexer_.Is(TokenKind::kArrow)) {
    lexer_.Take();
    if (lexer_.SkipMark('(')) {
      while (!lexer_.SkipMark(')')) {
        if (!f.results.empty()) lexer_.Expect(',');
        const Type type = ParseType();
        f.results.emplace_back(type, lexer_.IsMark('{') ? ParseAttributeRecord() : Attributes());
      }
    } else {
      f.results.emplace_back(ParseType(), Attributes());
    }
  }
  if (lexer_.SkipName("attributes")) f.attributes = ParseAttributeRecord();
  if (!lexer_.IsMark('{')) Wrong(f.place, StrCat("@", f.name, " is declared, but has no body"));
  f.body = ParseRegion();
  f.body.parameters = f.parameters;
  std::string location;
  ParseLocation(&location);
  return f;
}

// #loc3 = loc(...); other aliases have nothing that is read.
void Parser::ParseAlias(Program* program) {
  const Token name = lexer_.Take();
  lexer_.Expect('=');
  std::string location;
  if (lexer_.IsName("loc")) {
    ParseLocation(&location);
    return locations_.emplace_back(StrCat("#", name.text, " "), location), void();
  }
  if (name.kind == TokenKind::kBang) Wrong(name.place, "aliases of types are not read; print the text without them");
  ParseAttribute();
  static_cast<void>(program);
}

void Parser::ResolveLocations(Region* region) const {
  const auto find = [&](const std::string& name) {
    const auto it = std::lower_bound(locations_.begin(), locations_.end(), std::pair(name, std::string()));
    return it == locations_.end() || it->first != name ? nullptr : &it->second;
  };
  for (Operation& op : region->operations) {
    std::string text = op.location;
    for (int i = 0; i < kMostLocationSteps && !FindFileLine(text, &op.file, &op.line); ++i) {
      const size_t hash = text.find('#');
      const std::string* next =
          hash == std::string::npos ? nullptr : find(text.substr(hash, text.find(' ', hash) + 1 - hash));
      if (!next) break;
      text = *next;
    }
    for (Region& inner : op.regions) ResolveLocations(&inner);
  }
}

Program Parser::ParseProgram() {
  Program program;
  while (lexer_.Is(TokenKind::kHash) || lexer_.Is(TokenKind::kBang)) ParseAlias(&program);
  const bool module = lexer_.SkipName("module") || lexer_.SkipName("builtin.module");
  if (module) {
    if (lexer_.Is(TokenKind::kSymbol)) program.name = lexer_.Take().string;
    if (lexer_.SkipName("attributes")) program.attributes = ParseAttributeRecord();
    lexer_.Expect('{');
  }
  while (true) {
    if (lexer_.SkipName("func.func")) {
      program.functions.push_back(ParseFunction());
    } else if (lexer_.SkipName("sdy.mesh")) {
      program.meshes.push_back(ParseMesh());
    } else {
      break;
    }
  }
  if (lexer_.Is(TokenKind::kString) && module) {
    Wrong(lexer_.Peek().place,
          "functions and modules are read in the pretty form (func.func @main(...)), not in the generic one");
  }
  if (module) {
    if (!lexer_.IsMark('}')) lexer_.Unexpected("func.func or '}'");
    lexer_.Take();
    std::string location;
    ParseLocation(&location);
  }
  while (lexer_.Is(TokenKind::kHash)) ParseAlias(&program);
  if (!lexer_.Is(TokenKind::kEnd)) lexer_.Unexpected(module ? "the end of the text" : "func.func");
  if (program.functions.empty()) Wrong({1, 1}, "there is no function");
  std::sort(locations_.begin(), locations_.end());
  for (Function& f : program.functions) ResolveLocations(&f.body);
  program.refused = refused_;
  return program;
}

Program Parse(std::string_view text, ir::BudgetMeter* meter) {
  internal::Check(meter->CheckBytes(static_cast<int64_t>(text.size())));
  return Parser(text, meter).ParseProgram();
}

}  // namespace reel::stablehlo::reading
