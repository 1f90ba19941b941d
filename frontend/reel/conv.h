#ifndef REEL_CONV_H_
#define REEL_CONV_H_

#include <cstdint>
#include <vector>

#include "reel/ops.h"

// Convolution, pooling and windows over one to three spatial axes. By default channels come last
// and filters are [spatial..., channels, outputs], as in TensorFlow; kChannelsFirst takes [batch,
// channels, spatial...] and filters [outputs, channels, spatial...], as PyTorch and ONNX. Lists of
// options have one entry per spatial axis; one entry serves all axes, none means the default.

namespace reel {

/// What stands around the spatial axes of an input. kSame: as much as makes ceil(input / stride)
/// windows, the odd one after (kSameLower: before).
enum class Padding : uint8_t { kValid, kSame, kSameLower, kExplicit };
using enum Padding;
/// Where the channels stand: [n, spatial..., c], with filters [k..., in, out], or [n, c,
/// spatial...], with filters [out, in, k...].
enum class DataFormat : uint8_t { kChannelsLast, kChannelsFirst };
using enum DataFormat;

/// One entry per spatial axis, or one for all; without any, strides and dilation are 1.
struct ConvOptions {
  std::vector<int64_t> strides = {};
  Padding padding = kValid;
  std::vector<int64_t> low = {}, high = {};  ///< of kExplicit: high defaults to low, negative cuts
  std::vector<int64_t> dilation = {};        ///< of the filter: 2 skips every other element
  int64_t groups = 1;  ///< of channels, which see only the filters of their group
  DataFormat format = kChannelsLast;
};

/// y[n, i, o] = sum over k and c of x[n, i * stride + k * dilation - low, c] * filter[k, c, o]. No
/// flipping. The filter has channels / groups of them. Padding reads zeros.
Tensor Conv(const Operand& x, const Operand& filter, const ConvOptions& options = {});
Tensor Conv1D(const Operand& x, const Operand& filter, const ConvOptions& options = {});
Tensor Conv2D(const Operand& x, const Operand& filter, const ConvOptions& options = {});
Tensor Conv3D(const Operand& x, const Operand& filter, const ConvOptions& options = {});
/// Every channel convolved by itself: filter [height, width, channels, multiplier] (channels first:
/// [channels * multiplier, 1, height, width]) gives channels * multiplier outputs. `groups` is
/// ignored.
Tensor DepthwiseConv2D(const Operand& x, const Operand& filter, const ConvOptions& options = {});

/// Options of ConvTranspose.
struct ConvTransposeOptions {
  std::vector<int64_t> strides = {};
  Padding padding = kValid;
  std::vector<int64_t> low = {}, high = {};  ///< of kExplicit: cut from the result
  std::vector<int64_t> dilation = {};
  std::vector<int64_t> output_padding = {};  ///< of kExplicit: more elements at the end (PyTorch)
  /// Spatial extents of the result; empty: the smallest, for kSame input * stride.
  std::vector<int64_t> output_size = {};
  int64_t groups = 1;
  DataFormat format = kChannelsLast;
};
/// The transpose of the convolution whose filter this is: filter [spatial..., outputs / groups,
/// channels] (channels first: [channels, outputs / groups, spatial...]). Extents: (input - 1) *
/// stride + size of the filter - low - high; kValid: at least input * stride, as in TensorFlow.
Tensor ConvTranspose(const Operand& x, const Operand& filter, const ConvTransposeOptions& options = {});
Tensor ConvTranspose1D(const Operand& x, const Operand& filter, const ConvTransposeOptions& options = {});
Tensor ConvTranspose2D(const Operand& x, const Operand& filter, const ConvTransposeOptions& options = {});
Tensor ConvTranspose3D(const Operand& x, const Operand& filter, const ConvTransposeOptions& options = {});

/// One entry per spatial axis, or one for all.
struct PoolOptions {
  std::vector<int64_t> strides = {};  ///< default: the window
  Padding padding = kValid;
  std::vector<int64_t> low = {}, high = {};  ///< of kExplicit; high defaults to low
  std::vector<int64_t> dilation = {};
  bool ceil_mode = false;  ///< a last window that begins inside may end beyond the padding (PyTorch)
  bool count_include_pad = false;  ///< the mean counts padding, as PyTorch does by default
  DataFormat format = kChannelsLast;
};
/// The maximum of every window. Ties: the gradient goes to the first maximum.
Tensor MaxPool(const Operand& x, const std::vector<int64_t>& window, const PoolOptions& options = {});
Tensor MaxPool1D(const Operand& x, const std::vector<int64_t>& window, const PoolOptions& options = {});
Tensor MaxPool2D(const Operand& x, const std::vector<int64_t>& window, const PoolOptions& options = {});
Tensor MaxPool3D(const Operand& x, const std::vector<int64_t>& window, const PoolOptions& options = {});
/// The mean of every window.
Tensor AvgPool(const Operand& x, const std::vector<int64_t>& window, const PoolOptions& options = {});
Tensor AvgPool1D(const Operand& x, const std::vector<int64_t>& window, const PoolOptions& options = {});
Tensor AvgPool2D(const Operand& x, const std::vector<int64_t>& window, const PoolOptions& options = {});
Tensor AvgPool3D(const Operand& x, const std::vector<int64_t>& window, const PoolOptions& options = {});
/// Over all spatial axes, which go unless keepdims.
Tensor GlobalMaxPool(const Operand& x, DataFormat format = kChannelsLast, ReduceOptions options = {});
Tensor GlobalAvgPool(const Operand& x, DataFormat format = kChannelsLast, ReduceOptions options = {});

/// Windows of axes; lists have one entry per axis. Strides and dilations default to 1.
struct WindowOptions {
  std::vector<int64_t> strides = {}, dilations = {};
  std::vector<int64_t> low = {}, high = {};  ///< padding, by what does not change the reduction
};
/// Every axis becomes its windows; their elements are new axes at the end, in the order of `axes`.
Tensor Windows(const Operand& x, const std::vector<int64_t>& axes, const std::vector<int64_t>& sizes,
               const WindowOptions& options = {});
/// As PyTorch's unfold: the windows of one axis, step apart.
Tensor Unfold(const Operand& x, int64_t axis, int64_t size, int64_t step = 1);
/// What becomes of the elements of a window: their sum, product, maximum or minimum.
enum class WindowReduction : uint8_t { kSum, kProd, kMax, kMin };
/// The reduction of every window of all axes; sizes has one entry per axis of x.
Tensor ReduceWindow(const Operand& x, WindowReduction reduction, const std::vector<int64_t>& sizes,
                    const WindowOptions& options = {});
/// im2col: [n, spatial..., c] to [n, windows..., size... * c], the rows that a filter of this size
/// multiplies.
Tensor ExtractPatches(const Operand& x, const std::vector<int64_t>& window, const PoolOptions& options = {});

}  // namespace reel

#endif  // REEL_CONV_H_
