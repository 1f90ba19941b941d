#include "frontend/cli/bench/family.h"

namespace reel::cli {
namespace {

// g g' / n + 1 on the diagonal: positive definite.
Tensor Definite(const Tensor& g) {
  const int64_t n = g.shape().dim(g.rank() - 1);
  return MatMul(g, g, {.transpose_b = true}) / static_cast<double>(n) + Eye(n);
}

// Cholesky's factors of a batch of definite matrices n x n, and the solutions of the triangular equations for m right
// sides.
Workload MakeCholesky(const Inputs& in, int64_t batch, int64_t n, int64_t m) {
  Workload out{.kind = Workload::Kind::kOp};
  const Tensor own = in.given() ? Zeros({batch, n, n}) : Definite(in.Normal("data.g", {batch, n, n}));
  out.inputs = {in.Value("params.a", own), in.Normal("params.b", {batch, n, m})};
  const auto b = static_cast<double>(batch), d = static_cast<double>(n), k = static_cast<double>(m);
  out.flops = b * (d * d * d / 3 + d * d * k);
  out.bytes = 4 * b * (2 * d * d + 2 * d * k);
  out.step = [](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    return {TriangularSolve(Cholesky(in[0]), in[1])};
  };
  return out;
}

// Minus the log likelihood of y by a Gaussian process of x with kernel exp(s - d2 / 2) + 0.1 where x is scaled by
// exp(l), without its constant: by l and s.
Workload MakeProcess(const Inputs& in, int64_t n, int64_t features) {
  Workload out{.kind = Workload::Kind::kGrad};
  out.inputs = {in.Normal("params.l", {features}, {.stddev = 0.1}), in.Normal("params.s", {1}, {.stddev = 0.1}),
                in.Normal("data.x", {n, features}), in.Normal("data.y", {n, 1})};
  const auto d = static_cast<double>(n);
  out.flops = d * d * d + 30 * d * d;
  out.bytes = 4 * 4 * d * d;
  out.step = GradientStep(
      [n](const std::vector<Tensor>& in) {
        const Tensor x = in[2] * Exp(in[0]), squares = ReduceSum(Square(x), {1}, {.keepdims = true});
        const Tensor distance = squares + Transpose(squares) - 2.f * MatMul(x, x, {.transpose_b = true});
        const Tensor l = Cholesky(Exp(in[1] - 0.5f * distance) + 0.1f * Eye(n));
        const Tensor z = TriangularSolve(l, in[3]);
        return 0.5f * ReduceSum(Square(z)) + ReduceSum(Log(DiagPart(l)));
      },
      2);
  return out;
}

}  // namespace

std::vector<Entry> FactorWorkloads() {
  return {{"cholesky_16x64", "factor", [](const Inputs& in) { return MakeCholesky(in, 16, 64, 8); }},
          {"process_128", "factor", [](const Inputs& in) { return MakeProcess(in, 128, 4); }}};
}

}  // namespace reel::cli
