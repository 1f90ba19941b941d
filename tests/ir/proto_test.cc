#include <gmock/gmock.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>

#include "ir/builder.h"
#include "ir/proto/convert.h"
#include "ir/strings.h"
#include "tests/ir/text_util.h"
#include "tests/paths.h"

namespace reel::ir {
namespace {

Module EveryOp() { return *ParseModule(EveryOpText(), "every_op"); }

Module Small() { return *ParseModule(Body("  %0 = exp %x : f32[4]\n  return %0")); }

std::string Bytes(const Module& module) {
  const auto bytes = SerializeModule(module);
  EXPECT_TRUE(bytes.ok()) << bytes.status();
  return bytes.ok() ? *bytes : "";
}

// `from` occurs once and becomes `to`, of the same length.
std::string Patch(std::string bytes, std::string_view from, std::string_view to) {
  const size_t at = bytes.find(from);
  EXPECT_NE(at, std::string::npos);
  EXPECT_EQ(bytes.find(from, at + 1), std::string::npos);
  if (at != std::string::npos) bytes.replace(at, to.size(), to);
  return bytes;
}

TEST(Proto, RoundTripIsBijective) {
  const Module module = EveryOp();
  const std::string bytes = Bytes(module);
  const auto again = ParseBytes(bytes);
  ASSERT_TRUE(again.ok()) << again.status();
  EXPECT_EQ(PrintAll(*again), EveryOpText());
  EXPECT_EQ(Bytes(*again), bytes);
  ASSERT_EQ(again->functions().size(), module.functions().size());
  for (size_t i = 0; i < module.functions().size(); ++i) {
    EXPECT_EQ(Fingerprint(*again->functions()[i]), Fingerprint(*module.functions()[i]));
  }
}

// Fields 2 and 3, what is written and the oldest reader: who does not know of parts must not take one for the whole.
TEST(Proto, PartsNeedANewerReader) {
  EXPECT_THAT(Bytes(Small()).substr(0, 10), testing::HasSubstr("REEL\x10\x02\x18\x01"));
  EXPECT_THAT(Bytes(EveryOp()).substr(0, 10), testing::HasSubstr("REEL\x10\x03\x18\x03"));
}

TEST(Proto, EqualModulesHaveEqualBytes) {
  EXPECT_EQ(Bytes(EveryOp()), Bytes(EveryOp()));
  // Whether two constants share their bytes does not show.
  const auto constants = [](bool share) {
    Module module;
    Function f("f");
    Builder b(&f);
    const Literal one = Literal::Scalar(kFloat32, 1), same = Literal::Scalar(kFloat32, 1);
    const Value x = b.Constant(one), y = b.Constant(share ? one : same);
    f.SetResults({x, y});
    module.AddFunction(std::move(f));
    return Bytes(module);
  };
  EXPECT_EQ(constants(true), constants(false));
}

TEST(Proto, RefusesWhatItDoesNotKnow) {
  const std::string bytes = Bytes(Small());
  using std::string_view_literals::operator""sv;
  EXPECT_EQ(Message(ParseBytes(Patch(bytes, "\x10\x02\x18\x01", "\x10\x04\x18\x04"))),
            "file: needs a reader of format version 4, this one knows 3; use a newer Reel");
  // A newer writer that this reader can still read.
  EXPECT_TRUE(ParseBytes(Patch(bytes, "\x10\x02\x18\x01", "\x10\x04\x18\x01")).ok());
  EXPECT_EQ(Message(ParseBytes(Patch(bytes,
                                     "\x03"
                                     "exp",
                                     "\x03"
                                     "exq"))),
            "file: unknown op \"exq\"; the file may need a newer Reel");
  const size_t version = bytes.find("\x4a\x04\x08");
  ASSERT_NE(version, std::string::npos);
  std::string newer = bytes;
  newer[version + 5] = 2;
  EXPECT_EQ(Message(ParseBytes(newer)), "file: op exp has version 2, this reader knows 1");
  EXPECT_EQ(Message(ParseBytes(Patch(bytes,
                                     "\x03"
                                     "f32",
                                     "\x03"
                                     "f33"))),
            "file: type 0: unknown dtype \"f33\"");
  EXPECT_EQ(Message(ParseBytes(Patch(bytes, "\x12\x01\x00\x1a"sv, "\x12\x01\x07\x1a"sv))),
            "file: function \"f\", node 0: index 7 of values defined before is out of range, there "
            "are 1");
  // Its own result: a cycle.
  EXPECT_EQ(Message(ParseBytes(Patch(bytes, "\x12\x01\x00\x1a"sv, "\x12\x01\x01\x1a"sv))),
            "file: function \"f\", node 0: index 1 of values defined before is out of range, there "
            "are 1");
  EXPECT_EQ(Message(ParseBytes(Patch(bytes, "\x12\x01\x08", "\x12\x01\x07"))),  // zigzag: -4
            "file: type 0: extent -4 is negative and names no symbol");
  EXPECT_EQ(Message(ParseBytes(Patch(bytes, "\x01x", "\x01\x1b"))),
            "file: @f: parameter name \"\\x1b\" is not printable UTF-8 of at most 4096 bytes");
  EXPECT_EQ(Message(ParseBytes(bytes.substr(0, bytes.size() - 1))),
            "file: truncated or damaged: the bytes are not a Reel module");
  EXPECT_EQ(Message(ParseBytes("")), "file: truncated or damaged: not a Reel module");
  EXPECT_EQ(Message(ParseBytes("\x0a\x04RE")), "file: truncated or damaged: not a Reel module");
}

TEST(Proto, DamagedConstantIsFound) {
  const Module module = *ParseModule(Text("variable @w: f32[2] = [1, 2]"));
  const std::string bytes = Bytes(module);
  std::string bad = bytes;
  const size_t at = bad.find("\x80\x3f");  // of 1.0f
  ASSERT_NE(at, std::string::npos);
  bad[at] ^= 1;
  EXPECT_EQ(Message(ParseBytes(bad)), "file: constant 0: checksum does not match: the file is damaged");
  bad = Patch(bytes, "\x12\x01\x04", "\x12\x01\x06");  // extent 2 becomes 3
  EXPECT_EQ(Message(ParseBytes(bad)), "file: constant 0: f32[3] takes 12 bytes, found 8");
}

TEST(Proto, TooManyConstantBytes) {
  Module module("big");
  const Type type{kFloat64, {1 + kMaxTensorBytes / 8}};
  module.AddVariable({"w", type, true, Literal::Zeros(type)});
  const auto bytes = SerializeModule(module);
  EXPECT_EQ(bytes.status().code(), absl::StatusCode::kResourceExhausted);
  EXPECT_EQ(Message(bytes),
            "module 'big' has 67108872 bytes of constants, the binary form holds 67108864; save as "
            ".reel.txt, or "
            "pass large tensors as arguments");
}

TEST(Proto, BudgetHoldsBeforeParsing) {
  // Two bytes a node: a hundred times that in memory.
  std::string nodes;
  for (int i = 0; i < 1000000; ++i) nodes.append("\x32\x00", 2);
  const std::string bytes = std::string("\x0a\x04REEL\x10\x01\x18\x01\x62\x80\x89\x7a", 14) + nodes;
  const auto module = ParseBytes(bytes, {.max_memory = 64 << 20});
  EXPECT_EQ(module.status().code(), absl::StatusCode::kResourceExhausted) << module.status();
  EXPECT_NE(Message(module).find("(max_memory)"), std::string::npos);
  EXPECT_FALSE(ParseBytes(bytes).ok());
  EXPECT_EQ(ParseBytes(bytes, {.max_bytes = 1000}).status().code(), absl::StatusCode::kResourceExhausted);
  const auto small = ParseBytes(Bytes(EveryOp()), {.max_ops = 10});
  EXPECT_NE(Message(small).find("more than 10 ops"), std::string::npos) << small.status();
}

TEST(Proto, NestedGroupsAreRefused) {
  const std::string bytes = StrCat(std::string_view("\x0a\x04REEL", 6), std::string(100000, '\x7b'));
  EXPECT_EQ(Message(ParseBytes(bytes)), "file: truncated or damaged: the bytes are not a Reel module");
}

class ProtoFile : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = testing::TempDir() + "reel_proto_" + std::to_string(::getpid());
    std::filesystem::create_directory(folder_);
  }
  void TearDown() override { std::filesystem::remove_all(folder_); }
  std::string folder_;
};

