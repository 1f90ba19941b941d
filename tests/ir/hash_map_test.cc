// HashMap and HashSet against the standard library's: random insertions, erasures and look-ups.
#include "ir/hash_map.h"

#include <gtest/gtest.h>

#include <random>
#include <string>
#include <unordered_map>

namespace reel {
namespace {

using Map = HashMap<std::string, int>;
using Expected = std::unordered_map<std::string, int>;

void ExpectEqual(const Map& map, const Expected& expected) {
  ASSERT_EQ(map.size(), expected.size());
  for (const auto& [key, value] : expected) {
    const auto it = map.find(std::string_view(key));
    ASSERT_NE(it, map.end()) << key;
    EXPECT_EQ(it->second, value);
  }
}

TEST(HashMap, SameAsTheStandardLibrarys) {
  std::mt19937 random(1);
  for (int round = 0; round < 100; ++round) {
    Map map;
    Expected expected;
    const int keys = 1 + static_cast<int>(random() % 300);  // few keys are found without an index
    for (int i = 0; i < 2000; ++i) {
      const std::string key = "key" + std::to_string(static_cast<int>(random()) % keys);
      if (random() % 2 == 0)
        map[key] = expected[key] = i;
      else if (random() % 2 == 0)
        EXPECT_EQ(map.erase(key), expected.erase(key));
      else
        EXPECT_EQ(map.contains(key), expected.contains(key));
    }
    ExpectEqual(map, expected);
    Map copy = map, moved = std::move(map);
    ExpectEqual(copy, expected);
    ExpectEqual(moved, expected);
    for (auto it = moved.begin(); it != moved.end();) it = it->second % 2 == 0 ? moved.erase(it) : it + 1;
    std::erase_if(expected, [](const auto& entry) { return entry.second % 2 == 0; });
    ExpectEqual(moved, expected);
    copy.clear();
    EXPECT_FALSE(copy.contains("key0"));
    EXPECT_EQ(copy.try_emplace("key0", 3).first->second, 3);
  }
}

// A copy throws: the table is as it was.
struct Throwing {
  explicit Throwing(int v) : value(v) {}
  Throwing(const Throwing& other) : value(other.value) {
    if (value == 7) throw std::bad_alloc();
  }
  Throwing(Throwing&&) noexcept = default;
  Throwing& operator=(const Throwing&) = delete;
  int value;
};

TEST(HashMap, AnInsertionThatThrowsLeavesItWhole) {
  HashMap<int, Throwing> map;
  for (int i = 0; i < 100; ++i) {
    map.try_emplace(i, 1);
    const Throwing bad(7);
    EXPECT_THROW(map.try_emplace(1000 + i, bad), std::bad_alloc);
    ASSERT_EQ(map.size(), static_cast<size_t>(i + 1));
    EXPECT_FALSE(map.contains(1000 + i));
    EXPECT_TRUE(map.contains(i));
  }
  EXPECT_THROW(map.at(-1), std::out_of_range);
}

}  // namespace
}  // namespace reel
