#ifndef REEL_FRONTEND_STABLEHLO_IMPORT_SYNTAX_H_
#define REEL_FRONTEND_STABLEHLO_IMPORT_SYNTAX_H_

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "ir/literal.h"

// A text of StableHLO as plain structs. Both of MLIR's forms of an operation, "stablehlo.add"(%a, %b) and
// stablehlo.add %a, %b, become the same struct, with the names that attributes have in the generic form.

namespace reel::stablehlo::reading {

/// A place in the text, counted from 1.
struct Place {
  int line = 0, column = 0;
};

/// "step.mlir:12:5", what every error begins with; without a file "12:5".
std::string Text(const Place& place);
/// Throws InvalidArgument: the text is wrong here.
[[noreturn]] void Wrong(const Place& place, std::string_view what);

/// Elements of dense<...>; of a splat the literal is the one scalar.
struct DenseElements {
  Type type;
  ir::Literal literal;
  bool splat = false;
};

struct NamedAttribute;
using Attributes = std::vector<NamedAttribute>;

/// An attribute. Lists are [1, 2] and array<i64: 1, 2>; records {a = 1} and #dialect.name<a = 1>; words LT, DEFAULT,
/// @name and the last one of #dialect<kind LT>. Of what nothing here reads the kind is kOther.
struct Attribute {
  enum class Kind : uint8_t { kOther, kInt, kFloat, kBool, kString, kWord, kList, kRecord, kDense };
  Kind kind = Kind::kOther;
  int64_t integer = 0;  ///< of kInt and kBool
  double number = 0;    ///< of kFloat
  std::string text;     ///< of kString and kWord
  std::vector<Attribute> list;
  Attributes fields;
  std::shared_ptr<const DenseElements> dense;
  Place place;

  /// The field of a record, or null.
  const Attribute* Find(std::string_view name) const;
};
struct NamedAttribute {
  std::string name;
  Attribute value;
};

struct Region;

/// One operation. Values are named without their %, the second of several results "3#1".
struct Operation {
  std::string name;
  Place place;
  std::vector<std::string> results, operands;
  std::vector<Type> types;                         ///< of the results
  std::optional<std::vector<Type>> operand_types;  ///< if the text says them
  Attributes attributes;
  std::vector<Region> regions;
  std::string location;  ///< what loc(...) says, or the name of it: "#loc3"
  std::string file;      ///< and the line that it leads to, if any
  int line = 0;

  const Attribute* Find(std::string_view attribute) const;
};

/// A value that a region or function takes.
struct Parameter {
  std::string name;
  Type type;
  Attributes attributes;
};

/// One block.
struct Region {
  std::vector<Parameter> parameters;
  std::vector<Operation> operations;
};

struct Function {
  std::string name;
  Place place;
  bool is_public = true;
  std::vector<Parameter> parameters;
  std::vector<std::pair<Type, Attributes>> results;
  Attributes attributes;
  Region body;
};

/// Devices in rows: sdy.mesh @mesh = <["x"=2, "y"=4]>.
struct Mesh {
  std::string name;
  std::vector<std::pair<std::string, int64_t>> axes;
};

struct Program {
  std::string name;
  Attributes attributes;
  std::vector<Mesh> meshes;
  std::vector<Function> functions;
  /// Types that Reel does not have, with their lines: reported with the operations that it does not have.
  std::vector<std::string> refused;
};

/// The string that an attribute of the list is, or null.
const std::string* FindString(const Attributes& attributes, std::string_view name);

}  // namespace reel::stablehlo::reading

#endif  // REEL_FRONTEND_STABLEHLO_IMPORT_SYNTAX_H_
