#ifndef REEL_FRONTEND_ONNX_EXPORT_H_
#define REEL_FRONTEND_ONNX_EXPORT_H_

#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontend/onnx/schema.h"
#include "ir/graph.h"
#include "reel/onnx.h"

namespace reel::onnx {

/// The model that says what one entry point of a module does; an error names the first node that cannot be said.
absl::StatusOr<Model> Export(const ir::Module& module, const OnnxExportOptions& options);

/// The bytes of a model for this path, and with external_data those of its weights for <path>.data.
struct ModelFiles {
  std::string model, data;
};
absl::StatusOr<ModelFiles> Serialize(const ir::Module& module, const std::string& path,
                                     const OnnxExportOptions& options);

/// Writes them: whole files that replace old ones, or none.
absl::Status Save(const ir::Module& module, const std::string& path, const OnnxExportOptions& options);

/// What a graph says of an input or output.
ValueInfo InfoOf(const ir::Module& module, const std::string& name, const Type& type);

}  // namespace reel::onnx

#endif  // REEL_FRONTEND_ONNX_EXPORT_H_
