#include "reel/attention.h"

#include <cmath>

#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "ir/strings.h"
#include "reel/activations.h"
#include "reel/conv.h"
#include "reel/functions.h"
#include "reel/indexing.h"
#include "reel/loops.h"
#include "reel/shapes.h"

// What language models are made of: attention with its cache, rotary positions, linear attention.

namespace reel::onnx {
namespace {

// [batch, length, heads * size] as [batch, heads, length, size].
Tensor Heads(const Tensor& x, int64_t heads) {
  if (x.rank() != 3 || heads < 1 || x.shape().dim(2) % heads != 0)
    Wrong(StrCat(heads, " heads of ", x.type().ToString(), "; [batch, length, heads * size] is needed"));
  const int64_t size = x.shape().dim(2) / heads;
  return Transpose(Reshape(x, {x.shape().dim(0), x.shape().dim(1), heads, size}), {0, 2, 1, 3});
}

// The reverse.
Tensor Packed(const Tensor& x) {
  const Tensor y = Transpose(x, {0, 2, 1, 3});
  return Reshape(y, {y.shape().dim(0), y.shape().dim(1), y.shape().dim(2) * y.shape().dim(3)});
}

struct Scores {
  Tensor q, k, v;  // [batch, heads, length, size]
  int64_t past = 0;
  int64_t queries() const { return q.shape().dim(2); }
  int64_t keys() const { return k.shape().dim(2); }
};

// Which keys a query may attend to by their positions; null: all. Positions of queries begin behind
// the cached keys or, if the cache is the keys themselves, behind those that count.
Tensor AllowedKeys(const NodeContext& c, const Scores& s) {
  const bool causal = c.Int("is_causal", 0) != 0;
  const int64_t left = c.Int("left_window_size", -1), right = c.Int("right_window_size", -1);
  const Tensor lengths = c.Has(6) ? Reshape(Cast(c.In(6), kInt64), {-1, 1, 1, 1}) : Tensor();
  const Shape grid = ShapeOf({s.queries(), s.keys()});
  const Tensor key = Iota(grid, 1);
  Tensor allowed;
  const auto require = [&](const Tensor& more) { allowed = allowed.defined() ? LogicalAnd(allowed, more) : more; };
  const Tensor query = Iota(grid, 0) + (lengths.defined() ? lengths - s.queries() : Tensor(s.past));
  if (causal) require(key <= query);
  if (left >= 0) require(query - key <= left);
  if (right >= 0) require(key - query <= right);
  if (lengths.defined()) require(key < lengths);
  return allowed;
}

// The mask that is an input, with keys that it does not have hidden, and the allowed keys: bool or,
// if the input is numbers, what is added to the scores. Null: none.
Tensor MaskOf(const NodeContext& c, const Scores& s) {
  const Tensor allowed = AllowedKeys(c, s);
  if (!c.Has(3)) return allowed;
  Tensor mask = c.In(3);
  const Tensor hidden = mask.dtype() == kBool ? Tensor(false) : ScalarLike(mask, -INFINITY);
  if (mask.rank() < 1 || mask.shape().dim(mask.rank() - 1) > s.keys()) Wrong("the mask has more keys than there are");
  const int64_t missing = mask.shape().dim(mask.rank() - 1) == 1 ? 0 : s.keys() - mask.shape().dim(mask.rank() - 1);
  if (missing > 0) {
    std::vector<int64_t> dims = mask.shape().dims();
    dims.back() = missing;
    mask = Concat({mask, BroadcastTo(hidden, Shape(dims))}, -1);
  }
  if (!allowed.defined()) return mask;
  return mask.dtype() == kBool ? LogicalAnd(mask, allowed) : Where(allowed, mask, hidden);
}

// Written out, for what Reel's Attention does not have: a cap, scores as a result, another
// precision. A query that may attend to nothing gives zeros.
Tensors Unfused(const NodeContext& c, const Scores& s, const Tensor& mask, double scale, double cap, DType precision) {
  const int64_t mode = c.Int("qk_matmul_output_mode", 0), group = s.q.shape().dim(1) / s.k.shape().dim(1);
  const Tensor root = ScalarLike(s.q, std::sqrt(scale));
  const auto repeated = [&](const Tensor& x) { return group == 1 ? x : Repeat(x, group, 1); };
  Tensor scores = MatMul(s.q * root, Transpose(repeated(s.k), {0, 1, 3, 2}) * root);
  Tensor shown = scores;
  if (cap > 0) scores = Tanh(scores / ScalarLike(scores, cap)) * ScalarLike(scores, cap);
  if (mode == 1) shown = scores;
  const Tensor lowest = ScalarLike(scores, -INFINITY);
  if (mask.defined()) scores = mask.dtype() == kBool ? Where(mask, scores, lowest) : scores + mask;
  if (mode == 2) shown = scores;
  Tensor p = Softmax(Cast(scores, precision), -1);
  if (mask.defined()) {
    const Tensor open = mask.dtype() == kBool ? mask : mask != lowest;
    p = Where(ReduceAny(open, -1, {.keepdims = true}), p, ScalarLike(p, 0));
  }
  p = Cast(p, s.q.dtype());
  if (mode == 3) shown = p;
  return {MatMul(p, repeated(s.v)), shown};
}

// Inputs: query, key, value, mask, cached keys and values, numbers of keys that count. Results: y,
// all keys and values, the scores.
Tensors ImportAttention(const NodeContext& c) {
  Scores s{c.In(0), c.In(1), c.In(2)};
  const bool packed = s.q.rank() == 3;
  const int64_t heads = c.Int("q_num_heads", 0), key_heads = c.Int("kv_num_heads", 0);
  if (packed) s = {Heads(s.q, heads), Heads(s.k, key_heads), Heads(s.v, key_heads)};
  if (s.q.rank() != 4 || s.k.rank() != 4 || s.v.rank() != 4 || s.k.shape().dim(1) < 1 ||
      s.q.shape().dim(1) % s.k.shape().dim(1) != 0)
    Wrong(StrCat("query ", s.q.type().ToString(), " and key ", s.k.type().ToString()));
  if (c.Has(4) != c.Has(5)) Wrong("cached keys and values must be given together");
  if (c.Has(4)) {
    s.past = c.In(4).rank() == 4 ? c.In(4).shape().dim(2) : 0;
    s.k = Concat({c.In(4), s.k}, 2);
    s.v = Concat({c.In(5), s.v}, 2);
  }
  const double scale =
      c.HasAttribute("scale") ? c.Float("scale", 0) : 1 / std::sqrt(static_cast<double>(s.q.shape().dim(3)));
  const double cap = c.Float("softcap", 0);
  const DType precision = c.DTypeAttribute("softmax_precision", s.q.dtype());
  const Tensor mask = MaskOf(c, s);
  Tensors out;
  if (c.Wants(3) || cap > 0 || scale <= 0 || precision != s.q.dtype() || SizeOf(s.q.dtype()) < 4) {
    out = Unfused(c, s, mask, scale, cap, precision);
  } else {
    c.Ignore("qk_matmul_output_mode");
    out = {Attention(s.q, s.k, s.v, {.mask = mask, .scale = scale}), Tensor()};
  }
  return {packed ? Packed(out[0]) : out[0], s.k, s.v, out[1]};
}

// Turns pairs of features by angles whose cosines and sines are [batch, length, pairs] or, with
// positions [batch, length], rows of [positions, pairs]. Features behind the pairs stay.
Tensors ImportRotaryEmbedding(const NodeContext& c) {
  const Tensor x = c.In(0);
  const bool packed = x.rank() == 3, interleaved = c.Int("interleaved", 0) != 0;
  const int64_t heads = c.Int("num_heads", 0), some = c.Int("rotary_embedding_dim", 0);
  const Tensor all = packed ? Heads(x, heads) : x;
  if (all.rank() != 4) Wrong(StrCat("[batch, heads, length, size] is needed, got ", x.type().ToString()));
  const int64_t size = all.shape().dim(3), turned = some == 0 ? size : some, pairs = turned / 2;
  if (turned < 1 || turned > size || turned % 2 != 0) Wrong(StrCat("rotary_embedding_dim ", turned, " of ", size));
  const auto angles = [&](size_t i) {
    const Tensor t = c.Has(3) ? Gather(c.In(i), c.In(3), 0) : c.In(i);
    if (t.rank() != 3 || t.shape().dim(2) != pairs) Wrong(StrCat("input ", i, " is ", t.type().ToString()));
    return ExpandDims(t, 1);  // all heads turn alike
  };
  const Tensor cosine = angles(1), sine = angles(2);
  const auto part = [&](int64_t from, int64_t count, int64_t step) { return Strided(all, 3, from, count, step); };
  const Tensor a = interleaved ? part(0, pairs, 2) : part(0, pairs, 1);
  const Tensor b = interleaved ? part(1, pairs, 2) : part(pairs, pairs, 1);
  const Tensor real = cosine * a - sine * b, imaginary = sine * a + cosine * b;
  std::vector<int64_t> dims = Dims(all.shape(), 0, 3);
  dims.push_back(turned);
  Tensor y = interleaved ? Reshape(Stack({real, imaginary}, 4), dims) : Concat({real, imaginary}, 3);
  if (turned < size) y = Concat({y, part(turned, size - turned, 1)}, 3);
  return {packed ? Packed(y) : y};
}

// A state [batch, heads, keys, values] that decays, corrects what it says of a key if the rule is
// delta, takes in key times value, and answers the query: one step a token.
Tensors ImportLinearAttention(const NodeContext& c) {
  const std::string rule = c.String("update_rule", "gated_delta");
  const int64_t heads = c.Int("q_num_heads"), key_heads = c.Int("kv_num_heads");
  const bool gated = rule == "gated" || rule == "gated_delta", delta = rule == "delta" || rule == "gated_delta";
  if (!gated && !delta && rule != "linear") Wrong(StrCat("update_rule ", rule));
  if (key_heads < 1 || heads < 1 || heads % key_heads != 0) Wrong(StrCat(heads, " heads of ", key_heads));
  if (c.Has(4) != gated || c.Has(5) != delta) Wrong(StrCat("decay and beta do not fit update_rule ", rule));
  c.Ignore("chunk_size");
  const DType dtype = c.In(0).dtype();
  const DType wide = SizeOf(dtype) < 4 ? kFloat32 : dtype;
  const auto rows = [&](size_t i, int64_t of) { return Transpose(Cast(Heads(c.In(i), of), wide), {2, 0, 1, 3}); };
  const Tensor q = rows(0, heads), k = rows(1, key_heads), v = rows(2, key_heads);  // [time, batch, heads, size]
  const int64_t batch = q.shape().dim(1), keys = k.shape().dim(3), values = v.shape().dim(3);
  const double given = c.Float("scale", 0);
  const double scale = given != 0 ? given : 1 / std::sqrt(static_cast<double>(keys));
  std::vector<Tensor> xs = {q, k, v};
  if (gated) xs.push_back(Exp(rows(4, key_heads)));  // one a head, or one a key
  if (delta) xs.push_back(rows(5, c.In(5).shape().dim(c.In(5).rank() - 1)));
  const Tensor start = c.Has(3) ? Cast(c.In(3), wide) : Zeros(ShapeOf({batch, key_heads, keys, values}), wide);
  const auto step = [&](const std::vector<Tensor>& carry, const std::vector<Tensor>& x) {
    Tensor state = carry[0];
    if (gated) state = state * ExpandDims(x[3], 3);
    Tensor value = x[2];
    if (delta) value = (value - Squeeze(MatMul(ExpandDims(x[1], 2), state), 2)) * x.back();
    state = state + ExpandDims(x[1], 3) * ExpandDims(value, 2);
    const Tensor query = Reshape(x[0], {batch, key_heads, heads / key_heads, keys});
    return ScanStep{{state}, {Reshape(MatMul(query, state) * ScalarLike(state, scale), {batch, heads, values})}};
  };
  const ScanStep run = Scan(step, {start}, xs);
  const Tensor y = Reshape(Transpose(run.ys[0], {1, 0, 2, 3}), {batch, q.shape().dim(0), heads * values});
  return {Cast(y, dtype), Cast(run.carry[0], c.Has(3) ? c.In(3).dtype() : dtype)};
}

// Each channel with its own filter over the k - 1 positions before and its own.
Tensors ImportCausalConv(const NodeContext& c) {
  const Tensor x = c.In(0), w = c.In(1);
  const std::string activation = c.String("activation", "none");
  if (activation != "none" && activation != "silu" && activation != "swish")
    Wrong(StrCat("activation ", activation, "; it must be none, silu or swish"));
  if (x.rank() != 3 || w.rank() != 3 || w.shape().dim(2) < 1)
    Wrong(StrCat("[batch, channels, length] and a filter are needed, got ", x.type().ToString(), " and ",
                 w.type().ToString()));
  const int64_t before = w.shape().dim(2) - 1, channels = x.shape().dim(1);
  const Tensor past = c.Has(3) ? c.In(3) : Zeros({x.shape().dim(0), channels, before}, x.dtype());
  const Tensor all = Concat({past, x}, 2);
  Tensor y = Conv(all, w, {.groups = channels, .format = kChannelsFirst});
  if (c.Has(2)) y = y + Along(c.In(2), 1, 3);
  if (activation != "none") y = Silu(y);
  const int64_t length = all.shape().dim(2);
  return {y, Slice(all, {0, 0, length - before}, all.shape().dims())};
}

// Rows of an update written into a cache [batch, ..., positions, ...], each example from its own
// position on.
Tensors ImportTensorScatter(const NodeContext& c) {
  const Tensor cache = c.In(0), update = c.In(1);
  const int64_t axis = AxisOf(c, "axis", -2, cache.rank());
  const std::string mode = c.String("mode", "linear");
  if (mode != "linear" && mode != "circular") Wrong(StrCat("mode ", mode, "; it must be linear or circular"));
  if (axis == 0 || update.rank() != cache.rank()) Wrong("a batch and an axis of positions are needed");
  const Tensor x = MoveAxis(cache, axis, 1), rows = MoveAxis(update, axis, 1);
  const int64_t batch = x.shape().dim(0), positions = x.shape().dim(1), count = rows.shape().dim(1);
  const Shape grid = ShapeOf({batch, count});
  Tensor at = Iota(grid, 1);
  if (c.Has(2)) at = at + Reshape(Cast(c.In(2), kInt64), {-1, 1});
  if (mode == "circular") at = Mod(at, positions);
  at = at + Iota(grid, 0) * positions;
  const std::vector<int64_t> flat = {batch * positions, positions * batch == 0 ? 0 : x.size() / (batch * positions)};
  const Tensor y = ScatterSet(Reshape(x, flat), Reshape(at, {-1}), Reshape(rows, {batch * count, flat[1]}));
  return {MoveAxis(Reshape(y, x.shape().dims()), 1, axis)};
}

constexpr OpRow kRows[] = {
    {"Attention", 23, ImportAttention},
    {"CausalConvWithState", 27, ImportCausalConv},
    {"LinearAttention", 27, ImportLinearAttention, false},
    {"RotaryEmbedding", 23, ImportRotaryEmbedding},
    {"TensorScatter", 24, ImportTensorScatter},
};

}  // namespace

absl::Span<const OpRow> AttentionOps() { return kRows; }

}  // namespace reel::onnx
