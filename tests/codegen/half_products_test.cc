// Products of f16 and bf16 against the rule of contractions (ir/MEANING.md), term by term: k ascends in blocks of 256,
// each term an fma in f32, block sums in order, one rounding at last. On every target and level, to the bit:
// AVX512-BF16 too, which takes denormals for 0 and so may multiply only where there are none
// (codegen/schedule/contract_pack.h).

#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "codegen/loop/cost.h"
#include "codegen/target/cpuid.h"
#include "codegen/target/target.h"
#include "ir/strings.h"
#include "reel/reel.h"
#include "runtime/thread_pool.h"
#include "tests/codegen/bits_util.h"
#include "tests/codegen/program_util.h"

namespace reel {
namespace {

struct Case {
  std::string name;
  int64_t batch, m, k, n;  // batch 0: none
  bool transpose_a = false, transpose_b = false;
  double low = 0.1, high = 4;  // magnitudes, evenly in their logarithm; signs alternate at random
  std::vector<double> special = {};  // some elements
};

template <typename T>
Tensor MakeOperand(const Case& c, const Shape& shape, uint64_t seed, std::vector<float>* values) {
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  const auto next = [&state] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; };
  std::vector<T> elements;
  for (int64_t i = 0; i < shape.size(); ++i) {
    const double u = static_cast<double>(next() % 4096) / 4096;
    double x = std::exp2(std::log2(c.low) + u * (std::log2(c.high) - std::log2(c.low)));
    if (next() % 2 == 0) x = -x;
    if (!c.special.empty() && next() % 37 == 0) x = c.special[next() % c.special.size()];
    elements.push_back(T(x));
    values->push_back(static_cast<float>(elements.back()));
  }
  return Tensor::FromData(elements, shape);
}

// Element by element, as ir/MEANING.md says.
float Contracted(const Case& c, const std::vector<float>& a, const std::vector<float>& b, int64_t batch, int64_t i,
                 int64_t j) {
  float total = 0;
  for (int64_t first = 0; first < c.k; first += 256) {
    float sum = 0;
    for (int64_t k = first; k < std::min(first + 256, c.k); ++k) {
      const int64_t x = c.transpose_a ? k * c.m + i : i * c.k + k, y = c.transpose_b ? j * c.k + k : k * c.n + j;
      sum = std::fma(a[static_cast<size_t>(batch * c.m * c.k + x)], b[static_cast<size_t>(batch * c.k * c.n + y)], sum);
    }
    total = first == 0 ? sum : total + sum;
  }
  return total;
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const std::string layout = std::string(ta ? "At" : "A") + (tb ? "Bt" : "B");
      cases.push_back({layout + "_tiles", 0, 96, 512, 128, ta, tb});
      cases.push_back({layout + "_rest_of_all", 0, 101, 770, 83, ta, tb});
      cases.push_back({layout + "_many_rows", 0, 530, 130, 512, ta, tb});
      cases.push_back({layout + "_odd_depth", 0, 33, 257, 40, ta, tb});
      cases.push_back({layout + "_odd_rows_and_columns", 0, 37, 258, 41, ta, tb});
      cases.push_back({layout + "_few_rows", 0, 2, 640, 96, ta, tb});
      cases.push_back({layout + "_one_column", 0, 64, 64, 1, ta, tb});
      cases.push_back({layout + "_batched", 3, 20, 66, 24, ta, tb});
      // Denormal operands; products and sums below the smallest normal number; both beside large ones.
      cases.push_back({layout + "_denormal", 0, 24, 520, 72, ta, tb, 1e-40, 1e-37});
      cases.push_back({layout + "_tiny_products", 0, 24, 520, 72, ta, tb, 1e-24, 1e-18});
      cases.push_back({layout + "_least_exact_products", 0, 24, 520, 72, ta, tb, 1e-17, 1e-15});
      const double infinity = std::numeric_limits<double>::infinity();
      cases.push_back({layout + "_special",
                       0,
                       24,
                       520,
                       72,
                       ta,
                       tb,
                       0.1,
                       4,
                       {0.0, -0.0, 1e-30, 1e-39, 3e38, -infinity, std::nan("")}});
      cases.push_back({layout + "_overflow", 0, 24, 520, 72, ta, tb, 1e18, 1e20});
    }
  }
  return cases;
}

class HalfProductBits : public testing::TestWithParam<Case> {};

