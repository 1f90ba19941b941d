#include "frontend/cli/bench/family.h"
#include "ir/strings.h"

namespace reel::cli {
namespace {

Tensor Chain(const Tensor& x) { return Tanh(1.3f * x + 0.1f) * 0.7f + Exp(-0.5f * x * x); }

// z = tanh(1.3 x + 0.1) 0.7 + exp(-0.5 x x) of 2^log2 elements.
Workload MakeChain(const Inputs& in, int log2) {
  const auto n = static_cast<double>(int64_t{1} << log2);
  Workload out{.kind = Workload::Kind::kOp};
  out.flops = n * 48;
  out.bytes = 4 * n * 2;
  out.step = [](const std::vector<Tensor>& in) -> std::vector<Tensor> { return {Chain(in[0])}; };
  out.inputs = {in.Normal("params.x", {int64_t{1} << log2})};
  return out;
}

// sum z and its gradient.
Workload MakeChainGradient(const Inputs& in, int log2) {
  Workload out = MakeChain(in, log2);
  out.kind = Workload::Kind::kGrad;
  out.flops = static_cast<double>(int64_t{1} << log2) * 58;
  out.step = GradientStep([](const std::vector<Tensor>& in) { return ReduceSum(Chain(in[0])); }, 1);
  return out;
}

// One step of Adam on `count` variables of n elements; their gradients are the inputs.
Workload MakeAdam(const Inputs& in, int64_t count, int64_t n) {
  Workload out{.kind = Workload::Kind::kUpdate};
  for (int64_t i = 0; i < count; ++i) {
    const std::string p = StrCat("p", i);
    out.variables.push_back(Variable(in.Normal("params." + p, {n}), {.name = p}));
    out.inputs.push_back(in.Normal(StrCat("data.g", i), {n}, {.stddev = 0.1}));
  }
  out.flops = 14 * Size(out.variables);
  out.bytes = 4 * Size(out.variables) * 7;
  out.resident = 4 * Size(out.variables) * 4;
  out.step = [variables = out.variables,
              optimizer = Adam({.learning_rate = 1e-3})](const std::vector<Tensor>& gradients) -> std::vector<Tensor> {
    std::vector<GradientEntry> entries;
    for (size_t i = 0; i < variables.size(); ++i) entries.push_back({variables[i], gradients[i]});
    optimizer.Apply(GradientList(entries));
    return {};
  };
  return out;
}

}  // namespace

std::vector<Entry> ElementwiseWorkloads() {
  std::vector<Entry> out;
  for (const int log2 : {14, 20, 24}) {
    out.push_back({StrCat("ew_fwd_", log2), "ew_chain", [log2](const Inputs& in) { return MakeChain(in, log2); }});
  }
  for (const int log2 : {14, 20, 24}) {
    out.push_back(
        {StrCat("ew_grad_", log2), "ew_chain", [log2](const Inputs& in) { return MakeChainGradient(in, log2); }});
  }
  out.push_back({"adam_16x1m", "adam", [](const Inputs& in) { return MakeAdam(in, 16, 1 << 20); }});
  out.push_back({"adam_200x10k", "adam", [](const Inputs& in) { return MakeAdam(in, 200, 10000); }});
  return out;
}

}  // namespace reel::cli
