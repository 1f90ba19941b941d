#include "frontend/cli/bench/scaling.h"

#include <algorithm>
#include <cstdio>
#include <map>
#include <nlohmann/json.hpp>

#include "codegen/cost/estimate.h"
#include "codegen/program/program.h"
#include "codegen/target/cores.h"
#include "frontend/cli/bench/workloads.h"
#include "frontend/record/event_log.h"

namespace reel::cli {
namespace {

constexpr double kWorthNaming = 0.01;  // of the time on all cores
constexpr double kShared = 0.9;        // of what so many cores could gain: less is named

class Scaling {
 public:
  Scaling(const codegen::Program& program, const codegen::Target& target, int cores)
      : program_(program), target_(target), cores_(cores) {}

  void Add(const std::vector<codegen::Step>& steps) { Add(steps, 1, {}); }

  Json Row(const std::string& name) const {
    Json few = Json::array();
    for (const auto& [kernel, use] : uses_) {
      if (use.Gain(cores_) > kShared * static_cast<double>(cores_) || use.on_cores < kWorthNaming * on_cores_) continue;
      few.push_back({{"kernel", StrCat("#", kernel, " ", program_.kernels[static_cast<size_t>(kernel)].name)},
                     {"chunks", use.chunks},
                     {"share", use.on_cores / on_cores_},
                     {"why", use.why}});
    }
    return {{"workload", name},      {"cores", cores_},      {"cycles", cycles_}, {"gain", cycles_ / on_cores_},
            {"barriers", barriers_}, {"few", std::move(few)}};
  }

 private:
  // What kernels stand in: how many of its parts may run at once, 0 if each kernel has its own chunks.
  struct Around {
    int64_t lanes = 0;
    std::string why;
  };
  struct Use {
    int64_t chunks = 1;
    double on_cores = 0;
    std::string why;

    double Gain(int64_t cores) const {
      return static_cast<double>(chunks) / static_cast<double>((chunks + cores - 1) / cores);
    }
  };

  void Add(const std::vector<codegen::Step>& steps, double times, const Around& around) {
    using Control = codegen::Step::Control;
    for (const codegen::Step& s : steps) {
      Around inner = around;
      if (s.control == Control::kChain) inner = {s.lanes, StrCat("in a chain of ", s.lanes, " lanes")};
      if (s.control == Control::kBeside) {
        AddBeside(s, times);
        continue;
      }
      if (s.in_line) inner = {1, "in a loop whose kernels are one function"};
      if (s.control == Control::kChain && s.lanes > 1) barriers_ += times;
      const bool bounded = s.control == Control::kWhile && s.maximum_iterations > 0;
      const double often = bounded ? times * static_cast<double>(s.maximum_iterations) : times;
      Add(s.first, often, inner);
      Add(s.second, often, inner);
      if (s.kernel >= 0) AddKernel(s.kernel, times, around);
    }
  }

  void AddKernel(int32_t kernel, double times, const Around& around) {
    const codegen::KernelCycles one = codegen::EstimateKernel(program_.kernels[static_cast<size_t>(kernel)], target_);
    const int64_t chunks = around.lanes > 0 ? around.lanes : one.chunks;
    const double cycles = times * one.work;
    Use& use = uses_[kernel];
    use.chunks = chunks;
    use.why = around.lanes > 0 ? around.why : Why(one);
    const double on_cores = cycles / use.Gain(cores_);
    use.on_cores += on_cores;
    cycles_ += cycles;
    on_cores_ += on_cores;
    if (around.lanes == 0 && chunks > 1) barriers_ += times;
  }

  // Runs are handed out in their order to the core that is free first.
  void AddBeside(const codegen::Step& s, double times) {
    std::vector<double> runs(static_cast<size_t>(s.lanes)), cores(static_cast<size_t>(cores_));
    double all = 0;
    for (const codegen::Step& part : s.first) {
      const codegen::KernelCycles one =
          codegen::EstimateKernel(program_.kernels[static_cast<size_t>(part.kernel)], target_);
      const double cycles = one.work * static_cast<double>(part.chunks) / static_cast<double>(one.chunks);
      runs[static_cast<size_t>(part.lanes)] += cycles;
      all += cycles;
    }
    for (const double run : runs) *std::min_element(cores.begin(), cores.end()) += run;
    cycles_ += times * all;
    on_cores_ += times * *std::max_element(cores.begin(), cores.end());
    barriers_ += times;
  }

  std::string Why(const codegen::KernelCycles& kernel) const {
    const int64_t worth = target_.tuning.chunk_cycles;
    const double each = kernel.work / static_cast<double>(kernel.chunks);
    if (each < 2 * static_cast<double>(worth))
      return StrCat("small: ", static_cast<int64_t>(each), " cycles a chunk, ", worth, " are worth one");
    return kernel.chunks == 1 ? "its sums or steps follow each other" : "its outer loops have no more";
  }

  const codegen::Program& program_;
  const codegen::Target& target_;
  const int64_t cores_;
  double cycles_ = 0, on_cores_ = 0, barriers_ = 0;
  std::map<int32_t, Use> uses_;  // by kernel
};

}  // namespace

Json ScalingOf(const std::string& name, int cores) {
  const Workload workload = MakeWorkload(name, "");
  if (workload.eager) return {{"workload", name}, {"cores", cores}, {"why", "eager ops are not planned"}};
  std::vector<Spec> specs;
  for (const Tensor& x : workload.inputs) specs.emplace_back(x);
  const Function step = Trace(
      [&](std::span<const Tensor> in) { return workload.step(std::vector<Tensor>(in.begin(), in.end())); }, specs);
  codegen::Target target = Take(codegen::FindTarget("native"));
  target.tuning = codegen::ForCores(target.tuning, cores);
  const codegen::Program program = Take(codegen::BuildProgram(step.internal_data()->module, target, {}));
  Scaling scaling(program, target, cores);
  for (const codegen::EntryPoint& entry : program.entries) scaling.Add(entry.steps);
  return scaling.Row(name);
}

std::string ScalingText(const Json& row) {
  const std::string name = row["workload"];
  if (row.contains("why")) return StrCat(name, ": ", row["why"].get<std::string>(), "\n");
  char line[200];
  std::snprintf(line, sizeof line, "%-18s %12.0f cycles on one core, %6.1f times as fast on %d, %.0f barriers\n",
                name.c_str(), row["cycles"].get<double>(), row["gain"].get<double>(), row["cores"].get<int>(),
                row["barriers"].get<double>());
  std::string out = line;
  for (const Json& few : row["few"]) {
    std::snprintf(line, sizeof line, "  %5.1f %%  %3d chunks  ", 100 * few["share"].get<double>(),
                  few["chunks"].get<int>());
    StrAppend(&out, line, few["kernel"].get<std::string>(), ": ", few["why"].get<std::string>(), "\n");
  }
  return out;
}

}  // namespace reel::cli
