// Random draws: moments and distance from the distribution function for fixed seeds (so nothing can
// flake), frozen first values, equal bits in eager execution, traces and recordings.

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

#include "reel/loops.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::DoubleNear;
using testing::Each;
using testing::ElementsAre;

constexpr int64_t kCount = 100000;
const DrawOptions kDouble{.dtype = kFloat64};

struct Moments {
  double mean = 0, variance = 0;
};

Moments MomentsOf(const std::vector<double>& x) {
  const double n = static_cast<double>(x.size());
  const double mean = std::accumulate(x.begin(), x.end(), 0.0) / n;
  double squares = 0;
  for (double v : x) squares += (v - mean) * (v - mean);
  return {mean, squares / n};
}

// The largest distance between the empirical distribution function and F: below 2 / sqrt(n) with
// probability 0.9993.
double Distance(std::vector<double> x, const std::function<Tensor(const Tensor&)>& distribution) {
  std::sort(x.begin(), x.end());
  const auto n = static_cast<int64_t>(x.size());
  const std::vector<double> f = Values(distribution(Tensor::FromData(x, {n})));
  double worst = 0;
  for (size_t i = 0; i < x.size(); ++i) {
    const double below = static_cast<double>(i) / static_cast<double>(n);
    worst = std::max({worst, std::fabs(f[i] - below), std::fabs(f[i] - below - 1.0 / static_cast<double>(n))});
  }
  return worst * std::sqrt(static_cast<double>(n));
}

struct Continuous {
  const char* name;
  std::function<Tensor(const Generator& g)> draw;
  std::function<Tensor(const Tensor& x)> distribution;
  double mean, variance;
};

void PrintTo(const Continuous& c, std::ostream* out) { *out << c.name; }

std::vector<Continuous> Distributions() {
  using G = const Generator&;
  using T = const Tensor&;
  const Shape shape{kCount};
  const auto gamma = [shape](double alpha) {
    return [=](G g) { return RandomGamma(shape, alpha, {.dtype = kFloat64, .generator = g}); };
  };
  const auto gamma_distribution = [](double alpha) { return [=](T x) { return Igamma(alpha, x); }; };
  return {
      {"uniform", [=](G g) { return RandomUniform(shape, {.low = -1, .high = 3, .dtype = kFloat64, .generator = g}); },
       [](T x) { return Div(Add(x, 1.0), 4.0); }, 1, 16.0 / 12},
      {"uniform_f32", [=](G g) { return RandomUniform(shape, {.generator = g}); }, [](T x) { return x; }, 0.5,
       1.0 / 12},
      {"normal", [=](G g) { return RandomNormal(shape, {.dtype = kFloat64, .generator = g}); }, Ndtr, 0, 1},
      {"normal_f32", [=](G g) { return RandomNormal(shape, {.mean = 2, .stddev = 3, .generator = g}); },
       [](T x) { return Ndtr(Div(Sub(x, 2.0), 3.0)); }, 2, 9},
      {"truncated_normal", [=](G g) { return RandomTruncatedNormal(shape, {.generator = g}); },
       [](T x) { return Div(Sub(Ndtr(x), 0.022750131948179195), 0.9544997361036416); }, 0, 0.7737413035499231},
      {"tail_normal",
       [=](G g) {
         return RandomTruncatedNormal(shape, {.low = 5, .high = INFINITY, .dtype = kFloat64, .generator = g});
       },
       [](T x) { return Sub(1.0, Div(Ndtr(Neg(x)), 2.866515718791933e-07)); }, 5.186503967125842, 0.03269643461712},
      {"exponential", [=](G g) { return RandomExponential(shape, 4.0, {.dtype = kFloat64, .generator = g}); },
       [](T x) { return Sub(1.0, Exp(Mul(x, -4.0))); }, 0.25, 1.0 / 16},
      {"gumbel", [=](G g) { return RandomGumbel(shape, {.dtype = kFloat64, .generator = g}); },
       [](T x) { return Exp(Neg(Exp(Neg(x)))); }, 0.5772156649015329, 1.6449340668482264},
      {"gamma_tenth", gamma(0.1), gamma_distribution(0.1), 0.1, 0.1},
      {"gamma_one", gamma(1), gamma_distribution(1), 1, 1},
      {"gamma_hundred", gamma(100), gamma_distribution(100), 100, 100},
      {"beta", [=](G g) { return RandomBeta(shape, 0.5, 3.0, {.dtype = kFloat64, .generator = g}); },
       [](T x) { return Betainc(0.5, 3.0, x); }, 1.0 / 7, 1.5 / (12.25 * 4.5)},
  };
}

