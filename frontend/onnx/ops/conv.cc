#include "frontend/onnx/ops/conv.h"

#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "frontend/ops/extremes.h"
#include "ir/names.h"
#include "ir/strings.h"
#include "reel/functions.h"
#include "reel/indexing.h"

// Convolution and pooling: ONNX has channels first, pads as all beginnings, then all ends.

namespace reel::onnx {
namespace {

// Larger strides, dilations, pads and sizes are wrong.
constexpr int64_t kLargest = int64_t{1} << 30;

struct Spatial {
  std::vector<int64_t> strides, dilation, low, high;
  Padding padding = kExplicit;
};

void CheckRange(const char* what, const std::vector<int64_t>& values, int64_t least) {
  for (const int64_t value : values) {
    if (value < least || value > kLargest) Wrong(StrCat(value, " among the ", what));
  }
}

// (n - 1) step + reach: what n things cover that reach so far, `step` apart.
int64_t Covered(int64_t n, int64_t step, int64_t reach) {
  int64_t out = 0;
  if (__builtin_mul_overflow(n - 1, step, &out) || out > (int64_t{1} << 60))
    Wrong(StrCat(n, " elements, ", step, " apart, are too many"));
  return out + reach;
}

Spatial ReadSpatial(const NodeContext& c, int spatial) {
  Spatial s;
  const auto n = static_cast<size_t>(spatial);
  s.strides = c.Ints("strides", std::vector<int64_t>(n, 1));
  s.dilation = c.Ints("dilations", std::vector<int64_t>(n, 1));
  const std::vector<int64_t> pads = c.Ints("pads", std::vector<int64_t>(2 * n, 0));
  if (s.strides.size() != n || s.dilation.size() != n || pads.size() != 2 * n)
    Wrong(StrCat("strides, dilations and pads must be for ", spatial, " axes"));
  CheckRange("strides", s.strides, 1);
  CheckRange("dilations", s.dilation, 1);
  CheckRange("pads", pads, -kLargest);
  s.low.assign(pads.begin(), pads.begin() + spatial);
  s.high.assign(pads.begin() + spatial, pads.end());
  const std::string automatic = c.String("auto_pad", "NOTSET");
  if (automatic == "NOTSET") return s;
  s.padding = automatic == "VALID"        ? kValid
              : automatic == "SAME_UPPER" ? kSame
              : automatic == "SAME_LOWER" ? kSameLower
                                          : kExplicit;
  if (s.padding == kExplicit) {
    Wrong(StrCat("auto_pad ", ir::Quoted(automatic), " must be NOTSET, VALID, SAME_UPPER or SAME_LOWER"));
  }
  s.low.clear();
  s.high.clear();
  return s;
}

int SpatialRank(const Tensor& x) {
  if (x.rank() < 3) Wrong(StrCat("batch, channels and space are needed, got ", x.type().ToString()));
  return x.rank() - 2;
}

Tensor WithBias(const NodeContext& c, const Tensor& y, size_t i) {
  return c.Has(i) ? y + Along(c.In(i), 1, y.rank()) : y;
}

Tensors ImportConv(const NodeContext& c) {
  const Tensor x = c.In(0);
  return {WithBias(c, Conv(x, c.In(1), ReadConv(c, x)), 2)};
}

// With a given output, the pads follow from it; what is left over goes to the end or, for
// SAME_UPPER, the smaller half to the beginning.
Tensors ImportConvTranspose(const NodeContext& c) {
  const Tensor x = c.In(0), w = c.In(1);
  const int n = SpatialRank(x);
  Spatial s = ReadSpatial(c, n);
  const std::string automatic = c.String("auto_pad", "NOTSET");
  c.Ignore("kernel_shape");
  std::vector<int64_t> size = c.Ints("output_shape");
  std::vector<int64_t> more = c.Ints("output_padding", std::vector<int64_t>(static_cast<size_t>(n), 0));
  const auto fits = [&](const auto& list) { return list.size() == static_cast<size_t>(n); };
  if (w.rank() != x.rank() || !fits(more) || (!size.empty() && !fits(size)))
    Wrong("the filter, output_padding and output_shape must fit the input");
  CheckRange("output_padding", more, 0);
  CheckRange("output_shape", size, 0);
  if (size.empty() && s.padding != kExplicit && s.padding != kValid) {
    for (int i = 0; i < n; ++i)
      size.push_back(
          Covered(x.shape().dim(i + 2), s.strides[static_cast<size_t>(i)], s.strides[static_cast<size_t>(i)]));
  }
  if (s.padding == kValid || !size.empty()) {
    s.low.assign(static_cast<size_t>(n), 0);
    s.high = s.low;
  }
  for (size_t i = 0; i < size.size(); ++i) {
    const int axis = static_cast<int>(i) + 2;
    const int64_t kernel = Covered(w.shape().dim(axis), s.dilation[i], 1);
    const int64_t all = Covered(x.shape().dim(axis), s.strides[i], more[i] + kernel) - size[i];
    if (all < 0) {
      more[i] -= all;
    } else {
      s.low[i] = automatic == "SAME_UPPER" ? all / 2 : all - all / 2;
      s.high[i] = all - s.low[i];
    }
  }
  return {WithBias(c,
                   ConvTranspose(x, w,
                                 {.strides = s.strides,
                                  .padding = kExplicit,
                                  .low = s.low,
                                  .high = s.high,
                                  .dilation = s.dilation,
                                  .output_padding = more,
                                  .groups = c.Int("group", 1),
                                  .format = kChannelsFirst}),
                   2)};
}

std::vector<int64_t> WindowOf(const NodeContext& c, int spatial) {
  const std::vector<int64_t> window = c.Ints("kernel_shape");
  if (static_cast<int>(window.size()) != spatial) Wrong(StrCat("kernel_shape must be for ", spatial, " axes"));
  CheckRange("kernel_shape", window, 1);
  return window;
}

PoolOptions ReadPool(const NodeContext& c, int spatial) {
  const Spatial s = ReadSpatial(c, spatial);
  return {.strides = s.strides,
          .padding = s.padding,
          .low = s.low,
          .high = s.high,
          .dilation = s.dilation,
          .ceil_mode = c.Int("ceil_mode", 0) != 0,
          .format = kChannelsFirst};
}

Tensors ImportAveragePool(const NodeContext& c) {
  const Tensor x = c.In(0);
  PoolOptions options = ReadPool(c, SpatialRank(x));
  options.count_include_pad = c.Int("count_include_pad", 0) != 0;
  return {AvgPool(x, WindowOf(c, SpatialRank(x)), options)};
}

// Padding of each spatial axis as numbers, for windows that auto_pad or ceil_mode place.
void Resolve(const Tensor& x, const std::vector<int64_t>& window, const std::string& automatic, bool ceil, Spatial* s) {
  if (s->padding != kExplicit) {
    s->low.assign(window.size(), 0);
    s->high = s->low;
  }
  for (size_t i = 0; i < window.size(); ++i) {
    const int64_t extent = x.shape().dim(static_cast<int>(i) + 2), step = s->strides[i];
    const int64_t reach = Covered(window[i], s->dilation[i], 1);
    if (s->padding == kSame || s->padding == kSameLower) {
      const int64_t all = std::max<int64_t>(Covered((extent + step - 1) / step, step, reach) - extent, 0);
      s->low[i] = automatic == "SAME_UPPER" ? all / 2 : all - all / 2;
      s->high[i] = all - s->low[i];
    } else if (ceil && extent + s->low[i] + s->high[i] >= reach) {
      // A last window that begins inside may end beyond the padding.
      const int64_t padded = extent + s->low[i] + s->high[i];
      int64_t count = (padded - reach + step - 1) / step + 1;
      if ((count - 1) * step >= extent + s->low[i]) --count;
      s->high[i] += std::max<int64_t>(Covered(count, step, reach) - padded, 0);
    }
  }
  s->padding = kExplicit;
}

// x to the power p, of numbers that are not negative.
Tensor Power(const Tensor& x, double p) {
  if (p == 1) return x;
  return p == 2 ? Square(x) : p == 0.5 ? Sqrt(x) : Pow(x, ScalarLike(x, p));
}

int64_t ReadNorm(const NodeContext& c) {
  const int64_t p = c.Int("p", 2);
  if (p < 1) Wrong(StrCat("p = ", p, "; it must be positive"));
  return p;
}

// The p-norm of every window.
Tensors ImportLpPool(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int n = SpatialRank(x);
  const auto p = static_cast<double>(ReadNorm(c));
  Spatial s = ReadSpatial(c, n);
  const std::vector<int64_t> window = WindowOf(c, n);
  Resolve(x, window, c.String("auto_pad", "NOTSET"), c.Int("ceil_mode", 0) != 0, &s);
  const auto all = [](std::vector<int64_t> list, int64_t first) {
    list.insert(list.begin(), 2, first);
    return list;
  };
  const Tensor sum = ReduceWindow(
      Power(Abs(x), p), WindowReduction::kSum, all(window, 1),
      {.strides = all(s.strides, 1), .dilations = all(s.dilation, 1), .low = all(s.low, 0), .high = all(s.high, 0)});
  return {Power(sum, 1 / p)};
}

Tensors ImportGlobalLpPool(const NodeContext& c) {
  const Tensor x = c.In(0);
  const auto p = static_cast<double>(ReadNorm(c));
  std::vector<int64_t> axes;
  for (int i = 2; i < SpatialRank(x) + 2; ++i) axes.push_back(i);
  return {Power(ReduceSum(Power(Abs(x), p), axes, {.keepdims = true}), 1 / p)};
}

// The sum of blocks at their places, the reverse of taking them out: x [n, c * block, blocks] to
// [n, c, image...]. Positions are those of the padded image.
Tensors ImportCol2Im(const NodeContext& c) {
  const Tensor x = c.In(0);
  const std::vector<int64_t> image = c.KnownInts(1), block = c.KnownInts(2);
  const auto n = image.size();
  if (x.rank() != 3 || n == 0 || block.size() != n) Wrong("blocks [n, c * block, blocks] of an image are needed");
  CheckRange("extents of the image", image, 1);
  CheckRange("extents of the block", block, 1);
  const Spatial s = ReadSpatial(c, static_cast<int>(n));
  CheckRange("pads", s.low, 0);
  CheckRange("pads", s.high, 0);
  std::vector<int64_t> padded, places;
  for (size_t i = 0; i < n; ++i) {
    padded.push_back(image[i] + s.low[i] + s.high[i]);
    places.push_back((padded[i] - Covered(block[i], s.dilation[i], 1)) / s.strides[i] + 1);
    if (places.back() < 1) Wrong("the block is larger than the image");
  }
  const int64_t channels = x.shape().dim(1) / Product(block);
  if (channels * Product(block) != x.shape().dim(1) || Product(places) != x.shape().dim(2))
    Wrong(StrCat(x.type().ToString(), " is not of ", Product(places), " blocks of ", Product(block), " elements"));
  std::vector<int64_t> grid = block;
  grid.insert(grid.end(), places.begin(), places.end());
  const Shape shape = ShapeOf(grid);
  Tensor position = Zeros(shape, kInt64);
  for (size_t i = 0; i < n; ++i) {
    const auto axis = static_cast<int64_t>(i);
    position = position * padded[i] + Iota(shape, axis) * s.dilation[i] +
               Iota(shape, axis + static_cast<int64_t>(n)) * s.strides[i];
  }
  const int64_t batch = x.shape().dim(0);
  const Tensor empty = Zeros(ShapeOf({batch, channels, Product(padded)}), x.dtype());
  const Tensor sum = ScatterAdd(empty, Reshape(position, {-1}), Reshape(x, {batch, channels, shape.size()}), 2);
  std::vector<int64_t> dims = {batch, channels}, starts = {0, 0}, limits = {batch, channels};
  for (size_t i = 0; i < n; ++i) {
    dims.push_back(padded[i]);
    starts.push_back(s.low[i]);
    limits.push_back(s.low[i] + image[i]);
  }
  return {Slice(Reshape(sum, dims), starts, limits)};
}

// Positions of the maxima in the whole input: pooled are the positions of the elements that attain
// the maximum of their window, the first of them in row-major order.
Tensor MaxPositions(const Tensor& x, const std::vector<int64_t>& window, const PoolOptions& options,
                    bool column_major) {
  const int n = x.rank() - 2;
  std::vector<int64_t> strides(static_cast<size_t>(n)), axes, low(options.low), high(options.high), starts;
  int64_t stride = 1;
  for (int i = 0; i < n; ++i) {
    const int axis = column_major ? i : n - 1 - i;
    strides[static_cast<size_t>(axis)] = stride;
    stride *= x.shape().dim(axis + 2);
    axes.push_back(i + 2);
  }
  std::vector<int64_t> before = {0, 0}, after = {0, 0};
  before.insert(before.end(), low.begin(), low.end());
  after.insert(after.end(), high.begin(), high.end());
  const Tensor padded = internal::PadWithScalar(x, internal::LimitOf(x.dtype(), false), before, after);
  const Tensor windows = Windows(padded, axes, window, {.strides = options.strides, .dilations = options.dilation});
  std::vector<int64_t> dims = Dims(windows.shape(), 0, x.rank());
  dims.push_back(-1);
  Tensor element = ArgMax(Reshape(windows, dims), -1);
  Tensor position = (Iota(element.shape(), 0) * x.shape().dim(1) + Iota(element.shape(), 1)) * stride;
  for (int i = n; i-- > 0;) {
    const auto a = static_cast<size_t>(i);
    const Tensor inside = element - element / window[a] * window[a];
    element = element / window[a];
    position = position +
               (Iota(element.shape(), i + 2) * options.strides[a] + inside * options.dilation[a] - low[a]) * strides[a];
  }
  return position;
}

Tensors ImportMaxPool(const NodeContext& c) {
  const Tensor x = c.In(0);
  const std::vector<int64_t> window = WindowOf(c, SpatialRank(x));
  const PoolOptions options = ReadPool(c, SpatialRank(x));
  const bool column_major = c.Int("storage_order", 0) != 0;
  Tensors out = {MaxPool(x, window, options)};
  if (!c.Wants(1)) return out;
  if (options.padding != kExplicit || options.ceil_mode) Refuse("the indices of these windows");
  out.push_back(MaxPositions(x, window, options, column_major));
  return out;
}

// Elements put back where MaxPool found them, in what its attributes imply; a given shape may add
// zeros at the ends.
Tensors ImportMaxUnpool(const NodeContext& c) {
  const Tensor x = c.In(0), indices = c.In(1);
  const int n = SpatialRank(x);
  const Spatial s = ReadSpatial(c, n);
  const std::vector<int64_t> window = WindowOf(c, n);
  if (s.padding != kExplicit) Refuse("auto_pad");
  std::vector<int64_t> dims = Dims(x.shape(), 0, 2);
  for (int i = 0; i < n; ++i) {
    const auto a = static_cast<size_t>(i);
    dims.push_back(Covered(x.shape().dim(i + 2), s.strides[a], window[a] - s.low[a] - s.high[a]));
    if (dims.back() < 0) Wrong("the pads are larger than the windows");
  }
  const Tensor empty = Zeros({Product(dims)}, x.dtype());
  const Tensor flat = ScatterSet(empty, Reshape(indices, {-1}), Reshape(x, {-1}));
  const Tensor y = Reshape(flat, dims);
  if (!c.Has(2)) return {y};
  std::vector<int64_t> more = c.KnownInts(2);
  if (more.size() != dims.size()) Wrong(StrCat("an output of rank ", more.size()));
  for (size_t i = 0; i < more.size(); ++i) {
    more[i] -= dims[i];
    if (more[i] < 0) Refuse("an output smaller than what was pooled");
  }
  return {Pad(y, std::vector<int64_t>(more.size(), 0), more)};
}

template <Tensor (*kPool)(const Operand&, DataFormat, ReduceOptions)>
Tensors ImportGlobalPool(const NodeContext& c) {
  return {kPool(c.In(0), kChannelsFirst, {.keepdims = true})};
}

// x / (bias + alpha / size * sum of squares over `size` neighbouring channels) ^ beta
Tensors ImportLrn(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int64_t size = c.Int("size");
  if (x.rank() < 2 || size < 1) Wrong(StrCat(size, " channels of ", x.type().ToString()));
  std::vector<int64_t> sizes(static_cast<size_t>(x.rank()), 1), low(sizes.size(), 0), high(low);
  sizes[1] = size;
  low[1] = (size - 1) / 2;
  high[1] = size / 2;
  const Tensor sum = ReduceWindow(Square(x), WindowReduction::kSum, sizes, {.low = low, .high = high});
  const double alpha = c.Float("alpha", 1e-4f) / static_cast<double>(size);
  return {x / Pow(sum * alpha + c.Float("bias", 1), c.Float("beta", 0.75))};
}

constexpr OpRow kRows[] = {
    {"AveragePool", 1, ImportAveragePool},
    {"Col2Im", 18, ImportCol2Im},
    {"Conv", 1, ImportConv},
    {"ConvTranspose", 1, ImportConvTranspose},
    {"GlobalAveragePool", 1, ImportGlobalPool<GlobalAvgPool>},
    {"GlobalLpPool", 2, ImportGlobalLpPool},
    {"GlobalMaxPool", 1, ImportGlobalPool<GlobalMaxPool>},
    {"LRN", 1, ImportLrn},
    {"LpPool", 2, ImportLpPool},
    {"MaxPool", 1, ImportMaxPool},
    {"MaxUnpool", 9, ImportMaxUnpool},
};

}  // namespace

ConvOptions ReadConv(const NodeContext& c, const Tensor& x) {
  const Spatial s = ReadSpatial(c, SpatialRank(x));
  c.Ignore("kernel_shape");
  return {s.strides, s.padding, s.low, s.high, s.dilation, c.Int("group", 1), kChannelsFirst};
}

absl::Span<const OpRow> ConvOps() { return kRows; }

}  // namespace reel::onnx
