#ifndef REEL_IR_SIPHASH_H_
#define REEL_IR_SIPHASH_H_

#include <array>
#include <cstdint>
#include <string_view>

namespace reel::ir {

/// SipHash-2-4 with its result of 128 bits, of a sequence of 64-bit words. Nobody who does not know the key can find
/// two sequences of one hash, or the hash of another sequence. With a key that is known it is merely a good hash.
class SipHash {
 public:
  using Key = std::array<uint64_t, 2>;
  explicit SipHash(const Key& key);

  void Add(uint64_t word);
  /// Its length, then its bytes.
  void Add(std::string_view bytes);
  /// Of what was added so far.
  std::array<uint64_t, 2> Sum() const;

 private:
  void Round();

  uint64_t v0_, v1_, v2_, v3_, words_ = 0;
};

}  // namespace reel::ir

#endif  // REEL_IR_SIPHASH_H_
