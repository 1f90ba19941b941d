#include <cmath>

#include "ir/eval/kernels.h"

namespace reel::ir {
namespace {

using Bits = uint64_t;  // integer arithmetic wraps

Bits U(int64_t x) { return static_cast<Bits>(x); }

using Z = std::complex<double>;

// out[k] = f(x[k]); `f` for floats and, if it takes them, complex numbers, `i` for integers and bool.
template <typename F, typename I>
EvalTensor Unary(const KernelContext& c, F f, I i) {
  EvalTensor out = ZeroTensor(c.result);
  const EvalTensor& x = c.operand(0);
  if constexpr (std::is_invocable_v<F, Z>) {
    for (size_t k = 0; k < out.c.size(); ++k) out.c[k] = f(x.c[k]);
  }
  for (size_t k = 0; k < out.f.size(); ++k) out.f[k] = f(x.f[k]);
  for (size_t k = 0; k < out.i.size(); ++k) out.i[k] = Wrap(c.result.dtype, i(x.i[k]));
  return out;
}

template <typename F>
EvalTensor FloatUnary(const KernelContext& c, F f) {
  return Unary(c, f, [](int64_t) { return Bits{0}; });
}

// Functions libm does not round correctly: in long double, so that the double is (nearly always)
// the nearest.
template <typename F>
EvalTensor Precise(const KernelContext& c, F f) {
  return FloatUnary(c, [f](double x) { return static_cast<double>(f(static_cast<long double>(x))); });
}

template <typename F, typename I>
EvalTensor Binary(const KernelContext& c, F f, I i) {
  EvalTensor out = ZeroTensor(c.result);
  const EvalTensor &a = c.operand(0), &b = c.operand(1);
  if constexpr (std::is_invocable_v<F, Z, Z>) {
    for (size_t k = 0; k < out.c.size(); ++k) out.c[k] = f(a.c[k], b.c[k]);
  }
  for (size_t k = 0; k < out.f.size(); ++k) out.f[k] = f(a.f[k], b.f[k]);
  for (size_t k = 0; k < out.i.size(); ++k) out.i[k] = Wrap(c.result.dtype, i(a.i[k], b.i[k]));
  return out;
}

template <typename F>
EvalTensor FloatBinary(const KernelContext& c, F f) {
  return Binary(c, f, [](int64_t, int64_t) { return Bits{0}; });
}

template <typename F>
EvalTensor PreciseBinary(const KernelContext& c, F f) {
  return FloatBinary(c, [f](double a, double b) {
    return static_cast<double>(f(static_cast<long double>(a), static_cast<long double>(b)));
  });
}

template <typename I>
EvalTensor IntBinary(const KernelContext& c, I i) {
  return Binary(c, [](double, double) { return 0.0; }, i);
}

// bool[k] = f(a[k], b[k]) on doubles or integers.
template <typename F>
EvalTensor Compare(const KernelContext& c, F f) {
  EvalTensor out = ZeroTensor(c.result);
  const EvalTensor &a = c.operand(0), &b = c.operand(1);
  const DType dtype = a.type.dtype;
  for (size_t k = 0; k < out.i.size(); ++k)
    out.i[k] = IsFloat(dtype) ? f(a.f[k], b.f[k]) : f(OrderOf(dtype, a.i[k]), OrderOf(dtype, b.i[k]));
  return out;
}

int64_t Divide(DType dtype, int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (dtype == kUInt64) return static_cast<int64_t>(U(a) / U(b));
  if (b == -1) return static_cast<int64_t>(0 - U(a));
  return a / b;
}

// Smith's method: divides by the larger part of the divisor first.
struct Quotient {
  double operator()(double a, double b) const { return a / b; }
  Z operator()(Z x, Z y) const {
    const double a = x.real(), b = x.imag(), c = y.real(), d = y.imag();
    if (std::fabs(c) >= std::fabs(d)) {
      const double r = c == 0 ? 0 : d / c, divisor = c + d * r;
      return {(a + b * r) / divisor, (b - a * r) / divisor};
    }
    const double r = d == 0 ? 0 : c / d, divisor = d + c * r;
    return {(a * r + b) / divisor, (b * r - a) / divisor};
  }
};

// bool[k] = whether a[k] == b[k] is `equal`; complex numbers.
EvalTensor CompareComplex(const KernelContext& c, bool equal) {
  EvalTensor out = ZeroTensor(c.result);
  for (size_t k = 0; k < out.i.size(); ++k) {
    out.i[k] = (c.operand(0).c[k] == c.operand(1).c[k]) == equal;
  }
  return out;
}

int64_t Remainder(DType dtype, int64_t a, int64_t b) {
  if (b == 0) return 0;
  if (dtype == kUInt64) return static_cast<int64_t>(U(a) % U(b));
  return b == -1 ? 0 : a % b;
}

double SignOf(double x) {
  if (x > 0) return 1;
  return x < 0 ? -1 : x;
}

// b outside of [0, width).
bool ShiftsOut(DType dtype, int64_t b) { return b < 0 || b >= SizeOf(dtype) * 8; }

// An integer as a float of the dtype, rounded once, so not via double.
double FloatOfInt(DType from, DType to, int64_t x) {
  constexpr int64_t kDropped = (1 << 11) - 1;  // low bits that only say whether there is more
  if (to == kFloat32) {
    return from == kUInt64 ? static_cast<float>(U(x)) : static_cast<float>(x);
  }
  if (IsHalf(to) && (U(x) + (uint64_t{1} << 52)) >> 53 != 0) {
    x = (x & ~kDropped) | ((x & kDropped) != 0 ? kDropped + 1 : 0);
  }
  return RoundTo(to, ToDouble(from, x));
}

}  // namespace

KERNEL(Identity) { return c.operand(0); }
KERNEL(StopGradient) { return c.operand(0); }

KERNEL(Neg) {
  return Unary(c, [](auto x) { return -x; }, [](int64_t x) { return 0 - U(x); });
}
KERNEL(Abs) {
  return Unary(
      c, [](double x) { return std::fabs(x); },
      [dtype = c.result.dtype](int64_t x) { return x < 0 && dtype != kUInt64 ? 0 - U(x) : U(x); });
}
KERNEL(Sign) {
  return Unary(c, SignOf,
               [dtype = c.result.dtype](int64_t x) { return dtype == kUInt64 ? Bits{x != 0} : U((x > 0) - (x < 0)); });
}
KERNEL(Floor) {
  return FloatUnary(c, [](double x) { return std::floor(x); });
}
KERNEL(Ceil) {
  return FloatUnary(c, [](double x) { return std::ceil(x); });
}
KERNEL(Round) {
  return FloatUnary(c, [](double x) { return std::nearbyint(x); });
}
KERNEL(Trunc) {
  return FloatUnary(c, [](double x) { return std::trunc(x); });
}
KERNEL(Sqrt) {
  return FloatUnary(c, [](double x) { return std::sqrt(x); });
}
KERNEL(Rsqrt) {
  return Precise(c, [](long double x) { return 1 / std::sqrt(x); });
}
KERNEL(Cbrt) {
  return Precise(c, [](long double x) { return std::cbrt(x); });
}
KERNEL(Exp) {
  return Precise(c, [](long double x) { return std::exp(x); });
}
KERNEL(Exp2) {
  return Precise(c, [](long double x) { return std::exp2(x); });
}
KERNEL(Expm1) {
  return Precise(c, [](long double x) { return std::expm1(x); });
}
KERNEL(Log) {
  return Precise(c, [](long double x) { return std::log(x); });
}
KERNEL(Log2) {
  return Precise(c, [](long double x) { return std::log2(x); });
}
KERNEL(Log10) {
  return Precise(c, [](long double x) { return std::log10(x); });
}
KERNEL(Log1p) {
  return Precise(c, [](long double x) { return std::log1p(x); });
}
KERNEL(Tanh) {
  return Precise(c, [](long double x) { return std::tanh(x); });
}
KERNEL(Sigmoid) {
  return Precise(c, [](long double x) { return 1 / (1 + std::exp(-x)); });
}
KERNEL(Erf) {
  return Precise(c, [](long double x) { return std::erf(x); });
}
KERNEL(Sin) {
  return Precise(c, [](long double x) { return std::sin(x); });
}
KERNEL(Cos) {
  return Precise(c, [](long double x) { return std::cos(x); });
}
KERNEL(Asin) {
  return Precise(c, [](long double x) { return std::asin(x); });
}
KERNEL(Acos) {
  return Precise(c, [](long double x) { return std::acos(x); });
}
KERNEL(Atan) {
  return Precise(c, [](long double x) { return std::atan(x); });
}
KERNEL(Sinh) {
  return Precise(c, [](long double x) { return std::sinh(x); });
}
KERNEL(Cosh) {
  return Precise(c, [](long double x) { return std::cosh(x); });
}
KERNEL(Asinh) {
  return Precise(c, [](long double x) { return std::asinh(x); });
}
KERNEL(Acosh) {
  return Precise(c, [](long double x) { return std::acosh(x); });
}
KERNEL(Atanh) {
  return Precise(c, [](long double x) { return std::atanh(x); });
}
KERNEL(Not) {
  return Unary(c, [](double x) { return x; }, [](int64_t x) { return ~U(x); });
}

KERNEL(Cast) {
  EvalTensor out = ZeroTensor(c.result);
  const EvalTensor& x = c.operand(0);
  const DType from = x.type.dtype, to = c.result.dtype;
  const bool from_float = IsFloat(from);
  const DType part = RealOf(to);
  for (size_t k = 0; k < out.c.size(); ++k) {
    out.c[k] = IsComplex(from) ? Z(RoundTo(part, x.c[k].real()), RoundTo(part, x.c[k].imag()))
               : from_float    ? Z(RoundTo(part, x.f[k]))
                               : Z(FloatOfInt(from, part, x.i[k]));
  }
  for (size_t k = 0; k < out.f.size(); ++k) out.f[k] = from_float ? RoundTo(to, x.f[k]) : FloatOfInt(from, to, x.i[k]);
  for (size_t k = 0; k < out.i.size(); ++k) {
    if (to == kBool) {
      out.i[k] = from_float ? x.f[k] != 0 : x.i[k] != 0;
    } else {
      out.i[k] = from_float ? SaturateInt(to, x.f[k]) : Wrap(to, U(x.i[k]));
    }
  }
  return out;
}

KERNEL(Bitcast) {
  const Literal bits = ToLiteral(c.operand(0));
  return FromLiteral(Literal(c.result, {bits.bytes().begin(), bits.bytes().end()}));
}

KERNEL(Add) {
  return Binary(c, [](auto a, auto b) { return a + b; }, [](int64_t a, int64_t b) { return U(a) + U(b); });
}
KERNEL(Sub) {
  return Binary(c, [](auto a, auto b) { return a - b; }, [](int64_t a, int64_t b) { return U(a) - U(b); });
}
KERNEL(Mul) { return Binary(c, Product(), Product()); }
KERNEL(Div) {
  return Binary(c, Quotient(), [dtype = c.result.dtype](int64_t a, int64_t b) { return U(Divide(dtype, a, b)); });
}
KERNEL(Rem) {
  return Binary(
      c, [](double a, double b) { return std::fmod(a, b); },
      [dtype = c.result.dtype](int64_t a, int64_t b) { return U(Remainder(dtype, a, b)); });
}
KERNEL(Pow) {
  return PreciseBinary(c, [](long double a, long double b) -> long double {
    if (!std::isinf(a)) return std::pow(a, b);
    // glibc's powl(-inf, -2^63) is inf; its pow is right, and nothing rounds here
    return std::pow(static_cast<double>(a), static_cast<double>(b));
  });
}
KERNEL(Atan2) {
  return PreciseBinary(c, [](long double a, long double b) { return std::atan2(a, b); });
}
KERNEL(Max) {
  return Binary(c, Maximum, [dtype = c.result.dtype](int64_t a, int64_t b) {
    return U(OrderOf(dtype, a) > OrderOf(dtype, b) ? a : b);
  });
}
KERNEL(Min) {
  return Binary(c, Minimum, [dtype = c.result.dtype](int64_t a, int64_t b) {
    return U(OrderOf(dtype, a) < OrderOf(dtype, b) ? a : b);
  });
}
KERNEL(NextAfter) {
  if (c.result.dtype == kFloat64) {
    return FloatBinary(c, [](double a, double b) { return std::nextafter(a, b); });
  }
  return FloatBinary(c, [](double a, double b) {
    return static_cast<double>(std::nextafter(static_cast<float>(a), static_cast<float>(b)));
  });
}
KERNEL(And) {
  return IntBinary(c, [](int64_t a, int64_t b) { return U(a & b); });
}
KERNEL(Or) {
  return IntBinary(c, [](int64_t a, int64_t b) { return U(a | b); });
}
KERNEL(Xor) {
  return IntBinary(c, [](int64_t a, int64_t b) { return U(a ^ b); });
}
KERNEL(ShiftLeft) {
  const DType dtype = c.result.dtype;
  return IntBinary(c, [dtype](int64_t a, int64_t b) { return ShiftsOut(dtype, b) ? 0 : U(a) << b; });
}
KERNEL(ShiftRight) {
  const DType dtype = c.result.dtype;
  return IntBinary(c, [dtype](int64_t a, int64_t b) {
    const Bits bits = U(a) & (~Bits{0} >> (64 - 8 * SizeOf(dtype)));
    return ShiftsOut(dtype, b) ? 0 : bits >> b;
  });
}

KERNEL(Equal) {
  if (IsComplex(c.operand(0).type.dtype)) return CompareComplex(c, true);
  return Compare(c, [](auto a, auto b) { return a == b; });
}
KERNEL(NotEqual) {
  if (IsComplex(c.operand(0).type.dtype)) return CompareComplex(c, false);
  return Compare(c, [](auto a, auto b) { return a != b; });
}
KERNEL(Less) {
  return Compare(c, [](auto a, auto b) { return a < b; });
}
KERNEL(LessEqual) {
  return Compare(c, [](auto a, auto b) { return a <= b; });
}
KERNEL(Greater) {
  return Compare(c, [](auto a, auto b) { return a > b; });
}
KERNEL(GreaterEqual) {
  return Compare(c, [](auto a, auto b) { return a >= b; });
}

KERNEL(Select) {
  EvalTensor out = ZeroTensor(c.result);
  const EvalTensor &condition = c.operand(0), &a = c.operand(1), &b = c.operand(2);
  for (size_t k = 0; k < out.f.size(); ++k) out.f[k] = condition.i[k] ? a.f[k] : b.f[k];
  for (size_t k = 0; k < out.i.size(); ++k) out.i[k] = condition.i[k] ? a.i[k] : b.i[k];
  for (size_t k = 0; k < out.c.size(); ++k) out.c[k] = condition.i[k] ? a.c[k] : b.c[k];
  return out;
}

}  // namespace reel::ir
