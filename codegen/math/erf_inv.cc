// Wichura, "Algorithm AS 241: the percentage points of the normal distribution", 1988 (PPND16):
// three rational functions, for |x| <= 0.85 in x^2, beyond in sqrt(-log((1 - |x|) / 2)).
#include "codegen/math/special.h"

namespace reel::codegen::math {

using namespace internal;

namespace {

constexpr double kCentre[2][8] = {
    {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3, 1.3731693765509461125e4,
     4.5921953931549871457e4, 6.7265770927008700853e4, 3.3430575583588128105e4, 2.5090809287301226727e3},
    {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3, 2.1213794301586595867e4,
     3.9307895800092710610e4, 2.8729085735721942674e4, 5.2264952788528545610e3}};
constexpr double kMiddle[2][8] = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0, 3.64784832476320460504e0,
     1.27045825245236838258e0, 2.41780725177450611770e-1, 2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1, 1.48103976427480074590e-1,
     1.51986665636164571966e-2, 5.47593808499534494600e-4, 1.05075007164441684324e-9}};
constexpr double kFar[2][8] = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0, 2.96560571828504891230e-1,
     2.65321895265761230930e-2, 1.24266094738807843860e-3, 2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2, 7.86869131145613259100e-4,
     1.84631831751005468180e-5, 1.42151175831644588870e-7, 2.04426310338993978564e-15}};

constexpr double kSqrtHalf = 0.70710678118654752440;
constexpr double kLn2 = 0.69314718055994530942;

Fp Ratio(Fp x, const double (&c)[2][8]) { return x.e->Polynomial(x, c[0]) / x.e->Polynomial(x, c[1]); }

// y with erf(y) = x for |x| <= 0.85.
Fp Central(Fp x) {
  Emitter& e = *x.e;
  return x * (Ratio(e.Fma(x * -0.25, x, e.Const(0.180625)), kCentre) * (0.5 * kSqrtHalf));
}

// y > 0 with erfc(y) = m for 0 <= m <= 0.15.
Fp Tail(Fp m) {
  Emitter& e = *m.e;
  const Fp r = e.Sqrt(kLn2 - Log(m));
  const Mask far = Greater(r, e.Const(5));
  const Fp t = r - e.Select(far, e.Const(5), e.Const(1.6));
  const auto coefficients = [&](int side) {
    Fp sum = e.Select(far, e.Const(kFar[side][7]), e.Const(kMiddle[side][7]));
    for (int i = 6; i >= 0; --i) {
      sum = e.Fma(sum, t, e.Select(far, e.Const(kFar[side][i]), e.Const(kMiddle[side][i])));
    }
    return sum;
  };
  const Fp y = coefficients(0) / coefficients(1) * kSqrtHalf;
  return e.Select(Equal(m, e.Const(0)), Infinity(e), y);
}

}  // namespace

llvm::Value* EmitErfInv(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  return FormulaInDouble(b, {x}, options, [](Emitter& e, const std::vector<Fp>& in) {
    const Fp size = e.Abs(in[0]);
    const Fp tail = e.WithSignOf(e.Abs(Tail(1.0 - size)), in[0]);
    return e.Select(Less(size, e.Const(0.85)), Central(in[0]), tail);
  });
}

llvm::Value* EmitErfcInv(llvm::IRBuilderBase& b, llvm::Value* x, const MathOptions& options) {
  return FormulaInDouble(b, {x}, options, [](Emitter& e, const std::vector<Fp>& in) {
    const Fp centred = 1.0 - in[0];
    const Fp tail = e.WithSignOf(e.Abs(Tail(Smaller(in[0], 2.0 - in[0]))), centred);
    return e.Select(Less(e.Abs(centred), e.Const(0.85)), Central(centred), tail);
  });
}

}  // namespace reel::codegen::math
