#include <array>

#include "ir/eval/kernels.h"

namespace reel::ir {
namespace {

uint32_t Low(uint64_t x) { return static_cast<uint32_t>(x); }
uint32_t High(uint64_t x) { return static_cast<uint32_t>(x >> 32); }

// Philox4x32-10: ten rounds of two 32 x 32 -> 64 bit products, then the key grows by its two
// constants.
std::array<uint32_t, 4> Philox(uint64_t counter, uint64_t key) {
  uint32_t x0 = Low(counter), x1 = High(counter), x2 = 0, x3 = 0, k0 = Low(key), k1 = High(key);
  for (int round = 0; round < 10; ++round) {
    const uint64_t p = uint64_t{x0} * 0xD2511F53u, q = uint64_t{x2} * 0xCD9E8D57u;
    x0 = High(q) ^ x1 ^ k0;
    x2 = High(p) ^ x3 ^ k1;
    x1 = Low(q);
    x3 = Low(p);
    k0 += 0x9E3779B9u;
    k1 += 0xBB67AE85u;
  }
  return {x0, x1, x2, x3};
}

}  // namespace

KERNEL(RandomBits) {
  const auto key = static_cast<uint64_t>(c.operand(0).i[0]), counter = static_cast<uint64_t>(c.operand(0).i[1]);
  EvalTensor out = ZeroTensor(c.result);
  for (size_t k = 0; k < out.i.size(); ++k) out.i[k] = Wrap(kInt32, Philox(counter + k / 4, key)[k % 4]);
  return out;
}

}  // namespace reel::ir
