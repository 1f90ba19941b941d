#include <algorithm>

#include "frontend/eager/dispatch.h"
#include "frontend/ops/common.h"
#include "frontend/ops/extremes.h"
#include "frontend/ops/window.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/conv.h"

namespace reel {
namespace {

using internal::AxisGeometry;
using internal::Dispatch;
using internal::LocationScope;
using internal::Materialize;
using internal::PerAxis;
using internal::ThrowInvalid;
using Ints = std::vector<int64_t>;

// The scalar that does not change a reduction.
Tensor Neutral(WindowReduction reduction, DType dtype) {
  switch (reduction) {
    case WindowReduction::kSum: return internal::ScalarOf(dtype, 0);
    case WindowReduction::kProd: return internal::ScalarOf(dtype, 1);
    default: return internal::LimitOf(dtype, reduction == WindowReduction::kMin);
  }
}

// x padded with copies of a scalar; x itself if there is nothing to add.
Tensor PadWith(const Tensor& x, const Ints& low, const Ints& high, const Tensor& value) {
  const auto any = [](const Ints& v) { return std::any_of(v.begin(), v.end(), [](int64_t n) { return n != 0; }); };
  return any(low) || any(high) ? internal::PadWithScalar(x, value, low, high) : x;
}

Tensor WindowsOf(const Tensor& x, const Ints& axes, const Ints& sizes, const Ints& strides, const Ints& dilations) {
  return Dispatch(ir::Op::kWindow, {x},
                  {{"axes", axes}, {"sizes", sizes}, {"strides", strides}, {"dilations", dilations}});
}

Tensor ReduceLast(const Tensor& x, WindowReduction reduction, int count) {
  Ints axes;
  for (int i = x.rank() - count; i < x.rank(); ++i) axes.push_back(i);
  if (axes.empty()) return x;
  switch (reduction) {
    case WindowReduction::kSum: return ReduceSum(x, axes);
    case WindowReduction::kProd: return Dispatch(ir::Op::kReduceProd, {x}, {{"axes", axes}});
    case WindowReduction::kMax: return Dispatch(ir::Op::kReduceMax, {x}, {{"axes", axes}, {"first", true}});
    default: return Dispatch(ir::Op::kReduceMin, {x}, {{"axes", axes}, {"first", true}});
  }
}

// The input of a pooling call, channels last, and the windows of its spatial axes.
struct Pooling {
  Tensor x;
  std::vector<AxisGeometry> axes;
  Ints extra;  // of the upper padding: only there to complete the last window

