#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "ir/strings.h"
#include "reel/linalg.h"
#include "reel/products.h"

namespace reel::onnx {
namespace {

Tensors ImportMatMul(const NodeContext& c) { return {MatMul(c.In(0), c.In(1))}; }

// alpha A B + beta C, A and B transposed on demand.
Tensors ImportGemm(const NodeContext& c) {
  Tensor a = c.In(0), b = c.In(1);
  const double alpha = c.Float("alpha", 1), beta = c.Float("beta", 1);
  c.Ignore("broadcast");  // before opset 7
  if (a.rank() != 2 || b.rank() != 2) {
    Wrong(StrCat("matrices are needed, got ", a.type().ToString(), " and ", b.type().ToString()));
  }
  if (c.Int("transA", 0) != 0) a = Transpose(a);
  if (c.Int("transB", 0) != 0) b = Transpose(b);
  Tensor y = MatMul(a, b);
  if (alpha != 1) y = y * ScalarLike(y, alpha);
  if (!c.Has(2)) return {y};
  const Tensor bias = c.In(2);
  return {y + (beta == 1 ? bias : bias * ScalarLike(bias, beta))};
}

Tensors ImportEinsum(const NodeContext& c) { return {Einsum(c.String("equation", ""), c.AllIn())}; }

Tensors ImportDet(const NodeContext& c) { return {Det(c.In(0))}; }

constexpr OpRow kRows[] = {
    {"Det", 11, ImportDet},
    {"Einsum", 12, ImportEinsum},
    {"Gemm", 6, ImportGemm},
    {"MatMul", 1, ImportMatMul},
};

}  // namespace

absl::Span<const OpRow> ContractOps() { return kRows; }

}  // namespace reel::onnx
