#include "frontend/cli/bench/workloads.h"

#include <cmath>

#include "frontend/cli/cli.h"
#include "frontend/core.h"
#include "frontend/npy.h"
#include "ir/names.h"

namespace reel::cli {
namespace {

const std::vector<std::string> kMlps = {"mlp_small", "mlp_mnist", "mlp_mnist_adam"};
const std::vector<std::string> kChains = {"ew_fwd_14",  "ew_fwd_20",  "ew_fwd_24",
                                          "ew_grad_14", "ew_grad_20", "ew_grad_24"};

// Where the inputs of one workload come from.
class Source {
 public:
  Source(const std::string& folder, const std::string& name)
      : folder_(folder.empty() ? "" : StrCat(folder, "/", name)), generator_(20240607) {}
  bool given() const { return !folder_.empty(); }

  /// FOLDER/NAME.npy, which must have this type.
  Tensor Read(const std::string& name, const Type& type) const {
    const std::string path = StrCat(folder_, "/", name, ".npy");
    const ir::Literal literal = Take(ParseNpy(ReadFile(path, {}), path));
    if (literal.type() == type) return internal::FromLiteral(literal);
    Fail(kInvalid, StrCat(path, " has ", literal.type().ToString(), ", the workload takes ",
                          type.ToString()));
  }
  Tensor Normal(const std::string& name, const Shape& shape, double deviation) const {
    if (given()) return Read(name, {kFloat32, shape});
    return RandomNormal(shape, {.stddev = deviation, .generator = generator_});
  }
  Tensor Uniform(const std::string& name, const Shape& shape) const {
    if (given()) return Read(name, {kFloat32, shape});
    return RandomUniform(shape, {.generator = generator_});
  }
  Tensor Labels(const std::string& name, int64_t n, int64_t classes) const {
    if (given()) return Read(name, {kInt32, {n}});
    return Cast(
        Floor(RandomUniform({n}, {.generator = generator_}) * static_cast<double>(classes)),
        kInt32);
  }

 private:
  std::string folder_;
  Generator generator_;
};

struct Layer {
  Variable w, b;
};

// Mean softmax cross-entropy of x w0 + b0, relu, x w1 + b1, ...
Tensor MlpLoss(const std::vector<Layer>& layers, const Tensor& images, const Tensor& labels) {
  Tensor x = images;
  for (size_t i = 0; i < layers.size(); ++i) {
    x = MatMul(x, layers[i].w) + layers[i].b;
    if (i + 1 < layers.size()) x = Relu(x);
  }
  return SoftmaxCrossEntropy(x, labels);
}

Workload MakeMlp(const std::string& name, const Source& source) {
  const bool adam = name.ends_with("adam"), small = name == "mlp_small";
  const int64_t batch = small ? 32 : 128;
  const std::vector<int64_t> dims =
      small ? std::vector<int64_t>{784, 128, 10} : std::vector<int64_t>{784, 512, 512, 10};
  std::vector<Layer> layers;
  std::vector<Variable> variables;
  double macs = 0, parameters = 0;
  for (size_t i = 0; i + 1 < dims.size(); ++i) {
    const int64_t m = dims[i], n = dims[i + 1];
    const Tensor w =
        source.Normal(StrCat("params.w", i), {m, n}, std::sqrt(2.0 / static_cast<double>(m)));
    const Tensor b = source.Normal(StrCat("params.b", i), {n}, 0.01);
    layers.push_back(
        {Variable(w, {.name = StrCat("w", i)}), Variable(b, {.name = StrCat("b", i)})});
    variables.insert(variables.end(), {layers.back().w, layers.back().b});
    macs += static_cast<double>(m * n);
    parameters += static_cast<double>(m * n + n);
  }
  Workload out{.name = name, .kind = Workload::Kind::kTrain};
  out.flops = 2 * static_cast<double>(batch) * (3 * macs - static_cast<double>(dims[0] * dims[1])) +
              (adam ? 12 : 2) * parameters;
  out.bytes = 4 * parameters * (adam ? 8 : 4) + 4 * static_cast<double>(batch * dims[0]);
  out.inputs = {source.Uniform("data.x", {batch, dims[0]}), source.Labels("data.y", batch, 10)};
  std::shared_ptr<Optimizer> optimizer;
  if (adam)
    optimizer = std::make_shared<Adam>(AdamOptions{.learning_rate = 1e-4});
  else
    optimizer = std::make_shared<Sgd>(SgdOptions{.learning_rate = 0.02});
  out.step = [layers, variables, optimizer](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    GradientTape tape;
    Tensor loss = MlpLoss(layers, in[0], in[1]);
    optimizer->Apply(tape.Gradient(loss, variables));
    return {loss};
  };
  return out;
}

Tensor Chain(const Tensor& x) { return Tanh(1.3f * x + 0.1f) * 0.7f + Exp(-0.5f * x * x); }

// ew_fwd_14: z = tanh(1.3 x + 0.1) 0.7 + exp(-0.5 x x) of 2^14 elements; ew_grad_14: loss = sum z,
// dx.
Workload MakeChain(const std::string& name, const Source& source) {
  const bool forward = name.find("fwd") != std::string::npos;
  const int64_t n = int64_t{1} << std::stoi(name.substr(name.rfind('_') + 1));
  Workload out{.name = name, .kind = forward ? Workload::Kind::kOp : Workload::Kind::kGrad};
  out.flops = static_cast<double>(n) * (forward ? 48 : 58);
  out.bytes = 8 * static_cast<double>(n);
  out.inputs = {source.Normal("params.x", {n}, 1)};
  out.step = [forward](const std::vector<Tensor>& in) -> std::vector<Tensor> {
    if (forward) return {Chain(in[0])};
    GradientTape tape;
    tape.Watch(in[0]);
    const Tensor loss = ReduceSum(Chain(in[0]));
    return {loss, *tape.Gradient(loss, in[0])};
  };
  return out;
}

bool Has(const std::vector<std::string>& names, const std::string& name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::vector<std::string> ExpandWorkloads(const std::vector<std::string>& names) {
  std::vector<std::string> out;
  for (const std::string& name : names) {
    if (name == "ew_chain") {
      out.insert(out.end(), kChains.begin(), kChains.end());
    } else if (Has(kMlps, name) || Has(kChains, name)) {
      out.push_back(name);
    } else {
      std::string known = "ew_chain";
      for (const std::string& w : kMlps) StrAppend(&known, ", ", w);
      for (const std::string& w : kChains) StrAppend(&known, ", ", w);
      Fail(kUsage, StrCat("there is no workload ", ir::Quoted(name), "; there are: ", known));
    }
  }
  return out;
}

Workload MakeWorkload(const std::string& name, const std::string& folder) {
  const Source source(folder, name);
  Workload out = Has(kMlps, name) ? MakeMlp(name, source) : MakeChain(name, source);
  out.given = source.given();
  return out;
}

}  // namespace reel::cli
