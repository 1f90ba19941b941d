// What goes to a terminal or into JSON, for every code point and for bytes that are none.
#include "ir/names.h"

#include <gtest/gtest.h>

#include <random>

#include "ir/number.h"
#include "ir/printable.h"

namespace reel::ir {
namespace {

std::string Utf8(uint32_t c) {
  const auto byte = [](uint32_t x) { return static_cast<char>(x); };
  if (c < 0x80) return {byte(c)};
  if (c < 0x800) return {byte(0xC0 | c >> 6), byte(0x80 | (c & 63))};
  if (c < 0x10000) return {byte(0xE0 | c >> 12), byte(0x80 | (c >> 6 & 63)), byte(0x80 | (c & 63))};
  return {byte(0xF0 | c >> 18), byte(0x80 | (c >> 12 & 63)), byte(0x80 | (c >> 6 & 63)), byte(0x80 | (c & 63))};
}

bool IsSafe(const std::string& text) { return text.find_first_not_of("\\x0123456789abcdef") == std::string::npos; }

TEST(Printable, HidesNothing) {
  for (const uint32_t c : {0x00u,   0x07u,   0x1bu,   0x7fu,   0x80u,    0x85u,    0x9bu,   0xadu,   0x61cu,
                           0x200bu, 0x200du, 0x200eu, 0x200fu, 0x2028u,  0x2029u,  0x202au, 0x202eu, 0x2060u,
                           0x2066u, 0x2069u, 0xfeffu, 0xfffbu, 0xe0001u, 0xe007fu, 0xd800u, 0xdfffu, 0x110000u}) {
    EXPECT_TRUE(IsSafe(Printable(Utf8(c)))) << c;
    EXPECT_EQ(PrintableLength(Utf8(c)), 0u) << c;
  }
  for (const uint32_t c : {0x20u, 0x41u, 0x7eu, 0xa0u, 0xe9u, 0x3b8u, 0x4e2du, 0x20acu, 0x1f600u}) {
    EXPECT_EQ(Printable(Utf8(c)), Utf8(c)) << c;
    EXPECT_EQ(PrintableLength(Utf8(c)), Utf8(c).size()) << c;
  }
  EXPECT_EQ(Printable("a\n\tb\r\x1b[2J"), "a\n\tb\\x0d\\x1b[2J");
  EXPECT_EQ(Printable("\xe2\x80\xae"
                      "gnp.exe"),
            "\\xe2\\x80\\xaegnp.exe");
  for (const char* bad : {"\xc0\x80", "\xe0\x80\x80", "\xf0\x80\x80\x80", "\xff", "\xe2\x80", "\xc3", "\x80"})
    EXPECT_TRUE(IsSafe(Printable(bad)));
}

TEST(Printable, NamesReadBackAndAreNotRefused) {
  std::string quoted;
  AppendQuoted(&quoted,
               "a\xe2\x80\xae"
               "b");
  EXPECT_EQ(quoted, "\"a\\xe2\\x80\\xaeb\"");
  EXPECT_TRUE(
      IsValidName("a\xe2\x80\x8d"
                  "b"));
  EXPECT_FALSE(IsValidName("a\xc2\x85"));
  EXPECT_FALSE(IsValidName("\xed\xa0\x80"));
  EXPECT_EQ(Quoted("\xe2\x80\xa8"), "\"\\xe2\\x80\\xa8\"");
}

TEST(JsonQuoted, IsAsciiWhateverTheBytes) {
  EXPECT_EQ(JsonQuoted("a\"\\\n\x7f\xc3\xa9\xf0\x9f\x98\x80\xff"),
            "\"a\\\"\\\\\\u000a\\u007f\\u00e9\\ud83d\\ude00\\ufffd\"");
  std::mt19937 random(18);
  for (int i = 0; i < 5000; ++i) {
    std::string bytes(random() % 12, '\0');
    for (char& c : bytes) c = static_cast<char>(random());
    for (const std::string& text : {JsonQuoted(bytes), Quoted(bytes), Printable(bytes)}) {
      for (size_t k = 0; k < text.size();) {
        const size_t n = text[k] == '\n' || text[k] == '\t' ? 1 : PrintableLength(std::string_view(text).substr(k));
        ASSERT_GT(n, 0u) << i;
        k += n;
      }
    }
  }
}

TEST(ParseNumber, IsTheWholeText) {
  int64_t n = 7;
  EXPECT_TRUE(ParseNumber("-12", &n) && n == -12);
  EXPECT_TRUE(ParseNumber("9223372036854775807", &n));
  for (const char* bad : {"", " 1", "1 ", "+1", "1x", "0x1", "9223372036854775808", "18446744073709551615", "1.5"})
    EXPECT_FALSE(ParseNumber(bad, &n)) << bad;
  EXPECT_FALSE(ParseNumber(std::string_view("1\0", 2), &n));
}

}  // namespace
}  // namespace reel::ir
