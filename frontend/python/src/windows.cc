#include "windows.h"

#include "bind.h"
#include "reel/attention.h"
#include "reel/conv.h"
#include "reel/normalization.h"
#include "reel/resize.h"
#include "register.h"

// reel.nn: convolutions, pools, resizing, attention and normalisation, as functions.

namespace reel::python {

DataFormat ToFormat(const char* format) {
  return ToEnum<DataFormat>("data_format", format,
                            {{"channels_last", kChannelsLast}, {"channels_first", kChannelsFirst}});
}

// 'valid', 'same', 'same_lower', or numbers: one per axis, or pairs (before, after).
PaddingOption ToPadding(nb::handle x) {
  if (PyUnicode_Check(x.ptr())) {
    std::string name = nb::borrow<nb::str>(x).c_str();
    for (char& c : name) c = static_cast<char>(std::tolower(c));
    return {ToEnum<Padding>("padding", name, {{"valid", kValid}, {"same", kSame}, {"same_lower", kSameLower}}), {}, {}};
  }
  PaddingOption out{kExplicit, {}, {}};
  if (PyIndex_Check(x.ptr()) || nb::len(x) == 0 || PyIndex_Check(nb::object(x[0]).ptr())) {
    out.low = out.high = ToInts(x, "padding");
    return out;
  }
  for (const nb::handle pair : x) {
    const std::vector<int64_t> both = ToInts(pair, "padding");
    if (both.size() != 2) ThrowInvalid("padding: give a number or a pair (before, after) for every axis");
    out.low.push_back(both[0]);
    out.high.push_back(both[1]);
  }
  return out;
}

ConvOptions ToConvOptions(nb::handle strides, nb::handle padding, nb::handle dilation, int64_t groups,
                          const char* format) {
  const PaddingOption p = ToPadding(padding);
  return {.strides = ToInts(strides, "strides"),
          .padding = p.padding,
          .low = p.low,
          .high = p.high,
          .dilation = ToInts(dilation, "dilation"),
          .groups = groups,
          .format = ToFormat(format)};
}

ConvTransposeOptions ToTransposeOptions(nb::handle strides, nb::handle padding, nb::handle dilation,
                                        nb::handle output_padding, nb::handle output_size, int64_t groups,
                                        const char* format) {
  const PaddingOption p = ToPadding(padding);
  const auto ints = [](nb::handle x, const char* what) {
    return x.is_none() ? std::vector<int64_t>() : ToInts(x, what);
  };
  return {.strides = ToInts(strides, "strides"),
          .padding = p.padding,
          .low = p.low,
          .high = p.high,
          .dilation = ToInts(dilation, "dilation"),
          .output_padding = ints(output_padding, "output_padding"),
          .output_size = ints(output_size, "output_size"),
          .groups = groups,
          .format = ToFormat(format)};
}

PoolOptions ToPoolOptions(nb::handle strides, nb::handle padding, nb::handle dilation, bool ceil_mode,
                          bool count_include_pad, const char* format) {
  const PaddingOption p = ToPadding(padding);
  return {.strides = strides.is_none() ? std::vector<int64_t>() : ToInts(strides, "strides"),
          .padding = p.padding,
          .low = p.low,
          .high = p.high,
          .dilation = ToInts(dilation, "dilation"),
          .ceil_mode = ceil_mode,
          .count_include_pad = count_include_pad,
          .format = ToFormat(format)};
}

namespace {

template <Tensor (*F)(const Operand&, const Operand&, const ConvOptions&)>
void Convolution(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](TensorLike x, TensorLike filter, nb::handle strides, nb::handle padding, nb::handle dilation, int64_t groups,
         const char* format) {
        const Operand a = x.operand(), w = filter.operand();
        const ConvOptions options = ToConvOptions(strides, padding, dilation, groups, format);
        const Unlocked other_threads(kLong);
        return F(a, w, options);
      },
      "x"_a, "filter"_a, "strides"_a = 1, "padding"_a = "valid", "dilation"_a = 1, "groups"_a = 1,
      "data_format"_a = "channels_last",
      nb::sig(Signature(name,
                        "(x: TensorLike, filter: TensorLike, strides: IntsLike = 1, padding: "
                        "Padding = 'valid', dilation: IntsLike = 1, "
                        "groups: int = 1, data_format: str = 'channels_last') -> Tensor")
                  .c_str()),
      doc);
}

