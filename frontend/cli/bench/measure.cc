#include "frontend/cli/bench/measure.h"

#include <nlohmann/json.hpp>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <string>

#include "frontend/cli/bench/workloads.h"

namespace reel::cli {
namespace {

double SquaredNorm(const Tensor& x) {
  double sum = 0;
  const Tensor wide = Cast(x, kFloat64);
  for (const double v : wide.data<double>()) sum += v * v;
  return sum;
}
double Norm(const Tensor& x) { return std::sqrt(SquaredNorm(x)); }

// A workload compiled, or called as it is, with the tensors its results go to.
struct Runner {
  Runner(const Workload& workload_, double tune);
  void Step() {
    if (workload.eager)
      outputs[0] = workload.eager(workload.inputs);
    else
      executable.Run("main", workload.inputs, outputs);
  }

  const Workload& workload;
  double compile_s = 0, first_call_s = 0;
  Function function;
  Executable executable;
  std::vector<Tensor> outputs;
};

Runner::Runner(const Workload& workload_, double tune) : workload(workload_) {
  const double start = Now();
  if (!workload.eager) {
    std::vector<Spec> specs;
    for (const Tensor& x : workload.inputs) specs.emplace_back(x);
    function = Trace(
        [&](std::span<const Tensor> in) { return workload.step(std::vector<Tensor>(in.begin(), in.end())); }, specs);
    const double compile = Now();
    executable = Compile(function, {.tune = tune});
    compile_s = Now() - compile;
    outputs = executable("main", workload.inputs).tensors();
  } else {
    outputs = {workload.eager(workload.inputs)};
  }
  first_call_s = Now() - start;
}

// Results of the first step in the form of the workload's kind; makes four more steps if it has a
// state.
std::vector<double> Values(Runner* runner) {
  using Kind = Workload::Kind;
  const Kind kind = runner->workload.kind;
  const std::vector<Tensor>& outputs = runner->outputs;
  std::vector<double> values;
  for (size_t i = 0; i < outputs.size(); ++i)
    values.push_back(i == 0 && kind != Kind::kOp ? outputs[0].item<double>() : Norm(outputs[i]));
  for (int i = 0; (kind == Kind::kTrain || kind == Kind::kUpdate) && i < 4; ++i) {
    runner->Step();
    if (kind == Kind::kTrain) values.push_back(outputs[0].item<double>());
  }
  if (kind != Kind::kUpdate) return values;
  double sum = 0;
  for (const Variable& v : runner->workload.variables) sum += SquaredNorm(runner->executable.variable(v.name()));
  return {std::sqrt(sum)};
}

// Seconds of a step, many times: each sample is as many steps as take two milliseconds.
std::vector<double> Sample(Runner* runner, double cap) {
  const auto time = [&](int64_t steps) {
    const double start = Now();
    for (int64_t i = 0; i < steps; ++i) runner->Step();
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
  while (samples.size() < count && (samples.size() < 5 || Now() - start < 6 * cap)) samples.push_back(time(inner));
  std::sort(samples.begin(), samples.end());
  return samples;
}

// Megabytes of this process in memory now (VmRSS), or at most so far (VmHWM).
double ResidentMb(const std::string& field) {
  std::ifstream status("/proc/self/status");
  for (std::string line; std::getline(status, line);) {
    if (line.starts_with(field + ":")) return std::strtod(line.c_str() + field.size() + 1, nullptr) * 1024e-6;
  }
  return 0;
}

// Steps of the same function with timed kernels: a few for the trace, then as many as fit into `cap` seconds.
Executable ProfiledSteps(const Runner& runner, const MeasureOptions& options) {
  Executable timed = Compile(runner.function, {.profile = true});
  std::vector<Tensor> outputs = timed("main", runner.workload.inputs).tensors();
  const auto step = [&] { timed.Run("main", runner.workload.inputs, outputs); };
  step();
  timed.ResetProfile();
  if (!options.profile.file.empty()) {
    for (int i = 0; i < 10; ++i) step();
    OutputFiles files;
    files.Add(options.profile.file, timed.Trace());
    files.Commit();
    timed.ResetProfile();
  }
  const double start = Now();
  for (int i = 0; i < 3 || Now() - start < options.cap; ++i) step();
  return timed;
}

}  // namespace

Measured MeasureWorkload(const std::string& name, const MeasureOptions& options, const Machine& machine) {
  const double rest_mb = ResidentMb("VmRSS");
  const Workload workload = MakeWorkload(name, options.data);
  std::ofstream("/proc/self/clear_refs") << 5;  // the peak begins anew: not that of reading the inputs
  Runner runner(workload, options.tune);
  const std::vector<double> values = Values(&runner);
  const std::vector<double> samples = Sample(&runner, options.cap);
  const ProgramSize size = workload.eager ? ProgramSize() : runner.executable.size();
  Measured measured;
  measured.row = {{"peer", "reel"},
                  {"workload", name},
                  {"mode", workload.eager ? "eager" : "jit"},
                  {"threads", options.threads},
                  {"median_s", samples[samples.size() / 2]},
                  {"best_s", samples.front()},
                  {"limit_s", LimitSeconds(machine, workload)},
                  {"compile_s", runner.compile_s},
                  {"first_call_s", runner.first_call_s},
                  {"values", values},
                  {"rss_mb", std::lround(ResidentMb("VmHWM"))},
                  {"rest_mb", std::lround(rest_mb)},
                  {"kernels", size.kernels},
                  {"instance_bytes", size.instance_bytes},
                  {"arena_bytes", size.arena_bytes},
                  {"live_bytes", size.live_bytes},
                  {"inputs", workload.given ? "given" : "own"}};
  if (!options.profile.on) return measured;
  if (workload.eager) {
    measured.profile = "  no profile: eager kernels, compiled when Reel was built, are not timed\n";
    return measured;
  }
  const ExecutionProfile profile = ProfiledSteps(runner, options).Profile();
  measured.row["profile"] = ProfileJson(profile, machine);
  measured.profile = ProfileText(profile, machine);
  return measured;
}

}  // namespace reel::cli
