#ifndef REEL_FRONTEND_TENSORFLOW_SAVED_MODEL_H_
#define REEL_FRONTEND_TENSORFLOW_SAVED_MODEL_H_

#include <string>

#include "absl/status/status.h"
#include "frontend/tensorflow/writer.h"

namespace reel::tensorflow {

/// Writes a folder that TensorFlow loads: an entry point (empty: all of them) as a signature and as a function of the
/// loaded object, the module's variables in its checkpoint. The folder appears whole; an existing one is replaced if it
/// is empty or a SavedModel. Throws what AddEntry throws; the status is that of the files.
absl::Status WriteSavedModel(const ir::Module& module, const std::string& path, const std::string& entry,
                             const Dims& dims);

}  // namespace reel::tensorflow

#endif  // REEL_FRONTEND_TENSORFLOW_SAVED_MODEL_H_
