// Branches and loops that compiled code plans in place, where a mistake is a value overwritten too
// early: random bodies over integers, whose results every engine computes to the bit.

#include <gtest/gtest.h>

#include "ir/eval/eval.h"
#include "ir/strings.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"
#include "tests/ops/compare.h"
#include "tests/ops/engines.h"

namespace reel::optable {
namespace {

using ir::Builder;
using ir::Value;
using Values = std::vector<Value>;

const Type kRow{kInt32, {6}}, kCount{kInt32, {}};

// Functions (i: i32[], v1, v2, ...: i32[6]) -> the same types, whose results are computed values,
// parameters in other places, repeated values and constants.
class LoopGenerator {
 public:
  /// `stacks`: half of the steps take a row apart and make one of what they compute of its elements.
  LoopGenerator(uint64_t seed, int rows, bool stacks)
      : rng_(seed), rows_(rows), stacks_(stacks), module_(StrCat("loop_", seed)) {}

  ir::Module Make() {
    ir::Function f("main");
    Values start;
    for (int k = 0; k < rows_; ++k) start.push_back(f.AddParameter(StrCat("x", k), kRow));
    Builder b(&f, &module_);
    const std::string body = AddBody(2), cond = AddCondition(2 + Int(4));
    Values operands{b.Scalar(kInt32, 0)};
    for (int k = 0; k < rows_; ++k) operands.push_back(start[static_cast<size_t>(Int(rows_))]);
    const ir::ValueList r = b.While(cond, body, operands, Int(2) ? -1 : Int(5));
    Values results(r.begin(), r.end());
    results.push_back(b.Add(r[1], start[0]));
    results.push_back(r[1]);
    Finish(std::move(f), b, std::move(results));
    return std::move(module_);
  }

 private:
  int Int(int n) { return static_cast<int>(rng_() % static_cast<uint64_t>(n)); }

  void Finish(ir::Function f, const Builder& b, Values results) {
    ASSERT_TRUE(b.status().ok()) << b.status();
    f.SetResults(std::move(results));
    module_.AddFunction(std::move(f));
  }

  Values Parameters(ir::Function* f) {
    Values v{f->AddParameter("i", kCount)};
    for (int k = 0; k < rows_; ++k) v.push_back(f->AddParameter(StrCat("v", k), kRow));
    return v;
  }

  // i < limit; sometimes counted by a loop of its own.
  std::string AddCondition(int limit) {
    ir::Function f(StrCat("more", next_++));
    const Values p = Parameters(&f);
    Builder b(&f, &module_);
    Value i = p[0];
    if (Int(4) == 0) {
      const std::string plain = AddCondition(0), next = AddBody(0);
      i = b.While(plain, next, p, 2)[0];
    }
    const std::string name = f.name();
    Values more{b.Less(i, b.Scalar(kInt32, limit))};  // before the function moves
    Finish(std::move(f), b, std::move(more));
    return name;
  }

  Value Restacked(Builder& b, Value x) {
    const Values e = b.Elements(x, {0});
    Value y;
    for (size_t k = 0; k < 6; ++k) {
      const int choice = Int(3);
      const Value other = e[(k + 1) % 6];
      const Value made = b.Reshape(choice == 0 ? e[k] : choice == 1 ? other : b.Sub(other, e[k]), {1});
      y = k == 0 ? b.Pad(made, b.Scalar(kInt32, 0), {0}, {5}, {0})
                 : b.DynamicUpdate(y, made, b.Scalar(kInt32, static_cast<double>(k)), 0);
    }
    return y;
  }

