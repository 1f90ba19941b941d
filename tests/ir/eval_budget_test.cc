// What evaluation costs: of hostile programs too, time and memory stay within the caller's budget.

#include <gtest/gtest.h>

#include "ir/builder.h"
#include "ir/eval/eval.h"
#include "ir/verifier.h"

namespace reel::ir {
namespace {

EvalTensor F(const Shape& shape, std::vector<double> values, DType dtype = kFloat64) {
  return {{dtype, shape}, std::move(values), {}};
}
EvalTensor I(DType dtype, const Shape& shape, std::vector<int64_t> values) {
  return {{dtype, shape}, {}, std::move(values)};
}

EvalTensor OneResult(Op op, std::vector<EvalTensor> operands, const Attributes& attributes = {}) {
  auto result = EvaluateNode(op, attributes, operands);
  EXPECT_TRUE(result.ok()) << result.status();
  return result.ok() ? std::move((*result)[0]) : EvalTensor();
}

Attributes ConvAttributes(int64_t low = 0) {
  using Ints = std::vector<int64_t>;
  return {
      {"strides", Ints{1}}, {"low", Ints{low}}, {"high", Ints{0}}, {"a_dilation", Ints{1}}, {"b_dilation", Ints{1}}};
}

// A zero beside huge extents costs nothing, in memory or time.
TEST(EvalBudget, EmptyOperandsWithHugeExtents) {
  constexpr int64_t kHuge = 1'000'000'000'000;
  const EvalTensor many = F({kHuge, 0, 0}, {}), none = F({0, 0}, {});
  for (const EvalTensor& x : {many, F({0, 100'000'000, 100'000'000}, {})}) {
    for (Op op : {Op::kCholesky, Op::kLu, Op::kQr, Op::kEigh, Op::kSvd}) {
      EXPECT_EQ(OneResult(op, {x}).size(), 0u) << Name(op);
    }
  }
  const Attributes lower{{"lower", true}, {"transpose", false}, {"unit_diagonal", false}};
  EXPECT_EQ(OneResult(Op::kTriangularSolve, {many, many}, lower).size(), 0u);
  EXPECT_EQ(OneResult(Op::kTriangularSolve, {none, F({0, kHuge}, {})}, lower).size(), 0u);
  const EvalTensor rows = F({kHuge, 0, 1}, {}), nowhere = I(kInt64, {0}, {});
  EXPECT_EQ(OneResult(Op::kGather, {rows, nowhere}, {{"axis", int64_t{1}}}).size(), 0u);
  EXPECT_EQ(OneResult(Op::kScatterAdd, {rows, nowhere, rows}, {{"axis", int64_t{1}}}).size(), 0u);
  const Attributes product{{"a_batch", std::vector<int64_t>{}},
                           {"b_batch", std::vector<int64_t>{}},
                           {"a_contract", std::vector<int64_t>{1}},
                           {"b_contract", std::vector<int64_t>{0}}};
  EXPECT_EQ(OneResult(Op::kContract, {F({kHuge, 0}, {}), none}, product).size(), 0u);
  // a filter of no channels over padding
  EXPECT_EQ(OneResult(Op::kConv, {F({1, 0, 1, 0}, {}), F({kHuge, 1, 0, 1}, {})}, ConvAttributes(kHuge)).f,
            std::vector<double>{0});
}

// Complex numbers are 16 bytes.
TEST(EvalBudget, MemoryBudgetCountsBytes) {
  const Attributes attributes{{"shape", Shape{100}}, {"axes", std::vector<int64_t>{}}};
  const auto broadcast = [&](const EvalTensor& x, int64_t max_bytes) {
    Module m;
    Function f("main");
    const Value v = f.AddParameter("x", x.type);
    Builder b(&f);
    f.SetResults({b.Broadcast(v, {100}, {})});
    m.AddFunction(std::move(f));
    const absl::StatusCode code =
        EvaluateNode(Op::kBroadcast, attributes, {x}, {.max_bytes = max_bytes + x.bytes()}).status().code();
    EXPECT_EQ(Evaluate(m, *m.functions()[0], {x}, {.max_bytes = max_bytes}).status().code(), code);
    return code == absl::StatusCode::kOk;
  };
  EXPECT_TRUE(broadcast(F({}, {1}), 800));
  EXPECT_FALSE(broadcast(F({}, {1}), 799));
  const EvalTensor z{{kComplex64, {}}, {}, {}, {{1, 2}}};
  EXPECT_TRUE(broadcast(z, 1600));
  EXPECT_FALSE(broadcast(z, 1599));
}

// What an op costs is what it does: with one operation less than that it is refused.
TEST(EvalBudget, CostsOfSums) {
  const auto cost = [](Op op, const std::vector<Type>& types, const Attributes& attributes) {
    Module m;
    Function f("main");
    ValueList operands;
    std::vector<EvalTensor> inputs;
    for (const Type& type : types) {
      operands.push_back(f.AddParameter(std::string(1, static_cast<char>('a' + inputs.size())), type));
      inputs.push_back(ZeroTensor(type));
    }
    Builder b(&f);
    f.SetResults({b.EmitAll(op, operands, attributes)[0]});
    m.AddFunction(std::move(f));
    int64_t low = 0, high = 1'000'000;  // refused, enough
    while (high - low > 1) {
      const int64_t middle = (low + high) / 2;
      const EvalOptions options{.max_operations = middle};
      (Evaluate(m, *m.functions()[0], inputs, options).ok() ? high : low) = middle;
    }
    return high;
  };
  const auto f = [](const Shape& shape) { return Type{kFloat64, shape}; };
  EXPECT_EQ(cost(Op::kConv, {f({2, 9, 3, 4}), f({5, 3, 4, 6})}, ConvAttributes()), (2 * 5 * 3 * 6) * (5 * 4));
  EXPECT_EQ(cost(Op::kCholesky, {f({2, 7, 7})}, {}), 2 * 7 * 7 * 7);
  EXPECT_EQ(cost(Op::kQr, {f({2, 20, 7})}, {}), 2 * 20 * 7 * 7);
  EXPECT_EQ(cost(Op::kQr, {f({1000, 1})}, {}), 1000);
  EXPECT_EQ(cost(Op::kEigh, {f({7, 7})}, {}), 60 * 7 * 7 * 7);
  EXPECT_EQ(cost(Op::kSvd, {f({3, 7})}, {}), 60 * 3 * 7 * 3);
  const Attributes outer{{"a_batch", std::vector<int64_t>{}},
                         {"b_batch", std::vector<int64_t>{}},
                         {"a_contract", std::vector<int64_t>{1}},
                         {"b_contract", std::vector<int64_t>{0}}};
  EXPECT_EQ(cost(Op::kContract, {f({2, 3}), f({3, 5})}, outer), 2 * 3 * 5);
  EXPECT_EQ(cost(Op::kContract, {f({20, 0}), f({0, 5})}, outer), 20 * 5);  // zeros are written
}

// f0 does nothing, f_i calls f_(i-1) twice: 2^60 calls.
TEST(EvalBudget, BudgetEndsCallsOfNothing) {
  Module m;
  for (int i = 0; i <= 60; ++i) {
    Function f("f" + std::to_string(i));
    Value x = f.AddParameter("x", {kFloat64, {}});
    Builder b(&f, &m);
    for (int k = 0; k < 2 && i > 0; ++k) x = b.Call("f" + std::to_string(i - 1), {x})[0];
    f.SetResults({x});
    m.AddFunction(std::move(f));
  }
  ASSERT_TRUE(Verify(m).ok());
  const auto out = Evaluate(m, *m.FindFunction("f60"), {F({}, {1})}, {.max_operations = 1000});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kResourceExhausted);
}

// 2^22 elements are little, 2^66 more than a count holds.
TEST(EvalBudget, SymbolsCannotMakeATensorTooLargeToCount) {
  Module m;
  m.symbols().push_back({"n", 0, int64_t{1} << 40});
  const Extent n = Extent::Symbol(0);
  Function f("main");
  const Value x = f.AddParameter("x", {kInt8, {n}});
  Builder b(&f, &m);
  f.SetResults({b.Broadcast(x, {n, n, n}, {0})});
  m.AddFunction(std::move(f));
  ASSERT_TRUE(Verify(m).ok());
  const int64_t extent = int64_t{1} << 22;
  const auto out = Evaluate(m, *m.FindFunction("main"), {ZeroTensor({kInt8, {extent}})});
  EXPECT_EQ(out.status().code(), absl::StatusCode::kResourceExhausted);
}

}  // namespace
}  // namespace reel::ir
