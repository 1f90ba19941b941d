// Hashes find, comparisons decide: structures of functions, keys of caches, constants of files.

#include <gtest/gtest.h>

#include <algorithm>
#include <fstream>
#include <sstream>

#include "ir/builder.h"
#include "ir/key.h"
#include "ir/proto/file.h"
#include "ir/siphash.h"
#include "ir/structure.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "tests/equal_hashes.h"
#include "tests/paths.h"

namespace reel::ir {
namespace {

Module Parse(const std::string& functions) {
  auto module = ParseModule("reel 1\nmodule \"m\"\n" + functions, "m");
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

/// One line of each pair differs: no two of these functions are equal, and none equals the first.
const char* const kFunctions[] = {
    "func @f(%x: f32[4], %y: f32[4]) -> (f32[4]) {\n  %0 = add %x, %y : f32[4]\n  return %0\n}",
    "func @f(%x: f32[4], %y: f32[4]) -> (f32[4]) {\n  %0 = sub %x, %y : f32[4]\n  return %0\n}",
    "func @f(%x: f32[4], %y: f32[4]) -> (f32[4]) {\n  %0 = add %y, %x : f32[4]\n  return %0\n}",
    "func @f(%x: f32[4], %y: f32[4]) -> (f32[4]) {\n  %0 = add %x, %y : f32[4]\n  return %x\n}",
    "func @f(%x: f32[4], %y: f32[4], %z: f32[4]) -> (f32[4]) {\n  %0 = add %x, %y : f32[4]\n  return %0\n}",
    "func @f(%x: f32[5], %y: f32[5]) -> (f32[5]) {\n  %0 = add %x, %y : f32[5]\n  return %0\n}",
    "func @f(%x: f64[4], %y: f64[4]) -> (f64[4]) {\n  %0 = add %x, %y : f64[4]\n  return %0\n}",
    "func @f(%x: f32[4], %y: f32[4]) -> (f32[4], f32[4]) {\n  %0 = add %x, %y : f32[4]\n  return %0, %0\n}",
    "func @f(%x: f32[4]) -> (f32[]) {\n  %0 = constant 0 : f32[]\n  return %0\n}",
    "func @f(%x: f32[4]) -> (f32[]) {\n  %0 = constant -0 : f32[]\n  return %0\n}",
    "func @f(%x: f32[4]) -> (f32[]) {\n  %0 = constant nan : f32[]\n  return %0\n}",
    "func @f(%x: f32[4]) -> (f32[4]) {\n  %0 = reverse %x {axes=[0]} : f32[4]\n  return %0\n}",
    "func @f(%x: f32[4]) -> (f32[4]) {\n  %0 = reverse %x {axes=[]} : f32[4]\n  return %0\n}",
};

TEST(Equality, OfFunctions) {
  std::vector<Module> modules;
  for (const char* text : kFunctions) modules.push_back(Parse(text));
  for (size_t i = 0; i < modules.size(); ++i) {
    for (size_t j = 0; j < modules.size(); ++j) {
      const Function &f = *modules[i].functions()[0], &g = *modules[j].functions()[0];
      EXPECT_EQ(SameStructure(f, g), i == j) << i << ' ' << j;
      EXPECT_EQ(Fingerprint(f) == Fingerprint(g), i == j) << i << ' ' << j;
    }
  }
  const Module named = Parse(
      "func @other(%a: f32[4], %b: f32[4]) -> (f32[4]) {\n"
      "  %0.sum = add %a, %b : f32[4]\n"
      "  return %0.sum\n}");
  EXPECT_TRUE(SameStructure(*named.functions()[0], *modules[0].functions()[0]));
}

TEST(Equality, StatesCount) {
  const auto module = [](const std::string& name) {
    return Parse("variable @v: f32[] = 1\nvariable @w: f32[] = 1\nfunc @f() state(@" + name +
                 ": f32[]) -> (f32[]) {\n  return @" + name + " state(@" + name + ")\n}");
  };
  const Module v = module("v"), w = module("w");
  EXPECT_FALSE(SameStructure(*v.functions()[0], *w.functions()[0]));
  EXPECT_TRUE(SameStructure(*v.functions()[0], *module("v").functions()[0]));
}

TEST(Equality, KeysOfAttributes) {
  const auto key = [](const Attributes& attributes) {
    std::string bytes;
    AppendKey(&bytes, attributes);
    return bytes;
  };
  const auto scalar = [](double x) { return AttrValue(Literal::Scalar(kFloat64, x)); };
  const std::vector<Attributes> all = {
      {},
      {{"a", int64_t{1}}},
      {{"b", int64_t{1}}},
      {{"a", int64_t{-1}}},
      {{"a", true}},
      {{"a", std::vector<int64_t>{1}}},
      {{"a", std::vector<int64_t>{}}},
      {{"a", std::string("1")}},
      {{"a", std::string()}},
      {{"a", Shape({1})}},
      {{"a", Shape{Extent::Symbol(0)}}},
      {{"a", kInt8}},
      {{"a", scalar(0.0)}},
      {{"a", scalar(-0.0)}},
      {{"a", int64_t{1}}, {"b", int64_t{1}}},
      {{"a", std::string("1b")}},
      {{"a", int64_t{INT64_MIN}}},
      {{"a", int64_t{INT64_MAX}}},
  };
  for (size_t i = 0; i < all.size(); ++i) {
    for (size_t j = 0; j < all.size(); ++j) EXPECT_EQ(key(all[i]) == key(all[j]), i == j) << i << ' ' << j;
  }
}

/// Numbers say where they end: no sequence of them begins another's bytes but its own beginning.
TEST(Equality, KeysOfNumbers) {
  std::vector<int64_t> numbers = {0, INT64_MIN, INT64_MAX};
  for (int bit = 0; bit < 63; ++bit) {
    for (int64_t x : {int64_t{1} << bit, (int64_t{1} << bit) - 1, -(int64_t{1} << bit)}) numbers.push_back(x);
  }
  std::sort(numbers.begin(), numbers.end());
  numbers.erase(std::unique(numbers.begin(), numbers.end()), numbers.end());
  std::vector<std::string> keys;
  for (int64_t x : numbers) AppendKey(&keys.emplace_back(), x);
  for (const std::string& a : keys) {
    for (const std::string& b : keys) EXPECT_EQ(a.starts_with(b), &a == &b);
  }
}

std::string Saved(const Module& module) {
  const std::string path = testing::TempDir() + "/equality.reel";
  EXPECT_TRUE(SaveModule(module, path).ok());
  std::ostringstream bytes;
  bytes << std::ifstream(path, std::ios::binary).rdbuf();
  return bytes.str();
}

TEST(Equality, TablesOfFiles) {
  std::ostringstream text;
  text << std::ifstream(SourceDir() + "/tests/ir/text_every_op.reel.txt").rdbuf();
  auto module = ParseModule(text.str(), "every_op");
  ASSERT_TRUE(module.ok()) << module.status();
  const std::string bytes = Saved(*module);
  const EqualHashes equal;
  EXPECT_EQ(Saved(*module), bytes);
}

/// Over the limit the constants are not in the message, and are not compared with what is there.
TEST(Equality, ConstantsOverTheLimitOfFiles) {
  Module module("large");
  Function f("f");
  Builder b(&f);
  const Type type{kUInt8, Shape({(64 << 20) + 1})};
  const Value x = b.Constant(Literal::Zeros(type)), y = b.Constant(Literal::Zeros(type));
  f.SetResults({x, y});
  module.AddFunction(std::move(f));
  EXPECT_EQ(SaveModule(module, testing::TempDir() + "/large.reel").code(), absl::StatusCode::kResourceExhausted);
}

// Of the reference implementation: key 00 01 .. 0f, messages 00 01 .. of 0 and 8 bytes, results of 16 bytes.
TEST(Equality, SipHash) {
  const SipHash::Key key = {0x0706050403020100u, 0x0f0e0d0c0b0a0908u};
  SipHash hash(key);
  EXPECT_EQ(hash.Sum(), (std::array<uint64_t, 2>{0xe6a825ba047f81a3u, 0x930255c71472f66du}));
  hash.Add(uint64_t{0x0706050403020100u});
  const auto eight = hash.Sum();
  EXPECT_EQ(eight, (std::array<uint64_t, 2>{0x61f55862baa9623bu, 0xb49714f364e2830fu}));
  EXPECT_EQ(hash.Sum(), eight) << "a sum changes nothing";
  SipHash other({key[0], key[1] ^ 1});
  other.Add(uint64_t{0x0706050403020100u});
  EXPECT_NE(other.Sum(), eight);
  SipHash ab(key), ba(key);
  ab.Add(std::string_view("a"));
  ab.Add(std::string_view("b"));
  ba.Add(std::string_view("ab"));
  ba.Add(std::string_view(""));
  EXPECT_NE(ab.Sum(), ba.Sum());
}

}  // namespace
}  // namespace reel::ir
