#include "runtime/philox.h"

#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <span>
#include <vector>

namespace reel::runtime {
namespace {

using Words = std::array<uint32_t, 4>;

// The known answers published with Random123 (philox4x32, 10 rounds); constexpr proves them at
// build.
static_assert(Philox4x32({0, 0, 0, 0}, {0, 0}) == Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8});
static_assert(Philox4x32({0xffffffff, 0xffffffff, 0xffffffff, 0xffffffff}, {0xffffffff, 0xffffffff}) ==
              Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd});
static_assert(Philox4x32({0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344}, {0xa4093822, 0x299f31d0}) ==
              Words{0xd16cfe09, 0x94fdcceb, 0x5001e420, 0x24126ea1});

TEST(Philox, KnownAnswersAtRunTime) {
  volatile uint32_t zero = 0;
  EXPECT_EQ(Philox4x32({zero, zero, zero, zero}, {zero, zero}),
            (Words{0x6627e8d5, 0xe169c58d, 0xbc57ac4c, 0x9b00dbd8}));
  volatile uint32_t ones = 0xffffffff;
  EXPECT_EQ(Philox4x32({ones, ones, ones, ones}, {ones, ones}),
            (Words{0x408f276d, 0x41c83b0e, 0xa20bc7c6, 0x6d5451fd}));
}

TEST(Philox, StateWordsAreSplitLowFirst) {
  const int64_t key = 0x299f31d0a4093822;
  const int64_t counter = 0x0000000500000007;
  EXPECT_EQ(PhiloxBlock(key, counter), Philox4x32({7, 5, 0, 0}, {0xa4093822, 0x299f31d0}));
}

TEST(Philox, ElementIsLaneOfItsBlock) {
  std::vector<uint32_t> bits(23);
  RandomBits(42, -3, 0, bits);  // the counter crosses zero
  for (size_t e = 0; e < bits.size(); ++e) {
    EXPECT_EQ(bits[e], PhiloxBlock(42, -3 + static_cast<int64_t>(e / 4))[e % 4]) << e;
  }
}

TEST(Philox, AnyPartGivesTheSameBits) {
  std::vector<uint32_t> whole(64);
  RandomBits(7, 1000, 0, whole);
  for (size_t first = 0; first < 9; ++first) {
    for (size_t count = 0; count < 11; ++count) {
      std::vector<uint32_t> part(count);
      RandomBits(7, 1000, static_cast<int64_t>(first), part);
      for (size_t i = 0; i < count; ++i) EXPECT_EQ(part[i], whole[first + i]);
    }
  }
}

TEST(Philox, AdvanceIsOneBlockPerFourElements) {
  EXPECT_EQ(PhiloxAdvance(10, 0), 10);
  EXPECT_EQ(PhiloxAdvance(10, 1), 11);
  EXPECT_EQ(PhiloxAdvance(10, 4), 11);
  EXPECT_EQ(PhiloxAdvance(10, 5), 12);
  constexpr int64_t kLargest = std::numeric_limits<int64_t>::max();
  EXPECT_EQ(PhiloxAdvance(kLargest, 4), std::numeric_limits<int64_t>::min());
  EXPECT_EQ(PhiloxAdvance(0, kLargest), int64_t{1} << 61);
}

TEST(Philox, DrawsInARowNeverOverlap) {
  std::vector<uint32_t> first(5);
  std::vector<uint32_t> second(5);
  RandomBits(1, 0, 0, first);
  RandomBits(1, PhiloxAdvance(0, 5), 0, second);
  std::vector<uint32_t> whole(13);
  RandomBits(1, 0, 0, whole);
  EXPECT_EQ(second, std::vector<uint32_t>(whole.begin() + 8, whole.end()));
}

TEST(Philox, BitsAreBalanced) {
  std::vector<uint32_t> bits(1 << 16);
  RandomBits(2024, 0, 0, bits);
  for (int bit = 0; bit < 32; ++bit) {
    int64_t ones = 0;
    for (const uint32_t word : bits) ones += (word >> bit) & 1;
    EXPECT_NEAR(static_cast<double>(ones), 32768, 6 * 128) << bit;  // six standard deviations
  }
}

}  // namespace
}  // namespace reel::runtime
