#ifndef REEL_FRONTEND_ONNX_WRITER_H_
#define REEL_FRONTEND_ONNX_WRITER_H_

#include <string>

#include "absl/status/statusor.h"
#include "frontend/onnx/schema.h"

namespace reel::onnx {

/// The number of a dtype in ONNX's enumeration of element types.
int64_t TypeNumber(DType dtype);

/// The bytes of a ModelProto. Given a name of a data file, initializers of at least 1 KiB are appended to `data`
/// instead, each at a multiple of 4 KiB. What needs more than 2 GiB is refused: protocol buffers hold no more.
absl::StatusOr<std::string> SerializeModel(const Model& model, const std::string& data_name, std::string* data);

}  // namespace reel::onnx

#endif  // REEL_FRONTEND_ONNX_WRITER_H_
