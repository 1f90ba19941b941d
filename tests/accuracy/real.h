// Numbers of 256 bits, with MPFR's functions: what judges the table of scalars.h.
#ifndef REEL_TESTS_ACCURACY_REAL_H_
#define REEL_TESTS_ACCURACY_REAL_H_

#include <mpfr.h>

#include <utility>

namespace reel::testing {

class Real {
 public:
  static constexpr mpfr_prec_t kBits = 256;

  Real(double x = 0) : Real(Empty{}) { mpfr_set_d(v_, x, MPFR_RNDN); }  // NOLINT: implicit by design
  Real(const Real& x) : Real(Empty{}) { mpfr_set(v_, x.v_, MPFR_RNDN); }
  Real(Real&& x) noexcept : Real(Empty{}) { mpfr_swap(v_, x.v_); }
  Real& operator=(Real x) {
    mpfr_swap(v_, x.v_);
    return *this;
  }
  ~Real() { mpfr_clear(v_); }
  mpfr_srcptr get() const { return v_; }
  double ToDouble() const { return mpfr_get_d(v_, MPFR_RNDN); }

  /// f(x), f(x, y) by a function of MPFR.
  template <typename F, typename... X>
  static Real Of(F f, const X&... x) {
    Real y{Empty{}};
    f(y.v_, x.v_..., MPFR_RNDN);
    return y;
  }
  /// The result and something else, as mpfr_lgamma.
  static Real LogGamma(const Real& x) {
    Real y{Empty{}};
    int sign = 0;
    mpfr_lgamma(y.v_, &sign, x.v_, MPFR_RNDN);
    return y;
  }

 private:
  struct Empty {};
  explicit Real(Empty) { mpfr_init2(v_, kBits); }
  mpfr_t v_;
};

inline Real operator+(const Real& a, const Real& b) { return Real::Of(mpfr_add, a, b); }
inline Real operator-(const Real& a, const Real& b) { return Real::Of(mpfr_sub, a, b); }
inline Real operator*(const Real& a, const Real& b) { return Real::Of(mpfr_mul, a, b); }
inline Real operator/(const Real& a, const Real& b) { return Real::Of(mpfr_div, a, b); }
inline Real operator-(const Real& a) { return Real::Of(mpfr_neg, a); }
inline bool operator<(const Real& a, const Real& b) { return mpfr_less_p(a.get(), b.get()) != 0; }
inline bool operator>(const Real& a, const Real& b) { return b < a; }
inline bool operator<=(const Real& a, const Real& b) { return mpfr_lessequal_p(a.get(), b.get()) != 0; }
inline bool operator==(const Real& a, const Real& b) { return mpfr_equal_p(a.get(), b.get()) != 0; }
inline bool IsNan(const Real& a) { return mpfr_nan_p(a.get()) != 0; }
inline bool IsInf(const Real& a) { return mpfr_inf_p(a.get()) != 0; }
inline bool IsInteger(const Real& a) { return mpfr_integer_p(a.get()) != 0; }

#define REEL_REAL_FUNCTION(Name, mpfr_name) \
  inline Real Name(const Real& x) { return Real::Of(mpfr_name, x); }
REEL_REAL_FUNCTION(Exp, mpfr_exp)
REEL_REAL_FUNCTION(Expm1, mpfr_expm1)
REEL_REAL_FUNCTION(Log, mpfr_log)
REEL_REAL_FUNCTION(Log1p, mpfr_log1p)
REEL_REAL_FUNCTION(Sqrt, mpfr_sqrt)
REEL_REAL_FUNCTION(Sin, mpfr_sin)
REEL_REAL_FUNCTION(Tanh, mpfr_tanh)
REEL_REAL_FUNCTION(Erf, mpfr_erf)
REEL_REAL_FUNCTION(Erfc, mpfr_erfc)
REEL_REAL_FUNCTION(Gamma, mpfr_gamma)
REEL_REAL_FUNCTION(Digamma, mpfr_digamma)
REEL_REAL_FUNCTION(Abs, mpfr_abs)
#undef REEL_REAL_FUNCTION
inline Real Pow(const Real& x, const Real& y) { return Real::Of(mpfr_pow, x, y); }
inline Real Max(const Real& x, const Real& y) { return IsNan(x) || IsNan(y) ? x + y : x < y ? y : x; }
inline Real Min(const Real& x, const Real& y) { return IsNan(x) || IsNan(y) ? x + y : x < y ? x : y; }
inline Real Rounded(const Real& x, mpfr_rnd_t how) {
  return Real::Of([how](mpfr_ptr y, mpfr_srcptr v, mpfr_rnd_t) { return mpfr_rint(y, v, how); }, x);
}
inline Real Pi() {
  return Real::Of([](mpfr_ptr y, mpfr_rnd_t r) { return mpfr_const_pi(y, r); });
}

}  // namespace reel::testing

#endif  // REEL_TESTS_ACCURACY_REAL_H_