class Draws : public testing::TestWithParam<Continuous> {};
INSTANTIATE_TEST_SUITE_P(All, Draws, testing::ValuesIn(Distributions()),
                         [](const auto& info) { return std::string(info.param.name); });

TEST_P(Draws, FollowTheDistribution) {
  const Generator g(20240611);
  const std::vector<double> x = Values(GetParam().draw(g));
  EXPECT_LT(Distance(x, GetParam().distribution), 2.0);
  const Moments m = MomentsOf(x);
  const double deviation = std::sqrt(GetParam().variance / kCount);
  EXPECT_NEAR(m.mean, GetParam().mean, 4 * deviation);
  EXPECT_NEAR(m.variance, GetParam().variance, 0.05 * GetParam().variance);
}

// Counts of k against the probabilities, by Pearson's statistic: sum (n_k - n p_k)^2 / (n p_k).
double Pearson(const std::vector<double>& x, const std::vector<double>& probabilities) {
  std::vector<double> counts(probabilities.size());
  for (double v : x) {
    if (v >= 0 && v < static_cast<double>(counts.size())) counts[static_cast<size_t>(v)] += 1;
  }
  double sum = 0;
  for (size_t k = 0; k < counts.size(); ++k) {
    const double expected = static_cast<double>(x.size()) * probabilities[k];
    if (expected > 5) sum += (counts[k] - expected) * (counts[k] - expected) / expected;
  }
  return sum;
}

TEST(Counts, PoissonOfSmallAndLargeRates) {
  for (const double rate : {0.1, 3.0, 9.9, 10.0, 40.0}) {
    const Generator g(7);
    const std::vector<double> x = Values(RandomPoisson({kCount}, rate, {.generator = g}));
    std::vector<double> p;
    for (int k = 0; k < 100; ++k) p.push_back(std::exp(k * std::log(rate) - rate - std::lgamma(k + 1)));
    double classes = 0;
    for (double v : p) classes += v * kCount > 5;
    EXPECT_LT(Pearson(x, p), classes + 4 * std::sqrt(2 * classes) + 2) << rate;
    EXPECT_NEAR(MomentsOf(x).mean, rate, 4 * std::sqrt(rate / kCount)) << rate;
  }
  const Generator g(8);
  const Moments m = MomentsOf(Values(RandomPoisson({kCount}, 1e6, {.dtype = kFloat64, .generator = g})));
  EXPECT_NEAR(m.mean, 1e6, 4 * std::sqrt(1e6 / kCount));
  EXPECT_NEAR(m.variance, 1e6, 2e4);
  const std::vector<double> edges = Values(RandomPoisson({3}, Tensor({0.0, -1.0, std::nan("")}), {.dtype = kFloat64}));
  EXPECT_EQ(edges[0], 0);
  EXPECT_TRUE(std::isnan(edges[1]) && std::isnan(edges[2]));
}

TEST(Counts, Categorical) {
  const Generator g(3);
  const std::vector<double> p{0.5, 0.125, 0.25, 0.0, 0.125};
  const Tensor logits({{std::log(0.5), std::log(0.125), std::log(0.25), std::log(0.0), std::log(0.125)}});
  const Tensor x = RandomCategorical(logits, kCount, g);
  EXPECT_EQ(x.dtype(), kInt64);
  EXPECT_EQ(x.shape(), Shape({1, kCount}));
  EXPECT_LT(Pearson(Values(x), p), 20);
  EXPECT_THAT(Values(RandomCategorical(Tensor({0.f, -INFINITY}), 7, g)), Each(0));
}

TEST(Counts, BernoulliAndInt) {
  const Generator g(4);
  EXPECT_NEAR(MomentsOf(Values(RandomBernoulli({kCount}, 0.3, g))).mean, 0.3, 0.006);
  EXPECT_THAT(Values(RandomBernoulli({100}, 0.0, g)), Each(0));
  EXPECT_THAT(Values(RandomBernoulli({100}, 1.0, g)), Each(1));
  EXPECT_LT(Pearson(Values(Sub(RandomInt({kCount}, -3, 7, g), -3)), std::vector<double>(10, 0.1)), 30);
  EXPECT_THAT(Values(RandomInt({100}, 5, 6, g)), Each(5));
  // A range that half of the words do not fit into.
  const int64_t wide = (int64_t{1} << 62) + 1;
  const std::vector<int64_t> x = RandomInt({1000}, 0, wide, g).ToVector<int64_t>();
  EXPECT_TRUE(std::all_of(x.begin(), x.end(), [&](int64_t v) { return v >= 0 && v < wide; }));
  EXPECT_NEAR(static_cast<double>(std::count_if(x.begin(), x.end(), [&](int64_t v) { return v < wide / 2; })), 500, 70);
}

