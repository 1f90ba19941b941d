#include "frontend/cli/cli.h"

#include <cstdio>

#include "ir/names.h"
#include "ir/proto/file.h"
#include "ir/text/printer.h"

namespace reel::cli {
namespace {

// Length of the UTF-8 sequence at the start of `text` if it is well formed and not a control
// character, else 0.
size_t PrintableLength(std::string_view text) {
  const auto byte = [&](size_t i) { return static_cast<unsigned char>(text[i]); };
  const unsigned char first = byte(0);
  if (first < 0x80) return (first >= 0x20 && first != 0x7f) || first == '\n' ? 1 : 0;
  const size_t n = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < n) return 0;
  for (size_t i = 1; i < n; ++i) {
    if ((byte(i) & 0xc0) != 0x80) return 0;
  }
  if (first == 0xc2 && byte(1) < 0xa0) return 0;  // C1 controls
  if (first == 0xe2 && (byte(1) == 0x80 || byte(1) == 0x81))
    return 0;                                      // line ends, direction marks
  if (first == 0xe0 && byte(1) < 0xa0) return 0;   // too long a form
  if (first == 0xed && byte(1) >= 0xa0) return 0;  // surrogates
  if (first == 0xf0 && byte(1) < 0x90) return 0;
  if (first == 0xf4 && byte(1) >= 0x90) return 0;
  return n;
}

}  // namespace

ExitStatus StatusOf(absl::StatusCode code) {
  const bool budget =
      code == absl::StatusCode::kResourceExhausted || code == absl::StatusCode::kDeadlineExceeded;
  return budget ? kBudget : kInvalid;
}

void Check(const absl::Status& status) {
  if (!status.ok()) Fail(StatusOf(status.code()), std::string(status.message()));
}

CLI::App* AddCommand(Program* program, const std::string& name, const std::string& purpose,
                     const std::string& example, Common* common, std::function<void()> action) {
  CLI::App* command = program->app->add_subcommand(name, purpose);
  command->footer("Example:\n  " + example);
  command->add_flag("--json", common->json, "Print JSON");
  Budget* budget = &common->budget;
  const char* group = "Budgets";
  command->add_option("--budget-ops", budget->max_ops, "Most nodes of a module")
      ->check(CLI::NonNegativeNumber)
      ->group(group)
      ->type_name("N");
  command->add_option("--budget-bytes", budget->max_bytes, "Most bytes of input")
      ->check(CLI::NonNegativeNumber)
      ->group(group)
      ->type_name("N");
  command->add_option("--budget-memory", budget->max_memory, "Most bytes of tensors and arenas, and of compiling")
      ->check(CLI::NonNegativeNumber)
      ->group(group)
      ->type_name("N");
  command
      ->add_option("--budget-seconds", budget->max_seconds, "Most seconds of loading and compiling")
      ->check(CLI::NonNegativeNumber)
      ->group(group)
      ->type_name("S");
  command->callback([program, action = std::move(action)] { program->action = action; });
  return command;
}

std::string Printable(std::string_view text, size_t limit) {
  static constexpr char kHex[] = "0123456789abcdef";
  constexpr std::string_view kCut = " ...";
  std::string out;
  while (!text.empty()) {
    const size_t n = PrintableLength(text);
    const auto byte = static_cast<unsigned char>(text[0]);
    const std::string piece = n > 0 ? std::string(text.substr(0, n))
                                    : std::string{'\\', 'x', kHex[byte >> 4], kHex[byte & 15]};
    if (out.size() + piece.size() + kCut.size() > limit) return out.append(kCut);
    out += piece;
    text.remove_prefix(n > 0 ? n : 1);
  }
  return out;
}

ir::Module ReadModule(const std::string& path, const Budget& budget) {
  const std::string data = ReadFile(path, budget);
  return Take(ir::ParseModuleBytes(std::as_bytes(std::span(data)), path, budget));
}

std::string ModuleBytes(const ir::Module& module, const std::string& path) {
  if (path.ends_with(".txt")) return ir::Print(module, {.locations = true});
  return Take(ir::SerializeModule(module));
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
  return {{"name", module.name()},
          {"functions", functions},
          {"variables", variables},
          {"metadata", metadata}};
}

}  // namespace reel::cli
