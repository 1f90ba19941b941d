// The functions of codegen/math with what judges them: libm's double results for f32, MPFR for f64.
#include <dlfcn.h>
#include <mpfr.h>

#include <cmath>
#include <stdexcept>
#include <vector>

#include "ir/ops.h"
#include "tests/accuracy/math_jit.h"
#include "tests/ops/op_cases.h"

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

using MpfrFunction = int (*)(mpfr_t, mpfr_srcptr, mpfr_rnd_t);

long double Exact(MpfrFunction f, double x) {
  Number y, from(x);
  f(y, from, MPFR_RNDN);
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
  return x == 0 ? 1.0L / static_cast<long double>(x) : Exact(mpfr_rec_sqrt, x);
}

template <auto kEmit>
llvm::Value* Unary(llvm::IRBuilderBase& b, llvm::Value* x, llvm::Value*, const math::MathOptions& options) {
  return kEmit(b, x, options);
}

// y = unit * 745 / log(x): powers over the whole range.
double Exponent(double x, double unit) {
  const double log = std::log(std::fabs(x));
  return std::isfinite(log) && log != 0 ? unit * 745 / log : unit;
}

// By the name of the op; null if the libraries have no such function.
template <typename F>
F Named(const std::string& name) {
  return reinterpret_cast<F>(dlsym(RTLD_DEFAULT, name.c_str()));
}

// A row of ops.def: libm and MPFR have functions of the same name, but for two.
MathFunction Named(const char* name, ir::Op op, decltype(MathFunction::emit) emit) {
  MathFunction f{name, 1, emit, {}, {}, 0, 0};
  switch (op) {
#define ROW(Enum, family, dtypes, domain, row_ulps, ...) \
  case ir::Op::k##Enum:                                  \
    f.timing_lo = (domain).low;                          \
    f.timing_hi = (domain).high;                         \
    f.ulps = row_ulps;                                   \
    break;
    using optable::Domain;
#include "tests/ops/op_cases.def"
#undef ROW
  }
  if (op == ir::Op::kSigmoid) {
    f.in_double = [](double x, double) { return 1 / (1 + std::exp(-x)); };
    f.exact = ExactSigmoid;
  } else if (op == ir::Op::kRsqrt) {
    f.in_double = [](double x, double) { return 1 / std::sqrt(x); };
    f.exact = ExactRsqrt;
  } else {
    const auto in_double = Named<double (*)(double)>(name);
    const auto exact = Named<MpfrFunction>(std::string("mpfr_") + name);
    if (!in_double || !exact) throw std::logic_error(std::string("nothing judges ") + name);
    f.in_double = [in_double](double x, double) { return in_double(x); };
    f.exact = [exact](double x, double) { return Exact(exact, x); };
  }
  return f;
}

std::vector<MathFunction> AllFunctions() {
  std::vector<MathFunction> all;
#define OP(...)
#define UNARY(...)
#define BINARY(...)
#define FUNCTION(Enum, name, ...) all.push_back(Named(name, ir::Op::k##Enum, Unary<math::Emit##Enum>));
#include "ir/ops.def"
#undef OP
  all.push_back({"pow", 2, math::EmitPow, [](double x, double y) { return std::pow(x, y); }, Exact2<mpfr_pow>, 0.1, 10,
                 Exponent});
  all.push_back(
      {"atan2", 2, math::EmitAtan2, [](double y, double x) { return std::atan2(y, x); }, Exact2<mpfr_atan2>, -10, 10});
  all.push_back(
      {"rem", 2, math::EmitRem, [](double x, double y) { return std::fmod(x, y); }, Exact2<mpfr_fmod>, -10, 10});
  return all;
}

}  // namespace

std::span<const MathFunction> MathFunctions() {
  static const auto* const functions = new std::vector<MathFunction>(AllFunctions());
  return *functions;
}

}  // namespace reel::testing
