// Counter-based random bits: Philox4x32-10 (Salmon, Moraes, Dror, Shaw: "Parallel random numbers:
// as easy as 1, 2, 3", 2011). A block is a pure function of (counter, key): any element can be
// computed alone, so the bits never depend on order, vector width or threads.
//
// Convention of the random_bits op, the same in every engine:
//   state = i64[2] {key, counter}
//   element e of the output = lane e % 4 of Philox4x32({low(b), high(b), 0, 0},
//                                                      {low(key), high(key)})
//     with b = counter + e / 4 (mod 2^64); low and high are the 32-bit halves
//   an op of n elements leaves the state {key, counter + ceil(n / 4)}
#ifndef REEL_RUNTIME_PHILOX_H_
#define REEL_RUNTIME_PHILOX_H_

#include <array>
#include <cstdint>
#include <span>

namespace reel::runtime {

// Constants of the generator: two multipliers and the two key increments (golden ratio, sqrt(3) -
// 1).
inline constexpr uint32_t kPhiloxMultiplier0 = 0xD2511F53;
inline constexpr uint32_t kPhiloxMultiplier1 = 0xCD9E8D57;
inline constexpr uint32_t kPhiloxIncrement0 = 0x9E3779B9;
inline constexpr uint32_t kPhiloxIncrement1 = 0xBB67AE85;
inline constexpr int kPhiloxRounds = 10;

// Four random words for one 128-bit counter and one 64-bit key.
constexpr std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> counter, std::array<uint32_t, 2> key) {
  for (int round = 0; round < kPhiloxRounds; ++round) {
    const uint64_t product0 = uint64_t{kPhiloxMultiplier0} * counter[0];
    const uint64_t product1 = uint64_t{kPhiloxMultiplier1} * counter[2];
    counter = {static_cast<uint32_t>(product1 >> 32) ^ counter[1] ^ key[0], static_cast<uint32_t>(product1),
               static_cast<uint32_t>(product0 >> 32) ^ counter[3] ^ key[1], static_cast<uint32_t>(product0)};
    key = {key[0] + kPhiloxIncrement0, key[1] + kPhiloxIncrement1};
  }
  return counter;
}

// Lanes 0..3 of the block at `counter` for `key`, in the convention above.
constexpr std::array<uint32_t, 4> PhiloxBlock(int64_t key, int64_t counter) {
  const uint64_t k = static_cast<uint64_t>(key);
  const uint64_t c = static_cast<uint64_t>(counter);
  return Philox4x32({static_cast<uint32_t>(c), static_cast<uint32_t>(c >> 32), 0, 0},
                    {static_cast<uint32_t>(k), static_cast<uint32_t>(k >> 32)});
}

// Counter after an op of n >= 0 elements: counter + ceil(n / 4), wrapping.
constexpr int64_t PhiloxAdvance(int64_t counter, int64_t n) {
  const uint64_t blocks = static_cast<uint64_t>(n) / 4 + (n % 4 != 0 ? 1 : 0);
  return static_cast<int64_t>(static_cast<uint64_t>(counter) + blocks);
}

// Writes elements [first, first + out.size()) of the random_bits op with state {key, counter}.
void RandomBits(int64_t key, int64_t counter, int64_t first, std::span<uint32_t> out) noexcept;

}  // namespace reel::runtime

#endif  // REEL_RUNTIME_PHILOX_H_
