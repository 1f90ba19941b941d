#include <sched.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>

#include "frontend/cli/bench/machine.h"
#include "frontend/cli/bench/workloads.h"
#include "frontend/cli/cli.h"
#include "runtime/thread_pool.h"

namespace reel::cli {
namespace {

struct Options : Common {
  std::vector<std::string> workloads;
  std::string data;
  int threads = 1;
  double cap = 0.5;
};

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

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

double Norm(const Tensor& x) {
  double sum = 0;
  for (const float v : x.data<float>()) sum += static_cast<double>(v) * static_cast<double>(v);
  return std::sqrt(sum);
}

// A workload compiled, with the tensors its results go to.
struct Compiled {
  Executable executable;
  std::vector<Tensor> inputs, outputs;
  void Step() { executable.Run("main", inputs, outputs); }
};

// Results of one step in the form of the workload's kind; makes four more steps if it trains.
std::vector<double> Values(const Workload& workload, Compiled* compiled) {
  std::vector<double> values;
  const std::vector<Tensor>& outputs = compiled->outputs;
  if (workload.kind != Workload::Kind::kOp) values.push_back(outputs[0].item<double>());
  if (workload.kind == Workload::Kind::kOp) values.push_back(Norm(outputs[0]));
  for (size_t i = 1; i < outputs.size(); ++i) values.push_back(Norm(outputs[i]));
  for (int i = 0; workload.kind == Workload::Kind::kTrain && i < 4; ++i) {
    compiled->Step();
    values.push_back(outputs[0].item<double>());
  }
  return values;
}

// Seconds of a step, many times: each sample is as many steps as take two milliseconds.
std::vector<double> Sample(Compiled* compiled, double cap) {
  const auto time = [&](int64_t steps) {
    const double start = Now();
    for (int64_t i = 0; i < steps; ++i) compiled->Step();
    return (Now() - start) / static_cast<double>(steps);
  };
  constexpr double kSample = 0.002;
  int64_t inner = std::max<int64_t>(1, static_cast<int64_t>(kSample / time(2)));
  if (inner > 1) inner = std::max<int64_t>(1, static_cast<int64_t>(kSample / time(inner)));
  const double one = time(inner);
  const double wanted = cap / (one * static_cast<double>(inner));
  const auto count = static_cast<size_t>(std::clamp(wanted, one < 0.5 ? 15.0 : 5.0, 300.0));
  std::vector<double> samples;
  const double start = Now();
  while (samples.size() < count && (samples.size() < 5 || Now() - start < 6 * cap))
    samples.push_back(time(inner));
  std::sort(samples.begin(), samples.end());
  return samples;
}

Json Measure(const std::string& name, const Options& options, const Machine& machine) {
  const Workload workload = MakeWorkload(name, options.data);
  const double start = Now();
  std::vector<Spec> specs;
  for (const Tensor& x : workload.inputs) specs.emplace_back(x);
  const Function function = Trace(
      [&](std::span<const Tensor> in) {
        return workload.step(std::vector<Tensor>(in.begin(), in.end()));
      },
      specs);
  const double compile = Now();
  Compiled compiled{Compile(function), workload.inputs, {}};
  const double compile_s = Now() - compile;
  compiled.outputs = compiled.executable("main", workload.inputs).tensors();
  const double first_call_s = Now() - start;
  const std::vector<double> values = Values(workload, &compiled);
  const std::vector<double> samples = Sample(&compiled, options.cap);
  rusage usage;
  ::getrusage(RUSAGE_SELF, &usage);
  return {{"peer", "reel"},
          {"workload", name},
          {"mode", "jit"},
          {"threads", options.threads},
          {"median_s", samples[samples.size() / 2]},
          {"best_s", samples.front()},
          {"limit_s", machine.LimitSeconds(workload.flops, workload.bytes)},
          {"compile_s", compile_s},
          {"first_call_s", first_call_s},
          {"values", values},
          {"rss_mb", usage.ru_maxrss / 1024},
          {"inputs", workload.given ? "given" : "own"}};
}

std::string Line(const Json& row) {
  char line[200];
  const double median = row["median_s"], limit = row["limit_s"], compile = row["compile_s"];
  std::snprintf(line, sizeof line,
                "%-16s %10.1f us  limit %10.1f us  (%.2f of it)  compiled in %.0f ms\n",
                row["workload"].get<std::string>().c_str(), median * 1e6, limit * 1e6,
                median / limit, compile * 1e3);
  return line;
}

// Every workload has a process of its own: its memory is its own, and it compiles as a new user's
// would.
void Run(const Options& options) {
  const std::vector<std::string> names = ExpandWorkloads(
      options.workloads.empty()
          ? std::vector<std::string>{"mlp_small", "mlp_mnist", "mlp_mnist_adam", "ew_chain"}
          : options.workloads);
  Pin(options.threads);
  runtime::SetNumThreads(options.threads);
  const Machine machine = MeasureMachine(options.threads);
  for (const std::string& name : names) {
    const pid_t child = ::fork();
    if (child < 0) Fail(kIo, "cannot start a process");
    if (child == 0) {
      int status = kOk;
      try {
        const Json row = Measure(name, options, machine);
        std::fputs((options.json ? row.dump() + "\n" : Line(row)).c_str(), stdout);
        status = std::fflush(stdout) == 0 ? kOk : kIo;
      } catch (const std::exception& error) {
        const auto* failure = dynamic_cast<const Failure*>(&error);
        status = failure ? failure->status() : kInvalid;
        std::fprintf(stderr, "reel: %s\n",
                     Printable(StrCat(name, ": ", error.what()), 4000).c_str());
      }
      ::_exit(status);
    }
    int status = 0;
    while (::waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    if (!WIFEXITED(status)) Fail(kInvalid, StrCat(name, ": ended by signal ", WTERMSIG(status)));
    if (WEXITSTATUS(status) != kOk) {
      Fail(static_cast<ExitStatus>(WEXITSTATUS(status)), StrCat(name, " was not measured"));
    }
  }
}

}  // namespace

void AddBench(Program* program) {
  auto options = std::make_shared<Options>();
  CLI::App* command =
      AddCommand(program, "bench", "Time compiled steps beside what the machine allows",
                 "reel bench mlp_small ew_chain --threads 1 --json", options.get(),
                 [options] { Run(*options); });
  command->add_option("workloads", options->workloads,
                      "mlp_small, mlp_mnist, mlp_mnist_adam, ew_chain (default: all)");
  command->add_option("--data", options->data,
                      "Folder written by tests/bench/peers/workloads.py export");
  command->add_option("--threads", options->threads, "Threads of a step")
      ->check(CLI::Range(1, 64))
      ->capture_default_str();
  command->add_option("--cap", options->cap, "Seconds of sampling per workload")
      ->check(CLI::Range(0.01, 60.0))
      ->capture_default_str();
}

}  // namespace reel::cli
