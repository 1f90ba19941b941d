// Every identity of the simplifier on special values, and random graphs through the whole pipeline.

#include <gtest/gtest.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <functional>
#include <limits>

#include "ir/strings.h"
#include "ir/text/printer.h"
#include "passes/pipeline.h"
#include "passes/simplify/rows.h"
#include "tests/passes/gradient_testing.h"

namespace reel::passes {
namespace {

using ir::Builder;
using ir::Op;

constexpr double kInf = std::numeric_limits<double>::infinity();
const Doubles kFloatValues{0.0, -0.0, 1, -1, 2.5, -kInf, kInf, NAN, 5e-324, 1.7e308};
const Doubles kIntValues{0, 1, -1, 2, -7, -2147483648.0, 2147483647};
const Doubles kUnsignedValues{0, 1, 2, 7, 127, 128, 255};
const Doubles kBoolValues{0, 1};

const Doubles& SpecialValues(DType dtype) {
  if (IsUnsigned(dtype)) return kUnsignedValues;
  return IsFloat(dtype) ? kFloatValues : dtype == kBool ? kBoolValues : kIntValues;
}

// The same bits, any NaN being equal to any other.
void ExpectSameBits(const std::vector<Doubles>& a, const std::vector<Doubles>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (size_t i = 0; i < a.size(); ++i) {
    ASSERT_EQ(a[i].size(), b[i].size());
    for (size_t e = 0; e < a[i].size(); ++e) {
      const bool same = (std::isnan(a[i][e]) && std::isnan(b[i][e])) ||
                        std::bit_cast<uint64_t>(a[i][e]) == std::bit_cast<uint64_t>(b[i][e]);
      EXPECT_TRUE(same) << "result " << i << "[" << e << "]: " << a[i][e] << " became " << b[i][e];
    }
  }
}

// Letters of a pattern that stand for bools: c and d are conditions of selects.
bool IsCondition(const Row& row, char letter) {
  return (letter == 'c' || letter == 'd') && row.pattern.find("select") != std::string_view::npos;
}

// Vectors that together hold every combination of three special values, and of two conditions.
std::vector<Doubles> Combinations(const std::vector<Type>& types) {
  std::vector<Doubles> inputs(types.size());
  for (size_t n = 0; n < 1000; ++n) {
    size_t rest = n;
    for (size_t i = 0; i < types.size(); ++i) {
      const Doubles& values = SpecialValues(types[i].dtype);
      inputs[i].push_back(values[rest % values.size()]);
      rest /= values.size();
    }
  }
  return inputs;
}

// The pattern of a row on parameters x, y, z of one dtype and conditions c, d; false if the ops do not take it.
bool DefinePattern(const Row& row, DType dtype, ir::Module* m, std::vector<Type>* types) {
  ir::Function f("f");
  Bindings bindings;
  for (char letter : {'c', 'd', 'x', 'y', 'z'}) {
    if (row.pattern.find(letter) == std::string_view::npos) continue;
    types->push_back({IsCondition(row, letter) ? kBool : dtype, {1000}});
    bindings[static_cast<size_t>(letter - 'a')] = f.AddParameter(std::string(1, letter), types->back());
  }
  Builder b(&f, m);
  const Type numbers{row.pattern.starts_with("select") ? kBool : dtype, {1000}};
  f.SetResults({BuildTerm(row.pattern, b, bindings, numbers)});
  if (!b.status().ok()) return false;
  m->AddFunction(std::move(f));
  return true;
}

TEST(SimplifyRows, EachHoldsBitForBitAndApplies) {
  for (const Row& row : Rows()) {
    int applied = 0;
    for (DType dtype : {kFloat64, kInt32, kUInt8, kBool}) {
      const bool is_select = row.pattern.starts_with("select");
      if (!InDomain(row.domain, is_select ? kBool : dtype)) continue;
      SCOPED_TRACE(StrCat(row.pattern, " = ", row.replacement, " for ", Name(dtype)));
      ir::Module m;
      std::vector<Type> types;
      if (!DefinePattern(row, dtype, &m, &types)) continue;
      const auto inputs = Combinations(types);
      const auto before = RunFunction(m, "f", inputs);
      const auto changed = Simplify(&m, {});
      ASSERT_TRUE(changed.ok()) << changed.status();
      applied += *changed;
      ExpectSameBits(before, RunFunction(m, "f", inputs));
    }
    EXPECT_GT(applied, 0) << row.pattern;
  }
}

// select(x <= 0, a, b) beside relu(x) asks relu(x): equal for NaN, both zeros and infinities, and x has no other use.
TEST(Simplify, MasksOfReluAskItsResult) {
  ir::Module m;
  const std::vector<Type> types(3, Type{kFloat64, {1000}});
  ir::Function f("f");
  const Value x = f.AddParameter("x", types[0]), p = f.AddParameter("p", types[1]), q = f.AddParameter("q", types[2]);
  Builder b(&f, &m);
  const Value sum = b.Mul(x, b.ScalarLike(x, -1));
  const Value negative = b.LessEqual(sum, b.ScalarLike(sum, 0));
  const Value early = b.Select(negative, q, p);  // before relu: stays
  const Value relu = b.Select(negative, b.ScalarLike(sum, 0), sum);
  f.SetResults({relu, b.Select(negative, p, q), early});
  ASSERT_TRUE(b.status().ok()) << b.status();
  m.AddFunction(std::move(f));
  const auto inputs = Combinations(types);
  const auto before = RunFunction(m, "f", inputs);
  const auto changed = Simplify(&m, {});
  ASSERT_TRUE(changed.ok() && *changed) << changed.status();
  ExpectSameBits(before, RunFunction(m, "f", inputs));
  const ir::Function& g = *m.FindFunction("f");
  const ir::Node& mask = *g.producer(g.producer(g.results()[1])->operands[0]);
  EXPECT_EQ(mask.operands[0], g.results()[0]) << ir::Print(m);
  const auto again = Simplify(&m, {});
  EXPECT_TRUE(again.ok() && !*again) << ir::Print(m);
}

// Runs Simplify before compiling on a function of x and two conditions, and gives the number of selects that are left.
int64_t SelectsAfter(const std::function<Values(Builder&, Value x, Value c, Value d)>& define) {
  ir::Module m;
  const std::vector<Type> types{{kFloat64, {1000}}, {kBool, {1000}}, {kBool, {1000}}};
  ir::Function f("f");
  const Value x = f.AddParameter("x", types[0]), c = f.AddParameter("c", types[1]), d = f.AddParameter("d", types[2]);
  Builder b(&f, &m);
  f.SetResults(define(b, x, c, d));
  EXPECT_TRUE(b.status().ok()) << b.status();
  m.AddFunction(std::move(f));
  const auto inputs = Combinations(types);
  const auto before = RunFunction(m, "f", inputs);
  EXPECT_TRUE(Simplify(&m, {.differentiation_done = true}).ok());
  ExpectSameBits(before, RunFunction(m, "f", inputs));
  const auto nodes = m.FindFunction("f")->nodes();
  return std::count_if(nodes.begin(), nodes.end(), [](const ir::Node& n) { return n.op == Op::kSelect; });
}

// Values of which only one branch is looked at, all special values among those that nobody looks at.
TEST(SimplifyDemand, SelectsBelowTheSameConditionGo) {
  const auto zero = [](Builder& b, Value x) { return b.ScalarLike(x, 0); };
  // f below: through several ops, on either side
  EXPECT_EQ(SelectsAfter([&](Builder& b, Value x, Value c, Value) {
              const Value safe = b.Select(c, zero(b, x), x);
              return Values{b.Select(c, x, b.Mul(b.Exp(safe), b.Add(safe, x)))};
            }),
            1);
  EXPECT_EQ(SelectsAfter([&](Builder& b, Value x, Value c, Value) {
              return Values{b.Select(c, b.Div(x, b.Select(c, x, zero(b, x))), x)};
            }),
            1);
  // c of c's own making: x counts everywhere
  EXPECT_EQ(SelectsAfter([&](Builder& b, Value x, Value, Value) {
              const Value c = b.Less(x, zero(b, x));
              return Values{b.Select(c, x, b.Sqrt(b.Select(c, zero(b, x), x)))};
            }),
            1);
  // one behind two conditions
  EXPECT_EQ(SelectsAfter([&](Builder& b, Value x, Value c, Value d) {
              const Value safe = b.Select(c, zero(b, x), b.Select(d, b.Neg(x), x));
              return Values{b.Select(d, x, b.Select(c, x, b.Exp(safe)))};
            }),
            2);
}

TEST(SimplifyDemand, WhatOthersLookAtStays) {
  const auto zero = [](Builder& b, Value x) { return b.ScalarLike(x, 0); };
  // a result of its own; another condition; a sum over all elements; a function that is slow for some numbers
  EXPECT_EQ(SelectsAfter([&](Builder& b, Value x, Value c, Value) {
              const Value safe = b.Select(c, zero(b, x), x);
              return Values{b.Select(c, x, b.Exp(safe)), safe};
            }),
            2);
  EXPECT_EQ(SelectsAfter([&](Builder& b, Value x, Value c, Value d) {
              const Value y = b.Exp(b.Select(c, zero(b, x), x));
              return Values{b.Add(b.Select(c, x, y), b.Select(d, x, y))};
            }),
            3);
  EXPECT_EQ(SelectsAfter([&](Builder& b, Value x, Value c, Value) {
              const Value sum = b.ReduceMax(b.Select(c, zero(b, x), x), {0});
              return Values{b.Select(c, x, b.Broadcast(sum, b.type(x).shape, {}))};
            }),
            2);
  EXPECT_EQ(SelectsAfter([&](Builder& b, Value x, Value c, Value) {
              return Values{b.Select(c, x, b.Sin(b.Select(c, zero(b, x), x)))};
            }),
            2);
}

// relu(x) is looked at where x > 0 alone, so x takes its place: no other mask may ask it.
TEST(SimplifyDemand, MasksDoNotAskWhatIsNoReluAnyMore) {
  EXPECT_EQ(SelectsAfter([](Builder& b, Value x, Value, Value) {
              const Value y = b.Neg(x), zero = b.ScalarLike(x, 0), c = b.LessEqual(y, zero);
              return Values{b.Select(c, b.Exp(b.Select(c, zero, y)), b.ScalarLike(x, 2))};
            }),
            1);
}

// As long as gradients may be wanted, the inner select keeps NaN out of them.
TEST(SimplifyDemand, NothingGoesBeforeGradients) {
  ir::Module m;
  ir::Function f("f");
  const Value x = f.AddParameter("x", {kFloat64, {4}}), c = f.AddParameter("c", {kBool, {4}});
  Builder b(&f, &m);
  f.SetResults({b.Select(c, x, b.Exp(b.Select(c, b.ScalarLike(x, 0), x)))});
  m.AddFunction(std::move(f));
  const auto changed = Simplify(&m, {});
  EXPECT_TRUE(changed.ok() && !*changed) << ir::Print(m);
}

TEST(Simplify, PaddingGoesBelowTranspositions) {
  ir::Module m;
  const std::vector<Type> types{{kFloat64, {2, 3, 4}}};
  ir::Function f("f");
  const Value x = f.AddParameter("x", types[0]);
  Builder b(&f, &m);
  f.SetResults({b.Pad(b.Transpose(x, {2, 0, 1}), b.Scalar(kFloat64, 7), {1, 0, 2}, {0, 3, 1}, {0, 1, 2})});
  ASSERT_TRUE(b.status().ok()) << b.status();
  m.AddFunction(std::move(f));
  std::vector<Doubles> inputs(1);
  for (int i = 0; i < 24; ++i) inputs[0].push_back(i);
  const auto before = RunFunction(m, "f", inputs);
  const auto changed = Simplify(&m, {});
  ASSERT_TRUE(changed.ok() && *changed) << changed.status();
  ExpectSameBits(before, RunFunction(m, "f", inputs));
  const ir::Function& g = *m.FindFunction("f");
  EXPECT_EQ(g.producer(g.results()[0])->op, Op::kTranspose) << ir::Print(m);
}

// Slices of x with a part written over and padding around it, where the slice is before, in, after
// and across them.
TEST(SimplifyShape, SlicesOfUpdatesAndPads) {
  const Type x{kFloat64, {2, 6}}, u{kFloat64, {2, 2}};
  const std::vector<Doubles> inputs{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}, {-1, -2, -3, -4}};
  int slices = 0, all = 0;
  for (int64_t start = -1; start <= 7; ++start) {
    for (int64_t begin = 0; begin < 9; ++begin) {
      for (const int64_t length : {1, 2, 5}) {
        const int64_t end = begin + length, stride = length == 5 ? 3 : 1;
        if (end > 9) continue;
        SCOPED_TRACE(StrCat("update at ", start, ", slice ", begin, " .. ", end, " by ", stride));
        ir::Module m;
        ir::Function f("f");
        const Value a = f.AddParameter("x", x), b = f.AddParameter("u", u);
        Builder builder(&f, &m);
        const Value at = builder.Scalar(kInt64, static_cast<double>(start));
        const Value updated = builder.DynamicUpdate(a, b, at, 1);
        const Value zero = builder.Scalar(kFloat64, 0);
        const Value padded = builder.Pad(updated, zero, {0, 1}, {0, 2}, {0, 0});
        f.SetResults({builder.Slice(padded, {0, begin}, {2, end}, {1, stride})});
        ASSERT_TRUE(builder.status().ok()) << builder.status();
        m.AddFunction(std::move(f));
        const auto before = RunFunction(m, "f", inputs);
        for (int i = 0; i < 2; ++i) ASSERT_TRUE(Simplify(&m, {}).ok() && Dce(&m, {}).ok());
        ExpectSameBits(before, RunFunction(m, "f", inputs));
        ++all;
        slices += m.FindFunction("f")->nodes().size() == 1;
      }
    }
  }
  EXPECT_GT(slices, all / 3);
  EXPECT_LT(slices, all);
}

// A known start, also one that is clamped; not as long as gradients may be wanted.
TEST(SimplifyShape, DynamicSlicesFromKnownStarts) {
  for (const double start : {-3.0, 0.0, 2.0, 9.0}) {
    for (const bool done : {false, true}) {
      ir::Module m;
      ir::Function f("f");
      const Value x = f.AddParameter("x", {kFloat64, {2, 6}});
      Builder b(&f, &m);
      f.SetResults({b.DynamicSlice(x, b.Scalar(kInt32, start), 1, 3)});
      m.AddFunction(std::move(f));
      const std::vector<Doubles> inputs{{1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12}};
      const auto before = RunFunction(m, "f", inputs);
      const auto changed = Simplify(&m, {.differentiation_done = done});
      ASSERT_TRUE(changed.ok()) << changed.status();
      EXPECT_EQ(*changed, done);
      ExpectSameBits(before, RunFunction(m, "f", inputs));
    }
  }
}

class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed * 2 + 1) {}
  size_t Below(size_t n) {
    state_ = state_ * 6364136223846793005u + 1442695040888963407u;
    return static_cast<size_t>((state_ >> 33) % n);
  }

 private:
  uint64_t state_;
};