template <typename T>
void ExpectRule(const Case& c) {
  const int64_t batches = std::max<int64_t>(c.batch, 1);
  const auto shaped = [&c](int64_t rows, int64_t columns) {
    return c.batch > 0 ? Shape({c.batch, rows, columns}) : Shape({rows, columns});
  };
  std::vector<float> av, bv;
  const Tensor a = MakeOperand<T>(c, c.transpose_a ? shaped(c.k, c.m) : shaped(c.m, c.k), 1, &av);
  const Tensor b = MakeOperand<T>(c, c.transpose_b ? shaped(c.n, c.k) : shaped(c.k, c.n), 2, &bv);
  const auto product = [&c](const Tensor& x, const Tensor& y) {
    return MatMul(x, y, {.transpose_a = c.transpose_a, .transpose_b = c.transpose_b});
  };
  std::vector<T> want;
  for (int64_t batch = 0; batch < batches; ++batch) {
    for (int64_t i = 0; i < c.m; ++i) {
      for (int64_t j = 0; j < c.n; ++j) want.push_back(T(double{Contracted(c, av, bv, batch, i, j)}));
    }
  }
  const auto expect = [&want](const Tensor& got, const std::string& engine) {
    const auto data = got.data<T>();
    ASSERT_EQ(data.size(), want.size());
    for (size_t i = 0; i < want.size(); ++i) {
      const bool nan = std::isnan(static_cast<float>(want[i]));
      if (nan ? std::isnan(static_cast<float>(data[i])) : data[i].bits == want[i].bits) continue;
      ADD_FAILURE() << engine << ", element " << i << ": " << static_cast<float>(data[i]) << " for "
                    << static_cast<float>(want[i]);
      return;
    }
  };
  expect(product(a, b), "eager");
  const Function f = Trace(product, {Spec(a), Spec(b)});
  expect(Compile(f, {.opt_level = 0})("main", a, b), "level 0");
  for (const std::string_view cpu : codegen::TargetNames()) {
    if (!codegen::HostSupports(cpu) || !codegen::FindTarget(cpu)->has_fma) continue;
    if (codegen::FindTarget(cpu)->tile_products) continue;  // a class of its own: tile_products_test.cc
    const Executable run = Compile(f, {.cpu = std::string(cpu)});
    for (const int threads : {1, 3}) {
      runtime::SetNumThreads(threads);
      expect(run("main", a, b), StrCat(cpu, ", ", threads, " threads"));
    }
  }
  runtime::SetNumThreads(0);
}

TEST_P(HalfProductBits, KeepTheRule) {
  ExpectRule<BFloat16>(GetParam());
  ExpectRule<Float16>(GetParam());
}

INSTANTIATE_TEST_SUITE_P(All, HalfProductBits, testing::ValuesIn(Cases()), [](const auto& p) { return p.param.name; });

// What else reads an operand that a product reads in 16 bits; the same operand in products of other layouts.
struct Use {
  std::string name;
  std::function<Tensor(const Tensor& x, const Tensor& w)> function;  // x: f32[48,64], w: f32[64,40], of 16 bits
};

std::vector<Use> Uses() {
  return {
      {"elementwise", [](const Tensor& x, const Tensor& w) { return MatMul(x, w) + ReduceSum(w * 3.f, {0}); }},
      {"sorted",
       [](const Tensor& x, const Tensor& w) { return MatMul(x, w) + ReduceSum(Cast(Argsort(w, 0), kFloat32), {0}); }},
      {"rows", [](const Tensor& x, const Tensor& w) { return MatMul(x, Softmax(w)) + MatMul(x, w); }},
      {"looked_up",
       [](const Tensor& x, const Tensor& w) { return MatMul(x, w) + ReduceSum(Gather(w, Tensor({3, 1})), {0}); }},
      {"padded",
       [](const Tensor& x, const Tensor& w) { return MatMul(x, w) + ReduceSum(Pad(w, {1, 0}, {0, 0}), {0}); }},
      {"sliced",
       [](const Tensor& x, const Tensor& w) { return MatMul(Slice(x, {0, 3}, {48, 35}), Slice(w, {1, 1}, {33, 38})); }},
      {"even_slices",
       [](const Tensor& x, const Tensor& w) { return MatMul(Slice(x, {1, 2}, {40, 34}), Slice(w, {1, 1}, {33, 38})); }},
      {"gram", [](const Tensor& x, const Tensor&) { return MatMul(x, x, {.transpose_b = true}); }},
      {"both_gradients",
       [](const Tensor& x, const Tensor& w) {
         const Tensor y = MatMul(x, w);
         return MatMul(MatMul(y, w, {.transpose_b = true}), MatMul(x, y, {.transpose_a = true}));
       }},
      {"three_axes",
       [](const Tensor& x, const Tensor& w) {
         return MatMul(Transpose(Reshape(x, {4, 12, 64}), {1, 0, 2}), w) * Reshape(ReduceMax(x), {1, 1, 1});
       }},
      {"convolution",
       [](const Tensor& x, const Tensor& w) {
         return Conv2D(Reshape(x, {1, 8, 6, 64}), Reshape(Slice(w, {0, 0}, {64, 36}), {3, 3, 64, 4}));
       }},
  };
}

