#include "reel/conv.h"

#include <algorithm>

#include "frontend/eager/dispatch.h"
#include "frontend/ops/window.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"

namespace reel {
namespace internal {

std::vector<int64_t> PerAxis(const char* op, const char* what, const std::vector<int64_t>& list, int count,
                             int64_t otherwise) {
  const auto n = static_cast<size_t>(count);
  if (list.empty()) return std::vector<int64_t>(n, otherwise);
  if (list.size() == 1) return std::vector<int64_t>(n, list[0]);
  if (list.size() == n) return list;
  ThrowInvalid(StrCat(op, ": ", what, " has ", list.size(), " entries for ", count,
                      " spatial axes; give one for all or ", count));
}

namespace {

// Sums of a few numbers up to this one do not overflow.
constexpr int64_t kFar = int64_t{1} << 59;

void CheckNotFar(const char* op, const char* what, int64_t value) {
  if (value < -kFar || value > kFar) ThrowInvalid(StrCat(op, ": ", what, " ", value, " is out of range"));
}

}  // namespace

AxisGeometry MakeGeometry(const char* op, AxisGeometry axis, Padding padding, int64_t low, int64_t high) {
  for (auto [name, value] :
       {std::pair("window size", axis.size), std::pair("stride", axis.stride), std::pair("dilation", axis.dilation)}) {
    if (value < 1) ThrowInvalid(StrCat(op, ": ", name, " ", value, " must be at least 1"));
    CheckNotFar(op, name, value);
  }
  CheckNotFar(op, "padding", low);
  CheckNotFar(op, "padding", high);
  int64_t span = 0;
  if (__builtin_mul_overflow(axis.size, axis.dilation, &span) || span > kFar) {
    ThrowInvalid(StrCat(op, ": a window of ", axis.size, " elements, ", axis.dilation, " apart, is too large"));
  }
  axis.low = axis.high = 0;
  if (padding == kExplicit) {
    axis.low = low;
    axis.high = high;
  } else if (padding != kValid && axis.extent > 0) {
    const int64_t windows = (axis.extent - 1) / axis.stride + 1;
    const int64_t total = std::max<int64_t>((windows - 1) * axis.stride + axis.span() - axis.extent, 0);
    axis.low = padding == kSame ? total / 2 : total - total / 2;
    axis.high = total - axis.low;
  }
  return axis;
}

Tensor ChannelsToLast(const Tensor& x) {
  std::vector<int64_t> order{0};
  for (int i = 2; i < x.rank(); ++i) order.push_back(i);
  order.push_back(1);
  return x.rank() == 2 ? x : Transpose(x, order);
}

Tensor ChannelsToFirst(const Tensor& x) {
  std::vector<int64_t> order{0, x.rank() - 1};
  for (int i = 1; i + 1 < x.rank(); ++i) order.push_back(i);
  return x.rank() == 2 ? x : Transpose(x, order);
}

}  // namespace internal

namespace {

using internal::AxisGeometry;
using internal::Dispatch;
using internal::LocationScope;
using internal::MakeGeometry;
using internal::PerAxis;
using internal::ThrowInvalid;
using Ints = std::vector<int64_t>;

// x with axis `axis` cut into [parts, rest].
Tensor Split(const Tensor& x, int axis, int64_t parts) {
  Shape shape = x.shape();
  const int64_t n = shape.dim(axis);
  shape.set(axis, parts);
  shape.insert(axis + 1, n / parts);
  return Reshape(x, shape);
}

// x with its axes `axis` and axis + 1 as one.
Tensor Join(const Tensor& x, int axis) {
  Shape shape = x.shape();
  shape.set(axis, shape.dim(axis) * shape.dim(axis + 1));
  shape.erase(axis + 1);
  return Reshape(x, shape);
}

// Input and filter of a call: promoted, channels last, with their spatial axes counted.
struct Operands {
  Tensor x, filter;
  int spatial;
};

Operands Prepare(const char* op, const Operand& a, const Operand& b, int spatial, DataFormat format) {
  internal::TensorList t = internal::Promote(ir::Op::kConv, {&a, &b});
  if (spatial == 0) spatial = t[0].rank() - 2;
  if (spatial < 1 || spatial > 3 || t[0].rank() != spatial + 2 || t[1].rank() != spatial + 2) {
    ThrowInvalid(StrCat(op, ": input ", t[0].type().ToString(), " and filter ", t[1].type().ToString(),
                        " must both have rank spatial axes + 2, with 1 to 3 spatial axes; Reshape them"));
  }
  if (format == kChannelsFirst) {
    t[0] = internal::ChannelsToLast(t[0]);
    Ints order;
    for (int i = 0; i < spatial; ++i) order.push_back(i + 2);
    order.insert(order.end(), {1, 0});
    t[1] = Transpose(t[1], order);
  }
  return {t[0], t[1], spatial};
}

void CheckGroups(const char* op, const Operands& t, int64_t groups, int64_t channels_of_filter) {
  const int64_t channels = t.x.shape().dim(t.spatial + 1), outputs = t.filter.shape().dim(t.spatial + 1);
  if (groups < 1) ThrowInvalid(StrCat(op, ": groups ", groups, " must be at least 1"));
  if (channels % groups == 0 && outputs % groups == 0 && channels_of_filter == channels / groups) return;
  ThrowInvalid(StrCat(op, ": input ", t.x.type().ToString(), " and filter ", t.filter.type().ToString(),
                      " (channels last) do not fit in ", groups, " groups; the filter has channels / groups of ",
                      channels, " channels and a multiple of groups outputs"));
}

// a[n, s..., g, c] and b[k..., g, c, o] by the primitive.
Tensor Convolve(const Tensor& a, const Tensor& b, const std::vector<AxisGeometry>& axes, const Ints& a_dilation) {
  Ints strides, low, high, b_dilation;
  for (const AxisGeometry& q : axes) {
    strides.push_back(q.stride);
    low.push_back(q.low);
    high.push_back(q.high);
    b_dilation.push_back(q.dilation);
  }
  return Dispatch(
      ir::Op::kConv, {a, b},
      {{"strides", strides}, {"low", low}, {"high", high}, {"a_dilation", a_dilation}, {"b_dilation", b_dilation}});
}

// The filter [k..., c, groups * o] as [k..., groups, c, o].
Tensor GroupedFilter(const Tensor& filter, int spatial, int64_t groups) {
  if (groups == 1) return ExpandDims(filter, spatial);
  Ints order;
  for (int i = 0; i < spatial; ++i) order.push_back(i);
  order.insert(order.end(), {spatial + 1, spatial, spatial + 2});
  return Transpose(Split(filter, spatial + 1, groups), order);
}

Tensor ConvOf(const char* op, const Operand& a, const Operand& b, int spatial, const ConvOptions& options) {
  const LocationScope scope(a);
  const Operands t = Prepare(op, a, b, spatial, options.format);
  CheckGroups(op, t, options.groups, t.filter.shape().dim(t.spatial));
  const Ints strides = PerAxis(op, "strides", options.strides, t.spatial, 1),
             dilation = PerAxis(op, "dilation", options.dilation, t.spatial, 1),
             low = PerAxis(op, "low", options.low, t.spatial, 0),
             high = PerAxis(op, "high", options.high.empty() ? low : options.high, t.spatial, 0);
  std::vector<AxisGeometry> axes;
  for (int i = 0; i < t.spatial; ++i) {
    const auto n = static_cast<size_t>(i);
    AxisGeometry axis{t.x.shape().dim(i + 1), t.filter.shape().dim(i), strides[n], dilation[n]};
    axes.push_back(MakeGeometry(op, axis, options.padding, low[n], high[n]));
  }
  const Tensor y =
      Join(Convolve(Split(t.x, t.spatial + 1, options.groups), GroupedFilter(t.filter, t.spatial, options.groups), axes,
                    Ints(static_cast<size_t>(t.spatial), 1)),
           t.spatial + 1);
  return options.format == kChannelsFirst ? internal::ChannelsToFirst(y) : y;
}

// Extent of the result of a transposed convolution, and the padding that the convolution back would
// have.
AxisGeometry TransposedGeometry(const char* op, AxisGeometry axis, int64_t size, int64_t more,
                                const ConvTransposeOptions& options, int64_t low, int64_t high) {
  axis = MakeGeometry(op, axis, kValid, low, high);
  internal::CheckNotFar(op, "output_padding", more);
  internal::CheckNotFar(op, "output_size", size);
  const int64_t in = axis.extent, reach = axis.span() - 1;
  int64_t least = 0;  // what (in - 1) strides and a window cover
  if (__builtin_mul_overflow(std::max<int64_t>(in - 1, 0), axis.stride, &least))
    ThrowInvalid(StrCat(op, ": the result is too large"));
  internal::CheckNotFar(op, "a result's extent", least);
  least += axis.span();
  int64_t out = size;
  if (out < 0) {
    out = options.padding == kExplicit ? least - low - high + more
          : options.padding == kValid  ? least + std::max<int64_t>(axis.stride - axis.span(), 0)
                                       : in * axis.stride;
  }
  const bool same = options.padding == kSame || options.padding == kSameLower;
  int64_t before = options.padding == kExplicit ? low : 0, after = options.padding == kExplicit ? high : 0;
  if (same) {
    const int64_t total = std::max<int64_t>(least - out, 0);
    before = options.padding == kSame ? total / 2 : total - total / 2;
    after = total - before;
  }
  const int64_t smallest = same ? (in - 1) * axis.stride + 1 : least - before - after;
  if (out < 0 || out < smallest || out >= smallest + axis.stride) {
    ThrowInvalid(StrCat(op, ": a result of extent ", out, " is not convolved to an input of ", in, " with stride ",
                        axis.stride, ", window ", axis.span(), " and this padding; give an output_size from ",
                        std::max<int64_t>(smallest, 0), " to ", smallest + axis.stride - 1));
  }
  const int64_t spread = in == 0 ? 0 : (in - 1) * axis.stride + 1;
  axis.low = reach - before;
  axis.high = out + reach - spread - axis.low;
  axis.stride = 1;
  return axis;
}

Tensor ConvTransposeOf(const char* op, const Operand& a, const Operand& b, int spatial,
                       const ConvTransposeOptions& options) {
  const LocationScope scope(a);
  const Operands t = Prepare(op, a, b, spatial, options.format);  // filter [k..., outputs / groups, channels]
  const int64_t groups = options.groups, channels = t.x.shape().dim(t.spatial + 1);
  if (groups < 1 || channels % groups != 0 || t.filter.shape().dim(t.spatial + 1) != channels) {
    ThrowInvalid(StrCat(op, ": the filter ", t.filter.type().ToString(), " must end in the ", channels,
                        " channels of the input ", t.x.type().ToString(), ", which ", groups,
                        " groups must divide (channels last)"));
  }
  const Ints strides = PerAxis(op, "strides", options.strides, t.spatial, 1),
             dilation = PerAxis(op, "dilation", options.dilation, t.spatial, 1),
             low = PerAxis(op, "low", options.low, t.spatial, 0),
             high = PerAxis(op, "high", options.high.empty() ? low : options.high, t.spatial, 0),
             more = PerAxis(op, "output_padding", options.output_padding, t.spatial, 0),
             size = PerAxis(op, "output_size", options.output_size, t.spatial, -1);
  std::vector<AxisGeometry> axes;
  Ints spatial_axes;
  for (int i = 0; i < t.spatial; ++i) {
    const auto n = static_cast<size_t>(i);
    const AxisGeometry axis{t.x.shape().dim(i + 1), t.filter.shape().dim(i), strides[n], dilation[n]};
    axes.push_back(TransposedGeometry(op, axis, size[n], more[n], options, low[n], high[n]));
    spatial_axes.push_back(i);
  }
  // [k..., o, groups * c] -> [k..., groups, c, o], backwards
  Ints order = spatial_axes;
  order.insert(order.end(), {t.spatial + 1, t.spatial + 2, t.spatial});
  const Tensor turned = Dispatch(ir::Op::kReverse, {t.filter}, {{"axes", spatial_axes}});
  const Tensor filter = Transpose(Split(turned, t.spatial + 1, groups), order);
  const Tensor y = Join(Convolve(Split(t.x, t.spatial + 1, groups), filter, axes, strides), t.spatial + 1);
  return options.format == kChannelsFirst ? internal::ChannelsToFirst(y) : y;
}

}  // namespace

Tensor Conv(const Operand& x, const Operand& filter, const ConvOptions& options) {
  return ConvOf("conv", x, filter, 0, options);
}
Tensor Conv1D(const Operand& x, const Operand& filter, const ConvOptions& options) {
  return ConvOf("conv1d", x, filter, 1, options);
}
Tensor Conv2D(const Operand& x, const Operand& filter, const ConvOptions& options) {
  return ConvOf("conv2d", x, filter, 2, options);
}
Tensor Conv3D(const Operand& x, const Operand& filter, const ConvOptions& options) {
  return ConvOf("conv3d", x, filter, 3, options);
}

Tensor DepthwiseConv2D(const Operand& x, const Operand& filter, const ConvOptions& options) {
  const LocationScope scope(x);
  ConvOptions grouped = options;
  Tensor f = internal::Materialize(filter);
  if (f.rank() != 4) {
    ThrowInvalid(StrCat("depthwise_conv2d: filter ", f.type().ToString(), " must have rank 4; Reshape it"));
  }
  const Ints dims = f.shape().dims();
  if (options.format == kChannelsLast) {
    f = Reshape(f, {dims[0], dims[1], 1, dims[2] * dims[3]});
    grouped.groups = dims[2];
  } else {
    grouped.groups = x.type().shape.rank() == 4 ? x.type().shape.dim(1) : 1;
  }
  return ConvOf("depthwise_conv2d", x, f, 2, grouped);
}

Tensor ConvTranspose(const Operand& x, const Operand& filter, const ConvTransposeOptions& options) {
  return ConvTransposeOf("conv_transpose", x, filter, 0, options);
}
Tensor ConvTranspose1D(const Operand& x, const Operand& filter, const ConvTransposeOptions& options) {
  return ConvTransposeOf("conv_transpose1d", x, filter, 1, options);
}
Tensor ConvTranspose2D(const Operand& x, const Operand& filter, const ConvTransposeOptions& options) {
  return ConvTransposeOf("conv_transpose2d", x, filter, 2, options);
}
Tensor ConvTranspose3D(const Operand& x, const Operand& filter, const ConvTransposeOptions& options) {
  return ConvTransposeOf("conv_transpose3d", x, filter, 3, options);
}

}  // namespace reel
