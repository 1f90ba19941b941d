// Pooling and its gradient: which kernels they become, and that levels, CPUs and the eager engine agree bit for bit.

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "codegen/program/program.h"
#include "ir/text/parser.h"
#include "reel/reel.h"

namespace reel {
namespace {

using Tensors = std::vector<Tensor>;
using Ints = std::vector<int64_t>;

struct PoolCase {
  const char* name;
  Tensor (*pool)(const Operand&, const Ints&, const PoolOptions&);
  Ints shape, window;
  PoolOptions options = {};
};

Tensor MaxOf(const Operand& x, const Ints& window, const PoolOptions& o) { return MaxPool(x, window, o); }
Tensor AvgOf(const Operand& x, const Ints& window, const PoolOptions& o) { return AvgPool(x, window, o); }
Tensor MinOf(const Operand& x, const Ints& window, const PoolOptions& o) {
  Ints sizes{1}, strides{1};
  for (size_t i = 0; i < window.size(); ++i) {
    sizes.push_back(window[i]);
    strides.push_back(o.strides.empty() ? window[i] : o.strides[i]);
  }
  sizes.push_back(1);
  strides.push_back(1);
  return ReduceWindow(x, WindowReduction::kMin, sizes, {.strides = strides});
}
Tensor ProdOf(const Operand& x, const Ints& window, const PoolOptions&) {
  return ReduceWindow(x, WindowReduction::kProd, {1, window[0], 1});
}

const PoolCase kCases[] = {
    {"max_2x2", MaxOf, {3, 8, 6, 20}, {2, 2}},
    {"max_2x2_cut", MaxOf, {2, 7, 5, 33}, {2, 2}},
    {"max_3x3_overlapping", MaxOf, {2, 9, 8, 17}, {3, 3}, {.strides = {2, 2}, .padding = kSame}},
    {"max_2x3_apart", MaxOf, {1, 11, 13, 5}, {2, 3}, {.strides = {3, 4}}},
    {"max_dilated", MaxOf, {1, 9, 9, 4}, {2, 2}, {.strides = {1, 1}, .dilation = {2, 3}}},
    {"max_3x3_phases", MaxOf, {2, 9, 10, 35}, {3, 3}, {.strides = {2, 2}}},
    {"max_3x2_phases_dilated", MaxOf, {1, 17, 15, 16}, {3, 2}, {.strides = {3, 2}, .dilation = {2, 3}}},
    {"max_3x3_some_overlap", MaxOf, {1, 11, 12, 18}, {3, 3}, {.strides = {2, 4}}},
    {"max_6x6_overlapping", MaxOf, {1, 11, 10, 16}, {6, 6}, {.strides = {2, 1}}},
    {"max_40_overlapping", MaxOf, {1, 60, 5}, {40}, {.strides = {7}}},
    {"max_3d_overlapping", MaxOf, {1, 5, 5, 7, 6}, {2, 3, 2}, {.strides = {1, 2, 1}}},
    {"avg_3x3_phases", AvgOf, {2, 9, 8, 32}, {3, 3}, {.strides = {2, 2}}},
    {"avg_7x6_overlapping", AvgOf, {1, 12, 11, 8}, {7, 6}, {.strides = {2, 3}}},
    {"max_one_channel", MaxOf, {2, 8, 8, 1}, {2, 2}},
    {"max_channels_first", MaxOf, {2, 3, 8, 8}, {2, 2}, {.format = kChannelsFirst}},
    {"max_4x4", MaxOf, {1, 8, 8, 16}, {4, 4}},
    {"max_5x5", MaxOf, {1, 10, 10, 16}, {5, 5}},
    {"max_1d", MaxOf, {2, 9, 40}, {3}},
    {"max_3d", MaxOf, {1, 4, 4, 6, 7}, {2, 2, 2}},
    {"max_whole", MaxOf, {2, 3, 3, 8}, {3, 3}},
    {"avg_2x2", AvgOf, {3, 8, 6, 20}, {2, 2}},
    {"avg_3x3_same", AvgOf, {2, 7, 7, 9}, {3, 3}, {.strides = {1, 1}, .padding = kSame}},
    {"min_2x2", MinOf, {2, 6, 6, 16}, {2, 2}},
    {"prod_3", ProdOf, {2, 9, 16}, {3}},
};

class Pools : public testing::TestWithParam<PoolCase> {};

Tensors WithGradient(const PoolCase& c, const Tensor& x, const Tensor& seed) {
  GradientTape tape;
  tape.Watch(x);
  const Tensor a = Relu(x) + x * 0.5;
  const Tensor y = c.pool(a, c.window, c.options);
  return {y, *tape.Gradient(ReduceSum(y * seed), x)};
}

// Values with ties, both zeros, infinities and NaN among them.
Tensor Values(const Ints& shape, Generator* generator) {
  const Tensor x = RandomNormal(Shape(shape), {.generator = *generator});
  const Tensor ties = Round(x * 2) / 2;
  std::vector<float> data = ties.ToVector<float>();
  for (size_t i = 5; i < data.size(); i += 41) data[i] = i % 3 == 0 ? NAN : i % 3 == 1 ? INFINITY : -INFINITY;
  for (size_t i = 3; i < data.size(); i += 17) data[i] = i % 2 == 0 ? -0.0f : 0.0f;
  return Tensor::FromData(data, Shape(shape));
}

bool SameBits(const Tensor& a, const Tensor& b) {
  const auto x = a.data<float>(), y = b.data<float>();
  for (size_t i = 0; i < x.size(); ++i) {
    if (std::isnan(x[i]) && std::isnan(y[i])) continue;
    if (std::memcmp(&x[i], &y[i], sizeof(float)) != 0) return false;
  }
  return x.size() == y.size();
}

TEST_P(Pools, EnginesAgree) {
  const PoolCase& c = GetParam();
  Generator generator(3);
  const Tensor x = Values(c.shape, &generator);
  const Shape pooled = c.pool(x, c.window, c.options).shape();
  const Tensor seed = RandomNormal(pooled, {.generator = generator});
  const Tensors eager = WithGradient(c, x, seed);
  const Function f = Trace([&](std::span<const Tensor> in) { return WithGradient(c, in[0], in[1]); },
                           {Spec(kFloat32, x.shape()), Spec(kFloat32, pooled)});
  for (const CompileOptions& options : {CompileOptions{.opt_level = 0}, CompileOptions{},
                                        CompileOptions{.cpu = "x86-64-v3"}, CompileOptions{.cpu = "x86-64-v2"}}) {
    const Tensors compiled = Compile(f, options)("main", {x, seed}).tensors();
    for (size_t i = 0; i < eager.size(); ++i) {
      EXPECT_TRUE(SameBits(compiled[i], eager[i])) << options.cpu << " level " << options.opt_level << " result " << i;
    }
  }
}

// Position and stride of the windows of one axis, as kValid and kSame (padding first half below) define them.
int64_t PositionOf(const PoolCase& c, size_t axis, int64_t window, int64_t tap) {
  const int64_t n = c.shape[axis + 1], size = c.window[axis];
  const int64_t dilation = c.options.dilation.empty() ? 1 : c.options.dilation[axis];
  const int64_t stride = c.options.strides.empty() ? size : c.options.strides[axis];
  const int64_t needed = ((n + stride - 1) / stride - 1) * stride + (size - 1) * dilation + 1;
  const int64_t low = c.options.padding == kSame ? std::max<int64_t>(needed - n, 0) / 2 : 0;
  return window * stride - low + tap * dilation;
}

// The element of x that pooling's result o has its gradient from: the first of the largest, of NaN the first NaN.
int64_t WinnerOf(const PoolCase& c, const std::vector<float>& x, const Shape& pooled, int64_t o) {
  const size_t spatial = c.window.size();
  Ints at(spatial + 2);
  for (size_t i = spatial + 2; i-- > 0; o /= pooled.dim(static_cast<int>(i)))
    at[i] = o % pooled.dim(static_cast<int>(i));
  int64_t taps = 1, best = -1;
  for (int64_t n : c.window) taps *= n;
  for (int64_t t = 0; t < taps; ++t) {
    int64_t rest = t, flat = at[spatial + 1], scale = c.shape.back();
    bool inside = true;
    for (size_t i = spatial; i-- > 0; rest /= c.window[i], scale *= c.shape[i + 1]) {
      const int64_t p = PositionOf(c, i, at[i + 1], rest % c.window[i]);
      inside = inside && p >= 0 && p < c.shape[i + 1];
      flat += p * scale;
    }
    if (!inside) continue;
    flat += at[0] * scale;
    const float value = x[static_cast<size_t>(flat)], most = best < 0 ? 0 : x[static_cast<size_t>(best)];
    if (best < 0 || (!std::isnan(most) && (std::isnan(value) || value > most))) best = flat;
  }
  return best;
}

TEST_P(Pools, GradientGoesToTheFirst) {
  const PoolCase& c = GetParam();
  if (c.pool != MaxOf || c.options.format == kChannelsFirst) GTEST_SKIP() << "for maxima, channels last";
  Generator generator(5);
  const Tensor x = Values(c.shape, &generator);
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = MaxPool(x, c.window, c.options);
  const std::vector<float> values = x.ToVector<float>();
  std::vector<float> wanted(values.size(), 0);
  for (int64_t o = 0; o < y.size(); ++o) wanted[static_cast<size_t>(WinnerOf(c, values, y.shape(), o))] += 1;
  EXPECT_EQ(tape.Gradient(ReduceSum(y), x)->ToVector<float>(), wanted);
}

INSTANTIATE_TEST_SUITE_P(All, Pools, testing::ValuesIn(kCases),
                         [](const auto& p) { return std::string(p.param.name); });

struct PlanCase {
  const char* name;
  Ints strides;
  size_t steps;
  int64_t elements;  // most of the arena
};

class PoolPlans : public testing::TestWithParam<PlanCase> {};

// Relu, pooling and both gradients: no copies of windows. The arena holds what the kernels of the gradient pass on:
// arrays as large as the input, and of overlapping windows maxima and positions.
TEST_P(PoolPlans, HaveFewKernels) {
  const PlanCase& c = GetParam();
  const Shape x{4, 9, 9, 32};
  const auto gradient = [&](std::span<const Tensor> in) {
    GradientTape tape;
    tape.Watch(in[0]);
    const Tensor y = MaxPool2D(Relu(in[0]), {3, 3}, {.strides = c.strides});
    return Tensors{y, *tape.Gradient(ReduceSum(y * in[1]), in[0])};
  };
  const Shape pooled = MaxPool2D(Zeros(x), {3, 3}, {.strides = c.strides}).shape();
  const Function f = Trace(gradient, {Spec(kFloat32, x), Spec(kFloat32, pooled)});
  auto module = ir::ParseModule(f.ToText(), "pool");
  ASSERT_TRUE(module.ok()) << module.status();
  auto program = codegen::BuildProgram(*module, *codegen::FindTarget("x86-64-v4"), {});
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_LE(program->entries[0].steps.size(), c.steps) << codegen::ToString(*program);
  EXPECT_LE(program->arena_bytes, c.elements * 4) << codegen::ToString(*program);
}

INSTANTIATE_TEST_SUITE_P(All, PoolPlans,
                         testing::Values(PlanCase{"apart", {3, 3}, 4, 2 * 4 * 9 * 9 * 32},
                                         PlanCase{"overlapping", {2, 2}, 4, 2 * 4 * 9 * 9 * 32},
                                         PlanCase{"every_place", {1, 1}, 4, 4 * 4 * 9 * 9 * 32}),
                         [](const auto& p) { return std::string(p.param.name); });

}  // namespace
}  // namespace reel
