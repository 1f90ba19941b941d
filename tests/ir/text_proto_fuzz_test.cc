#include <cstdlib>
#include <random>

#include "tests/ir/text_util.h"

// Hostile bytes: every prefix and every flipped bit of small files, then random damage.
// REEL_TEST_ROUNDS sets the number of random cases; a failure prints its seed.

namespace reel::ir {
namespace {

constexpr char kSmall[] = R"(reel 1
module "small"
meta "k" = "v"
symbol "B" in [1, 9]
variable @w: f32[2] = [1, nan(0x7fc00001)]
variable @z frozen: i64[] = init @one
variable @part in 2 parts: f32[1] = [3]
func @one() -> (i64[]) {
  %0 = constant 1 : i64[]
  return %0
}
func @f(%x: f32[B,2]) state(@w: f32[2]) -> (y: f32[B]) {
  %0.h = reduce_sum %x {axes=[1]} : f32[B] loc("a.cc":7)
  %1, %2 = call %x, @w {callee=@g} : f32[2], f32[2]
  %3 = contract %1, %2 {a_batch=[], a_contract=[0], b_batch=[], b_contract=[0]} : f32[]
  return %0.h state(%1)
}
func @g(%a: f32[B,2], %w: f32[2]) -> (f32[2], f32[2]) {
  return %w, %w
}
)";

std::string Binary(std::string_view text) {
  const auto module = ParseModule(text);
  EXPECT_TRUE(module.ok()) << module.status();
  return *SerializeModule(*module);
}

void TryPrefixesAndFlips(const std::string& bytes) {
  for (size_t n = 0; n < bytes.size(); ++n) ExpectTypedErrorOrModule(bytes.substr(0, n));
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ (1 << (bit % 8)));
    ExpectTypedErrorOrModule(flipped);
  }
}

// Damages 1 to 4 places: a byte set, a range removed, doubled, or copied elsewhere.
std::string Mutate(std::string bytes, std::mt19937_64* random) {
  const auto below = [random](size_t n) { return static_cast<size_t>((*random)() % (n ? n : 1)); };
  for (size_t n = 1 + below(4); n > 0 && !bytes.empty(); --n) {
    const size_t at = below(bytes.size()), size = 1 + below(24);
    const std::string piece = bytes.substr(at, size);
    switch (below(5)) {
      case 0: bytes[at] = static_cast<char>(below(256)); break;
      case 1: bytes[at] = "0123456789-[]{}(),%@:="[below(22)]; break;
      case 2: bytes.erase(at, size); break;
      case 3: bytes.insert(at, piece); break;
      default: bytes.insert(below(bytes.size()), piece);
    }
  }
  return bytes;
}

void TryMutations(const std::string& bytes) {
  const char* rounds = std::getenv("REEL_TEST_ROUNDS");
  const uint64_t count = rounds ? std::strtoull(rounds, nullptr, 10) : 2000;
  for (uint64_t seed = 0; seed < count; ++seed) {
    SCOPED_TRACE(seed);
    std::mt19937_64 random(seed);
    ExpectTypedErrorOrModule(Mutate(bytes, &random));
  }
}

TEST(Fuzz, TextPrefixesAndFlips) { TryPrefixesAndFlips(kSmall); }
TEST(Fuzz, BinaryPrefixesAndFlips) { TryPrefixesAndFlips(Binary(kSmall)); }
TEST(Fuzz, TextMutations) { TryMutations(EveryOpText()); }
TEST(Fuzz, BinaryMutations) { TryMutations(Binary(EveryOpText())); }

}  // namespace
}  // namespace reel::ir