class HalfOperands : public testing::TestWithParam<Use> {};

TEST_P(HalfOperands, AreReadAsWhatTheyAre) {
  Generator generator(5);
  for (const DType dtype : {kBFloat16, kFloat16}) {
    const std::vector<Tensor> in = {Cast(RandomNormal({48, 64}, {.generator = generator}), dtype),
                                    Cast(RandomNormal({64, 40}, {.generator = generator}), dtype)};
    const auto f = [&](const Tensor& x, const Tensor& w) {
      return std::vector<Tensor>{GetParam().function(Cast(x, kFloat32), Cast(w, kFloat32))};
    };
    ExpectSameBits(Trace(f, {Spec(in[0]), Spec(in[1])}), in, f(in[0], in[1]));
  }
}

INSTANTIATE_TEST_SUITE_P(All, HalfOperands, testing::ValuesIn(Uses()), [](const auto& p) { return p.param.name; });

// A layer of bf16 and its gradients: to the bit everywhere, and what doubles give but for the roundings.
TEST(HalfProducts, GradientsOfALayer) {
  Generator generator(3);
  const auto normal = [&](const Shape& shape) {
    return Cast(RandomNormal(shape, {.generator = generator}), kBFloat16);
  };
  const std::vector<Tensor> in = {normal({64, 96}), normal({96, 48}), normal({48})};
  const auto gradients = [](const Tensor& x, const Tensor& w, const Tensor& b) {
    GradientTape tape;
    for (const Tensor& t : {x, w, b}) tape.Watch(t);
    const Tensor y = Tanh((MatMul(x, w) + b) * 0.125);
    const GradientList g = tape.Gradient(y, {x, w, b});
    return std::vector<Tensor>{y, g.Dense(0), g.Dense(1), g.Dense(2)};
  };
  const auto wide = [](std::vector<Tensor> tensors, DType dtype) {
    for (Tensor& t : tensors) t = Cast(t, dtype);
    return tensors;
  };
  const auto f = [&](const Tensor& x, const Tensor& w, const Tensor& b) { return wide(gradients(x, w, b), kFloat32); };
  const std::vector<Tensor> got = f(in[0], in[1], in[2]);
  ExpectSameBits(Trace(f, {Spec(in[0]), Spec(in[1]), Spec(in[2])}), in, got);
  const std::vector<Tensor> doubles = wide(in, kFloat64);
  const std::vector<Tensor> want = gradients(doubles[0], doubles[1], doubles[2]);
  for (size_t i = 0; i < want.size(); ++i) {
    const Tensor x = Cast(got[i], kFloat64), most = ReduceMax(Abs(want[i]));
    EXPECT_LT(ReduceMax(Abs(x - want[i])).item<double>(), 0.03 * most.item<double>()) << "result " << i;
  }
}

codegen::Program PlanFor(std::string_view cpu, const std::string& function) {
  auto program = codegen::BuildProgram(codegen::ParseFunctions(function), *codegen::FindTarget(cpu), {});
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

constexpr char kLinear[] = R"(func @f(%x: bf16[64,512], %w: bf16[96,512], %b: bf16[96]) -> (bf16[64,96]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[1]} : bf16[64,96]
  %1 = broadcast %b {axes=[1], shape=[64,96]} : bf16[64,96]
  %2 = add %0, %1 : bf16[64,96]
  return %2
})";

// One kernel, bias included, without a copy of either operand in f32.
TEST(HalfProducts, PairsAreMultipliedWhereTheTargetCan) {
  const codegen::Program pairs = PlanFor("x86-64-v4-bf16", kLinear);
  ASSERT_EQ(pairs.kernels.size(), 1u);
  const std::string text = ToString(pairs);
  EXPECT_EQ(pairs.arena_bytes, 0);
  EXPECT_NE(text.find("dot_pair= "), std::string::npos) << text;
  EXPECT_NE(text.find("fma_pair= "), std::string::npos) << text;
  EXPECT_EQ(codegen::CostOf(pairs.kernels[0]).dtype, kBFloat16);
}

// Elsewhere the first operand, whose elements are read one by one, is widened once; the second where it is packed.
TEST(HalfProducts, OneOperandIsWidenedInPlace) {
  const codegen::Program p = PlanFor("x86-64-v4", kLinear);
  EXPECT_EQ(p.kernels.size(), 2u);
  EXPECT_EQ(p.arena_bytes, 64 * 512 * 4);
  EXPECT_EQ(ToString(p).find("_pair"), std::string::npos);
}

}  // namespace
}  // namespace reel
