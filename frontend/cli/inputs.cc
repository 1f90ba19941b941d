#include "frontend/cli/engines.h"
#include "frontend/values/npy.h"
#include "ir/names.h"
#include "ir/number.h"
#include "ir/suggest.h"
#include "ir/text/printer.h"
#include "passes/specialize.h"

namespace reel::cli {

std::vector<ir::Literal> ReadInputs(const std::vector<std::string>& inputs, const Budget& budget,
                                    const ir::Module& module, const ir::Function& function) {
  std::vector<ir::Literal> literals(static_cast<size_t>(function.num_arguments()));
  std::vector<bool> given(literals.size());
  for (const std::string& input : inputs) {
    const size_t equals = input.find('=');
    if (equals == std::string::npos) Fail(kUsage, StrCat("--input ", input, ": write --input NAME=FILE.npy"));
    const std::string name = input.substr(0, equals), path = input.substr(equals + 1);
    int index = 0;
    while (index < function.num_arguments() && function.parameter(index).name != name) ++index;
    if (index == function.num_arguments()) {
      std::vector<std::string> names;
      for (int i = 0; i < function.num_arguments(); ++i) names.push_back(function.parameter(i).name);
      Fail(kInvalid, StrCat("function ", ir::Quoted(function.name()), " has no argument ", ir::Quoted(name),
                            ir::DidYouMean(name, names)));
    }
    const auto at = static_cast<size_t>(index);
    if (given[at]) Fail(kUsage, StrCat("--input ", name, " is given twice"));
    const Type& type = function.parameter(index).type;
    literals[at] = Take(ParseNpy(ReadFile(path, budget), path, budget));
    if (type.shape.is_constant() && literals[at].type() != type) {
      Fail(kInvalid, StrCat(path, ": argument ", ir::Quoted(name), " is ", type.ToString(), ", the file has ",
                            literals[at].type().ToString()));
    }
    given[at] = true;
  }
  for (size_t i = 0; i < given.size(); ++i) {
    if (given[i]) continue;
    const ir::Parameter& p = function.parameter(static_cast<int>(i));
    Fail(kInvalid, StrCat("argument ", ir::Quoted(p.name), " is missing; add --input ", p.name, "=FILE.npy with a ",
                          ir::Print(p.type, module)));
  }
  Take(passes::BindArguments(module, function, TypesOf(literals)));  // symbolic extents agree
  return literals;
}

std::vector<std::pair<std::string, int64_t>> ParseExtents(const std::vector<std::string>& texts) {
  std::vector<std::pair<std::string, int64_t>> extents;
  for (const std::string& text : texts) {
    const size_t equals = text.find('=');
    int64_t value = -1;
    const bool number = equals != std::string::npos && ir::ParseNumber(text.substr(equals + 1), &value);
    if (!number || value < 0) Fail(kUsage, StrCat("--extent ", text, ": write --extent NAME=NUMBER"));
    extents.emplace_back(text.substr(0, equals), value);
  }
  return extents;
}

}  // namespace reel::cli
