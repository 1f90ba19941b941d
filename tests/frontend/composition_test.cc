// Compositions of ops that eager code calls again and again: compiled, with the bits of the ops.
#include <functional>

#include "reel/attention.h"
#include "reel/debugging.h"
#include "reel/losses.h"
#include "reel/normalization.h"
#include "tests/frontend/tape_cache_testing.h"

namespace reel {
namespace {

using testing::HasSubstr;

struct Case {
  const char* name;
  std::function<Tensor(double salt, DType dtype)> run;
};
void PrintTo(const Case& c, std::ostream* os) { *os << c.name; }

Tensor X(double salt, DType dtype, const Shape& shape = {5, 33}) { return Data(shape, salt, dtype) * Cast(4.0, dtype); }

std::vector<Case> Cases() {
  return {
      {"gelu", [](double s, DType d) { return Gelu(X(s, d)); }},
      {"gelu_tanh", [](double s, DType d) { return GeluTanh(X(s, d)); }},
      {"softplus", [](double s, DType d) { return Softplus(X(s, d)); }},
      {"mish", [](double s, DType d) { return Mish(X(s, d)); }},
      {"softmax", [](double s, DType d) { return Softmax(X(s, d)); }},
      {"softmax_first_axis", [](double s, DType d) { return Softmax(X(s, d), 0); }},
      {"log_softmax", [](double s, DType d) { return LogSoftmax(X(s, d)); }},
      {"logsumexp", [](double s, DType d) { return LogSumExp(X(s, d), Axes({1}), {.keepdims = true}); }},
      {"logsumexp_all", [](double s, DType d) { return LogSumExp(X(s, d)); }},
      {"layer_normalize",
       [](double s, DType d) { return LayerNormalize(X(s, d), X(s + 1, d, {33}), X(s + 2, d, {33})); }},
      {"layer_normalize_bare", [](double s, DType d) { return LayerNormalize(X(s, d)); }},
      {"rms_normalize", [](double s, DType d) { return RmsNormalize(X(s, d), X(s + 1, d, {33})); }},
      {"group_normalize",
       [](double s, DType d) { return GroupNormalize(X(s, d, {2, 3, 3, 6}), 3, X(s + 1, d, {6}), {}); }},
      {"batch_normalize",
       [](double s, DType d) {
         return BatchNormalize(X(s, d), X(s + 1, d, {33}), Abs(X(s + 2, d, {33})), {}, X(s + 3, d, {33}));
       }},
      {"l2_normalize", [](double s, DType d) { return L2Normalize(X(s, d), Axes({1})); }},
      {"softmax_cross_entropy",
       [](double s, DType d) {
         return SoftmaxCrossEntropy(X(s, d), Tensor::FromData(std::vector<int32_t>{0, 32, 7, 7, 1}, {5}));
       }},
      {"softmax_cross_entropy_dense",
       [](double s, DType d) { return SoftmaxCrossEntropy(X(s, d), Softmax(X(s + 1, d)), {.label_smoothing = 0.1}); }},
      {"sigmoid_cross_entropy", [](double s, DType d) { return SigmoidCrossEntropy(X(s, d), Sigmoid(X(s + 1, d))); }},
      {"attention",
       [](double s, DType d) { return Attention(X(s, d, {2, 7, 8}), X(s + 1, d, {2, 9, 8}), X(s + 2, d, {2, 9, 5})); }},
      {"attention_causal",
       [](double s, DType d) {
         return Attention(X(s, d, {70, 4}), X(s + 1, d, {70, 4}), X(s + 2, d, {70, 4}), {.causal = true});
       }},
      {"attention_masked",
       [](double s, DType d) {
         return Attention(X(s, d, {7, 8}), X(s + 1, d, {9, 8}), X(s + 2, d, {9, 5}),
                          {.mask = Greater(X(s, kFloat32, {7, 9}), 0)});
       }},
  };
}

class CompositionTest : public TapeCacheTest, public testing::WithParamInterface<Case> {};

TEST_P(CompositionTest, ProgramsGiveTheBitsOfTheOps) {
  const Case& c = GetParam();
  for (DType dtype : {kFloat32, kFloat64, kBFloat16}) {
    const int64_t hits_before = hits();
    for (int i = 0; i < 3; ++i) c.run(0.1 * i, dtype);
    WaitForCompiler();
    const std::string compiled_bits = Bits(c.run(0.9, dtype));
    EXPECT_GE(hits(), hits_before + 1) << static_cast<int>(dtype);
    EXPECT_EQ(failed(), 0);
    Cache().set_enabled(false);
    EXPECT_EQ(compiled_bits, Bits(c.run(0.9, dtype))) << static_cast<int>(dtype);
    Cache().set_enabled(true);
  }
}

INSTANTIATE_TEST_SUITE_P(All, CompositionTest, testing::ValuesIn(Cases()),
                         [](const auto& info) { return info.param.name; });

class Compositions : public TapeCacheTest {
 protected:
  static void Prepare(const Tensor& x) {
    for (int i = 0; i < 3; ++i) Softmax(x);
    WaitForCompiler();
  }
};

TEST_F(Compositions, TheThirdCallCompiles) {
  const Tensor x = Data({4, 6}, 1);
  for (int i = 0; i < 5; ++i) {
    Softmax(x);
    WaitForCompiler();
    EXPECT_EQ(compiled(), i < 2 ? 0 : 1) << i;
    EXPECT_EQ(hits(), i < 3 ? 0 : i - 2) << i;
  }
}

TEST_F(Compositions, NumbersAndTypesAreStructure) {
  const Tensor x = Data({4, 4}, 1), scale = Data({4}, 2);
  for (int i = 0; i < 4; ++i) {
    Softmax(x, 0);
    Softmax(x, 1);
    LayerNormalize(x, {}, {}, {.epsilon = 1e-3});
    LayerNormalize(x, {}, {}, {.epsilon = 1e-5});
    LayerNormalize(x, scale, {});
    LayerNormalize(x, {}, scale);
    Softmax(Cast(x, kFloat64), 1);
    WaitForCompiler();
  }
  EXPECT_EQ(compiled(), 7);
  EXPECT_EQ(hits(), 7);
}

TEST_F(Compositions, WhatIsRecordedStaysOpByOp) {
  const Tensor x = Data({3, 8}, 1);
  Prepare(x);
  GradientTape tape;
  tape.Watch(x);
  const Tensor y = Softmax(x);
  EXPECT_EQ(hits(), 0);
  const Tensor g = *tape.Gradient(ReduceSum(y * y), x);
  EXPECT_EQ(g.shape(), x.shape());
  const Function f = Trace([](const Tensor& t) { return Softmax(t); }, {Spec(x)});
  EXPECT_EQ(Bits(Compile(f)("main", x)), Bits(y));
  EXPECT_EQ(hits(), 0);
}

TEST_F(Compositions, NumericsAreCheckedOpByOp) {
  const Tensor x = Data({3, 8}, 1);
  Prepare(x);
  const NumericsCheck before = CheckNumerics(NumericsCheck::kNanAndInf);
  Softmax(x);
  EXPECT_EQ(hits(), 0);
  CheckNumerics(before);
  Softmax(x);
  EXPECT_EQ(hits(), 1);
}

TEST_F(Compositions, MistakesAreReportedAsEver) {
  const Tensor x = Data({3, 8}, 1);
  Prepare(x);
  EXPECT_THROW(Softmax(x, 2), Error);
  Tensor leaked;
  Trace([&](const Tensor& t) { return leaked = t; }, {Spec(x)});
  try {
    Softmax(leaked);
    ADD_FAILURE() << "no error";
  } catch (const Error& e) {
    EXPECT_THAT(e.what(), HasSubstr("used outside the trace that made it"));
  }
  const Tensor labels = Tensor::FromData(std::vector<int32_t>{0, 1, 2}, {3});
  for (int i = 0; i < 3; ++i) SoftmaxCrossEntropy(x, labels);
  WaitForCompiler();
  EXPECT_THROW(SoftmaxCrossEntropy(x, labels + 6), Error);
}

TEST_F(Compositions, TooManyShapesStayOpByOp) {
  testing::internal::CaptureStderr();
  for (int64_t n = 1; n <= 200; ++n) Gelu(Data({n}, 1));  // once each: they do not count
  EXPECT_EQ(testing::internal::GetCapturedStderr(), "");
  testing::internal::CaptureStderr();
  for (int64_t n = 1; n <= 66; ++n) {
    for (int i = 0; i < 3; ++i) Gelu(Data({n}, 1));
    WaitForCompiler();
  }
  const std::string said = testing::internal::GetCapturedStderr();
  EXPECT_THAT(said, HasSubstr("gelu has had more than 64 structures"));
  EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1);
  EXPECT_EQ(compiled(), 64);
  const int64_t before = hits();
  Gelu(Data({5}, 1));
  EXPECT_EQ(hits(), before);
}

}  // namespace
}  // namespace reel
