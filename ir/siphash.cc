#include "ir/siphash.h"

#include <algorithm>
#include <bit>
#include <cstring>

namespace reel::ir {

// The initial state and the rounds are those of J.-P. Aumasson and D. J. Bernstein, "SipHash: a fast short-input PRF",
// 2012; 0xee tells the variant of 128 bits from that of 64.
SipHash::SipHash(const Key& key)
    : v0_(key[0] ^ 0x736f6d6570736575u),
      v1_(key[1] ^ 0x646f72616e646f6du ^ 0xee),
      v2_(key[0] ^ 0x6c7967656e657261u),
      v3_(key[1] ^ 0x7465646279746573u) {}

void SipHash::Round() {
  v0_ += v1_;
  v1_ = std::rotl(v1_, 13) ^ v0_;
  v0_ = std::rotl(v0_, 32);
  v2_ += v3_;
  v3_ = std::rotl(v3_, 16) ^ v2_;
  v0_ += v3_;
  v3_ = std::rotl(v3_, 21) ^ v0_;
  v2_ += v1_;
  v1_ = std::rotl(v1_, 17) ^ v2_;
  v2_ = std::rotl(v2_, 32);
}

void SipHash::Add(uint64_t word) {
  ++words_;
  v3_ ^= word;
  Round();
  Round();
  v0_ ^= word;
}

void SipHash::Add(std::string_view bytes) {
  Add(uint64_t{bytes.size()});
  while (!bytes.empty()) {
    uint64_t word = 0;
    const size_t n = std::min(sizeof word, bytes.size());
    std::memcpy(&word, bytes.data(), n);
    Add(word);
    bytes.remove_prefix(n);
  }
}

std::array<uint64_t, 2> SipHash::Sum() const {
  SipHash end = *this;
  end.Add(8 * words_ << 56);  // the last word has the length modulo 256 on top
  const auto finish = [&end](uint64_t* tweaked, uint64_t tweak) {
    *tweaked ^= tweak;
    for (int i = 0; i < 4; ++i) end.Round();
    return end.v0_ ^ end.v1_ ^ end.v2_ ^ end.v3_;
  };
  const uint64_t low = finish(&end.v2_, 0xee);
  return {low, finish(&end.v1_, 0xdd)};
}

}  // namespace reel::ir
