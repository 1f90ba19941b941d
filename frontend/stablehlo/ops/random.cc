#include "frontend/stablehlo/operators.h"

namespace reel::stablehlo {
namespace {

struct Product {
  Value high, low;  // u32
};

Product Times(Emitter& e, const Value& x, uint32_t factor) {
  const Value wide = e.Convert(x, kUInt64);
  const Value product = e.Mul(wide, e.FullInt(wide.type, factor));
  const Value high = e.Binary("stablehlo.shift_right_logical", product, e.FullInt(wide.type, 32));
  return {e.Convert(high, kUInt32), e.Convert(product, kUInt32)};
}

Product Halves(Emitter& e, const Value& x) {
  const Value high = e.Binary("stablehlo.shift_right_logical", x, e.FullInt(x.type, 32));
  return {e.Convert(high, kUInt32), e.Convert(x, kUInt32)};
}

}  // namespace

// Philox4x32-10 of {key, counter}, four words of each counter: ten rounds of two products, then the key grows.
HANDLER(RandomBits) {
  Emitter& e = c.e;
  NeedConstantShape(c, c.type().shape);
  const int64_t count = c.type().shape.size(), blocks = (count + 3) / 4;
  const Shape list{blocks};
  const auto state = [&](int64_t i) {
    return e.Splat(e.Reshape(e.Convert(e.Slice(c.x[0], {i}, {i + 1}, {1}), kUInt64), {}), list);
  };
  const Value counters = e.Add(state(1), e.Iota({kUInt64, list}, 0));
  auto [k1, k0] = Halves(e, state(0));
  auto [x1, x0] = Halves(e, counters);
  const auto exclusive = [&](const Value& a, const Value& b) { return e.Binary("stablehlo.xor", a, b); };
  Value x2 = e.FullInt(x0.type, 0), x3 = x2;
  for (int round = 0; round < 10; ++round) {
    const Product p = Times(e, x0, 0xD2511F53u), q = Times(e, x2, 0xCD9E8D57u);
    x0 = exclusive(exclusive(q.high, x1), k0);
    x2 = exclusive(exclusive(p.high, x3), k1);
    x1 = q.low;
    x3 = p.low;
    k0 = e.Add(k0, e.FullInt(k0.type, 0x9E3779B9u));
    k1 = e.Add(k1, e.FullInt(k1.type, 0xBB67AE85u));
  }
  Values columns;
  for (const Value& x : {x0, x1, x2, x3}) columns.push_back(e.Reshape(x, {blocks, 1}));
  const Value words = e.Slice(e.Reshape(e.Concatenate(columns, 1), {blocks * 4}), {0}, {count}, {1});
  return {e.Emit("stablehlo.bitcast_convert", {e.Reshape(words, c.type().shape)}, c.type())};
}

}  // namespace reel::stablehlo
