#ifndef REEL_RANDOM_H_
#define REEL_RANDOM_H_

#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "reel/tensor.h"
#include "reel/variable.h"

namespace reel {

/// A stream of random numbers: the state i64[2] {key, counter} of Philox4x32-10 (Salmon et al.,
/// "Parallel random numbers: as easy as 1, 2, 3", 2011), whose counter every draw advances by
/// ceil(elements / 4). A shared handle; drawing from one generator in two threads at once is not
/// synchronised.
class Generator {
 public:
  /// The state is a non-trainable variable: a lifted or traced step continues the sequence.
  explicit Generator(int64_t seed = 0, std::string name = "generator");
  /// The state is a value: draws are a function of `key`, an i64[2] that may be an argument of a
  /// traced function or carried through a loop, and nothing else is read or written.
  static Generator FromKey(const Operand& key);
  /// The one used when none is given; key 0 until Seed().
  static Generator& Default();

  /// Starts the sequence of a seed.
  void Seed(int64_t seed) const;
  /// Undefined for a generator from a key.
  const Variable& state() const { return state_; }
  /// The state now; FromKey(Key()) draws what this generator will draw.
  Tensor Key() const { return value_ ? *value_ : state_.value(); }
  /// n keys, [n, 2], of streams of their own: {64 bits drawn from this one, 0}.
  Tensor Split(int64_t n) const;
  /// i32 random bits of a shape.
  Tensor Bits(const Shape& shape) const;
  /// Moves on by so many blocks of four words.
  void Advance(int64_t blocks) const;

 private:
  Generator(Variable state, std::shared_ptr<Tensor> value) : state_(std::move(state)), value_(std::move(value)) {}
  void Set(const Tensor& state) const;

  Variable state_;
  std::shared_ptr<Tensor> value_;  // of a generator from a key
};

/// Generator::Default().Seed(seed).
void SetSeed(int64_t seed);

// Every distribution is a composition of Philox bits and ordinary ops: equal bits in eager
// execution, compiled code and objects, on every CPU of an FMA class and for any number of threads.
// Uniform, normal, truncated normal and exponential are reparameterised: gradients flow to tensors
// that scale or shift them, as in mean + stddev * RandomNormal(shape). The others stop gradients to
// their parameters. Except for uniform, normal and Bernoulli, f32 draws are f64 draws rounded.

/// Options of RandomUniform.
struct UniformOptions {
  double low = 0, high = 1;
  DType dtype = kFloat32;
  Generator generator = Generator::Default();
};
/// low + (high - low) * u, u in [0, 1) with 24 (f32) or 53 (f64) random bits; the number below high
/// where that is rounded to high.
Tensor RandomUniform(const Shape& shape, const UniformOptions& options = {});

/// Options of RandomNormal.
struct NormalOptions {
  double mean = 0, stddev = 1;
  DType dtype = kFloat32;
  Generator generator = Generator::Default();
};
/// mean + stddev * sqrt(-2 log u) cos(2 pi v): Box and Muller, "A note on the generation of random
/// normal deviates", 1958. f32 reaches 5.76, f64 8.57 standard deviations.
Tensor RandomNormal(const Shape& shape, const NormalOptions& options = {});

/// Options of RandomTruncatedNormal.
struct TruncatedNormalOptions {
  double mean = 0, stddev = 1;
  double low = -2, high = 2;  ///< bounds in standard deviations; may be infinite
  DType dtype = kFloat32;
  Generator generator = Generator::Default();
};
/// mean + stddev * z, z normal given low <= z <= high, by inversion.
Tensor RandomTruncatedNormal(const Shape& shape, const TruncatedNormalOptions& options = {});

/// bool: true with probability p (to 24 bits for an f32 p, 53 for f64), which broadcasts to shape.
Tensor RandomBernoulli(const Shape& shape, const Operand& p, const Generator& generator = Generator::Default());

/// i64 uniform on low, ..., high - 1, without bias.
Tensor RandomInt(const Shape& shape, int64_t low, int64_t high, const Generator& generator = Generator::Default());

/// i64[n]: 0, ..., n - 1 in random order, by sorting 64 random bits each. Two that are equal, with
/// probability below n^2 2^-65, would keep their order.
Tensor RandomPermutation(int64_t n, const Generator& generator = Generator::Default());
/// The slices of x along an axis in random order.
Tensor RandomShuffle(const Operand& x, int64_t axis = 0, const Generator& generator = Generator::Default());

/// Options of draws that have no others.
struct DrawOptions {
  DType dtype = kFloat32;
  Generator generator = Generator::Default();
};
/// -log(u) / rate; the rate broadcasts to shape.
Tensor RandomExponential(const Shape& shape, const Operand& rate = 1.0, const DrawOptions& options = {});
/// -log(-log(u)).
Tensor RandomGumbel(const Shape& shape, const DrawOptions& options = {});

/// i64[..., samples]: class indices drawn from softmax(logits[..., classes]), by the largest of
/// logits + RandomGumbel in f64.
Tensor RandomCategorical(const Operand& logits, int64_t samples = 1, const Generator& generator = Generator::Default());

/// Gamma variates of shape parameter alpha (broadcasts to shape) and scale 1; NaN for alpha < 0.
/// Marsaglia and Tsang, 2000, in 14 rounds, which all fail with probability below 2^-61. No
/// gradient flows to alpha.
Tensor RandomGamma(const Shape& shape, const Operand& alpha, const DrawOptions& options = {});
/// Beta variates x / (x + y) of gamma variates x(a), y(b).
Tensor RandomBeta(const Shape& shape, const Operand& a, const Operand& b, const DrawOptions& options = {});

/// Options of RandomPoisson.
struct RandomPoissonOptions {
  DType dtype = kInt64;                  ///< any number; rates below 0 give NaN, integers 0
  Generator generator = Generator::Default();
};
/// Poisson counts; the rate broadcasts to shape. Below 10 by inversion of 52 bits, from 10 on by
/// Hoermann's PTRS, 1993, in 30 rounds, which all fail with probability below 2^-60.
Tensor RandomPoisson(const Shape& shape, const Operand& rate, const RandomPoissonOptions& options = {});

}  // namespace reel

#endif  // REEL_RANDOM_H_
