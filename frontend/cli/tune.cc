#include "codegen/tune/tune.h"

#include <cmath>
#include <nlohmann/json.hpp>

#include "frontend/cli/cli.h"
#include "frontend/cli/engines.h"
#include "runtime/environment.h"
#include "runtime/thread_pool.h"

namespace reel::cli {
namespace {

struct Options : Common {
  std::string file, function, out, cpu = "native";
  std::vector<std::string> inputs;
  double seconds = 60;
  int threads = 0;
};

// The file's schedules, which the search begins with; empty if there is no such file, or it is standard output.
std::shared_ptr<const codegen::ScheduleBook> Known(const std::string& path) {
  if (path == kStandard) return nullptr;
  auto book = codegen::ReadScheduleBook(path);
  if (absl::IsNotFound(book.status())) return nullptr;
  return std::make_shared<codegen::ScheduleBook>(Take(std::move(book)));
}

Json ToJson(const codegen::TuneReport& report) {
  Json kernels = Json::array();
  for (const codegen::TunedKernel& k : report.kernels) {
    kernels.push_back({{"kernel", k.name},
                       {"seconds_before", k.seconds_before},
                       {"seconds", k.seconds_after},
                       {"tried", k.tries.size() - 1},
                       {"rank_correlation", k.rank_correlation ? Json(*k.rank_correlation) : Json()},
                       {"schedule_before", k.before},
                       {"schedule", k.after.empty() ? k.before : k.after}});
  }
  return {{"seconds_before", report.seconds_before},
          {"seconds", report.seconds_after},
          {"compiled", report.compiled},
          {"complete", report.complete},
          {"rank_correlation", report.rank_correlation},
          {"ranked", report.ranked},
          {"regret", report.regret},
          {"kernels", std::move(kernels)}};
}

void Run(const Options& options, Program* program) {
  const ir::Module module = ReadModule(options.file, options.budget);
  const ir::Function& function = FindFunction(module, options.function);
  for (int i = 0; i < function.num_arguments(); ++i) {
    if (function.parameter(i).type.shape.is_constant()) continue;
    Fail(kInvalid, "tune: the module has open extents; make one with the numbers to tune for");
  }
  std::vector<ir::Literal> inputs;
  if (!options.inputs.empty()) inputs = ReadInputs(options.inputs, options.budget, module, function);
  if (options.threads > 0) runtime::SetNumThreads(options.threads);
  codegen::CompilerOptions compiler;
  compiler.cpu = options.cpu;
  compiler.budget = options.budget;
  compiler.schedules = Known(options.out);
  codegen::TuneOptions tune{.seconds = options.seconds, .entry = function.name()};
  for (const ir::Literal& input : inputs) tune.arguments.push_back(input.bytes().data());
  if (!options.json) tune.log = [](const std::string& line) { std::fprintf(stderr, "%s\n", line.c_str()); };
  const codegen::TuneReport report = Take(codegen::Tune(module, compiler, tune));
  OutputFiles files;
  files.Add(options.out, report.book.Print());
  files.Commit();
  program->out = options.json ? JsonText(ToJson(report), 2) + "\n" : codegen::ToString(report);
}

}  // namespace

void AddTune(Program* program) {
  auto options = std::make_shared<Options>();
  Command command = AddCommand(program, "tune", "Search faster schedules for a module on this machine",
                               "reel tune mnist.reel --function train -o mnist.schedules --seconds 60", options.get(),
                               [options, program] { Run(*options, program); });
  command.Add("file", &options->file, "A .reel or .reel.txt file").Required().TypeName("FILE");
  command.Add("-o,--output", &options->out, "The file of schedules: what it has is kept and made better")
      .Required()
      .TypeName("FILE");
  command.Add("--function", &options->function, "Function to time (default: main)").TypeName("NAME");
  command.Add("--input", &options->inputs, "NAME=FILE.npy, once per argument (default: random floats, integers 0)")
      .OneEach()
      .TypeName("NAME=FILE");
  command.Add("--seconds", &options->seconds, "How long to search").Range(0.1, 86400.0).ShowDefault();
  command.Add("--threads", &options->threads, "Threads of a step (default: those of the machine)").Range(1, 64);
  command.Add("--cpu", &options->cpu, "As of `reel compile`; code of it must run here").TypeName("CPU").ShowDefault();
}

}  // namespace reel::cli
