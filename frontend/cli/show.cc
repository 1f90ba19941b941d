#include "frontend/cli/cli.h"
#include "frontend/cli/summary.h"

#include <nlohmann/json.hpp>

#include "frontend/record/event_log.h"
#include "ir/text/printer.h"

namespace reel::cli {
namespace {

struct Options : Common {
  std::string file, function;
  bool full = false, locations = false, dot = false, summary = false;
  std::vector<std::string> extents;
};

void Run(const Options& options, Program* program) {
  const ir::Module module = ReadModule(options.file, options.budget);
  const bool one = !options.function.empty();
  if (options.summary) {
    const Json summary = Summarise(module, ParseExtents(options.extents), options);
    program->out = options.json ? JsonText(summary, 2) + "\n" : SummaryText(summary);
    return;
  }
  if (options.json) {
    const Json json = one ? Describe(module, FindFunction(module, options.function)) : Describe(module);
    program->out = JsonText(json, 2) + "\n";
    return;
  }
  if (options.dot) {
    std::vector<const ir::Function*> functions;
    for (const auto& f : module.functions()) functions.push_back(f.get());
    if (one) functions = {&FindFunction(module, options.function)};
    program->out = internal::DotOf(functions);
    return;
  }
  const ir::PrintOptions print{.elide_large_constants = !options.full, .locations = options.locations};
  program->out = one ? ir::Print(FindFunction(module, options.function), print, &module) : ir::Print(module, print);
}

}  // namespace

void AddShow(Program* program) {
  auto options = std::make_shared<Options>();
  Command command =
      AddCommand(program, "show", "Print a module or one function as text", "reel show mnist.reel --function train",
                 options.get(), [options, program] { Run(*options, program); });
  command.Add("file", &options->file, "A .reel or .reel.txt file").Required().TypeName("FILE");
  command.Add("--function", &options->function, "Only this function").TypeName("NAME");
  command.Flag("--full", &options->full, "Print large constants in full, so that the text loads again");
  command.Flag("--locations", &options->locations, "Print source lines");
  command.Flag("--summary", &options->summary, "Print parameters, operations, bytes and memory instead");
  command.Add("--extent", &options->extents, "Of --summary: NAME=NUMBER, the value of a symbolic extent")
      .OneEach()
      .TypeName("NAME=INT");
  command.Flag("--dot", &options->dot, "Print the graphs as Graphviz source");
}

}  // namespace reel::cli
