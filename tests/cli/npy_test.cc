#include "frontend/values/npy.h"

#include <gtest/gtest.h>

#include <vector>

#include "ir/strings.h"

namespace reel {
namespace {

using ir::Literal;

// A version 1.0 file with this dictionary and data.
std::string File(const std::string& dictionary, std::string_view data, char version = 1) {
  std::string header = dictionary + "\n";
  std::string out = std::string("\x93NUMPY") + version + '\0' + static_cast<char>(header.size()) + '\0';
  if (version > 1) out += std::string(2, '\0');
  return out + header + std::string(data);
}

std::string Error(const std::string& bytes) {
  const auto literal = ParseNpy(bytes, "x.npy");
  return literal.ok() ? "ok" : std::string(literal.status().message());
}

TEST(Npy, RoundTripsEveryDtypeAndRank) {
  const float f[] = {1.5f, -0.0f, 3, 4, 5, 6};
  const double d[] = {0.1, -2, 1e300};
  const int32_t i[] = {-1, 2};
  const int64_t l[] = {INT64_MIN};
  const bool b[] = {true, false, true};
  for (const Literal& x :
       {Literal::From<float>({2, 3}, f), Literal::From<double>({3}, d), Literal::From<int32_t>({1, 2, 1}, i),
        Literal::From<int64_t>({}, l), Literal::From<bool>({3}, b), Literal::Zeros({kFloat32, {0, 4}})}) {
    const std::string bytes = FormatNpy(x);
    EXPECT_EQ(0u, (bytes.size() - x.bytes().size()) % 64);
    const auto back = ParseNpy(bytes, "x.npy");
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(x, *back) << x.type().ToString();
  }
}

// numpy.dtype.str of each dtype; bf16 as ml_dtypes saves it.
TEST(Npy, KnowsEveryDtype) {
  const std::string_view kDescrs[] = {"|b1", "|i1", "<i2", "<i4", "<i8", "|u1", "<u2", "<u4",
                                      "<u8", "<f2", "<V2", "<f4", "<f8", "<c8", "<c16"};
  for (int n = 0; n < kNumDTypes; ++n) {
    const Type type{static_cast<DType>(n), {3}};
    std::vector<std::byte> bytes(static_cast<size_t>(type.bytes()));
    for (size_t i = 0; i < bytes.size(); ++i) bytes[i] = static_cast<std::byte>(n == 0 ? i & 1 : 17 * i + 3);
    const Literal x(type, bytes);
    const std::string file = FormatNpy(x);
    EXPECT_NE(file.find(StrCat("{'descr': '", kDescrs[n], "',")), std::string::npos) << Name(type.dtype);
    const auto back = ParseNpy(file, "x.npy");
    ASSERT_TRUE(back.ok()) << back.status();
    EXPECT_EQ(x, *back) << Name(type.dtype);
  }
}

TEST(Npy, WritesWhatNumPyWrites) {
  const float x[] = {1, 2};
  const std::string dictionary = "{'descr': '<f4', 'fortran_order': False, 'shape': (2,), }";
  const std::string bytes = FormatNpy(Literal::From<float>({2}, x));
  EXPECT_EQ(
      std::string("\x93NUMPY\x01\x00v\x00", 10) + dictionary + std::string(118 - dictionary.size() - 1, ' ') + "\n",
      bytes.substr(0, 128));
}

TEST(Npy, ReadsLaterVersions) {
  const std::string dictionary = "{'descr': '<i4', 'fortran_order': False, 'shape': (1,)}";
  for (const char version : {'\1', '\2', '\3'})
    EXPECT_EQ("ok", Error(File(dictionary, "abcd", version))) << int{version};
  EXPECT_EQ("x.npy: .npy version 4.0 is not 1.0, 2.0 or 3.0", Error(File(dictionary, "abcd", 4)));
}

TEST(Npy, ReadsFortranOrder) {
  const auto read = ParseNpy(File("{'descr': '|u1', 'fortran_order': True, 'shape': (2,3)}", "adbecf"), "x.npy");
  ASSERT_TRUE(read.ok()) << read.status();
  const uint8_t expected[] = {'a', 'b', 'c', 'd', 'e', 'f'};
  EXPECT_EQ(*read, Literal::From<uint8_t>({2, 3}, expected));
}

TEST(Npy, RefusesWhatItDoesNotUnderstand) {
  const struct {
    const char *dictionary, *data, *error;
  } kCases[] = {
      {"{'descr': '>f4', 'fortran_order': False, 'shape': (1,)}", "abcd", "is not bool, an integer"},
      {"{'descr': '<f16', 'fortran_order': False, 'shape': (2,)}", "abcd", "is not bool, an integer"},
      {"{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,)}", "abcd", "of a record"},
      {"{'descr': '<f4', 'fortran_order': 0, 'shape': (1,)}", "abcd", "neither True nor False"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (-1,)}", "abcd", "an extent is not a number"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (99999999999999999999,)}", "", "an extent is not a number"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (4611686018427387904, 4)}", "", "overflows"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,1,1,1,1,1,1,1,1,1,1)}", "abcd", "more than 10 axes"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (2,)}", "abcd", "takes 8 bytes, but 4 follow"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "abcde", "takes 4 bytes, but 5 follow"},
      {"{'descr': '<f4', 'fortran_order': False}", "abcd", "is missing"},
      {"{'descr': '<f4', 'descr': '<f4', 'fortran_order': False, 'shape': (1,)}", "abcd", "twice"},
      {"{'descr': '<f4', 'other': 1, 'fortran_order': False, 'shape': (1,)}", "abcd", "is unknown"},
      {"{'descr': '<f4', 'fortran_order': False, 'shape': (1,)} x", "abcd", "something follows"},
      {"{'descr': '|b1', 'fortran_order': False, 'shape': (1,)}", "\x02", "neither 0 nor 1"},
      {"", "", "does not begin with {"},
  };
  for (const auto& c : kCases)
    EXPECT_NE(std::string::npos, Error(File(c.dictionary, c.data)).find(c.error)) << c.dictionary;
}

TEST(Npy, EveryPrefixIsAnError) {
  const float x[] = {1, 2};
  const std::string bytes = FormatNpy(Literal::From<float>({2}, x));
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_NE("ok", Error(bytes.substr(0, n))) << n;
}

TEST(Npy, EveryFlippedBitIsAnErrorOrAnotherTensor) {
  const float x[] = {1, 2};
  const std::string bytes = FormatNpy(Literal::From<float>({2}, x));
  for (size_t bit = 0; bit < bytes.size() * 8; ++bit) {
    std::string flipped = bytes;
    flipped[bit / 8] = static_cast<char>(flipped[bit / 8] ^ 1 << (bit % 8));
    (void)ParseNpy(flipped, "x.npy");  // no crash
  }
}

TEST(Npy, KeepsToTheMemoryBudget) {
  const float x[] = {1, 2};
  const auto literal = ParseNpy(FormatNpy(Literal::From<float>({2}, x)), "x.npy", {.max_memory = 7});
  EXPECT_EQ(absl::StatusCode::kResourceExhausted, literal.status().code());
}

}  // namespace
}  // namespace reel
