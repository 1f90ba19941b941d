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

/// Options of SaveOnnx.
struct OnnxExportOptions {
  int64_t opset = 17;      ///< 17 to 28
  std::string entry = "";  ///< of a module; empty: "main" or the only one
  /// Variables that are only read are inputs too, with their values as defaults; else constants of the model.
  bool weights_as_inputs = false;
  bool external_data = false;  ///< weights go to path.data, as models of more than 2 GiB must
};

/// Writes one entry point as an ONNX model that does the same: inference, gradients, a whole training step. A variable
/// that it updates is an input, with its value now as the default, and an output "<name>.next"; the metadata
/// "reel.state.<input>" names that. Symbolic extents are dim_params, complex tensors real ones with a last axis of 2.
/// What ONNX cannot say throws Unimplemented before anything is written, naming op, function and line; see
/// frontend/onnx/EXPORT.md. The file is replaced as a whole.
void SaveOnnx(const Module& module, const std::string& path, const OnnxExportOptions& options = {});
void SaveOnnx(const Function& function, const std::string& path, const OnnxExportOptions& options = {});

}  // namespace reel

#endif  // REEL_ONNX_H_