  Value Step(Builder& b, const Values& pool, Value i) {
    const auto pick = [&] { return pool[static_cast<size_t>(Int(static_cast<int>(pool.size())))]; };
    const Value x = pick(), y = pick();
    if (stacks_ && Int(2) == 0) return Restacked(b, x);
    if (stacks_ && Int(2) == 0) return b.Add(x, y);
    switch (Int(8)) {  // one node an argument list: its order is the compiler's
      case 0: return b.Add(x, y);
      case 1: return b.Sub(x, y);
      case 2: return b.Mul(x, y);
      case 3: {
        const Value part = b.DynamicSlice(y, i, 0, 2);
        return b.DynamicUpdate(x, part, b.Add(i, i), 0);
      }
      case 4: return b.DynamicUpdate(x, b.Slice(b.Neg(x), {1}, {3}, {1}), i, 0);
      case 5: {
        const Value at = b.Slice(y, {0}, {3}, {1});
        return b.ScatterAdd(x, at, b.Slice(x, {3}, {6}, {1}), 0);
      }
      case 6: return b.Reshape(b.Transpose(b.Reshape(x, {2, 3}), {1, 0}), {6});
      default: return b.BroadcastTo(b.ReduceMax(x, {0}), {6});
    }
  }

  // depth: how many control ops may stand in each other.
  std::string AddBody(int depth) {
    ir::Function f(StrCat("body", next_++));
    const Values p = Parameters(&f);
    Builder b(&f, &module_);
    Values pool(p.begin() + 1, p.end());
    const int steps = 1 + Int(6);
    for (int k = 0; k < steps; ++k) {
      if (depth == 0 || Int(3) != 0) {
        pool.push_back(Step(b, pool, p[0]));
        continue;
      }
      Values operands{p[0]};
      for (int r = 0; r < rows_; ++r) {
        operands.push_back(pool[static_cast<size_t>(Int(static_cast<int>(pool.size())))]);
      }
      ir::ValueList r;
      if (Int(2) == 0) {
        const std::string cond = AddCondition(4), body = AddBody(depth - 1);
        r = b.While(cond, body, operands, 3);
      } else {
        const std::string yes = AddBody(depth - 1), no = AddBody(depth - 1);
        const Value one = b.Scalar(kInt32, 1);
        const Value odd = b.Equal(b.And(p[0], one), one);
        operands.insert(operands.begin(), odd);
        r = b.If(odd, yes, no, absl::MakeSpan(operands).subspan(1));
      }
      for (size_t q = 1; q < r.size(); ++q) pool.push_back(r[q]);
    }
    Values results{b.Add(p[0], b.Scalar(kInt32, 1))};
    for (int k = 0; k < rows_; ++k) {
      const int choice = Int(8);
      const auto own = static_cast<size_t>(k);
      const auto any = static_cast<size_t>(Int(static_cast<int>(pool.size())));
      results.push_back(choice == 0 ? b.BroadcastTo(b.Scalar(kInt32, 3), {6}) : pool[choice < 3 ? own : any]);
    }
    const std::string name = f.name();
    Finish(std::move(f), b, std::move(results));
    return name;
  }

