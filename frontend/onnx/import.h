#ifndef REEL_FRONTEND_ONNX_IMPORT_H_
#define REEL_FRONTEND_ONNX_IMPORT_H_

#include <string>
#include <string_view>

#include "frontend/onnx/reader.h"
#include "reel/onnx.h"

namespace reel::onnx {

/// What ImportOnnx does with the bytes of a model. Data files are read by `external`.
Module Import(std::string_view bytes, const std::string& name, const OnnxOptions& options,
              const ReadExternal& external);

/// Reads the data files of a model at this path: inside its folder, no way out by "..", "/" or a
/// link.
ReadExternal ReadBeside(const std::string& path);

}  // namespace reel::onnx

#endif  // REEL_FRONTEND_ONNX_IMPORT_H_
