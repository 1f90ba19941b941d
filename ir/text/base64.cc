#include "ir/text/base64.h"

#include <array>
#include <cstdint>

namespace reel::ir {
namespace {

constexpr char kDigits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

constexpr std::array<int8_t, 256> kValues = [] {
  std::array<int8_t, 256> values{};
  values.fill(-1);
  for (int i = 0; i < 64; ++i) values[static_cast<uint8_t>(kDigits[i])] = static_cast<int8_t>(i);
  return values;
}();

}  // namespace

void AppendBase64(std::string* out, std::span<const std::byte> bytes) {
  out->reserve(out->size() + (bytes.size() + 2) / 3 * 4);
  for (size_t i = 0; i < bytes.size(); i += 3) {
    const size_t n = bytes.size() - i;
    uint32_t word = static_cast<uint32_t>(bytes[i]) << 16;
    if (n > 1) word |= static_cast<uint32_t>(bytes[i + 1]) << 8;
    if (n > 2) word |= static_cast<uint32_t>(bytes[i + 2]);
    const char quad[4] = {kDigits[word >> 18], kDigits[word >> 12 & 63], n > 1 ? kDigits[word >> 6 & 63] : '=',
                          n > 2 ? kDigits[word & 63] : '='};
    out->append(quad, 4);
  }
}

bool DecodeBase64(std::string_view text, std::vector<std::byte>* bytes) {
  if (text.size() % 4 != 0) return false;
  bytes->clear();
  bytes->reserve(text.size() / 4 * 3);
  for (size_t i = 0; i < text.size(); i += 4) {
    const bool last = i + 4 == text.size();
    const int pad = last && text[i + 3] == '=' ? (text[i + 2] == '=' ? 2 : 1) : 0;
    uint32_t word = 0;
    for (size_t k = 0; k < 4; ++k) {
      const bool padding = k + static_cast<size_t>(pad) >= 4;
      const int value = padding ? 0 : kValues[static_cast<uint8_t>(text[i + k])];
      if (value < 0) return false;
      word = word << 6 | static_cast<uint32_t>(value);
    }
    if ((pad == 1 && (word & 0xFF)) || (pad == 2 && (word & 0xFFFF))) return false;
    for (int k = 0; k < 3 - pad; ++k) bytes->push_back(static_cast<std::byte>(word >> (16 - 8 * k)));
  }
  return true;
}

}  // namespace reel::ir
