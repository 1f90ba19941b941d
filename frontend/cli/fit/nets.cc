#include "frontend/cli/fit/nets.h"

#include <cmath>

#include "ir/names.h"

namespace reel::cli {
namespace {

/// Layers in sequence, as many as there are.
class Stacked : public Sequential {
 public:
  Stacked() : Sequential("sequential") {}
  template <typename Layer>
  void Push(Layer layer) {
    Add(std::move(layer));
  }
};

/// x with mean 0 and deviation 1, by numbers that are part of the model but not trained.
std::function<Tensor(const Operand&)> Standardized(const FitData& data) {
  const auto width = static_cast<int64_t>(data.feature_mean.size());
  const Variable mean(Tensor::FromData(data.feature_mean, {width}), {.name = "feature_mean", .trainable = false});
  const Variable deviation(Tensor::FromData(data.feature_deviation, {width}),
                           {.name = "feature_deviation", .trainable = false});
  return [=](const Operand& x) { return (x.tensor() - mean) / deviation; };
}

/// Dense layers of these widths, each with dropout, and the last one.
std::string PushDense(const FitSettings& settings, const std::vector<int64_t>& widths, int64_t outputs,
                      const LayerOptions& layer, Stacked* model) {
  std::string title;
  const Generator generator(settings.seed + 1, "dropout");  // of all
  for (const int64_t width : widths) {
    model->Push(Dense(width, Relu, layer));
    if (settings.dropout > 0) model->Push(Dropout(settings.dropout, generator));
    StrAppend(&title, "-", width);
  }
  model->Push(Dense(outputs, {}, layer));
  return StrCat(title, "-", outputs);
}

/// Builds the variables that the first call makes, and takes them.
Net Finished(std::string title, const Stacked& model, const Shape& features) {
  std::vector<int64_t> one = features.dims();
  one.insert(one.begin(), 1);
  model(Zeros(Shape(one)));
  return {std::move(title), [model](const Tensor& x) { return model(x); }, model.trainable_variables()};
}

Net MakeMlp(const FitSettings& settings, const FitData& data) {
  const LayerOptions layer{.generator = Generator(settings.seed, "init"), .kernel_init = HeUniform()};
  Stacked model;
  if (data.features.rank() > 1) model.Push(Flatten());
  if (!data.feature_mean.empty()) model.Push(Standardized(data));
  const std::vector<int64_t> hidden = settings.hidden.empty() ? std::vector<int64_t>{128} : settings.hidden;
  const std::string title = PushDense(settings, hidden, data.outputs, layer, &model);
  return Finished(StrCat("mlp ", data.features.size(), title), model, data.features);
}

Net MakeConv(const FitSettings& settings, const FitData& data) {
  const Shape& shape = data.features;
  if (shape.rank() != 2 && shape.rank() != 3) {
    Fail(kInvalid, StrCat("--model conv is for images [height, width] or [height, width, channels]; the examples of ",
                          ir::QuotedPath(settings.data), " are ", shape.ToString(), ": --model mlp"));
  }
  const LayerOptions layer{.generator = Generator(settings.seed, "init"), .kernel_init = HeUniform()};
  const ConvOptions same{.padding = Padding::kSame};
  Stacked model;
  if (shape.rank() == 2) model.Push([](const Operand& x) { return ExpandDims(x, -1); });
  std::string title = StrCat("conv ", shape.ToString());
  int64_t height = shape.dim(0), width = shape.dim(1);
  for (const int64_t channels : settings.channels) {
    model.Push(Convolution2D(channels, {3, 3}, Relu, same, layer));
    const int64_t down = height > 1 ? 2 : 1, across = width > 1 ? 2 : 1;
    model.Push(MaxPooling2D({down, across}));
    height /= down;
    width /= across;
    StrAppend(&title, "-", channels);
  }
  model.Push(Flatten());
  title += PushDense(settings, settings.hidden, data.outputs, layer, &model);
  return Finished(title, model, shape);
}

/// A decoder of characters as GPT-2's: pre-norm blocks of causal attention and of a wide layer, learned positions.
/// Radford et al.: "Language models are unsupervised multitask learners", 2019.
struct Gpt {
  struct Block {
    LayerNorm mix_norm;
    Dense queries, output;
    LayerNorm wide_norm;
    Dense wide, narrow;
  };
  int64_t heads;
  Embedding tokens;
  Variable positions;
  std::vector<Block> blocks;
  LayerNorm last;
  Dense head;

  Gpt(const FitSettings& s, int64_t vocabulary, const LayerOptions& layer)
      : heads(s.heads),
        tokens(vocabulary, s.width, Named(layer, "tokens")),
        positions(NormalInit(0, 0.02)({s.context, s.width}, kFloat32, layer.generator), {.name = "positions"}),
        last(1e-5, Named(LayerOptions{}, "norm")),
        head(s.width, vocabulary, {}, Named(layer, "head", /*use_bias=*/false)) {
    LayerOptions to_sum = layer;  // what is added to the stream is smaller the more blocks there are
    to_sum.kernel_init = NormalInit(0, 0.02 / std::sqrt(2.0 * static_cast<double>(s.layers)));
    for (int64_t i = 0; i < s.layers; ++i) {
      const std::string name = StrCat("block_", i, "/");
      blocks.push_back({LayerNorm(1e-5, Named(LayerOptions{}, name + "mix_norm")),
                        Dense(s.width, 3 * s.width, {}, Named(layer, name + "queries")),
                        Dense(s.width, s.width, {}, Named(to_sum, name + "output")),
                        LayerNorm(1e-5, Named(LayerOptions{}, name + "wide_norm")),
                        Dense(s.width, 4 * s.width, GeluTanh, Named(layer, name + "wide")),
                        Dense(4 * s.width, s.width, {}, Named(to_sum, name + "narrow"))});
    }
  }

