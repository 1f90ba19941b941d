// Each rule of planning (codegen/plan/rules.def) is left out in turn, and the fuzz must find it: a plan that the
// verifier refuses, other bits, or a crash. REEL_RULE_SEEDS: how many graphs each rule is tried on.

#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <set>
#include <string>

#include "codegen/plan/rules.h"
#include "tests/codegen/tuning_fuzz.h"

namespace reel::codegen {
namespace {

constexpr std::string_view kLevel = "x86-64-v3";  // the same plans on every machine

enum class Outcome : uint8_t { kUnused, kSame, kFound };

// What the graph of this seed says of planning without the rule.
Outcome TryWithout(Rule rule, uint32_t seed) {
  const Graph graph = RandomModule(seed);
  if (!ir::Verify(graph.module).ok()) return Outcome::kUnused;  // tuning_fuzz_test names it
  const Target target = RandomTarget(seed, kLevel);
  PlanChecks& checks = GetPlanChecks();
  checks = {.strict = true, .left_out = rule};
  auto program = Plan(graph, target, seed);
  const bool used = checks.times_left_out > 0;
  checks = {.strict = true};
  if (!used) return Outcome::kUnused;
  if (!program.ok()) return Outcome::kFound;
  auto unfused = BuildProgram(graph.module, target, {.fuse = false, .vectorize = false});
  const auto plain = Run(graph, *std::move(unfused), target, 0, false);
  const auto planned = Run(graph, *std::move(program), target, 2, false);
  return plain.ok() && planned.ok() && *plain == *planned ? Outcome::kSame : Outcome::kFound;
}

constexpr int kFound = 1, kNotFound = 0;
constexpr unsigned kSecondsOfRule = 100;  // a graph planned without rules may never end

// In a process of its own, which may crash. `used`: by how many graphs.
bool Finds(Rule rule, uint32_t seeds, std::string* how) {
  int pipe[2];
  EXPECT_EQ(::pipe(pipe), 0);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(kSecondsOfRule);
    uint32_t used = 0;
    for (uint32_t seed = 0; seed < seeds; ++seed) {
      (void)!::write(pipe[1], &seed, sizeof seed);
      const Outcome outcome = TryWithout(rule, seed);
      used += outcome != Outcome::kUnused;
      if (outcome == Outcome::kFound) ::_exit(kFound);
    }
    (void)!::write(pipe[1], &used, sizeof used);
    ::_exit(kNotFound);
  }
  ::close(pipe[1]);
  uint32_t last = 0, read = 0;
  while (::read(pipe[0], &read, sizeof read) == sizeof read) last = read;
  ::close(pipe[0]);
  int status = 0;
  ::waitpid(child, &status, 0);
  const bool found = !WIFEXITED(status) || WEXITSTATUS(status) != kNotFound;
  *how = !found                ? StrCat("not found; ", last, " graphs of ", seeds, " would have been refused")
         : WIFSIGNALED(status) ? StrCat("found by seed ", last, ": signal ", WTERMSIG(status))
                               : StrCat("found by seed ", last);
  return found;
}

// What these graphs do not reach: a reduction over no axes, which a pass takes away before planning, and two values of
// a chain whose parts differ in more than the last one. A generator that does takes its row out.
const std::set<std::string_view> kNotReached = {"join.one_side", "tile.aligned"};

class PlanRules : public testing::TestWithParam<RuleInfo> {};

TEST_P(PlanRules, LeftOutIsFound) {
  if (!HostSupports(kLevel)) GTEST_SKIP() << "needs " << kLevel;
  const char* more = std::getenv("REEL_RULE_SEEDS");
  const uint32_t seeds = more ? static_cast<uint32_t>(std::atoi(more)) : 4000;
  std::string how;
  const bool found = Finds(GetParam().rule, seeds, &how);
  if (more == nullptr) {  // of more graphs more are found
    EXPECT_EQ(found, !kNotReached.contains(GetParam().text)) << GetParam().text << ": " << how << "; see kNotReached";
  }
  RecordProperty("how", how);
  std::printf("%s: %s\n", std::string(GetParam().text).c_str(), how.c_str());
}

INSTANTIATE_TEST_SUITE_P(All, PlanRules, testing::ValuesIn(Rules().begin(), Rules().end()), [](const auto& p) {
  std::string name(p.param.text);
  for (char& c : name) c = c == '.' ? '_' : c;
  return name;
});

}  // namespace
}  // namespace reel::codegen
