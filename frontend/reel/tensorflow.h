#ifndef REEL_TENSORFLOW_H_
#define REEL_TENSORFLOW_H_

#include <cstdint>
#include <map>
#include <string>

#include "reel/module.h"

namespace reel {

/// Options of SaveGraphDef.
struct TensorFlowOptions {
  std::string entry = {};  ///< the entry point that is written; empty: "main" or the only one
  std::map<std::string, int64_t> dims = {};  ///< numbers for symbolic extents: {"B", 64}
};

/// An entry point as a frozen GraphDef of TensorFlow: forward, backward and update as they are, the file whole or as it
/// was. Arguments are Placeholder nodes, results Identity nodes of their names; a variable that is only read is a
/// constant, one that is updated is PlaceholderWithDefault `w` and a result `w_next`. Throws Unimplemented for what
/// TensorFlow does not have, naming op and line (frontend/tensorflow/OPERATORS.md).
void SaveGraphDef(const Module& module, const std::string& path, const TensorFlowOptions& options = {});

}  // namespace reel

#endif  // REEL_TENSORFLOW_H_
