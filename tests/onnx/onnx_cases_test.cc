#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <map>
#include <sstream>

#include "frontend/onnx/node.h"
#include "frontend/onnx/reader.h"
#include "frontend/record/event_log.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/eval/eval.h"
#include "ir/proto/file.h"
#include "ir/strings.h"
#include "reel/compile.h"
#include "reel/onnx.h"
#include "tests/paths.h"

// Every case of ONNX's own test suite, as Debian packages it, those of newer operators and what
// PyTorch exports: imported, then run by the reference evaluator and by compiled code, and compared
// with the outputs that come with it.

namespace reel::onnx {
namespace {

namespace fs = std::filesystem;

const fs::path kFolder = "/usr/share/libonnx-testdata/data";

struct Outcome {
  enum Kind { kPassed, kConstant, kUnsupported, kWrong } kind = kPassed;
  std::string reason;
};

std::string ReadFile(const fs::path& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream bytes;
  bytes << file.rdbuf();
  return bytes.str();
}

std::vector<ir::Literal> ReadTensors(const fs::path& folder, const char* prefix) {
  std::vector<ir::Literal> out;
  for (int i = 0;; ++i) {
    const fs::path path = folder / StrCat(prefix, i, ".pb");
    if (!fs::exists(path)) return out;
    const std::string bytes = ReadFile(path);
    out.push_back(internal::Take(ParseTensor(std::as_bytes(std::span(bytes)), path.string())));
  }
}

bool IsTransform(const Graph& graph) {
  return std::any_of(graph.nodes.begin(), graph.nodes.end(),
                     [](const Node& node) { return node.op == "DFT" || node.op == "STFT"; });
}

// Random results can only be compared by type.
bool IsRandom(const ir::Module& module) {
  for (const auto& f : module.functions()) {
    for (const ir::Node& node : f->nodes()) {
      if (node.op == ir::Op::kRandomBits) return true;
    }
  }
  return false;
}

// The data files hold bf16 as its bits.
ir::Literal FromBits(const ir::Literal& literal, DType dtype) {
  if (dtype != kBFloat16 || literal.dtype() != kUInt16) return literal;
  const auto bytes = literal.bytes();
  return ir::Literal({dtype, literal.shape()}, {bytes.begin(), bytes.end()});
}

struct Tolerance {
  bool types_only = false;  // of random numbers
  bool transform = false;   // whose error is relative to the largest element
  double exports = 0;       // of what PyTorch exported, relative to 1 or more; 0: ONNX's own
};

// ONNX's own tolerance for floats; everything else is exact. Empty if `got` is near enough.
std::string Difference(const ir::Literal& got, const ir::Literal& data, const Tolerance& t) {
  // Ops that round to half precision, each on its own: 4 units in the last place.
  const double kHalf = got.dtype() == kBFloat16 ? 1.0 / 64 : 1.0 / 512, kAbsolute = 1e-7;
  const double kRelative = SizeOf(got.dtype()) == 2 ? kHalf : 1e-3;
  const ir::Literal want = FromBits(data, got.dtype());
  if (got.type() != want.type()) return StrCat("is ", got.type().ToString(), ", expected ", want.type().ToString());
  double largest = 1;
  for (int64_t i = 0; t.transform && i < want.size(); ++i) largest = std::max(largest, std::abs(want.AsDouble(i)));
  for (int64_t i = 0; !t.types_only && i < want.size(); ++i) {
    const double a = got.AsDouble(i), b = want.AsDouble(i);
    if (t.exports > 0 && IsFloat(want.dtype()) && std::abs(a - b) <= t.exports * std::max(1.0, std::abs(b))) continue;
    const bool near = t.exports > 0 && IsFloat(want.dtype()) ? std::isnan(a) && std::isnan(b)
                      : IsFloat(want.dtype())
                          ? a == b || (std::isnan(a) && std::isnan(b)) ||
                                (std::isfinite(b) && std::abs(a - b) <= kAbsolute * largest + kRelative * std::abs(b))
                          : got.AsInt(i) == want.AsInt(i);
    if (!near) return StrCat("element ", i, " is ", a, ", expected ", b);
  }
  return "";
}

struct Case {
  std::string name;
  fs::path folder;
  std::string bytes;
  Model model;

