#include <cmath>

#include "frontend/cli/bench/family.h"
#include "ir/strings.h"

namespace reel::cli {
namespace {

// Hidden states [time, batch, units] of x [time, batch, features], from a state of zeros. Gates i,
// f, g, o side by side.
Tensor LstmStates(const Tensor& x, const Tensor& wx, const Tensor& wh, const Tensor& b) {
  const auto cell = [&wh](const std::vector<Tensor>& carry, const std::vector<Tensor>& step) -> ScanStep {
    const std::vector<Tensor> gates = Split(step[0] + MatMul(carry[0], wh), 4, -1);
    const Tensor c = Sigmoid(gates[1]) * carry[1] + Sigmoid(gates[0]) * Tanh(gates[2]);
    const Tensor h = Sigmoid(gates[3]) * Tanh(c);
    return {.carry = {h, c}, .ys = {h}};
  };
  const Tensor zeros = Zeros({x.shape()[1], wh.shape()[0]});
  return Scan(cell, {zeros, zeros}, {MatMul(x, wx) + b}).ys[0];
}

Workload MakeLstm(const Inputs& in) {
  constexpr int64_t kFeatures = 64, kUnits = 128, kTime = 64, kBatch = 16, kClasses = 64;
  const double k = 1 / std::sqrt(static_cast<double>(kUnits));
  Workload out{.kind = Workload::Kind::kGrad};
  out.inputs = {
      in.Normal("params.wx", {kFeatures, 4 * kUnits}, {.stddev = k}),
      in.Normal("params.wh", {kUnits, 4 * kUnits}, {.stddev = k}), in.Normal("params.b", {4 * kUnits}, {.stddev = 0.1}),
      in.Normal("params.wo", {kUnits, kClasses}, {.stddev = k}), in.Normal("params.bo", {kClasses}, {.stddev = 0.1})};
  const double size = Size(out.inputs), steps = kTime * kBatch;
  out.inputs.push_back(in.Normal("data.x", {kTime, kBatch, kFeatures}));
  out.inputs.push_back(in.Labels("data.y", {kTime, kBatch}, kClasses));

  const double first = kFeatures * 4 * kUnits;
  const double macs = first + kUnits * 4 * kUnits + kUnits * kClasses;
  out.flops = 2 * steps * (3 * macs - first) + steps * kUnits * 150;
  out.bytes = 4 * (size * 3 + steps * (kFeatures + 14 * kUnits + 2 * kClasses));
  out.step = GradientStep(
      [](const std::vector<Tensor>& in) {
        const Tensor h = LstmStates(in[5], in[0], in[1], in[2]);
        return SoftmaxCrossEntropy(MatMul(h, in[3]) + in[4], in[6]);
      },
      5);
  return out;
}

struct GptSizes {
  int64_t layers, heads, width, time, batch, vocabulary;
  bool tied;  // the last product is with the table of embeddings
  double rate;
};

struct GptBlock {
  Variable ln1g, ln1b, wqkv, bqkv, wo, bo, ln2g, ln2b, w1, b1, w2, b2;
};

/// A decoder of tokens: Radford et al., "Language models are unsupervised multitask learners",
/// 2019, without dropout.
struct Gpt {
  GptSizes sizes;
  Variable tokens, positions;
  std::vector<GptBlock> blocks;
  Variable scale, offset, head;
  std::vector<Variable> variables;

