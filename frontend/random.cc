#include "reel/random.h"

#include <numbers>

#include "frontend/core.h"
#include "ir/strings.h"
#include "reel/ops.h"

namespace reel {

Generator::Generator(int64_t seed, std::string name)
    : state_(Tensor({seed, int64_t{0}}), {.name = std::move(name), .trainable = false}) {}

Generator& Generator::Default() {
  static Generator* const generator = new Generator();
  return *generator;
}

void Generator::Seed(int64_t seed) const { state_.Assign(Tensor({seed, int64_t{0}})); }

void SetSeed(int64_t seed) { Generator::Default().Seed(seed); }

Tensor Generator::Bits(const Shape& shape) const {
  const Tensor state = state_.value();
  const Tensor bits = internal::Dispatch(ir::Op::kRandomBits, {state}, {{"shape", shape}});
  state_.Assign(Add(state, Tensor({int64_t{0}, (shape.size() + 3) / 4})));
  return bits;
}

namespace {

// u in [0, 1): f32 has the upper 24 bits of a word, f64 27 of one word above 26 of another.
Tensor UnitInterval(const Shape& shape, DType dtype, const Generator* generator) {
  const Generator& g = generator ? *generator : Generator::Default();
  if (dtype == kFloat32) return Mul(Cast(ShiftRight(g.Bits(shape), 8), dtype), 0x1p-24);
  if (dtype != kFloat64) {
    internal::ThrowInvalid(StrCat("random: dtype must be f32 or f64, got ", Name(dtype)));
  }
  const Tensor high = Cast(ShiftRight(g.Bits(shape), 5), dtype);
  const Tensor low = Cast(ShiftRight(g.Bits(shape), 6), dtype);
  return Mul(Add(Mul(high, 0x1p26), low), 0x1p-53);
}

}  // namespace

Tensor RandomUniform(const Shape& shape, const UniformOptions& options) {
  const Tensor u = UnitInterval(shape, options.dtype, options.generator);
  return Add(Mul(u, options.high - options.low), options.low);
}

Tensor RandomNormal(const Shape& shape, const NormalOptions& options) {
  const Tensor u = Sub(1.0, UnitInterval(shape, options.dtype, options.generator));  // in (0, 1]
  const Tensor v = UnitInterval(shape, options.dtype, options.generator);
  const Tensor radius = Sqrt(Mul(Log(u), -2.0));
  const Tensor z = Mul(radius, Cos(Mul(v, 2 * std::numbers::pi)));
  return Add(Mul(z, options.stddev), options.mean);
}

}  // namespace reel
