#ifndef REEL_ONNX_H_
#define REEL_ONNX_H_

#include <map>
#include <string>
#include <string_view>

#include "ir/budget.h"
#include "reel/module.h"
#include "reel/tensor.h"

namespace reel {

/// Options of ImportOnnx.
struct OnnxOptions {
  std::map<std::string, int64_t> dims = {};  ///< extents that the model leaves open: {"batch", 8}
  /// Inputs that become constants, by name: those that decide shapes must.
  std::map<std::string, Tensor> constants = {};
  bool trainable = true;  ///< weights are trainable variables, else frozen ones
  std::string entry = "main";
  Budget budget = {};
};

/// The graph of an ONNX model (opsets 6 to 28 of the standard domain, newer ones as far as their
/// nodes have no inputs or attributes that opset 28 does not; functions of the model are written
/// out) as a module with one entry point. Weights become variables of their names, so that the
/// module can be trained; single numbers, and what shapes are computed from, become constant.
/// Data files are read inside the model's folder only. Throws Unimplemented for what Reel does not
/// have, naming the node.
Module ImportOnnx(const std::string& path, const OnnxOptions& options = {});
/// The same for the bytes of a model; `name` begins every error.
Module ImportOnnxBytes(std::string_view bytes, const std::string& name, const OnnxOptions& options = {});

}  // namespace reel

#endif  // REEL_ONNX_H_
