#ifndef REEL_FRONTEND_ONNX_READER_H_
#define REEL_FRONTEND_ONNX_READER_H_

#include <cstddef>
#include <functional>
#include <span>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "frontend/onnx/schema.h"
#include "ir/budget.h"

namespace reel::onnx {

/// Reads `length` bytes at `offset` of a file that the model names.
using ReadExternal =
    std::function<absl::StatusOr<std::vector<std::byte>>(std::string_view location, int64_t offset, int64_t length)>;

/// A ModelProto. Whatever the bytes, the answer is a Model or one error that begins with `name`.
/// Without `external`, a tensor whose data is in another file is an error.
absl::StatusOr<Model> ParseModel(std::span<const std::byte> bytes, std::string_view name, const Budget& budget,
                                 const ReadExternal& external = nullptr);

/// A TensorProto: the inputs and outputs that test data come with.
absl::StatusOr<ir::Literal> ParseTensor(std::span<const std::byte> bytes, std::string_view name,
                                        const Budget& budget = {});

/// The dtype of a number of ONNX's enumeration of element types.
absl::StatusOr<DType> DTypeOf(int64_t type);

}  // namespace reel::onnx

#endif  // REEL_FRONTEND_ONNX_READER_H_
