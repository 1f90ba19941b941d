#include "codegen/aot/names.h"

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "codegen/aot/reserved.h"
#include "codegen/aot/weights_layout.h"
#include "ir/names.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
bool IsDigit(char c) { return c >= '0' && c <= '9'; }

/// Members of every C++ class (header.cc), which cannot have its name.
bool IsMember(std::string_view name) {
  for (const std::string_view member : {"error", "error_", "memory_", "Run", "LookupArgIndex", "LookupResultIndex",
                                        "arg_data", "result_data", "save", "load"}) {
    if (name == member) return true;
  }
  const bool buffer = (name.starts_with("arg") || name.starts_with("result")) && name.ends_with('_');
  return buffer && name.find_first_of("0123456789") != name.npos;
}

/// The identifier of a name of the user's, with underscores until it is free.
std::string Free(std::string_view text, std::unordered_set<std::string>* taken) {
  std::string name = Unreserved(ToIdentifier(text));
  while (!taken->insert(name).second) name += "_";
  return name;
}

template <typename Named>
std::vector<std::string> ParameterNames(const std::vector<Named>& parameters, std::unordered_set<std::string>* taken) {
  std::vector<std::string> names;
  for (const Named& p : parameters) names.push_back(Free(p.name, taken));
  return names;
}

/// Functions that the object has beside its entry points and variables.
std::vector<std::string> OwnFunctions(const Program& program) {
  std::vector<std::string> own = {"size", "alignment", "init", "error", "set_parallel_for", "manifest_json"};
  if (!program.collectives.empty()) own.emplace_back("set_communicator");
  if (LayOutWeights(program).ok()) own.insert(own.end(), {"save_size", "save", "load"});
  return own;
}

absl::Status Collision(std::string_view what, std::string_view a, std::string_view b, std::string_view identifier) {
  return absl::InvalidArgumentError(
      StrCat(what, " \"", a, "\" and \"", b, "\" both become the C name ", identifier, "; rename one of them"));
}

}  // namespace

std::string ToIdentifier(std::string_view text) {
  std::string out;
  for (char c : text) out += IsLetter(c) || IsDigit(c) ? c : '_';
  if (out.empty() || IsDigit(out[0])) out.insert(0, "_");
  return out;
}

absl::StatusOr<ObjectNames> NameObject(const Program& program, const std::string& name) {
  if (name != ToIdentifier(name) || IsReservedWord(name) || IsMember(name) || name[0] == '_') {
    return absl::InvalidArgumentError(
        StrCat(ir::Quoted(name), " cannot be the name of an object: it must be a C identifier such as ", "\"mnist\""));
  }
  ObjectNames names;
  names.name = name;
  for (char c : name) {
    names.upper += c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  }
  const std::vector<std::string> own = OwnFunctions(program);
  std::unordered_map<std::string, std::string> functions;
  const std::vector<std::string> macros = {names.upper + "_SIZE", names.upper + "_ALIGNMENT", names.upper + "_H_"};
  for (const std::string& macro : macros) {
    if (macro.starts_with(name)) functions[macro.substr(name.size() + 1)] = macro;
  }
  std::unordered_set<std::string> members(macros.begin(), macros.end());
  members.insert(name);  // that of the class
  for (const VariableSlot& v : program.variables) {
    names.variables.push_back(ToIdentifier(v.name));
    names.variable_members.push_back(Free(StrCat("variable_", v.name), &members));
    const std::string function = StrCat("variable_", names.variables.back());
    auto [it, is_new] = functions.emplace(function, v.name);
    if (!is_new) return Collision("variables", it->second, v.name, StrCat(name, "_", function));
  }
  for (const ObjectEntry& e : ObjectEntries(program)) {
    ObjectNames::Entry entry;
    entry.name = ToIdentifier(e.name);
    if (std::find(own.begin(), own.end(), entry.name) != own.end()) {
      return absl::InvalidArgumentError(StrCat("entry point ", ir::Quoted(e.name), " would be the function ", name, "_",
                                               entry.name, ", which is the object's own; rename it"));
    }
    auto [it, is_new] = functions.emplace(entry.name, e.name);
    if (!is_new) return Collision("entry points", it->second, e.name, StrCat(name, "_", entry.name));
    if (IsReserved(StrCat(name, "_", entry.name))) {
      return absl::InvalidArgumentError(StrCat("entry point ", ir::Quoted(e.name), " would be the function ", name, "_",
                                               entry.name, ", which C keeps for itself; rename it"));
    }
    entry.member = Free(IsMember(ToIdentifier(e.name)) ? StrCat("entry_", e.name) : e.name, &members);
    std::unordered_set<std::string> taken(macros.begin(), macros.end());
    taken.insert({name, "instance"});
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
