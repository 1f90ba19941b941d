#ifndef REEL_FRONTEND_STABLEHLO_IMPORT_PARSER_H_
#define REEL_FRONTEND_STABLEHLO_IMPORT_PARSER_H_

#include <string_view>
#include <vector>

#include "frontend/stablehlo/import/lexer.h"
#include "frontend/stablehlo/import/syntax.h"
#include "ir/budget_meter.h"

namespace reel::stablehlo::reading {

/// Reads a module. Throws reel::Error: InvalidArgument with line and column for what is no MLIR of StableHLO,
/// ResourceExhausted for a budget. What is well formed but unknown to Reel is left to the importer.
Program Parse(std::string_view text, ir::BudgetMeter* meter);

/// The parser; parts of it are in types.cc, attributes.cc and pretty.cc.
class Parser {
 public:
  Parser(std::string_view text, ir::BudgetMeter* meter) : lexer_(text), meter_(meter) {}
  Program ParseProgram();

 private:
  // types.cc
  Type ParseType();
  std::vector<Type> ParseTypeList();
  /// (types) -> types or (types) -> type
  void ParseFunctionType(std::vector<Type>* operands, std::vector<Type>* results);
  Type ParseTensorType();
  Type RefuseType(const Place& place, std::string_view what);

  // attributes.cc
  Attribute ParseAttribute();
  Attributes ParseAttributeRecord();
  Attribute ParseDense(const Place& place);
  Attribute ParseArray();
  Attribute ParseList();
  Attribute ParseHash();
  Attribute ParseConvolutionNumbers();
  Attribute ParseNumber();
  void SkipBrackets();

  // parser.cc
  Mesh ParseMesh();
  Function ParseFunction();
  std::vector<Parameter> ParseParameters();
  Region ParseRegion();
  void ParseBlock(Region* region);
  Operation ParseOperation();
  void ParseResults(Operation* op);
  void ParseGeneric(Operation* op);
  void ParseLocation(std::string* location);
  void ParseAlias(Program* program);
  void ResolveLocations(Region* region) const;
  std::string ParseOperand();

  // pretty.cc
  void ParsePretty(Operation* op);
  void ParseOperandsAndWords(Operation* op, std::vector<Attribute>* words);
  void ParseSignature(Operation* op);
  void ParseWhile(Operation* op);
  void ParseReduce(Operation* op);
  void ParseSlice(Operation* op);
  void ParseManual(Operation* op);
  Attribute ParseShardings();
  void ParseNamedPart(Operation* op, std::string name);

  /// Counts how deep regions, lists and types nest.
  class Depth {
   public:
    explicit Depth(Parser* parser);
    ~Depth() { --parser_->depth_; }
    Depth(const Depth&) = delete;
    Depth& operator=(const Depth&) = delete;

   private:
    Parser* parser_;
  };

  Lexer lexer_;
  ir::BudgetMeter* meter_;
  int depth_ = 0;
  std::vector<std::string> refused_;
  std::vector<std::pair<std::string, std::string>> locations_;  // "loc1", what it says
};

/// The elements of dense<...> of a type: the text between the brackets comes next, the closing one stays.
DenseElements ReadDense(Lexer* lexer, const Place& place, const Type& type, ir::BudgetMeter* meter);

/// Gives attributes of the pretty form, and its bare words, the names of the generic form.
void NameAttributes(Operation* op, const std::vector<Attribute>& words);

}  // namespace reel::stablehlo::reading

#endif  // REEL_FRONTEND_STABLEHLO_IMPORT_PARSER_H_
