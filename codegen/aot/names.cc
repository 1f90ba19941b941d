#include "codegen/aot/names.h"

#include <algorithm>
#include <cctype>
#include <iterator>
#include <unordered_map>
#include <unordered_set>

#include "ir/strings.h"

namespace reel::codegen {
namespace {

/// Words that C99 or C++20 keep for themselves and that could be meant as a name, sorted.
constexpr std::string_view kKeywords[] = {
    "alignas",  "alignof",   "and",      "asm",      "auto",     "bool",     "break",   "case",
    "catch",    "char",      "class",    "concept",  "const",    "continue", "default", "delete",
    "do",       "double",    "else",     "enum",     "explicit", "export",   "extern",  "false",
    "float",    "for",       "friend",   "goto",     "if",       "inline",   "int",     "long",
    "mutable",  "namespace", "new",      "not",      "operator", "or",       "private", "protected",
    "public",   "register",  "requires", "restrict", "return",   "short",    "signed",  "sizeof",
    "static",   "struct",    "switch",   "template", "this",     "throw",    "true",    "try",
    "typedef",  "typeid",    "typename", "union",    "unsigned", "using",    "virtual", "void",
    "volatile", "while",     "xor"};

bool IsKeyword(std::string_view word) {
  return std::find(std::begin(kKeywords), std::end(kKeywords), word) != std::end(kKeywords);
}

/// Distinct parameter names: a name that is taken, or a keyword, gets underscores.
template <typename Named>
std::vector<std::string> ParameterNames(const std::vector<Named>& parameters,
                                        std::unordered_set<std::string>* taken) {
  std::vector<std::string> names;
  for (const Named& p : parameters) {
    std::string name = ToIdentifier(p.name);
    while (IsKeyword(name) || !taken->insert(name).second) name += "_";
    names.push_back(name);
  }
  return names;
}

absl::Status Collision(std::string_view what, std::string_view a, std::string_view b,
                       std::string_view identifier) {
  return absl::InvalidArgumentError(StrCat(what, " \"", a, "\" and \"", b,
                                           "\" both become the C name ", identifier,
                                           "; rename one of them"));
}

}  // namespace

std::string ToIdentifier(std::string_view text) {
  std::string out;
  for (char c : text) out += std::isalnum(static_cast<unsigned char>(c)) != 0 ? c : '_';
  if (out.empty() || std::isdigit(static_cast<unsigned char>(out[0])) != 0) out.insert(0, "_");
  return out;
}

absl::StatusOr<ObjectNames> NameObject(const Program& program, const std::string& name) {
  if (name != ToIdentifier(name) || IsKeyword(name) || name[0] == '_') {
    return absl::InvalidArgumentError(
        StrCat("\"", name, "\" cannot be the name of an object: it must be a C identifier such as ",
               "\"mnist\""));
  }
  ObjectNames names;
  names.name = name;
  for (char c : name) {
    names.upper += static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
  }
  std::unordered_map<std::string, std::string> functions;
  for (const char* own :
       {"size", "alignment", "init", "error", "set_parallel_for", "manifest_json"}) {
    functions[own] = own;
  }
  for (const VariableSlot& v : program.variables) {
    names.variables.push_back(ToIdentifier(v.name));
    const std::string function = StrCat("variable_", names.variables.back());
    auto [it, is_new] = functions.emplace(function, v.name);
    if (!is_new) return Collision("variables", it->second, v.name, StrCat(name, "_", function));
  }
  for (const ObjectEntry& e : ObjectEntries(program)) {
    ObjectNames::Entry entry;
    entry.name = ToIdentifier(e.name);
    auto [it, is_new] = functions.emplace(entry.name, e.name);
    if (!is_new)
      return Collision("entry points", it->second, e.name, StrCat(name, "_", entry.name));
    std::unordered_set<std::string> taken = {name, "instance"};
    entry.extents = ParameterNames(e.symbols, &taken);
    entry.arguments = ParameterNames(e.arguments, &taken);
    entry.results = ParameterNames(e.results, &taken);
    names.entries.push_back(std::move(entry));
  }
  return names;
}

std::string_view CTypeOf(DType dtype) {
  switch (dtype) {
    case kBool: return "bool";
    case kInt8: return "int8_t";
    case kInt16: return "int16_t";
    case kInt32: return "int32_t";
    case kInt64: return "int64_t";
    case kUInt8: return "uint8_t";
    case kUInt16: return "uint16_t";
    case kUInt32: return "uint32_t";
    case kUInt64: return "uint64_t";
    case kFloat16:
    case kBFloat16: return "uint16_t";
    case kFloat32:
    case kComplex64: return "float";
    case kFloat64:
    case kComplex128: return "double";
  }
  return "void";
}

}  // namespace reel::codegen
