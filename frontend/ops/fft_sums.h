#ifndef REEL_FRONTEND_OPS_FFT_SUMS_H_
#define REEL_FRONTEND_OPS_FFT_SUMS_H_

#include <cstdint>

#include "reel/tensor.h"

// The sums of discrete Fourier transforms along the middle axis of [outer, n, inner], without a factor, and with the
// gradients that they have as linear maps: transforms again. exp(sign 2 pi i j k / n) is what they multiply by.

namespace reel::internal {

/// re + i im, both f32 or both f64.
struct Parts {
  Tensor re, im;
};

/// y[k] = sum over j of x[j] exp(sign 2 pi i j k / n), complex.
Tensor FourierSums(const Parts& x, int sign);
/// The first n/2 + 1 of the sums of a real x, sign = -1; the others are their conjugates.
Tensor RealFourierSums(const Tensor& x);
/// The real parts of the n sums, sign = +1, of z [outer, n/2 + 1, inner] and the conjugates that belong to it; what is
/// imaginary in z[0], and for an even n in the last one, does not count.
Tensor RealInverseSums(const Parts& z, int64_t n);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_OPS_FFT_SUMS_H_