  int spatial() const { return static_cast<int>(axes.size()); }
  Tensor Windows(const Tensor& padding) const {
    Ints low{0}, high{0}, along, sizes, strides, dilations;
    for (const AxisGeometry& q : axes) {
      along.push_back(static_cast<int64_t>(low.size()));
      low.push_back(q.low);
      high.push_back(q.high);
      sizes.push_back(q.size);
      strides.push_back(q.stride);
      dilations.push_back(q.dilation);
    }
    low.push_back(0);
    high.push_back(0);
    return WindowsOf(PadWith(x, low, high, padding), along, sizes, strides, dilations);
  }
};

// The padding that a last window needs which begins inside but ends outside.
int64_t CeilPadding(const AxisGeometry& q) {
  const int64_t rest = q.low + q.extent + q.high - q.span();
  if (rest < 0 || rest % q.stride == 0) return 0;
  const int64_t begin = (rest / q.stride + 1) * q.stride;
  return begin >= q.low + q.extent ? 0 : begin + q.span() - (q.low + q.extent + q.high);
}

Pooling Prepare(const char* op, const Operand& operand, int spatial, const Ints& window, const PoolOptions& options) {
  Pooling out{Materialize(operand), {}, {}};
  if (spatial == 0) spatial = out.x.rank() - 2;
  if (spatial < 1 || spatial > 3 || out.x.rank() != spatial + 2) {
    ThrowInvalid(StrCat(op, ": input ", out.x.type().ToString(),
                        " must have a batch axis, channels and 1 to 3 spatial axes; Reshape it"));
  }
  if (options.format == kChannelsFirst) out.x = internal::ChannelsToLast(out.x);
  if (window.empty()) ThrowInvalid(StrCat(op, ": the window is missing; give its extents"));
  const Ints sizes = PerAxis(op, "window", window, spatial, 1),
             strides = PerAxis(op, "strides", options.strides.empty() ? sizes : options.strides, spatial, 1),
             dilation = PerAxis(op, "dilation", options.dilation, spatial, 1),
             low = PerAxis(op, "low", options.low, spatial, 0),
             high = PerAxis(op, "high", options.high.empty() ? low : options.high, spatial, 0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    const AxisGeometry axis{out.x.shape().dim(static_cast<int>(i) + 1), sizes[i], strides[i], dilation[i]};
    out.axes.push_back(internal::MakeGeometry(op, axis, options.padding, low[i], high[i]));
    out.extra.push_back(options.ceil_mode ? CeilPadding(out.axes.back()) : 0);
    out.axes.back().high += out.extra.back();
  }
  return out;
}

Tensor MaxPoolOf(const char* op, const Operand& x, int spatial, const Ints& window, const PoolOptions& options) {
  const LocationScope scope(x);
  const Pooling p = Prepare(op, x, spatial, window, options);
  const Tensor windows = p.Windows(Neutral(WindowReduction::kMax, p.x.dtype()));
  const Tensor y = ReduceLast(windows, WindowReduction::kMax, p.spatial());
  return options.format == kChannelsFirst ? internal::ChannelsToFirst(y) : y;
}

// How many elements of every window of an axis count: those of the input, and of the padding if
// that counts. Null if all do.
Tensor Counts(const AxisGeometry& q, int64_t windows, int64_t extra, bool padding) {
  const int64_t begin = padding ? 0 : q.low, end = padding ? q.low + q.extent + q.high - extra : q.low + q.extent;
  if (begin <= 0 && (windows - 1) * q.stride + q.span() <= end) return {};
  const Tensor start = Mul(Iota({windows}, 0), q.stride);
  const auto before = [&](int64_t bound) {  // the elements of a window that stand before it
    const Tensor distance = Maximum(Sub(bound, start), int64_t{0});
    return Minimum(Div(Add(distance, q.dilation - 1), q.dilation), q.size);
  };
  const Tensor left_out = before(begin);
  return Sub(before(end), left_out);
}

Tensor AvgPoolOf(const char* op, const Operand& x, int spatial, const Ints& window, const PoolOptions& options) {
  const LocationScope scope(x);
  Pooling p = Prepare(op, x, spatial, window, options);
  const DType dtype = p.x.dtype();
  if (!IsFloat(dtype)) {
    ThrowInvalid(StrCat(op, ": needs floats, got ", p.x.type().ToString(), "; Cast it to kFloat32"));
  }
  p.x = internal::Wide(p.x);
  Tensor y = ReduceLast(p.Windows(internal::ScalarOf(p.x.dtype(), 0)), WindowReduction::kSum, p.spatial());
  double whole = 1;
  Tensor counts;
  for (int i = 0; i < p.spatial(); ++i) {
    const AxisGeometry& q = p.axes[static_cast<size_t>(i)];
    const int64_t windows = y.shape().dim(i + 1);
    const Tensor list = Counts(q, windows, p.extra[static_cast<size_t>(i)], options.count_include_pad);
    if (!list.defined()) {
      whole *= static_cast<double>(q.size);
      continue;
    }
    Ints dims(static_cast<size_t>(p.spatial()) + 1, 1);
    dims[static_cast<size_t>(i)] = windows;
    const Tensor along = Reshape(Cast(list, y.dtype()), dims);
    counts = counts.defined() ? Mul(counts, along) : along;
  }
  y = Div(y, counts.defined() ? Mul(counts, whole) : internal::ScalarOf(y.dtype(), whole));
  y = Cast(y, dtype);
  return options.format == kChannelsFirst ? internal::ChannelsToFirst(y) : y;
}

// The spatial axes of an input.
Axes SpatialAxes(const char* op, const Tensor& x, DataFormat format) {
  if (x.rank() < 3) {
    ThrowInvalid(StrCat(op, ": input ", x.type().ToString(), " has no spatial axes beside batch and channels"));
  }
  Ints axes;
  for (int i = 0; i + 2 < x.rank(); ++i) axes.push_back(i + (format == kChannelsFirst ? 2 : 1));
  return axes;
}

}  // namespace

#define POOL(Kind, dimensions, text, spatial)                                                                 \
  Tensor Kind##dimensions(const Operand& x, const std::vector<int64_t>& window, const PoolOptions& options) { \
    return Kind##Of(text, x, spatial, window, options);                                                       \
  }