constexpr Op kUnary[] = {Op::kIdentity, Op::kNeg, Op::kAbs, Op::kSign, Op::kNot};
constexpr Op kBinary[] = {Op::kAdd, Op::kSub, Op::kMul, Op::kDiv,   Op::kMax,  Op::kMin,
                          Op::kAnd, Op::kOr,  Op::kXor, Op::kEqual, Op::kLess, Op::kGreaterEqual};

// Emits a random node on two of the latest values; nothing if the ops do not take their types.
void EmitRandom(Random* random, ir::Function* f, const ir::Module& m) {
  const auto pick = [&] {
    const int n = f->num_values();
    return Value{n - 1 - static_cast<int>(random->Below(static_cast<size_t>(std::min(n, 12))))};
  };
  Builder b(f, &m);
  const Value x = pick(), y = pick(), c = pick();
  switch (random->Below(5)) {
    case 0: b.Emit(kUnary[random->Below(std::size(kUnary))], {x}); break;
    case 1: b.Select(c, x, y); break;
    case 2: {
      const double numbers[] = {0.0, -0.0, 1, -1, 2};
      b.ScalarLike(x, numbers[random->Below(5)]);
      break;
    }
    default: b.Emit(kBinary[random->Below(std::size(kBinary))], {x, y}); break;
  }
}

