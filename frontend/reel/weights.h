#ifndef REEL_WEIGHTS_H_
#define REEL_WEIGHTS_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "reel/layers.h"
#include "reel/optimizers.h"
#include "reel/random.h"
#include "reel/tensor.h"
#include "reel/training.h"
#include "reel/variable.h"

// Models as things one can keep: their state by name, and files of it.
//
//   SaveWeights("model.safetensors", model);
//   LoadWeights("model.safetensors", model);

namespace reel {

class DatasetIterator;

namespace internal {
class StateSource;
}

/// Values by name, in order.
using StateDict = std::vector<std::pair<std::string, Tensor>>;

/// What has state, as a handle: a layer, an optimizer, a generator, variables, a number, or several of these by name.
/// A layer calls its values what its variables are called, without its own name: "dense/kernel" in a Sequential,
/// "kernel" of a Dense; an optimizer "learning_rate", "dense/kernel/m".
class StateRef {
 public:
  StateRef(const Layer& layer);                       // NOLINT: implicit by design
  StateRef(const Optimizer& optimizer);               // NOLINT
  StateRef(const Generator& generator);               // NOLINT
  StateRef(const ExponentialMovingAverage& average);  // NOLINT
  StateRef(const LossScale& scale);                   // NOLINT
  /// The place of an iterator, i64[3]: its epoch, its position and a number of its pipeline, that of another is an
  /// error.
  StateRef(const DatasetIterator& iterator);  // NOLINT
  StateRef(const Variable& variable);                 // NOLINT
  /// Variables by their names, which must be distinct.
  StateRef(const std::vector<Variable>& variables);  // NOLINT
  /// An i64 scalar; the number must outlive this.
  StateRef(int64_t* number);  // NOLINT
  /// Parts: "model/dense/kernel".
  StateRef(std::vector<std::pair<std::string, StateRef>> parts);  // NOLINT

  const std::shared_ptr<internal::StateSource>& internal_data() const { return data_; }

 private:
  std::shared_ptr<internal::StateSource> data_;
};

/// The present values, and those that wait for a variable to be made.
StateDict GetState(const StateRef& state);

/// Options of LoadState and LoadWeights.
struct LoadOptions {
  /// False: what is missing stays as it is, and what belongs nowhere is left out. A wrong shape or dtype is an error
  /// all the same.
  bool strict = true;
};
/// Assigns the values. All that does not fit (missing, extra, shape, dtype) is one error, and then nothing is assigned.
/// A layer that was not called yet makes its variables, of the sizes that the values have. Slots of an optimizer and
/// averages are made by the first step as ever: until then their values are kept, and they begin with these.
void LoadState(const StateRef& state, const StateDict& values, const LoadOptions& options = {});

/// Writes a file: safetensors, or NumPy's archive if the path ends with .npz. At any moment there is the old file or
/// the new one.
void SaveWeights(const std::string& path, const StateRef& state);
void SaveWeights(const std::string& path, const StateDict& values);
/// LoadState() of a file's values.
void LoadWeights(const std::string& path, const StateRef& state, const LoadOptions& options = {});
/// What a file of weights holds, of Reel or another program. A damaged file is an error that names the damaged entry.
StateDict ReadWeights(const std::string& path);

}  // namespace reel

#endif  // REEL_WEIGHTS_H_
