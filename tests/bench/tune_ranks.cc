// How well EstimateCycles orders the schedules of the bench's kernels, by hand: build/tests/tune_ranks
//   --record FILE SECONDS WORKLOAD...   searches each workload on one thread, and adds what was timed to FILE
//   --sample FILE SCHEDULES WORKLOAD... times so many schedules of each kernel, from all that are legal, not from those
//                                       that seem fast, and adds them to FILE
//   FILE [KIND]                         estimates what FILE has again, and prints a line a kernel (of KIND: each
//                                       schedule) and a table of kinds: a model changes without another measurement
//   --phases WORKLOAD...                what a step is estimated to take without a phase of planning, by what it takes
//                                       with all: beside REEL_DISABLE_PASSES=PHASE reel bench WORKLOAD
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <map>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_format.h"
#include "codegen/cost/estimate.h"
#include "codegen/program/phases.h"
#include "codegen/program/program.h"
#include "codegen/target/target.h"
#include "codegen/tune/ranks.h"
#include "codegen/tune/tune.h"
#include "frontend/cli/bench/workloads.h"
#include "frontend/record/event_log.h"
#include "runtime/thread_pool.h"
#include "tests/bench/schedule_sample.h"

namespace {

using namespace reel;
using codegen::TunedKernel;

ir::Module ModuleOf(const std::string& workload) {
  const cli::Workload w = cli::MakeWorkload(workload, "");
  std::vector<Spec> specs;
  for (const Tensor& x : w.inputs) specs.emplace_back(x);
  const Function f =
      Trace([&](std::span<const Tensor> in) { return w.step(std::vector<Tensor>(in.begin(), in.end())); }, specs);
  return Module::Lift({{"main", f}}).internal_data()->module;
}

template <typename T>
T Take(absl::StatusOr<T> value) {
  if (!value.ok()) throw std::runtime_error(std::string(value.status().message()));
  return *std::move(value);
}

/// A line for each workload and kernel, then one for each of its schedules.
void Write(const std::string& file, const std::string& workload, const std::vector<TunedKernel>& kernels) {
  std::ofstream out(file, std::ios::app);
  out.precision(9);
  out << "workload " << workload << "\n";
  for (const TunedKernel& k : kernels) {
    out << "kernel " << k.problem << " " << k.name << " " << k.noise << " " << k.seconds_after << "\n";
    for (const TunedKernel::Try& t : k.tries) out << "try " << t.seconds << " " << t.schedule << "\n";
  }
}

void Record(const std::string& file, double seconds, const std::string& workload) {
  const codegen::TuneReport report = Take(codegen::Tune(ModuleOf(workload), {}, {.seconds = seconds}));
  Write(file, workload, report.kernels);
  std::printf("%s%s", (workload + "\n").c_str(), codegen::ToString(report).c_str());
}

void Sample(const std::string& file, double schedules, const std::string& workload) {
  codegen::SampleOptions options;
  options.schedules = static_cast<int>(schedules);
  const std::vector<TunedKernel> kernels = Take(codegen::SampleSchedules(ModuleOf(workload), options));
  Write(file, workload, kernels);
  std::printf("%s: %zu kernels\n", workload.c_str(), kernels.size());
}

using Recorded = std::map<std::string, std::vector<TunedKernel>>;  // by workload

Recorded Read(const std::string& file) {
  Recorded out;
  std::vector<TunedKernel>* kernels = nullptr;
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    std::istringstream words(line);
    std::string word, workload;
    words >> word;
    if (word == "workload" && words >> workload) {
      kernels = &out[workload];
      kernels->clear();
    } else if (word == "kernel" && kernels != nullptr) {
      TunedKernel& k = kernels->emplace_back();
      words >> k.problem >> k.name >> k.noise >> k.seconds_after;
    } else if (word == "try" && kernels != nullptr && !kernels->empty()) {
      TunedKernel::Try& t = kernels->back().tries.emplace_back();
      words >> t.seconds >> std::ws;
      std::getline(words, t.schedule);
    }
  }
  return out;
}

/// The i-th schedule of each kernel in one plan, for as many plans as the most schedules.
void Estimate(const std::string& workload, std::vector<TunedKernel>* kernels) {
  const ir::Module module = ModuleOf(workload);
  const codegen::Target target = Take(codegen::FindTarget("native"));
  size_t most = 0;
  for (const TunedKernel& k : *kernels) most = std::max(most, k.tries.size());
  for (size_t i = 0; i < most; ++i) {
    codegen::ScheduleBook book;
    std::map<std::string, TunedKernel*> asked;  // by problem
    for (TunedKernel& k : *kernels) {
      if (i >= k.tries.size()) continue;
      book.Set(target.name, k.problem, Take(codegen::ParseWish(k.tries[i].schedule)));
      asked[k.problem] = &k;
    }
    codegen::PlanOptions plan = codegen::PlanFor({}, nullptr);
    plan.profile = true;
    plan.schedules = &book;
    const codegen::Program program = Take(codegen::BuildProgram(module, target, plan));
    for (const codegen::Kernel& kernel : program.kernels) {
      const auto it = asked.find(kernel.problem);
      if (it == asked.end()) continue;
      if (kernel.schedule == it->second->tries[i].schedule) {
        it->second->tries[i].cycles = codegen::EstimateCycles(kernel, target, 1);
      }
    }
  }
  for (TunedKernel& k : *kernels) {  // of an older commit's schedules
    std::erase_if(k.tries, [](const TunedKernel::Try& t) { return t.cycles == 0; });
  }
}