  static LayerOptions Named(LayerOptions options, const std::string& name, bool use_bias = true) {
    options.name = name;
    options.use_bias = use_bias;
    return options;
  }

  // [n, length, width] as [n, heads, length, width / heads].
  Tensor Heads(const Tensor& x) const {
    const Shape& shape = x.shape();
    return SwapAxes(Reshape(x, {-1, shape.dim(1), heads, shape.dim(2) / heads}), 1, 2);
  }

  Tensor Mix(const Block& block, const Tensor& x) const {
    const std::vector<Tensor> parts = Split(block.queries(block.mix_norm(x)), 3, -1);
    const Tensor mixed = Attention(Heads(parts[0]), Heads(parts[1]), Heads(parts[2]), {.causal = true});
    return block.output(Reshape(SwapAxes(mixed, 1, 2), {-1, x.shape().dim(1), x.shape().dim(2)}));
  }

  Tensor operator()(const Tensor& text) const {
    Tensor x = tokens(text) + positions;
    for (const Block& block : blocks) {
      x = x + Mix(block, x);
      x = x + block.narrow(block.wide(block.wide_norm(x)));
    }
    return head(last(x));
  }

  std::vector<Variable> variables() const {
    std::vector<Variable> all = tokens.variables();
    const auto add = [&all](const Layer& layer) {
      for (const Variable& v : layer.variables()) all.push_back(v);
    };
    all.push_back(positions);
    for (const Block& b : blocks) {
      for (const Layer& layer :
           std::initializer_list<Layer>{b.mix_norm, b.queries, b.output, b.wide_norm, b.wide, b.narrow})
        add(layer);
    }
    add(last);
    add(head);
    return all;
  }
};

Net MakeGpt(const FitSettings& settings, const FitData& data) {
  if (settings.width % settings.heads != 0)
    Fail(kUsage, StrCat("--width ", settings.width, " cannot be divided among --heads ", settings.heads));
  const LayerOptions layer{.generator = Generator(settings.seed, "init"), .kernel_init = NormalInit(0, 0.02)};
  const Gpt model(settings, data.classes, layer);
  model(Zeros({1, settings.context}, kInt64));  // builds what the first call makes
  const std::string title = StrCat("gpt of ", settings.layers, " layers, ", settings.heads, " heads, width ",
                                   settings.width, ", context ", settings.context);
  return {title, model, model.variables()};
}

Tensor AsRow(const std::vector<float>& deviation) {
  return Tensor::FromData(deviation, {static_cast<int64_t>(deviation.size())});
}

}  // namespace

int64_t Net::parameters() const {
  int64_t n = 0;
  for (const Variable& v : variables) n += v.shape().size();
  return n;
}

std::string StandardModel(const FitData& data) {
  if (data.kind == SourceKind::kText) return "gpt";
  return data.features.rank() > 1 ? "conv" : "mlp";
}

Net MakeNet(const FitSettings& settings, const FitData& data) {
  const bool text = data.kind == SourceKind::kText;
  if (text != (settings.model == "gpt")) {
    Fail(kInvalid, StrCat("--model ", settings.model, " is not for ", ir::QuotedPath(settings.data), ": ",
                          text ? "text is for --model gpt" : "gpt is for text, a .txt file"));
  }
  if (text) return MakeGpt(settings, data);
  return settings.model == "conv" ? MakeConv(settings, data) : MakeMlp(settings, data);
}

Tensor LossOf(const Net& net, const FitData& data, const Tensor& features, const Tensor& labels) {
  const Tensor y = net.forward(features);
  if (data.classes > 0) return SoftmaxCrossEntropy(y, labels);
  const Tensor mean = AsRow(data.label_mean), deviation = AsRow(data.label_deviation);
  return MeanSquaredError(y, (labels - mean) / deviation);
}

NamedTensors Figures(const Net& net, const FitData& data, const Tensor& features, const Tensor& labels) {
  const Tensor y = net.forward(features), ones = Cast(OnesLike(labels), kFloat32);
  NamedTensor count("count", ReduceSum(ones));
  if (data.classes > 0) {
    const Tensor loss = SoftmaxCrossEntropy(y, labels, {.reduction = kSum});
    return {{"loss", loss}, {"right", ReduceSum(Cast(ArgMax(y) == labels, kFloat32))}, count};
  }
  const Tensor mean = AsRow(data.label_mean), deviation = AsRow(data.label_deviation);
  const Tensor loss = MeanSquaredError(y, (labels - mean) / deviation, {.reduction = kSum});
  return {{"loss", loss}, {"squares", ReduceSum(Square(y * deviation + mean - labels))}, count};
}

Tensor Predict(const Net& net, const FitData& data, const Tensor& features) {
  const Tensor y = net.forward(features);
  if (data.classes > 0) return y;
  return y * AsRow(data.label_deviation) + AsRow(data.label_mean);
}

}  // namespace reel::cli
