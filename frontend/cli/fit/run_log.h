#ifndef REEL_FRONTEND_CLI_FIT_RUN_LOG_H_
#define REEL_FRONTEND_CLI_FIT_RUN_LOG_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "ir/file/descriptor.h"

namespace reel::cli {

/// Figures of a model on the examples to validate.
struct Evaluation {
  double loss = 0;
  double metric = 0;  ///< accuracy of classes, else the root of the mean squared error in the units of the data
};

/// The curve of a run: a line for each step, in memory and as CSV. Each line is written at once, so that it stays
/// whatever becomes of the process; a run that goes on keeps the lines of the steps it goes on from.
class RunLog {
 public:
  /// Of steps 1 to `step`, what the file has: at step 0 it begins anew. `metric` is the title of a column; without a
  /// path there is no file. Status 1 if the file is the log of something else, 4 if it cannot be written.
  RunLog(const std::string& path, const std::string& metric, int64_t step);

  void Add(float loss, const std::optional<Evaluation>& evaluation);
  /// Of step i + 1; NaN where it is not known or there was no evaluation.
  const std::vector<float>& losses() const { return losses_; }
  const std::vector<float>& validation() const { return validation_; }
  /// Mean loss of the last steps, at most n.
  double MeanLoss(int64_t n) const;
  /// The curve as SVG.
  std::string Chart(const std::string& title) const;

 private:
  void ReadLines(const std::string& text, int64_t step);
  void Write(const std::string& line);

  std::string path_, header_, kept_;
  std::vector<float> losses_, validation_;
  ir::Descriptor file_;
};

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_FIT_RUN_LOG_H_