/// A mean that counts by weight, of what there is.
struct Mean {
  double sum = 0, weights = 0;
  void Add(double weight, std::optional<double> x) {
    if (x) sum += weight * *x, weights += weight;
  }
  double get() const { return weights > 0 ? sum / weights : 0; }
};

std::optional<double> PairsOf(const TunedKernel& k) {
  constexpr double kLeastNoise = 0.03;
  std::vector<double> estimated, measured;
  for (const TunedKernel::Try& t : k.tries) {
    estimated.push_back(t.cycles);
    measured.push_back(t.seconds);
  }
  return codegen::PairCorrelation(estimated, measured, std::max(kLeastNoise, k.noise));
}

std::string Text(std::optional<double> x) { return x ? absl::StrFormat("%5.2f", *x) : "    -"; }

/// A kernel, and each of its schedules if that is asked for, the fastest first.
std::string Lines(TunedKernel k, bool schedules) {
  std::string out = absl::StrFormat("  %9.2f us %5.3fx %3d schedules, noise %4.1f %%, ranks %s, pairs %s  %s: %s\n",
                                    k.seconds_before * 1e6, k.seconds_before / k.seconds_after, k.tries.size(),
                                    k.noise * 100, Text(k.rank_correlation), Text(PairsOf(k)), k.name, k.before);
  if (!schedules) return out;
  std::stable_sort(k.tries.begin(), k.tries.end(), [](const auto& a, const auto& b) { return a.seconds < b.seconds; });
  for (const TunedKernel::Try& t : k.tries) {
    absl::StrAppendFormat(&out, "    %9.2f us, %12.0f cycles (%.3g GHz)  %s\n", t.seconds * 1e6, t.cycles,
                          t.cycles / t.seconds * 1e-9, t.schedule);
  }
  return out;
}

void Print(const std::string& file, const std::string& kind) {
  std::vector<TunedKernel> all;
  Mean of_kernels;
  for (auto& [workload, kernels] : Read(file)) {
    Estimate(workload, &kernels);
    Mean ranks, pairs;
    std::string lines;
    for (TunedKernel& k : kernels) {
      if (k.tries.empty()) continue;
      k.before = k.tries[0].schedule;
      k.seconds_before = k.tries[0].seconds;
      k.rank_correlation = RanksOf(k);
      ranks.Add(k.seconds_before, k.rank_correlation);
      pairs.Add(k.seconds_before, PairsOf(k));
      of_kernels.Add(1, k.rank_correlation);
      lines += Lines(k, !kind.empty() && k.before.starts_with(kind));
      all.push_back(k);
    }
    std::printf("%s: ranks %.3f, pairs %.3f\n%s", workload.c_str(), ranks.get(), pairs.get(), lines.c_str());
  }
  std::printf("%s%.0f kernels: ranks %.3f\n", codegen::KindTable(all).c_str(), of_kernels.weights, of_kernels.get());
}

double CyclesOf(const std::vector<codegen::Step>& steps, const codegen::Program& program,
                const codegen::Target& target) {
  double cycles = 0;
  for (const codegen::Step& step : steps) {
    if (step.kernel >= 0) {
      cycles += codegen::EstimateCycles(program.kernels[static_cast<size_t>(step.kernel)], target, 1);
    }
    cycles += CyclesOf(step.first, program, target) + CyclesOf(step.second, program, target);
  }
  return cycles;
}

/// A loop's body counts once.
void PrintPhases(const std::string& workload) {
  const ir::Module module = ModuleOf(workload);
  const codegen::Target target = Take(codegen::FindTarget("native"));
  const auto cycles = [&](std::vector<std::string> without) {
    codegen::PlanOptions plan = codegen::PlanFor({}, nullptr);
    plan.phases.disable = std::move(without);
    const codegen::Program program = Take(codegen::BuildProgram(module, target, plan));
    return CyclesOf(program.entries[0].steps, program, target);
  };
  const double usual = cycles({});
  std::printf("%s %.0f cycles", workload.c_str(), usual);
  for (const codegen::PlanPhase& phase : codegen::PlanPhases()) {
    const double ratio = cycles({std::string(phase.name)}) / usual;
    if (ratio != 1) std::printf(", without %s %.3f", std::string(phase.name).c_str(), ratio);
  }
  std::printf("\n");
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<std::string> words(argv + 1, argv + argc);
  try {
    runtime::SetNumThreads(1);
    if (words.size() > 3 && (words[0] == "--record" || words[0] == "--sample")) {
      const auto run = words[0] == "--record" ? Record : Sample;
      for (size_t i = 3; i < words.size(); ++i) run(words[1], std::stod(words[2]), words[i]);
      return 0;
    }
    if (words.size() > 1 && words[0] == "--phases") {
      for (size_t i = 1; i < words.size(); ++i) PrintPhases(words[i]);
      return 0;
    }
    if (words.size() != 1 && words.size() != 2) {
      std::fputs(
          "tune_ranks --record FILE SECONDS WORKLOAD... | --sample FILE SCHEDULES WORKLOAD... | --phases WORKLOAD... | "
          "FILE [KIND]\n",
          stderr);
      return 2;
    }
    Print(words[0], words.size() == 2 ? words[1] : "");
  } catch (const std::exception& error) {
    std::fprintf(stderr, "%s\n", error.what());
    return 1;
  }
  return 0;
}
