#include "ir/names.h"

#include <cstdint>

namespace reel::ir {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool Continues(std::string_view s, size_t i) {
  return i < s.size() && (static_cast<uint8_t>(s[i]) & 0xC0) == 0x80;
}

// Length of the printable character at s[i], 0 if there is none: control characters (C0, DEL, C1),
// overlong forms, surrogates and code points above 0x10FFFF are not.
size_t PrintableLength(std::string_view s, size_t i) {
  const auto c = static_cast<uint8_t>(s[i]);
  if (c < 0x80) return c >= 0x20 && c != 0x7F ? 1 : 0;
  const size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
  if (c < 0xC2 || c > 0xF4) return 0;
  for (size_t k = 1; k < length; ++k) {
    if (!Continues(s, i + k)) return 0;
  }
  const auto second = static_cast<uint8_t>(s[i + 1]);
  const bool bad = (c == 0xC2 && second < 0xA0) || (c == 0xE0 && second < 0xA0) ||
                   (c == 0xED && second >= 0xA0) || (c == 0xF0 && second < 0x90) ||
                   (c == 0xF4 && second >= 0x90);
  return bad ? 0 : length;
}

}  // namespace

bool IsIdentifier(std::string_view name) {
  if (name.empty() || !IsLetter(name[0])) return false;
  for (char c : name) {
    if (!IsLetter(c) && !(c >= '0' && c <= '9') && c != '.') return false;
  }
  return true;
}

bool IsValidName(std::string_view name) {
  if (name.size() > kMaxNameBytes) return false;
  for (size_t i = 0; i < name.size();) {
    const size_t length = PrintableLength(name, i);
    if (length == 0) return false;
    i += length;
  }
  return true;
}

void AppendQuoted(std::string* out, std::string_view text) {
  constexpr char kHex[] = "0123456789abcdef";
  out->push_back('"');
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const size_t length = PrintableLength(text, i);
    if (c == '"' || c == '\\') {
      out->push_back('\\');
      out->push_back(c);
    } else if (length > 0) {
      out->append(text, i, length);
    } else if (c == '\n') {
      out->append("\\n");
    } else if (c == '\t') {
      out->append("\\t");
    } else {
      out->append("\\x");
      out->push_back(kHex[static_cast<uint8_t>(c) >> 4]);
      out->push_back(kHex[static_cast<uint8_t>(c) & 15]);
    }
    i += length > 0 ? length : 1;
  }
  out->push_back('"');
}

std::string Quoted(std::string_view text) {
  constexpr size_t kLongest = 60;
  std::string out;
  AppendQuoted(&out, text.substr(0, kLongest));
  if (text.size() > kLongest) out += "...";
  return out;
}

}  // namespace reel::ir
