#include <cmath>
#include <numbers>

#include "frontend/cli/bench/family.h"
#include "ir/strings.h"

namespace reel::cli {
namespace {

constexpr int64_t kComponents = 25;

// Where each entry below the diagonal of a d x d matrix stands in a vector of a leading zero and
// then the lower triangle column by column; 0 elsewhere.
Tensor LowerIndices(int64_t d) {
  std::vector<int32_t> out(static_cast<size_t>(d * d));
  int32_t k = 1;
  for (int64_t j = 0; j < d; ++j) {
    for (int64_t i = j + 1; i < d; ++i) out[static_cast<size_t>(i * d + j)] = k++;
  }
  return Tensor::FromData(out, {d, d});
}

// What the loss has beside what depends on the parameters, for a Wishart prior with gamma 1, m 0.
double LossConstant(double n, int64_t d) {
  const auto dim = static_cast<double>(d), degrees = dim + 1;
  double log_gamma = 0.25 * dim * (dim - 1) * std::log(std::numbers::pi);
  for (int64_t j = 0; j < d; ++j) log_gamma += std::lgamma(0.5 * (degrees - static_cast<double>(j)));
  return -n * dim * 0.5 * std::log(2 * std::numbers::pi) +
         kComponents * (degrees * dim * 0.5 * std::numbers::ln2 + log_gamma);
}

// Log-likelihood of a Gaussian mixture with its prior: sum_i lse_k(alpha_k + sum q_k - |Q_k (x_i -
// mu_k)|^2 / 2) - n lse(alpha) + (|exp q|^2 + |L|^2) / 2 + constant. Q_k is lower triangular with
// the diagonal exp(q_k), below it L_k; a row of icf is q_k, then L_k by columns. Inputs: alphas,
// means, icf, x, LowerIndices. ADBench: Srajer, Kukelova, Fitzgibbon, 2018.
Tensor MixtureLoss(const std::vector<Tensor>& in, double constant) {
  const Tensor &alphas = in[0], &means = in[1], &icf = in[2], &x = in[3];
  const int64_t n = x.shape().dim(0), d = x.shape().dim(1);
  const std::vector<Tensor> parts = Split(icf, {d, icf.shape().dim(1) - d}, 1);
  const Tensor &q = parts[0], &lower = parts[1];
  const Tensor factors = Gather(Pad(lower, {0, 1}, {0, 0}), in[4], 1) + Diag(Exp(q));
  const Tensor centers = Squeeze(MatMul(factors, ExpandDims(means, -1)), -1);
  const Tensor turned = MatMul(x, Transpose(Reshape(factors, {-1, d})));
  const Tensor y = Reshape(turned, {n, -1, d}) - centers;
  const Tensor inner = alphas + ReduceSum(q, 1) - 0.5 * ReduceSum(Square(y), 2);
  const Tensor prior = 0.5 * (ReduceSum(Exp(2 * q)) + ReduceSum(Square(lower)));
  return ReduceSum(LogSumExp(inner, 1)) - static_cast<double>(n) * LogSumExp(alphas) + prior + constant;
}

Workload MakeMixture(const Inputs& in, int64_t d, int64_t n) {
  const NormalOptions normal{.dtype = kFloat64};
  const int64_t lower = d * (d - 1) / 2;
  Workload out{.kind = Workload::Kind::kGrad, .dtype = kFloat64};
  out.inputs = {in.Normal("params.alphas", {kComponents}, normal),
                in.Uniform("params.means", {kComponents, d}, {.dtype = kFloat64}),
                in.Normal("params.icf", {kComponents, d + lower}, {.stddev = 0.3, .dtype = kFloat64})};
  const double points = static_cast<double>(n), dim = static_cast<double>(d);
  out.flops = points * kComponents * (2 * dim * (dim + 1) + 4 * dim + 30);
  out.bytes = 8 * (points * dim + 2 * Size(out.inputs));
  out.inputs.push_back(in.Normal("data.x", {n, d}, normal));
  out.inputs.push_back(in.Value("data.tril", LowerIndices(d)));
  out.step = GradientStep(
      [constant = LossConstant(points, d)](const std::vector<Tensor>& in) { return MixtureLoss(in, constant); }, 3);
  return out;
}

}  // namespace

std::vector<Entry> MixtureWorkloads() {
  return {{"gmm_d10_n1k", "gmm", [](const Inputs& in) { return MakeMixture(in, 10, 1000); }},
          {"gmm_d10_n10k", "gmm", [](const Inputs& in) { return MakeMixture(in, 10, 10000); }},
          {"gmm_d64_n1k", "gmm", [](const Inputs& in) { return MakeMixture(in, 64, 1000); }}};
}

}  // namespace reel::cli
