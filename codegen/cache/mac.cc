#include "codegen/cache/mac.h"

#include <bit>
#include <cstdio>
#include <cstring>

namespace reel::codegen {
namespace {

struct State {
  uint64_t a, b, c, d;

  void Round() {
    a += b;
    c += d;
    b = std::rotl(b, 13) ^ a;
    d = std::rotl(d, 16) ^ c;
    a = std::rotl(a, 32);
    c += b;
    a += d;
    b = std::rotl(b, 17) ^ c;
    d = std::rotl(d, 21) ^ a;
    c = std::rotl(c, 32);
  }
  void Add(uint64_t word) {
    d ^= word;
    Round();
    Round();
    a ^= word;
  }
  uint64_t End() {
    for (int i = 0; i < 4; ++i) Round();
    return a ^ b ^ c ^ d;
  }
};

}  // namespace

std::string AuthenticationCode(const Secret& secret, std::string_view bytes) {
  State s{secret[0] ^ 0x736f6d6570736575u, secret[1] ^ 0x646f72616e646f6du ^ 0xee, secret[0] ^ 0x6c7967656e657261u,
          secret[1] ^ 0x7465646279746573u};
  const uint64_t length = bytes.size();
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) {
    uint64_t word = 0;
    std::memcpy(&word, bytes.data(), 8);
    s.Add(word);
  }
  uint64_t last = length << 56;
  for (size_t i = 0; i < bytes.size(); ++i) last |= uint64_t{static_cast<unsigned char>(bytes[i])} << (8 * i);
  s.Add(last);
  s.c ^= 0xee;
  const uint64_t first = s.End();
  s.b ^= 0xdd;
  const uint64_t second = s.End();
  char text[33];
  std::snprintf(text, sizeof text, "%016llx%016llx", static_cast<unsigned long long>(first),
                static_cast<unsigned long long>(second));
  return text;
}

}  // namespace reel::codegen
