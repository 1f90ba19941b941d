// Text in, text out: golden/<pass>.txt holds cases "=== name", module body, "---", expected body.
// Run with REEL_UPDATE_GOLDEN=1 to rewrite the expected parts. A case whose name begins with nofold
// must come out as it went in.

#include <gtest/gtest.h>

#include <cstdlib>
#include <fstream>
#include <sstream>

#include "ir/strings.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "passes/pass.h"
#include "tests/equal_hashes.h"
#include "tests/paths.h"

namespace reel::passes {
namespace {

constexpr std::string_view kHeader = "reel 1\nmodule \"m\"\n";

struct GoldenCase {
  std::string name, in, out;
};

std::vector<GoldenCase> ReadCases(const std::string& path) {
  std::ifstream file(path);
  EXPECT_TRUE(file) << path;
  std::vector<GoldenCase> cases;
  std::string* part = nullptr;
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("=== ")) {
      cases.push_back({line.substr(4), "", ""});
      part = &cases.back().in;
    } else if (line == "---") {
      part = &cases.back().out;
    } else {
      StrAppend(part, line, '\n');
    }
  }
  return cases;
}

std::string Transform(const GoldenCase& c, Pass pass) {
  auto m = ir::ParseModule(StrCat(kHeader, c.in), c.name);
  EXPECT_TRUE(m.ok()) << m.status();
  if (!m.ok()) return "";
  const auto changed = pass(&*m, {});
  EXPECT_TRUE(changed.ok()) << changed.status();
  EXPECT_TRUE(ir::Verify(*m).ok()) << ir::Verify(*m);
  // What a rewrite leaves unused is not its business.
  EXPECT_TRUE(!changed.ok() || !*changed || pass == Dce || Dce(&*m, {}).ok());
  return ir::Print(*m).substr(kHeader.size());
}

struct Golden {
  std::string file;
  Pass pass;
};

class GoldenTest : public testing::TestWithParam<Golden> {};

TEST_P(GoldenTest, Cases) {
  const std::string path = StrCat(SourceDir(), "/tests/passes/golden/", GetParam().file, ".txt");
  const bool update = std::getenv("REEL_UPDATE_GOLDEN") != nullptr;
  std::string text;
  for (const GoldenCase& c : ReadCases(path)) {
    SCOPED_TRACE(c.name);
    const std::string out = Transform(c, GetParam().pass);
    {
      const EqualHashes equal;
      EXPECT_EQ(Transform(c, GetParam().pass), out) << "hashes decide";
    }
    EXPECT_TRUE(!c.name.starts_with("nofold") || out == c.in) << out;
    EXPECT_TRUE(update || out == c.out) << out << "expected\n" << c.out;
    StrAppend(&text, "=== ", c.name, '\n', c.in, "---\n", out);
  }
  if (update) std::ofstream(path) << text;
}

INSTANTIATE_TEST_SUITE_P(Passes, GoldenTest,
                         testing::Values(Golden{"cse", Cse}, Golden{"dce", Dce}, Golden{"expand", Expand},
                                         Golden{"fold", Fold}, Golden{"hoist", Hoist}, Golden{"inline", Inline},
                                         Golden{"simplify", Simplify}, Golden{"sink_transposes", SinkTransposes},
                                         Golden{"sink_views", SinkViews}, Golden{"unstack", Unstack}),
                         [](const auto& info) { return info.param.file; });

}  // namespace
}  // namespace reel::passes
