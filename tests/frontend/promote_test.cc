// The promotion table, cell by cell. Within a kind, and between floats and complex numbers, it is the array API's,
// which NumPy 2.4.6 follows (numpy.result_type printed it). Other kinds do not mix: the array API leaves them open,
// NumPy would go to float64; so would i64 with u64. f16 with bf16 has no rule there: f32 holds both.

#include <sstream>

#include "gtest/gtest.h"
#include "reel/reel.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

constexpr const char* kTable[kNumDTypes] = {
    "bool - - - - - - - - - - - - - -",  // bool
    "- i8 i16 i32 i64 i16 i32 i64 - - - - - - -",  // i8
    "- i16 i16 i32 i64 i16 i32 i64 - - - - - - -",  // i16
    "- i32 i32 i32 i64 i32 i32 i64 - - - - - - -",  // i32
    "- i64 i64 i64 i64 i64 i64 i64 - - - - - - -",  // i64
    "- i16 i16 i32 i64 u8 u16 u32 u64 - - - - - -",  // u8
    "- i32 i32 i32 i64 u16 u16 u32 u64 - - - - - -",  // u16
    "- i64 i64 i64 i64 u32 u32 u32 u64 - - - - - -",  // u32
    "- - - - - u64 u64 u64 u64 - - - - - -",  // u64
    "- - - - - - - - - f16 f32 f32 f64 c64 c128",  // f16
    "- - - - - - - - - f32 bf16 f32 f64 c64 c128",  // bf16
    "- - - - - - - - - f32 f32 f32 f64 c64 c128",  // f32
    "- - - - - - - - - f64 f64 f64 f64 c128 c128",  // f64
    "- - - - - - - - - c64 c64 c64 c128 c64 c128",  // c64
    "- - - - - - - - - c128 c128 c128 c128 c128 c128",  // c128
};
// With a C++ int, a double and a complex<double>, which are weak.
constexpr const char* kWeakTable[kNumDTypes] = {
    "i64 f32 c64",     // bool
    "i8 f32 c64",      // i8
    "i16 f32 c64",     // i16
    "i32 f32 c64",     // i32
    "i64 f32 c64",     // i64
    "u8 f32 c64",      // u8
    "u16 f32 c64",     // u16
    "u32 f32 c64",     // u32
    "u64 f32 c64",     // u64
    "f16 f16 c64",     // f16
    "bf16 bf16 c64",   // bf16
    "f32 f32 c64",     // f32
    "f64 f64 c128",    // f64
    "c64 c64 c64",     // c64
    "c128 c128 c128",  // c128
};

std::vector<std::string> Words(const std::string& text) {
  std::istringstream in(text);
  std::vector<std::string> words;
  for (std::string word; in >> word;) words.push_back(word);
  return words;
}

// The dtype of Where(true, a, b), which promotes and takes every dtype; "-" if it refuses.
template <typename A, typename B>
std::string Promoted(const A& a, const B& b) {
  try {
    const Tensor both = Where(Tensor(true), a, b);
    return std::string(Name(both.dtype()));
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument);
    EXPECT_NE(std::string(e.what()).find("do not mix; Cast"), std::string::npos) << e.what();
    return "-";
  }
}

TEST(Promotion, EveryPair) {
  for (int a = 0; a < kNumDTypes; ++a) {
    const auto row = Words(kTable[a]);
    ASSERT_EQ(row.size(), static_cast<size_t>(kNumDTypes));
    for (int b = 0; b < kNumDTypes; ++b) {
      const Tensor x = Ones({}, static_cast<DType>(a)), y = Ones({}, static_cast<DType>(b));
      EXPECT_EQ(Promoted(x, y), row[static_cast<size_t>(b)]) << Name(x.dtype()) << " with " << Name(y.dtype());
    }
  }
}

TEST(Promotion, EveryDtypeWithWeakNumbers) {
  for (int a = 0; a < kNumDTypes; ++a) {
    const auto row = Words(kWeakTable[a]);
    const Tensor x = Ones({}, static_cast<DType>(a));
    EXPECT_EQ(Promoted(x, true), Name(x.dtype()));
    EXPECT_EQ(Promoted(x, 1), row[0]) << Name(x.dtype());
    EXPECT_EQ(Promoted(x, 1.5), row[1]) << Name(x.dtype());
    EXPECT_EQ(Promoted(x, std::complex<double>(1, 2)), row[2]) << Name(x.dtype());
  }
  EXPECT_EQ(Promoted(1, 2), "i64");
  EXPECT_EQ(Promoted(1, 2.0), "f32");
  EXPECT_EQ(Promoted(1, std::complex<double>(1, 2)), "c64");
}

TEST(Promotion, WeakIntegersMustFit) {
  EXPECT_EQ(Add(Tensor(uint8_t{1}), 254).item<int>(), 255);
  EXPECT_EQ(Add(Tensor(int8_t{1}), -128).item<int>(), -127);
  EXPECT_EQ(Add(Tensor(uint64_t{0}), ~uint64_t{0}).item<uint64_t>(), ~uint64_t{0});
  ExpectError(ErrorCode::kInvalidArgument, "add: the number 256 does not fit u8; Cast",
              [] { Add(Tensor(uint8_t{1}), 256); });
  ExpectError(ErrorCode::kInvalidArgument, "the number -1 does not fit u64", [] { Add(Tensor(uint64_t{1}), -1); });
  ExpectError(ErrorCode::kInvalidArgument, "does not fit i64", [] { Add(Tensor(int64_t{1}), ~uint64_t{0}); });
}

}  // namespace
}  // namespace reel
