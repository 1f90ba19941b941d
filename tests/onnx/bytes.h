#ifndef REEL_TESTS_ONNX_BYTES_H_
#define REEL_TESTS_ONNX_BYTES_H_

#include <gtest/gtest.h>

#include <string>

#include "frontend/onnx/writer.h"

namespace reel::onnx {

/// The file of a model, in memory.
inline std::string BytesOf(const Model& model) {
  std::string bytes;
  const absl::Status written = WriteModel(model, {.model = [&](std::string_view piece) {
                                            bytes.append(piece);
                                            return absl::OkStatus();
                                          }});
  EXPECT_TRUE(written.ok()) << written;
  return bytes;
}

}  // namespace reel::onnx

#endif  // REEL_TESTS_ONNX_BYTES_H_
