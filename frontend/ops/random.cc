#include "reel/random.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <limits>
#include <numbers>

#include "frontend/eager/dispatch.h"
#include "frontend/ops/common.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/lazy.h"
#include "ir/strings.h"
#include "reel/functions.h"
#include "reel/indexing.h"
#include "reel/ops.h"
#include "reel/special.h"

namespace reel {

using internal::LocationScope;
using internal::Materialize;
using internal::ThrowInvalid;

Generator::Generator(int64_t seed, std::string name)
    : state_(Tensor({seed, int64_t{0}}), {.name = std::move(name), .trainable = false}) {}

Generator& Generator::Default() {
  static constinit Lazy<Generator> generator;
  return generator.Get();
}

Generator Generator::FromKey(const Operand& key) {
  const Tensor state = Materialize(key);
  if (state.dtype() != kInt64 || state.shape() != Shape{2}) {
    ThrowInvalid(StrCat("Generator::FromKey: a key is i64[2] {key, counter}, got ", state.type().ToString(),
                        "; Generator(seed).Key() makes one"));
  }
  return Generator(Variable(), std::make_shared<Tensor>(state));
}

void Generator::Set(const Tensor& state) const {
  if (value_) {
    *value_ = state;
  } else {
    state_.Assign(state);
  }
}

void Generator::Seed(int64_t seed) const { Set(Tensor({seed, int64_t{0}})); }

void SetSeed(int64_t seed) { Generator::Default().Seed(seed); }

namespace {

int64_t Blocks(const Shape& shape) { return (shape.size() + 3) / 4; }

// The same, where extents may be symbolic.
Tensor BlocksOf(const Tensor& bits) {
  std::vector<int64_t> all;
  for (int64_t i = 0; i < bits.rank(); ++i) all.push_back(i);
  return Div(Add(internal::CountOf(bits, all), int64_t{3}), int64_t{4});
}

Tensor BitsAt(const Tensor& state, const Shape& shape) {
  return internal::Dispatch(ir::Op::kRandomBits, {state}, {{"shape", shape}});
}

Tensor Advanced(const Tensor& state, int64_t blocks) { return Add(state, Tensor({int64_t{0}, blocks})); }

}  // namespace

void Generator::Advance(int64_t blocks) const { Set(Advanced(Key(), blocks)); }

Tensor Generator::Bits(const Shape& shape) const {
  const Tensor bits = BitsAt(Key(), shape);
  if (shape.is_constant())
    Advance(Blocks(shape));
  else
    Set(Add(Key(), Mul(Tensor({int64_t{0}, int64_t{1}}), BlocksOf(bits))));
  return bits;
}

Tensor Generator::Split(int64_t n) const {
  const Tensor words = Cast(Bits({n, 2}), kInt64);
  const Tensor low = BitwiseAnd(Slice(words, {0, 0}, {n, 1}), int64_t{0xffffffff});
  const Tensor high = ShiftLeft(Slice(words, {0, 1}, {n, 2}), int64_t{32});
  return Concat({BitwiseOr(high, low), Zeros({n, 1}, kInt64)}, 1);
}

namespace {

// Where the words of a draw come from: i32 bits of a shape.
using Source = std::function<Tensor(const Shape&)>;

Source From(const Generator& generator) {
  return [generator](const Shape& shape) { return generator.Bits(shape); };
}

void CheckFloat(const char* op, DType dtype) {
  if (dtype == kFloat32 || dtype == kFloat64) return;
  ThrowInvalid(StrCat(op, ": dtype must be f32 or f64, got ", Name(dtype)));
}

// u in [0, 1): f32 has the upper 24 bits of a word, f64 27 of one word above 26 of another.
Tensor UnitInterval(const Source& bits, const Shape& shape, DType dtype) {
  if (dtype == kFloat32) return Mul(Cast(ShiftRight(bits(shape), 8), dtype), 0x1p-24);
  const Tensor high = Cast(ShiftRight(bits(shape), 5), dtype);
  const Tensor low = Cast(ShiftRight(bits(shape), 6), dtype);
  return Mul(Add(Mul(high, 0x1p26), low), 0x1p-53);
}

// (k + 1/2) 2^-52 in f64, k < 2^52: never 0 or 1, and symmetric.
Tensor OpenUnitInterval(const Source& bits, const Shape& shape) {
  const Tensor high = Cast(ShiftRight(bits(shape), 6), kFloat64);
  const Tensor low = Cast(ShiftRight(bits(shape), 6), kFloat64);
  return Mul(Add(Add(Mul(high, 0x1p26), low), 0.5), 0x1p-52);
}

// sqrt(-2 log u) cos(2 pi v), u in (0, 1], v in [0, 1).
Tensor StandardNormal(const Source& bits, const Shape& shape, DType dtype) {
  const Tensor u = Sub(1.0, UnitInterval(bits, shape, dtype));
  const Tensor v = UnitInterval(bits, shape, dtype);
  return Mul(Sqrt(Mul(Log(u), -2.0)), Cos(Mul(v, 2 * std::numbers::pi)));
}

// A parameter of a distribution: a constant of the sampling, in f64, of the shape of the result.
Tensor Parameter(const char* op, const Operand& x, const Shape& shape) {
  const Tensor t = internal::ConvertWeak(x, kFloat64);
  if (!IsFloat(t.dtype()) && !IsInteger(t.dtype())) {
    ThrowInvalid(StrCat(op, ": a parameter must be a number, got ", t.type().ToString()));
  }
  return BroadcastTo(Cast(StopGradient(t), kFloat64), shape);
}

// What one round of a rejection method proposes.
struct Proposal {
  Tensor value;   // f64 or i64
  Tensor accept;  // bool
};

// The first accepted proposal of each element; `fallback` where `rounds` rounds accepted none.
// Every round has words of its own and the generator moves on by all of them, so the result does
// not depend on when the loop ends. It ends early unless a recording would freeze the number of
// rounds.
Tensor FirstAccepted(const Generator& generator, const Tensor& fallback, int rounds,
                     const std::function<Proposal(const Source& bits)>& propose) {
  const Tensor start = generator.Key();
  const internal::ThreadState& thread = internal::State();
  const bool ends_early = thread.trace != nullptr || thread.sinks.empty();
  int64_t blocks = 0;  // of one round
  const auto body = [&](const std::vector<Tensor>& loop) -> std::vector<Tensor> {
    Tensor state = loop[0];
    blocks = 0;
    const Proposal proposal = propose([&](const Shape& shape) {
      const Tensor bits = BitsAt(state, shape);
      state = Advanced(state, Blocks(shape));
      blocks += Blocks(shape);
      return bits;
    });
    const Tensor take = LogicalAnd(loop[2], proposal.accept);
    return {state, Where(take, proposal.value, loop[1]), LogicalAnd(loop[2], LogicalNot(proposal.accept))};
  };
  const auto pending = [&](const std::vector<Tensor>& loop) { return ends_early ? ReduceAny(loop[2]) : Tensor(true); };
  const std::vector<Tensor> end =
      WhileLoop(pending, body, {start, fallback, Full(fallback.shape(), 1, kBool)}, {.maximum_iterations = rounds});
  generator.Advance(rounds * blocks);
  return StopGradient(end[1]);
}

// log of a gamma variate of shape parameter alpha in f64: Marsaglia and Tsang, "A simple method for
// generating gamma variables", 2000. A round accepts with probability 0.951 at least: 14 rounds
// fail with less than 2^-61. alpha < 1: gamma(alpha + 1) u^(1/alpha).
Tensor LogGammaVariate(const Generator& generator, const Tensor& alpha) {
  const Shape shape = alpha.shape();
  const Tensor boosted = Less(alpha, 1.0);
  const Tensor d = Sub(Where(boosted, Add(alpha, 1.0), alpha), 1.0 / 3);
  const Tensor c = Div(1.0 / 3, Sqrt(d));
  const Tensor log_u = Log(OpenUnitInterval(From(generator), shape));
  const Tensor log_v = FirstAccepted(generator, ZerosLike(d), 14, [&](const Source& bits) {
    const Tensor x = StandardNormal(bits, shape, kFloat64);
    const Tensor u = OpenUnitInterval(bits, shape);
    const Tensor root = Add(Mul(c, x), 1.0), inside = Greater(root, 0.0);
    const Tensor log = Mul(Log(Where(inside, root, 1.0)), 3.0);
    const Tensor bound = Add(Mul(Square(x), 0.5), Mul(d, Add(Sub(1.0, Exp(log)), log)));
    return Proposal{log, LogicalAnd(inside, Less(Log(u), bound))};
  });
  const Tensor log_gamma = Add(Log(d), log_v);
  const Tensor reduced = Where(boosted, Div(log_u, Where(boosted, alpha, 1.0)), 0.0);
  return Where(GreaterEqual(alpha, 0.0), Add(log_gamma, reduced), std::nan(""));
}

// Poisson of rate below 10 by inversion: counts up from 0 until the distribution function exceeds
// u, or the terms no longer change it.
Tensor SmallPoisson(const Generator& generator, const Tensor& rate) {
  const Tensor u = OpenUnitInterval(From(generator), rate.shape());
  const Tensor first = Exp(Neg(rate));
  const internal::ThreadState& thread = internal::State();
  const bool ends_early = thread.trace != nullptr || thread.sinks.empty();
  const auto unfinished = [&](const std::vector<Tensor>& loop) {
    const Tensor matters = LogicalOr(Greater(loop[1], 0x1p-60), Less(loop[0], rate));
    return LogicalAnd(GreaterEqual(u, loop[2]), matters);
  };
  const auto body = [&](const std::vector<Tensor>& loop) -> std::vector<Tensor> {
    const Tensor go = unfinished(loop);
    const Tensor k = Where(go, Add(loop[0], 1.0), loop[0]);
    const Tensor term = Where(go, Div(Mul(loop[1], rate), k), loop[1]);
    return {k, term, Where(go, Add(loop[2], term), loop[2])};
  };
  const auto any = [&](const std::vector<Tensor>& loop) {
    return ends_early ? ReduceAny(unfinished(loop)) : Tensor(true);
  };
  return WhileLoop(any, body, {ZerosLike(rate), first, first}, {.maximum_iterations = 80})[0];
}

// Poisson of rate 10 and above: Hoermann, "The transformed rejection method for generating Poisson
// random variables", 1993 (PTRS). A round accepts with probability 0.75 at least: 30 rounds fail
// with less than 2^-60.
Tensor LargePoisson(const Generator& generator, const Tensor& rate) {
  const Shape shape = rate.shape();
  const Tensor b = Add(Mul(Sqrt(rate), 2.53), 0.931);
  const Tensor a = Sub(Mul(b, 0.02483), 0.059);
  const Tensor inverse_alpha = Add(Div(1.1328, Sub(b, 3.4)), 1.1239);
  const Tensor squeeze = Sub(0.9277, Div(3.6224, Sub(b, 2.0)));
  const Tensor log_rate = Log(rate);
  return FirstAccepted(generator, Floor(rate), 30, [&](const Source& bits) {
    const Tensor u = Sub(OpenUnitInterval(bits, shape), 0.5);
    const Tensor v = OpenUnitInterval(bits, shape);
    const Tensor edge = Sub(0.5, Abs(u));
    const Tensor k = Floor(Add(Add(Mul(Add(Div(Mul(a, 2.0), edge), b), u), rate), 0.43));
    const Tensor at_once = LogicalAnd(GreaterEqual(edge, 0.07), LessEqual(v, squeeze));
    const Tensor never = LogicalOr(Less(k, 0.0), LogicalAnd(Less(edge, 0.013), Greater(v, edge)));
    const Tensor count = Where(Less(k, 0.0), 0.0, k);
    const Tensor left = Sub(Add(Log(v), Log(inverse_alpha)), Log(Add(Div(a, Square(edge)), b)));
    const Tensor right = Sub(Sub(Mul(count, log_rate), rate), Lgamma(Add(count, 1.0)));
    const Tensor accept = LogicalAnd(LogicalNot(never), LessEqual(left, right));
    return Proposal{k, LogicalOr(at_once, accept)};
  });
}

}  // namespace

namespace {

// The largest number of a dtype in [low, high).
double LargestBelow(double high, double low, DType dtype) {
  if (!(low < high)) return high;
  if (dtype == kFloat64) return std::nextafter(high, low);
  auto below = static_cast<float>(high);
  if (below >= high) below = std::nextafter(below, -std::numeric_limits<float>::infinity());
  return std::max(below, static_cast<float>(low));
}

}  // namespace

Tensor RandomUniform(const Shape& shape, const UniformOptions& options) {
  CheckFloat("random_uniform", options.dtype);
  const Tensor u = UnitInterval(From(options.generator), shape, options.dtype);
  const Tensor y = Add(Mul(u, options.high - options.low), options.low);
  if (options.low == 0 && options.high == 1) return y;
  return Minimum(y, LargestBelow(options.high, options.low, options.dtype));  // rounded up to high
}

Tensor RandomNormal(const Shape& shape, const NormalOptions& options) {
  CheckFloat("random_normal", options.dtype);
  const Tensor z = StandardNormal(From(options.generator), shape, options.dtype);
  return Add(Mul(z, options.stddev), options.mean);
}

// erf(x / sqrt 2) is uniform between its values at the bounds; if both lie on one side, erfc keeps
// the digits that erf near 1 has not.
Tensor RandomTruncatedNormal(const Shape& shape, const TruncatedNormalOptions& options) {
  CheckFloat("random_truncated_normal", options.dtype);
  const double low = options.low, high = options.high;
  if (!(low < high)) {
    ThrowInvalid(StrCat("random_truncated_normal: low must be below high, got ", low, " and ", high));
  }
  const Tensor u = OpenUnitInterval(From(options.generator), shape);
  const double root = std::numbers::sqrt2;
  Tensor z;
  if (low < 0 && high > 0) {
    const double from = std::erf(low / root), to = std::erf(high / root);
    z = ErfInv(Add(Mul(u, to - from), from));
  } else {
    const double sign = low >= 0 ? 1 : -1, near = std::min(std::fabs(low), std::fabs(high)),
                 far = std::max(std::fabs(low), std::fabs(high));
    const double from = std::erfc(far / root), to = std::erfc(near / root);
    z = Mul(ErfcInv(Add(Mul(u, to - from), from)), sign);
  }
  z = Maximum(Minimum(Mul(z, root), high), low);
  return Add(Mul(Cast(z, options.dtype), options.stddev), options.mean);
}

Tensor RandomBernoulli(const Shape& shape, const Operand& p, const Generator& generator) {
  const LocationScope scope(p);
  const Tensor probability = BroadcastTo(StopGradient(p), shape);
  CheckFloat("random_bernoulli", probability.dtype());
  return Less(UnitInterval(From(generator), shape, probability.dtype()), probability);
}

Tensor RandomInt(const Shape& shape, int64_t low, int64_t high, const Generator& generator) {
  const uint64_t distance = static_cast<uint64_t>(high) - static_cast<uint64_t>(low);
  if (!(low < high) || distance >> 63 != 0) {
    ThrowInvalid(StrCat("random_int: low must be below high by less than 2^63, got ", low, " and ", high));
  }
  // 63 bits v; those at and above the largest multiple of the range would favour small results.
  // Half of all v are below it at least: 60 rounds fail with at most 2^-60.
  const auto range = static_cast<int64_t>(distance);
  const auto limit = static_cast<int64_t>((uint64_t{1} << 63) / distance * distance - 1);
  const Tensor v = FirstAccepted(generator, Zeros(shape, kInt64), 60, [&](const Source& bits) {
    const Tensor upper = Cast(ShiftRight(bits(shape), 1), kInt64);
    const Tensor lower = LogicalAnd(Cast(bits(shape), kInt64), int64_t{0xFFFFFFFF});
    const Tensor value = LogicalOr(ShiftLeft(upper, int64_t{32}), lower);
    return Proposal{value, LessEqual(value, limit)};
  });
  return Add(Sub(v, Mul(Div(v, range), range)), low);
}

Tensor RandomPermutation(int64_t n, const Generator& generator) {
  if (n < 0) ThrowInvalid(StrCat("random_permutation: the length must not be negative, got ", n));
  const Source bits = From(generator);
  const Tensor upper = Cast(bits({n}), kInt64), lower = Cast(bits({n}), kInt64);
  return Argsort(LogicalXor(ShiftLeft(upper, int64_t{32}), lower));
}

Tensor RandomShuffle(const Operand& x, int64_t axis, const Generator& generator) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  const int64_t along = internal::NormalizeAxis("random_shuffle", axis, t.rank());
  const int64_t n = t.shape().dim(static_cast<int>(along));
  return Gather(t, RandomPermutation(n, generator), along);
}

