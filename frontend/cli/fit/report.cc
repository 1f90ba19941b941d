#include <csignal>
#include <nlohmann/json.hpp>

#include "frontend/cli/fit/fit.h"

namespace reel::cli {
namespace {

std::string MetricText(const std::string& metric, double value) {
  return metric == "accuracy" ? Printed("accuracy %.2f %%", value * 100)
                              : StrCat("root of the mean squared error ", Printed("%.6g", value));
}

}  // namespace

std::string FitText(const FitReport& report) {
  const int64_t steps = report.last - report.first;
  std::string out = StrCat(report.data, "\n", report.model, ", ", WithCommas(report.parameters),
                           " parameters; a step is ", report.nodes, " nodes in ", report.kernels,
                           " kernels, compiled in ", Printed("%.1f s", report.compile_seconds), "\n");
  if (report.first > 0) StrAppend(&out, "went on from step ", report.first, " of ", report.checkpoint, "\n");
  StrAppend(&out, WithCommas(steps), " steps of ", report.batch, " (", report.steps_per_epoch, " an epoch)",
            steps > 0
                ? StrCat(", ", Printed("%.3g ms", report.step_seconds / static_cast<double>(steps) * 1e3), " each")
                : "",
            ", everything in ", Printed("%.1f s", report.total_seconds), "\n");
  StrAppend(&out, "loss ", Printed("%.4f", report.loss));
  if (report.evaluation) {
    StrAppend(&out, ", validation loss ", Printed("%.4f", report.evaluation->loss), ", ",
              MetricText(report.metric, report.evaluation->metric));
  }
  out += "\n";
  if (report.stopped_early) StrAppend(&out, "stopped early at step ", report.last, "\n");
  if (report.best_step > 0) StrAppend(&out, "kept the values of step ", report.best_step, ", the best\n");
  if (report.signal != 0) {
    StrAppend(&out, "stopped by ", ::strsignal(report.signal), " after step ", report.last,
              report.checkpoint.empty() ? "; with --checkpoints FOLDER it could go on\n"
                                        : "; the same command goes on from there\n");
  }
  for (const std::string& file : report.files) StrAppend(&out, "wrote ", file, "\n");
  if (!report.sample.empty()) StrAppend(&out, "\n", report.sample, "\n");
  return out;
}

Json FitJson(const FitReport& report) {
  Json out = {{"data", report.data},
              {"model", report.model},
              {"parameters", report.parameters},
              {"nodes", report.nodes},
              {"kernels", report.kernels},
              {"first_step", report.first},
              {"last_step", report.last},
              {"batch", report.batch},
              {"steps_per_epoch", report.steps_per_epoch},
              {"compile_seconds", report.compile_seconds},
              {"step_seconds", report.step_seconds},
              {"total_seconds", report.total_seconds},
              {"loss", report.loss},
              {"stopped_early", report.stopped_early},
              {"signal", report.signal},
              {"files", report.files}};
  if (report.evaluation) {
    out["validation_loss"] = report.evaluation->loss;
    out[report.metric] = report.evaluation->metric;
  }
  if (report.best_step > 0) out["best_step"] = report.best_step;
  if (!report.checkpoint.empty()) out["checkpoint"] = report.checkpoint;
  if (!report.sample.empty()) out["sample"] = report.sample;
  return out;
}

}  // namespace reel::cli
