#ifndef REEL_FFT_H_
#define REEL_FFT_H_

#include <cstdint>

#include "reel/tensor.h"
#include "reel/variable.h"

// Discrete Fourier transforms, with the meaning and the defaults of numpy.fft: compositions of sums and products
// (Cooley and Tukey 1965; Bluestein 1970), differentiable to every order; the gradient of a transform is one. Real
// numbers take half of the time. The error is some units of eps * log2(n) of the largest result.

namespace reel {

/// Where the factor 1/n goes: into the inverse, 1/sqrt(n) into both, or into the forward transform.
enum class FftNorm : uint8_t { kBackward, kOrtho, kForward };

/// Options of the transforms.
struct FftOptions {
  int64_t n = -1;  ///< length: the axis is cut or padded with zeros to it; -1: as it is
  int64_t axis = -1;
  FftNorm norm = FftNorm::kBackward;
};

/// y[k] = sum over j of x[j] exp(-2 pi i j k / n). A real x counts as complex; f16 and bf16 become f32.
Tensor Fft(const Operand& x, FftOptions options = {});
/// The inverse of Fft.
Tensor Ifft(const Operand& x, FftOptions options = {});
/// Fft of a real x without its redundant half: n/2 + 1 numbers.
Tensor Rfft(const Operand& x, FftOptions options = {});
/// The inverse of Rfft, real. n is the length of the result, by default 2 (m - 1) for m numbers.
Tensor Irfft(const Operand& x, FftOptions options = {});

/// The transforms along the last two axes.
Tensor Fft2(const Operand& x, FftNorm norm = FftNorm::kBackward);
/// The inverse of Fft2 of the same norm.
Tensor Ifft2(const Operand& x, FftNorm norm = FftNorm::kBackward);

}  // namespace reel

#endif  // REEL_FFT_H_
