#ifndef REEL_ATTENTION_H_
#define REEL_ATTENTION_H_

#include <cstdint>

#include "reel/layers.h"
#include "reel/tensor.h"

// Attention: compositions of contractions and softmax.

namespace reel {

/// Options of Attention.
struct AttentionOptions {
  /// bool (true: may attend) or float (added to the scores; -inf hides, as false does); broadcasts
  /// to the scores. Null: none.
  Tensor mask = {};
  /// Hides keys after the query's position, counted from the first of both, as PyTorch does. With
  /// cached keys, pass TriangularMask(queries, keys, keys - queries) instead.
  bool causal = false;
  double scale = 0;                      ///< of the scores; 0: 1 / sqrt(features)
  double dropout = 0;                    ///< rate by which weights are dropped in a TrainingScope
  Generator generator = Generator::Default();  ///< of the dropout
};
/// softmax(query key^T scale, hidden keys left out) value: query [..., heads, queries, features],
/// key [..., heads, keys, features], value [..., heads, keys, any]; without heads, rank 2. A query
/// all of whose keys are hidden gives zeros, with zero gradient. Key and value may have fewer
/// heads: each then serves query heads that are neighbours. Causal attention of more than 64 queries
/// is up to 8 blocks of a multiple of 64 of them, each with the keys up to its last query: half of the
/// products are left out. The exponentials are multiplied with the values, then divided by their sum.
/// Vaswani et al.: "Attention is all you need", 2017; Ainslie et al.: "GQA", 2023.
Tensor Attention(const Operand& query, const Operand& key, const Operand& value, const AttentionOptions& options = {});

/// Options of RotaryEmbedding.
struct RotaryOptions {
  double base = 10000;
  /// Pairs are neighbours (2i, 2i + 1), as in the paper; else (i, i + features / 2), as in GPT-NeoX
  /// and Llama.
  bool interleaved = false;
  Tensor positions = {};  ///< integers [length]; null: 0, 1, ...
};
/// Turns pair i of x [..., length, features] by position base^(-2i / features) radians. Su et al.:
/// "RoFormer", 2021.
Tensor RotaryEmbedding(const Operand& x, const RotaryOptions& options = {});

/// [length, features]: sin and cos of position base^(-2i / features) at 2i and 2i + 1. Vaswani et
/// al., 2017.
Tensor SinusoidalPositions(int64_t length, int64_t features, double base = 10000, DType dtype = kFloat32);

/// Options of MultiHeadAttention.
struct MultiHeadOptions {
  int64_t key_heads = 0;  ///< of keys and values; 0: as many as heads
  int64_t head_size = 0;  ///< 0: units / heads
  bool causal = false;
  bool rotary = false;  ///< turns queries and keys by RotaryEmbedding
  double dropout = 0;   ///< rate by which weights are dropped in a TrainingScope
};
/// Heads of Attention between dense layers query, key, value and output (multi_head_attention/
/// query/kernel, ...); inputs [batch, length, features], results [batch, length of query, units].
class MultiHeadAttention : public Layer {
 public:
  MultiHeadAttention(int64_t units, int64_t heads, MultiHeadOptions heads_options = {}, LayerOptions options = {});

  /// Attention of x to itself.
  Tensor operator()(const Operand& x) const { return (*this)(x, x, x); }
  /// The mask broadcasts to [batch, heads, queries, keys].
  Tensor operator()(const Operand& query, const Operand& key, const Operand& value, const Tensor& mask = {}) const;
};

}  // namespace reel

#endif  // REEL_ATTENTION_H_