Tensor RandomExponential(const Shape& shape, const Operand& rate, const DrawOptions& options) {
  const LocationScope scope(rate);
  CheckFloat("random_exponential", options.dtype);
  const Tensor e = Neg(Log(OpenUnitInterval(From(options.generator), shape)));
  const Tensor scale = BroadcastTo(Cast(rate, options.dtype), shape);
  return Div(Cast(e, options.dtype), scale);
}

Tensor RandomGumbel(const Shape& shape, const DrawOptions& options) {
  CheckFloat("random_gumbel", options.dtype);
  const Tensor e = Neg(Log(OpenUnitInterval(From(options.generator), shape)));
  return Cast(Neg(Log(e)), options.dtype);
}

Tensor RandomCategorical(const Operand& logits, int64_t samples, const Generator& generator) {
  const LocationScope scope(logits);
  const Tensor l = Materialize(logits);
  if (!IsFloat(l.dtype()) || l.rank() == 0 || samples < 0) {
    ThrowInvalid(
        StrCat("random_categorical: wants float logits[..., classes] and samples >= 0, "
               "got ",
               l.type().ToString(), " and ", samples));
  }
  const int64_t axis = l.rank() - 1;
  const Tensor wide = ExpandDims(Cast(StopGradient(l), kFloat64), axis);
  std::vector<Extent> extents(wide.shape().begin(), wide.shape().end());
  extents[static_cast<size_t>(axis)] = samples;
  const Shape shape{std::span<const Extent>(extents)};
  const Tensor noise = RandomGumbel(shape, {.dtype = kFloat64, .generator = generator});
  return ArgMax(Add(wide, noise), -1);
}

