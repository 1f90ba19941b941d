// What a row of ops.def says of its op is what passes and plans do with it: for every op that has cases, none by name.
#include "ir/cost.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "codegen/plan/plan.h"
#include "ir/verifier.h"
#include "passes/check_numerics.h"
#include "passes/pass.h"
#include "passes/rewrite.h"
#include "tests/ops/op_cases.h"

namespace reel::optable {
namespace {

using ir::Op;
using ir::Value;

/// The ops that a case of one node with one result shows, with that case.
std::vector<OpCase> OneNodeCases() {
  std::vector<OpCase> out;
  for (const Op op : ir::AllOps()) {
    if (ir::Info(op).Has(ir::kControl)) continue;
    for (OpCase& c : CasesFor(op)) {
      const ir::Function& f = c.main();
      if (f.nodes().size() != 1 || f.nodes()[0].num_results != 1 || f.nodes()[0].operands.empty()) continue;
      out.push_back(std::move(c));
      break;
    }
  }
  return out;
}

/// A loop of three steps whose body computes the case's op of what is the same in all of them, and keeps the last.
ir::Module InLoop(const OpCase& c) {
  const ir::Function& f = c.main();
  ir::Module m;
  std::vector<Type> types;
  for (int i = 0; i < f.num_parameters(); ++i) types.push_back(f.parameter(i).type);
  const Type count{kInt64, {}}, result = f.type(f.results()[0]);
  const auto declare = [&](ir::Function* to) {
    std::vector<Value> out = {to->AddParameter("n", count), to->AddParameter("last", result)};
    for (size_t i = 0; i < types.size(); ++i) out.push_back(to->AddParameter("p" + std::to_string(i), types[i]));
    return out;
  };
  ir::Function cond("cond"), body("body"), main("main");
  const std::vector<Value> in_cond = declare(&cond);
  ir::Builder b_cond(&cond);
  cond.SetResults({b_cond.Less(in_cond[0], b_cond.Constant(ir::Literal::ScalarInt(kInt64, 3)))});
  const std::vector<Value> in_body = declare(&body);
  ir::Builder b_body(&body);
  passes::Copier copier(f, &body);
  for (size_t i = 0; i < types.size(); ++i) copier.Map(Value{static_cast<int32_t>(i)}, in_body[i + 2]);
  copier.CopyNodes();
  std::vector<Value> results = {b_body.Add(in_body[0], b_body.Constant(ir::Literal::ScalarInt(kInt64, 1))),
                                copier(f.results()[0])};
  results.insert(results.end(), in_body.begin() + 2, in_body.end());
  body.SetResults(results);
  const std::vector<Value> in_main = declare(&main);
  m.AddFunction(std::move(cond));
  m.AddFunction(std::move(body));
  ir::Builder b(&main, &m);
  main.SetResults({b.While("cond", "body", in_main, 3)[1]});
  m.AddFunction(std::move(main));
  return m;
}

int Count(const ir::Module& m, std::string_view function, Op op) {
  const ir::Function* const f = m.FindFunction(function);
  return f ? static_cast<int>(
                 std::count_if(f->nodes().begin(), f->nodes().end(), [op](const ir::Node& n) { return n.op == op; }))
           : 0;
}

TEST(Cost, CostlyOpsLeaveLoopsAndOthersStay) {
  int costly = 0, others = 0;
  for (const OpCase& c : OneNodeCases()) {
    ir::Module m = InLoop(c);
    ASSERT_TRUE(ir::Verify(m).ok()) << c.name << ": " << ir::Verify(m);
    const auto changed = passes::Hoist(&m, {});
    ASSERT_TRUE(changed.ok()) << c.name << changed.status();
    const bool left = Count(m, "main", c.op) > 0;
    EXPECT_EQ(left, ir::IsCostly(c.op)) << c.name;
    ++(left ? costly : others);
  }
  EXPECT_GT(costly, 40);
  EXPECT_GT(others, 30);
}

TEST(Cost, RowsAreConsistent) {
  for (const Op op : ir::AllOps()) {
    const ir::OpInfo& info = ir::Info(op);
    SCOPED_TRACE(info.name);
    EXPECT_EQ(codegen::IsView(op), info.Has(ir::kView));
    EXPECT_EQ(passes::ChecksNumerics(op), !info.Has(ir::kMoves) && !info.Has(ir::kControl));
    if (info.Has(ir::kView)) {
      EXPECT_TRUE(info.Has(ir::kMoves));
      EXPECT_EQ(info.cost, ir::OpCost::kFree);
    }
    EXPECT_TRUE(!info.Has(ir::kElementwise) || ir::IsCheck(op) || ir::IsExpression(op));
    const bool combines = info.Has(ir::kReduction) || info.Has(ir::kScatter);
    EXPECT_FALSE(combines && ir::IsExpression(op));
    EXPECT_EQ(ir::CombinerOf(op) != Op::kIdentity, combines && op != Op::kScatterSet);
    EXPECT_FALSE(ir::IsRematerialisable(op) && ir::CyclesOf(op) > 40);
    EXPECT_LE(ir::FlopsOf(op), ir::CyclesOf(op));
  }
}

#define OP(...)
#define UNARY(...)
#define BINARY(...)
#define FUNCTION(Enum, ...) EXPECT_EQ(ir::Info(Op::k##Enum).cost, ir::OpCost::kFunction) << #Enum;
TEST(Cost, FunctionsOfMathAreFunctions) {
#include "ir/ops.def"
}
#undef OP

}  // namespace
}  // namespace reel::optable
