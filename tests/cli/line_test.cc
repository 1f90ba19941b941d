// The command line itself: names that were mistyped, completion, manual pages, and - for a file.
#include <gtest/gtest.h>
#include <nlohmann/json.hpp>

#include <map>
#include <set>
#include <sstream>

#include "cli_testing.h"
#include "frontend/values/npy.h"
#include "ir/suggest.h"
#include "tests/paths.h"

namespace reel::cli {
namespace {

class Line : public testing::Test {
 protected:
  Line() {
    const float x[] = {3, 4};
    Write(Path("small.reel.txt"), kModule);
    Write(Path("x.npy"), FormatNpy(ir::Literal::From<float>({2}, x)));
    Write(Path("t.csv"), "x,y\n1,0\n2,1\n3,0\n4,1\n");
    Write(Path("n.npy"), FormatNpy(ir::Literal::ScalarInt(kInt32, 2)));
  }
  std::string Path(const std::string& name) const { return folder_.path() + "/" + name; }
  /// Through bash, in the folder, as `reel`.
  ProcessResult Shell(const std::string& command) const {
    const std::string reel = "reel() { '" + BinaryDir() + "/bin/reel' \"$@\"; }; set -o pipefail; ";
    return RunProcess({"bash", "-c", reel + command}, folder_.path());
  }
  /// What `reel man --json` says, by command.
  static std::map<std::string, Json> Commands() {
    std::map<std::string, Json> out;
    std::istringstream lines(Reel({"man", "--json"}).out);
    for (std::string line; std::getline(lines, line);) {
      Json json = Json::parse(line, nullptr, false);
      out[json["command"].get<std::string>()] = json;
    }
    return out;
  }

