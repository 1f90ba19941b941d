#include <gtest/gtest.h>

#include <unistd.h>

#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <functional>

#include "cli_testing.h"
#include "frontend/values/npy.h"
#include "ir/strings.h"
#include "tests/paths.h"

namespace reel::cli {
namespace {

std::string Replaced(std::string_view text, std::string_view from, std::string_view to) {
  std::string out(text);
  const size_t at = out.find(from);
  EXPECT_NE(std::string::npos, at) << from;
  return out.replace(at, from.size(), to);
}

TEST(BadInput, TargetsAndSchedules) {
  const TemporaryFolder folder;
  const std::string module = folder.path() + "/m.reel.txt", file = folder.path() + "/x.target",
                    out = folder.path() + "/m";
  Write(module, kModule);
  Write(file, "reel target 1\nlevel = x86-64-v3\nl2_bytes = -1\n");
  ExpectFailure(Reel({"compile", module, "-o", out, "--target-file", file}), kInvalid, "x.target:3:12: l2_bytes is");
  ExpectFailure(Reel({"compile", module, "-o", out, "--target-file", folder.path() + "/none.target"}), kIo, "none");
  ExpectFailure(Reel({"compile", module, "-o", out, "--cpu", folder.path() + "/none.target"}), kInvalid, "none.target");
  ExpectFailure(Reel({"compile", module, "-o", out, "--schedules", folder.path() + "/none"}), kIo, "none");
  ExpectFailure(Reel({"tune", module, "--function", "nothing", "-o", out}), kInvalid, "nothing");
  ExpectFailure(Reel({"tune", module, "--seconds", "-3", "-o", out}), kUsage, "--seconds");
  // A damaged book is said and does no harm.
  Write(folder.path() + "/book", std::string("reel schedules 1\nx86-64-v3 \x01\n\0\n", 31));
  const ProcessResult result = Reel({"compile", module, "-o", out, "--schedules", folder.path() + "/book"});
  EXPECT_EQ(kOk, result.status) << result.err;
  EXPECT_NE(std::string::npos, result.err.find("book:2: expected TARGET")) << result.err;
}

TEST(BadInput, Text) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/bad.reel.txt";
  const struct {
    std::string text, message;
  } kCases[] = {
      {"", "truncated or damaged"},
      {"hello", "bad.reel.txt:1:"},
      {Replaced(kModule, "reel 1", "reel 99"), "99"},
      {Replaced(kModule, " mul @w", " mull @w"), "mull"},
      {Replaced(kModule, "mul @w, %x", "mul @w, %7"), "bad.reel.txt:"},
      {Replaced(kModule, "mul @w, %x", "mul @w, %0"), "bad.reel.txt:"},
      {Replaced(kModule, "%0 = mul @w, %x : f32[2]", "%0 = mul @w, %x : f32[3]"), "f32[3]"},
      {Replaced(kModule, "%0 = mul @w, %x : f32[2]", "%0 = mul @w, %x : f64[2]"), "f64[2]"},
      {Replaced(kModule, "%x: f32[2]", "%x: f32[-2]"), "bad.reel.txt:"},
      {Replaced(kModule, "%x: f32[2]", "%x: f32[99999999999999999999]"), "bad.reel.txt:"},
      {Replaced(kModule, "@steps frozen", "@w frozen"), "w"},
      {Replaced(kModule, "[1, 2]", "[1, 2, 3]"), "bad.reel.txt:"},
      {Replaced(kModule, "add @w, %x : f32[2]", "call @w, %x {callee=@train} : f32[2]"), "train"},
      {Replaced(kModule, "state(%2, %4)", "state(%2)"), "bad.reel.txt:14:"},
  };
  for (const auto& c : kCases) {
    SCOPED_TRACE(c.text);
    Write(file, c.text);
    ExpectFailure(Reel({"verify", file}), kInvalid, c.message);
  }
}

TEST(BadInput, Onnx) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/bad.onnx", out = folder.path() + "/out.reel";
  Write(file, "hello");
  ExpectFailure(Reel({"convert", file, "-o", out}), kInvalid, "truncated or damaged");
  ExpectFailure(Reel({"convert", file, "-o", out, "--dim", "n"}), kUsage, "NAME=VALUE");
  ExpectFailure(Reel({"convert", file, "-o", out, "--dim", "n=x"}), kUsage, "not an extent");
  ExpectFailure(Reel({"convert", folder.path() + "/none.onnx", "-o", out}), kIo, "none.onnx");
  ExpectFailure(Reel({"convert", folder.path() + "/a.pb", "-o", out}), kUsage, ".onnx");
  ExpectFailure(Reel({"convert", file, "-o", out, "--budget-bytes", "2"}), kBudget);
  const std::string cases = "/usr/share/libonnx-testdata/data/node/";  // of libonnx-testdata
  ExpectFailure(Reel({"convert", cases + "test_unique_sorted_without_axis/model.onnx", "-o", out}), kInvalid,
                "(Unique)");
  ExpectFailure(Reel({"convert", cases + "test_reshape_negative_dim/model.onnx", "-o", out}), kInvalid,
                "--constant shape=FILE.npy");
  EXPECT_EQ((std::vector<std::string>{"bad.onnx"}), List(folder.path()));
}

