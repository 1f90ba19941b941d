#include "reel/attention.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "frontend/eager/composite.h"
#include "frontend/nn/layer_data.h"
#include "frontend/ops/common.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "ir/strings.h"
#include "reel/shapes.h"

namespace reel {

using internal::As;
using internal::CheckAtLeast;
using internal::LayerData;
using internal::LocationScope;
using internal::Materialize;
using internal::ThrowInvalid;

namespace {

int64_t FromEnd(const Tensor& x, int axis) { return x.shape().dim(x.rank() - axis); }

[[noreturn]] void AttentionError(const Tensor& q, const Tensor& k, const Tensor& v, const char* hint) {
  ThrowInvalid(StrCat("attention: query ", q.type().ToString(), ", key ", k.type().ToString(), " and value ",
                      v.type().ToString(), " do not fit; ", hint));
}

// Query heads for each head of keys and values.
int64_t CheckAttention(const Tensor& q, const Tensor& k, const Tensor& v) {
  if (q.rank() < 2 || k.rank() != q.rank() || v.rank() != q.rank())
    AttentionError(q, k, v, "all have one rank, at least 2");
  if (FromEnd(q, 1) != FromEnd(k, 1)) AttentionError(q, k, v, "queries and keys have as many features");
  if (FromEnd(k, 2) != FromEnd(v, 2)) AttentionError(q, k, v, "each key has a value");
  if (q.rank() == 2) return 1;
  const int64_t heads = FromEnd(q, 3), of_keys = FromEnd(k, 3);
  if (of_keys != FromEnd(v, 3) || of_keys == 0 || heads % of_keys != 0)
    AttentionError(q, k, v, "the heads of keys and values are equal and divide those of queries");
  return heads / of_keys;
}

// [..., heads, n, m] as [..., heads / group, group n, m], and back.
Tensor Folded(const Tensor& x, int64_t group) {
  if (group == 1) return x;  // also rank 2, without heads
  Shape shape = x.shape();
  shape.set(x.rank() - 3, FromEnd(x, 3) / group);
  shape.set(x.rank() - 2, FromEnd(x, 2) * group);
  return Reshape(x, shape);
}
Tensor Unfolded(const Tensor& x, int64_t group) {
  if (group == 1) return x;
  Shape shape = x.shape();
  shape.set(x.rank() - 3, FromEnd(x, 3) * group);
  shape.set(x.rank() - 2, FromEnd(x, 2) / group);
  return Reshape(x, shape);
}

// Terms of a softmax over the visible scores of each row, and their sum; a row without any has
// zeros.
struct Terms {
  Tensor e, sum;
};
Terms SoftmaxTerms(const Tensor& scores, const Tensor& visible) {
  const Tensor low = Full({}, -std::numeric_limits<double>::infinity(), scores.dtype());
  const Tensor shown = visible.defined() ? Where(visible, scores, low) : scores;
  const Tensor top = StopGradient(ReduceMax(shown, -1, {.keepdims = true}));
  const Tensor e = Exp(Sub(shown, visible.defined() ? Where(Equal(top, low), 0, top) : top));
  const Tensor sum = ReduceSum(e, -1, {.keepdims = true});
  return {e, visible.defined() ? Where(Equal(sum, 0), 1, sum) : sum};
}

// Of the scores of queries from `first` on. What a float mask makes -inf is hidden too: a row of it
// is 0, not 0 / 0.
Terms MaskedTerms(Tensor scores, const AttentionOptions& options, int64_t first) {
  Tensor visible, seen = options.mask;
  if (options.causal) visible = TriangularMask(FromEnd(scores, 2), FromEnd(scores, 1), first);
  if (seen.defined() && seen.dtype() != kBool) {
    if (!IsFloat(seen.dtype())) {
      ThrowInvalid(StrCat("attention: the mask must be bool or floats, got ", seen.type().ToString(),
                          "; Cast it to kBool if 1 means visible"));
    }
    scores = Add(scores, Cast(seen, scores.dtype()));
    seen = NotEqual(seen, -std::numeric_limits<double>::infinity());
  }
  if (seen.defined()) visible = visible.defined() ? LogicalAnd(visible, seen) : seen;
  return SoftmaxTerms(scores, visible);
}

// Attention of scaled queries, the first of which is `first`. The product is divided by the sums,
// not the weights: these are many more, and the gradient needs no pass over them. Halves could
// overflow before the division.
Tensor Attend(const Tensor& q, const Tensor& k, const Tensor& v, int64_t group, const AttentionOptions& options,
              int64_t first) {
  const Tensor scores = Unfolded(MatMul(Folded(q, group), SwapAxes(k, -1, -2)), group);
  const auto [terms, sum] = MaskedTerms(internal::Wide(scores), options, first);
  const bool half = terms.dtype() != q.dtype();
  Tensor weights = half ? Cast(Div(terms, sum), q.dtype()) : terms;
  if (options.dropout != 0) weights = Dropout(options.dropout, options.generator)(weights);
  const Tensor out = Unfolded(MatMul(Folded(weights, group), v), group);
  return half ? out : Div(out, sum);
}

// Queries that share the keys they see: up to 8 blocks of at least 64.
int64_t CausalBlock(int64_t queries) {
  constexpr int64_t kRows = 64, kBlocks = 8;
  const int64_t rows = (queries + kBlocks - 1) / kBlocks;
  return std::max((rows + kRows - 1) / kRows * kRows, kRows);
}

// Of axis -2 or, counted likewise, another one.
Tensor Part(const Tensor& x, int64_t begin, int64_t end, int from_end = 2) {
  return internal::SliceAxis(x, x.rank() - from_end, begin, end);
}

// What of a mask is for some of the queries and keys; one that does not fit is left for the error.
Tensor MaskPart(Tensor mask, int64_t queries, int64_t keys, int64_t first, int64_t end, int64_t seen) {
  if (!mask.defined()) return mask;
  if (mask.rank() > 0 && FromEnd(mask, 1) == keys) mask = Part(mask, 0, seen, 1);
  if (mask.rank() > 1 && FromEnd(mask, 2) == queries) mask = Part(mask, first, end);
  return mask;
}

// Blocks of queries, each with the keys that one of them sees.
Tensor CausalAttention(const Tensor& q, const Tensor& k, const Tensor& v, int64_t group, int64_t block,
                       const AttentionOptions& options) {
  const int64_t queries = FromEnd(q, 2), keys = FromEnd(k, 2);
  std::vector<Tensor> blocks;
  for (int64_t first = 0; first < queries; first += block) {
    const int64_t end = std::min(first + block, queries), seen = std::min(end, keys);
    AttentionOptions own = options;
    own.mask = MaskPart(options.mask, queries, keys, first, end, seen);
    blocks.push_back(Attend(Part(q, first, end), Part(k, 0, seen), Part(v, 0, seen), group, own, first));
  }
  return Concat(blocks, -2);
}

}  // namespace

Tensor Attention(const Operand& query, const Operand& key, const Operand& value, const AttentionOptions& options) {
  const LocationScope scope(query);
  const Tensor q = Materialize(query), k = Materialize(key), v = Materialize(value);
  const int64_t group = CheckAttention(q, k, v);
  const double scale = options.scale != 0 ? options.scale : 1 / std::sqrt(static_cast<double>(FromEnd(q, 1)));
  const auto attend = [&](absl::Span<const Tensor> in) {
    AttentionOptions own = options;
    if (in.size() > 3) own.mask = in[3];
    const Tensor scaled = Mul(in[0], scale);
    const int64_t queries = FromEnd(q, 2), block = CausalBlock(queries);
    if (!options.causal || queries <= block) return Attend(scaled, in[1], in[2], group, own, 0);
    return CausalAttention(scaled, in[1], in[2], group, block, own);
  };
  std::vector<Tensor> operands = {q, k, v};
  if (options.mask.defined()) operands.push_back(options.mask);
  if (options.dropout != 0) return attend(operands);  // draws numbers
  return internal::Compose("attention", operands, {scale, options.causal ? 1.0 : 0.0}, attend);
}

namespace {

// Angles [length, features / 2], f64.
Tensor Angles(const Tensor& positions, int64_t features, double base) {
  std::vector<double> rates;
  for (int64_t i = 0; i < features; i += 2)
    rates.push_back(std::pow(base, -static_cast<double>(i) / static_cast<double>(features)));
  const Tensor rate = Tensor::FromData(rates, {static_cast<int64_t>(rates.size())});
  return Mul(ExpandDims(Cast(positions, kFloat64), 1), rate);
}

void CheckEven(const char* op, int64_t features) {
  if (features % 2 == 0) return;
  ThrowInvalid(StrCat(op, ": ", features, " features do not make pairs; give an even number"));
}

}  // namespace

Tensor RotaryEmbedding(const Operand& x, const RotaryOptions& options) {
  const LocationScope scope(x);
  const Tensor t = Materialize(x);
  if (t.rank() < 2 || !IsFloat(t.dtype())) {
    ThrowInvalid(StrCat("rotary_embedding: needs floats [..., length, features], got ", t.type().ToString()));
  }
  const int64_t length = FromEnd(t, 2), features = FromEnd(t, 1);
  CheckEven("rotary_embedding", features);
  const Tensor positions = options.positions.defined() ? options.positions : Arange(0, length);
  if (positions.shape() != Shape({length})) {
    ThrowInvalid(StrCat("rotary_embedding: positions ", positions.type().ToString(), " for ", t.type().ToString(),
                        "; give one for each of the ", length));
  }
  const Tensor angles = Angles(positions, features, options.base);
  const Tensor c = Cast(Cos(angles), t.dtype()), s = Cast(Sin(angles), t.dtype());
  Shape pairs = t.shape();
  pairs.set(t.rank() - 1, features / 2);
  pairs.insert(options.interleaved ? t.rank() : t.rank() - 1, 2);
  const int axis = t.rank() - (options.interleaved ? 0 : 1);  // of the two
  const Tensor split = Reshape(t, pairs);
  const Tensor a = Squeeze(internal::SliceAxis(split, axis, 0, 1), axis);
  const Tensor b = Squeeze(internal::SliceAxis(split, axis, 1, 2), axis);
  const Tensor first = Sub(Mul(a, c), Mul(b, s)), second = Add(Mul(b, c), Mul(a, s));
  return Reshape(Stack({first, second}, axis), t.shape());
}

Tensor SinusoidalPositions(int64_t length, int64_t features, double base, DType dtype) {
  CheckEven("sinusoidal_positions", features);
  const Tensor angles = Angles(Arange(0, length), features, base);
  return Reshape(Cast(Stack({Sin(angles), Cos(angles)}, 2), dtype), {length, features});
}

namespace {

struct MultiHeadData : LayerData {
  MultiHeadData(int64_t units_, int64_t heads_, MultiHeadOptions options_, LayerOptions layer)
      : LayerData("multi_head_attention", std::move(layer)), units(units_), heads(heads_), sizes(std::move(options_)) {
    built = true;  // the dense layers inside have the variables
    CheckAtLeast(kind, "units", units);
    CheckAtLeast(kind, "heads", heads);
    if (sizes.key_heads == 0) sizes.key_heads = heads;
    if (sizes.head_size == 0 && units % heads == 0) sizes.head_size = units / heads;
    if (sizes.head_size < 1 || sizes.key_heads < 1 || heads % sizes.key_heads != 0) {
      ThrowInvalid(StrCat(kind, ": ", units, " units do not divide into ", heads, " heads, or ", heads, " heads into ",
                          sizes.key_heads, " heads of keys; set head_size or other numbers"));
    }
    for (const auto& [what, size] :
         {std::pair("query", heads * sizes.head_size), std::pair("key", sizes.key_heads * sizes.head_size),
          std::pair("value", sizes.key_heads * sizes.head_size), std::pair("output", units)}) {
      dense.emplace_back(size, Activation(), Inner(what));
      children.push_back(dense.back().internal_data());
    }
  }