  Gpt(const Inputs& in, const GptSizes& sizes);
  Tensor Heads(const Tensor& x) const;
  Tensor Mix(const GptBlock& block, const Tensor& x) const;
  Tensor Logits(const Tensor& x) const;
};

Gpt::Gpt(const Inputs& in, const GptSizes& sizes_) : sizes(sizes_) {
  const int64_t c = sizes.width;
  const auto add = [&](const std::string& name, const Tensor& value) {
    variables.push_back(Variable(value, {.name = name}));
    return variables.back();
  };
  const auto normal = [&](const std::string& name, const Shape& shape) {
    return add(name, in.Normal("params." + name, shape, {.stddev = 0.02}));
  };
  const auto ones = [&](const std::string& name) { return add(name, in.Value("params." + name, Ones({c}))); };
  const auto zeros = [&](const std::string& name, int64_t n) {
    return add(name, in.Value("params." + name, Zeros({n})));
  };
  tokens = normal("wte", {sizes.vocabulary, c});
  positions = normal("wpe", {sizes.time, c});
  for (int64_t i = 0; i < sizes.layers; ++i) {
    const std::string l = StrCat("l", i, ".");
    blocks.push_back({.ln1g = ones(l + "ln1g"),
                      .ln1b = zeros(l + "ln1b", c),
                      .wqkv = normal(l + "wqkv", {c, 3 * c}),
                      .bqkv = zeros(l + "bqkv", 3 * c),
                      .wo = normal(l + "wo", {c, c}),
                      .bo = zeros(l + "bo", c),
                      .ln2g = ones(l + "ln2g"),
                      .ln2b = zeros(l + "ln2b", c),
                      .w1 = normal(l + "w1", {c, 4 * c}),
                      .b1 = zeros(l + "b1", 4 * c),
                      .w2 = normal(l + "w2", {4 * c, c}),
                      .b2 = zeros(l + "b2", c)});
  }
  scale = ones("lnfg");
  offset = zeros("lnfb", c);
  if (!sizes.tied) head = normal("head", {c, sizes.vocabulary});
}

// [batch, time, width] as [batch, heads, time, width / heads].
Tensor Gpt::Heads(const Tensor& x) const {
  return SwapAxes(Reshape(x, {sizes.batch, sizes.time, sizes.heads, -1}), 1, 2);
}

// Causal attention of x to itself.
Tensor Gpt::Mix(const GptBlock& block, const Tensor& x) const {
  const std::vector<Tensor> qkv = Split(MatMul(x, block.wqkv) + block.bqkv, 3, -1);
  const Tensor mixed = Attention(Heads(qkv[0]), Heads(qkv[1]), Heads(qkv[2]), {.causal = true});
  return MatMul(Reshape(SwapAxes(mixed, 1, 2), x.shape().dims()), block.wo) + block.bo;
}

Tensor Gpt::Logits(const Tensor& indices) const {
  Tensor x = Gather(tokens, indices) + positions;
  for (const GptBlock& block : blocks) {
    x = x + Mix(block, LayerNormalize(x, block.ln1g, block.ln1b));
    const Tensor normal = LayerNormalize(x, block.ln2g, block.ln2b);
    const Tensor wide = GeluTanh(MatMul(normal, block.w1) + block.b1);
    x = x + MatMul(wide, block.w2) + block.b2;
  }
  x = LayerNormalize(x, scale, offset);
  return sizes.tied ? MatMul(x, Transpose(tokens)) : MatMul(x, head);
}

Workload MakeGpt(const Inputs& in, const GptSizes& sizes) {
  const Gpt model(in, sizes);
  const Loss loss = [model](const std::vector<Tensor>& xy) { return SoftmaxCrossEntropy(model.Logits(xy[0]), xy[1]); };
  const AdamW optimizer({.learning_rate = sizes.rate, .beta_1 = 0.9, .beta_2 = 0.95, .weight_decay = 0.1});

  const auto layers = static_cast<double>(sizes.layers), heads = static_cast<double>(sizes.heads);
  const auto c = static_cast<double>(sizes.width), time = static_cast<double>(sizes.time);
  const auto vocabulary = static_cast<double>(sizes.vocabulary);
  const double n = static_cast<double>(sizes.batch) * time, size = Size(model.variables);
  const double macs = layers * 12 * c * c + c * vocabulary;
  const double attention = layers * n * time * c;  // the causal half of both products
  Workload out{.kind = Workload::Kind::kTrain};
  out.flops =
      6 * (n * macs + attention) + 14 * size + n * layers * (4 * c * 2 * 25 + heads * time * 30) + n * vocabulary * 45;
  out.bytes = 4 * size * 8 + 4 * n * (layers * 34 * c + 3 * vocabulary);
  out.step = TrainStep(loss, model.variables, optimizer);
  const Shape shape = {sizes.batch, sizes.time};
  out.inputs = {in.Labels("data.x", shape, sizes.vocabulary), in.Labels("data.y", shape, sizes.vocabulary)};
  return out;
}

}  // namespace

std::vector<Entry> SequenceWorkloads() {
  const GptSizes small{
      .layers = 4, .heads = 4, .width = 128, .time = 64, .batch = 12, .vocabulary = 65, .tied = false, .rate = 1e-3};
  const GptSizes large{
      .layers = 12, .heads = 12, .width = 768, .time = 64, .batch = 4, .vocabulary = 50257, .tied = true, .rate = 1e-4};
  return {{"lstm_char", "", MakeLstm},
          {"gpt_char", "", [small](const Inputs& in) { return MakeGpt(in, small); }},
          {"gpt2_124m", "", [large](const Inputs& in) { return MakeGpt(in, large); }}};
}

}  // namespace reel::cli