Tensor RandomGamma(const Shape& shape, const Operand& alpha, const DrawOptions& options) {
  const LocationScope scope(alpha);
  CheckFloat("random_gamma", options.dtype);
  const Tensor a = Parameter("random_gamma", alpha, shape);
  return Cast(Exp(LogGammaVariate(options.generator, a)), options.dtype);
}

// x / (x + y) of two gamma variates, from their logarithms: small parameters do not underflow.
Tensor RandomBeta(const Shape& shape, const Operand& a, const Operand& b, const DrawOptions& options) {
  const LocationScope scope(a);
  CheckFloat("random_beta", options.dtype);
  const Tensor x = LogGammaVariate(options.generator, Parameter("random_beta", a, shape));
  const Tensor y = LogGammaVariate(options.generator, Parameter("random_beta", b, shape));
  return Cast(Sigmoid(Sub(x, y)), options.dtype);
}

Tensor RandomPoisson(const Shape& shape, const Operand& rate, const RandomPoissonOptions& options) {
  const LocationScope scope(rate);
  const Tensor r = Parameter("random_poisson", rate, shape);
  const Tensor large = GreaterEqual(r, 10.0);
  const Tensor small = SmallPoisson(options.generator, Where(large, 0.0, r));
  const Tensor count = Where(large, LargePoisson(options.generator, Where(large, r, 10.0)), small);
  return Cast(Where(GreaterEqual(r, 0.0), count, std::nan("")), options.dtype);
}

}  // namespace reel