template <Tensor (*F)(const Operand&, const Operand&, const ConvTransposeOptions&)>
void Transposed(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](TensorLike x, TensorLike filter, nb::handle strides, nb::handle padding, nb::handle dilation,
         nb::handle output_padding, nb::handle output_size, int64_t groups, const char* format) {
        const Operand a = x.operand(), w = filter.operand();
        const ConvTransposeOptions options =
            ToTransposeOptions(strides, padding, dilation, output_padding, output_size, groups, format);
        const Unlocked other_threads(kLong);
        return F(a, w, options);
      },
      "x"_a, "filter"_a, "strides"_a = 1, "padding"_a = "valid", "dilation"_a = 1, "output_padding"_a = nb::none(),
      "output_size"_a = nb::none(), "groups"_a = 1, "data_format"_a = "channels_last",
      nb::sig(Signature(name,
                        "(x: TensorLike, filter: TensorLike, strides: IntsLike = 1, padding: "
                        "Padding = 'valid', dilation: IntsLike = 1, "
                        "output_padding: IntsLike | None = None, output_size: IntsLike | None = "
                        "None, groups: int = 1, "
                        "data_format: str = 'channels_last') -> Tensor")
                  .c_str()),
      doc);
}

template <Tensor (*F)(const Operand&, const std::vector<int64_t>&, const PoolOptions&)>
void Pool(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](TensorLike x, IntsLike window, nb::handle strides, nb::handle padding, nb::handle dilation, bool ceil_mode,
         bool count_include_pad, const char* format) {
        const Operand a = x.operand();
        const std::vector<int64_t> size = window.get("window");
        const PoolOptions options = ToPoolOptions(strides, padding, dilation, ceil_mode, count_include_pad, format);
        const Unlocked other_threads(Work(a) * 4);
        return F(a, size, options);
      },
      "x"_a, "window"_a, "strides"_a = nb::none(), "padding"_a = "valid", "dilation"_a = 1, "ceil_mode"_a = false,
      "count_include_pad"_a = false, "data_format"_a = "channels_last",
      nb::sig(Signature(name,
                        "(x: TensorLike, window: IntsLike, strides: IntsLike | None = None, "
                        "padding: Padding = 'valid', dilation: IntsLike = 1, "
                        "ceil_mode: bool = False, count_include_pad: bool = False, data_format: "
                        "str = 'channels_last') -> Tensor")
                  .c_str()),
      doc);
}

template <Tensor (*F)(const Operand&, DataFormat, ReduceOptions)>
void GlobalPool(nb::module_& m, const char* name, const char* doc) {
  m.def(
      name,
      [](TensorLike x, bool keepdims, const char* format) {
        return F(x.operand(), ToFormat(format), {.keepdims = keepdims});
      },
      "x"_a, "keepdims"_a = false, "data_format"_a = "channels_last",
      nb::sig(Signature(name,
                        "(x: TensorLike, keepdims: bool = False, data_format: str = "
                        "'channels_last') -> Tensor")
                  .c_str()),
      doc);
}

OptionalOperand Optional(TensorLike x) { return x.none() ? OptionalOperand() : OptionalOperand(x.operand()); }

