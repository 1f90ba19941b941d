#ifndef REEL_TENSORFLOW_H_
#define REEL_TENSORFLOW_H_

#include <cstdint>
#include <map>
#include <string>

#include "reel/module.h"

namespace reel {

/// Options of SaveGraphDef and SaveSavedModel.
struct TensorFlowOptions {
  /// The entry point that is written; empty: "main" or the only one, in a SavedModel all of them.
  std::string entry = {};
  std::map<std::string, int64_t> dims = {};  ///< numbers for symbolic extents: {"B", 64}
};

/// An entry point as a frozen GraphDef of TensorFlow: forward, backward and update as they are, the file whole or as it
/// was. Arguments are Placeholder nodes, results Identity nodes of their names; a variable that is only read is a
/// constant, one that is updated is PlaceholderWithDefault `w` and a result `w_next`. Throws Unimplemented for what
/// TensorFlow does not have, naming op and line (frontend/tensorflow/OPERATORS.md).
void SaveGraphDef(const Module& module, const std::string& path, const TensorFlowOptions& options = {});

/// A folder that tf.saved_model.load and sessions of version 1 load: entry points as signatures and functions, the
/// module's variables in a checkpoint, which TensorFlow trains on. It appears whole; an existing folder is replaced if
/// it is empty or a SavedModel, else FailedPrecondition is thrown. Names are made valid
/// (frontend/tensorflow/README.md).
void SaveSavedModel(const Module& module, const std::string& path, const TensorFlowOptions& options = {});

}  // namespace reel

#endif  // REEL_TENSORFLOW_H_