TEST(BadInput, EveryCommandWritesNothing) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/bad.reel", out = folder.path() + "/out";
  Write(file, Replaced(kModule, "state(%2, %4)", "state(%2)"));
  const std::vector<std::vector<std::string>> kCommands = {
      {"show", file},
      {"verify", file},
      {"grad", file, "-o", out},
      {"opt", file, "-o", out},
      {"run", file, "--output-dir", out, "--save-state", out + ".reel"},
      {"compile", file, "-o", out}};
  for (std::vector<std::string> command : kCommands) {
    SCOPED_TRACE(command[0]);
    ExpectFailure(Reel(command), kInvalid);
    command.push_back("--json");
    ExpectFailure(Reel(command), kInvalid);
    EXPECT_EQ(std::vector<std::string>{"bad.reel"}, List(folder.path()));
  }
}

TEST(BadInput, BinaryTruncatedOrFlipped) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/bad.reel";
  const std::string good = Read(SourceDir() + "/tests/data/golden/v2.reel");
  for (const size_t n : {size_t{0}, size_t{3}, good.size() / 2, good.size() - 1}) {
    Write(file, good.substr(0, n));
    ExpectFailure(Reel({"verify", file}), kInvalid, "bad.reel");
  }
  for (size_t i = 0; i < 12; ++i) {  // the parser's own test flips every bit
    std::string flipped = good;
    flipped[i * good.size() / 12] ^= 0x10;
    Write(file, flipped);
    const ProcessResult result = Reel({"verify", file});
    if (result.status == kOk)
      EXPECT_EQ("", result.err);  // a bit of a name, say
    else
      ExpectFailure(result, kInvalid);
  }
}

TEST(BadInput, Files) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/small.reel.txt";
  Write(file, kModule);
  ExpectFailure(Reel({"show", folder.path() + "/none.reel"}), kIo, "none.reel");
  ExpectFailure(Reel({"show", folder.path()}), kIo);
  ExpectFailure(Reel({"opt", file, "-o", folder.path() + "/no/such/folder.reel"}), kIo, "folder.reel");
  ExpectFailure(Reel({"opt", file, "-o", folder.path()}), kIo);
  ExpectFailure(Reel({"train", "--demo-data", folder.path(), "--output-dir", folder.path()}), kIo, "--demo-data");
  EXPECT_EQ(std::vector<std::string>{"small.reel.txt"}, List(folder.path()));
}

TEST(BadInput, Arrays) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/small.reel.txt", x = folder.path() + "/x.npy",
                    n = folder.path() + "/n.npy";
  Write(file, kModule);
  const float values[] = {1, 2, 3};
  Write(n, FormatNpy(ir::Literal::ScalarInt(kInt32, 3)));
  const auto run = [&](const std::vector<std::string>& inputs) {
    std::vector<std::string> command = {"run", file, "--engine", "interpret", "--output-dir", folder.path() + "/out"};
    for (const std::string& input : inputs) command.insert(command.end(), {"--input", input});
    return Reel(command);
  };
  Write(x, FormatNpy(ir::Literal::From<float>({3}, values)));
  ExpectFailure(run({"x=" + x, "n=" + n}), kInvalid, "f32[2], the file has f32[3]");
  Write(x, FormatNpy(ir::Literal::Zeros({kFloat64, {2}})));
  ExpectFailure(run({"x=" + x, "n=" + n}), kInvalid, "f64[2]");
  Write(x, "not an array");
  ExpectFailure(run({"x=" + x, "n=" + n}), kInvalid, "x.npy");
  ExpectFailure(run({"n=" + n}), kInvalid, "missing");
  ExpectFailure(run({"y=" + n}), kInvalid, "no argument");
  ExpectFailure(run({"n=" + n, "n=" + n}), kUsage, "twice");
  ExpectFailure(run({"n"}), kUsage, "NAME=FILE.npy");
  ExpectFailure(run({"n=" + folder.path() + "/none.npy"}), kIo, "none.npy");
}

