#ifndef REEL_FRONTEND_CLI_FIT_SETTINGS_H_
#define REEL_FRONTEND_CLI_FIT_SETTINGS_H_

#include <cstdint>
#include <string>
#include <vector>

#include "frontend/cli/cli.h"

// What `reel train --data` is asked to do.

namespace reel::cli {

/// The options as they were given; 0 and "" are the defaults that depend on the data or the model.
struct FitSettings {
  std::string data;
  std::string validation = "0.1";  ///< a fraction of the data, 0 for none, or data of the same kind
  std::string task = "auto";       ///< one of kTasks
  std::vector<std::string> labels, columns;
  std::string size;  ///< HEIGHTxWIDTH of images in folders

  std::string model;                         ///< one of kFitModels
  std::vector<int64_t> hidden;               ///< widths of dense layers; empty: 128 of an mlp, none of conv
  std::vector<int64_t> channels = {16, 32};  ///< of the convolutions
  double dropout = 0;
  int64_t layers = 4, heads = 4, width = 128, context = 64;  ///< of gpt

  std::string optimizer = "adam";  ///< of OptimizerNames()
  double learning_rate = 0;        ///< 0: the optimizer's
  std::string schedule = "constant";  ///< one of kSchedules
  int64_t warmup = 0;
  double weight_decay = 0, clip = 0;
  int64_t batch = 0, steps = 0, seed = 0;
  double epochs = 0;
  int64_t evaluate_every = 0, early_stopping = 0;
  int64_t shards = 0;  ///< of a batch, see DataParallel; 0: it is computed as one
  bool shard_optimizer = false;  ///< see DataParallelOptions; no number depends on it

  std::string checkpoints, log, logs, chart, save, export_to;
  int64_t sample = 200;  ///< characters that gpt writes at the end
};

inline const std::vector<std::string> kTasks = {"auto", "classes", "numbers"};
inline const std::vector<std::string> kFitModels = {"mlp", "conv", "gpt"};
inline const std::vector<std::string> kSchedules = {"constant", "cosine", "linear"};

/// What decides the numbers of a run, but for its length: a run that goes on must be asked for with the same.
Json RunSettings(const FitSettings& settings);

/// 1,115,394
std::string WithCommas(int64_t n);
/// printf of one number.
std::string Printed(const char* format, double value);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_FIT_SETTINGS_H_
