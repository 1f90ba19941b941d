// Loops and their gradients cost memory and work in proportion to their iterations: checked on the
// program, which tells every byte and every copy, and by running a million iterations.

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "codegen/compiler.h"
#include "codegen/program/in_line.h"
#include "ir/builder.h"
#include "ir/eval/eval.h"
#include "ir/text/parser.h"
#include "passes/gradient/gradient.h"
#include "passes/pass.h"
#include "runtime/abi.h"
#include "runtime/buffer.h"

namespace reel::codegen {
namespace {

using ir::Builder;
using ir::Value;
using Values = std::vector<Value>;

template <typename Body>
void Define(ir::Module* m, const std::string& name, const std::vector<Type>& types, Body body) {
  ir::Function f(name);
  Values parameters;
  for (const Type& t : types) {
    parameters.push_back(f.AddParameter("p" + std::to_string(parameters.size()), t));
  }
  Builder b(&f, m);
  Values results = body(b, parameters);
  ASSERT_TRUE(b.status().ok()) << b.status();
  f.SetResults(std::move(results));
  m->AddFunction(std::move(f));
}

const Type kScalar{kFloat32, {}}, kCounter{kInt64, {}};

void DefineCount(ir::Module* m, const std::string& name, const std::vector<Type>& types, int64_t n) {
  Define(m, name, types, [n](Builder& b, const Values& p) {
    return Values{b.Less(p[0], b.Constant(ir::Literal::ScalarInt(kInt64, n)))};
  });
}

Value Zero(Builder& b) { return b.Constant(ir::Literal::ScalarInt(kInt64, 0)); }
Value Next(Builder& b, Value i) { return b.Add(i, b.Constant(ir::Literal::ScalarInt(kInt64, 1))); }

// @main and @main.grad of the result after n iterations.
using Maker = ir::Module (*)(int64_t n);

// x = sin(w x)
ir::Module ScalarLoop(int64_t n) {
  ir::Module m("scalar");
  const std::vector<Type> types{kCounter, kScalar, kScalar};
  DefineCount(&m, "more", types, n);
  Define(&m, "next", types,
         [](Builder& b, const Values& p) { return Values{Next(b, p[0]), b.Sin(b.Mul(p[1], p[2])), p[2]}; });
  Define(&m, "main", {kScalar, kScalar},
         [](Builder& b, const Values& p) { return Values{b.While("more", "next", {Zero(b), p[0], p[1]})[1]}; });
  return m;
}

// A recurrent net of one unit over xs: c = tanh(w c + xs[i]), ys[i] = c; the sum of ys * ys.
ir::Module ScanLoop(int64_t n) {
  ir::Module m("scan");
  const Type rows{kFloat32, {n}};
  const std::vector<Type> types{kCounter, kScalar, rows, kScalar, rows};
  DefineCount(&m, "more", types, n);
  Define(&m, "next", types, [](Builder& b, const Values& p) {
    const Value x = b.Reshape(b.DynamicSlice(p[4], p[0], 0, 1), {});
    const Value c = b.Tanh(b.Add(b.Mul(p[1], p[3]), x));
    return Values{Next(b, p[0]), c, b.DynamicUpdate(p[2], b.Reshape(c, {1}), p[0], 0), p[3], p[4]};
  });
  Define(&m, "main", {kScalar, kScalar, rows}, [rows](Builder& b, const Values& p) {
    const ir::ValueList r = b.While("more", "next", {Zero(b), p[0], b.Zeros(rows), p[1], p[2]});
    return Values{b.ReduceSum(b.Mul(r[2], r[2]), {0})};
  });
  return m;
}

// Three rounds of ScanLoop's kind, whose inner loop reads xs in a branch: the cotangent of xs
// passes through loop, loop and branch, and a row of it is added at a time.
ir::Module NestedLoop(int64_t n) {
  ir::Module m("nested");
  const Type rows{kFloat32, {n}};
  const std::vector<Type> types{kCounter, kScalar, kScalar, rows};
  DefineCount(&m, "more", types, n / 2);
  DefineCount(&m, "more_rounds", types, 3);
  Define(&m, "row", {kCounter, kScalar, rows}, [](Builder& b, const Values& p) {
    return Values{b.Mul(p[1], b.Reshape(b.DynamicSlice(p[2], p[0], 0, 1), {}))};
  });
  Define(&m, "keep", {kCounter, kScalar, rows}, [](Builder& b, const Values& p) { return Values{b.Neg(p[1])}; });
  Define(&m, "next", types, [](Builder& b, const Values& p) {
    const Value even = b.Equal(b.And(p[0], Next(b, Zero(b))), Zero(b));
    const Value c = b.If(even, "row", "keep", {p[0], p[1], p[3]})[0];
    return Values{Next(b, p[0]), b.Sin(b.Add(c, p[2])), p[2], p[3]};
  });
  Define(&m, "round", types, [](Builder& b, const Values& p) {
    const ir::ValueList r = b.While("more", "next", {Zero(b), p[1], p[2], p[3]});
    return Values{Next(b, p[0]), r[1], p[2], p[3]};
  });
  Define(&m, "main", {kScalar, kScalar, rows}, [](Builder& b, const Values& p) {
    return Values{b.While("more_rounds", "round", {Zero(b), p[0], p[1], p[2]})[1]};
  });
  return m;
}

// With the gradient alone as the entry point.
ir::Module GradientOf(ir::Module m, int order = 1) {
  std::string name = "main";
  for (int k = 0; k < order; ++k) {
    const auto g = passes::AddGradientFunction(&m, name, {}, {});
    EXPECT_TRUE(g.ok()) << g.status();
    m.RemoveFunction(name);
    name = g->name;
  }
  ir::Function f = *m.FindFunction(name);
  m.RemoveFunction(name);
  f.set_name("main");
  m.AddFunction(std::move(f));
  return m;
}

// Scalar stores of one run of a kernel, chunks included.
int64_t Stores(const std::vector<Stmt>& body) {
  int64_t n = 0;
  for (const Stmt& s : body) {
    if (s.kind == Stmt::Kind::kLoop) n += s.extent.value() * Stores(s.body);
    if (s.kind == Stmt::Kind::kStore) ++n;
  }
  return n;
}

struct Costs {
  int64_t steps = 0;    // of the whole program
  int64_t in_loop = 0;  // bytes copied and elements stored by one run of the innermost loop bodies
};

bool HasLoop(const std::vector<Step>& steps) {
  for (const Step& s : steps) {
    if (s.control == Step::Control::kWhile || HasLoop(s.first) || HasLoop(s.second)) return true;
  }
  return false;
}

void Add(const Program& p, const std::vector<Step>& steps, bool in_loop, Costs* costs) {
  for (const Step& s : steps) {
    ++costs->steps;
    const bool loop = s.control == Step::Control::kWhile && !HasLoop(s.second);
    Add(p, s.first, in_loop || loop, costs);
    Add(p, s.second, in_loop || loop, costs);
    if (!in_loop) continue;
    costs->in_loop += s.bytes;
    if (s.kernel >= 0) costs->in_loop += Stores(p.kernels[static_cast<size_t>(s.kernel)].body);
  }
}

class LoopCosts : public testing::TestWithParam<std::tuple<Maker, int, int>> {};

// maker, order of the gradient, bytes of arena per iteration at most.
TEST_P(LoopCosts, PerIterationAreConstant) {
  const auto [maker, order, bytes] = GetParam();
  for (bool fuse : {true, false}) {
    SCOPED_TRACE(fuse ? "level 2" : "level 0");
    Costs first;
    for (int64_t n : {10, 1000, 1000000}) {
      const ir::Module module = GradientOf(maker(n), order);
      const auto p = BuildProgram(module, *FindTarget("x86-64-v3"), {fuse, fuse});
      ASSERT_TRUE(p.ok()) << p.status();
      Costs costs;
      Add(*p, p->entries[0].steps, false, &costs);
      // Level 0 has the forward loop beside the recording one.
      EXPECT_LE(p->live_bytes, bytes * n * (fuse ? 1 : 2) + 8192) << n << " iterations";
      EXPECT_GE(p->live_bytes, 2 * n) << "nothing was stacked?";
      if (n == 10) continue;  // rows are not much less than the whole
      if (first.steps == 0) first = costs;
      EXPECT_EQ(costs.steps, first.steps) << n << " iterations";
      EXPECT_EQ(costs.in_loop, first.in_loop) << n << " iterations\n" << ToString(*p);
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Gradients, LoopCosts,
                         testing::Values(std::tuple(&ScalarLoop, 1, 4), std::tuple(&ScanLoop, 1, 12),
                                         std::tuple(&NestedLoop, 1, 8), std::tuple(&ScalarLoop, 2, 40),
                                         std::tuple(&ScanLoop, 2, 80)));

std::vector<float> CompileAndRun(const ir::Module& module, int level, const std::vector<std::vector<float>>& inputs,
                                 const std::vector<size_t>& sizes) {
  CompilerOptions options;
  options.opt_level = level;
  const auto code = reel_compiler()->Compile(module, options);
  EXPECT_TRUE(code.ok()) << code.status();
  const auto bytes = static_cast<size_t>((*code)->program().instance_bytes);
  const auto instance = runtime::Buffer::Allocate(bytes);
  (new (instance.data()) reel_instance{})->magic = REEL_INSTANCE_MAGIC;
  std::vector<const void*> in;
  for (const auto& x : inputs) in.push_back(x.data());
  std::vector<std::vector<float>> results;
  for (size_t n : sizes) results.emplace_back(n);
  std::vector<void*> out;
  for (auto& r : results) out.push_back(r.data());
  EXPECT_EQ((*code)->entry(0)(instance.data(), in.data(), out.data()), REEL_OK);
  std::vector<float> all;
  for (const auto& r : results) all.insert(all.end(), r.begin(), r.end());
  return all;
}

TEST(Loops, AMillionIterationsBackwards) {
  constexpr int64_t kSteps = 1000000;
  const ir::Module module = GradientOf(ScanLoop(kSteps));
  std::vector<float> xs(kSteps);
  for (size_t i = 0; i < xs.size(); ++i) xs[i] = 0.001f * static_cast<float>(i % 1000) - 0.5f;
  const std::vector<float> got = CompileAndRun(module, 2, {{0.5f}, {0.25f}, xs}, {1, 1, xs.size()});
  // The adjoint recurrence in double.
  std::vector<double> c{0.5};
  for (float x : xs) c.push_back(std::tanh(0.25 * c.back() + x));
  double d = 0, dw = 0;
  std::vector<double> dx(xs.size());
  for (size_t i = xs.size(); i-- > 0;) {
    d = (d + 2 * c[i + 1]) * (1 - c[i + 1] * c[i + 1]);
    dx[i] = d;
    dw += d * c[i];
    d *= 0.25;
  }
  EXPECT_NEAR(got[0], d, 1e-6);
  EXPECT_NEAR(got[1], dw, 1e-3 * std::fabs(dw));  // a million additions in f32
  for (size_t i = 0; i < xs.size(); i += 997) EXPECT_NEAR(got[2 + i], dx[i], 2e-6) << i;
}

// while x < limit: (x, v) = (x + 1, sin(v) + w): a loop whose length nobody knows is reversed from
// 64 saved states, whatever they hold.
TEST(Loops, WithoutABoundSixtyFourStatesAreSaved) {
  constexpr int64_t kWide = 4096;
  const Type wide{kFloat32, {kWide}};
  ir::Module m("unbounded");
  const std::vector<Type> types{kScalar, wide, wide, kScalar};
  Define(&m, "more", types, [](Builder& b, const Values& p) { return Values{b.Less(p[0], p[3])}; });
  Define(&m, "next", types, [](Builder& b, const Values& p) {
    const Value sine = b.Sin(p[1]);
    return Values{b.Add(p[0], b.Scalar(kFloat32, 1)), b.Add(sine, p[2]), p[2], p[3]};
  });
  Define(&m, "main", types,
         [](Builder& b, const Values& p) { return Values{b.ReduceSum(b.While("more", "next", p)[1], {0})}; });
  const auto p = BuildProgram(GradientOf(m), *FindTarget("x86-64-v3"), {});
  ASSERT_TRUE(p.ok()) << p.status();
  const int64_t state = 4 * kWide;
  EXPECT_GE(p->live_bytes, 64 * state);
  EXPECT_LE(p->live_bytes, (64 + 12) * state);
}

// while x < limit: x = x + w. 256 KiB hold the states of 52,428 iterations, all of them saved;
// more are cut into segments.
TEST(Loops, WithoutABoundMemoryIsFixed) {
  ir::Module m("unbounded");
  const std::vector<Type> types{kScalar, kScalar, kScalar};
  Define(&m, "more", types, [](Builder& b, const Values& p) { return Values{b.Less(p[0], p[2])}; });
  Define(&m, "next", types, [](Builder& b, const Values& p) { return Values{b.Add(p[0], p[1]), p[1], p[2]}; });
  Define(&m, "main", types, [](Builder& b, const Values& p) { return Values{b.While("more", "next", p)[0]}; });
  const ir::Module module = GradientOf(m);
  const auto p = BuildProgram(module, *FindTarget("x86-64-v3"), {});
  ASSERT_TRUE(p.ok()) << p.status();
  EXPECT_LE(p->live_bytes, (256 << 10) + 48 * 4 + 4096);
  for (const float steps : {0.f, 1.f, 17.f, 300.f, 5000.f, 52428.f, 52429.f, 1e6f}) {
    const std::vector<float> d = CompileAndRun(module, 2, {{0}, {1}, {steps}}, {1, 1, 1});
    EXPECT_EQ(d, (std::vector<float>{1, steps, 0}));
    if (steps < 1000) {
      EXPECT_EQ(d, CompileAndRun(module, 0, {{0}, {1}, {steps}}, {1, 1, 1}));
    }
  }
}

// 1,000 steps: both levels to the bit, the reference within what f32 rounds.
TEST(Loops, LevelsAgreeToTheBit) {
  const ir::Module module = GradientOf(ScanLoop(1000));
  std::vector<float> xs(1000);
  for (size_t i = 0; i < xs.size(); ++i) xs[i] = 0.002f * static_cast<float>(i) - 1;
  const std::vector<std::vector<float>> inputs{{0.5f}, {0.75f}, xs};
  const std::vector<float> fused = CompileAndRun(module, 2, inputs, {1, 1, xs.size()});
  EXPECT_EQ(fused, CompileAndRun(module, 0, inputs, {1, 1, xs.size()}));
  const auto want =
      ir::EvaluateLiterals(module, *module.FindFunction("main"),
                           {ir::Literal::From<float>({}, inputs[0]), ir::Literal::From<float>({}, inputs[1]),
                            ir::Literal::From<float>({1000}, xs)});
  ASSERT_TRUE(want.ok()) << want.status();
  EXPECT_NEAR(fused[0], (*want)[0].AsDouble(0), 1e-5);
  EXPECT_NEAR(fused[1], (*want)[1].AsDouble(0), 1e-5 * std::fabs((*want)[1].AsDouble(0)) + 1e-4);
  for (int64_t i = 0; i < 1000; ++i) {
    EXPECT_NEAR(fused[static_cast<size_t>(2 + i)], (*want)[2].AsDouble(i), 1e-5) << i;
  }
}

// Values of one axis more, side by side.
Value Stack(Builder& b, const Values& parts, const Type& type) {
  const int64_t n = static_cast<int64_t>(parts.size()), axis = type.shape.rank() - 1;
  Shape one = type.shape;
  one.set(static_cast<int>(axis), Extent(1));
  std::vector<int64_t> none(static_cast<size_t>(axis + 1), 0), high = none;
  high.back() = n - 1;
  Value y = b.Pad(b.Reshape(parts[0], one), b.Scalar(type.dtype, 0), none, high, none);
  for (int64_t k = 1; k < n; ++k) {
    const Value at = b.Constant(ir::Literal::ScalarInt(kInt64, k));
    y = b.DynamicUpdate(y, b.Reshape(parts[static_cast<size_t>(k)], one), at, axis);
  }
  return y;
}

// n steps of s += 0.01 f(s), s: [batch, 3], f(s) = (w (y - x), x (1 - z) - y, x y - z), and the states as rows: the sum
// of the squares of both.
ir::Module Lorenz(int64_t n, const Shape& shape) {
  ir::Module m("lorenz");
  const Type state{kFloat32, shape};
  Shape row = shape, all = shape;
  row.insert(0, Extent(1));
  all.insert(0, Extent(std::max<int64_t>(n, 1)));
  const std::vector<Type> types{kCounter, state, kScalar, {kFloat32, all}};
  DefineCount(&m, "more", types, n);
  Define(&m, "next", types, [&](Builder& b, const Values& p) {
    const Values s = b.Elements(p[1], {shape.rank() - 1});
    const Value w = b.BroadcastTo(p[2], b.type(s[0]).shape), one = b.ScalarLike(s[0], 1);
    const Value slope = Stack(
        b, {b.Mul(w, b.Sub(s[1], s[0])), b.Sub(b.Mul(s[0], b.Sub(one, s[2])), s[1]), b.Sub(b.Mul(s[0], s[1]), s[2])},
        state);
    const Value next = b.Add(p[1], b.Mul(b.ScalarLike(slope, 0.01), slope));
    return Values{Next(b, p[0]), next, p[2], b.DynamicUpdate(p[3], b.Reshape(next, row), p[0], 0)};
  });
  Define(&m, "main", {state, kScalar}, [&](Builder& b, const Values& p) {
    const ir::ValueList r = b.While("more", "next", {Zero(b), p[0], p[1], b.Zeros({kFloat32, all})});
    const auto squares = [&b](Value x) {
      std::vector<int64_t> axes;
      for (int a = 0; a < b.type(x).shape.rank(); ++a) axes.push_back(a);
      return b.ReduceSum(b.Mul(x, x), axes);
    };
    return Values{b.Add(squares(r[1]), squares(r[3]))};
  });
  return m;
}

// Odd sizes, no step at all, one. What is stacked and taken apart again is no kernel of its own.
TEST(Loops, SmallSystemsGoColumnByColumn) {
  for (const Shape& shape : {Shape{3}, Shape{1, 3}, Shape{5, 3}, Shape{65, 3}, Shape{2, 16, 3}}) {
    for (const int64_t steps : {0, 1, 100}) {
      SCOPED_TRACE((Type{kFloat32, shape}.ToString() + ", " + std::to_string(steps) + " steps"));
      const ir::Module module = GradientOf(Lorenz(steps, shape));
      std::vector<float> start(static_cast<size_t>(shape.size()));
      for (size_t i = 0; i < start.size(); ++i) start[i] = 0.37f * static_cast<float>(i % 7) - 1;
      const std::vector<float> fused = CompileAndRun(module, 2, {start, {0.7f}}, {start.size(), 1});
      EXPECT_EQ(fused, CompileAndRun(module, 0, {start, {0.7f}}, {start.size(), 1}));
      const auto p = BuildProgram(Lorenz(steps, shape), *FindTarget("x86-64-v3"), {});
      ASSERT_TRUE(p.ok()) << p.status();
      for (const Step& s : p->entries[0].steps) {
        if (s.control != Step::Control::kWhile) continue;
        EXPECT_TRUE(s.in_line);
        EXPECT_LE(s.second.size(), 10) << ToString(*p);  // of three columns each: new, recorded, copied
      }
    }
  }
}

// A loop in line has its kernels in it; a loop of large ones calls them.
TEST(Loops, SmallOnesAreInLine) {
  for (const int64_t n : {16, 1 << 20}) {
    const Type wide{kFloat32, {n}};
    ir::Module m("wide");
    const std::vector<Type> types{kCounter, wide};
    DefineCount(&m, "more", types, 10);
    Define(&m, "next", types, [](Builder& b, const Values& p) { return Values{Next(b, p[0]), b.Sin(p[1])}; });
    Define(&m, "main", {wide},
           [](Builder& b, const Values& p) { return Values{b.While("more", "next", {Zero(b), p[0]})[1]}; });
    for (const bool profile : {false, true}) {
      const auto p = BuildProgram(m, *FindTarget("x86-64-v3"), {.profile = profile});
      ASSERT_TRUE(p.ok()) << p.status();
      const bool small = n == 16 && !profile;
      const std::vector<bool> called = CalledKernels(*p);
      EXPECT_EQ(std::count(called.begin(), called.end(), true), small ? 0 : static_cast<int64_t>(called.size()));
      EXPECT_EQ(ToString(*p).find(" in line") != std::string::npos, small);
    }
  }
}

ir::Module Parse(const char* text) {
  auto m = ir::ParseModule(std::string("reel 1\nmodule \"m\"\n") + text, "test");
  EXPECT_TRUE(m.ok()) << m.status();
  return *std::move(m);
}

// Counters and limits as far apart as numbers can be: how often a loop runs does not fit one.
TEST(Loops, CountToTheLargestNumbers) {
  const ir::Module bounded = Parse(R"(
func @more(%i: i64[], %x: f32[]) -> (bool[]) {
  %0 = constant 9223372036854775807 : i64[]
  %1 = less %i, %0 : bool[]
  return %1
}
func @next(%i: i64[], %x: f32[]) -> (i64[], f32[]) {
  %0 = constant 1 : i64[]
  %1 = add %i, %0 : i64[]
  %2 = sin %x : f32[]
  return %1, %2
}
func @main(%x: f32[]) -> (f32[]) {
  %0 = constant -1 : i64[]
  %1, %2 = while %0, %x {body=@next, cond=@more, maximum_iterations=5} : i64[], f32[]
  return %2
}
)");
  std::vector<float> x{1};
  for (int i = 0; i < 5; ++i) x[0] = std::sin(x[0]);
  EXPECT_NEAR(CompileAndRun(bounded, 2, {{1}}, {1})[0], x[0], 1e-6);
  const ir::Module never = Parse(R"(
func @more(%i: i64[], %t: f32[4], %x: f32[]) -> (bool[]) {
  %0 = constant -9223372036854775808 : i64[]
  %1 = less %i, %0 : bool[]
  return %1
}
func @next(%i: i64[], %t: f32[4], %x: f32[]) -> (i64[], f32[4], f32[]) {
  %0 = constant 1 : i64[]
  %1 = reshape %x {shape=[1]} : f32[1]
  %2 = constant -10 : i64[]
  %3 = add %i, %2 : i64[]
  %4 = dynamic_update %t, %1, %3 {axis=0} : f32[4]
  %5 = add %i, %0 : i64[]
  return %5, %4, %x
}
func @main(%t: f32[4], %x: f32[]) -> (f32[4]) {
  %0 = constant 10 : i64[]
  %1 = sin %t : f32[4]
  %2, %3, %4 = while %0, %1, %x {body=@next, cond=@more} : i64[], f32[4], f32[]
  return %3
}
)");
  const std::vector<std::vector<float>> inputs{{0.5f, 1, 2, 3}, {7}};
  EXPECT_EQ(CompileAndRun(never, 2, inputs, {4}), CompileAndRun(never, 0, inputs, {4}));
}

// A column's name is not another parameter's.
TEST(Loops, ColumnsHaveNamesOfTheirOwn) {
  const ir::Module m = Parse(R"(
func @more(%i: i64[], %s: f32[4,2], %s.0: f32[]) -> (bool[]) {
  %0 = constant 10 : i64[]
  %1 = less %i, %0 : bool[]
  return %1
}
func @next(%i: i64[], %s: f32[4,2], %s.0: f32[]) -> (i64[], f32[4,2], f32[]) {
  %0 = slice %s {limits=[4, 1], starts=[0, 0], strides=[1, 1]} : f32[4,1]
  %1 = slice %s {limits=[4, 2], starts=[0, 1], strides=[1, 1]} : f32[4,1]
  %2 = neg %0 : f32[4,1]
  %3 = constant 0 : f32[]
  %4 = pad %1, %3 {high=[0, 1], interior=[0, 0], low=[0, 0]} : f32[4,2]
  %5 = constant 1 : i64[]
  %6 = dynamic_update %4, %2, %5 {axis=1} : f32[4,2]
  %7 = broadcast %s.0 {axes=[], shape=[4,2]} : f32[4,2]
  %8 = mul %7, %6 : f32[4,2]
  %9 = add %s, %8 : f32[4,2]
  %10 = add %i, %5 : i64[]
  return %10, %9, %s.0
}
func @main(%s: f32[4,2], %w: f32[]) -> (f32[4,2]) {
  %0 = constant 0 : i64[]
  %1, %2, %3 = while %0, %s, %w {body=@next, cond=@more} : i64[], f32[4,2], f32[]
  return %2
}
)");
  const auto p = BuildProgram(m, *FindTarget("x86-64-v3"), {});
  EXPECT_TRUE(p.ok()) << p.status();
}

// Stencils pad rows of 7 to 8 and slice them again: taking them apart must not make a node for each pair of columns.
TEST(Loops, StencilsStayLinear) {
  const auto nodes = [](int steps) {
    ir::Module m("stencil");
    const Type row{kFloat32, {7}};
    const std::vector<Type> types{kCounter, row};
    DefineCount(&m, "more", types, 3);
    Define(&m, "next", types, [&](Builder& b, const Values& p) {
      Value x = p[1];
      for (int i = 0; i < steps; ++i) {
        const Value zero = b.Scalar(kFloat32, 0);
        const Value both = b.Sub(b.Pad(x, zero, {1}, {0}, {0}), b.Pad(x, zero, {0}, {1}, {0}));
        x = b.Sin(b.Slice(both, {0}, {7}, {1}));
      }
      return Values{Next(b, p[0]), x};
    });
    Define(&m, "main", {row},
           [](Builder& b, const Values& p) { return Values{b.While("more", "next", {Zero(b), p[0]})[1]}; });
    EXPECT_TRUE(passes::Unstack(&m, {}).ok());
    return m.FindFunction("next")->nodes().size();
  };
  const size_t few = nodes(100), many = nodes(400);
  EXPECT_LE(few, 100u * 6 * 8);  // ops of a step, each at most once a column
  EXPECT_LE(many, 4 * few);
}

// Loops that look the same share kernels, but not code in line: of many only some are.
TEST(Loops, ManyAreNotAllInLine) {
  ir::Module m("many");
  const std::vector<Type> types{kCounter, kScalar};
  DefineCount(&m, "more", types, 10);
  Define(&m, "next", types, [](Builder& b, const Values& p) {
    Value x = p[1];
    for (int i = 0; i < 20; ++i) x = b.Sin(x);
    return Values{Next(b, p[0]), x};
  });
  Define(&m, "main", {kScalar}, [](Builder& b, const Values& p) {
    Value x = p[0];
    for (int i = 0; i < 400; ++i) x = b.While("more", "next", {Zero(b), x})[1];
    return Values{x};
  });
  const auto p = BuildProgram(m, *FindTarget("x86-64-v3"), {});
  ASSERT_TRUE(p.ok()) << p.status();
  int64_t instructions = 0, loops = 0;
  VisitLoopsInLine(p->entries[0].steps, [&](const Step& loop) {
    instructions += InstructionsInLine(p->kernels, loop);
    ++loops;
  });
  EXPECT_LE(instructions, Tuning().in_line_total);
  EXPECT_GT(loops, 0);
  EXPECT_LT(loops, 400);
}

// x -= (x x - a) / (2 x) until that is small: every row of a table, which an outer loop goes through.
TEST(Loops, NewtonInALoopOverRows) {
  ir::Module m("newton");
  const Type rows{kFloat32, {5}};
  const std::vector<Type> inner{kScalar, kScalar, kScalar}, outer{kCounter, rows, rows};
  Define(&m, "apart", inner,
         [](Builder& b, const Values& p) { return Values{b.Greater(b.Abs(p[1]), b.Scalar(kFloat32, 1e-6))}; });
  Define(&m, "closer", inner, [](Builder& b, const Values& p) {
    const Value change = b.Div(b.Sub(b.Mul(p[0], p[0]), p[2]), b.Mul(b.Scalar(kFloat32, 2), p[0]));
    return Values{b.Sub(p[0], change), change, p[2]};
  });
  DefineCount(&m, "more", outer, 5);
  Define(&m, "next", outer, [](Builder& b, const Values& p) {
    const Value a = b.Reshape(b.DynamicSlice(p[1], p[0], 0, 1), {});
    const Value root = b.While("apart", "closer", {a, b.Scalar(kFloat32, 1), a})[0];
    return Values{Next(b, p[0]), p[1], b.DynamicUpdate(p[2], b.Reshape(root, {1}), p[0], 0)};
  });
  Define(&m, "main", {rows}, [rows](Builder& b, const Values& p) {
    return Values{b.While("more", "next", {Zero(b), p[0], b.Zeros(rows)})[2]};
  });
  const std::vector<std::vector<float>> inputs{{1, 2, 9, 0.25f, 1e6f}};
  const std::vector<float> roots = CompileAndRun(m, 2, inputs, {5});
  EXPECT_EQ(roots, CompileAndRun(m, 0, inputs, {5}));
  for (size_t i = 0; i < 5; ++i) EXPECT_NEAR(roots[i], std::sqrt(inputs[0][i]), 1e-6 * roots[i]);
}

}  // namespace
}  // namespace reel::codegen
