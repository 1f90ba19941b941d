#ifndef REEL_FRONTEND_CLI_FIT_FIT_H_
#define REEL_FRONTEND_CLI_FIT_FIT_H_

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "frontend/cli/fit/run_log.h"
#include "frontend/cli/fit/settings.h"
#include "frontend/cli/fit/signals.h"

// `reel train --data`: a step traced and compiled as one program, forward, backward and update, run over the user's
// data.

namespace reel::cli {

/// What became of a run.
struct FitReport {
  std::string data, model;
  int64_t parameters = 0, nodes = 0, kernels = 0;
  int64_t first = 0, last = 0;  ///< steps before the run, and after it
  int64_t batch = 0, steps_per_epoch = 0;
  double compile_seconds = 0, step_seconds = 0, total_seconds = 0;
  double loss = 0;  ///< mean of the last steps
  std::string metric;  ///< "accuracy" or "rmse"
  std::optional<Evaluation> evaluation;  ///< of the model as it is kept
  int64_t best_step = 0;                 ///< with early stopping: where the model was best, which is the one kept
  bool stopped_early = false;
  int signal = 0;  ///< that ended the run; 0: none
  std::string checkpoint, sample;
  std::vector<std::string> files;
};

/// Called as a run goes on, with the part of 1 that is done.
using FitProgress = std::function<void(double done, const std::string& what)>;

/// Trains until the steps are done, a signal waits, or validation gets no better. A failure leaves checkpoints and the
/// log as they were after the last step that was good.
FitReport Fit(const FitSettings& settings, const SignalsWait& signals, const FitProgress& progress);

std::string FitText(const FitReport& report);
Json FitJson(const FitReport& report);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_FIT_FIT_H_