  // Those that have no initial value: what the test data is for.
  std::vector<std::string> Inputs() const {
    std::vector<std::string> names;
    for (const ValueInfo& input : model.graph.inputs) {
      const auto same = [&](const auto& initial) { return initial.first == input.name; };
      const auto& initials = model.graph.initializers;
      if (std::none_of(initials.begin(), initials.end(), same)) names.push_back(input.name);
    }
    return names;
  }
};

// Is that the shape which the model itself says of its i-th input?
bool IsDeclared(const Case& c, size_t i, const Shape& shape) {
  for (const ValueInfo& input : c.model.graph.inputs) {
    if (input.name != c.Inputs().at(i)) continue;
    std::vector<int64_t> dims;
    for (const Dimension& d : input.shape) dims.push_back(d.value);
    return dims == shape.dims();
  }
  return false;
}

// Inputs that decide shapes become constants, one after the other, as the importer asks for them.
Module Import(const Case& c, const std::vector<ir::Literal>& inputs, OnnxOptions* options) {
  for (;;) {
    try {
      return ImportOnnxBytes(c.bytes, c.name, *options);
    } catch (const UnknownElements& error) {
      size_t i = 0;
      while (i < inputs.size() && c.Inputs().at(i) != error.input()) ++i;
      if (i == inputs.size() || options->constants.contains(error.input())) throw;
      options->constants.emplace(error.input(), internal::FromLiteral(inputs[i]));
    }
  }
}

std::string Compare(const char* engine, const std::vector<ir::Literal>& got, const std::vector<ir::Literal>& want,
                    const Tolerance& tolerance) {
  if (got.size() != want.size()) return StrCat(engine, ": ", got.size(), " results, expected ", want.size());
  for (size_t i = 0; i < want.size(); ++i) {
    const std::string difference = Difference(got[i], want[i], tolerance);
    if (!difference.empty()) return StrCat(engine, ": output ", i, " ", difference);
  }
  return "";
}

// Runs one data set; empty if all engines agree with the expected outputs.
std::string RunSet(const Case& c, const fs::path& set, double exports, Outcome* outcome) {
  const std::vector<ir::Literal> inputs = ReadTensors(set, "input_");
  const std::vector<ir::Literal> want = ReadTensors(set, "output_");
  OnnxOptions options;
  const Module module = Import(c, inputs, &options);
  const ir::Module& graph = module.internal_data()->module;
  std::vector<ir::Literal> arguments;
  std::vector<Tensor> tensors;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (options.constants.contains(c.Inputs().at(i))) continue;
    const auto& f = *graph.FindFunction("main");
    const Type& type = f.parameter(static_cast<int>(arguments.size())).type;
    arguments.push_back(FromBits(inputs[i], type.dtype));
    if (arguments.back().shape() != type.shape) {
      if (IsDeclared(c, i, type.shape))
        throw Error(ErrorCode::kUnimplemented, "the data has another shape than the model says");
      return StrCat("input ", i, " is ", arguments.back().shape().ToString(), ", the module says ",
                    type.shape.ToString());
    }
    tensors.push_back(internal::FromLiteral(arguments.back()));
  }
  if (arguments.empty() && !inputs.empty()) outcome->kind = Outcome::kConstant;
  const Tolerance tolerance{IsRandom(graph), IsTransform(c.model.graph), exports};
  internal::Take(ir::SerializeModule(graph));
  const auto reference = internal::Take(ir::EvaluateEntry(graph, "main", arguments, {}, {.round_each_op = true}));
  std::string wrong = Compare("reference", reference.outputs, want, tolerance);
  if (!wrong.empty()) return wrong;
  std::vector<ir::Literal> compiled;
  for (const Tensor& t : Compile(module)("main", tensors)) compiled.push_back(internal::ToLiteral(t));
  return Compare("compiled", compiled, want, tolerance);
}

// What is wrong with the graph's inputs and outputs before any data is read; empty if nothing.
std::string UnsupportedTypes(const Graph& graph) {
  for (const auto* values : {&graph.inputs, &graph.outputs}) {
    for (const ValueInfo& value : *values) {
      if (!value.unsupported.empty()) return value.unsupported;
    }
  }
  return "";
}

// "Op: why", so that cases of one reason stand together.
std::string Reason(const std::string& message) {
  const size_t open = message.find(" ("), close = message.find("): ");
  if (open == std::string::npos || close == std::string::npos || close < open) return message;
  return StrCat(message.substr(open + 2, close - open - 2), ": ", message.substr(close + 3));
}

Outcome RunCase(const fs::path& folder, double exports) {
  Outcome outcome;
  try {
    Case c{folder.filename().string(), folder, ReadFile(folder / "model.onnx"), {}};
    c.model = internal::Take(ParseModel(std::as_bytes(std::span(c.bytes)), c.name, {}));
    if (const std::string types = UnsupportedTypes(c.model.graph); !types.empty())
      return {Outcome::kUnsupported, types};
    for (int i = 0; fs::exists(folder / StrCat("test_data_set_", i)) && outcome.reason.empty(); ++i)
      outcome.reason = RunSet(c, folder / StrCat("test_data_set_", i), exports, &outcome);
    if (!outcome.reason.empty()) outcome.kind = Outcome::kWrong;
  } catch (const Error& error) {
    const bool refused =
        error.code() == ErrorCode::kUnimplemented || dynamic_cast<const UnknownElements*>(&error) != nullptr;
    outcome = {refused ? Outcome::kUnsupported : Outcome::kWrong, Reason(error.what())};
  }
  return outcome;
}

// Runs the cases of a folder; none may be wrong, and at least so many must pass. That number is
// raised when more pass; it never goes down.
void RunFolder(const fs::path& root, int passing, double exports = 0) {
  ASSERT_TRUE(fs::exists(root)) << root << " is missing: install the package libonnx-testdata "
                                << "(third_party/setup packages)";
  std::vector<fs::path> folders;
  for (const auto& entry : fs::directory_iterator(root)) folders.push_back(entry.path());
  std::sort(folders.begin(), folders.end());
  std::map<Outcome::Kind, int> counts;
  std::map<std::string, std::vector<std::string>> unsupported;
  const char* const only = std::getenv("REEL_ONNX_CASE");
  for (const fs::path& folder : folders) {
    const std::string test = folder.filename().string();
    if (only && test.find(only) == std::string::npos) continue;
    const Outcome outcome = RunCase(folder, exports);
    ++counts[outcome.kind];
    if (outcome.kind == Outcome::kUnsupported) unsupported[outcome.reason].push_back(test);
    if (outcome.kind == Outcome::kWrong) ADD_FAILURE() << test << ": " << outcome.reason;
  }
  for (const auto& [reason, names] : unsupported) {
    std::printf("unsupported %3zu  %s  [%s%s]\n", names.size(), reason.c_str(), names[0].c_str(),
                names.size() > 1 ? ", ..." : "");
  }
  const int passed = counts[Outcome::kPassed] + counts[Outcome::kConstant];
  std::printf("%s: %zu cases, %d passed (%d of them computed at import), %d unsupported, %d wrong\n", root.c_str(),
              folders.size(), passed, counts[Outcome::kConstant], counts[Outcome::kUnsupported],
              counts[Outcome::kWrong]);
  EXPECT_GE(passed, only ? 0 : passing);
}

TEST(OnnxCases, Node) { RunFolder(kFolder / "node", 864); }
TEST(OnnxCases, PyTorchConverted) { RunFolder(kFolder / "pytorch-converted", 82); }
TEST(OnnxCases, PyTorchOperator) { RunFolder(kFolder / "pytorch-operator", 35); }
TEST(OnnxCases, Simple) { RunFolder(kFolder / "simple", 7); }

// Operators of opset 18 and newer, written by node_cases.py.
TEST(OnnxCases, Newer) { RunFolder(BinaryDir() + "/tests/onnx/cases/newer", 853); }

// What PyTorch exports, by both exporters, beside ONNX Runtime: see make_exports.py.
TEST(OnnxCases, Exports) { RunFolder(BinaryDir() + "/tests/onnx/cases/exports", 144, 1e-5); }

// The cases of the release that is installed, written by node_cases.py.
TEST(OnnxCases, Installed) {
  const char* const folder = std::getenv("REEL_ONNX_NODES");
  if (!folder) GTEST_SKIP() << "set REEL_ONNX_NODES to what tests/onnx/node_cases.py wrote";
  RunFolder(folder, 0);
}

}  // namespace
}  // namespace reel::onnx
