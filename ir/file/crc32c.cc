#include "ir/file/crc32c.h"

#include <array>
#include <bit>
#include <cstddef>
#include <cstring>

namespace reel::ir {
namespace {

// Remainders by the polynomial 0x1EDC6F41, bits reversed, of a byte that k other bytes follow: eight bytes are then
// eight look-ups that do not wait for one another.
using Remainders = std::array<std::array<uint32_t, 256>, 8>;
constexpr Remainders kRemainders = [] {
  Remainders out{};
  for (uint32_t i = 0; i < 256; ++i) {
    uint32_t r = i;
    for (int bit = 0; bit < 8; ++bit) r = (r >> 1) ^ (r & 1 ? 0x82F63B78u : 0u);
    out[0][i] = r;
  }
  for (size_t k = 1; k < out.size(); ++k) {
    for (size_t i = 0; i < 256; ++i) out[k][i] = (out[k - 1][i] >> 8) ^ out[0][out[k - 1][i] & 0xFF];
  }
  return out;
}();

uint32_t OfByte(uint32_t crc, char byte) {
  return kRemainders[0][(crc ^ static_cast<uint8_t>(byte)) & 0xFF] ^ (crc >> 8);
}

uint32_t OfEight(uint32_t crc, const char* bytes) {
  uint64_t word;
  std::memcpy(&word, bytes, sizeof word);
  word ^= crc;
  uint32_t out = 0;
  for (size_t i = 0; i < 8; ++i) out ^= kRemainders[7 - i][(word >> (8 * i)) & 0xFF];
  return out;
}
static_assert(std::endian::native == std::endian::little);

}  // namespace

uint32_t Crc32c(std::string_view bytes, uint32_t crc) {
  crc = ~crc;
  for (; bytes.size() >= 8; bytes.remove_prefix(8)) crc = OfEight(crc, bytes.data());
  for (const char byte : bytes) crc = OfByte(crc, byte);
  return ~crc;
}

uint32_t MaskedCrc32c(uint32_t crc) { return ((crc >> 15) | (crc << 17)) + 0xA282EAD8u; }

}  // namespace reel::ir