TEST(BadInput, Usage) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/small.reel.txt";
  Write(file, kModule);
  const std::vector<std::vector<std::string>> kCommands = {{},
                                                           {"frobnicate"},
                                                           {"show"},
                                                           {"show", file, "--frob"},
                                                           {"run", file, "--engine", "abacus"},
                                                           {"compile", file},
                                                           {"compile", file, "-o", folder.path() + "/9lives"},
                                                           {"compile", file, "-o", "x", "--emit=exe"},
                                                           {"show", file, "--budget-ops", "many"},
                                                           {"show", file, "--budget-ops", "-1"},
                                                           {"bench", "no_such_workload"},
                                                           {"train", "--model", "gtp"},
                                                           {"grad", file, "--grad-ys", "a,b,c"}};
  for (const auto& command : kCommands) {
    SCOPED_TRACE(command.empty() ? "nothing" : command.back());
    ExpectFailure(Reel(command), kUsage);
  }
  ExpectFailure(Reel({"train", "--steps", "0"}), kUsage, "--steps: 0 is not a number from 1 to 2^63 - 1");
  ExpectFailure(Reel({"bench", "--threads", "65"}), kUsage, "--threads: Value 65 not in range 1 to 64");
  ExpectFailure(Reel({"run", file, "--profile=foo"}), kUsage, "--profile=foo: write --profile or --profile=FILE.json");
}

TEST(BadInput, NamesThatDoNotExist) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/small.reel.txt";
  Write(file, kModule);
  ExpectFailure(Reel({"show", file, "--function", "predict"}), kInvalid, "it has: train");
  ExpectFailure(Reel({"grad", file, "--ys", "nothing"}), kInvalid, "nothing");
  ExpectFailure(Reel({"grad", file, "--xs", "nothing"}), kInvalid, "nothing");
  ExpectFailure(Reel({"ops", "no_such_op"}), kInvalid, "no_such_op");
}

TEST(BadInput, ControlCharactersAndLength) {
  ExpectFailure(Reel({"show", "\x1b[31m\x07\r\xff" + std::string(3000, '\n') + std::string(3000, 'x')}), kIo,
                "\\x1b[31m");
  ExpectFailure(Reel({StrCat(std::string(100000, 'y'), "\x1b]0;title\x07")}), kUsage);
  ExpectFailure(Reel({"ops",
                      "\xe2\x80\xae"
                      "gpj.exe \xc2\x9b"}),
                kInvalid, "\\xe2\\x80\\xae");
}

TEST(BadInput, Budgets) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/small.reel.txt";
  Write(file, kModule);
  ExpectFailure(Reel({"show", file, "--budget-ops", "3"}), kBudget);
  ExpectFailure(Reel({"show", file, "--budget-bytes", "100"}), kBudget, "--budget-bytes");
  ExpectFailure(Reel({"show", file, "--budget-memory", "1"}), kBudget);
}

struct Ended {
  int status = 0;
  std::string message;
};

Ended Isolated(const Budget& budget, const std::function<std::string()>& work) {
  try {
    return {kOk, RunIsolated(budget, work)};
  } catch (const Failure& failure) {
    return {failure.status(), failure.what()};
  }
}

TEST(Isolate, GivesWhatTheWorkGivesOrSaysWhyNot) {
  const std::string bytes = StrCat(std::string(300000, 'x'), std::string(1, '\0'), "y");
  EXPECT_EQ(bytes, Isolated({}, [&] { return bytes; }).message);
  EXPECT_EQ(kOk, Isolated({}, [] { return ""; }).status);
  const Ended usage = Isolated({}, []() -> std::string { Fail(kUsage, "not so"); });
  EXPECT_EQ(kUsage, usage.status);
  EXPECT_EQ("not so", usage.message);
  const Ended other = Isolated({}, []() -> std::string { throw std::runtime_error("other"); });
  EXPECT_EQ(kInvalid, other.status);
  EXPECT_EQ("other", other.message);
}

TEST(Isolate, ACrashIsAFailure) {
  const Ended crash = Isolated({}, []() -> std::string {
    std::fputs("last words", stderr);
    std::signal(SIGABRT, SIG_DFL);
    std::abort();
  });
  EXPECT_EQ(kInvalid, crash.status);
  EXPECT_NE(std::string::npos, crash.message.find("last words")) << crash.message;
  const Ended killed = Isolated({}, []() -> std::string { return std::raise(SIGKILL), ""; });
  EXPECT_EQ(kBudget, killed.status);
  const Ended silent = Isolated({}, []() -> std::string { ::_exit(0); });
  EXPECT_EQ(kInvalid, silent.status);
}

TEST(Isolate, MemoryAndTimeAreLimited) {
  const Ended slow = Isolated({.max_seconds = 0}, []() -> std::string {
    for (;;) ::pause();
  });
  EXPECT_EQ(kBudget, slow.status);
  EXPECT_NE(std::string::npos, slow.message.find("--budget-seconds")) << slow.message;
#if !defined(__SANITIZE_ADDRESS__)
  const Ended large = Isolated({.max_memory = 1 << 20}, [] { return std::string(size_t{1} << 32, 'x'); });
  EXPECT_EQ(kBudget, large.status);
  EXPECT_NE(std::string::npos, large.message.find("--budget-memory")) << large.message;
#endif
}

}  // namespace
}  // namespace reel::cli
