#include "codegen/tune/tune.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "absl/strings/str_format.h"
#include "codegen/target/target.h"
#include "codegen/tune/estimate.h"
#include "codegen/tune/ranks.h"
#include "codegen/tune/run.h"
#include "ir/strings.h"
#include "runtime/thread_pool.h"

namespace reel::codegen {
namespace {

constexpr double kSample = 0.03;        // seconds of runs of one program in a measurement
constexpr int kMinRuns = 3, kMaxRuns = 200;
constexpr int kRounds = 2;              // of both programs in turn
constexpr double kGain = 0.97;          // of the time: what is less is noise
constexpr double kMinShare = 0.005;   // of a run: cheaper kernels are left as they are
constexpr int kFinalRounds = 7;
constexpr size_t kMinRanked = 6;      // schedules of a kernel, for a rank correlation

class Tuner {
 public:
  Tuner(const ir::Module& module, const CompilerOptions& options, const TuneOptions& tune)
      : module_(module), options_(options), tune_(tune), end_(options.clock() + tune.seconds) {
    if (options.schedules) report_.book = *options.schedules;
  }

  absl::StatusOr<TuneReport> Run() {
    const auto target = FindTarget(options_.cpu);
    if (!target.ok()) return target.status();
    target_ = *target;
    if (absl::Status s = Begin(); !s.ok()) return s;
    if (absl::Status s = OrderNext(); !s.ok()) return s;
    while (options_.clock() < end_) {
      const ScheduleBook trial = NextTrial();
      if (trying_.empty()) {
        report_.complete = true;
        break;
      }
      if (absl::Status s = Try(trial); !s.ok()) return s;
    }
    if (absl::Status s = Finish(); !s.ok()) return s;
    return std::move(report_);
  }

 private:
  // One kernel of the program, by its problem.
  struct Problem {
    TunedKernel out;
    std::string line;  // its best schedule so far
    std::deque<std::string> next;
    std::map<std::string, double> known;  // tried, or about to be: what they are estimated to take; < 0: not yet
    std::vector<double> estimated, measured;
    std::vector<double> noise;  // of two measurements of the best one: their difference, a part of the lesser
  };

  absl::StatusOr<std::unique_ptr<CompiledModule>> Compile(const ScheduleBook& book, bool profile) {
    CompilerOptions options = options_;
    options.schedules = std::make_shared<ScheduleBook>(book);
    options.profile = options.list_schedules = profile;
    options.cache_dir.clear();  // most programs are seen once
    options.dump_to.clear();
    ++report_.compiled;
    return reel_compiler()->Compile(module_, options);
  }

  absl::Status Begin() {
    auto code = Compile(report_.book, true);
    if (!code.ok()) return code.status();
    best_ = *std::move(code);
    const std::vector<EntryPoint>& entries = best_->program().entries;
    entry_ = -1;
    for (size_t i = 0; i < entries.size(); ++i) {
      if (entries[i].name == tune_.entry || (tune_.entry.empty() && entries.size() == 1)) entry_ = static_cast<int>(i);
    }
    if (entry_ < 0) {
      return absl::InvalidArgumentError(
          StrCat("tune: the module has no entry point \"", tune_.entry, "\"; name one of its functions"));
    }
    arguments_ = tune_.arguments;
    if (arguments_.empty()) {
      random_ = std::make_unique<RandomArguments>(entries[static_cast<size_t>(entry_)]);
      arguments_ = random_->pointers();
    }
    const auto first = RunProgram(*best_, entry_, arguments_, 2);
    if (!first.ok()) return first.status();
    runs_ = static_cast<int>(std::clamp(kSample / std::max(first->least, 1e-9), double{kMinRuns}, double{kMaxRuns}));
    const auto base = RunProgram(*best_, entry_, arguments_, runs_);
    if (!base.ok()) return base.status();
    outcome_ = base->outcome;
    double all = 0;
    for (double seconds : base->kernels) all += seconds;
    for (size_t k = 0; k < base->kernels.size(); ++k) {
      const Kernel& kernel = best_->program().kernels[k];
      if (base->kernels[k] < kMinShare * all || kernel.other_schedules.empty()) continue;
      Problem& p = problems_[kernel.problem];
      p.out.name = kernel.name;
      p.out.before = p.line = kernel.schedule;
      p.out.seconds_before = p.out.seconds_after = base->kernels[k];
      p.known.emplace(kernel.schedule, Estimate(kernel));
      Add(kernel.other_schedules, &p);
    }
    return absl::OkStatus();
  }

  double Estimate(const Kernel& kernel) const { return EstimateCycles(kernel, target_, runtime::NumThreads()); }