void RegisterNormalizations(nb::module_& m) {
  m.def(
      "moments",
      [](TensorLike x, AxisLike axis, bool keepdims) {
        MeanAndVariance r = Moments(x.operand(), axis.get(), {.keepdims = keepdims});
        return nb::make_tuple(Wrap(std::move(r.mean)), Wrap(std::move(r.variance)));
      },
      "x"_a, "axis"_a = nb::none(), "keepdims"_a = false,
      nb::sig("def moments(x: TensorLike, /, axis: AxisLike | None = None, keepdims: bool = False) "
              "-> tuple[Tensor, Tensor]"),
      "Mean and variance over axes.");
  m.def(
      "l2_normalize",
      [](TensorLike x, AxisLike axis, double epsilon) { return L2Normalize(x.operand(), axis.get(), epsilon); }, "x"_a,
      "axis"_a.none() = -1, "epsilon"_a = 1e-12,
      nb::sig("def l2_normalize(x: TensorLike, /, axis: AxisLike | None = -1, epsilon: float = "
              "1e-12) -> Tensor"),
      "x / max(|x|, epsilon).");
  m.def(
      "layer_normalize",
      [](TensorLike x, TensorLike scale, TensorLike offset, AxisLike axis, double epsilon) {
        return LayerNormalize(x.operand(), Optional(scale), Optional(offset), {.axes = axis.get(), .epsilon = epsilon});
      },
      "x"_a, "scale"_a = nb::none(), "offset"_a = nb::none(), "axis"_a = -1, "epsilon"_a = 1e-5,
      nb::sig("def layer_normalize(x: TensorLike, /, scale: TensorLike | None = None, offset: "
              "TensorLike | None = None, axis: AxisLike = -1, epsilon: float = 1e-5) -> Tensor"),
      "(x - mean) / sqrt(variance + epsilon) scale + offset over axes.");
  m.def(
      "rms_normalize",
      [](TensorLike x, TensorLike scale, AxisLike axis, double epsilon) {
        return RmsNormalize(x.operand(), Optional(scale), {.axes = axis.get(), .epsilon = epsilon});
      },
      "x"_a, "scale"_a = nb::none(), "axis"_a = -1, "epsilon"_a = 1e-6,
      nb::sig("def rms_normalize(x: TensorLike, /, scale: TensorLike | None = None, axis: AxisLike "
              "= -1, epsilon: float = 1e-6) -> Tensor"),
      "x / sqrt(mean(x^2) + epsilon) scale over axes.");
  m.def(
      "batch_normalize",
      [](TensorLike x, TensorLike mean, TensorLike variance, TensorLike scale, TensorLike offset, int64_t axis,
         double epsilon) {
        return BatchNormalize(x.operand(), mean.operand(), variance.operand(), Optional(scale), Optional(offset),
                              {.axis = axis, .epsilon = epsilon});
      },
      "x"_a, "mean"_a, "variance"_a, "scale"_a = nb::none(), "offset"_a = nb::none(), "axis"_a = -1, "epsilon"_a = 1e-5,
      nb::sig("def batch_normalize(x: TensorLike, mean: TensorLike, variance: TensorLike, scale: "
              "TensorLike | None = None, offset: TensorLike | None = None, axis: int = -1, "
              "epsilon: float = 1e-5) -> Tensor"),
      "(x - mean) / sqrt(variance + epsilon) scale + offset; all four [channels].");
  m.def(
      "group_normalize",
      [](TensorLike x, int64_t groups, TensorLike scale, TensorLike offset, int64_t axis, double epsilon) {
        return GroupNormalize(x.operand(), groups, Optional(scale), Optional(offset),
                              {.axis = axis, .epsilon = epsilon});
      },
      "x"_a, "groups"_a, "scale"_a = nb::none(), "offset"_a = nb::none(), "axis"_a = -1, "epsilon"_a = 1e-5,
      nb::sig("def group_normalize(x: TensorLike, groups: int, scale: TensorLike | None = None, "
              "offset: TensorLike | None = None, axis: int = -1, epsilon: float = 1e-5) -> Tensor"),
      "Layer normalisation of each group of neighbouring channels.");
}

