#include "reel/layers.h"

#include <map>
#include <set>

#include "frontend/nn/layer_data.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/lazy.h"
#include "ir/strings.h"
#include "reel/random.h"
#include "runtime/fork.h"

namespace reel {
namespace internal {

std::string Numbered(const std::string& kind, int n) { return n == 0 ? kind : StrCat(kind, "_", n); }

namespace {

std::string NextName(const std::string& kind) {
  struct Counts {
    runtime::Mutex mutex;
    std::map<std::string, int> of;
  };
  static constinit Lazy<Counts> lazy;
  Counts& counts = lazy.Get();
  const std::lock_guard lock(counts.mutex);
  return Numbered(kind, counts.of[kind]++);
}

thread_local const KeptVariables* kept_now = nullptr;

Variable Kept(const char* what) {
  if (!kept_now) return {};
  const auto found = kept_now->find(what);
  return found == kept_now->end() ? Variable() : found->second;
}

}  // namespace

std::vector<LayerData*> Family(LayerData* layer) {
  std::vector<LayerData*> out, open = {layer};
  std::set<LayerData*> seen;
  while (!open.empty()) {
    LayerData* next = open.back();
    open.pop_back();
    if (!seen.insert(next).second) continue;
    out.push_back(next);
    for (size_t i = next->children.size(); i-- > 0;) open.push_back(next->children[i].get());
  }
  return out;
}

KeptScope::KeptScope(const KeptVariables& variables) : outer_(std::exchange(kept_now, &variables)) {}
KeptScope::~KeptScope() { kept_now = outer_; }

const Shape* KeptShape(const char* what, int rank) {
  const Variable v = Kept(what);
  return v.defined() && v.shape().rank() == rank ? &v.internal_data()->type.shape : nullptr;
}

LayerData::LayerData(std::string kind_, LayerOptions options_)
    : kind(std::move(kind_)), options(std::move(options_)), named(!options.name.empty()) {
  if (!IsFloat(options.dtype)) {
    ThrowInvalid(
        StrCat(kind, ": variables must be floats, got ", Name(options.dtype), "; set options.dtype to kFloat32"));
  }
  if (!named) options.name = NextName(kind);
}

Variable LayerData::Create(const char* what, const Shape& shape, const Initializer& initializer, bool trainable) {
  const SuspendScope eager;
  const Type type{options.dtype, shape};
  Variable made = Kept(what);
  if (made.defined() && made.type() == type) {
    made.internal_data()->name = StrCat(options.name, "/", what);
    made.internal_data()->trainable = trainable;
  } else {
    const Tensor initial =
        made.defined() ? Zeros(shape, options.dtype) : initializer(shape, options.dtype, options.generator);
    made = Variable(initial, VariableOptions{.name = StrCat(options.name, "/", what), .trainable = trainable});
  }
  const runtime::NoFork whole;
  variables.push_back(made);
  return variables.back();
}

LayerOptions LayerData::Inner(const char* what) const {
  LayerOptions inner = options;
  inner.name = StrCat(options.name, "/", what);
  return inner;
}

std::vector<Variable> AllVariables(LayerData* layer) {
  std::vector<Variable> out;
  for (const LayerData* d : Family(layer)) out.insert(out.end(), d->variables.begin(), d->variables.end());
  return out;
}

void Rename(LayerData* layer, const std::string& name) {
  const std::string old = layer->options.name;
  const auto rename = [&](std::string* full) {
    if (old.empty())
      *full = StrCat(name, "/", *full);
    else if (full->starts_with(old))
      *full = name + full->substr(old.size());
  };
  for (LayerData* d : Family(layer)) {
    for (const Variable& v : d->variables) rename(&v.internal_data()->name);
    if (d != layer) rename(&d->options.name);
  }
  layer->options.name = name;
}

void CheckAtLeast(const std::string& kind, const char* what, int64_t value, int64_t least) {
  if (value >= least) return;
  ThrowInvalid(StrCat(kind, ": ", value, " ", what, "; there must be at least ", least));
}

}  // namespace internal

using internal::As;
using internal::CheckAtLeast;
using internal::LayerData;
using internal::LocationScope;
using internal::SequentialData;

namespace {
thread_local bool training_now = false;
}  // namespace

TrainingScope::TrainingScope(bool training) : outer_(std::exchange(training_now, training)) {}
TrainingScope::~TrainingScope() { training_now = outer_; }
bool Training() { return training_now; }

const std::string& Layer::name() const { return data_->options.name; }

std::vector<Variable> Layer::variables() const { return internal::AllVariables(data_.get()); }

std::vector<Variable> Layer::trainable_variables() const {
  std::vector<Variable> out;
  for (const Variable& v : variables()) {
    if (v.trainable()) out.push_back(v);
  }
  return out;
}

namespace {

struct DenseData : LayerData {
  DenseData(int64_t units_, Activation activation_, LayerOptions options_)
      : LayerData("dense", std::move(options_)), units(units_), activation(std::move(activation_)) {
    CheckAtLeast(kind, "units", units);
  }
  void Build(int64_t in) {
    BuildOnce([&] {
      kernel = Create("kernel", {in, units}, KernelInit(GlorotUniform()));
      if (options.use_bias) bias = Create("bias", {units}, BiasInit());
    });
  }
  void BuildKept() override {
    if (const Shape* kernel_shape = internal::KeptShape("kernel", 2)) Build(kernel_shape->dim(0));
  }
  std::string Arguments() const override { return internal::WithActivation(StrCat(units), activation); }
  int64_t units;
  Activation activation;
  Variable kernel, bias;
};

}  // namespace

Dense::Dense(int64_t units, Activation activation, LayerOptions options)
    : Layer(std::make_shared<DenseData>(units, std::move(activation), std::move(options))) {}

Dense::Dense(int64_t in, int64_t out, Activation activation, LayerOptions options)
    : Dense(out, std::move(activation), std::move(options)) {
  CheckAtLeast("dense", "inputs", in);
  Build(in);
}

void Dense::Build(int64_t in) const { As<DenseData>(data_).Build(in); }

Tensor Dense::operator()(const Operand& x) const {
  const LocationScope scope(x);
  const Tensor t = internal::Materialize(x);
  if (t.rank() == 0) internal::ThrowInvalid("dense: the input is a scalar; give it an axis of features");
  Build(t.shape().dim(t.rank() - 1));
  const auto& d = As<DenseData>(data_);
  Tensor y = MatMul(t, d.kernel);
  if (d.bias.defined()) y = reel::Add(y, d.bias);
  return d.activation ? d.activation(y) : y;
}

namespace {

struct EmbeddingData : LayerData {
  EmbeddingData(int64_t vocabulary, int64_t dim, LayerOptions options_) : LayerData("embedding", std::move(options_)) {
    if (vocabulary < 1) internal::ThrowInvalid("embedding: the vocabulary is empty");
    CheckAtLeast(kind, "units", dim);
    built = true;
    table = Create("table", {vocabulary, dim}, KernelInit(UniformInit()));
  }
  std::string Arguments() const override { return StrCat(table.shape().dim(0), ", ", table.shape().dim(1)); }
  Variable table;
};

}  // namespace

Embedding::Embedding(int64_t vocabulary, int64_t dim, LayerOptions options)
    : Layer(std::make_shared<EmbeddingData>(vocabulary, dim, std::move(options))) {}

Tensor Embedding::operator()(const Operand& indices) const {
  const LocationScope scope(indices);
  return Gather(As<EmbeddingData>(data_).table, indices);
}

internal::SequentialData::SequentialData(const char* kind_) : LayerData(kind_, {.name = kind_}) {
  options.name = "";
  named = false;
  built = true;
}

Sequential::Sequential(const char* kind) : Layer(std::make_shared<SequentialData>(kind)) {}

void Sequential::Append(std::function<Tensor(const Operand&)> step, std::shared_ptr<LayerData> layer,
                        std::string label) {
  As<SequentialData>(data_).steps.push_back({std::move(step), std::move(layer), std::move(label)});
}

// Layers without a name of their own are numbered within their model, so that names do not depend
// on what the process built before.
void Sequential::NameLayer(const std::shared_ptr<LayerData>& layer) {
  auto& d = As<SequentialData>(data_);
  d.children.push_back(layer);
  const std::string name = internal::Numbered(layer->kind, d.counts[layer->kind]++);
  if (!std::exchange(layer->named, true)) internal::Rename(layer.get(), name);
}

Tensor Sequential::operator()(const Operand& x) const {
  const LocationScope scope(x);
  Tensor t = x.tensor();
  for (const internal::Step& step : As<SequentialData>(data_).steps) {
    t = step.function(t);
    step.output->Note(t);
  }
  return t;
}

Tensor Residual::operator()(const Operand& x) const {
  const LocationScope scope(x);
  const Tensor t = internal::Materialize(x);
  const Tensor y = Sequential::operator()(t);
  if (y.shape() != t.shape()) {
    internal::ThrowInvalid(StrCat("residual: the layers make ", y.type().ToString(), " of ", t.type().ToString(),
                                  "; the shape must stay"));
  }
  return reel::Add(t, y);
}

Dropout::Dropout(double rate, const Generator& generator) : rate_(rate), generator_(generator) {
  if (!(rate >= 0 && rate < 1)) internal::ThrowInvalid(StrCat("dropout: rate ", rate, " is not in [0, 1)"));
}

Tensor Dropout::operator()(const Operand& x) const {
  const LocationScope scope(x);
  const Tensor t = internal::Materialize(x);
  if (!IsFloat(t.dtype())) {
    internal::ThrowInvalid(StrCat("dropout: needs floats, got ", t.type().ToString()));
  }
  if (!Training() || rate_ == 0) return t;
  const Tensor draw = RandomUniform(t.shape(), {.generator = generator_});
  return Where(GreaterEqual(draw, rate_), Div(t, 1 - rate_), 0);
}

std::string Dropout::str() const { return StrCat("Dropout(", rate_, ")"); }

Tensor Flatten::operator()(const Operand& x) const {
  const LocationScope scope(x);
  const Tensor t = internal::Materialize(x);
  if (t.rank() == 0) internal::ThrowInvalid("flatten: the input is a scalar; it has no batch");
  int64_t rest = 1;
  for (int i = 1; i < t.rank(); ++i) rest *= t.shape().dim(i);
  return Reshape(t, Shape{t.shape()[0], rest});
}

}  // namespace reel