  // What seems fast comes first: plans are cheap beside code.
  absl::Status OrderNext() {
    PlanOptions plan = PlanFor(options_, nullptr);
    plan.profile = true;
    for (size_t i = 0;; ++i) {
      ScheduleBook book = report_.book;
      std::map<std::string, std::string> lines;  // by problem
      for (auto& [problem, p] : problems_) {
        if (i >= p.next.size()) continue;
        lines[problem] = p.next[i];
        if (auto wish = ParseWish(p.next[i]); wish.ok()) book.Set(target_.name, problem, *std::move(wish));
      }
      if (lines.empty()) break;
      plan.schedules = &book;
      const auto program = BuildProgram(module_, target_, plan);
      if (!program.ok()) return program.status();
      for (const Kernel& kernel : program->kernels) {
        if (const auto it = lines.find(kernel.problem); it != lines.end()) {
          problems_[it->first].known[it->second] = Estimate(kernel);
        }
      }
    }
    for (auto& [problem, p] : problems_) {
      std::stable_sort(p.next.begin(), p.next.end(),
                       [&p = p](const auto& a, const auto& b) { return p.known[a] < p.known[b]; });
    }
    return absl::OkStatus();
  }

  static void Add(const std::vector<std::string>& lines, Problem* p) {
    for (const std::string& line : lines) {
      if (p->known.emplace(line, -1).second) p->next.push_back(line);
    }
  }

  // The best schedules, with another one for each kernel that has some left.
  ScheduleBook NextTrial() {
    ScheduleBook trial = report_.book;
    trying_.clear();
    for (auto& [problem, p] : problems_) {
      if (p.next.empty()) continue;
      auto wish = ParseWish(p.next.front());
      p.next.pop_front();
      if (!wish.ok()) continue;
      trial.Set(target_.name, problem, *std::move(wish));
      trying_.insert(problem);
    }
    return trial;
  }

  absl::Status Try(const ScheduleBook& trial) {
    auto code = Compile(trial, true);
    if (!code.ok()) return code.status();
    std::map<std::string, double> best, tried;
    for (int round = 0; round < kRounds; ++round) {
      std::map<std::string, double> again;
      if (absl::Status s = Measure(*best_, report_.book, &again); !s.ok()) return s;
      for (const auto& [problem, seconds] : again) KeepLeast(problem, seconds, &best);
      if (absl::Status s = Measure(**code, trial, &tried); !s.ok()) return s;
    }
    bool better = false;
    for (const Kernel& kernel : (*code)->program().kernels) {
      if (!trying_.contains(kernel.problem) || !best.contains(kernel.problem)) continue;
      Problem& p = problems_[kernel.problem];
      ++p.out.tried;
      const double before = best[kernel.problem], after = tried[kernel.problem];
      // As a part of what the usual one takes: the machine is not the same all the time.
      p.estimated.push_back(Estimate(kernel));
      p.measured.push_back(p.out.seconds_after * after / before);
      if (kernel.schedule == p.line || after >= kGain * before) continue;
      better = true;
      p.out.seconds_after = p.out.seconds_after / before * after;
      p.line = p.out.after = kernel.schedule;
      p.known.emplace(kernel.schedule, 0);
      Add(kernel.other_schedules, &p);
      report_.book.Set(target_.name, kernel.problem, *ParseWish(kernel.schedule), kernel.name);
      if (tune_.log) {
        tune_.log(absl::StrFormat("%s: %.3g -> %.3g us: %s", kernel.name, before * 1e6, after * 1e6, kernel.schedule));
      }
    }
    if (!better) return absl::OkStatus();
    auto next = Compile(report_.book, true);
    if (!next.ok()) return next.status();
    best_ = *std::move(next);
    return OrderNext();
  }

  // Also what differed from it, for who asks how much that says.
  void KeepLeast(const std::string& problem, double seconds, std::map<std::string, double>* least) {
    const auto [it, added] = least->emplace(problem, seconds);
    if (added) return;
    const double lesser = std::min(it->second, seconds);
    if (const auto p = problems_.find(problem); p != problems_.end() && lesser > 0) {
      p->second.noise.push_back(std::abs(it->second - seconds) / lesser);
    }
    it->second = lesser;
  }

  // The least seconds of a call of each problem, kept where they were less before. Kernels that are equal share code
  // until one of them has a schedule of its own: only calls compare.
  absl::Status Measure(const CompiledModule& code, const ScheduleBook& book, std::map<std::string, double>* least) {
    const auto runs = RunProgram(code, entry_, arguments_, runs_);
    if (!runs.ok()) return runs.status();
    if (absl::Status s = CheckOutcome(*runs, book); !s.ok()) return s;
    for (size_t k = 0; k < runs->kernels.size(); ++k) {
      if (runs->calls[k] == 0) continue;
      const double seconds = runs->kernels[k] / static_cast<double>(runs->calls[k]);
      const auto [it, added] = least->emplace(code.program().kernels[k].problem, seconds);
      if (!added) it->second = std::min(it->second, seconds);
    }
    return absl::OkStatus();
  }

