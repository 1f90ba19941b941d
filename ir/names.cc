#include "ir/names.h"

#include <cstdint>

#include "ir/printable.h"

namespace reel::ir {
namespace {

bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_'; }

bool Continues(std::string_view s, size_t i) { return i < s.size() && (static_cast<uint8_t>(s[i]) & 0xC0) == 0x80; }

struct Character {
  size_t length = 0;  // 0: no UTF-8
  uint32_t code = 0;
};

// The first character; overlong forms, surrogates and code points above 0x10FFFF are none.
Character Decode(std::string_view s) {
  const auto c = static_cast<uint8_t>(s[0]);
  if (c < 0x80) return {1, c};
  const size_t length = c >= 0xF0 ? 4 : c >= 0xE0 ? 3 : 2;
  if (c < 0xC2 || c > 0xF4) return {};
  uint32_t code = c & (0x7Fu >> length);
  for (size_t k = 1; k < length; ++k) {
    if (!Continues(s, k)) return {};
    code = code << 6 | (static_cast<uint8_t>(s[k]) & 0x3Fu);
  }
  constexpr uint32_t kLeast[] = {0, 0, 0x80, 0x800, 0x10000};
  const bool bad = code < kLeast[length] || (code >= 0xD800 && code < 0xE000) || code > 0x10FFFF;
  return bad ? Character{} : Character{length, code};
}

bool IsControl(uint32_t code) { return code < 0x20 || (code >= 0x7F && code < 0xA0); }

// Separators of lines, marks of direction, and what is not seen (Unicode's Cf, Zl, Zp and fillers).
bool IsInvisible(uint32_t code) {
  struct Range {
    uint32_t first, last;
  };
  static constexpr Range kRanges[] = {{0xAD, 0xAD},       {0x34F, 0x34F},     {0x600, 0x605},     {0x61C, 0x61C},
                                      {0x6DD, 0x6DD},     {0x70F, 0x70F},     {0x8E2, 0x8E2},     {0x115F, 0x1160},
                                      {0x17B4, 0x17B5},   {0x180B, 0x180F},   {0x200B, 0x200F},   {0x2028, 0x202E},
                                      {0x2060, 0x206F},   {0x3164, 0x3164},   {0xFE00, 0xFE0F},   {0xFEFF, 0xFEFF},
                                      {0xFFA0, 0xFFA0},   {0xFFF0, 0xFFFB},   {0x110BD, 0x110BD}, {0x110CD, 0x110CD},
                                      {0x13430, 0x1343F}, {0x1BCA0, 0x1BCA3}, {0x1D173, 0x1D17A}, {0xE0000, 0xE0FFF}};
  for (const Range& r : kRanges) {
    if (code >= r.first && code <= r.last) return true;
  }
  return false;
}

void AppendHex(std::string* out, uint32_t x, int digits) {
  constexpr char kHex[] = "0123456789abcdef";
  while (digits-- > 0) out->push_back(kHex[x >> (4 * digits) & 15]);
}

}  // namespace

size_t PrintableLength(std::string_view text) {
  const Character c = text.empty() ? Character{} : Decode(text);
  return IsControl(c.code) || IsInvisible(c.code) ? 0 : c.length;
}

std::string Printable(std::string_view text) {
  std::string out;
  out.reserve(text.size());
  while (!text.empty()) {
    const bool blank = text[0] == '\n' || text[0] == '\t';
    const size_t length = blank ? 1 : PrintableLength(text);
    if (length > 0) {
      out.append(text, 0, length);
    } else {
      out.append("\\x");
      AppendHex(&out, static_cast<uint8_t>(text[0]), 2);
    }
    text.remove_prefix(length > 0 ? length : 1);
  }
  return out;
}

std::string JsonQuoted(std::string_view text) {
  std::string out = "\"";
  while (!text.empty()) {
    const Character c = Decode(text);
    const uint32_t code = c.length == 0 ? 0xFFFD : c.code;
    if (code == '"' || code == '\\') {
      out.append({'\\', static_cast<char>(code)});
    } else if (code >= 0x20 && code < 0x7F) {
      out.push_back(static_cast<char>(code));
    } else if (code < 0x10000) {
      out.append("\\u");
      AppendHex(&out, code, 4);
    } else {
      out.append("\\u");
      AppendHex(&out, 0xD800 + ((code - 0x10000) >> 10), 4);
      out.append("\\u");
      AppendHex(&out, 0xDC00 + ((code - 0x10000) & 0x3FF), 4);
    }
    text.remove_prefix(c.length == 0 ? 1 : c.length);
  }
  return out + "\"";
}

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
    const Character c = Decode(name.substr(i));
    if (c.length == 0 || IsControl(c.code)) return false;
    i += c.length;
  }
  return true;
}

void AppendQuoted(std::string* out, std::string_view text) {
  out->push_back('"');
  for (size_t i = 0; i < text.size();) {
    const char c = text[i];
    const size_t length = PrintableLength(text.substr(i));
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
      AppendHex(out, static_cast<uint8_t>(c), 2);
    }
    i += length > 0 ? length : 1;
  }
  out->push_back('"');
}

std::string Quoted(std::string_view text, size_t longest) {
  std::string out;
  AppendQuoted(&out, text.substr(0, longest));
  if (text.size() > longest) out += "...";
  return out;
}

}  // namespace reel::ir
