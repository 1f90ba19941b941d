#include "frontend/cli/bench/family.h"

namespace reel::cli {
namespace {

// sum(o * do), o causal attention of 12 heads of 64 features; its gradient by q, k and v.
Workload MakeAttention(const Inputs& in, int64_t batch, int64_t time) {
  constexpr int64_t kHeads = 12, kFeatures = 64;
  Workload out{.kind = Workload::Kind::kGrad};
  for (const char* name : {"params.q", "params.k", "params.v", "data.do"})
    out.inputs.push_back(in.Normal(name, {batch, kHeads, time, kFeatures}));
  const double rows = static_cast<double>(batch * kHeads * time);
  const double pairs = rows * static_cast<double>(time) / 2;
  out.flops = pairs * (2 * kFeatures * 7 + 40);
  out.bytes = 4 * rows * kFeatures * 8;
  out.step = GradientStep(
      [](const std::vector<Tensor>& in) { return ReduceSum(Attention(in[0], in[1], in[2], {.causal = true}) * in[3]); },
      3);
  return out;
}

Workload MakeVocabularyLoss(const Inputs& in) {
  constexpr int64_t kRows = 256, kVocabulary = 50257;
  Workload out{.kind = Workload::Kind::kGrad};
  out.inputs = {in.Normal("params.logits", {kRows, kVocabulary}), in.Labels("data.y", {kRows}, kVocabulary)};
  out.flops = double{kRows} * kVocabulary * 25;
  out.bytes = 4 * double{kRows} * kVocabulary * 2;
  out.step = GradientStep([](const std::vector<Tensor>& in) { return SoftmaxCrossEntropy(in[0], in[1]); }, 1);
  return out;
}

// sum(gelu(layer_norm(x)) dy) and its gradient by x, scale and offset.
Workload MakeNormGelu(const Inputs& in) {
  constexpr int64_t kRows = 4096, kFeatures = 768;
  Workload out{.kind = Workload::Kind::kGrad};
  out.inputs = {in.Normal("params.x", {kRows, kFeatures}),
                in.Normal("params.g", {kFeatures}, {.mean = 1, .stddev = 0.1}),
                in.Normal("params.b", {kFeatures}, {.stddev = 0.1}), in.Normal("data.dy", {kRows, kFeatures})};
  out.flops = double{kRows} * kFeatures * 70;
  out.bytes = 4 * double{kRows} * kFeatures * 3;
  out.step = GradientStep(
      [](const std::vector<Tensor>& in) { return ReduceSum(GeluTanh(LayerNormalize(in[0], in[1], in[2])) * in[3]); },
      3);
  return out;
}

}  // namespace

std::vector<Entry> LayerWorkloads() {
  return {{"attention_b4_t256", "attention", [](const Inputs& in) { return MakeAttention(in, 4, 256); }},
          {"attention_b1_t1024", "attention", [](const Inputs& in) { return MakeAttention(in, 1, 1024); }},
          {"vocab_loss", "", MakeVocabularyLoss},
          {"norm_gelu", "", MakeNormGelu}};
}

}  // namespace reel::cli