  absl::Status CheckOutcome(const Runs& runs, const ScheduleBook& book) const {
    if (runs.outcome == outcome_) return absl::OkStatus();
    return absl::InternalError(
        StrCat("tune: results differ with these schedules; please report this with the module:\n", book.Print()));
  }

  // Both programs as they are used, in turn. What is no gain there is not kept.
  absl::Status Finish() {
    const ScheduleBook given = options_.schedules ? *options_.schedules : ScheduleBook();
    auto before = Compile(given, false);
    if (!before.ok()) return before.status();
    auto after = Compile(report_.book, false);
    if (!after.ok()) return after.status();
    std::vector<double> old_seconds, new_seconds;
    for (int round = 0; round < kFinalRounds; ++round) {
      const auto a = RunProgram(**before, entry_, arguments_, runs_),
                 b = RunProgram(**after, entry_, arguments_, runs_);
      if (!a.ok()) return a.status();
      if (!b.ok()) return b.status();
      if (absl::Status s = CheckOutcome(*b, report_.book); !s.ok()) return s;
      old_seconds.push_back(a->median);
      new_seconds.push_back(b->median);
    }
    report_.seconds_before = MedianOf(old_seconds);
    report_.seconds_after = MedianOf(new_seconds);
    if (report_.seconds_after > report_.seconds_before) {
      report_.book = given;
      report_.seconds_after = report_.seconds_before;
    }
    Rate();
    for (auto& [problem, p] : problems_) report_.kernels.push_back(std::move(p.out));
    std::sort(report_.kernels.begin(), report_.kernels.end(),
              [](const TunedKernel& a, const TunedKernel& b) { return a.seconds_before > b.seconds_before; });
    return absl::OkStatus();
  }

  // How good the estimates and the usual schedules were.
  void Rate() {
    double weights = 0, sum = 0, logs = 0;
    for (auto& [problem, p] : problems_) {
      logs += std::log(p.out.seconds_before / std::max(p.out.seconds_after, 1e-12));
      if (p.measured.size() < kMinRanked) continue;
      p.out.rank_correlation = RankCorrelation(p.estimated, p.measured, std::max(1 - kGain, MedianOf(p.noise)));
      if (!p.out.rank_correlation) continue;
      ++report_.ranked;
      weights += p.out.seconds_before;
      sum += p.out.seconds_before * *p.out.rank_correlation;
    }
    if (weights > 0) report_.rank_correlation = sum / weights;
    if (!problems_.empty()) report_.regret = std::exp(logs / static_cast<double>(problems_.size()));
  }

  const ir::Module& module_;
  const CompilerOptions& options_;
  const TuneOptions& tune_;
  const double end_;
  TuneReport report_;
  Target target_;
  std::unique_ptr<CompiledModule> best_;  // profiled, with the schedules of the report's book
  std::unique_ptr<RandomArguments> random_;
  std::vector<const void*> arguments_;
  int entry_ = 0, runs_ = 1;
  std::vector<std::byte> outcome_;  // after these runs
  std::map<std::string, Problem> problems_;
  std::set<std::string> trying_;
};

}  // namespace

absl::StatusOr<TuneReport> Tune(const ir::Module& module, const CompilerOptions& options, const TuneOptions& tune) {
  if (!(tune.seconds > 0)) return absl::InvalidArgumentError("tune: the seconds must be more than 0");
  return Tuner(module, options, tune).Run();
}

std::string ToString(const TuneReport& report) {
  std::string out;
  for (const TunedKernel& k : report.kernels) {
    const std::string ranks = k.rank_correlation ? absl::StrFormat("%5.2f", *k.rank_correlation) : "    -";
    absl::StrAppendFormat(&out, "%10.3g us  %5.2fx  %3d tried, ranks %s  %s%s%s\n", k.seconds_before * 1e6,
                          k.seconds_before / std::max(k.seconds_after, 1e-12), k.tried, ranks, k.name,
                          k.after.empty() ? "" : ": ", k.after);
  }
  absl::StrAppendFormat(&out, "a run: %.4g us, was %.4g us (%.3fx); %d programs compiled%s\n",
                        report.seconds_after * 1e6, report.seconds_before * 1e6,
                        report.seconds_before / std::max(report.seconds_after, 1e-12), report.compiled,
                        report.complete ? ", nothing left to try" : "");
  absl::StrAppendFormat(&out, "estimates: rank correlation %.2f of %d kernels; usual schedules: regret %.3f\n",
                        report.rank_correlation, report.ranked, report.regret);
  return out;
}

}  // namespace reel::codegen
