#include "frontend/cli/bench/family.h"
#include "ir/strings.h"

namespace reel::cli {
namespace {

constexpr int64_t kSteps = 1000;
constexpr double kWidth = 0.0002;

// The Lorenz system: derivatives of states [..., 3].
Tensor Lorenz(const Tensor& state, const std::vector<Tensor>& p) {
  const std::vector<Tensor> s = Unstack(state, -1);
  return Stack({p[0] * (s[1] - s[0]), s[0] * (p[1] - s[2]) - s[1], s[0] * s[1] - p[2] * s[2]}, -1);
}

// States after 1,000 steps of the classical method of Runge and Kutta.
Tensor Integrate(const Tensor& start, const Tensor& parameters) {
  const std::vector<Tensor> p = Unstack(parameters);
  const auto step = [&p](const std::vector<Tensor>& carry, const std::vector<Tensor>&) -> ScanStep {
    const Tensor& s = carry[0];
    const Tensor k1 = Lorenz(s, p);
    const Tensor k2 = Lorenz(s + kWidth / 2 * k1, p);
    const Tensor k3 = Lorenz(s + kWidth / 2 * k2, p);
    const Tensor k4 = Lorenz(s + kWidth * k3, p);
    return {.carry = {s + kWidth / 6 * (k1 + 2 * k2 + 2 * k3 + k4)}, .ys = {}};
  };
  return Scan(step, {start}, {}, {.length = kSteps}).carry[0];
}

// One state in doubles, or `batch` of them in floats.
Workload MakeRk4(const Inputs& in, int64_t batch) {
  const DType dtype = batch == 1 ? kFloat64 : kFloat32;
  const Shape shape = batch == 1 ? Shape{3} : Shape{batch, 3};
  Workload out{.kind = Workload::Kind::kOp, .dtype = dtype};
  out.flops = static_cast<double>(batch * kSteps) * (4 * 9 + 3 * 10);
  out.bytes = 2 * static_cast<double>(SizeOf(dtype) * batch * 3);
  out.step = [](const std::vector<Tensor>& in) -> std::vector<Tensor> { return {Integrate(in[0], in[1])}; };
  const Tensor parameters = Cast(Tensor({10.0, 28.0, 8.0 / 3}), dtype);
  out.inputs = {in.Normal("params.s", shape, {.dtype = dtype}), in.Value("params.p", parameters)};
  return out;
}

// The sum of squares of the final states and its gradients by the first ones and the parameters.
Workload MakeRk4Gradient(const Inputs& in, int64_t batch) {
  Workload out = MakeRk4(in, batch);
  out.kind = Workload::Kind::kGrad;
  out.flops *= 3;
  out.bytes += static_cast<double>(SizeOf(out.dtype) * kSteps * batch * 2 * 3);
  out.step = GradientStep(
      [](const std::vector<Tensor>& in) {
        const Tensor s = Integrate(in[0], in[1]);
        return ReduceSum(s * s);
      },
      2);
  return out;
}

}  // namespace

std::vector<Entry> IntegrationWorkloads() {
  std::vector<Entry> out;
  for (const int64_t batch : {1, 64}) {
    out.push_back({StrCat("rk4_fwd_", batch), "rk4", [batch](const Inputs& in) { return MakeRk4(in, batch); }});
    out.push_back(
        {StrCat("rk4_grad_", batch), "rk4", [batch](const Inputs& in) { return MakeRk4Gradient(in, batch); }});
  }
  return out;
}

}  // namespace reel::cli
