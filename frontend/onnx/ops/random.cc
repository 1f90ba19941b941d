#include "reel/random.h"

#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "ir/strings.h"

// Random numbers: the distributions of ONNX, Reel's own sequence. Each node has its generator.

namespace reel::onnx {
namespace {

struct Draw {
  Shape shape;
  DType dtype;
  Generator generator;
};

// The seed is a float in ONNX; its value counts, 0 without one.
Generator GeneratorOf(const NodeContext& c) { return Generator(static_cast<int64_t>(c.Float("seed", 0)), "generator"); }

// The shape is an attribute, or that of an input.
Draw ReadDraw(const NodeContext& c) {
  const DType like = c.Has(0) ? c.In(0).dtype() : kFloat32;
  const DType dtype = c.DTypeAttribute("dtype", like);
  const Shape shape = c.Has(0) ? c.In(0).shape() : ShapeOf(c.Ints("shape"));
  if (!IsFloat(dtype)) Refuse(StrCat("random numbers of ", Name(dtype)));
  return {shape, dtype, GeneratorOf(c)};
}

Tensors ImportRandomUniform(const NodeContext& c) {
  const Draw d = ReadDraw(c);
  return {RandomUniform(d.shape, {c.Float("low", 0), c.Float("high", 1), d.dtype, d.generator})};
}

Tensors ImportRandomNormal(const NodeContext& c) {
  const Draw d = ReadDraw(c);
  return {RandomNormal(d.shape, {c.Float("mean", 0), c.Float("scale", 1), d.dtype, d.generator})};
}

// 1 with the probability that the element says.
Tensors ImportBernoulli(const NodeContext& c) {
  const Tensor x = c.In(0);
  const Generator generator = GeneratorOf(c);
  const Tensor u = RandomUniform(x.shape(), {.dtype = x.dtype(), .generator = generator});
  return {Cast(u < x, c.DTypeAttribute("dtype", x.dtype()))};
}

// Classes [batch, sample_size] drawn by the logarithms of their weights.
Tensors ImportMultinomial(const NodeContext& c) {
  const DType dtype = c.DTypeAttribute("dtype", kInt32);
  const int64_t samples = c.Int("sample_size", 1);
  if (samples < 1 || samples > kLongestList) Wrong(StrCat("sample_size ", samples));
  return {Cast(RandomCategorical(c.In(0), samples, GeneratorOf(c)), dtype)};
}

constexpr OpRow kRows[] = {
    {"Bernoulli", 15, ImportBernoulli, false},        {"Multinomial", 7, ImportMultinomial, false},
    {"RandomNormal", 1, ImportRandomNormal, false},   {"RandomNormalLike", 1, ImportRandomNormal, false},
    {"RandomUniform", 1, ImportRandomUniform, false}, {"RandomUniformLike", 1, ImportRandomUniform, false},
};

}  // namespace

absl::Span<const OpRow> RandomOps() { return kRows; }

}  // namespace reel::onnx
