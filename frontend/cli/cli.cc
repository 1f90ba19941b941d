#include "frontend/cli/cli.h"

#include <nlohmann/json.hpp>

#include "ir/names.h"
#include "ir/printable.h"
#include "ir/proto/file.h"
#include "ir/suggest.h"

namespace reel::cli {

ExitStatus StatusOf(absl::StatusCode code) {
  const bool budget = code == absl::StatusCode::kResourceExhausted || code == absl::StatusCode::kDeadlineExceeded;
  return budget ? kBudget : kInvalid;
}

void Check(const absl::Status& status) {
  if (!status.ok()) Fail(StatusOf(status.code()), std::string(status.message()));
}

Command AddCommand(Program* program, const std::string& name, const std::string& purpose, const std::string& example,
                   Common* common, std::function<void()> action) {
  Command command =
      program->line.Add(name, purpose, example, [program, action = std::move(action)] { program->action = action; });
  command.Flag("--json", &common->json, "Print JSON");
  Budget* budget = &common->budget;
  const char* group = "Budgets";
  command.Add("--budget-ops", &budget->max_ops, "Most nodes of a module").Positive().Group(group).TypeName("N");
  command.Add("--budget-bytes", &budget->max_bytes, "Most bytes of input").Positive().Group(group).TypeName("N");
  command.Add("--budget-memory", &budget->max_memory, "Most bytes of tensors and arenas, and of compiling")
      .Positive()
      .Group(group)
      .TypeName("N");
  command.Add("--budget-seconds", &budget->max_seconds, "Most seconds of loading and compiling")
      .Seconds()
      .Group(group)
      .TypeName("S");
  return command;
}

std::string Printable(std::string_view text, size_t limit) {
  constexpr std::string_view kCut = " ...";
  std::string out;
  while (!text.empty()) {
    const size_t n = std::max<size_t>(1, ir::PrintableLength(text));
    const std::string piece = ir::Printable(text.substr(0, n));
    if (out.size() + piece.size() + kCut.size() > limit) return out.append(kCut);
    out += piece;
    text.remove_prefix(n);
  }
  return out;
}

std::string JsonText(const Json& json, int indent) {
  return json.dump(indent, ' ', /*ensure_ascii=*/true, Json::error_handler_t::replace);
}

ir::Module ReadModule(const std::string& path, const Budget& budget) {
  const std::string data = ReadFile(path, budget);
  const std::string name = path == kStandard ? "standard input" : path;
  return Take(ir::ParseModuleBytes(std::as_bytes(std::span(data)), name, budget));
}

const ir::Function& FindFunction(const ir::Module& module, const std::string& name) {
  const ir::Function* found = module.FindFunction(name.empty() ? "main" : name);
  if (found) return *found;
  if (name.empty() && module.functions().size() == 1) return *module.functions()[0];
  std::string names;
  std::vector<std::string> all;
  for (const auto& f : module.functions()) {
    if (names.size() <= 500) StrAppend(&names, names.empty() ? "" : ", ", f->name());
    all.push_back(f->name());
  }
  if (name.empty()) Fail(kInvalid, StrCat("which function? Use --function with one of: ", names));
  Fail(kInvalid,
       StrCat("the module has no function ", ir::Quoted(name), "; it has: ", names, ir::DidYouMean(name, all)));
}

Json Describe(const ir::Module& module, std::string_view name, const Type& type) {
  Json shape = Json::array();
  for (const Extent extent : type.shape) {
    if (extent.is_constant())
      shape.push_back(extent.value());
    else
      shape.push_back(module.symbols()[static_cast<size_t>(extent.symbol())].name);
  }
  return {{"name", name}, {"dtype", NumPyName(type.dtype)}, {"shape", std::move(shape)}};
}

Json Describe(const ir::Module& module, const ir::Function& function) {
  Json parameters = Json::array(), results = Json::array();
  for (int i = 0; i < function.num_arguments(); ++i) {
    parameters.push_back(Describe(module, function.parameter(i).name, function.parameter(i).type));
  }
  for (int i = 0; i < function.num_outputs(); ++i) {
    const Type& type = function.type(function.results()[static_cast<size_t>(i)]);
    results.push_back(Describe(module, function.result_name(i), type));
  }
  return {{"name", function.name()},
          {"parameters", parameters},
          {"results", results},
          {"state", function.state()},
          {"nodes", function.nodes().size()}};
}

Json Describe(const ir::Module& module) {
  Json functions = Json::array(), variables = Json::array();
  for (const auto& f : module.functions()) functions.push_back(Describe(module, *f));
  for (const ir::Variable& v : module.variables()) {
    Json row = Describe(module, v.name, v.type);
    row["trainable"] = v.trainable;
    variables.push_back(std::move(row));
  }
  Json metadata = Json::object();
  for (const auto& [key, value] : module.metadata()) metadata[key] = value;
  return {{"name", module.name()}, {"functions", functions}, {"variables", variables}, {"metadata", metadata}};
}

}  // namespace reel::cli
