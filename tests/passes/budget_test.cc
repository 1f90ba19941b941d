// What making graphs may cost: gradients and passes end soon after a limit, whatever loop they are in.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/budget_scope.h"
#include "ir/builder.h"
#include "ir/eval/eval.h"
#include "ir/strings.h"
#include "passes/gradient/gradient.h"
#include "passes/pipeline.h"

namespace reel::passes {
namespace {

using ir::Builder;
using ir::Value;
using testing::HasSubstr;

const Type kVector{kFloat32, {3}};

// Each look at it is a second later.
int looks = 0;
double Ticking() { return ++looks; }

void AddChain(ir::Module* m, int ops) {
  ir::Function f("main");
  const Value x = f.AddParameter("x", kVector);
  Builder b(&f, m);
  Value y = x;
  for (int i = 0; i < ops; ++i) y = i % 2 == 0 ? b.Tanh(y) : b.Mul(y, x);
  f.SetResults({y});
  m->AddFunction(std::move(f));
}

// main calls @f30, which calls @f29 twice, ...
void AddDoubling(ir::Module* m, int levels) {
  for (int i = 0; i <= levels; ++i) {
    ir::Function f(i == levels ? "main" : StrCat("f", i));
    Value x = f.AddParameter("x", kVector);
    Builder b(&f, m);
    for (int k = 0; k < 2; ++k) x = i == 0 ? b.Tanh(x) : b.Call(StrCat("f", i - 1), {x})[0];
    f.SetResults({x});
    m->AddFunction(std::move(f));
  }
}

std::string Differentiate(int ops, const Budget& budget, ir::Clock clock = ir::SteadySeconds) {
  ir::Module m("m");
  AddChain(&m, ops);
  const ir::BudgetMeter meter(budget, clock);
  const auto g = ir::Within(&meter, [&] { return AddGradientFunction(&m, "main", {}, {}); }, true);
  return g.ok() ? "" : StrCat(absl::StatusCodeToString(g.status().code()), " ", g.status().message());
}

TEST(PassBudget, GradientsCountOpsMemoryAndTime) {
  EXPECT_EQ(Differentiate(1000, {}), "");
  EXPECT_THAT(Differentiate(1000, {.max_ops = 900}), HasSubstr("RESOURCE_EXHAUSTED makes more than 900 ops"));
  EXPECT_THAT(Differentiate(1000, {.max_memory = 100000}), HasSubstr("max_memory"));
  looks = 0;
  EXPECT_THAT(Differentiate(100000, {.max_seconds = 5}, Ticking), HasSubstr("max_seconds"));
  EXPECT_LT(looks, 10) << "it went on";
}

TEST(PassBudget, EveryPassThatMakesNodesEnds) {
  looks = 0;
  for (const PassEntry& entry : OptimizationPipeline()) {
    ir::Module m("m");
    std::string(entry.name) == "inline" ? AddDoubling(&m, 16) : AddChain(&m, 100000);
    const ir::BudgetMeter meter({.max_seconds = 3}, Ticking);
    PipelineOptions options;
    options.context.meter = &meter;
    const int before = looks;
    const auto reports = RunPasses(&m, {&entry, 1}, options);
    EXPECT_LT(looks, before + 10) << entry.name;
    const bool rebuilds =
        entry.name == "simplify" || entry.name == "cse" || entry.name == "fold" || entry.name == "inline";
    if (rebuilds) {
      EXPECT_THAT(std::string(reports.status().message()), HasSubstr("max_seconds")) << entry.name;
    }
  }
}

// Small steps are many, large ones long.
TEST(PassBudget, EvaluationEnds) {
  for (const int64_t extent : {int64_t{1}, int64_t{1} << 20}) {
    ir::Module m("m");
    const Type type{kFloat32, {extent}};
    for (const char* name : {"body", "cond"}) {
      ir::Function f(name);
      const Value x = f.AddParameter("x", type);
      Builder b(&f, &m);
      f.SetResults({*name == 'b' ? b.Tanh(x) : b.Scalar(kBool, 1)});
      m.AddFunction(std::move(f));
    }
    ir::Function f("main");
    const Value x = f.AddParameter("x", type);
    Builder b(&f, &m);
    f.SetResults({b.While("cond", "body", {x})[0]});
    m.AddFunction(std::move(f));
    looks = 0;
    const ir::BudgetMeter meter({.max_seconds = 3}, Ticking);
    const std::vector<ir::EvalTensor> inputs{ir::ZeroTensor(type)};
    const auto result = ir::Within(&meter, [&] { return ir::Evaluate(m, *m.FindFunction("main"), inputs); });
    EXPECT_THAT(std::string(result.status().message()), HasSubstr("max_seconds"));
    EXPECT_LT(looks, 10);
  }
}

TEST(PassBudget, WithoutAScopeNothingIsCharged) {
  ir::Module m("m");
  AddChain(&m, 10);
  const ir::BudgetMeter meter({.max_ops = 0, .max_memory = 0});
  EXPECT_TRUE(ir::Within(nullptr, [&] { return AddGradientFunction(&m, "main", {}, {}); }).ok());
  EXPECT_FALSE(ir::Within(&meter, [&] { return AddGradientFunction(&m, "main", {}, {}); }, true).ok());
  EXPECT_TRUE(AddGradientFunction(&m, "main", {}, {}).ok()) << "the scope has ended";
}

}  // namespace
}  // namespace reel::passes
