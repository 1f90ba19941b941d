#include "tests/bench/schedule_sample.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <memory>
#include <random>
#include <string>
#include <utility>

#include "codegen/compiler.h"
#include "codegen/cost/estimate.h"
#include "codegen/program/program.h"
#include "codegen/target/target.h"
#include "codegen/tune/run.h"
#include "ir/strings.h"
#include "runtime/thread_pool.h"

namespace reel::codegen {
namespace {

constexpr double kSample = 0.01;  // seconds of runs of one program in a round
constexpr double kMinRuns = 2, kMaxRuns = 200;

class Sampler {
 public:
  Sampler(const ir::Module& module, const SampleOptions& options)
      : module_(module), options_(options), random_(options.seed) {}

  absl::StatusOr<std::vector<TunedKernel>> Run() {
    const auto target = FindTarget("native");
    if (!target.ok()) return target.status();
    target_ = *target;
    for (auto step : {&Sampler::Begin, &Sampler::Draw, &Sampler::CompileAll, &Sampler::MeasureAll}) {
      if (absl::Status s = (this->*step)(); !s.ok()) return s;
    }
    std::vector<TunedKernel> out;
    for (auto& [problem, k] : kernels_) out.push_back(Result(&k));
    std::sort(out.begin(), out.end(),
              [](const TunedKernel& a, const TunedKernel& b) { return a.seconds_before > b.seconds_before; });
    return out;
  }

 private:
  struct Sampled {
    TunedKernel out;
    std::vector<std::pair<double, std::string>> lines;  // estimates and schedules: drawn, then those that are timed
    std::vector<double> seconds[2];  // by program, the least of rounds of either parity
  };

  absl::Status CompileWith(const ScheduleBook& book) {
    CompilerOptions options;
    options.schedules = std::make_shared<ScheduleBook>(book);
    options.profile = options.list_schedules = true;
    auto code = reel_compiler()->Compile(module_, options);
    if (!code.ok()) return code.status();
    programs_.push_back(*std::move(code));
    return absl::OkStatus();
  }

  // The kernels that count, with the usual schedules.
  absl::Status Begin() {
    if (absl::Status s = CompileWith({}); !s.ok()) return s;
    const Program& program = programs_[0]->program();
    arguments_ = std::make_unique<RandomArguments>(program.entries[0]);
    const auto first = RunProgram(*programs_[0], 0, arguments_->pointers(), 2);
    if (!first.ok()) return first.status();
    runs_ = static_cast<int>(std::clamp(kSample / std::max(first->least, 1e-9), kMinRuns, kMaxRuns));
    const auto base = RunProgram(*programs_[0], 0, arguments_->pointers(), runs_);
    if (!base.ok()) return base.status();
    outcome_ = base->outcome;
    double all = 0;
    for (double seconds : base->kernels) all += seconds;
    for (size_t i = 0; i < base->kernels.size(); ++i) {
      const Kernel& kernel = program.kernels[i];
      if (base->kernels[i] < options_.least_share * all || kernel.schedule.empty()) continue;
      TunedKernel& out = kernels_[kernel.problem].out;
      out.name = kernel.name;
      out.problem = kernel.problem;
      out.before = kernel.schedule;
      out.tries = {{kernel.schedule, EstimateCycles(kernel, target_, runtime::NumThreads()), 0}};
      calls_[kernel.problem] += static_cast<double>(base->calls[i]);
    }
    return absl::OkStatus();
  }

  // Each draw is a plan: they are cheap beside code.
  absl::Status Draw() {
    PlanOptions plan = PlanFor({}, nullptr);
    plan.profile = plan.list_schedules = true;  // with lists, kernels say which problem they are
    plan.decide = [this](std::string_view, const Choice& choice) {
      const size_t i = random_() % (choice.others.size() + 1);
      return i == choice.others.size() ? choice.value : choice.others[i];
    };
    for (int i = 0; i < options_.draws; ++i) {
      const auto program = BuildProgram(module_, target_, plan);
      if (!program.ok()) return program.status();
      for (const Kernel& kernel : program->kernels) {
        const auto it = kernels_.find(kernel.problem);
        if (it == kernels_.end() || kernel.schedule == it->second.out.before) continue;
        it->second.lines.emplace_back(EstimateCycles(kernel, target_, runtime::NumThreads()), kernel.schedule);
      }
    }
    for (auto& [problem, k] : kernels_) TakeQuantiles(&k.lines);
    return absl::OkStatus();
  }