TEST_F(ProtoFile, SaveAndLoad) {
  const Module module = EveryOp();
  for (const char* name : {"/m.reel", "/m.reel.txt"}) {
    const std::string path = folder_ + name;
    ASSERT_TRUE(SaveModule(module, path).ok());
    ASSERT_EQ(::chmod(path.c_str(), 0640), 0);
    ASSERT_TRUE(SaveModule(module, path).ok());  // replaces, keeps the mode
    struct stat info;
    ASSERT_EQ(::stat(path.c_str(), &info), 0);
    EXPECT_EQ(info.st_mode & 0777, 0640u);
    const auto again = LoadModule(path);
    ASSERT_TRUE(again.ok()) << again.status();
    EXPECT_EQ(PrintAll(*again), EveryOpText());
  }
  const std::filesystem::directory_iterator files(folder_);
  EXPECT_EQ(std::distance(begin(files), end(files)), 2) << "a temporary file was left";
}

TEST_F(ProtoFile, Failures) {
  const std::string missing = folder_ + "/none/m.reel";
  EXPECT_EQ(SaveModule(Small(), missing).code(), absl::StatusCode::kNotFound);
  EXPECT_EQ(LoadModule(missing).status().code(), absl::StatusCode::kNotFound);
  EXPECT_FALSE(LoadModule(folder_).ok());
  const std::string path = folder_ + "/m.reel";
  ASSERT_TRUE(SaveModule(Small(), path).ok());
  EXPECT_EQ(LoadModule(path, {.max_bytes = 10}).status().code(), absl::StatusCode::kResourceExhausted);
  // An invalid module leaves the old file alone.
  Module bad;
  Function f("f");
  f.SetResults({{3}});
  bad.AddFunction(std::move(f));
  EXPECT_FALSE(SaveModule(bad, path).ok());
  EXPECT_TRUE(LoadModule(path).ok());
}

// A file of every format version ever released stays loadable.
TEST(Proto, GoldenFiles) {
  for (const auto& [file, as] : {std::pair{"v1.reel", "v1"}, {"v2.reel", "v1"}, {"v3.reel", "v3"}}) {
    const std::string text = ReadSource(StrCat("tests/data/golden/", as, ".reel.txt"));
    EXPECT_TRUE(ParseModule(text).ok()) << as;
    const auto binary = LoadModule(StrCat(SourceDir(), "/tests/data/golden/", file));
    ASSERT_TRUE(binary.ok()) << binary.status();
    EXPECT_EQ(PrintAll(*binary), text) << file;
  }
}

// Many parts of a file are messages, too: of fewer functions, or none.
TEST(Proto, NoPartOfAFileIsAModule) {
  const std::string bytes = Bytes(EveryOp());
  for (size_t n = 0; n < bytes.size(); ++n) EXPECT_FALSE(ParseBytes(bytes.substr(0, n)).ok()) << n;
  EXPECT_THAT(Message(ParseBytes(bytes.substr(0, bytes.size() - 9))), testing::HasSubstr("truncated or damaged"));
  EXPECT_TRUE(ParseBytes(bytes).ok());
}

}  // namespace
}  // namespace reel::ir
