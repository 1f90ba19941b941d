#include "codegen/tune/tune.h"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <deque>
#include <map>
#include <memory>
#include <set>

#include "absl/strings/str_format.h"
#include "codegen/cost/estimate.h"
#include "codegen/target/target.h"
#include "codegen/tune/ranks.h"
#include "codegen/tune/run.h"
#include "ir/strings.h"
#include "runtime/thread_pool.h"

namespace reel::codegen {
namespace {

// Short samples in turn, of which the least counts: whoever else uses the machine slows both, or neither.
constexpr double kSample = 0.01;        // seconds of runs of one program in a measurement
constexpr int kMinRuns = 2, kMaxRuns = 200;
constexpr int kRounds = 6;              // of both programs in turn; even
constexpr double kGain = 0.97;          // of the time: what is less is noise
constexpr double kMinShare = 0.005;   // of a run: cheaper kernels are left as they are
constexpr int kFinalRounds = 7;
constexpr size_t kMinRanked = 6;      // schedules of a kernel, for a rank correlation

double RegretOf(const TunedKernel& k) { return k.seconds_before / std::max(k.seconds_after, 1e-12); }

double GeometricMean(const std::vector<double>& values) {
  double logs = 0;
  for (double v : values) logs += std::log(v);
  return values.empty() ? 1 : std::exp(logs / static_cast<double>(values.size()));
}

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
    std::vector<double> noise;  // of halves of the best one's rounds: their difference, a part of the lesser
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
    usual_ = *std::move(code);
    const std::vector<EntryPoint>& entries = usual_->program().entries;
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
    const auto first = RunProgram(*usual_, entry_, arguments_, 2);
    if (!first.ok()) return first.status();
    runs_ = static_cast<int>(std::clamp(kSample / std::max(first->least, 1e-9), double{kMinRuns}, double{kMaxRuns}));
    const auto base = RunProgram(*usual_, entry_, arguments_, runs_);
    if (!base.ok()) return base.status();
    outcome_ = base->outcome;
    double all = 0;
    for (double seconds : base->kernels) all += seconds;
    for (size_t k = 0; k < base->kernels.size(); ++k) {
      const Kernel& kernel = usual_->program().kernels[k];
      if (base->kernels[k] < kMinShare * all || kernel.other_schedules.empty()) continue;
      Problem& p = problems_[kernel.problem];
      const double cycles = Estimate(kernel), seconds = base->kernels[k];
      p.out.name = kernel.name;
      p.out.problem = kernel.problem;
      p.out.before = p.line = kernel.schedule;
      p.out.seconds_before = p.out.seconds_after = seconds;
      p.out.tries = {{kernel.schedule, cycles, seconds}};
      p.known.emplace(kernel.schedule, cycles);
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
    std::map<std::string, double> usual, tried;
    if (absl::Status s = InTurn(**code, trial, kRounds, &usual, &tried); !s.ok()) return s;
    bool better = false;
    for (const Kernel& kernel : (*code)->program().kernels) {
      if (!trying_.contains(kernel.problem) || !usual.contains(kernel.problem)) continue;
      Problem& p = problems_[kernel.problem];
      const double seconds = p.out.seconds_before * tried[kernel.problem] / usual[kernel.problem];
      p.out.tries.push_back({kernel.schedule, Estimate(kernel), seconds});
      if (kernel.schedule == p.line || seconds >= kGain * p.out.seconds_after) continue;
      better = true;
      if (tune_.log) {
        tune_.log(absl::StrFormat("%s: %.3g -> %.3g us: %s", kernel.name, p.out.seconds_after * 1e6, seconds * 1e6,
                                  kernel.schedule));
      }
      p.out.seconds_after = seconds;
      p.line = p.out.after = kernel.schedule;
      p.known.emplace(kernel.schedule, 0);
      Add(kernel.other_schedules, &p);
      report_.book.Set(target_.name, kernel.problem, *ParseWish(kernel.schedule), kernel.name);
    }
    return better ? OrderNext() : absl::OkStatus();
  }

  // A program beside the usual one: always the same one, since a chain of gains adds up what each had of luck.
  absl::Status InTurn(const CompiledModule& code, const ScheduleBook& book, int rounds,
                      std::map<std::string, double>* usual, std::map<std::string, double>* tried) {
    std::map<std::string, double> halves[2];
    for (int round = 0; round < rounds; ++round) {
      if (absl::Status s = Measure(*usual_, ScheduleBook(), &halves[round % 2]); !s.ok()) return s;
      if (absl::Status s = Measure(code, book, tried); !s.ok()) return s;
    }
    for (const auto& [problem, seconds] : halves[0]) {
      const auto it = halves[1].find(problem);
      const double other = it == halves[1].end() ? seconds : it->second;
      const double lesser = (*usual)[problem] = std::min(seconds, other);
      if (const auto p = problems_.find(problem); p != problems_.end() && lesser > 0) {
        p->second.noise.push_back(std::abs(seconds - other) / lesser);
      }
    }
    return absl::OkStatus();
  }