  // In random order: no program has the slowest schedules of all kernels.
  void TakeQuantiles(std::vector<std::pair<double, std::string>>* lines) {
    std::sort(lines->begin(), lines->end());
    lines->erase(std::unique(lines->begin(), lines->end()), lines->end());
    const size_t all = lines->size(), taken = std::min(all, static_cast<size_t>(options_.schedules));
    for (size_t i = 0; i < taken; ++i) (*lines)[i] = (*lines)[(2 * i + 1) * all / (2 * taken)];
    lines->resize(taken);
    std::shuffle(lines->begin(), lines->end(), random_);
  }

  absl::Status CompileAll() {
    for (int i = 0; i < options_.schedules; ++i) {
      ScheduleBook book;
      for (const auto& [problem, k] : kernels_) {
        if (static_cast<size_t>(i) >= k.lines.size()) continue;
        auto wish = ParseWish(k.lines[static_cast<size_t>(i)].second);
        if (!wish.ok()) return wish.status();
        book.Set(target_.name, problem, *std::move(wish));
      }
      if (book.size() == 0) break;
      if (absl::Status s = CompileWith(book); !s.ok()) return s;
    }
    return absl::OkStatus();
  }

  absl::Status MeasureAll() {
    for (auto& [problem, k] : kernels_) {
      for (auto& seconds : k.seconds) seconds.assign(programs_.size(), INFINITY);
    }
    for (int round = 0; round < options_.rounds; ++round) {
      for (size_t i = 0; i < programs_.size(); ++i) {
        const auto runs = RunProgram(*programs_[i], 0, arguments_->pointers(), runs_);
        if (!runs.ok()) return runs.status();
        if (runs->outcome != outcome_) return absl::InternalError(StrCat("program ", i, " has other results"));
        Keep(*runs, i, round % 2);
      }
    }
    return absl::OkStatus();
  }

  // Of kernels that are equal, the time of a call. Those that did not get the schedule they should have stay
  // unmeasured.
  void Keep(const Runs& runs, size_t program, int half) {
    for (size_t j = 0; j < runs.kernels.size(); ++j) {
      const Kernel& kernel = programs_[program]->program().kernels[j];
      const auto it = kernels_.find(kernel.problem);
      if (it == kernels_.end() || runs.calls[j] == 0) continue;
      Sampled& k = it->second;
      if (program > 0 && (program > k.lines.size() || k.lines[program - 1].second != kernel.schedule)) continue;
      double& least = k.seconds[half][program];
      least = std::min(least, runs.kernels[j] / static_cast<double>(runs.calls[j]));
    }
  }

  TunedKernel Result(Sampled* k) const {
    TunedKernel& out = k->out;
    const double calls = calls_.at(out.problem), even = k->seconds[0][0], odd = k->seconds[1][0];
    out.noise = std::abs(even - odd) / std::min(even, odd);
    out.seconds_before = out.seconds_after = out.tries[0].seconds = calls * std::min(even, odd);
    for (size_t i = 0; i < k->lines.size(); ++i) {
      const double seconds = calls * std::min(k->seconds[0][i + 1], k->seconds[1][i + 1]);
      if (!std::isfinite(seconds)) continue;
      out.tries.push_back({k->lines[i].second, k->lines[i].first, seconds});
      out.seconds_after = std::min(out.seconds_after, seconds);
    }
    return std::move(out);
  }

  const ir::Module& module_;
  const SampleOptions& options_;
  std::mt19937_64 random_;
  Target target_;
  std::vector<std::unique_ptr<CompiledModule>> programs_;  // the usual one first; all are profiled
  std::unique_ptr<RandomArguments> arguments_;
  int runs_ = 1;
  std::vector<std::byte> outcome_;  // after these runs
  std::map<std::string, Sampled> kernels_;  // by problem
  std::map<std::string, double> calls_;     // of kernels of a problem, in a run
};

}  // namespace

absl::StatusOr<std::vector<TunedKernel>> SampleSchedules(const ir::Module& module, const SampleOptions& options) {
  return Sampler(module, options).Run();
}

}  // namespace reel::codegen
