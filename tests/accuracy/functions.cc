// The functions of codegen/math with what judges them: libm's double results for f32, MPFR for f64.
#include <mpfr.h>

#include <cmath>

#include "tests/accuracy/math_jit.h"

namespace reel::testing {
namespace {

namespace math = codegen::math;

constexpr mpfr_prec_t kPrecision = 120;

// An MPFR number that frees itself.
class Number {
 public:
  explicit Number(double x = 0) {
    mpfr_init2(value_, kPrecision);
    mpfr_set_d(value_, x, MPFR_RNDN);
  }
  Number(const Number&) = delete;
  Number& operator=(const Number&) = delete;
  ~Number() { mpfr_clear(value_); }
  operator mpfr_ptr() { return value_; }
  long double Round() const { return mpfr_get_ld(value_, MPFR_RNDN); }

 private:
  mpfr_t value_;
};

template <int (*kFunction)(mpfr_t, mpfr_srcptr, mpfr_rnd_t)>
long double Exact(double x, double) {
  Number y, from(x);
  kFunction(y, from, MPFR_RNDN);
  return y.Round();
}

template <int (*kFunction)(mpfr_t, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t)>
long double Exact2(double a, double b) {
  Number y, from_a(a), from_b(b);
  kFunction(y, from_a, from_b, MPFR_RNDN);
  return y.Round();
}

// 1 / (1 + e^-x)
long double ExactSigmoid(double x, double) {
  Number y(-x);
  mpfr_exp(y, y, MPFR_RNDN);
  mpfr_add_ui(y, y, 1, MPFR_RNDN);
  mpfr_ui_div(y, 1, y, MPFR_RNDN);
  return y.Round();
}

// IEEE 754: -inf at -0.
long double ExactRsqrt(double x, double) {
  return x == 0 ? 1.0L / static_cast<long double>(x) : Exact<mpfr_rec_sqrt>(x, 0);
}

template <auto kEmit>
llvm::Value* Unary(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value*,
                   const math::MathOptions& options) {
  return kEmit(b, x, options);
}

// y = unit * 745 / log(x): powers over the whole range.
double Exponent(double x, double unit) {
  const double log = std::log(std::fabs(x));
  return std::isfinite(log) && log != 0 ? unit * 745 / log : unit;
}

constexpr MathFunction kFunctions[] = {
    {"exp", 1, Unary<math::EmitExp>, [](double x, double) { return std::exp(x); },
     Exact<mpfr_exp>, -20, 20},
    {"exp2", 1, Unary<math::EmitExp2>, [](double x, double) { return std::exp2(x); },
     Exact<mpfr_exp2>, -30, 30},
    {"expm1", 1, Unary<math::EmitExpm1>, [](double x, double) { return std::expm1(x); },
     Exact<mpfr_expm1>, -5, 20},
    {"log", 1, Unary<math::EmitLog>, [](double x, double) { return std::log(x); },
     Exact<mpfr_log>, 1e-3, 1e3},
    {"log2", 1, Unary<math::EmitLog2>, [](double x, double) { return std::log2(x); },
     Exact<mpfr_log2>, 1e-3, 1e3},
    {"log1p", 1, Unary<math::EmitLog1p>, [](double x, double) { return std::log1p(x); },
     Exact<mpfr_log1p>, -0.25, 100},
    {"rsqrt", 1, Unary<math::EmitRsqrt>, [](double x, double) { return 1 / std::sqrt(x); },
     ExactRsqrt, 1e-3, 1e3},
    {"cbrt", 1, Unary<math::EmitCbrt>, [](double x, double) { return std::cbrt(x); },
     Exact<mpfr_cbrt>, -1e3, 1e3},
    {"tanh", 1, Unary<math::EmitTanh>, [](double x, double) { return std::tanh(x); },
     Exact<mpfr_tanh>, -5, 5},
    {"sigmoid", 1, Unary<math::EmitSigmoid>,
     [](double x, double) { return 1 / (1 + std::exp(-x)); }, ExactSigmoid, -10, 10},
    {"erf", 1, Unary<math::EmitErf>, [](double x, double) { return std::erf(x); },
     Exact<mpfr_erf>, -3, 3},
    {"sin", 1, Unary<math::EmitSin>, [](double x, double) { return std::sin(x); },
     Exact<mpfr_sin>, -100, 100},
    {"cos", 1, Unary<math::EmitCos>, [](double x, double) { return std::cos(x); },
     Exact<mpfr_cos>, -100, 100},
    {"asin", 1, Unary<math::EmitAsin>, [](double x, double) { return std::asin(x); },
     Exact<mpfr_asin>, -0.3, 0.3},
    {"acos", 1, Unary<math::EmitAcos>, [](double x, double) { return std::acos(x); },
     Exact<mpfr_acos>, -0.3, 0.3},
    {"atan", 1, Unary<math::EmitAtan>, [](double x, double) { return std::atan(x); },
     Exact<mpfr_atan>, -5, 5},
    {"sinh", 1, Unary<math::EmitSinh>, [](double x, double) { return std::sinh(x); },
     Exact<mpfr_sinh>, -10, 10},
    {"cosh", 1, Unary<math::EmitCosh>, [](double x, double) { return std::cosh(x); },
     Exact<mpfr_cosh>, -10, 10},
    {"asinh", 1, Unary<math::EmitAsinh>, [](double x, double) { return std::asinh(x); },
     Exact<mpfr_asinh>, -10, 10},
    {"acosh", 1, Unary<math::EmitAcosh>, [](double x, double) { return std::acosh(x); },
     Exact<mpfr_acosh>, 1, 10},
    {"atanh", 1, Unary<math::EmitAtanh>, [](double x, double) { return std::atanh(x); },
     Exact<mpfr_atanh>, -0.3, 0.3},
    {"pow", 2, math::EmitPow, [](double x, double y) { return std::pow(x, y); },
     Exact2<mpfr_pow>, 0.1, 10, Exponent},
    {"atan2", 2, math::EmitAtan2, [](double y, double x) { return std::atan2(y, x); },
     Exact2<mpfr_atan2>, -10, 10},
    {"rem", 2, math::EmitRem, [](double x, double y) { return std::fmod(x, y); },
     Exact2<mpfr_fmod>, -10, 10},
};

}  // namespace

std::span<const MathFunction> MathFunctions() { return kFunctions; }

}  // namespace reel::testing
