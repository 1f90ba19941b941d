#include <sched.h>
#include <sys/wait.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cerrno>
#include <cstdio>

#include "codegen/target/file.h"
#include "frontend/cli/bench/measure.h"
#include "frontend/cli/bench/scaling.h"
#include "frontend/cli/bench/workloads.h"
#include "frontend/cli/cli.h"
#include "ir/file/folder.h"
#include "runtime/thread_pool.h"

namespace reel::cli {
namespace {

struct Options : Common {
  std::vector<std::string> workloads = {"all"};
  MeasureOptions measure;
  bool calibrate = false;
  int cores = 0;  ///< above 0: only plans are looked at, for so many
  std::string target_file;
};

// This process and its children use the first `threads` of their cores only, as the peers do.
void Pin(int threads) {
  cpu_set_t all, some;
  CPU_ZERO(&some);
  if (::sched_getaffinity(0, sizeof all, &all) != 0) return;
  for (int cpu = 0; cpu < CPU_SETSIZE && CPU_COUNT(&some) < threads; ++cpu) {
    if (CPU_ISSET(cpu, &all)) CPU_SET(cpu, &some);
  }
  ::sched_setaffinity(0, sizeof some, &some);
}

std::string Line(const Json& row) {
  char line[240];
  const double median = row["median_s"], limit = row["limit_s"], compile = row["compile_s"];
  std::snprintf(line, sizeof line,
                "%-18s %10.1f us  limit %10.1f us  (%.2f of it)  compiled in %.0f ms  "
                "%d kernels  arena %.1f MB  peak %d MB\n",
                row["workload"].get<std::string>().c_str(), median * 1e6, limit * 1e6, median / limit, compile * 1e3,
                row["kernels"].get<int>(), 1e-6 * row["arena_bytes"].get<double>(), row["rss_mb"].get<int>());
  return line;
}

// Limits of this machine, for 1, ..., n threads: nothing is compiled.
void Calibrate(const Options& options) {
  std::vector<int> threads;
  for (int t = 1; t <= options.measure.threads; ++t) threads.push_back(t);
  const std::vector<Machine> machines = MeasureMachine(threads);
  if (!options.target_file.empty()) {
    if (options.target_file != kStandard && !options.target_file.ends_with(codegen::kTargetSuffix)) {
      Fail(kUsage,
           StrCat("--write ", options.target_file, ": the name of a target file ends in ", codegen::kTargetSuffix));
    }
    OutputFiles files;
    files.Add(options.target_file, TargetFile(machines[0], std::string(ir::FileName(options.target_file))));
    files.Commit();
  }
  Say(options.json ? JsonText(MachineJson(machines), 1) + "\n" : MachineTable(machines));
}

// Plans of one workload after the other: nothing is timed.
void PrintScaling(const std::vector<std::string>& names, const Options& options) {
  for (const std::string& name : names) {
    const Json row = ScalingOf(name, options.cores);
    Say(options.json ? JsonText(row) + "\n" : ScalingText(row));
  }
}

// One workload in a process of its own: its memory is its own, and it compiles as a new user's
// would. Prints its line, or why there is none.
ExitStatus RunOne(const std::string& name, const Options& options, const Machine& machine) {
  const pid_t child = ::fork();
  if (child < 0) Fail(kIo, "cannot start a process");
  if (child == 0) {
    int status = kOk;
    try {
      const auto [row, profile] = MeasureWorkload(name, options.measure, machine);
      Say(options.json ? JsonText(row) + "\n" : Line(row) + profile);
    } catch (const std::exception& error) {
      const auto* failure = dynamic_cast<const Failure*>(&error);
      status = failure ? failure->status() : kInvalid;
      std::fprintf(stderr, "reel: %s\n", Printable(StrCat(name, ": ", error.what()), 4000).c_str());
    }
    ::_exit(status);
  }
  int status = 0;
  while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
  }
  if (WIFEXITED(status)) return static_cast<ExitStatus>(WEXITSTATUS(status));
  std::fprintf(stderr, "reel: %s: ended by signal %d\n", name.c_str(), WTERMSIG(status));
  return kInvalid;
}

void Run(const Options& options) {
  const std::vector<std::string> names = ExpandWorkloads(options.workloads);
  if (!options.measure.profile.file.empty() && names.size() != 1)
    Fail(kUsage, "--profile=FILE.json: a trace is of one workload; name it");
  if (options.cores > 0) return PrintScaling(names, options);
  Pin(options.measure.threads);
  runtime::SetNumThreads(options.measure.threads);
  if (options.calibrate) return Calibrate(options);
  if (!options.target_file.empty()) Fail(kUsage, "--write goes with --calibrate, which measures what it writes");
  const Machine machine = MeasureMachine({options.measure.threads})[0];
  ExitStatus status = kOk;
  std::string missing;
  for (const std::string& name : names) {
    const ExitStatus one = RunOne(name, options, machine);
    if (one == kOk) continue;
    if (status == kOk) status = one;
    StrAppend(&missing, missing.empty() ? "" : ", ", name);
  }
  if (status != kOk) Fail(status, StrCat("not measured: ", missing));
}

}  // namespace

void AddBench(Program* program) {
  auto options = std::make_shared<Options>();
  Command command =
      AddCommand(program, "bench", "Time compiled steps beside what the machine allows",
                 "reel bench mlp_small ew_chain --threads 1 --json", options.get(), [options] { Run(*options); });
  command
      .Add("workloads", &options->workloads,
           StrCat("Workloads or groups of them (default: all): ", DescribeWorkloads()))
      .TypeName("NAME");
  command.Add("--data", &options->measure.data, "Folder written by tests/bench/peers/workloads.py export")
      .TypeName("FOLDER");
  command.Add("--threads", &options->measure.threads, "Threads of a step").Range(1, 64).ShowDefault();
  command
      .Add("--cores", &options->cores,
           "Time nothing: what so many cores would gain by the chunks of the plan, and which kernels have fewer")
      .Range(1, 1024);
  command.Flag("--calibrate", &options->calibrate,
               "Only measure the machine, with 1 to --threads threads; --json gives machine.json "
               "of tests/bench/peers");
  command.Add("--cap", &options->measure.cap, "Seconds of sampling per workload").Range(0.01, 60.0).ShowDefault();
  command
      .Add("--write", &options->target_file,
           "With --calibrate: FILE.target, caches and rates of this machine for --cpu and --target-file")
      .TypeName("FILE");
  command
      .Add("--tune", &options->measure.tune, "Seconds to search faster schedules for each workload, before it is timed")
      .Range(0.0, 3600.0);
  AddProfileOption(&command, &options->measure.profile);
}

}  // namespace reel::cli
