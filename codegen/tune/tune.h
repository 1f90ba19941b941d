#ifndef REEL_CODEGEN_TUNE_TUNE_H_
#define REEL_CODEGEN_TUNE_TUNE_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/compiler.h"
#include "codegen/schedule/book.h"

// Search: schedules that differ from the usual ones in one choice, then in another, are compiled and timed in turn with
// the usual ones. Every kernel of a program tries its own at once, in place, with the data the program hands it.
// Results are compared bit by bit: a difference is a bug of the compiler, and an error that names the schedules.

namespace reel::codegen {

struct TuneOptions {
  double seconds = 60;
  std::string entry = {};  ///< the entry point that is timed; empty: the only one
  /// Its arguments, alive while it is tuned; empty: floats in [-1, 1], integers 0.
  std::vector<const void*> arguments = {};
  std::function<void(const std::string& line)> log = {};  ///< what was found, as it is found
};

/// What was tried for one kernel.
struct TunedKernel {
  struct Try {
    std::string schedule;
    double cycles = 0;  ///< as estimated
    double seconds = 0;  ///< as measured: the usual one's time, times the ratio of the two in turn
  };
  std::string name, before, after;  ///< schedules
  std::string problem;  ///< Kernel::problem
  double seconds_before = 0, seconds_after = 0;  ///< of all its calls in one run, as last measured in turn
  double noise = 0;  ///< what two measurements of one schedule mostly differ by, a part of the lesser
  std::vector<Try> tries = {};  ///< the usual one first
  /// Spearman's, of what was measured with what was estimated (ranks.h); nothing: too few were tried, or the machine
  /// cannot tell them apart.
  std::optional<double> rank_correlation = {};
};

struct TuneReport {
  ScheduleBook book;  ///< the given one with what was found
  std::vector<TunedKernel> kernels;  ///< those that tried anything, the costliest first
  double seconds_before = 0, seconds_after = 0;  ///< of a run, medians in turn, without profiling
  int64_t compiled = 0;  ///< programs
  double rank_correlation = 0;  ///< of the kernels that have one, weighted by their time
  int64_t ranked = 0;  ///< so many have one
  double regret = 1;  ///< time of the usual schedules over the best ones: geometric mean of the kernels
  bool complete = false;  ///< nothing was left to try
};

/// Tunes one entry point of a module, for options.cpu and the threads that steps have. Starts from options.schedules.
absl::StatusOr<TuneReport> Tune(const ir::Module& module, const CompilerOptions& options, const TuneOptions& tune);
/// For people: one line a kernel, one a kind of kernels, the sum.
std::string ToString(const TuneReport& report);

/// TunedKernel::rank_correlation of what was tried.
std::optional<double> RanksOf(const TunedKernel& kernel);
/// Of kernels of any programs, a line for each kind of schedule: kernels, tries, correlation and regret.
std::string KindTable(const std::vector<TunedKernel>& kernels);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_TUNE_TUNE_H_
