#include "frontend/cli/cli.h"

#include <nlohmann/json.hpp>

#include "codegen/plan/text.h"
#include "codegen/program/phases.h"
#include "ir/text/printer.h"
#include "passes/pipeline.h"
#include "runtime/environment.h"

namespace reel::cli {
namespace {

struct Options : Common {
  std::string file, out, until;
  std::vector<std::string> entries, disable;
  int64_t limit = -1;
};

passes::PipelineOptions Pipeline(const Options& options) {
  const runtime::Environment& environment = runtime::GetEnvironment();
  passes::PipelineOptions pipeline;
  pipeline.context.entry_points = options.entries;
  pipeline.disable = options.disable.empty() ? environment.disable_passes : options.disable;
  pipeline.pass_limit = options.limit >= 0 ? options.limit : environment.pass_limit.value_or(-1);
  pipeline.dump_to = environment.dump_to;
  pipeline.dump_passes = environment.dump_passes;
  return pipeline;
}

// The plans of all functions after a phase.
std::string PlansAfter(const Options& options, const ir::Module& module) {
  const auto phases = codegen::PlanPhases();
  const auto is_it = [&options](const codegen::PlanPhase& p) { return p.name == options.until; };
  if (std::none_of(phases.begin(), phases.end(), is_it)) {
    std::string known;
    for (const codegen::PlanPhase& p : phases) StrAppend(&known, known.empty() ? "" : ", ", p.name);
    Fail(kUsage, StrCat("--until ", options.until, ": no phase has that name; there are ", known));
  }
  std::string out;
  codegen::PlanOptions plan;
  const ir::BudgetMeter meter = options.meter();
  plan.meter = &meter;
  plan.phases.disable = options.disable;
  plan.phases.after = [&](std::string_view phase, const ir::Function& f, const codegen::PlanGraph& plan) {
    if (phase == options.until) out += codegen::Print(f, plan);
  };
  Take(codegen::BuildProgram(module, Take(codegen::FindTarget("native")), plan));
  return out;
}

void Run(const Options& options, Program* program) {
  ir::Module module = ReadModule(options.file, options.budget);
  for (const std::string& name : options.entries) FindFunction(module, name);
  if (!options.until.empty()) {
    program->out = PlansAfter(options, module);
    return;
  }
  const ir::BudgetMeter meter = options.meter();
  passes::PipelineOptions pipeline = Pipeline(options);
  pipeline.context.meter = &meter;
  const auto reports = Take(passes::Optimize(&module, pipeline));
  if (!options.out.empty()) {
    OutputFiles files;
    files.Add(options.out, module);
    files.Commit();
  }
  if (!options.json && options.out.empty()) {
    program->out = ir::Print(module);
    return;
  }
  Json passes = Json::array();
  for (const passes::PassReport& r : reports) {
    passes.push_back({{"pass", r.name}, {"changed", r.changed}, {"seconds", r.seconds}});
    if (!options.json) {
      StrAppend(&program->out, r.name, r.changed ? ": changed the module\n" : ": nothing to do\n");
    }
  }
  if (!options.json) return;
  Json json = Describe(module);
  json["passes"] = std::move(passes);
  if (!options.out.empty()) json["file"] = options.out;
  program->out = JsonText(json, 2) + "\n";
}

}  // namespace

void AddOpt(Program* program) {
  auto options = std::make_shared<Options>();
  Command command = AddCommand(program, "opt", "Run the passes that come before compilation",
                               "reel opt mnist.reel --entry train -o mnist_opt.reel.txt", options.get(),
                               [options, program] { Run(*options, program); });
  command.Add("file", &options->file, "A .reel or .reel.txt file").Required().TypeName("FILE");
  command.Add("--entry", &options->entries, "Functions to keep, with what they call (default: all)")
      .Delimiter(',')
      .TypeName("NAMES");
  command.Add("--disable", &options->disable, "Passes to leave out").Delimiter(',').TypeName("NAMES");
  command.Add("--until", &options->until, "A phase of planning, such as plan.row_fusion: prints the plans after it")
      .TypeName("PHASE");
  command.Add("--pass-limit", &options->limit, "Stop after so many passes");
  command.Add("-o,--output", &options->out, "File to write; without it the text is printed").TypeName("FILE");
}

}  // namespace reel::cli
