#include "frontend/cli/bench/family.h"

#include "frontend/cli/cli.h"
#include "frontend/values/npy.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"

namespace reel::cli {

Inputs::Inputs(const std::string& folder, const std::string& workload)
    : folder_(folder.empty() ? "" : StrCat(folder, "/", workload)), generator_(20240607) {}

Tensor Inputs::Read(const std::string& name, const Type& type) const {
  const std::string path = StrCat(folder_, "/", name, ".npy");
  const ir::Literal literal = Take(ParseNpy(ReadFile(path, {}), path));
  if (literal.type() == type) return internal::FromLiteral(literal);
  Fail(kInvalid, StrCat(path, " has ", literal.type().ToString(), ", the workload takes ", type.ToString()));
}

Tensor Inputs::Normal(const std::string& name, const Shape& shape, NormalOptions options) const {
  if (given()) return Read(name, {options.dtype, shape});
  options.generator = generator_;
  return RandomNormal(shape, options);
}

Tensor Inputs::Uniform(const std::string& name, const Shape& shape, UniformOptions options) const {
  if (given()) return Read(name, {options.dtype, shape});
  options.generator = generator_;
  return RandomUniform(shape, options);
}

Tensor Inputs::Labels(const std::string& name, const Shape& shape, int64_t classes) const {
  if (given()) return Read(name, {kInt32, shape});
  return Cast(RandomInt(shape, 0, classes, generator_), kInt32);
}

Tensor Inputs::Value(const std::string& name, const Tensor& value) const {
  return given() ? Read(name, value.type()) : value;
}

Workload::Step TrainStep(Loss loss, std::vector<Variable> variables, Optimizer optimizer) {
  return [loss = std::move(loss), variables = std::move(variables),
          optimizer](const std::vector<Tensor>& inputs) -> std::vector<Tensor> {
    GradientTape tape;
    const Tensor value = loss(inputs);
    optimizer.Apply(tape.Gradient(value, variables));
    return {value};
  };
}

Workload::Step GradientStep(Loss loss, size_t count) {
  return [loss = std::move(loss), count](const std::vector<Tensor>& inputs) {
    const std::vector<Tensor> sources(inputs.begin(), inputs.begin() + static_cast<ptrdiff_t>(count));
    GradientTape tape;
    tape.Watch(sources);
    const Tensor value = loss(inputs);
    const GradientList gradients = tape.Gradient(value, sources);
    std::vector<Tensor> results = {value};
    for (size_t i = 0; i < count; ++i) results.push_back(gradients.Dense(i));
    return results;
  };
}

double Size(const std::vector<Variable>& variables) {
  double size = 0;
  for (const Variable& v : variables) size += static_cast<double>(v.shape().size());
  return size;
}

double Size(const std::vector<Tensor>& tensors) {
  double size = 0;
  for (const Tensor& t : tensors) size += static_cast<double>(t.size());
  return size;
}

}  // namespace reel::cli
