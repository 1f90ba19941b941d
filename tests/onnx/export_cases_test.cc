#include <gtest/gtest.h>

#include <cstdlib>

#include "frontend/onnx/export.h"
#include "frontend/onnx/export_node.h"
#include "ir/eval/eval.h"
#include "ir/strings.h"
#include "tests/onnx/runtime_folder.h"
#include "tests/ops/compare.h"
#include "tests/ops/op_cases.h"

// The op table in ONNX Runtime: each case is exported, looked at by ONNX's checker, run, and compared with the
// reference evaluator.

namespace reel::onnx {
namespace {

using optable::OpCase;

// Units in the last place beyond those of the case, of functions whose kernels have absolute errors.
double SlackOf(ir::Op op) {
  switch (op) {
    case ir::Op::kTanh: return 512;
    case ir::Op::kSigmoid: return 512;
    case ir::Op::kSin:
    case ir::Op::kCos: return 16384;  // of large arguments
    default: return 16;
  }
}

bool Has(const std::string& text, std::string_view part) { return text.find(part) != std::string::npos; }

// Values that the runtime treats in its own way: EXPORT.md says so.
bool IsLeftToTheRuntime(const OpCase& c) {
  const bool extreme = Has(c.name, "special values") || Has(c.name, "random bits");
  if (c.op == ir::Op::kSigmoid) return extreme;  // is 0 far below 0
  return c.op == ir::Op::kDiv && extreme && (Has(c.name, "c64") || Has(c.name, "c128"));  // signs of zeros
}

// Why a case may fail; else "".
std::string Excuse(const OpCase& c, const ExportRow& row, const std::string& error) {
  if (c.out_of_range) return "an index is out of range";
  if (Has(error, "NOT_IMPLEMENTED") && Has(std::string(row.note), "f32 alone") && Has(c.name, "f64"))
    return "no kernel of f64";
  return "";
}

// Zeros of the other sign become those that are wanted: Where and Max of ONNX Runtime do not keep it.
ir::Literal WithZeros(const ir::Literal& got, const ir::Literal& want) {
  std::vector<std::byte> bytes(got.bytes().begin(), got.bytes().end());
  const auto size = static_cast<size_t>(SizeOf(RealOf(got.dtype())));
  const auto is_zero = [size](const std::byte* p) {
    for (size_t i = 0; i + 1 < size; ++i) {
      if (p[i] != std::byte{0}) return false;
    }
    return (p[size - 1] & std::byte{0x7f}) == std::byte{0};
  };
  for (size_t at = 0; IsDifferentiable(got.dtype()) && at < bytes.size(); at += size) {
    if (is_zero(&bytes[at]) && is_zero(&want.bytes()[at])) bytes[at + size - 1] = want.bytes()[at + size - 1];
  }
  return ir::Literal(got.type(), std::move(bytes));
}

class Cases {
 public:
  explicit Cases(int64_t opset) : options_{.opset = opset}, folder_(StrCat(opset)) {}

  // Every `stride`th case of an op; those that ONNX cannot say must be ones that the table refuses.
  void Write(ir::Op op, size_t stride) {
    const ExportRow& row = FindExport(op);
    const std::vector<OpCase> all = optable::CasesFor(op);
    for (size_t i = 0; i < all.size(); i += stride) {
      const auto model = Export(all[i].module, options_);
      if (model.ok()) {
        folder_.Add(*model, all[i].inputs);
        cases_.push_back(all[i]);
      } else {
        ++refused_;
        EXPECT_TRUE(!row.write || row.refuses) << all[i].name << ": " << model.status();
      }
    }
  }

  bool Run(const std::string& python) { return folder_.Run(python); }

  void Compare() {
    int compared = 0, excused = 0;
    for (size_t n = 0; n < cases_.size(); ++n) {
      const OpCase& c = cases_[n];
      SCOPED_TRACE(c.name);
      const std::string error = folder_.Error(n);
      if (!error.empty()) {
        EXPECT_FALSE(Excuse(c, FindExport(c.op), error).empty()) << error;
        ++excused;
      } else if (!IsLeftToTheRuntime(c)) {
        CompareResults(c, n);
        ++compared;
      }
    }
    std::printf("opset %d: %d cases compared, %d failed as they may, %d refused\n", static_cast<int>(options_.opset),
                compared, excused, refused_);
  }

 private:
  void CompareResults(const OpCase& c, size_t n) {
    std::vector<ir::EvalTensor> inputs, sizes;
    for (const ir::Literal& x : c.inputs) {
      inputs.push_back(*ir::FromLiteral(x));
      sizes.push_back(*ir::FromLiteral(optable::Absolute(x)));
    }
    const auto want = ir::EvaluateLiterals(c.module, c.main(), c.inputs, optable::WithCallbacks());
    const auto exact = ir::Evaluate(c.module, c.main(), inputs, optable::WithCallbacks()),
               magnitude = ir::Evaluate(c.module, c.main(), sizes, optable::WithCallbacks());
    optable::Tolerance tolerance = c.tolerance;
    if (!tolerance.exact()) tolerance.ulps += SlackOf(c.op);
    for (size_t k = 0; k < want->size(); ++k) {
      const ir::Literal got = WithZeros(folder_.Result(n, k, (*want)[k].type()), (*want)[k]);
      if (optable::DifferentBits(got, (*want)[k]).empty()) continue;
      EXPECT_EQ(optable::TooFar(got, (*exact)[k], (*magnitude)[k], tolerance), "");
    }
  }

  const OnnxExportOptions options_;
  RuntimeFolder folder_;
  std::vector<OpCase> cases_;
  int refused_ = 0;
};

void RunAll(int64_t opset, size_t stride) {
  const std::string python = PythonWithOnnx();
  if (python.empty()) GTEST_SKIP() << kNoOnnx;
  Cases cases(opset);
  for (const ir::Op op : ir::AllOps()) cases.Write(op, stride);
  ASSERT_TRUE(cases.Run(python));
  cases.Compare();
}

// A sample; with REEL_ALL_CASES every case, as `third_party/setup interop` has it.
size_t Stride(size_t usual) { return std::getenv("REEL_ALL_CASES") != nullptr ? 1 : usual; }

TEST(OnnxRuntime, OpTable) { RunAll(17, Stride(5)); }
TEST(OnnxRuntime, OpTableNewest) { RunAll(28, Stride(11)); }

}  // namespace
}  // namespace reel::onnx
