#ifndef REEL_RANDOM_H_
#define REEL_RANDOM_H_

#include <cstdint>

#include "reel/tensor.h"
#include "reel/variable.h"

namespace reel {

/// A stream of random numbers: a non-trainable variable i64[2] {key, counter} of Philox4x32-10 that
/// every draw advances by ceil(elements / 4). A lifted step continues the sequence. A shared
/// handle; drawing from one generator in two threads at once is not synchronised.
class Generator {
 public:
  explicit Generator(int64_t seed = 0, std::string name = "generator");
  /// The one used when none is given; key 0 until Seed().
  static Generator& Default();

  /// Starts the sequence of a seed.
  void Seed(int64_t seed) const;
  const Variable& state() const { return state_; }
  /// i32 random bits of a shape.
  Tensor Bits(const Shape& shape) const;

 private:
  Variable state_;
};

/// Generator::Default().Seed(seed).
void SetSeed(int64_t seed);

struct UniformOptions {
  double low = 0, high = 1;
  DType dtype = kFloat32;
  const Generator* generator = nullptr;  ///< null: the default one
};
/// low + (high - low) * u, u in [0, 1) with 24 (f32) or 53 (f64) random bits.
Tensor RandomUniform(const Shape& shape, const UniformOptions& options = {});

struct NormalOptions {
  double mean = 0, stddev = 1;
  DType dtype = kFloat32;
  const Generator* generator = nullptr;  ///< null: the default one
};
/// mean + stddev * sqrt(-2 log u) cos(2 pi v): Box and Muller, "A note on the generation of random
/// normal deviates", 1958.
Tensor RandomNormal(const Shape& shape, const NormalOptions& options = {});

}  // namespace reel

#endif  // REEL_RANDOM_H_