  Rng rng_;
  const int rows_;
  const bool stacks_;
  ir::Module module_;
  int next_ = 0;  // of function names
};

void ExpectEnginesAgree(const ir::Module& module, const std::vector<ir::Literal>& inputs, bool slow_ones) {
  ASSERT_TRUE(ir::Verify(module).ok()) << ir::Verify(module);
  const auto want = ir::EvaluateLiterals(module, *module.FindFunction("main"), inputs, {.round_each_op = true});
  ASSERT_TRUE(want.ok()) << want.status();
  for (const auto& engine : AllEngines()) {
    if (engine->is_reference() || engine->checks_indices() || (engine->is_slow() && !slow_ones)) {
      continue;
    }
    const auto got = engine->Run(module, "main", inputs);
    ASSERT_TRUE(got.ok()) << engine->name() << ": " << got.status();
    for (size_t i = 0; i < want->size(); ++i) {
      EXPECT_EQ(DifferentBits((*got)[i], (*want)[i]), "") << engine->name() << ", result " << i;
    }
  }
  if (testing::Test::HasFailure()) FAIL() << ir::Print(module);
}

class RandomLoops : public testing::TestWithParam<uint64_t> {
 protected:
  static void Check(bool stacks);
};

void RandomLoops::Check(bool stacks) {
  const int rows = 1 + static_cast<int>(GetParam() % 4);
  const ir::Module module = LoopGenerator(GetParam(), rows, stacks).Make();
  std::vector<ir::Literal> inputs;
  for (int k = 0; k < rows; ++k) {
    std::vector<int32_t> values;
    for (int j = 0; j < 6; ++j) values.push_back((7 * k + 3 * j) % 11 - 3);
    inputs.push_back(ir::Literal::From<int32_t>({6}, values));
  }
  ExpectEnginesAgree(module, inputs, GetParam() % 50 == 0);
}

TEST_P(RandomLoops, AllEnginesAgree) { Check(/*stacks=*/false); }
TEST_P(RandomLoops, AllEnginesAgreeOnStacks) { Check(/*stacks=*/true); }

INSTANTIATE_TEST_SUITE_P(Seeds, RandomLoops, testing::Range(uint64_t{0}, uint64_t{200}));

void ExpectEnginesAgreeOn(const std::string& text, const std::vector<ir::Literal>& inputs) {
  const auto module = ir::ParseModule("reel 1\nmodule \"t\"\n" + text, "t");
  ASSERT_TRUE(module.ok()) << module.status();
  ExpectEnginesAgree(*module, inputs, true);
}

TEST(Control, AConditionThatIsCarried) {
  ExpectEnginesAgreeOn(R"(func @go(%p: bool[], %n: i32[]) -> (bool[]) {
  return %p
}
func @next(%p: bool[], %n: i32[]) -> (bool[], i32[]) {
  %0 = constant 1 : i32[]
  %1 = add %n, %0 : i32[]
  %2 = constant 7 : i32[]
  %3 = less %1, %2 : bool[]
  return %3, %1
}
func @main(%p: bool[], %n: i32[]) -> (bool[], i32[], i32[]) {
  %0, %1 = while %p, %n {body=@next, cond=@go} : bool[], i32[]
  %2 = constant false : bool[]
  %3, %4 = while %2, %n {body=@next, cond=@go} : bool[], i32[]
  return %0, %1, %4
})",
                       {ir::Literal::Scalar(kBool, 1), ir::Literal::Scalar(kInt32, 2)});
}

TEST(Control, EmptyCarriedValuesAndBranchesThatSwap) {
  ExpectEnginesAgreeOn(
      R"(func @more(%i: i32[], %e: f32[0,3], %a: f32[3], %b: f32[3]) -> (bool[]) {
  %0 = constant 3 : i32[]
  %1 = less %i, %0 : bool[]
  return %1
}
func @swap(%a: f32[3], %b: f32[3]) -> (f32[3], f32[3]) {
  return %b, %a
}
func @keep(%a: f32[3], %b: f32[3]) -> (f32[3], f32[3]) {
  return %a, %b
}
func @next(%i: i32[], %e: f32[0,3], %a: f32[3], %b: f32[3]) -> (i32[], f32[0,3], f32[3], f32[3]) {
  %0 = constant 1 : i32[]
  %1 = add %i, %0 : i32[]
  %2 = add %e, %e : f32[0,3]
  %3 = equal %i, %0 : bool[]
  %4, %5 = if %3, %a, %b {else=@swap, then=@keep} : f32[3], f32[3]
  return %1, %2, %4, %5
}
func @main(%e: f32[0,3], %a: f32[3], %b: f32[3]) -> (f32[0,3], f32[3], f32[3], f32[3]) {
  %0 = constant 0 : i32[]
  %1, %2, %3, %4 = while %0, %e, %a, %b {body=@next, cond=@more} : i32[], f32[0,3], f32[3], f32[3]
  return %2, %3, %4, %3
})",
      {ir::Literal::Zeros({kFloat32, {0, 3}}), ir::Literal::From<float>({3}, std::vector<float>{1, 2, 3}),
       ir::Literal::From<float>({3}, std::vector<float>{4, 5, 6})});
}

}  // namespace
}  // namespace reel::optable