TEST(Counts, Permutation) {
  const Generator g(9);
  const Tensor p = RandomPermutation(1000, g);
  EXPECT_EQ(Values(Sort(p)), Values(Arange(0, 1000)));
  std::vector<double> firsts;
  for (int i = 0; i < 600; ++i) firsts.push_back(Values(RandomPermutation(6, g))[0]);
  EXPECT_LT(Pearson(firsts, std::vector<double>(6, 1.0 / 6)), 20);
  const Tensor x({{1.0, 2.0, 3.0}, {4.0, 5.0, 6.0}});
  const Tensor shuffled = RandomShuffle(x, 1, g);
  EXPECT_EQ(Values(Sort(shuffled)), Values(x));
  const std::vector<double> v = Values(shuffled);  // columns stay together
  for (size_t k = 0; k < 3; ++k) EXPECT_EQ(v[k + 3], v[k] + 3);
  EXPECT_EQ(RandomPermutation(0).shape(), Shape({0}));
}

// Where f32 has few numbers, the sum of low and a part of the width is rounded up to high.
TEST(Uniform, StaysBelowHigh) {
  for (const DType dtype : {kFloat32, kFloat64}) {
    const double low = dtype == kFloat32 ? 1e6 : 1e15, high = low + 1;
    for (const double x : Values(RandomUniform({1000}, {.low = low, .high = high, .dtype = dtype}))) {
      ASSERT_GE(x, low);
      ASSERT_LT(x, high);
    }
  }
}

TEST(Shapes, RatesBroadcastToTheShapeAlone) {
  EXPECT_EQ(RandomExponential({3, 2}, Tensor({1.f, 2.f})).shape(), Shape({3, 2}));
  ExpectError(ErrorCode::kInvalidArgument, "f32[3,2] does not broadcast to [2]",
              [] { RandomExponential({2}, Ones({3, 2})); });
  ExpectError(ErrorCode::kInvalidArgument, "random_uniform: dtype must be f32 or f64",
              [] { RandomUniform({2}, {.dtype = kInt32}); });
}

struct Draw {
  const char* name;
  std::function<Tensor(const Generator& g)> draw;
  std::vector<double> first;  // of generator 42
};

