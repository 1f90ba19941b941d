// Attention, positions and masks against values that PyTorch printed.

#include <algorithm>
#include <cmath>
#include <limits>
#include <string>

#include "tests/frontend/composition.h"

namespace reel {
namespace {

using testing::ElementsAre;

const Tensor kQ = Wave({1, 2, 2, 2}, 0.3, 1), kK = Wave({1, 2, 3, 2}, 1.1, 1), kV = Wave({1, 2, 3, 2}, 2, 1);
const Tensor kMask({{true, false, true}, {false, true, true}});

#define ATTENTION(name, inputs, call, ...)                                                    \
  CompositionCase {                                                                           \
    name, [](const TensorVector& x) { return call; }, inputs, std::vector<double> __VA_ARGS__ \
  }
#define IN(...) \
  TensorVector { __VA_ARGS__ }

class Attentions : public testing::TestWithParam<CompositionCase> {};

TEST_P(Attentions, Table) { CheckComposition(GetParam()); }

INSTANTIATE_TEST_SUITE_P(
    All, Attentions,
    testing::Values(ATTENTION("Plain", IN(kQ, kK, kV), Attention(x[0], x[1], x[2]),
                              {0.4173205464999, -0.3554344480982, -0.06343163097489, 0.04148228521965,
                               0.005178735385765, 0.1609837984924, -0.09026747037615, 0.5840790800407}),
                    ATTENTION("Causal", IN(kQ, kK, kV), Attention(x[0], x[1], x[2], {.causal = true}),
                              {0.9092974268257, -0.5298361409085, -0.2963803861901, 0.3724573268325, -0.3582292822368,
                               0.972007501395, -0.2188410558812, 0.3821936563872}),
                    ATTENTION("Mask", IN(kQ, kK, kV, kMask), Attention(x[0], x[1], x[2], {.mask = x[3]}),
                              {0.7716483070217, -0.6782973095653, -0.3194447327916, 0.1918478995962, -0.06593873115654,
                               0.9657632420311, 0.1347784840305, 0.2582799625512}),
                    ATTENTION("AddedMask", IN(kQ, kK, kV, Wave({2, 3}, 0.9, 1)),
                              Attention(x[0], x[1], x[2], {.mask = x[3], .scale = 0.5}),
                              {0.3838052821733, -0.1902241638825, -0.3644851035632, 0.3228797507407, -0.08998268526595,
                               0.04683712459579, 0.004756279699482, 0.02555677886965}),
                    ATTENTION("OneKeyHead", IN(kQ, Wave({1, 1, 3, 2}, 1.1, 1), Wave({1, 1, 3, 2}, 2, 1)),
                              Attention(x[0], x[1], x[2]),
                              {0.4173205464999, -0.3554344480982, -0.06343163097489, 0.04148228521965, 0.5337098413926,
                               -0.4818220233083, -0.2163211853504, 0.2003286149058}),
                    ATTENTION("GroupsOfQueries", IN(Wave({1, 4, 2, 2}, 0.3, 1), kK, kV), Attention(x[0], x[1], x[2]),
                              {0.4173205464999, -0.3554344480982, -0.06343163097489, 0.04148228521965, 0.5337098413926,
                               -0.4818220233083, -0.2163211853504, 0.2003286149058, 0.03145568750297, -0.1865014997788,
                               -0.0959052742204, 0.7335656017358, 0.04453478325115, -0.3857836280157, -0.08325235079344,
                               0.779471411703}),
                    ATTENTION("Rotary", IN(Wave({1, 3, 4}, 0.3)), RotaryEmbedding(x[0], {.base = 100}),
                              {0.5910404133227, 1.818594853651, -1.059672281817, -1.545528975112, 2.268204221522,
                               1.235516592917, 0.2762092970281, -0.5960906922567, 1.00918894155, 0.1516594966277,
                               2.599793773251, 0.3365939799276}),
                    ATTENTION("RotaryInterleaved", IN(Wave({1, 3, 4}, 0.3)),
                              RotaryEmbedding(x[0], {.base = 100, .interleaved = true}),
                              {0.5910404133227, 1.818594853651, -1.059672281817, -1.545528975112, -0.1966543860944,
                               1.858876808301, -1.679075384321, -0.8885253225558, -1.004955931145, 1.678005156686,
                               -2.01924302044, -0.103469746393})),
    CaseName);

TEST(Attention, RowsWithoutKeysAreZero) {
  const Tensor q = Wave({2, 2}, 0.3), k = Wave({2, 2}, 1.1), v = Wave({2, 2}, 2);
  const Tensor mask({{false, false}, {true, false}});
  GradientTape tape;
  tape.Watch({q, k, v});
  const Tensor y = Attention(q, k, v, {.mask = mask});
  EXPECT_THAT(Values(y), ElementsAre(0, 0, Values(v)[0], Values(v)[1]));
  const GradientList g = tape.Gradient(y, {q, k, v});
  EXPECT_THAT(Values(g.Dense(0)), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(Values(g.Dense(2)), ElementsAre(1, 1, 0, 0));
}

// -inf in a float mask hides as false does: the same bits, and zeros where nothing is left.
TEST(Attention, FloatMasksHideAsBoolOnesDo) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor seen({{true, false, true}, {false, false, false}});
  const Tensor added = Where(seen, Tensor(0.0), Tensor(-infinity));
  for (const bool causal : {false, true}) {
    const Tensor want = Attention(kQ, kK, kV, {.mask = seen, .causal = causal});
    GradientTape tape;
    tape.Watch(kQ);
    const Tensor got = Attention(kQ, kK, kV, {.mask = added, .causal = causal});
    EXPECT_EQ(Values(got), Values(want));
    for (const double g : Values(*tape.Gradient(got, kQ))) EXPECT_TRUE(std::isfinite(g));
  }
  ExpectError(ErrorCode::kInvalidArgument, "the mask must be bool or floats, got i64[2,3]",
              [&] { Attention(kQ, kK, kV, {.mask = Cast(seen, kInt64)}); });
}

TEST(Attention, ScoresThatOverflowBehindTheMask) {
  const double infinity = std::numeric_limits<double>::infinity();
  const Tensor q({{1.0}}), k({{1.0}, {infinity}}), v({{3.0}, {5.0}});
  EXPECT_EQ(Attention(q, k, v, {.causal = true}).item<double>(), 3);
}

// softmax(q k^T / sqrt(features)) v of one head, keys after the query left out if causal.
std::vector<double> PlainAttention(const std::vector<double>& q, const std::vector<double>& k,
                                   const std::vector<double>& v, size_t features, bool causal) {
  const size_t queries = q.size() / features, keys = k.size() / features;
  std::vector<double> out(q.size(), 0);
  for (size_t i = 0; i < queries; ++i) {
    const size_t seen = causal ? std::min(i + 1, keys) : keys;
    std::vector<double> e(seen);
    double sum = 0;
    for (size_t j = 0; j < seen; ++j) {
      double score = 0;
      for (size_t f = 0; f < features; ++f) score += q[i * features + f] * k[j * features + f];
      sum += e[j] = std::exp(score / std::sqrt(static_cast<double>(features)));
    }
    for (size_t j = 0; j < seen; ++j) {
      const double weight = e[j] / sum;
      for (size_t f = 0; f < features; ++f) out[i * features + f] += weight * v[j * features + f];
    }
  }
  return out;
}

// Blocks of queries end before, at and after a multiple of their size.
TEST(Attention, ManyQueries) {
  for (const int64_t queries : {1, 64, 65, 127, 128, 129, 300, 600}) {
    for (const int64_t keys : {queries, int64_t{100}}) {
      for (const bool causal : {false, true}) {
        const Tensor q = Wave({queries, 3}, 0.3), k = Wave({keys, 3}, 1.1), v = Wave({keys, 3}, 2);
        const std::vector<double> want = PlainAttention(Values(q), Values(k), Values(v), 3, causal);
        const std::string what = "of " + std::to_string(queries) + " and " + std::to_string(keys);
        ExpectNear(Attention(q, k, v, {.causal = causal}), want, 1e-12, what.c_str());
        const Tensor narrow = Attention(Cast(q, kFloat32), Cast(k, kFloat32), Cast(v, kFloat32), {.causal = causal});
        EXPECT_EQ(narrow.dtype(), kFloat32);
        ExpectNear(narrow, want, 1e-5, what.c_str());
      }
    }
  }
}

// In blocks or with the mask over all scores: the same but for rounding, and so are the gradients.
TEST(Attention, BlocksAreCausalAttention) {
  const Tensor seen = Greater(Wave({150, 150}, 0.7), -1.5);
  const TensorVector inputs = {Wave({2, 4, 150, 3}, 0.3), Wave({2, 2, 150, 3}, 1.1), Wave({2, 2, 150, 2}, 2)};
  const auto with = [](AttentionOptions options) {
    return [options](const TensorVector& x) { return Attention(x[0], x[1], x[2], options); };
  };
  const Tensor causal = TriangularMask(150, 150), low(-1e3);
  const std::pair<AttentionOptions, AttentionOptions> pairs[] = {
      {{.causal = true}, {.mask = causal}},
      {{.mask = seen, .causal = true}, {.mask = LogicalAnd(causal, seen)}},
      {{.mask = Slice(seen, {0, 0}, {1, 150}), .causal = true},
       {.mask = LogicalAnd(causal, Slice(seen, {0, 0}, {1, 150}))}},
      {{.mask = Where(seen, Tensor(0.0), low), .causal = true}, {.mask = LogicalAnd(causal, seen)}}};
  for (const auto& [blocks, whole] : pairs) {
    ExpectNear(with(blocks)(inputs), Values(with(whole)(inputs)), 1e-12, "value");
    const TensorVector got = FirstGradients(with(blocks), inputs), want = FirstGradients(with(whole), inputs);
    for (size_t i = 0; i < 3; ++i) ExpectNear(got[i], Values(want[i]), 1e-12, "gradient");
  }
  ExpectError(ErrorCode::kInvalidArgument, "",
              [&] { Attention(inputs[0], inputs[1], inputs[2], {.mask = TriangularMask(150, 149), .causal = true}); });
}

// Derivatives along a direction by differences, across the border of two blocks.
TEST(Attention, GradientOfBlocksByDifferences) {
  const TensorVector x = {Wave({70, 2}, 0.3, 1), Wave({70, 2}, 1.1, 1), Wave({70, 2}, 2, 1)};
  const auto f = [](const TensorVector& in) { return Attention(in[0], in[1], in[2], {.causal = true}); };
  const TensorVector gradients = FirstGradients(f, x);
  for (size_t i = 0; i < 3; ++i) {
    const Tensor direction = Wave({70, 2}, 5, 1);
    const auto at = [&](double step) {
      TensorVector moved = x;
      moved[i] = x[i] + direction * step;
      return ReduceSum(f(moved) * Wave({70, 2}, 0.3)).item<double>();
    };
    const double want = (at(1e-5) - at(-1e-5)) / 2e-5;
    const double got = ReduceSum(gradients[i] * direction).item<double>();
    EXPECT_NEAR(got, want, 1e-7 * (1 + std::abs(want)));
  }
}

// The sum of 2,000 exponentials times values of 60 is beyond f16.
TEST(Attention, HalvesDoNotOverflow) {
  const Tensor q = Cast(Zeros({1, 4}), kFloat16), k = Cast(Zeros({2000, 4}), kFloat16);
  const Tensor v = Cast(Full({2000, 1}, 60), kFloat16);
  EXPECT_NEAR(Cast(Attention(q, k, v), kFloat64).item<double>(), 60, 0.2);
}

TEST(Attention, CachedKeys) {
  const Tensor mask = TriangularMask(2, 4, 2);
  EXPECT_THAT(Values(mask), ElementsAre(1, 1, 1, 0, 1, 1, 1, 1));
  const Tensor q = Wave({4, 2}, 0.3), k = Wave({4, 2}, 1.1), v = Wave({4, 2}, 2);
  const Tensor all = Attention(q, k, v, {.causal = true});
  const Tensor last = Attention(Slice(q, {2, 0}, {4, 2}), k, v, {.mask = mask});
  EXPECT_EQ(Values(last), Values(Slice(all, {2, 0}, {4, 2})));
}

TEST(Positions, Sinusoidal) {
  ExpectNear(SinusoidalPositions(3, 4, 10000, kFloat64),
             {0, 1, 0, 1, 0.8414709848079, 0.5403023058681, 0.009999833334167, 0.9999500004167, 0.9092974268257,
              -0.4161468365471, 0.01999866669333, 0.9998000066666},
             1e-12, "positions");
  // Far positions are exact to rounding in f32 too.
  const Tensor far = SinusoidalPositions(100000, 2);
  EXPECT_NEAR(far[99999][0].item<double>(), std::sin(99999.0), 1e-7);
}

TEST(Positions, RotaryAtGivenPlaces) {
  const Tensor x = Wave({1, 3, 4}, 0.3);
  const Tensor all = RotaryEmbedding(x), last = Slice(x, {0, 2, 0}, {1, 3, 4});
  EXPECT_EQ(Values(RotaryEmbedding(last, {.positions = Tensor({2})})), Values(Slice(all, {0, 2, 0}, {1, 3, 4})));
}

TEST(MultiHead, AsPyTorch) {
  const Tensor x = Wave({1, 3, 4}, 0.3, 1);
  const auto run = [&](bool causal) {
    const MultiHeadAttention layer(4, 2, {.causal = causal}, {.name = "mha", .dtype = kFloat64});
    layer(x);
    const std::vector<Variable> v = layer.variables();
    EXPECT_EQ(v.size(), 8u);
    EXPECT_EQ(v[6].name(), "mha/output/kernel");
    for (int i = 0; i < 4; ++i) {
      v[static_cast<size_t>(2 * i)].Assign(Wave({4, 4}, 0.1 * i, 0.5));
      v[static_cast<size_t>(2 * i + 1)].Assign(Wave({4}, 0.2 * i, 0.5));
    }
    return layer(x);
  };
  ExpectNear(run(false),
             {0.1177692153355, 0.7508472889295, -0.3112542938061, -0.670640484764, 0.1177672172797, 0.7508509695455,
              -0.3112532442045, -0.6706444358507, 0.1178137248503, 0.7507133985111, -0.3112643012344, -0.6705040155415},
             1e-12, "plain");
  ExpectNear(run(true),
             {0.1094183237293, 0.7695707246346, -0.3077282254097, -0.6902725494678, 0.1122310866818, 0.7648908031517,
              -0.3093350241286, -0.6851785736483, 0.1178137248503, 0.7507133985111, -0.3112643012344, -0.6705040155415},
             1e-12, "causal");
}

TEST(MultiHead, GroupedRotaryAndNames) {
  const Sequential block{Residual(LayerNorm(), MultiHeadAttention(8, 4, {.key_heads = 2, .rotary = true})),
                         Residual(LayerNorm(), Dense(16, Gelu), Dense(8))};
  const Tensor x = Cast(Wave({2, 3, 8}, 0.3), kFloat32);
  EXPECT_EQ(block(x).shape(), x.shape());
  std::vector<std::string> names;
  for (const Variable& v : block.variables()) names.push_back(v.name());
  EXPECT_THAT(names, testing::IsSupersetOf({"residual/layer_norm/scale", "residual/multi_head_attention/key/kernel",
                                            "residual_1/dense_1/bias"}));
  ExpectCompiledBits([&](const TensorVector& in) { return block(in[0]); }, {x});
}

TEST(AttentionErrors, NameAllShapes) {
  ExpectError(ErrorCode::kInvalidArgument, "attention: query f32[2,3], key f32[4,2] and value f32[4,2] do not fit",
              [] { Attention(Zeros({2, 3}), Zeros({4, 2}), Zeros({4, 2})); });
  ExpectError(ErrorCode::kInvalidArgument, "divide those of queries",
              [] { Attention(Zeros({3, 1, 2}), Zeros({2, 1, 2}), Zeros({2, 1, 2})); });
  ExpectError(ErrorCode::kInvalidArgument, "3 features do not make pairs", [] { RotaryEmbedding(Zeros({2, 3})); });
  ExpectError(ErrorCode::kInvalidArgument, "do not divide into 3 heads", [] { MultiHeadAttention(4, 3); });
  ExpectError(ErrorCode::kInvalidArgument, "needs [batch, length, features], got f32[2,4]",
              [] { MultiHeadAttention(4, 2)(Zeros({2, 4})); });
}

}  // namespace
}  // namespace reel
