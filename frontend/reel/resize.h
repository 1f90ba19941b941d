#ifndef REEL_RESIZE_H_
#define REEL_RESIZE_H_

#include <cstdint>
#include <vector>

#include "reel/tensor.h"
#include "reel/variable.h"

namespace reel {

/// What lies between elements.
enum class ResizeMethod {
  kNearest,  ///< the element whose place is nearest; see ResizeCoordinates
  kLinear,   ///< between the two neighbours, along every axis: bilinear for two
};

/// Where output element i of n lies among m input elements.
enum class ResizeCoordinates {
  kHalfPixel,     ///< (i + 1/2) m / n - 1/2: as PyTorch (nearest-exact, bilinear) and TensorFlow 2
  kAlignCorners,  ///< i (m - 1) / (n - 1): first and last elements coincide; 0 if n is 1
  kAsymmetric,    ///< i m / n: PyTorch's nearest
};

/// Options of Resize.
struct ResizeOptions {
  ResizeMethod method = ResizeMethod::kLinear;
  ResizeCoordinates coordinates = ResizeCoordinates::kHalfPixel;
  /// Axes that change: {1, 2} for [batch, height, width, channels], {2, 3} for [batch, channels,
  /// height, width].
  std::vector<int64_t> axes = {1, 2};
};

/// x with other extents along some axes, one size for each, interpolated without antialiasing;
/// places beyond the ends take the end's element. Nearest rounds down in kAsymmetric, half up in
/// kAlignCorners, and takes the element that contains the place in kHalfPixel. Gathers and sums:
/// the gradient adds up what each element gave.
Tensor Resize(const Operand& x, const std::vector<int64_t>& sizes, const ResizeOptions& options = {});

}  // namespace reel

#endif  // REEL_RESIZE_H_