TEST(PipelineFuzz, RandomGraphsKeepTheirBitsAndTheSecondRunChangesNothing) {
  for (uint64_t seed = 0; seed < 600; ++seed) {
    SCOPED_TRACE(seed);
    PipelineOptions options;
    options.context.differentiation_done = seed % 2 == 1;
    Random random(seed);
    ir::Module m;
    ir::Function f("f");
    std::vector<Type> types;
    for (DType dtype : {kFloat64, kInt32, kBool, kFloat64}) types.push_back({dtype, {1000}});
    for (size_t i = 0; i < types.size(); ++i) f.AddParameter(StrCat("p", i), types[i]);
    while (f.nodes().size() < 40) EmitRandom(&random, &f, m);
    Values results;
    for (int i = f.num_values() - 12; i < f.num_values(); ++i) results.push_back({i});
    f.SetResults(results);
    m.AddFunction(std::move(f));
    const auto inputs = Combinations(types);
    const auto before = RunFunction(m, "f", inputs);
    const auto reports = Optimize(&m, options);
    ASSERT_TRUE(reports.ok()) << reports.status();
    ExpectSameBits(before, RunFunction(m, "f", inputs));
    for (int i = 0; i < 3; ++i) ASSERT_TRUE(Optimize(&m, options).ok());
    const std::string settled = ir::Print(m);
    ASSERT_TRUE(Optimize(&m, options).ok());
    EXPECT_EQ(ir::Print(m), settled);
  }
}

}  // namespace
}  // namespace reel::passes