  const TemporaryFolder folder_;
};

TEST(Suggest, DistancesAreThoseOfEdits) {
  const struct {
    const char *a, *b;
    size_t distance;
  } kCases[] = {{"", "", 0},         {"a", "", 1},           {"show", "show", 0},
                {"shwo", "show", 1}, {"sho", "show", 1},     {"shown", "show", 1},
                {"shaw", "show", 1}, {"ca", "abc", 3},       {"kitten", "sitting", 3},
                {"ab", "ba", 1},     {"abcdef", "ghijkl", 6}};
  for (const auto& c : kCases) {
    EXPECT_EQ(ir::EditDistance(c.a, c.b, 10), c.distance) << c.a << " " << c.b;
    EXPECT_EQ(ir::EditDistance(c.b, c.a, 10), c.distance) << c.a << " " << c.b;
    EXPECT_EQ(ir::EditDistance(c.a, c.b, 2), std::min<size_t>(c.distance, 3)) << c.a << " " << c.b;
  }
  const std::vector<std::string> names = {"train", "predict", "t"};
  EXPECT_EQ(ir::DidYouMean("tarin", names), "; did you mean \"train\"?");
  EXPECT_EQ(ir::DidYouMean("pedrict", names), "; did you mean \"predict\"?");
  for (const char* far : {"", "x", "evaluate", "q"}) EXPECT_EQ(ir::DidYouMean(far, names), "") << far;
  EXPECT_EQ(ir::DidYouMean(std::string(10000, 'a'), names), "");
}

TEST_F(Line, MistypedNamesAreSuggested) {
  const struct {
    const char *command, *message;
    int status;
  } kCases[] = {
      {"reel shwo small.reel.txt", "no command \"shwo\"; did you mean \"show\"?", kUsage},
      {"reel show small.reel.txt --fucntion train", "reel show has no option --fucntion; did you mean \"--function\"?",
       kUsage},
      {"reel run small.reel.txt --fucntion=train", "has no option --fucntion; did you mean \"--function\"?", kUsage},
      {"reel grad small.reel.txt --engine jit", "reel grad has no option --engine\n", kUsage},
      {"reel compile small.reel.txt -o x --emit=ojb", "did you mean \"obj\"?", kUsage},
      {"reel run small.reel.txt --engine interpet", "did you mean \"interpret\"?", kUsage},
      {"reel completion bahs", "did you mean \"bash\"?", kUsage},
      {"reel man trian", "did you mean \"train\"?", kUsage},
      {"reel bench mlp_smal", "did you mean \"mlp_small\"?", kUsage},
      {"reel show small.reel.txt --function tarin", "it has: train; did you mean \"train\"?", kInvalid},
      {"reel grad small.reel.txt --ys lsos", "did you mean \"loss\"?", kInvalid},
      {"reel grad small.reel.txt --xs ws", "did you mean \"w\"?", kInvalid},
      {"reel run small.reel.txt --input nn=n.npy", "did you mean \"n\"?", kInvalid},
      {"reel ops contarct", "did you mean \"contract\"?", kInvalid},
  };
  for (const auto& c : kCases) {
    const ProcessResult result = Shell(c.command);
    EXPECT_EQ(c.status, result.status) << c.command;
    EXPECT_EQ("", result.out) << c.command;
    EXPECT_NE(std::string::npos, result.err.find(c.message)) << c.command << "\n" << result.err;
  }
}

TEST_F(Line, BashCompletes) {
  const struct {
    const char *line, *words;
  } kCases[] = {
      {"reel sh", "show"},
      {"reel c", "compile convert completion"},
      {"reel --ver", "--version"},
      {"reel show --fu", "--function --full"},
      {"reel run small.reel.txt --engine ''", "jit interpret eager"},
      {"reel run small.reel.txt --engine = in", "interpret"},
      {"reel run small.reel.txt --engine =", "jit interpret eager"},
      {"reel compile --opt-level ''", "0 2"},
      {"reel compile -O ''", "0 2"},
      {"reel show sm", "small.reel.txt"},
      {"reel show --json sm", "small.reel.txt"},
      {"reel convert small.reel.txt -o fo", "folder 1"},
      {"reel run small.reel.txt --output-dir fo", "folder 1"},
      {"reel run small.reel.txt --output-dir sm", ""},
      {"reel run small.reel.txt --function sm", ""},
      {"reel completion ''", "bash zsh fish"},
      {"reel man comp", "compile completion"},
      {"reel none ''", ""},
  };
  ASSERT_EQ(0, Shell("mkdir 'folder 1' && reel completion bash -o script && bash -n script").status);
  for (const auto& c : kCases) {
    const ProcessResult result =
        Shell(StrCat("source ./script; COMP_WORDS=(", c.line,
                     "); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _reel; IFS=' '; printf '%s' \"${COMPREPLY[*]}\""));
    EXPECT_EQ(c.words, result.out) << c.line << result.err;
  }
  EXPECT_NE(Shell("source ./script; complete -p reel").out.find("-F _reel"), std::string::npos);
}

TEST_F(Line, EveryScriptHasEveryNameAndItsShellReadsIt) {
  for (const std::string shell : {"bash", "zsh", "fish"}) {
    const std::string script = Reel({"completion", shell}).out;
    Write(Path(shell), script);
    for (const auto& [name, command] : Commands()) {
      EXPECT_NE(std::string::npos, script.find(name)) << shell;
      for (const Json& option : command["options"]) {
        if (option["argument"].get<bool>()) continue;
        const std::string first = option["names"].back().get<std::string>();
        const std::string as = shell == "fish" ? "-l " + first.substr(2) : first;
        EXPECT_NE(std::string::npos, script.find(as)) << shell << " " << name;
      }
    }
    EXPECT_EQ(script, Json::parse(Reel({"completion", shell, "--json"}).out)["script"].get<std::string>());
    if (RunProcess({"sh", "-c", "command -v " + shell + " || exit 1"}).status != 0) continue;
    const ProcessResult read = RunProcess({shell, "-n", Path(shell)});
    EXPECT_EQ(0, read.status) << read.err;
    EXPECT_EQ("", read.err);
  }
}

// As structure, and by groff and mandoc where these are.
TEST_F(Line, ManualPages) {
  ASSERT_EQ(kOk, Reel({"man", "--output-dir", Path("man")}).status);
  std::set<std::string> files;
  for (const std::string& file : List(Path("man"))) files.insert(file);
  for (const auto& [name, command] : Commands()) {
    ASSERT_TRUE(files.contains("reel-" + name + ".1")) << name;
    const std::string page = Read(Path("man/reel-" + name + ".1"));
    EXPECT_EQ(page, Reel({"man", name}).out);
    for (const char* section : {"NAME", "SYNOPSIS", "DESCRIPTION", "OPTIONS", "EXAMPLE", "EXIT STATUS", "SEE ALSO"})
      EXPECT_NE(std::string::npos, page.find(StrCat("\n.SH ", section, "\n"))) << name;
    for (const Json& option : command["options"]) {
      std::string last = option["names"].back().get<std::string>();
      for (size_t at = 0; (at = last.find('-', at)) != last.npos; at += 2) last.insert(at, "\\");
      EXPECT_NE(std::string::npos, page.find(last)) << name << " " << last;
    }
  }
  EXPECT_EQ(Commands().size() + 1, files.size());
  EXPECT_EQ(Read(Path("man/reel.1")), Reel({"man"}).out);
  for (const std::string tool : {"groff -man -Tutf8 -ww -z", "mandoc -Tlint -Werror"}) {
    if (RunProcess({"sh", "-c", "command -v " + tool.substr(0, tool.find(' ')) + " || exit 1"}).status != 0) continue;
    const ProcessResult read = Shell(tool + " man/*");
    EXPECT_EQ(0, read.status) << read.out << read.err;
    EXPECT_EQ("", read.err);
  }
  if (RunProcess({"sh", "-c", "command -v groff || exit 1"}).status == 0) {
    const std::string text = Shell("groff -man -Tascii man/reel-show.1 | sed 's/.\\x08//g; s/\\x1b\\[[0-9]*m//g'").out;
    EXPECT_NE(std::string::npos, text.find("--function NAME")) << text;
  }
}

// Every option and argument that is one file; a new one has to be here, too.
TEST_F(Line, StandardStreamsStandForEveryFile) {
  static const std::map<std::string, std::string> kLines = {
      {"show file", "reel show - < small.reel.txt | grep train"},
      {"verify files", "reel verify - < small.reel.txt"},
      {"diff old", "reel diff - small.reel.txt < small.reel.txt && echo equal"},
      {"diff new", "reel diff small.reel.txt - < small.reel.txt && echo equal"},
      {"grad file", "reel grad - < small.reel.txt | grep train.grad"},
      {"grad --output", "reel grad small.reel.txt -o - | reel verify -"},
      {"opt file", "reel opt - < small.reel.txt | grep train"},
      {"opt --output", "reel opt small.reel.txt -o - | reel verify -"},
      {"run file", "reel run - --input x=x.npy --input n=n.npy < small.reel.txt | grep loss"},
      {"run --input", "reel run small.reel.txt --input x=- --input n=n.npy < x.npy | grep loss"},
      {"run --save-state", "reel run small.reel.txt --input x=x.npy --input n=n.npy --save-state - | reel verify -"},
      {"run --profile", "reel run small.reel.txt --input x=x.npy --input n=n.npy --profile=- | grep traceEvents"},
      {"compile file", "reel compile - -o made < small.reel.txt && test -s made.o"},
      {"compile --schedules", "echo 'reel schedules 1' | reel compile small.reel.txt -o made --schedules -"},
      {"convert file", "reel convert - -o made.reel < small.reel.txt && reel verify made.reel"},
      {"convert --output", "reel convert small.reel.txt -o - | reel verify -"},
      {"convert --constant", "reel convert small.reel.txt --constant x=- -o made.reel < x.npy; test $? = 2"},
      {"tune file", "reel tune - -o book --seconds 0.1 < small.reel.txt && test -s book"},
      {"tune --output", "reel tune small.reel.txt -o - --seconds 0.1 | grep 'reel schedules'"},
      {"tune --input", "reel tune small.reel.txt --input x=x.npy --input n=- -o book --seconds 0.1 < n.npy"},
      {"plan --model",
       "reel train --data t.csv --validation 0 --batch 2 --steps 1 --save - | "
       "reel plan --model - --network 1e-6,1e-9 --shards 2 --nodes 1,2 | grep efficiency"},
      {"bench --write", "reel bench --calibrate --write - | grep 'reel target'"},
      {"bench --profile", "reel bench small --profile=- --cap 0.01 | head -c1; test $? = 2"},  // of one workload alone
      {"train --log", "reel train --data t.csv --steps 3 --log - | grep validation_loss"},
      {"train --chart", "reel train --data t.csv --steps 3 --chart - | grep '</svg>'"},
      {"train --save", "reel train --data t.csv --steps 3 --save - | reel verify -"},
      {"report file", "reel report - --no-run -o page.html < small.reel.txt && grep -q '</html>' page.html"},
      {"report --output", "reel report small.reel.txt --no-run -o - | grep '</html>'"},
      {"completion --output", "reel completion bash -o - | bash -n"},
  };
  // Names that say what a file is, or files that are read more than once.
  static const std::set<std::string> kNamed = {"compile --target-file", "report --log", "report --schedules",
                                               "train --export"};
  for (const auto& [name, command] : Commands()) {
    for (const Json& option : command["options"]) {
      const std::string key = StrCat(name, " ", option["names"].back().get<std::string>());
      const auto type = option["type"].get<std::string>();
      if (type != "FILE" && type != "NAME=FILE") continue;
      EXPECT_TRUE(kNamed.contains(key) || kLines.contains(key)) << key;
    }
  }
  for (const auto& [key, line] : kLines) {
    const ProcessResult result = Shell(line);
    EXPECT_EQ(0, result.status) << key << ": " << line << "\n" << result.err;
  }
  EXPECT_EQ(kUsage, Shell("reel run small.reel.txt --input x=- --input n=- < x.npy").status);
  EXPECT_EQ(kUsage, Shell("reel verify - - < small.reel.txt").status);
}

}  // namespace
}  // namespace reel::cli
