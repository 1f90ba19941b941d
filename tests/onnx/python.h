#ifndef REEL_TESTS_ONNX_PYTHON_H_
#define REEL_TESTS_ONNX_PYTHON_H_

#include <cstdlib>
#include <string>

#include "tests/paths.h"

namespace reel::onnx {

/// The Python that has onnx and onnxruntime (REEL_ONNX_PYTHON, else that of build/venv), or "" if it has not.
inline std::string PythonWithOnnx() {
  const char* given = std::getenv("REEL_ONNX_PYTHON");
  const std::string python = given ? given : BinaryDir() + "/venv/bin/python3";
  return std::system((python + " -c 'import onnx, onnxruntime' 2>/dev/null").c_str()) == 0 ? python : "";
}
inline constexpr char kNoOnnx[] = "needs onnx and onnxruntime in build/venv: third_party/setup test";

/// Runs the models of a folder; whether the script did.
inline bool RunExports(const std::string& python, const std::string& folder) {
  return std::system((python + " -B " + SourceDir() + "/tests/onnx/run_exports.py " + folder).c_str()) == 0;
}

}  // namespace reel::onnx

#endif  // REEL_TESTS_ONNX_PYTHON_H_