void RegisterAttention(nb::module_& m) {
  m.def(
      "attention",
      [](TensorLike q, TensorLike k, TensorLike v, TensorLike mask, bool causal, double scale) {
        const Operand query = q.operand(), key = k.operand(), value = v.operand();
        AttentionOptions options{.causal = causal, .scale = scale};
        if (!mask.none()) options.mask = mask.tensor();
        const Unlocked other_threads(kLong);
        return Attention(query, key, value, options);
      },
      "query"_a, "key"_a, "value"_a, "mask"_a = nb::none(), "causal"_a = false, "scale"_a = 0.0,
      nb::sig("def attention(query: TensorLike, key: TensorLike, value: TensorLike, mask: "
              "TensorLike | None = None, causal: bool = False, scale: float = 0) -> Tensor"),
      "softmax(query key' scale) value over [..., heads, length, features]; scale 0 is 1 / "
      "sqrt(features).");
  m.def(
      "rotary_embedding",
      [](TensorLike x, double base, bool interleaved, TensorLike positions) {
        RotaryOptions options{.base = base, .interleaved = interleaved};
        if (!positions.none()) options.positions = positions.tensor();
        return RotaryEmbedding(x.operand(), options);
      },
      "x"_a, "base"_a = 10000.0, "interleaved"_a = false, "positions"_a = nb::none(),
      nb::sig("def rotary_embedding(x: TensorLike, base: float = 10000, interleaved: bool = False, "
              "positions: TensorLike | None = None) -> Tensor"),
      "Turns pairs of x [..., length, features] by their position.");
  m.def(
      "resize",
      [](TensorLike x, IntsLike sizes, const char* method, const char* coordinates, IntsLike axes) {
        return Resize(x.operand(), sizes.get("sizes"),
                      {.method = ToEnum<ResizeMethod>(
                           "method", method, {{"nearest", ResizeMethod::kNearest}, {"linear", ResizeMethod::kLinear}}),
                       .coordinates = ToEnum<ResizeCoordinates>("coordinates", coordinates,
                                                                {{"half_pixel", ResizeCoordinates::kHalfPixel},
                                                                 {"align_corners", ResizeCoordinates::kAlignCorners},
                                                                 {"asymmetric", ResizeCoordinates::kAsymmetric}}),
                       .axes = axes.get("axes")});
      },
      "x"_a, "sizes"_a, "method"_a = "linear", "coordinates"_a = "half_pixel", "axes"_a = nb::make_tuple(1, 2),
      nb::sig("def resize(x: TensorLike, sizes: IntsLike, method: str = 'linear', coordinates: str "
              "= 'half_pixel', axes: IntsLike = (1, 2)) -> Tensor"),
      "x with other extents along some axes, interpolated.");
}

}  // namespace

void RegisterWindows(nb::module_& parent) {
  nb::module_ m = nb::borrow<nb::module_>(parent.attr("nn"));
  Convolution<Conv1D>(m, "conv1d", "x [batch, width, channels] with a filter [width, channels / groups, outputs].");
  Convolution<Conv2D>(m, "conv2d",
                      "x [batch, height, width, channels] with a filter [height, width, channels / "
                      "groups, outputs].");
  Convolution<Conv3D>(m, "conv3d",
                      "x [batch, depth, height, width, channels] with a filter [depth, height, "
                      "width, channels / groups, outputs].");
  Convolution<DepthwiseConv2D>(m, "depthwise_conv2d",
                               "Every channel by itself: a filter [height, width, channels, multiplier].");
  Transposed<ConvTranspose1D>(m, "conv1d_transpose",
                              "The transpose of conv1d: a filter [width, outputs / groups, channels].");
  Transposed<ConvTranspose2D>(m, "conv2d_transpose",
                              "The transpose of conv2d: a filter [height, width, outputs / groups, channels].");
  Transposed<ConvTranspose3D>(m, "conv3d_transpose", "The transpose of conv3d.");
  Pool<MaxPool1D>(m, "max_pool1d", "The maximum of every window; ties: the gradient goes to the first.");
  Pool<MaxPool2D>(m, "max_pool2d", "The maximum of every window; ties: the gradient goes to the first.");
  Pool<MaxPool3D>(m, "max_pool3d", "The maximum of every window; ties: the gradient goes to the first.");
  Pool<AvgPool1D>(m, "avg_pool1d", "The mean of every window.");
  Pool<AvgPool2D>(m, "avg_pool2d", "The mean of every window.");
  Pool<AvgPool3D>(m, "avg_pool3d", "The mean of every window.");
  GlobalPool<GlobalMaxPool>(m, "global_max_pool", "The maximum over all spatial axes.");
  GlobalPool<GlobalAvgPool>(m, "global_avg_pool", "The mean over all spatial axes.");
  RegisterNormalizations(m);
  RegisterAttention(m);
}

}  // namespace reel::python