std::vector<Draw> AllDraws() {
  using G = const Generator&;
  const Shape shape{5};
  return {
      {"uniform",
       [=](G g) { return RandomUniform(shape, {.generator = g}); },
       {0.61295986175537109, 0.4685865044593811, 0.073231697082519531, 0.34086149930953979, 0.98771864175796509}},
      {"uniform_f64",
       [=](G g) { return RandomUniform(shape, {.dtype = kFloat64, .generator = g}); },
       {0.61295988280971958, 0.46858651681479457, 0.07323173882621492, 0.34086154977667837, 0.98771865464448372}},
      {"normal",
       [=](G g) { return RandomNormal(shape, {.generator = g}); },
       {0.63220536708831787, -0.61253523826599121, -0.31152120232582092, 0.13480626046657562, -0.37919309735298157}},
      {"normal_f64",
       [=](G g) { return RandomNormal(shape, {.dtype = kFloat64, .generator = g}); },
       {-0.63644213398345761, 0.59681536269913249, -0.17211282775462181, 0.081812696314289404, -1.1754777792653865}},
      {"truncated_normal",
       [=](G g) { return RandomTruncatedNormal(shape, {.generator = g}); },
       {0.2736421525478363, -0.075230054557323456, -1.3246128559112549, -0.39044868946075439, 1.8187776803970337}},
      {"bernoulli", [=](G g) { return RandomBernoulli(shape, 0.5, g); }, {0, 1, 1, 1, 0}},
      {"int", [=](G g) { return RandomInt(shape, -100, 100, g); }, {-71, -81, 61, -91, -23}},
      {"permutation", [=](G g) { return RandomPermutation(5, g); }, {1, 3, 2, 4, 0}},
      {"exponential",
       [=](G g) { return RandomExponential(shape, 2.0, {.generator = g}); },
       {0.24472789466381073, 0.37901726365089417, 1.3070632219314575, 0.5381394624710083, 0.0061786933802068233}},
      {"gumbel",
       [=](G g) { return RandomGumbel(shape, {.generator = g}); },
       {0.71446114778518677, 0.27702632546424866, -0.9609299898147583, -0.073509611189365387, 4.3935012817382812}},
      {"categorical", [=](G g) { return RandomCategorical(Tensor({{0.f, 1.f, 2.f, 3.f}}), 5, g); }, {3, 0, 3, 3, 1}},
      {"gamma",
       [=](G g) { return RandomGamma(shape, 0.7, {.dtype = kFloat64, .generator = g}); },
       {0.2957634122070709, 1.1693261113736408, 0.05769169081245413, 0.14532323943216724, 1.24293738844521}},
      {"gamma_f32",
       [=](G g) { return RandomGamma(shape, 5.0, {.generator = g}); },
       {3.0626471042633057, 7.9821205139160156, 6.4362130165100098, 3.2551620006561279, 4.476719856262207}},
      {"beta",
       [=](G g) { return RandomBeta(shape, 0.5, 2.0, {.generator = g}); },
       {0.086069688200950623, 0.28037646412849426, 0.012980702333152294, 0.027332648634910583, 0.20988623797893524}},
      {"poisson", [=](G g) { return RandomPoisson(shape, 3.0, {.generator = g}); }, {3, 3, 1, 2, 7}},
      {"poisson_large", [=](G g) { return RandomPoisson(shape, 300.0, {.generator = g}); }, {291, 320, 291, 286, 290}},
  };
}

// Frozen: a change of these numbers breaks programs that rely on a seed.
TEST(Draw, FirstValuesNeverChange) {
  if (!__builtin_cpu_supports("fma")) GTEST_SKIP() << "recorded with FMA";
  for (const Draw& d : AllDraws()) {
    const Generator g(42);
    EXPECT_EQ(Values(d.draw(g)), d.first) << d.name;
  }
}

TEST(Draw, EmptyAndRankZero) {
  const Generator g(1);
  const Shape scalar{}, empty{0, 3};
  for (const Shape& shape : {scalar, empty}) {
    EXPECT_EQ(RandomGamma(shape, 0.5, {.generator = g}).shape(), shape);
    EXPECT_EQ(RandomPoisson(shape, 20.0, {.generator = g}).shape(), shape);
    EXPECT_EQ(RandomInt(shape, 0, 10, g).shape(), shape);
    EXPECT_EQ(RandomTruncatedNormal(shape, {.generator = g}).shape(), shape);
    EXPECT_EQ(RandomBernoulli(shape, 0.5, g).shape(), shape);
  }
}

// Two draws of the compiled program go on where the generator stood, with the bits of eager ones.
TEST(Draw, SameBitsTracedRecordedAndEager) {
  for (const Draw& d : AllDraws()) {
    const Generator g(5);
    const Module module = Module::Lift({{"draw", [&] { return d.draw(g); }, {}}});
    Recording recording;
    const Tensor recorded = d.draw(g);
    const Function step = recording.Lift({}, {{"x", recorded}});
    const std::vector<double> first = Values(recorded), second = Values(d.draw(g)), third = Values(d.draw(g));
    for (const int level : {0, 2}) {
      const Executable run = Compile(module, {.opt_level = level});
      EXPECT_EQ(Values(run("draw")), first) << d.name << " level " << level;
      EXPECT_EQ(Values(run("draw")), second) << d.name << " level " << level;
    }
    const Executable again = Compile(Module::Lift({{"draw", step}}));  // from after the recording
    EXPECT_EQ(Values(again("draw")), second) << d.name;
    EXPECT_EQ(Values(again("draw")), third) << d.name;
  }
}

