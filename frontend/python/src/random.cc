#include "reel/random.h"

#include <algorithm>
#include <array>
#include <cmath>

#include "bind.h"
#include "register.h"
#include "runtime/philox.h"

// reel.random: generators and distributions.

namespace reel::python {
namespace {

// None: the default generator.
Generator ToGenerator(nb::handle x) {
  if (x.is_none()) return Generator::Default();
  Generator* generator = nullptr;
  if (nb::try_cast(x, generator) && generator) return *generator;
  ThrowType("generator: expected a reel.random.Generator, not " + TypeName(x));
}

// The parameters behind the shape and the distribution's own.
#define REEL_DRAW nb::kw_only(), "dtype"_a = nb::none(), "generator"_a = nb::none()
constexpr const char* kDraw = ", *, dtype: DTypeLike | None = None, generator: Generator | None = None) -> Tensor";

void RegisterGenerator(nb::module_& m) {
  nb::class_<Generator> c(m, "Generator",
                          "A stream of random numbers: Philox4x32-10 with a state int64[2] {key, counter}, a variable, "
                          "so "
                          "that a lifted or compiled step continues the sequence. The same numbers on every CPU.");
  c.def("__init__", [](Generator* self, int64_t seed) { new (self) Generator(seed); }, "seed"_a = 0);
  c.def_static(
      "from_key", [](TensorLike key) { return Generator::FromKey(key.operand()); }, "key"_a,
      "A generator whose state is a value, int64[2]: draws are a function of it and nothing else.");
  c.def("seed", [](const Generator& g, int64_t seed) { g.Seed(seed); }, "seed"_a, "Starts the sequence of a seed.");
  c.def("key", [](const Generator& g) { return g.Key(); }, "The state now; from_key of it draws what this will draw.");
  c.def(
      "split", [](const Generator& g, int64_t n) { return g.Split(n); }, "n"_a,
      "n keys, int64[n, 2], of streams of their own.");
  c.def(
      "bits", [](const Generator& g, ShapeLike shape) { return g.Bits(shape.get()); }, "shape"_a, "int32 random bits.");
  c.def_prop_ro(
      "state", [](const Generator& g) { return g.state().defined() ? WrapVariable(g.state()) : nb::none(); },
      nb::sig("def state(self) -> Variable | None"), "The variable {key, counter}; None of a generator from a key.");
  m.def("seed", [](int64_t seed) { SetSeed(seed); }, "seed"_a, "Starts the default generator's sequence of a seed.");
  m.def(
      "default_generator", [] { return Generator::Default(); },
      "The generator used when none is given; seed 0 at first.");
}

void RegisterUniformAndNormal(nb::module_& m) {
  m.def(
      "uniform",
      [](ShapeLike shape, double low, double high, DTypeLike d, nb::handle g) {
        return RandomUniform(shape.get(),
                             {.low = low, .high = high, .dtype = d.get(kFloat32), .generator = ToGenerator(g)});
      },
      "shape"_a = nb::tuple(), "low"_a = 0.0, "high"_a = 1.0, REEL_DRAW,
      nb::sig(Text({"def uniform(shape: ShapeLike = (), low: float = 0, high: float = 1", kDraw}).c_str()),
      "Uniform in [low, high).");
  m.def(
      "normal",
      [](ShapeLike shape, double mean, double stddev, DTypeLike d, nb::handle g) {
        return RandomNormal(shape.get(),
                            {.mean = mean, .stddev = stddev, .dtype = d.get(kFloat32), .generator = ToGenerator(g)});
      },
      "shape"_a = nb::tuple(), "mean"_a = 0.0, "stddev"_a = 1.0, REEL_DRAW,
      nb::sig(Text({"def normal(shape: ShapeLike = (), mean: float = 0, stddev: float = 1", kDraw}).c_str()),
      "Normal of this mean and standard deviation."
      "\n\n>>> reel.random.normal((2, 3)).shape\n(2, 3)");
  m.def(
      "truncated_normal",
      [](ShapeLike shape, double mean, double stddev, double low, double high, DTypeLike d, nb::handle g) {
        return RandomTruncatedNormal(shape.get(), {.mean = mean,
                                                   .stddev = stddev,
                                                   .low = low,
                                                   .high = high,
                                                   .dtype = d.get(kFloat32),
                                                   .generator = ToGenerator(g)});
      },
      "shape"_a = nb::tuple(), "mean"_a = 0.0, "stddev"_a = 1.0, "low"_a = -2.0, "high"_a = 2.0, REEL_DRAW,
      nb::sig(Text({"def truncated_normal(shape: ShapeLike = (), mean: float = 0, stddev: float = "
                    "1, low: float = -2, high: float = 2",
                    kDraw})
                  .c_str()),
      "Normal, given that it is within low and high standard deviations of the mean.");
  m.def(
      "gumbel",
      [](ShapeLike shape, DTypeLike d, nb::handle g) {
        return RandomGumbel(shape.get(), {.dtype = d.get(kFloat32), .generator = ToGenerator(g)});
      },
      "shape"_a = nb::tuple(), REEL_DRAW, nb::sig(Text({"def gumbel(shape: ShapeLike = ()", kDraw}).c_str()),
      "-log(-log(u)).");
  m.def(
      "exponential",
      [](ShapeLike shape, TensorLike rate, DTypeLike d, nb::handle g) {
        return RandomExponential(shape.get(), rate.operand(), {.dtype = d.get(kFloat32), .generator = ToGenerator(g)});
      },
      "shape"_a = nb::tuple(), "rate"_a = 1.0, REEL_DRAW,
      nb::sig(Text({"def exponential(shape: ShapeLike = (), rate: TensorLike = 1.0", kDraw}).c_str()),
      "-log(u) / rate.");
}

void RegisterOthers(nb::module_& m) {
  m.def(
      "gamma",
      [](ShapeLike shape, TensorLike alpha, DTypeLike d, nb::handle g) {
        return RandomGamma(shape.get(), alpha.operand(), {.dtype = d.get(kFloat32), .generator = ToGenerator(g)});
      },
      "shape"_a, "alpha"_a, REEL_DRAW, nb::sig(Text({"def gamma(shape: ShapeLike, alpha: TensorLike", kDraw}).c_str()),
      "Gamma variates of shape parameter alpha and scale 1.");
  m.def(
      "beta",
      [](ShapeLike shape, TensorLike a, TensorLike b, DTypeLike d, nb::handle g) {
        return RandomBeta(shape.get(), a.operand(), b.operand(),
                          {.dtype = d.get(kFloat32), .generator = ToGenerator(g)});
      },
      "shape"_a, "a"_a, "b"_a, REEL_DRAW,
      nb::sig(Text({"def beta(shape: ShapeLike, a: TensorLike, b: TensorLike", kDraw}).c_str()), "Beta variates.");
  m.def(
      "poisson",
      [](ShapeLike shape, TensorLike rate, DTypeLike d, nb::handle g) {
        return RandomPoisson(shape.get(), rate.operand(), {.dtype = d.get(kInt64), .generator = ToGenerator(g)});
      },
      "shape"_a, "rate"_a, REEL_DRAW, nb::sig(Text({"def poisson(shape: ShapeLike, rate: TensorLike", kDraw}).c_str()),
      "Poisson counts.");
  m.def(
      "bernoulli",
      [](ShapeLike shape, TensorLike p, nb::handle g) {
        return RandomBernoulli(shape.get(), p.operand(), ToGenerator(g));
      },
      "shape"_a, "p"_a = 0.5, nb::kw_only(), "generator"_a = nb::none(),
      nb::sig("def bernoulli(shape: ShapeLike, p: TensorLike = 0.5, *, generator: Generator | None "
              "= None) -> Tensor"),
      "bool, true with probability p.");
  m.def(
      "randint",
      [](ShapeLike shape, int64_t low, int64_t high, DTypeLike d, nb::handle g) {
        return Cast(RandomInt(shape.get(), low, high, ToGenerator(g)), d.get(kInt64));
      },
      "shape"_a, "low"_a, "high"_a, REEL_DRAW,
      nb::sig(Text({"def randint(shape: ShapeLike, low: int, high: int", kDraw}).c_str()),
      "Uniform on low, ..., high - 1.");
  m.def(
      "permutation", [](int64_t n, nb::handle g) { return RandomPermutation(n, ToGenerator(g)); }, "n"_a, nb::kw_only(),
      "generator"_a = nb::none(), nb::sig("def permutation(n: int, *, generator: Generator | None = None) -> Tensor"),
      "0, ..., n - 1 (int64) in random order."
      "\n\n>>> sorted(reel.random.permutation(3).tolist())\n[0, 1, 2]");
  m.def(
      "shuffle",
      [](TensorLike x, int64_t axis, nb::handle g) { return RandomShuffle(x.operand(), axis, ToGenerator(g)); }, "x"_a,
      "axis"_a = 0, nb::kw_only(), "generator"_a = nb::none(),
      nb::sig("def shuffle(x: TensorLike, axis: int = 0, *, generator: Generator | None = None) -> "
              "Tensor"),
      "The slices of x along an axis in random order.");
  m.def(
      "categorical",
      [](TensorLike logits, int64_t samples, nb::handle g) {
        return RandomCategorical(logits.operand(), samples, ToGenerator(g));
      },
      "logits"_a, "samples"_a = 1, nb::kw_only(), "generator"_a = nb::none(),
      nb::sig("def categorical(logits: TensorLike, samples: int = 1, *, generator: Generator | "
              "None = None) -> Tensor"),
      "Class indices (int64) [..., samples] drawn from softmax(logits).");
}

// A run of Philox blocks: `count` of them from a 128-bit counter on, `together` at a time, whose first ones are `apart`
// blocks apart.
struct PhiloxRun {
  int64_t key, low, high, count, together, apart;

