#include "reel/fft.h"

#include <cmath>

#include "frontend/eager/composite.h"
#include "frontend/ops/fft_sums.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/complex.h"
#include "reel/ops.h"

namespace reel {

using internal::Compose;
using internal::FourierSums;
using internal::LocationScope;
using internal::Materialize;
using internal::NormalizeAxis;
using internal::Parts;
using internal::RealFourierSums;
using internal::RealInverseSums;
using internal::ThrowInvalid;

namespace {

double FactorOf(FftNorm norm, bool inverse, int64_t n) {
  if (norm == FftNorm::kOrtho) return 1 / std::sqrt(static_cast<double>(n));
  return (norm == FftNorm::kBackward) == inverse ? 1 / static_cast<double>(n) : 1.0;
}

Tensor Scaled(const Tensor& x, double factor) {
  if (factor == 1) return x;
  return IsComplex(x.dtype()) ? Complex(Mul(Real(x), factor), Mul(Imag(x), factor)) : Mul(x, factor);
}

// f32 or f64.
Tensor ToFloat(const Tensor& x) { return x.dtype() == kFloat64 || x.dtype() == kFloat32 ? x : Cast(x, kFloat32); }

// An operand of a transform of length n along an axis, which is the middle one of [outer, extent, inner].
struct Prepared {
  Tensor x;
  int axis;
  int64_t n, outer, inner;

  // Cut or padded with zeros to `extent`.
  Tensor Resized(const Tensor& t, int64_t extent) const {
    const int64_t now = x.shape().dim(axis);
    const Tensor rows = Reshape(t, {outer, now, inner});
    if (extent == now) return rows;
    return extent < now ? Slice(rows, {0, 0, 0}, {outer, extent, inner}) : Pad(rows, {0, 0, 0}, {0, extent - now, 0});
  }
  Parts Resized(int64_t extent) const {
    if (!IsComplex(x.dtype())) {
      const Tensor re = Resized(ToFloat(x), extent);
      return {re, ZerosLike(re)};
    }
    return {Resized(Real(x), extent), Resized(Imag(x), extent)};
  }
  // With the axes of x, along this one as long as y is.
  Tensor Restored(const Tensor& y) const {
    std::vector<int64_t> dims = x.shape().dims();
    dims[static_cast<size_t>(axis)] = y.shape().dim(1);
    return Reshape(y, dims);
  }
};

// `sums` of x, prepared, times the factor of the norm: eagerly, when it comes again, by a compiled program.
Tensor Transform(const char* op, const Tensor& operand, const FftOptions& options, bool inverse, bool from_half,
                 absl::FunctionRef<Tensor(const Prepared&, double factor)> sums) {
  const int axis = static_cast<int>(NormalizeAxis(op, options.axis, operand.rank()));
  const int64_t extent = operand.shape().dim(axis);
  const int64_t n = options.n != -1 ? options.n : from_half ? 2 * (extent - 1) : extent;
  if (n < 1) {
    ThrowInvalid(StrCat(op, ": the length ", n, " of the transform of ", operand.type().ToString(),
                        " must be positive; pass another n"));
  }
  int64_t outer = 1, inner = 1;
  for (int k = 0; k < operand.rank(); ++k) (k < axis ? outer : inner) *= k == axis ? 1 : operand.shape().dim(k);
  const double factor = FactorOf(options.norm, inverse, n);
  return Compose(op, {operand}, {static_cast<double>(n), static_cast<double>(axis), factor},
                 [&](absl::Span<const Tensor> x) {
                   const Prepared p{x[0], axis, n, outer, inner};
                   return p.Restored(sums(p, factor));
                 });
}

Tensor Complete(const char* op, const Operand& x, const FftOptions& options, bool inverse) {
  const LocationScope scope(x);
  return Transform(op, Materialize(x), options, inverse, false, [&](const Prepared& p, double factor) {
    return Scaled(FourierSums(p.Resized(p.n), inverse ? 1 : -1), factor);
  });
}

Tensor TwoAxes(const char* op, const Operand& x, FftNorm norm, bool inverse) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  if (t.rank() < 2) ThrowInvalid(StrCat(op, ": needs two axes, got ", t.type().ToString()));
  const Tensor rows = Complete(op, t, {.axis = -1, .norm = norm}, inverse);
  return Complete(op, rows, {.axis = -2, .norm = norm}, inverse);
}

}  // namespace

Tensor Fft(const Operand& x, FftOptions options) { return Complete("fft", x, options, false); }
Tensor Ifft(const Operand& x, FftOptions options) { return Complete("ifft", x, options, true); }
Tensor Fft2(const Operand& x, FftNorm norm) { return TwoAxes("fft2", x, norm, false); }
Tensor Ifft2(const Operand& x, FftNorm norm) { return TwoAxes("ifft2", x, norm, true); }

Tensor Rfft(const Operand& x, FftOptions options) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  if (IsComplex(t.dtype())) {
    ThrowInvalid(StrCat("rfft: takes real numbers, got ", t.type().ToString(), "; use Fft, or Real of it"));
  }
  return Transform("rfft", t, options, false, false, [](const Prepared& p, double factor) {
    return Scaled(RealFourierSums(p.Resized(ToFloat(p.x), p.n)), factor);
  });
}

Tensor Irfft(const Operand& x, FftOptions options) {
  const LocationScope scope(x);
  return Transform("irfft", Materialize(x), options, true, true, [](const Prepared& p, double factor) {
    return Scaled(RealInverseSums(p.Resized(p.n / 2 + 1), p.n), factor);
  });
}

}  // namespace reel
