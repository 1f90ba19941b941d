// A function and its gradient as two: what the first hands to the second.

#include <gtest/gtest.h>

#include <algorithm>

#include "ir/verifier.h"
#include "passes/gradient/split.h"
#include "tests/passes/gradient_testing.h"

namespace reel::passes {
namespace {

using ir::Builder;
using P = const Values&;

int64_t Count(const ir::Module& m, std::string_view function, ir::Op op) {
  const auto& nodes = m.FindFunction(function)->nodes();
  return std::count_if(nodes.begin(), nodes.end(), [&](const ir::Node& n) { return n.op == op; });
}

Value MatMul(Builder& b, Value x, Value y) { return b.Contract(x, y, {{}, {}, {1}, {0}}); }

// Runs forward, then backward on what it takes of the first, with these cotangents.
std::vector<Doubles> RunBoth(const ir::Module& m, const std::string& forward, const BackwardFunction& backward,
                             const std::vector<Doubles>& inputs, const std::vector<Doubles>& dys) {
  const std::vector<Doubles> results = RunFunction(m, forward, inputs);
  std::vector<Doubles> operands;
  for (size_t i = 0; i < inputs.size(); ++i) {
    if (backward.operands[i]) operands.push_back(inputs[i]);
  }
  for (size_t i = 0; i < results.size(); ++i) {
    if (backward.results[i]) operands.push_back(results[i]);
  }
  operands.insert(operands.end(), dys.begin(), dys.end());
  return RunFunction(m, backward.name, operands);
}

const std::vector<Doubles> kInputs{{0.5, -1, 2, 0.25, 1, -0.5}, {1, 2, -1, 0.5, 0.75, -2}};

// (x[2,3], w[3,2]) -> sum tanh(x w), x w
ir::Module TwoResults() {
  ir::Module m;
  Define(&m, "f", {F64({2, 3}), F64({3, 2})}, [](Builder& b, P p) {
    const Value y = MatMul(b, p[0], p[1]);
    return Values{b.ReduceSum(b.Tanh(b.Mul(y, y)), {0, 1}), b.Exp(MatMul(b, y, b.Tanh(y)))};
  });
  return m;
}

TEST(SplitGradient, ProductsAreSavedAndElementwiseOpsRepeated) {
  ir::Module m = TwoResults();
  const auto split = AddSplitGradient(&m, "f", {true, true});
  ASSERT_TRUE(split.ok()) << split.status();
  ASSERT_TRUE(ir::Verify(m).ok()) << ir::Verify(m);
  EXPECT_EQ(Count(m, split->forward, ir::Op::kContract), 2);
  EXPECT_EQ(m.FindFunction(split->forward)->results().size(), 3u) << "x w is the only residual";
  EXPECT_EQ(split->backward.results, Mask({false, true, true})) << "exp is its own derivative";
  EXPECT_EQ(Count(m, split->backward.name, ir::Op::kContract), 4) << "two for each product, none of the forward part";
  EXPECT_GE(Count(m, split->backward.name, ir::Op::kTanh), 1);
}

TEST(SplitGradient, IsTheGradient) {
  ir::Module m = TwoResults();
  const auto split = AddSplitGradient(&m, "f", {true, true});
  const auto whole = AddGradientFunction(&m, "f", {}, {}, true);
  ASSERT_TRUE(split.ok() && whole.ok());
  std::vector<Doubles> all = kInputs;
  const std::vector<Doubles> dys{{3}, {1, 2, 3, 4}};
  all.insert(all.end(), dys.begin(), dys.end());
  EXPECT_EQ(RunBoth(m, split->forward, split->backward, kInputs, dys), RunFunction(m, whole->name, all));
}

TEST(SplitGradient, OfSomeResultsAndOfResiduals) {
  ir::Module m = TwoResults();
  const auto split = AddSplitGradient(&m, "f", {false, true});
  ASSERT_TRUE(split.ok()) << split.status();
  const auto first = AddBackward(&m, "f", split->forward, {false, true}, {true, false, false});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(Count(m, first->name, ir::Op::kContract), 1) << "x w comes from the forward function";
  const auto residual = AddBackward(&m, "f", split->forward, {false, true}, {false, false, true});
  ASSERT_TRUE(residual.ok()) << residual.status();
  ASSERT_TRUE(ir::Verify(m).ok()) << ir::Verify(m);
  const auto whole = AddGradientFunction(&m, "f", {{"0"}}, {{m.FindFunction("f")->parameter(1).name}});
  ASSERT_TRUE(whole.ok()) << whole.status();
  EXPECT_EQ(RunBoth(m, split->forward, *first, kInputs, {{1}}), RunFunction(m, whole->name, kInputs));
  // d(x w)/dw: the transpose of x times the cotangent.
  EXPECT_EQ(RunBoth(m, split->forward, *residual, kInputs, {{1, 0, 0, 1}}),
            (std::vector<Doubles>{{0.5, 0.25, -1, 1, 2, -0.5}}));
}

TEST(SplitGradient, WhatIsNotConnectedHasNone) {
  ir::Module m;
  Define(&m, "f", {F64(), F64(), I32()}, [](Builder& b, P p) { return Values{b.Sin(p[0]), b.Exp(p[1]), p[2]}; });
  const auto split = AddSplitGradient(&m, "f", {true, true, false});
  ASSERT_TRUE(split.ok()) << split.status();
  EXPECT_EQ(split->backward.connected, Mask({true, true, false}));
  EXPECT_EQ(split->backward.seeded, Mask({true, true, false}));
  const auto first = AddBackward(&m, "f", split->forward, {true, true, false}, {true, false, false});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(first->connected, Mask({true, false, false}));
}

TEST(SplitGradient, LookupsGiveRows) {
  ir::Module m;
  Define(&m, "f", {F64({4, 2}), I32({3})}, [](Builder& b, P p) { return Values{b.Gather(p[0], p[1], 0)}; });
  const auto split = AddSplitGradient(&m, "f", {true, false});
  ASSERT_TRUE(split.ok()) << split.status();
  EXPECT_EQ(split->backward.parts, std::vector<int>{1});
  EXPECT_EQ(RunBoth(m, split->forward, split->backward, {{1, 2, 3, 4, 5, 6, 7, 8}, {2, 0, 2}}, {{1, 2, 3, 4, 5, 6}}),
            (std::vector<Doubles>{{2, 0, 2}, {1, 2, 3, 4, 5, 6}}));
}

TEST(SplitGradient, ErrorsNameTheFunction) {
  ir::Module m;
  EXPECT_EQ(AddSplitGradient(&m, "f", {}).status().message(), "gradients: there is no function @f");
}

}  // namespace
}  // namespace reel::passes