  std::array<uint32_t, 4> operator[](int64_t i) const {
    const auto skipped =
        static_cast<uint64_t>(i / together) * static_cast<uint64_t>(apart) + static_cast<uint64_t>(i % together);
    const uint64_t b = static_cast<uint64_t>(low) + skipped, k = static_cast<uint64_t>(key);
    const uint64_t c = static_cast<uint64_t>(high) + (b < skipped ? 1 : 0);
    return runtime::Philox4x32({static_cast<uint32_t>(b), static_cast<uint32_t>(b >> 32), static_cast<uint32_t>(c),
                                static_cast<uint32_t>(c >> 32)},
                               {static_cast<uint32_t>(k), static_cast<uint32_t>(k >> 32)});
  }
};

// f of every word, in order.
template <typename T, typename F>
Tensor OfWords(const PhiloxRun& run, const F& f) {
  std::vector<T> out;
  out.reserve(static_cast<size_t>(run.count) * 4);
  for (int64_t i = 0; i < run.count; ++i) {
    for (const uint32_t word : run[i]) out.push_back(f(word));
  }
  return Tensor::FromData(out, {run.count * 4});
}

// Fractions of 52 bits of every two words, the upper ones first.
Tensor OfPairs(const PhiloxRun& run) {
  std::vector<double> out;
  out.reserve(static_cast<size_t>(run.count) * 2);
  const auto joined = [](uint32_t a, uint32_t b) { return (a & 0xFFFFF) * 0x1p-20 + b * 0x1p-52; };
  for (int64_t i = 0; i < run.count; ++i) {
    const auto w = run[i];
    out.push_back(joined(w[0], w[1]));
    out.push_back(joined(w[2], w[3]));
  }
  return Tensor::FromData(out, {run.count * 2});
}

// bits 0: the words as i64; 52: fractions of pairs as f64; else the lowest bits of every word as a fraction in f32.
Tensor PhiloxDraw(const PhiloxRun& run, int64_t bits) {
  if (run.count < 0 || run.count > int64_t{1} << 40 || run.together < 1 || run.apart < 1 || bits < 0 || bits > 52) {
    ThrowInvalid("_philox: an argument is out of range");
  }
  if (bits == 52) return OfPairs(run);
  if (bits == 0) return OfWords<int64_t>(run, [](uint32_t w) { return int64_t{w}; });
  const uint32_t mask = (uint32_t{1} << std::min<int64_t>(bits, 24)) - 1;
  const float unit = std::ldexp(1.0F, -static_cast<int>(std::min<int64_t>(bits, 24)));
  return OfWords<float>(run, [=](uint32_t w) { return static_cast<float>(w & mask) * unit; });
}

}  // namespace

void RegisterRandom(nb::module_& parent) {
  nb::module_ m =
      parent.def_submodule("random", "Random numbers: the same bits in eager and compiled code, on every CPU.");
  RegisterGenerator(m);
  RegisterUniformAndNormal(m);
  RegisterOthers(m);
  m.def(
      "_philox",
      [](int64_t key, int64_t low, int64_t high, int64_t blocks, int64_t bits, int64_t together, int64_t apart) {
        return PhiloxDraw({key, low, high, blocks, together, apart}, bits);
      },
      "key"_a, "low"_a, "high"_a, "blocks"_a, "bits"_a = 0, "together"_a = 1, "apart"_a = 1,
      "Philox4x32-10 blocks of a key, from a counter of 128 bits on: words, or as many of their bits as fractions.");
}

}  // namespace reel::python
