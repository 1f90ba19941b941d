#ifndef REEL_FRONTEND_CLI_TRAIN_JOB_H_
#define REEL_FRONTEND_CLI_TRAIN_JOB_H_

#include <functional>
#include <string>
#include <vector>

#include "frontend/cli/train/models.h"

// The main job: one training step, run eagerly, lifted, saved, compiled in process and into an
// object.

namespace reel::cli {

struct TrainOptions {
  std::string folder;        ///< where the files go
  int64_t steps = 0;         ///< of the whole run; 0: the model's
  int64_t eager_steps = 50;  ///< before the step is lifted
  int64_t check_steps = 10;  ///< that every engine repeats from the same state
  int64_t reference_steps = 3;
  /// Called as the work goes on, with the part of 1 that is done and what is being done.
  std::function<void(double done, const std::string& what)> progress = [](double, const std::string&) {};
};

/// A line of the table.
struct EngineRow {
  std::string engine;
  int64_t first = 0, last = 0;  ///< its steps, from 1
  double seconds_per_step = 0;
  float loss = 0;        ///< at TrainReport::compared_step
  double accuracy = -1;  ///< on the test data after its last step; < 0: not measured
};

struct CheckRow {
  std::string what;
  bool ok = false;
};

struct TrainReport {
  std::string name, title;
  int64_t compared_step = 0;
  std::vector<EngineRow> rows;
  std::vector<CheckRow> checks;
  std::vector<std::string> files;
  std::vector<float> losses;  ///< of all steps: eager, then compiled
  double compile_seconds = 0, object_seconds = 0, total_seconds = 0;
  int64_t nodes = 0;  ///< of the lifted step

  bool ok() const;
};

TrainReport RunTrainJob(const Model& model, const TrainOptions& options);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_TRAIN_JOB_H_
