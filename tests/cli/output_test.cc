// Where output goes: special files, links, modes, standard input and output, and what a terminal may be sent.
#include <fcntl.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <sys/sysmacros.h>
#include <unistd.h>
#include <nlohmann/json.hpp>

#include <cstdlib>
#include <filesystem>

#include "cli_testing.h"
#include "frontend/values/npy.h"
#include "ir/printable.h"
#include "tests/codegen/bombs.h"
#include "tests/paths.h"

namespace reel::cli {
namespace {

namespace fs = std::filesystem;

class Output : public testing::Test {
 protected:
  Output() { Write(file_, kModule); }
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  /// Through a shell, in the folder, as `reel`.
  ProcessResult Shell(const std::string& command) const {
    return RunProcess({"sh", "-c", "reel() { '" + BinaryDir() + "/bin/reel' \"$@\"; }; " + command}, folder_.path());
  }

  const TemporaryFolder folder_;
  const std::string file_ = folder_.path() + "/small.reel.txt";
};

TEST_F(Output, SpecialFilesStay) {
  for (const char* command : {"convert", "opt"}) {
    EXPECT_EQ(kOk, Reel({command, file_, "-o", "/dev/null"}).status);
    EXPECT_EQ(kIo, Reel({command, file_, "-o", "/dev/full"}).status);
  }
  struct stat info;
  ASSERT_EQ(0, ::stat("/dev/null", &info));
  EXPECT_TRUE(S_ISCHR(info.st_mode));
  ASSERT_EQ(0, ::mkfifo(Path("pipe").c_str(), 0600));
  EXPECT_EQ(kOk, Shell("cat pipe > got & reel convert small.reel.txt -o pipe; wait; test -p pipe").status);
  EXPECT_EQ(kOk, Shell("reel convert small.reel.txt -o want.reel && cmp want.reel got").status);
}

TEST_F(Output, LinksAndModesStay) {
  Write(Path("model.reel"), "old");
  ASSERT_EQ(0, ::chmod(Path("model.reel").c_str(), 0600));
  fs::create_symlink("model.reel", Path("link"));
  EXPECT_EQ(kOk, Reel({"convert", file_, "-o", Path("link")}).status);
  EXPECT_TRUE(fs::is_symlink(Path("link")));
  EXPECT_EQ(kOk, Reel({"verify", Path("model.reel")}).status);
  EXPECT_EQ(fs::perms(0600), fs::status(Path("model.reel")).permissions());
  EXPECT_EQ((std::vector<std::string>{"link", "model.reel", "small.reel.txt"}), List(folder_.path()));
}

/// The module comes late, and an argument as much later: each in time, but not both.
TEST_F(Output, LoadingCompilingAndRunningHaveOneBudgetOfTime) {
  const float x[] = {3, 4};
  const int32_t n[] = {2};
  Write(Path("x.npy"), FormatNpy(ir::Literal::From<float>({2}, x)));
  Write(Path("n.npy"), FormatNpy(ir::Literal::From<int32_t>({}, n)));
  ASSERT_EQ(0, ::mkfifo(Path("module").c_str(), 0600));
  ASSERT_EQ(0, ::mkfifo(Path("n").c_str(), 0600));
  for (const char* engine : {"jit", "eager", "interpret"}) {
    for (const auto& [seconds, status] : {std::pair("1", kBudget), std::pair("600", kOk)}) {
      const ProcessResult result = Shell(
          StrCat("(sleep 0.7; cat small.reel.txt > module; sleep 0.7; cat n.npy > n) & reel run module --input x=x.npy "
                 "--input n=n --engine ",
                 engine, " --budget-seconds ", seconds, "; s=$?; wait; exit $s"));
      EXPECT_EQ(status, result.status) << engine << ": " << result.err;
      EXPECT_EQ(status == kBudget, result.err.find("budget") != std::string::npos) << result.err;
    }
  }
}

TEST_F(Output, AnInterruptEndsCompilingAndLeavesNothing) {
  Write(Path("bomb.reel.txt"), StrCat("reel 1\nmodule \"bomb\"\n", codegen::BombSwitches(3000)));
  const std::string reel = "'" + BinaryDir() + "/bin/reel'";
  for (const char* seconds : {"0.1", "0.5"}) {
    const ProcessResult result = Shell(StrCat("timeout --preserve-status -s INT ", seconds, " ", reel,
                                              " compile bomb.reel.txt -o bomb; test $? = 130"));
    EXPECT_EQ(0, result.status) << result.out << result.err;
    EXPECT_EQ((std::vector<std::string>{"bomb.reel.txt", "small.reel.txt"}), List(folder_.path()));
  }
}

TEST_F(Output, StandardInputAndOutput) {
  const float x[] = {3, 4};
  Write(Path("x.npy"), FormatNpy(ir::Literal::From<float>({2}, x)));
  Write(Path("n.npy"), FormatNpy(ir::Literal::ScalarInt(kInt32, 2)));
  for (const char* command :
       {"reel convert small.reel.txt -o - | reel verify -",
        "reel grad - -o - < small.reel.txt | reel show - | grep train.grad",
        "reel convert - -o - < small.reel.txt | reel convert - -o out.reel.txt && test -s out.reel.txt",
        "reel opt small.reel.txt -o /dev/stdout | reel verify -",
        "cat small.reel.txt | reel compile - -o made && test -s made.o",
        "reel run small.reel.txt --input n=n.npy --input x=- < x.npy",
        "reel run small.reel.txt --input n=n.npy --input x=x.npy --save-state - | reel verify -",
        "echo first > log; reel show small.reel.txt >> log; grep -q first log && grep -q train log",
        "(reel show small.reel.txt; echo end) > log; grep -q func log && grep -q end log",
        "! reel show small.reel.txt > /dev/full", "! reel show small.reel.txt >&-", "! reel show - <&-",
        "! reel --version > /dev/full", "reel convert small.reel.txt -o a.reel >&- 2>&-; reel verify a.reel"}) {
    const ProcessResult result = Shell(command);
    EXPECT_EQ(0, result.status) << command << "\n" << result.err;
  }
  // What is said goes where the file does not.
  const ProcessResult result = Shell("reel convert small.reel.txt -o -");
  EXPECT_TRUE(result.out.starts_with("\x0a\x04REEL"));
  EXPECT_NE(result.err.find("nodes"), std::string::npos);
  EXPECT_EQ(kUsage, Shell("reel run small.reel.txt --input n=n.npy --input x=x.npy --output-dir -").status);
  EXPECT_EQ(kUsage, Shell("reel run small.reel.txt --input n=n.npy --input x=x.npy --profile=- --save-state -").status);
  EXPECT_EQ(std::string::npos, Shell("ls -a").out.find("tmp"));
}

/// A file that cannot be whole is no file: a limit of its size stands for a full disk.
TEST_F(Output, WhatCannotBeWrittenIsStatus4) {
  Write(Path("old.reel"), "old");
  const ProcessResult result = Shell("ulimit -f 0; reel convert small.reel.txt -o old.reel");
  EXPECT_EQ(kIo, result.status) << result.err;
  EXPECT_NE(result.err.find("File too large"), std::string::npos) << result.err;
  EXPECT_EQ("old", Read(Path("old.reel")));
  for (const std::string& path : {folder_.path(), Path("none/x.reel"), Path("none/x/"), std::string("/proc/none")})
    EXPECT_EQ(kIo, Reel({"convert", file_, "-o", path}).status) << path;
}

TEST_F(Output, NamesOfAFileDoNotReachTheTerminal) {
  const std::string bad =
      "a\xe2\x80\xae"
      "b\xe2\x80\xa8"
      "c\xe2\x81\xa6"
      "d";
  std::string text(kModule);
  for (const char* const old : {"%x", "loss", "train", "small"}) {
    const std::string from = old;
    const std::string sigil = from[0] == '%' ? "%" : "";
    const std::string to = from == "small" ? from + bad : sigil + "\"" + from.substr(sigil.size()) + bad + "\"";
    for (size_t at = 0; (at = text.find(from, at)) != text.npos; at += to.size()) text.replace(at, from.size(), to);
  }
  text.insert(text.find("variable"), "meta \"k\" = \"v\\xfe\\x80\\xe2\\x80\\xa8\"\n");
  Write(Path("bad.reel.txt"), text);
  Write(Path("x.npy"), FormatNpy(ir::Literal::Zeros({kFloat32, {2}})));
  Write(Path("n.npy"), FormatNpy(ir::Literal::ScalarInt(kInt32, 2)));
  const std::string input = "%\"x" + bad + "\"";
  for (const char* const line :
       {"reel show bad.reel.txt", "reel show bad.reel.txt --json", "reel show bad.reel.txt --dot",
        "reel verify bad.reel.txt", "reel grad bad.reel.txt", "reel grad bad.reel.txt --json",
        "reel grad bad.reel.txt --xs nothing", "reel opt bad.reel.txt", "reel opt bad.reel.txt --json",
        "reel run bad.reel.txt", "reel compile bad.reel.txt -o o --emit=plan,dot,obj,header --json"}) {
    const std::string command = line;
    const ProcessResult result = Shell(command);
    for (const std::string& said : {result.out, result.err}) {
      EXPECT_EQ(said, ir::Printable(said)) << command;
    }
    EXPECT_FALSE(result.out.empty() && result.err.empty()) << command;
    if (command.ends_with("--json")) {
      EXPECT_EQ(kOk, result.status) << command << result.err;
      EXPECT_FALSE(Json::parse(result.out.substr(0, result.out.find("}\n{") + 1), nullptr, false).is_discarded() &&
                   Json::parse(result.out, nullptr, false).is_discarded())
          << command;
    }
  }
  for (const char* name : {"o.plan.txt", "o.dot"}) EXPECT_EQ(Read(Path(name)), ir::Printable(Read(Path(name)))) << name;
}

TEST_F(Output, MalformedEnvironmentAndBudgetsAreUsage) {
  for (const char* value : {"REEL_NUM_THREADS=0", "REEL_NUM_THREADS=two", "REEL_NUM_THREADS=-1", "REEL_PASS_LIMIT=1e3",
                            "REEL_TAPE_CACHE=yes", "REEL_PROFILE=maybe", "REEL_DUMP_PASSES=a,,b",
                            "REEL_DISABLE_PASSES=A", "REEL_NUM_THREADS=99999999999999999999"}) {
    for (const char* command : {"show", "verify", "grad", "opt"}) {
      const ProcessResult result = Shell(StrCat("export ", value, "; reel ", command, " small.reel.txt"));
      EXPECT_EQ(kUsage, result.status) << value << command;
      EXPECT_NE(result.err.find("malformed"), std::string::npos) << result.err;
    }
  }
  for (const char* seconds : {"nan", "inf", "-inf", "-1", "0", "1e300", "1e10", "1x", "", "0x10"}) {
    EXPECT_EQ(kUsage, Reel({"show", file_, "--budget-seconds", seconds}).status) << seconds;
  }
  for (const char* option : {"--budget-ops", "--budget-bytes", "--budget-memory"}) {
    for (const char* count : {"0", "-1", "1.5", "1e6", "9223372036854775808", "nan", ""})
      EXPECT_EQ(kUsage, Reel({"show", file_, option, count}).status) << option << count;
    EXPECT_EQ(kOk, Reel({"show", file_, option, "9223372036854775807"}).status) << option;
  }
  EXPECT_EQ(kOk, Reel({"show", file_, "--budget-seconds", "1e9"}).status);
}

// Linked by `cc`, in a folder below TMPDIR if that is one.
TEST(SharedLibraries, AreLinkedOrStatusFour) {
  const TemporaryFolder folder;
  const std::string file = folder.path() + "/a.reel.txt", out = folder.path() + "/square";
  Write(file,
        "reel 1\nmodule \"a\"\nfunc @main(%x: f32[2]) -> (y: f32[2]) {\n  %0 = mul %x, %x : f32[2]\n  return %0\n}\n");
  const std::vector<std::string> command = {
      "env", "TMPDIR=/nonexistent", BinaryDir() + "/bin/reel", "compile", file, "-o", out, "--emit=so"};
  const ProcessResult linked = RunProcess(command);
  EXPECT_EQ(linked.status, 0) << linked.err;
  EXPECT_TRUE(std::filesystem::exists(out + ".so"));
  std::vector<std::string> without = command;
  without[1] = "PATH=" + folder.path();
  without[6] = folder.path() + "/none";
  const ProcessResult refused = RunProcess(without);
  EXPECT_EQ(refused.status, kIo) << refused.err;
  EXPECT_THAT(refused.err, testing::HasSubstr("the C compiler `cc`"));
  EXPECT_FALSE(std::filesystem::exists(folder.path() + "/none.so"));
}

}  // namespace
}  // namespace reel::cli
