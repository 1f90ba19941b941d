#include "reel/layers.h"

#include <cmath>
#include <map>
#include <mutex>

#include "frontend/core.h"
#include "ir/strings.h"
#include "reel/random.h"

namespace reel {
namespace internal {

struct LayerData {
  std::string kind;  // dense, embedding
  LayerOptions options;
  bool named = false;  // by the user or by a Sequential
  int64_t units = 0;
  Activation activation;
  std::mutex mutex;       // guards building
  Variable kernel, bias;  // an embedding's table is its kernel

  std::vector<Variable> variables() const {
    std::vector<Variable> out;
    for (const Variable& v : {kernel, bias}) {
      if (v.defined()) out.push_back(v);
    }
    return out;
  }
};

}  // namespace internal

using internal::LayerData;
using internal::LocationScope;

namespace {

// "dense", "dense_1", ...: the n-th use of a name.
std::string Numbered(const std::string& kind, int n) {
  return n == 0 ? kind : StrCat(kind, "_", n);
}

std::string NextName(const std::string& kind) {
  static std::mutex mutex;
  static auto* const counts = new std::map<std::string, int>();
  const std::lock_guard lock(mutex);
  return Numbered(kind, (*counts)[kind]++);
}

std::shared_ptr<LayerData> MakeLayer(std::string kind, int64_t units, LayerOptions options) {
  auto data = std::make_shared<LayerData>();
  if (units < 1)
    internal::ThrowInvalid(StrCat(kind, ": ", units, " units; there must be at least one"));
  data->named = !options.name.empty();
  if (!data->named) options.name = NextName(kind);
  data->kind = std::move(kind);
  data->units = units;
  data->options = std::move(options);
  return data;
}

}  // namespace

Tensor GlorotUniform(int64_t fan_in, int64_t fan_out, const Shape& shape,
                     const Generator* generator) {
  const double limit = std::sqrt(6.0 / static_cast<double>(fan_in + fan_out));
  return RandomUniform(shape, {.low = -limit, .high = limit, .generator = generator});
}

Dense::Dense(int64_t units, Activation activation, LayerOptions options)
    : data_(MakeLayer("dense", units, std::move(options))) {
  data_->activation = std::move(activation);
}

Dense::Dense(int64_t in, int64_t out, Activation activation, LayerOptions options)
    : Dense(out, std::move(activation), std::move(options)) {
  if (in < 1) internal::ThrowInvalid(StrCat("dense: ", in, " inputs; there must be at least one"));
  Build(in);
}

void Dense::Build(int64_t in) const {
  LayerData& d = *data_;
  const std::lock_guard lock(d.mutex);
  if (d.kernel.defined()) return;
  const internal::SuspendScope eager;  // initial values are computed now, in a trace too
  const Tensor kernel = GlorotUniform(in, d.units, {in, d.units}, d.options.generator);
  d.kernel = Variable(kernel, {.name = StrCat(d.options.name, "/kernel")});
  if (d.options.use_bias)
    d.bias = Variable(Zeros({d.units}), {.name = StrCat(d.options.name, "/bias")});
}

Tensor Dense::operator()(const Operand& x) const {
  const LocationScope scope(x);
  const Tensor t = internal::Materialize(x);
  if (t.rank() == 0)
    internal::ThrowInvalid("dense: the input is a scalar; give it an axis of features");
  Build(t.shape().dim(t.rank() - 1));
  Tensor y = MatMul(t, data_->kernel);
  if (data_->bias.defined()) y = Add(y, data_->bias);
  return data_->activation ? data_->activation(y) : y;
}

std::vector<Variable> Dense::variables() const { return data_->variables(); }

Embedding::Embedding(int64_t vocabulary, int64_t dim, LayerOptions options)
    : data_(MakeLayer("embedding", dim, std::move(options))) {
  if (vocabulary < 1) internal::ThrowInvalid("embedding: the vocabulary is empty");
  const internal::SuspendScope eager;
  const Tensor table = RandomUniform(
      {vocabulary, dim}, {.low = -0.05, .high = 0.05, .generator = data_->options.generator});
  data_->kernel = Variable(table, {.name = StrCat(data_->options.name, "/table")});
}

Tensor Embedding::operator()(const Operand& indices) const {
  const LocationScope scope(indices);
  return Gather(data_->kernel, indices);
}

std::vector<Variable> Embedding::variables() const { return data_->variables(); }

struct Sequential::Data {
  std::vector<Step> steps;
  std::map<std::string, int> counts;  // layers of each kind
};

void Sequential::Append(Step step) {
  if (!data_) data_ = std::make_shared<Data>();
  data_->steps.push_back(std::move(step));
}

// Layers without a name of their own are numbered within their model, so that names do not depend
// on what the process built before.
void Sequential::NameLayer(const std::shared_ptr<LayerData>& layer) {
  if (!data_) data_ = std::make_shared<Data>();
  const std::string name = Numbered(layer->kind, data_->counts[layer->kind]++);
  if (std::exchange(layer->named, true)) return;
  for (const Variable& v : layer->variables()) {
    std::string& full = v.internal_data()->name;
    full = name + full.substr(layer->options.name.size());
  }
  layer->options.name = name;
}

Tensor Sequential::operator()(const Operand& x) const {
  const LocationScope scope(x);
  Tensor t = x.tensor();
  for (const Step& step : data_->steps) t = step.call(t);
  return t;
}

std::vector<Variable> Sequential::variables() const {
  std::vector<Variable> out;
  for (const Step& step : data_->steps) {
    if (!step.variables) continue;
    for (const Variable& v : step.variables()) out.push_back(v);
  }
  return out;
}

}  // namespace reel
