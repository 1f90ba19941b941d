#ifndef REEL_FRONTEND_ONNX_WRITER_H_
#define REEL_FRONTEND_ONNX_WRITER_H_

#include <functional>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "frontend/onnx/schema.h"

namespace reel::onnx {

/// The number of a dtype in ONNX's enumeration of element types.
int64_t TypeNumber(DType dtype);

/// Takes the bytes of a file, in their order.
using Sink = std::function<absl::Status(std::string_view bytes)>;

struct ModelSinks {
  Sink model = nullptr;
  std::string data_name = "";  ///< initializers of at least 1 KiB go there, at multiples of 4 KiB; empty: none do
  Sink data = nullptr;
};

/// Sends a ModelProto as it is made: no copy of an initializer. What needs more than 2 GiB is refused before a byte is
/// sent: protocol buffers hold no more.
absl::Status WriteModel(const Model& model, const ModelSinks& to);

}  // namespace reel::onnx

#endif  // REEL_FRONTEND_ONNX_WRITER_H_