TEST(Draw, GradientsFlowThroughScaleAndShiftOnly) {
  const Tensor mean(1.0), scale(2.0), alpha(3.0);
  GradientTape tape({.persistent = true});
  tape.Watch(mean), tape.Watch(scale), tape.Watch(alpha);
  const Tensor z = RandomNormal({4}, {.dtype = kFloat64});
  const Tensor x = Add(mean, Mul(scale, z)), gamma = RandomGamma({4}, alpha, kDouble);
  const Tensor e = RandomExponential({4}, scale, kDouble);
  EXPECT_EQ(Values(*tape.Gradient(x, mean)), std::vector<double>{4});
  EXPECT_EQ(Values(*tape.Gradient(x, scale)), Values(ReduceSum(z)));
  EXPECT_NEAR(tape.Gradient(e, scale)->item<double>(), -ReduceSum(e).item<double>() / 2, 1e-12);
  EXPECT_FALSE(tape.Gradient(gamma, alpha).has_value());
}

TEST(Draw, RefusesWrongArguments) {
  ExpectError(ErrorCode::kInvalidArgument, "low must be below high", [] { RandomInt({2}, 3, 3); });
  ExpectError(ErrorCode::kInvalidArgument, "low must be below high",
              [] { RandomTruncatedNormal({2}, {.low = 2, .high = 1}); });
  ExpectError(ErrorCode::kInvalidArgument, "dtype must be f32 or f64",
              [] { RandomGamma({2}, 1.0, {.dtype = kInt32}); });
  ExpectError(ErrorCode::kInvalidArgument, "random_categorical", [] { RandomCategorical(Tensor({1, 2})); });
}

TEST(GeneratorFromKey, DrawsAreAFunctionOfTheKey) {
  const Generator seeded(7);
  const Tensor key = seeded.Key();
  const Tensor want = RandomNormal({5}, {.generator = seeded});
  const auto draw = [](const Tensor& k) { return RandomNormal({5}, {.generator = Generator::FromKey(k)}); };
  EXPECT_EQ(Values(draw(key)), Values(want));
  EXPECT_EQ(Values(draw(key)), Values(want)) << "drawing changes no key";
  const Function traced = Trace(draw, {Spec(key)});
  const Executable run = Compile(traced);
  EXPECT_TRUE(run.variables().empty());
  EXPECT_EQ(Values(run(traced.name(), key)), Values(want));
  const Generator copy = Generator::FromKey(key), same = copy;
  EXPECT_EQ(Values(RandomNormal({5}, {.generator = copy})), Values(want));
  EXPECT_NE(Values(RandomNormal({5}, {.generator = same})), Values(want)) << "a shared handle";
}

TEST(GeneratorFromKey, SplitsIntoStreams) {
  const Tensor keys = Generator(3).Split(3);
  EXPECT_EQ(keys.shape(), (Shape{3, 2}));
  std::vector<std::vector<double>> draws;
  for (int64_t i = 0; i < 3; ++i) {
    const Tensor key = Reshape(Slice(keys, {i, 0}, {i + 1, 2}), {2});
    draws.push_back(Values(RandomUniform({1000}, {.generator = Generator::FromKey(key)})));
  }
  for (int i = 0; i < 3; ++i) {
    const std::vector<double>&a = draws[static_cast<size_t>(i)], &b = draws[static_cast<size_t>((i + 1) % 3)];
    double covariance = 0;
    for (size_t k = 0; k < a.size(); ++k) covariance += (a[k] - 0.5) * (b[k] - 0.5) / 1000;
    EXPECT_LT(std::fabs(covariance), 0.011);  // 4 standard deviations of independent ones
  }
}

// A key carried through a compiled loop: every step draws anew.
TEST(GeneratorFromKey, CarriedThroughALoop) {
  const auto walk = [](const Tensor& key) {
    return Scan(
               [](const std::vector<Tensor>& c, const std::vector<Tensor>&) {
                 const Generator g = Generator::FromKey(c[0]);
                 const Tensor x = RandomUniform({2}, {.generator = g});
                 return ScanStep{{g.Key()}, {x}};
               },
               {key}, {Zeros({4})})
        .ys[0];
  };
  const Tensor key = Generator(11).Key();
  const std::vector<double> eager = Values(walk(key));
  EXPECT_EQ(std::set<double>(eager.begin(), eager.end()).size(), 8u);
  const Function traced = Trace(walk, {Spec(key)});
  EXPECT_EQ(Values(Compile(traced)(traced.name(), key)), eager);
}

TEST(GeneratorFromKey, RefusesWhatIsNoKey) {
  ExpectError(ErrorCode::kInvalidArgument, "i64[2]", [] { Generator::FromKey(Tensor({1.f, 2.f})); });
}

}  // namespace
}  // namespace reel
