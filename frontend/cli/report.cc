#include "reel/report.h"

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "frontend/cli/cli.h"
#include "frontend/record/event_log.h"
#include "runtime/thread_pool.h"

namespace reel::cli {
namespace {

struct Options : Common {
  std::string file, out;
  std::vector<std::string> extents;
  int threads = 0;
  ReportOptions report;
};

void Run(Options* options, Program* program) {
  if (options->out.empty() && !options->json) Fail(kUsage, "report: name the page, -o FILE.html, or ask for --json");
  auto data = std::make_shared<internal::ModuleData>();
  data->module = ReadModule(options->file, options->budget);
  data->bound.resize(data->module.variables().size());
  for (const std::string& log : options->report.logs) ReadFile(log, options->budget);  // status 4 if it cannot be
  CompileOptions& compile = options->report.compile;
  if (!compile.schedules.empty()) ReadFile(compile.schedules, options->budget);
  compile.extents = ParseExtents(options->extents);
  compile.budget = options->budget;
  compile.budget.max_seconds = std::max(0.0, compile.budget.max_seconds - (ir::SteadySeconds() - options->start));
  if (options->threads > 0) runtime::SetNumThreads(options->threads);
  const Module module{std::shared_ptr<const internal::ModuleData>(std::move(data))};
  if (options->out.empty()) {
    program->out = ReportJson(module, options->report) + "\n";
    return;
  }
  const std::string page = ReportHtml(module, options->report);
  OutputFiles files;
  files.Add(options->out, page);
  files.Commit();
  const Json row = {{"kind", "report"}, {"file", options->out}, {"bytes", page.size()}};
  program->out = options->json ? JsonText(row) + "\n" : StrCat(options->out, "\n");
}

}  // namespace

void AddReport(Program* program) {
  auto options = std::make_shared<Options>();
  Command command =
      AddCommand(program, "report", "Show a module as one HTML page: graph, kernels, memory, times, curves",
                 "reel report mnist.reel -o report.html --log run.csv", options.get(),
                 [options, program] { Run(options.get(), program); });
  command.Add("file", &options->file, "A .reel or .reel.txt file").Required().TypeName("FILE");
  command.Add("-o,--output", &options->out, "FILE.html; without it, --json prints what the page shows")
      .TypeName("FILE");
  command.Flag("--no-run{false}", &options->report.run, "Do not run it, on random arguments, to time its kernels");
  command.Add("--log", &options->report.logs, "A CSV file with a column step, whose other columns become curves")
      .OneEach()
      .TypeName("FILE");
  command
      .Add("--sources", &options->report.sources,
           "Folder below which source lines that the module names may be quoted (default: none are)")
      .TypeName("FOLDER");
  command.Add("--extent", &options->extents, "NAME=NUMBER: the value of a symbolic extent, once for each")
      .OneEach()
      .TypeName("NAME=NUMBER");
  command.Add("--cpu", &options->report.compile.cpu, "What is compiled for, as in `reel compile`").ShowDefault();
  command.Add("--schedules", &options->report.compile.schedules, "A file that `reel tune` wrote").TypeName("FILE");
  command.Add("--threads", &options->threads, "Threads of a run (default: those of all that runs)").Range(1, 64);
  command.Add("-O,--opt-level", &options->report.compile.opt_level, "0: one scalar loop per op; 2: fused, vectorised")
      .OneOf({"0", "2"})
      .ShowDefault();
}

}  // namespace reel::cli