POOL(MaxPool, , "max_pool", 0)
POOL(MaxPool, 1D, "max_pool1d", 1)
POOL(MaxPool, 2D, "max_pool2d", 2)
POOL(MaxPool, 3D, "max_pool3d", 3)
POOL(AvgPool, , "avg_pool", 0)
POOL(AvgPool, 1D, "avg_pool1d", 1)
POOL(AvgPool, 2D, "avg_pool2d", 2)
POOL(AvgPool, 3D, "avg_pool3d", 3)
#undef POOL

Tensor GlobalMaxPool(const Operand& x, DataFormat format, ReduceOptions options) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return ReduceMax(t, SpatialAxes("global_max_pool", t, format), options);
}
Tensor GlobalAvgPool(const Operand& x, DataFormat format, ReduceOptions options) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  return ReduceMean(t, SpatialAxes("global_avg_pool", t, format), options);
}

Tensor Windows(const Operand& x, const std::vector<int64_t>& axes, const std::vector<int64_t>& sizes,
               const WindowOptions& options) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  const auto n = axes.size();
  const Ints ones(n, 1);
  Ints along, low(static_cast<size_t>(t.rank()), 0), high = low;
  for (size_t i = 0; i < n; ++i) {
    along.push_back(internal::NormalizeAxis("windows", axes[i], t.rank()));
    if (i < options.low.size()) low[static_cast<size_t>(along[i])] = options.low[i];
    if (i < options.high.size()) high[static_cast<size_t>(along[i])] = options.high[i];
  }
  return WindowsOf(PadWith(t, low, high, internal::ScalarOf(t.dtype(), 0)), along, sizes,
                   options.strides.empty() ? ones : options.strides,
                   options.dilations.empty() ? ones : options.dilations);
}

Tensor Unfold(const Operand& x, int64_t axis, int64_t size, int64_t step) {
  return Windows(x, {axis}, {size}, {.strides = {step}});
}

Tensor ReduceWindow(const Operand& x, WindowReduction reduction, const std::vector<int64_t>& sizes,
                    const WindowOptions& options) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  const auto rank = static_cast<size_t>(t.rank());
  const auto per_axis = [&](const char* what, const Ints& list, int64_t otherwise) {
    if (list.empty()) return Ints(rank, otherwise);
    if (list.size() == rank) return list;
    ThrowInvalid(StrCat("reduce_window: ", what, " has ", list.size(), " entries for ", t.type().ToString(),
                        "; give one per axis"));
  };
  const Ints extents = per_axis("sizes", sizes, 1), strides = per_axis("strides", options.strides, 1),
             dilations = per_axis("dilations", options.dilations, 1), low = per_axis("low", options.low, 0),
             high = per_axis("high", options.high, 0);
  // Axes whose windows are their elements are left out: they would only raise the rank.
  Ints along, s, d, k;
  for (size_t i = 0; i < rank; ++i) {
    if (extents[i] == 1 && strides[i] == 1 && dilations[i] == 1) continue;
    along.push_back(static_cast<int64_t>(i));
    k.push_back(extents[i]);
    s.push_back(strides[i]);
    d.push_back(dilations[i]);
  }
  const Tensor padded = PadWith(t, low, high, Neutral(reduction, t.dtype()));
  if (along.empty()) return Identity(padded);
  return ReduceLast(WindowsOf(padded, along, k, s, d), reduction, static_cast<int>(along.size()));
}

Tensor ExtractPatches(const Operand& x, const std::vector<int64_t>& window, const PoolOptions& options) {
  const LocationScope scope(x);
  PoolOptions dense = options;
  if (dense.strides.empty()) dense.strides = {1};
  const Pooling p = Prepare("extract_patches", x, 0, window, dense);
  const Tensor windows = p.Windows(internal::ScalarOf(p.x.dtype(), 0));  // [n, windows..., c, size...]
  const int s = p.spatial();
  Ints order;
  Shape shape;
  for (int i = 0; i <= s; ++i) order.push_back(i), shape.push_back(windows.shape()[i]);
  int64_t row = windows.shape().dim(s + 1);
  for (int i = 0; i < s; ++i) order.push_back(s + 2 + i), row *= windows.shape().dim(s + 2 + i);
  order.push_back(s + 1);
  shape.push_back(row);
  return Reshape(Transpose(windows, order), shape);
}

}  // namespace reel
