#ifndef REEL_CONV_LAYERS_H_
#define REEL_CONV_LAYERS_H_

#include <cstdint>
#include <vector>

#include "reel/conv.h"
#include "reel/layers.h"

// Layers of the convolutions and pools in reel/conv.h, and with their layouts: channels last unless
// the options say otherwise. A size of one entry serves all spatial axes.

namespace reel {

/// activation(Conv(x, kernel) + bias) of one, two or three spatial axes: kernel glorot uniform in
/// the layout of the format, bias [filters] zeros; made by the first call.
class ConvolutionLayer : public Layer {
 public:
  Tensor operator()(const Operand& x) const;

 protected:
  explicit ConvolutionLayer(std::shared_ptr<internal::LayerData> data) : Layer(std::move(data)) {}
};

/// conv1d/kernel [width, channels / groups, filters].
class Convolution1D : public ConvolutionLayer {
 public:
  Convolution1D(int64_t filters, std::vector<int64_t> size, Activation activation = {}, ConvOptions conv = {},
                LayerOptions options = {});
};
/// conv2d/kernel [height, width, channels / groups, filters].
class Convolution2D : public ConvolutionLayer {
 public:
  Convolution2D(int64_t filters, std::vector<int64_t> size, Activation activation = {}, ConvOptions conv = {},
                LayerOptions options = {});
};
/// conv3d/kernel [depth, height, width, channels / groups, filters].
class Convolution3D : public ConvolutionLayer {
 public:
  Convolution3D(int64_t filters, std::vector<int64_t> size, Activation activation = {}, ConvOptions conv = {},
                LayerOptions options = {});
};
/// Each channel by itself, `multiplier` results each: depthwise_conv2d/kernel [height, width,
/// channels, multiplier], bias [channels multiplier].
class DepthwiseConvolution2D : public ConvolutionLayer {
 public:
  explicit DepthwiseConvolution2D(std::vector<int64_t> size, int64_t multiplier = 1, Activation activation = {},
                                  ConvOptions conv = {}, LayerOptions options = {});
};

/// activation(ConvTranspose(x, kernel) + bias): conv2d_transpose/kernel [spatial..., filters /
/// groups, channels].
class ConvolutionTranspose1D : public ConvolutionLayer {
 public:
  ConvolutionTranspose1D(int64_t filters, std::vector<int64_t> size, Activation activation = {},
                         ConvTransposeOptions conv = {}, LayerOptions options = {});
};
/// The same over two spatial axes.
class ConvolutionTranspose2D : public ConvolutionLayer {
 public:
  ConvolutionTranspose2D(int64_t filters, std::vector<int64_t> size, Activation activation = {},
                         ConvTransposeOptions conv = {}, LayerOptions options = {});
};
/// The same over three spatial axes.
class ConvolutionTranspose3D : public ConvolutionLayer {
 public:
  ConvolutionTranspose3D(int64_t filters, std::vector<int64_t> size, Activation activation = {},
                         ConvTransposeOptions conv = {}, LayerOptions options = {});
};

/// A pool of reel/conv.h as a layer.
template <Tensor (*pool)(const Operand&, const std::vector<int64_t>&, const PoolOptions&)>
class Pooling {
 public:
  explicit Pooling(std::vector<int64_t> window, PoolOptions options = {})
      : window_(std::move(window)), options_(std::move(options)) {}
  Tensor operator()(const Operand& x) const { return pool(x, window_, options_); }

 private:
  std::vector<int64_t> window_;
  PoolOptions options_;
};
/// The pools, by what they take of a window and its spatial axes.
using MaxPooling1D = Pooling<MaxPool1D>;
using MaxPooling2D = Pooling<MaxPool2D>;
using MaxPooling3D = Pooling<MaxPool3D>;
using AveragePooling1D = Pooling<AvgPool1D>;
using AveragePooling2D = Pooling<AvgPool2D>;
using AveragePooling3D = Pooling<AvgPool3D>;

/// A global pool as a layer: [batch, spatial..., channels] to [batch, channels].
template <Tensor (*pool)(const Operand&, DataFormat, ReduceOptions)>
class GlobalPooling {
 public:
  explicit GlobalPooling(DataFormat format = kChannelsLast, ReduceOptions options = {})
      : format_(format), options_(options) {}
  Tensor operator()(const Operand& x) const { return pool(x, format_, options_); }

 private:
  DataFormat format_;
  ReduceOptions options_;
};
/// The global pools.
using GlobalMaxPooling = GlobalPooling<GlobalMaxPool>;
using GlobalAveragePooling = GlobalPooling<GlobalAvgPool>;

}  // namespace reel

#endif  // REEL_CONV_LAYERS_H_
