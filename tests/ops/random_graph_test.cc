#include "tests/ops/random_graph.h"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "codegen/program/program.h"
#include "ir/builder.h"
#include "ir/eval/eval.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "tests/ops/compare.h"
#include "tests/ops/engines.h"

namespace reel::optable {
namespace {

constexpr uint64_t kGraphs = 100;

// Results of one engine against the reference that rounds each op; empty if all are near enough.
std::string Distance(const std::vector<ir::Literal>& got, const std::vector<ir::Literal>& want,
                     const std::vector<double>& allowed) {
  for (size_t n = 0; n < want.size(); ++n) {
    if (allowed[n] == 0) {
      if (std::string error = DifferentBits(got[n], want[n]); !error.empty()) {
        return "result " + std::to_string(n) + ": " + error;
      }
      continue;
    }
    for (int64_t k = 0; k < want[n].size(); ++k) {
      const double x = got[n].AsDouble(k), y = want[n].AsDouble(k);
      if (std::fabs(x - y) <= allowed[n]) continue;
      return "result " + std::to_string(n) + ", element " + std::to_string(k) + ": " + std::to_string(x) + ", want " +
             std::to_string(y) + " within " + std::to_string(allowed[n]);
    }
  }
  return "";
}

std::string SameBits(const std::vector<ir::Literal>& got, const std::vector<ir::Literal>& want) {
  return Distance(got, want, std::vector<double>(want.size(), 0));
}

class RandomGraphs : public testing::TestWithParam<uint64_t> {};

// Reference engines agree to the bit among themselves, compiled ones too, and both within the
// graph's bounds.
TEST_P(RandomGraphs, AllEnginesAgree) {
  const RandomGraph g = MakeRandomGraph(GetParam());
  ASSERT_TRUE(ir::Verify(g.module).ok()) << ir::Verify(g.module);
  const auto rounded =
      ir::EvaluateLiterals(g.module, *g.module.FindFunction("main"), g.inputs, {.round_each_op = true});
  ASSERT_TRUE(rounded.ok()) << rounded.status();
  std::vector<ir::Literal> reference, compiled;
  for (const auto& engine : AllEngines()) {
    if (engine->is_slow() && GetParam() % 4 != 0) continue;
    const auto got = engine->Run(g.module, "main", g.inputs);
    if (!got.ok()) {
      ADD_FAILURE() << engine->name() << ": " << got.status();
      continue;
    }
    ASSERT_EQ(got->size(), rounded->size());
    std::vector<ir::Literal>& first = engine->is_reference() ? reference : compiled;
    if (first.empty()) first = *got;
    EXPECT_EQ(SameBits(*got, first), "") << "on " << engine->name();
    if (!engine->is_reference()) {
      EXPECT_EQ(Distance(*got, *rounded, g.allowed), "") << "on " << engine->name();
    }
  }
  if (HasFailure()) FAIL() << "seed " << GetParam() << "\n" << ir::Print(g.module);
}

// The graph on two sets of arguments: most groups come twice.
ir::Module Twice(const RandomGraph& g) {
  ir::Module module = g.module;
  const ir::Function& main = *module.FindFunction("main");
  ir::Function twice("twice");
  ir::ValueList arguments[2], results;
  for (const int set : {0, 1}) {
    for (int i = 0; i < main.num_parameters(); ++i) {
      arguments[set].push_back(twice.AddParameter("x" + std::to_string(100 * set + i), main.parameter(i).type));
    }
  }
  ir::Builder b(&twice, &module);
  for (const ir::ValueList& set : arguments) {
    for (ir::Value v : b.Call("main", set)) results.push_back(v);
  }
  twice.SetResults({results.begin(), results.end()});
  module.AddFunction(std::move(twice));
  return module;
}

// What is scheduled once for equal groups is what each would have got.
TEST_P(RandomGraphs, EqualGroupsGetTheirKernel) {
  const ir::Module module = Twice(MakeRandomGraph(GetParam()));
  const auto text = [&](bool share, bool fuse) {
    const auto program = codegen::BuildProgram(module, *codegen::FindTarget("x86-64-v4"),
                                               {.fuse = fuse, .vectorize = fuse, .share_kernels = share});
    return program.ok() ? codegen::ToString(*program) : std::string(program.status().message());
  };
  for (const bool fuse : {true, false}) {
    ASSERT_EQ(text(true, fuse), text(false, fuse)) << "seed " << GetParam() << ", fused " << fuse;
  }
}

TEST(RandomGraph, IsAFunctionOfItsSeed) {
  EXPECT_EQ(ir::Print(MakeRandomGraph(7).module), ir::Print(MakeRandomGraph(7).module));
  EXPECT_NE(ir::Print(MakeRandomGraph(7).module), ir::Print(MakeRandomGraph(8).module));
}

// Over all seeds every op appears, so the differential test leaves none out. (A callback is a function of this process:
// tests/frontend/callback_test.cc; collectives are for groups: tests/frontend/distributed_test.cc.)
TEST(RandomGraph, UsesEveryOp) {
  std::vector<bool> used(ir::AllOps().size());
  for (uint64_t seed = 0; seed < kGraphs; ++seed) {
    const RandomGraph g = MakeRandomGraph(seed);
    for (const ir::Node& node : g.module.FindFunction("main")->nodes()) {
      used[static_cast<size_t>(node.op)] = true;
    }
  }
  used[static_cast<size_t>(ir::Op::kCallback)] = true;
  for (ir::Op op : ir::AllOps()) {
    EXPECT_TRUE(used[static_cast<size_t>(op)] || ir::IsCollective(op)) << ir::Info(op).name;
  }
}

INSTANTIATE_TEST_SUITE_P(Seeds, RandomGraphs, testing::Range<uint64_t>(0, kGraphs));

}  // namespace
}  // namespace reel::optable
