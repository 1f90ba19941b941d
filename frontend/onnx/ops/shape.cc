#include <algorithm>
#include <cmath>

#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "frontend/ops/extremes.h"
#include "frontend/values/promotion.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"
#include "reel/shapes.h"

namespace reel::onnx {
namespace {

constexpr int64_t kEnd = INT64_MAX;

Tensors ImportReshape(const NodeContext& c) {
  const Tensor x = c.In(0);
  std::vector<int64_t> dims = c.KnownInts(1);
  const bool zero_is_zero = c.Int("allowzero", 0) != 0;
  for (size_t i = 0; i < dims.size(); ++i) {
    if (dims[i] != 0 || zero_is_zero) continue;
    if (i >= static_cast<size_t>(x.rank()))
      Wrong(StrCat("extent ", i, " is 0, to be copied, but ", x.type().ToString(), " has none"));
    dims[i] = x.shape().dim(static_cast<int>(i));
  }
  return {Reshape(x, dims)};
}

Tensors ImportTranspose(const NodeContext& c) { return {Transpose(c.In(0), c.Ints("perm"))}; }

Tensors ImportFlatten(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int64_t axis = c.Int("axis", 1);
  const int at = static_cast<int>(axis == x.rank() ? axis : NormalAxis(axis, x.rank()));
  return {Reshape(x, {Product(Dims(x.shape(), 0, at)), Product(Dims(x.shape(), at, x.rank()))})};
}

Tensors ImportSqueeze(const NodeContext& c) {
  const auto axes = c.IntsSince(13, "axes", 1);
  return {axes ? Squeeze(c.In(0), *axes) : Squeeze(c.In(0))};
}

Tensors ImportUnsqueeze(const NodeContext& c) {
  const Tensor x = c.In(0);
  const auto axes = c.IntsSince(13, "axes", 1);
  if (!axes) Wrong("axes are missing");
  const int rank = x.rank() + static_cast<int>(axes->size());
  if (rank > kMaxRank) Refuse(StrCat("rank ", rank, " is above ", kMaxRank));
  std::vector<bool> added(static_cast<size_t>(rank));
  for (const int64_t axis : *axes) added[static_cast<size_t>(NormalAxis(axis, rank))] = true;
  if (std::count(added.begin(), added.end(), true) != static_cast<int64_t>(axes->size()))
    Wrong("an axis is named twice");
  std::vector<int64_t> dims;
  int next = 0;
  for (const bool one : added) dims.push_back(one ? 1 : x.shape().dim(next++));
  return {Reshape(x, dims)};
}

Tensors ImportConcat(const NodeContext& c) { return {Concat(c.AllIn(), AxisOf(c, "axis", 1, c.In(0).rank()))}; }

// Lengths are an attribute before opset 13, then an input; without them, equal parts, the last
// one smaller if they do not divide the axis.
Tensors ImportSplit(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int64_t axis = AxisOf(c, "axis", 0, x.rank());
  const int64_t extent = x.shape().dim(static_cast<int>(axis));
  const auto count = static_cast<int64_t>(c.num_outputs());
  auto sizes = c.IntsSince(13, "split", 1);
  if (c.HasAttribute("num_outputs") && c.Int("num_outputs") != count)
    Wrong(StrCat("num_outputs is ", c.Int("num_outputs"), ", the node has ", count));
  if (!sizes) {
    if (count == 0) Wrong("it has no outputs");
    const int64_t part = (extent + count - 1) / count;
    sizes.emplace();
    for (int64_t i = 0; i < count; ++i) sizes->push_back(std::clamp<int64_t>(extent - i * part, 0, part));
  }
  return Split(x, *sizes, axis);
}

// start, start + step, ... before end along one axis, by ONNX's rules of clamping.
Tensor SliceAxis(const Tensor& x, int64_t axis, int64_t start, int64_t end, int64_t step) {
  const int64_t n = x.shape().dim(static_cast<int>(axis));
  if (step == 0) Wrong("a step is 0");
  if (start < 0) start = std::max<int64_t>(start, -n - 1) + n;
  if (end < 0) end = std::max<int64_t>(end, -n - 1) + n;
  if (step > 0) {
    std::vector<int64_t> starts(static_cast<size_t>(x.rank()), 0), limits = x.shape().dims();
    std::vector<int64_t> strides(starts.size(), 1);
    const auto a = static_cast<size_t>(axis);
    starts[a] = std::clamp<int64_t>(start, 0, n);
    limits[a] = std::clamp<int64_t>(end, starts[a], std::max(starts[a], n));
    strides[a] = std::clamp<int64_t>(step, 1, std::max<int64_t>(n, 1));
    return Slice(x, starts, limits, strides);
  }
  start = std::min(start, n - 1);
  end = std::max<int64_t>(end, -1);
  step = std::max(step, -std::max<int64_t>(n, 1));
  return Strided(x, axis, start, start > end ? (start - end - step - 1) / -step : 0, step);
}

Tensors ImportSlice(const NodeContext& c) {
  Tensor x = c.In(0);
  const auto starts = c.IntsSince(10, "starts", 1), ends = c.IntsSince(10, "ends", 2);
  const auto axes = c.IntsSince(10, "axes", 3), steps = c.IntsSince(10, "steps", 4);
  if (!starts || !ends || starts->size() != ends->size() || (axes && axes->size() != starts->size()) ||
      (steps && steps->size() != starts->size())) {
    Wrong("starts, ends, axes and steps must have one length");
  }
  for (size_t i = 0; i < starts->size(); ++i) {
    const int64_t axis = NormalAxis(axes ? (*axes)[i] : static_cast<int64_t>(i), x.rank());
    x = SliceAxis(x, axis, (*starts)[i], (*ends)[i], steps ? (*steps)[i] : 1);
  }
  return {x};
}

// Broadcasts both ways: an extent of the shape may be 1 where x has more.
Tensors ImportExpand(const NodeContext& c) {
  const Tensor x = c.In(0);
  const Shape shape = ShapeOf(c.KnownInts(1));
  return {BroadcastTo(x, internal::BroadcastShapes(ir::Op::kBroadcast, x.shape(), shape))};
}

Tensors ImportTile(const NodeContext& c) {
  const Tensor x = c.In(0);
  const std::vector<int64_t> repeats = c.KnownInts(1);
  if (static_cast<int>(repeats.size()) != x.rank()) Wrong(StrCat(repeats.size(), " repeats for ", x.type().ToString()));
  return {Tile(x, repeats)};
}

constexpr int64_t kLargestPad = int64_t{1} << 40;

// Negative pads cut.
Tensor Cut(const Tensor& x, std::vector<int64_t>* low, std::vector<int64_t>* high) {
  std::vector<int64_t> starts, limits;
  for (size_t i = 0; i < low->size(); ++i) {
    const int64_t n = x.shape().dim(static_cast<int>(i));
    starts.push_back(std::max<int64_t>(-(*low)[i], 0));
    limits.push_back(n + std::min<int64_t>((*high)[i], 0));
    if (starts.back() > limits.back())
      Wrong(StrCat("axis ", i, " of ", x.type().ToString(), " is cut to less than nothing"));
    (*low)[i] = std::max<int64_t>((*low)[i], 0);
    (*high)[i] = std::max<int64_t>((*high)[i], 0);
  }
  return Slice(x, starts, limits);
}

Tensors ImportPad(const NodeContext& c) {
  Tensor x = c.In(0);
  const std::string mode = c.String("mode", "constant");
  const auto pads = c.IntsSince(11, "pads", 1);
  const auto axes = c.Has(3) ? std::optional(c.KnownInts(3)) : std::nullopt;
  const auto rank = static_cast<size_t>(x.rank());
  const size_t count = axes ? axes->size() : rank;
  if (!pads || pads->size() != 2 * count) Wrong(StrCat("pads must be two numbers an axis"));
  for (const int64_t pad : *pads) {
    if (pad < -kLargestPad || pad > kLargestPad) Wrong(StrCat("a pad of ", pad));
  }
  std::vector<int64_t> low(rank, 0), high(rank, 0);
  for (size_t i = 0; i < count; ++i) {
    const auto axis = static_cast<size_t>(axes ? NormalAxis((*axes)[i], x.rank()) : static_cast<int64_t>(i));
    low[axis] = (*pads)[i];
    high[axis] = (*pads)[count + i];
  }
  x = Cut(x, &low, &high);
  if (mode == "constant") {
    const Tensor value = c.opset() >= 11 ? c.In(2, ScalarLike(x, 0)) : ScalarLike(x, c.Float("value", 0));
    return {internal::PadWithScalar(x, Reshape(value, {}), low, high)};
  }
  for (size_t i = 0; i < rank; ++i) {
    const int64_t extent = x.shape().dim(static_cast<int>(i)) + low[i] + high[i];
    if (low[i] + high[i] > 0 && extent > kLongestList)
      Wrong(StrCat("axis ", i, " of ", x.type().ToString(), " padded to ", extent, "; elements are repeated up to ",
                   kLongestList));
  }
  if (mode == "edge") return {Pad(x, low, high, PadMode::kEdge)};
  if (mode == "reflect") return {Pad(x, low, high, PadMode::kReflect)};
  if (mode == "wrap") return {Pad(x, low, high, PadMode::kWrap)};
  Refuse(StrCat("mode ", mode, "; constant, edge, reflect and wrap are supported"));
}

Tensors ImportShape(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int64_t rank = x.rank();
  const auto clamp = [&](int64_t i) { return std::clamp<int64_t>(i < 0 ? i + rank : i, 0, rank); };
  const int64_t start = clamp(c.Int("start", 0)), end = clamp(c.Int("end", kEnd));
  return {IntsTensor(Dims(x.shape(), static_cast<int>(start), static_cast<int>(std::max(start, end))))};
}

Tensors ImportSize(const NodeContext& c) { return {Tensor(c.In(0).size())}; }

Tensors ImportConstantOfShape(const NodeContext& c) {
  const Shape shape = ShapeOf(c.KnownInts(0));
  const auto value = c.Literal("value");
  if (!value) return {Zeros(shape)};
  return {BroadcastTo(Reshape(internal::FromLiteral(*value), {}), shape)};
}

Tensors ImportEyeLike(const NodeContext& c) {
  const Tensor x = c.In(0);
  if (x.rank() != 2) Wrong(StrCat("a matrix is needed, got ", x.type().ToString()));
  return {Eye(x.shape().dim(0), x.shape().dim(1), c.Int("k", 0), c.DTypeAttribute("dtype", x.dtype()))};
}

Tensors ImportTrilu(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int64_t k = c.Has(1) ? c.KnownInt(1) : 0;
  return {c.Int("upper", 1) != 0 ? Triu(x, k) : Tril(x, k)};
}

Tensors ImportRange(const NodeContext& c) {
  c.Ignore("stash_type");
  const double start = c.KnownFloat(0), limit = c.KnownFloat(1), delta = c.KnownFloat(2);
  const double count = std::ceil((limit - start) / delta);
  if (!(count <= 1e9)) Wrong(StrCat("a range of ", count, " numbers"));
  const auto n = static_cast<int64_t>(std::max(count, 0.0));
  const DType dtype = c.In(0).dtype();
  // Half precision steps in f32, and is rounded once.
  const DType wide = dtype == kFloat16 || dtype == kBFloat16 ? kFloat32 : dtype;
  return {Cast(Cast(c.Known(0), wide) + Iota({n}, 0, wide) * Cast(c.Known(2), wide), dtype)};
}

constexpr int64_t kLargestBlock = 1 << 20;

Tensors ImportDepthToSpace(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int64_t b = c.Int("blocksize");
  const std::vector<int64_t> d = x.shape().dims();
  if (d.size() != 4 || b < 1 || b > kLargestBlock || d[1] % (b * b) != 0)
    Wrong(StrCat("blocks of ", b, " in ", x.type().ToString()));
  const int64_t depth = d[1] / (b * b);
  const std::string mode = c.String("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") Refuse(StrCat("mode ", mode, "; it must be DCR or CRD"));
  const Tensor y = mode == "DCR" ? Transpose(Reshape(x, {d[0], b, b, depth, d[2], d[3]}), {0, 3, 4, 1, 5, 2})
                                 : Transpose(Reshape(x, {d[0], depth, b, b, d[2], d[3]}), {0, 1, 4, 2, 5, 3});
  return {Reshape(y, {d[0], depth, d[2] * b, d[3] * b})};
}

Tensors ImportSpaceToDepth(const NodeContext& c) {
  const Tensor x = c.In(0);
  const int64_t b = c.Int("blocksize");
  const std::vector<int64_t> d = x.shape().dims();
  if (d.size() != 4 || b < 1 || b > kLargestBlock || d[2] % b != 0 || d[3] % b != 0)
    Wrong(StrCat("blocks of ", b, " in ", x.type().ToString()));
  const std::string mode = c.String("mode", "DCR");
  if (mode != "DCR" && mode != "CRD") Refuse(StrCat("mode ", mode, "; it must be DCR or CRD"));
  const Tensor blocks = Reshape(x, {d[0], d[1], d[2] / b, b, d[3] / b, b});
  const Tensor y = Transpose(
      blocks, mode == "DCR" ? std::vector<int64_t>{0, 3, 5, 1, 2, 4} : std::vector<int64_t>{0, 1, 3, 5, 2, 4});
  return {Reshape(y, {d[0], d[1] * b * b, d[2] / b, d[3] / b})};
}

// Rows of a batch reversed up to their lengths: element i comes from length - 1 - i.
Tensors ImportReverseSequence(const NodeContext& c) {
  const Tensor x = c.In(0), lengths = Cast(c.In(1), kInt64);
  const int64_t time = c.Int("time_axis", 0), batch = c.Int("batch_axis", 1);
  if (x.rank() < 2 || (time != 0 && time != 1) || batch != 1 - time) Wrong("time_axis and batch_axis must be 0 and 1");
  const Tensor i = Iota(x.shape(), time), length = Along(lengths, batch, x.rank());
  return {TakeAlong(x, Where(i < length, length - 1 - i, i), time)};
}

// Cut or padded with zeros around the middle; what is odd goes to the end.
Tensors ImportCenterCropPad(const NodeContext& c) {
  const Tensor x = c.In(0);
  const std::vector<int64_t> sizes = c.KnownInts(1);
  std::vector<int64_t> axes = c.Ints("axes");
  if (!c.HasAttribute("axes")) {
    for (int64_t i = 0; i < x.rank(); ++i) axes.push_back(i);
  }
  if (axes.size() != sizes.size()) Wrong(StrCat(sizes.size(), " extents for ", axes.size(), " axes"));
  std::vector<int64_t> low(static_cast<size_t>(x.rank()), 0), high = low;
  for (size_t i = 0; i < axes.size(); ++i) {
    const int64_t axis = NormalAxis(axes[i], x.rank()), more = sizes[i] - x.shape().dim(static_cast<int>(axis));
    if (sizes[i] < 0 || sizes[i] > kLargestPad) Wrong(StrCat("an extent of ", sizes[i]));
    const auto a = static_cast<size_t>(axis);
    low[a] = more / 2;  // toward zero, so a cut begins at the lower half
    high[a] = more - low[a];
  }
  const Tensor cut = Cut(x, &low, &high);
  return {Pad(cut, low, high)};
}

constexpr OpRow kRows[] = {
    {"CenterCropPad", 18, ImportCenterCropPad},
    {"Concat", 4, ImportConcat},
    {"ConstantOfShape", 9, ImportConstantOfShape},
    {"DepthToSpace", 1, ImportDepthToSpace},
    {"Expand", 8, ImportExpand},
    {"EyeLike", 9, ImportEyeLike},
    {"Flatten", 1, ImportFlatten},
    {"Pad", 2, ImportPad},
    {"Range", 11, ImportRange},
    {"Reshape", 5, ImportReshape},
    {"ReverseSequence", 10, ImportReverseSequence},
    {"Shape", 1, ImportShape},
    {"Size", 1, ImportSize},
    {"Slice", 1, ImportSlice},
    {"SpaceToDepth", 1, ImportSpaceToDepth},
    {"Split", 2, ImportSplit},
    {"Squeeze", 1, ImportSqueeze},
    {"Tile", 6, ImportTile},
    {"Transpose", 1, ImportTranspose},
    {"Trilu", 14, ImportTrilu},
    {"Unsqueeze", 1, ImportUnsqueeze},
};

}  // namespace

absl::Span<const OpRow> ShapeOps() { return kRows; }

}  // namespace reel::onnx
