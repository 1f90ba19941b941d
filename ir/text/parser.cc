#include "ir/text/parser.h"

#include "ir/budget_meter.h"
#include "ir/hash_map.h"
#include "ir/names.h"
#include "ir/strings.h"
#include "ir/text/literal_text.h"
#include "ir/text/printer.h"
#include "ir/text/token_reader.h"
#include "ir/verifier.h"

namespace reel::ir {
namespace {

// Every Parse function returns false once there is an error, which is then in r_.status().
class Parser {
 public:
  Parser(std::string_view text, std::string_view file_name, const Budget& budget)
      : r_(text, file_name), meter_(budget) {}

  bool ParseModule(Module* module);
  const absl::Status& status() const { return r_.status(); }

 private:
  // Names of one function.
  struct Scope {
    Function* function;
    HashMap<std::string, Value> parameters, states;
  };

  bool Check(const absl::Status& status) { return status.ok() || r_.FailWith(status); }
  bool ParseHeader(Module* module);
  bool ParseMeta(Module* module);
  bool ParseSymbol(Module* module);
  bool ParseVariable(Module* module);
  bool ParseShape(Shape* shape);
  bool ParseType(Type* type);
  bool ParseFunction(Module* module);
  bool ParseParameters(Scope* scope, bool state);
  bool ParseResultTypes(std::vector<Type>* types, std::vector<std::string>* names);
  bool ParseValue(const Scope& scope, Value* value);
  template <typename List>
  bool ParseValues(const Scope& scope, List* values);
  bool ParseNode(Scope* scope);
  bool ParseDefinitions(const Scope& scope, TypeList* types, std::vector<std::string>* hints);
  bool ParseConstant(Attributes* attributes, TypeList* types);
  bool ParseAttributes(Op op, Attributes* attributes);
  bool ParseAttribute(Op op, AttrKind kind, AttrValue* value);
  bool ParseInts(std::vector<int64_t>* values);
  bool ParseNodeTypes(TypeList* types);
  bool ParseLocation(Function* function, int32_t* location);
  bool ParseReturn(const Scope& scope, const std::vector<Type>& types);

