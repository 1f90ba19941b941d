#ifndef REEL_FRONTEND_ONNX_EXPORT_H_
#define REEL_FRONTEND_ONNX_EXPORT_H_

#include <functional>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "frontend/onnx/schema.h"
#include "ir/file/writer.h"
#include "ir/graph.h"
#include "reel/onnx.h"

namespace reel::onnx {

/// The model that says what one entry point of a module does; an error names the first node that cannot be said.
absl::StatusOr<Model> Export(const ir::Module& module, const OnnxExportOptions& options);

/// Opens a file to be written.
using OpenFile = std::function<absl::StatusOr<ir::FileWriter*>(const std::string& path)>;

/// Writes the model, and with external_data its weights to <path>.data, to files that are opened when nothing can be
/// refused any more; whoever opens them commits them.
absl::Status Write(const ir::Module& module, const std::string& path, const OnnxExportOptions& options,
                   const OpenFile& open);

/// The same: whole files that replace old ones, or none.
absl::Status Save(const ir::Module& module, const std::string& path, const OnnxExportOptions& options);

/// What a graph says of an input or output.
ValueInfo InfoOf(const ir::Module& module, const std::string& name, const Type& type);

}  // namespace reel::onnx

#endif  // REEL_FRONTEND_ONNX_EXPORT_H_
