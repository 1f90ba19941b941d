#include "frontend/cli/cli.h"

#include <CLI/CLI.hpp>
#include <cstdio>
#include <nlohmann/json.hpp>

#include "ir/names.h"
#include "ir/number.h"
#include "ir/printable.h"
#include "ir/proto/file.h"

namespace reel::cli {
namespace {

// A time that passes: a number of seconds beyond which nobody waits is a mistake.
std::string CheckSeconds(const std::string& text) {
  constexpr double kMostSeconds = 1e9;  // thirty years
  double seconds = 0;
  if (ir::ParseNumber(text, &seconds) && seconds > 0 && seconds <= kMostSeconds) return "";
  return StrCat(text, " is not a number of seconds above 0 and up to 1e9");
}
std::string CheckCount(const std::string& text) {
  int64_t count = 0;
  if (ir::ParseNumber(text, &count) && count > 0) return "";
  return StrCat(text, " is not a number from 1 to 2^63 - 1");
}

}  // namespace

ExitStatus StatusOf(absl::StatusCode code) {
  const bool budget = code == absl::StatusCode::kResourceExhausted || code == absl::StatusCode::kDeadlineExceeded;
  return budget ? kBudget : kInvalid;
}

void Check(const absl::Status& status) {
  if (!status.ok()) Fail(StatusOf(status.code()), std::string(status.message()));
}

CLI::App* AddCommand(Program* program, const std::string& name, const std::string& purpose, const std::string& example,
                     Common* common, std::function<void()> action) {
  CLI::App* command = program->app->add_subcommand(name, purpose);
  command->footer("Example:\n  " + example);
  command->add_flag("--json", common->json, "Print JSON");
  Budget* budget = &common->budget;
  const char* group = "Budgets";
  command->add_option("--budget-ops", budget->max_ops, "Most nodes of a module")
      ->check(CheckCount)
      ->group(group)
      ->type_name("N");
  command->add_option("--budget-bytes", budget->max_bytes, "Most bytes of input")
      ->check(CheckCount)
      ->group(group)
      ->type_name("N");
  command->add_option("--budget-memory", budget->max_memory, "Most bytes of tensors and arenas, and of compiling")
      ->check(CheckCount)
      ->group(group)
      ->type_name("N");
  command->add_option("--budget-seconds", budget->max_seconds, "Most seconds of loading and compiling")
      ->check(CheckSeconds)
      ->group(group)
      ->type_name("S");
  command->callback([program, action = std::move(action)] { program->action = action; });
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
  for (const auto& f : module.functions()) {
    StrAppend(&names, names.empty() ? "" : ", ", f->name());
    if (names.size() > 500) break;
  }
  if (name.empty()) Fail(kInvalid, StrCat("which function? Use --function with one of: ", names));
  Fail(kInvalid, StrCat("the module has no function ", ir::Quoted(name), "; it has: ", names));
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
