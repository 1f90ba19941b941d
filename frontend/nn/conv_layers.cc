#include "reel/conv_layers.h"

#include "absl/strings/str_join.h"
#include "frontend/nn/layer_data.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/strings.h"

namespace reel {

using internal::As;
using internal::CheckAtLeast;
using internal::LayerData;
using internal::LocationScope;
using internal::Materialize;
using internal::ThrowInvalid;

namespace {

/// Sizes, variables, and which convolution it is.
struct ConvData : LayerData {
  ConvData(const char* kind_, int rank_, int64_t filters_, std::vector<int64_t> size_, Activation activation_,
           LayerOptions options_)
      : LayerData(kind_, std::move(options_)),
        rank(rank_),
        filters(filters_),
        size(std::move(size_)),
        activation(std::move(activation_)) {
    CheckAtLeast(kind, "filters", filters);
    if (size.size() == 1) size.assign(static_cast<size_t>(rank), size[0]);
    if (size.size() != static_cast<size_t>(rank)) {
      ThrowInvalid(StrCat(kind, ": ", size.size(), " sizes for ", rank, " spatial axes; give one, or one each"));
    }
    for (const int64_t extent : size) CheckAtLeast(kind, "elements wide", extent);
  }

  virtual Tensor Apply(const Tensor& x) const = 0;
  /// The last two axes of the kernel for an input of that many channels.
  virtual std::pair<int64_t, int64_t> Ends(int64_t channels) const = 0;
  /// How many channels a kernel with these last axes is for.
  virtual int64_t Channels(int64_t a, int64_t b) const = 0;
  virtual int64_t Outputs(int64_t) const { return filters; }
  virtual DataFormat format() const = 0;

  /// [spatial..., a, b]; for channels first, moved to [b, a, spatial...].
  Initializer InLayout(Initializer initializer) const {
    if (format() == kChannelsLast) return initializer;
    return [=](const Shape& shape, DType dtype, const Generator& generator) {
      const int n = shape.rank();
      Shape drawn = shape;
      std::vector<int64_t> axes;
      for (int i = 0; i < n; ++i) {
        axes.push_back(i < 2 ? n - 1 - i : i - 2);
        drawn.set(static_cast<int>(axes.back()), shape.dim(i));
      }
      return Transpose(initializer(drawn, dtype, generator), axes);
    };
  }

  void Build(int64_t channels) {
    BuildOnce([&] { CreateFor(channels); });
  }

  void BuildKept() override {
    const Shape* shape = internal::KeptShape("kernel", rank + 2);
    if (!shape) return;
    const bool first = format() == kChannelsFirst;  // [b, a, spatial...]
    Build(first ? Channels(shape->dim(1), shape->dim(0)) : Channels(shape->dim(rank), shape->dim(rank + 1)));
  }

  void CreateFor(int64_t channels) {
    const auto [a, b] = Ends(channels);
    Shape shape;
    if (format() == kChannelsFirst) {
      shape.push_back(b);
      shape.push_back(a);
    }
    for (const int64_t extent : size) shape.push_back(extent);
    if (format() == kChannelsLast) {
      shape.push_back(a);
      shape.push_back(b);
    }
    kernel = Create("kernel", shape, InLayout(KernelInit(GlorotUniform())));
    if (options.use_bias) bias = Create("bias", {Outputs(channels)}, BiasInit());
  }

  std::string Arguments() const override {
    return internal::WithActivation(StrCat(filters, ", {", absl::StrJoin(size, ", "), "}"), activation);
  }

  int rank;
  int64_t filters;
  std::vector<int64_t> size;
  Activation activation;
  Variable kernel, bias;
};

void CheckGroups(const LayerData& d, int64_t channels, int64_t groups) {
  if (groups >= 1 && channels % groups == 0) return;
  ThrowInvalid(StrCat(d.kind, ": ", channels, " channels do not divide into ", groups, " groups"));
}

struct ForwardData : ConvData {
  ForwardData(const char* kind_, int rank_, int64_t filters_, std::vector<int64_t> size_, Activation activation_,
              ConvOptions conv_, LayerOptions options_)
      : ConvData(kind_, rank_, filters_, std::move(size_), std::move(activation_), std::move(options_)),
        conv(std::move(conv_)) {}

