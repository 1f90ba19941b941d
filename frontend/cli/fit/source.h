#ifndef REEL_FRONTEND_CLI_FIT_SOURCE_H_
#define REEL_FRONTEND_CLI_FIT_SOURCE_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "frontend/cli/fit/settings.h"
#include "reel/data.h"

// The user's data, of whatever form, as batches that a step takes.

namespace reel::cli {

enum class SourceKind {
  kTable,   ///< .csv
  kArrays,  ///< .npz, a folder with .npy files
  kIdx,     ///< a folder with files in the format of MNIST
  kImages,  ///< a folder with a folder of images for each class
  kText,    ///< .txt, .txt.gz
};

/// Data to train on. Batches are {features [n, shape...], labels}: labels are i64[n] of classes (of text: those of each
/// place, i64[n, length]), or numbers f32[n, outputs].
struct FitData {
  SourceKind kind = SourceKind::kTable;
  std::optional<reel::Dataset> train = {}, validation = {};  ///< single examples
  /// What makes such batches of batches of examples.
  std::function<Example(const Example&)> prepare = {};
  Shape features = {};  ///< of one example
  int64_t classes = 0;  ///< 0: numbers are to be predicted
  int64_t outputs = 0;  ///< of the model: the classes or numbers of a prediction
  std::vector<std::string> class_names = {};
  std::optional<Vocabulary> vocabulary = {};
  /// Of features of rank 1 and of numbers to predict: over the examples to train on. Empty: none.
  std::vector<float> feature_mean = {}, feature_deviation = {}, label_mean = {}, label_deviation = {};

  /// "1,437 examples f32[64] to train on, 160 to validate, 10 classes"
  std::string Describe() const;
};

/// Opens and checks all of it. Status 4 where a file cannot be read, 1 where it is not what the settings need; messages
/// have the file and its line or row, and what was expected.
FitData OpenData(const FitSettings& settings);

/// The kind of a path by its name and, of a folder, what is in it.
SourceKind KindOf(const std::string& path);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_FIT_SOURCE_H_