  std::string Arguments() const override { return StrCat(units, ", ", heads); }

  // [batch, length, features] -> [batch, heads, length, head_size]
  Tensor Heads(const Tensor& x, size_t which, int64_t n) const {
    const Tensor y = dense[which](x);
    return Transpose(Reshape(y, Shape{y.shape()[0], y.shape()[1], n, sizes.head_size}), {0, 2, 1, 3});
  }

  int64_t units, heads;
  MultiHeadOptions sizes;
  std::vector<Dense> dense;
};

}  // namespace

MultiHeadAttention::MultiHeadAttention(int64_t units, int64_t heads, MultiHeadOptions heads_options,
                                       LayerOptions options)
    : Layer(std::make_shared<MultiHeadData>(units, heads, heads_options, std::move(options))) {}

Tensor MultiHeadAttention::operator()(const Operand& query, const Operand& key, const Operand& value,
                                      const Tensor& mask) const {
  const LocationScope scope(query);
  const auto& d = As<MultiHeadData>(data_);
  const Tensor x = Materialize(query), y = Materialize(key), z = Materialize(value);
  for (const Tensor& t : {x, y, z}) {
    if (t.rank() == 3) continue;
    ThrowInvalid(StrCat("multi_head_attention: needs [batch, length, features], got ", t.type().ToString(),
                        "; ExpandDims adds a batch"));
  }
  Tensor q = d.Heads(x, 0, d.heads), k = d.Heads(y, 1, d.sizes.key_heads);
  const Tensor v = d.Heads(z, 2, d.sizes.key_heads);
  if (d.sizes.rotary) {
    q = RotaryEmbedding(q);
    k = RotaryEmbedding(k);
  }
  const Tensor out = Attention(
      q, k, v, {.mask = mask, .causal = d.sizes.causal, .dropout = d.sizes.dropout, .generator = d.options.generator});
  const Tensor joined = Transpose(out, {0, 2, 1, 3});
  return d.dense[3](Reshape(joined, Shape{x.shape()[0], x.shape()[1], d.heads * d.sizes.head_size}));
}

}  // namespace reel