  // What was found, once more: the least of many measurements was lucky.
  absl::Status Confirm() {
    auto code = Compile(report_.book, true);
    if (!code.ok()) return code.status();
    std::map<std::string, double> usual, tuned;
    if (absl::Status s = InTurn(**code, report_.book, 2 * kRounds, &usual, &tuned); !s.ok()) return s;
    for (auto& [problem, p] : problems_) {
      if (p.out.after.empty() || !usual.contains(problem) || !tuned.contains(problem)) continue;
      p.out.seconds_after = p.out.seconds_before * std::min(1.0, tuned[problem] / usual[problem]);
    }
    return absl::OkStatus();
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
    if (absl::Status s = Confirm(); !s.ok()) return s;
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
    double weights = 0, sum = 0;
    std::vector<double> regrets;
    for (auto& [problem, p] : problems_) {
      regrets.push_back(RegretOf(p.out));
      p.out.noise = MedianOf(p.noise);
      p.out.rank_correlation = RanksOf(p.out);
      if (!p.out.rank_correlation) continue;
      ++report_.ranked;
      weights += p.out.seconds_before;
      sum += p.out.seconds_before * *p.out.rank_correlation;
    }
    if (weights > 0) report_.rank_correlation = sum / weights;
    report_.regret = GeometricMean(regrets);
  }

  const ir::Module& module_;
  const CompilerOptions& options_;
  const TuneOptions& tune_;
  const double end_;
  TuneReport report_;
  Target target_;
  std::unique_ptr<CompiledModule> usual_;  // profiled, with the schedules it begins with
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

std::optional<double> RanksOf(const TunedKernel& kernel) {
  if (kernel.tries.size() < kMinRanked) return std::nullopt;
  std::vector<double> estimated, measured;
  for (const TunedKernel::Try& t : kernel.tries) {
    estimated.push_back(t.cycles);
    measured.push_back(t.seconds);
  }
  return RankCorrelation(estimated, measured, std::max(1 - kGain, kernel.noise));
}

std::string KindTable(const std::vector<TunedKernel>& kernels) {
  struct Kind {
    size_t kernels = 0, tries = 0, ranked = 0;
    double ranks = 0;
    std::vector<double> regrets;
  };
  std::map<std::string, Kind> kinds;
  for (const TunedKernel& k : kernels) {
    Kind& kind = kinds[k.before.substr(0, k.before.find(' '))];
    ++kind.kernels;
    kind.tries += k.tries.size();
    kind.regrets.push_back(RegretOf(k));
    if (k.rank_correlation) ++kind.ranked, kind.ranks += *k.rank_correlation;
  }
  std::string out;
  for (const auto& [name, k] : kinds) {
    const std::string ranks =
        k.ranked == 0 ? "none can be ranked"
                      : absl::StrFormat("ranks %.2f of %d", k.ranks / static_cast<double>(k.ranked), k.ranked);
    absl::StrAppendFormat(&out, "%s: %d kernels, %d schedules, %s, regret %.3f\n", name, k.kernels, k.tries, ranks,
                          GeometricMean(k.regrets));
  }
  return out;
}

std::string ToString(const TuneReport& report) {
  std::string out;
  for (const TunedKernel& k : report.kernels) {
    const std::string ranks = k.rank_correlation ? absl::StrFormat("%5.2f", *k.rank_correlation) : "    -";
    absl::StrAppendFormat(&out, "%10.3g us  %5.2fx  %3d tried, ranks %s  %s%s%s\n", k.seconds_before * 1e6, RegretOf(k),
                          k.tries.size() - 1, ranks, k.name, k.after.empty() ? "" : ": ", k.after);
  }
  out += KindTable(report.kernels);
  absl::StrAppendFormat(&out, "a run: %.4g us, was %.4g us (%.3fx); %d programs compiled%s\n",
                        report.seconds_after * 1e6, report.seconds_before * 1e6,
                        report.seconds_before / std::max(report.seconds_after, 1e-12), report.compiled,
                        report.complete ? ", nothing left to try" : "");
  absl::StrAppendFormat(&out, "estimates: rank correlation %.2f of %d kernels; usual schedules: regret %.3f\n",
                        report.rank_correlation, report.ranked, report.regret);
  return out;
}

}  // namespace reel::codegen