  Tensor Apply(const Tensor& x) const override { return Conv(x, kernel, conv); }
  std::pair<int64_t, int64_t> Ends(int64_t channels) const override {
    CheckGroups(*this, channels, conv.groups);
    return {channels / conv.groups, filters};
  }
  int64_t Channels(int64_t a, int64_t) const override { return a * conv.groups; }
  DataFormat format() const override { return conv.format; }

  ConvOptions conv;
};

// Its filters are so many for each channel.
struct DepthwiseData : ForwardData {
  using ForwardData::ForwardData;
  Tensor Apply(const Tensor& x) const override { return DepthwiseConv2D(x, kernel, conv); }
  std::pair<int64_t, int64_t> Ends(int64_t channels) const override {
    if (conv.format == kChannelsFirst) return {1, channels * filters};
    return {channels, filters};
  }
  int64_t Channels(int64_t a, int64_t b) const override { return conv.format == kChannelsFirst ? b / filters : a; }
  std::string Arguments() const override {
    return internal::WithActivation(StrCat("{", absl::StrJoin(size, ", "), "}, ", filters), activation);
  }
  int64_t Outputs(int64_t channels) const override { return channels * filters; }
};

struct TransposeData : ConvData {
  TransposeData(const char* kind_, int rank_, int64_t filters_, std::vector<int64_t> size_, Activation activation_,
                ConvTransposeOptions conv_, LayerOptions options_)
      : ConvData(kind_, rank_, filters_, std::move(size_), std::move(activation_), std::move(options_)),
        conv(std::move(conv_)) {}

  Tensor Apply(const Tensor& x) const override { return ConvTranspose(x, kernel, conv); }
  std::pair<int64_t, int64_t> Ends(int64_t channels) const override {
    CheckGroups(*this, filters, conv.groups);
    return {filters / conv.groups, channels};
  }
  int64_t Channels(int64_t, int64_t b) const override { return b; }
  DataFormat format() const override { return conv.format; }

  ConvTransposeOptions conv;
};

}  // namespace

Tensor ConvolutionLayer::operator()(const Operand& x) const {
  const LocationScope scope(x);
  auto& d = As<ConvData>(data_);
  const Tensor t = Materialize(x);
  if (t.rank() != d.rank + 2) {
    ThrowInvalid(StrCat(d.kind, ": needs an input of rank ", d.rank + 2, ", got ", t.type().ToString(),
                        "; it has axes for the batch and the channels"));
  }
  const int axis = d.format() == kChannelsFirst ? 1 : t.rank() - 1;
  d.Build(t.shape().dim(axis));
  Tensor y = d.Apply(t);
  if (d.bias.defined()) {
    std::vector<int64_t> dims(static_cast<size_t>(y.rank()), 1);
    dims[static_cast<size_t>(axis)] = d.bias.shape().dim(0);
    y = Add(y, Reshape(d.bias, dims));
  }
  return d.activation ? d.activation(y) : y;
}

#define CONVOLUTION(Class, kind, rank, Data, Options)                                                                 \
  Class::Class(int64_t filters, std::vector<int64_t> size, Activation activation, Options conv, LayerOptions options) \
      : ConvolutionLayer(std::make_shared<Data>(kind, rank, filters, std::move(size), std::move(activation),          \
                                                std::move(conv), std::move(options))) {}
CONVOLUTION(Convolution1D, "conv1d", 1, ForwardData, ConvOptions)
CONVOLUTION(Convolution2D, "conv2d", 2, ForwardData, ConvOptions)
CONVOLUTION(Convolution3D, "conv3d", 3, ForwardData, ConvOptions)
CONVOLUTION(ConvolutionTranspose1D, "conv1d_transpose", 1, TransposeData, ConvTransposeOptions)
CONVOLUTION(ConvolutionTranspose2D, "conv2d_transpose", 2, TransposeData, ConvTransposeOptions)
CONVOLUTION(ConvolutionTranspose3D, "conv3d_transpose", 3, TransposeData, ConvTransposeOptions)
#undef CONVOLUTION

DepthwiseConvolution2D::DepthwiseConvolution2D(std::vector<int64_t> size, int64_t multiplier, Activation activation,
                                               ConvOptions conv, LayerOptions options)
    : ConvolutionLayer(std::make_shared<DepthwiseData>("depthwise_conv2d", 2, multiplier, std::move(size),
                                                       std::move(activation), std::move(conv), std::move(options))) {}

}  // namespace reel