  TokenReader r_;
  BudgetMeter meter_;
  HashMap<std::string, int32_t> symbols_;
};

bool Parser::ParseHeader(Module* module) {
  if (!r_.ExpectWord("reel")) return false;
  const size_t position = r_.token().begin;
  int64_t version = 0;
  if (!r_.ReadInt("the version of the text form", &version)) return false;
  if (version != kTextVersion) {
    return r_.FailAt(position, StrCat("text version ", version, ", this reader knows ", kTextVersion,
                                      version > kTextVersion ? "; use a newer Reel" : ""));
  }
  std::string name;
  if (!r_.ExpectWord("module") || !r_.ReadName(Tok::kString, "the module's name in quotes", &name)) {
    return false;
  }
  module->set_name(std::move(name));
  return true;
}

bool Parser::ParseMeta(Module* module) {
  std::string key, value;
  if (!r_.ReadName(Tok::kString, "a key in quotes", &key) || !r_.Expect('=') ||
      !r_.ReadName(Tok::kString, "a value in quotes", &value)) {
    return false;
  }
  if (!Check(meter_.AddMemory(64 + static_cast<int64_t>(key.size() + value.size())))) return false;
  module->metadata().emplace_back(std::move(key), std::move(value));
  return true;
}

bool Parser::ParseSymbol(Module* module) {
  Symbol s;
  const size_t position = r_.token().begin;
  if (!r_.ReadName(Tok::kString, "the symbol's name in quotes", &s.name) || !r_.ExpectWord("in") || !r_.Expect('[') ||
      !r_.ReadInt("the least extent", &s.min) || !r_.Expect(',') || !r_.ReadInt("the largest extent", &s.max) ||
      !r_.Expect(']')) {
    return false;
  }
  if (!symbols_.emplace(s.name, static_cast<int32_t>(module->symbols().size())).second) {
    return r_.FailAt(position, StrCat("symbol ", Quoted(s.name), " is declared twice"));
  }
  module->symbols().push_back(std::move(s));
  return Check(meter_.AddMemory(256));
}

bool Parser::ParseShape(Shape* shape) {
  if (!r_.Expect('[')) return false;
  while (!r_.At(']')) {
    if (shape->rank() > 0 && !r_.Expect(',')) return false;
    if (shape->rank() == kMaxRank) return r_.Fail(StrCat("at most ", kMaxRank, " extents"));
    if (r_.At(Tok::kWord) || r_.At(Tok::kString)) {
      const auto it = symbols_.find(std::string(r_.token().name));
      if (it == symbols_.end()) return r_.Fail("an extent or a declared symbol");
      shape->push_back(Extent::Symbol(it->second));
      r_.Advance();
      continue;
    }
    int64_t extent = 0;
    if (r_.token().name.starts_with("-")) return r_.Fail("an extent that is not negative");
    if (!r_.ReadInt("an extent or a declared symbol", &extent)) return false;
    shape->push_back(extent);
  }
  r_.Advance();
  return true;
}

bool Parser::ParseType(Type* type) {
  if (!r_.At(Tok::kWord) || !ParseDType(r_.token().name, &type->dtype)) {
    return r_.Fail("a type such as f32[2,3]");
  }
  r_.Advance();
  type->shape = Shape();
  return ParseShape(&type->shape);
}

bool Parser::ParseVariable(Module* module) {
  Variable v;
  const size_t position = r_.token().begin;
  if (!r_.ReadName(Tok::kGlobal, "a variable such as @w", &v.name)) return false;
  if (module->FindVariable(v.name)) {
    return r_.FailAt(position, StrCat("variable ", Quoted(v.name), " is declared twice"));
  }
  v.trainable = !r_.AcceptWord("frozen");
  if (r_.AcceptWord("in") && (!r_.ReadInt("a number of parts", &v.parts) || !r_.ExpectWord("parts"))) return false;
  if (!r_.Expect(':') || !ParseType(&v.type) || !r_.Expect('=')) return false;
  if (r_.AcceptWord("init")) {
    std::string init;
    if (!r_.ReadName(Tok::kGlobal, "an init function such as @f", &init)) return false;
    v.initial = std::move(init);
  } else {
    Literal literal;
    if (!ReadLiteral(&r_, v.type, &meter_, &literal)) return false;
    v.initial = std::move(literal);
  }
  module->AddVariable(std::move(v));
  return Check(meter_.AddMemory(512));
}

bool Parser::ParseParameters(Scope* scope, bool state) {
  if (!r_.Expect('(')) return false;
  for (bool first = true; !r_.At(')'); first = false) {
    if (!first && !r_.Expect(',')) return false;
    const size_t position = r_.token().begin;
    std::string name;
    Type type;
    const bool named = state ? r_.ReadName(Tok::kGlobal, "a variable such as @w", &name)
                             : r_.ReadName(Tok::kParameter, "a parameter such as %x", &name);
    if (!named || !r_.Expect(':') || !ParseType(&type)) return false;
    if (!Check(meter_.AddMemory(3 * static_cast<int64_t>(sizeof(Type) + name.size())))) {
      return false;
    }
    const Value v = state ? scope->function->AddState(name, type) : scope->function->AddParameter(name, type);
    if (!(state ? scope->states : scope->parameters).emplace(name, v).second) {
      return r_.FailAt(position, StrCat(Quoted(name), " is declared twice"));
    }
  }
  r_.Advance();
  return true;
}

bool Parser::ParseResultTypes(std::vector<Type>* types, std::vector<std::string>* names) {
  if (!r_.Expect(Tok::kArrow, "'->'") || !r_.Expect('(')) return false;
  bool named = false;
  while (!r_.At(')')) {
    if (!types->empty() && !r_.Expect(',')) return false;
    // "loss: f32[]" or "f32[]": the colon decides.
    const Token first = r_.token();
    names->emplace_back(first.name);
    r_.Advance();
    if ((first.kind == Tok::kWord || first.kind == Tok::kString) && r_.Accept(':')) {
      named = true;
    } else {
      names->back().clear();
      r_.Seek(first.begin);
    }
    types->emplace_back();
    if (!ParseType(&types->back())) return false;
    if (!Check(meter_.AddMemory(2 * sizeof(Type)))) return false;
  }
  r_.Advance();
  if (!named) names->clear();
  return true;
}

bool Parser::ParseValue(const Scope& scope, Value* value) {
  const Function& f = *scope.function;
  const Token& token = r_.token();
  if (token.kind == Tok::kValue) {
    if (token.number >= f.num_values() - f.num_parameters()) {
      return r_.Fail("a value defined above");
    }
    *value = {f.num_parameters() + token.number};
    if (token.name != f.name_hint(*value)) {
      return r_.Fail(StrCat("the name of its definition, ", Quoted(f.name_hint(*value))));
    }
  } else if (token.kind == Tok::kParameter || token.kind == Tok::kGlobal) {
    const auto& names = token.kind == Tok::kParameter ? scope.parameters : scope.states;
    const auto it = names.find(std::string(token.name));
    if (it == names.end()) return r_.Fail("a parameter or state of this function");
    *value = it->second;
  } else {
    return r_.Fail("a value such as %0, %x or @w");
  }
  r_.Advance();
  return true;
}

// Values separated by commas; none if the current token begins no value.
template <typename List>
bool Parser::ParseValues(const Scope& scope, List* values) {
  if (!r_.At(Tok::kValue) && !r_.At(Tok::kParameter) && !r_.At(Tok::kGlobal)) return true;
  do {
    Value v;
    if (!ParseValue(scope, &v)) return false;
    values->push_back(v);
  } while (r_.Accept(','));
  return true;
}

// "%4.h, %5 = ": the numbers must be the next ones.
bool Parser::ParseDefinitions(const Scope& scope, TypeList* types, std::vector<std::string>* hints) {
  int32_t next = scope.function->num_values() - scope.function->num_parameters();
  if (!r_.At(Tok::kValue)) return true;
  do {
    if (!r_.At(Tok::kValue) || r_.token().number != next) return r_.Fail(StrCat("%", next));
    ++next;
    if (!Check(meter_.AddMemory(2 * sizeof(Type)))) return false;
    hints->emplace_back(r_.token().name);
    types->emplace_back();
    r_.Advance();
  } while (r_.Accept(','));
  return r_.Expect('=');
}

bool Parser::ParseInts(std::vector<int64_t>* values) {
  if (!r_.Expect('[')) return false;
  while (!r_.At(']')) {
    if (!values->empty() && !r_.Expect(',')) return false;
    values->emplace_back();
    if (!r_.ReadInt("an integer", &values->back()) || !Check(meter_.AddMemory(16))) return false;
  }
  r_.Advance();
  return true;
}

bool Parser::ParseAttribute(Op op, AttrKind kind, AttrValue* value) {
  switch (kind) {
    case AttrKind::kInt: return r_.ReadInt("an integer", &value->emplace<int64_t>());
    case AttrKind::kBool:
      if (!r_.AtWord("true") && !r_.AtWord("false")) return r_.Fail("true or false");
      *value = r_.AtWord("true");
      r_.Advance();
      return true;
    case AttrKind::kString: {
      auto& name = value->emplace<std::string>();
      return Info(op).Has(kControl) ? r_.ReadName(Tok::kGlobal, "a function such as @f", &name)
                                    : r_.ReadName(Tok::kString, "a quoted string", &name);
    }
    case AttrKind::kInts: return ParseInts(&value->emplace<std::vector<int64_t>>());
    case AttrKind::kShape: return ParseShape(&value->emplace<Shape>());
    case AttrKind::kDType: {
      DType dtype;
      if (!r_.At(Tok::kWord) || !ParseDType(r_.token().name, &dtype)) return r_.Fail("a dtype");
      *value = dtype;
      r_.Advance();
      return true;
    }
    case AttrKind::kLiteral: {
      Type type;
      return ParseType(&type) && ReadLiteral(&r_, type, &meter_, &value->emplace<Literal>());
    }
  }
  return false;
}

bool Parser::ParseAttributes(Op op, Attributes* attributes) {
  if (!r_.Accept('{')) return true;
  do {
    const AttrSpec* spec = nullptr;
    for (const AttrSpec& s : Info(op).attributes) {
      if (r_.AtWord(s.name)) spec = &s;
    }
    if (!spec) return r_.Fail(StrCat("an attribute of ", Name(op)));
    if (attributes->Find(spec->name)) return r_.Fail("each attribute once");
    r_.Advance();
    AttrValue value;
    if (!r_.Expect('=') || !ParseAttribute(op, spec->kind, &value)) return false;
    attributes->Set(spec->name, std::move(value));
  } while (r_.Accept(','));
  return r_.Expect('}') && Check(meter_.AddMemory(256));
}

bool Parser::ParseNodeTypes(TypeList* types) {
  if (types->empty()) return r_.Expect('(') && r_.Expect(')');
  for (size_t i = 0; i < types->size(); ++i) {
    if (i && !r_.Expect(',')) return false;
    if (!ParseType(&(*types)[i])) return false;
  }
  return true;
}

// "constant 1.5 : f32[]": the type behind the literal is read first.
bool Parser::ParseConstant(Attributes* attributes, TypeList* types) {
  const size_t begin = r_.token().begin;
  if (types->size() != 1) return r_.Fail("one result of a constant");
  if (!SkipLiteral(&r_) || !r_.Expect(':') || !ParseNodeTypes(types)) return false;
  const size_t end = r_.token().begin;
  r_.Seek(begin);
  AttrValue value;
  if (!ReadLiteral(&r_, (*types)[0], &meter_, &value.emplace<Literal>()) || !r_.Expect(':')) {
    return false;
  }
  attributes->Set("value", std::move(value));
  r_.Seek(end);
  return Check(meter_.AddMemory(256));
}

bool Parser::ParseLocation(Function* function, int32_t* location) {
  if (!r_.AcceptWord("loc")) return true;
  Location at;
  int64_t line = 0;
  if (!r_.Expect('(') || !r_.ReadName(Tok::kString, "a file name in quotes", &at.file) || !r_.Expect(':') ||
      !r_.ReadInt("a line number", &line)) {
    return false;
  }
  at.line = static_cast<int32_t>(line);
  if (at.line != line) return r_.Fail("a line number of 32 bits before this");
  if (!Check(meter_.AddMemory(64 + static_cast<int64_t>(at.file.size())))) return false;
  *location = function->AddLocation(std::move(at));
  return r_.Expect(')');
}

bool Parser::ParseNode(Scope* scope) {
  TypeList types;
  ValueList operands;
  std::vector<std::string> hints;
  if (!ParseDefinitions(*scope, &types, &hints)) return false;
  const auto op = r_.At(Tok::kWord) ? ParseOp(r_.token().name) : std::nullopt;
  if (!op) return r_.Fail("an op");
  r_.Advance();
  if (!ParseValues(*scope, &operands)) return false;
  if (!Check(meter_.AddNode(operands.size(), types.size()))) return false;
  Attributes attributes;
  if (*op == Op::kConstant && operands.empty() && !r_.At('{') && !r_.At(':')) {
    if (!ParseConstant(&attributes, &types)) return false;
  } else if (!ParseAttributes(*op, &attributes) || !r_.Expect(':') || !ParseNodeTypes(&types)) {
    return false;
  }
  int32_t location = -1;
  if (!ParseLocation(scope->function, &location)) return false;
  const Node& node = scope->function->AddNode(
      *op, operands, attributes.empty() ? nullptr : std::make_shared<const Attributes>(std::move(attributes)), types,
      location);
  for (size_t i = 0; i < hints.size(); ++i) {
    if (hints[i].empty()) continue;
    if (!Check(meter_.AddMemory(64 + static_cast<int64_t>(hints[i].size())))) return false;
    scope->function->set_name_hint(node.result(static_cast<int>(i)), std::move(hints[i]));
  }
  return true;
}

bool Parser::ParseReturn(const Scope& scope, const std::vector<Type>& types) {
  Function* f = scope.function;
  const size_t position = r_.token().begin;
  std::vector<Value> results, states;
  if (!ParseValues(scope, &results)) return false;
  if (results.size() != types.size()) {
    return r_.FailAt(position, StrCat("found ", results.size(), " results, expected ", types.size()));
  }
  for (size_t i = 0; i < types.size(); ++i) {
    if (f->type(results[i]) == types[i]) continue;
    return r_.FailAt(position,
                     StrCat("result ", i, " is ", f->type(results[i]).ToString(), ", declared ", types[i].ToString()));
  }
  if (!f->state().empty() &&
      (!r_.ExpectWord("state") || !r_.Expect('(') || !ParseValues(scope, &states) || !r_.Expect(')'))) {
    return false;
  }
  if (states.size() != f->state().size()) {
    return r_.FailAt(position, StrCat("found ", states.size(), " new states, expected ", f->state().size()));
  }
  results.insert(results.end(), states.begin(), states.end());
  f->SetResults(std::move(results));
  return r_.Expect('}');
}

bool Parser::ParseFunction(Module* module) {
  const size_t position = r_.token().begin;
  std::string name;
  if (!r_.ReadName(Tok::kGlobal, "a function name such as @f", &name)) return false;
  if (module->FindFunction(name)) {
    return r_.FailAt(position, StrCat("function ", Quoted(name), " is defined twice"));
  }
  if (!Check(meter_.AddMemory(static_cast<int64_t>(sizeof(Function) + 128 + name.size())))) {
    return false;
  }
  Function function(std::move(name));
  Scope scope{&function, {}, {}};
  std::vector<Type> types;
  std::vector<std::string> names;
  if (!ParseParameters(&scope, false)) return false;
  if (r_.AcceptWord("state") && !ParseParameters(&scope, true)) return false;
  if (!ParseResultTypes(&types, &names) || !r_.Expect('{')) return false;
  function.set_result_names(std::move(names));
  while (!r_.AcceptWord("return")) {
    if (!ParseNode(&scope)) return false;
  }
  if (!ParseReturn(scope, types)) return false;
  module->AddFunction(std::move(function));
  return true;
}

bool Parser::ParseModule(Module* module) {
  if (!Check(meter_.CheckBytes(static_cast<int64_t>(r_.source_size())))) return false;
  if (!ParseHeader(module)) return false;
  while (r_.AcceptWord("meta")) {
    if (!ParseMeta(module)) return false;
  }
  while (r_.AcceptWord("symbol")) {
    if (!ParseSymbol(module)) return false;
  }
  while (r_.AcceptWord("variable")) {
    if (!ParseVariable(module)) return false;
  }
  while (r_.AcceptWord("func")) {
    if (!ParseFunction(module)) return false;
  }
  return r_.At(Tok::kEnd) || r_.Fail("meta, symbol, variable and func in this order, or the end");
}

}  // namespace

absl::StatusOr<Module> ParseModule(std::string_view text, std::string_view file_name, const Budget& budget) {
  Module module;
  Parser parser(text, file_name, budget);
  if (!parser.ParseModule(&module)) return parser.status();
  if (absl::Status s = Verify(module); !s.ok()) {
    return absl::Status(s.code(), StrCat(file_name, ": ", std::string(s.message())));
  }
  return module;
}

}  // namespace reel::ir
