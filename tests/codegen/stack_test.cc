// Parts of a stack, select(position along an axis == i, part i, ...), whose condition is memory, since it is a result,
// too. What walks several axes as one must not take a place in them for a position.

#include <gtest/gtest.h>

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "codegen/loop/cost.h"
#include "ir/strings.h"
#include "ir/text/parser.h"
#include "passes/pass.h"
#include "reel/reel.h"
#include "tests/codegen/bits_util.h"
#include "tests/codegen/program_util.h"

namespace reel {
namespace {

struct Case {
  std::string name, results, ops, types;
};

// Of %3, a position that is a result, too, and %4 = select(%3, %a, %b).
const std::vector<Case>& Cases() {
  static const auto* cases = new std::vector<Case>{
      {"in_an_epilogue", "%6",
       "  %5 = contract %s, %a {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[2,8,33]\n"
       "  %6 = add %5, %4 : f32[2,8,33]\n",
       "f32[2,8,33]"},
      {"in_a_sum_over_several_axes", "%5", "  %5 = reduce_sum %4 {axes=[1,2]} : f32[2]\n", "f32[2]"},
      {"in_a_sum_over_all", "%5", "  %5 = reduce_sum %4 {axes=[0,1,2]} : f32[]\n", "f32[]"},
      {"in_sums_that_keep_axes", "%5", "  %5 = reduce_sum %4 {axes=[0]} : f32[8,33]\n", "f32[8,33]"},
      {"in_rows", "%11",
       "  %5 = reduce_max %4 {axes=[2]} : f32[2,8]\n  %6 = broadcast %5 {axes=[0,1], shape=[2,8,33]} : f32[2,8,33]\n"
       "  %7 = sub %4, %6 : f32[2,8,33]\n  %8 = exp %7 : f32[2,8,33]\n  %9 = reduce_sum %8 {axes=[2]} : f32[2,8]\n"
       "  %10 = broadcast %9 {axes=[0,1], shape=[2,8,33]} : f32[2,8,33]\n  %11 = div %8, %10 : f32[2,8,33]\n",
       "f32[2,8,33]"},
      {"in_columns_of_rows", "%6, %7",
       "  %5 = exp %4 : f32[2,8,33]\n  %6 = reduce_sum %5 {axes=[2]} : f32[2,8]\n"
       "  %7 = reduce_sum %5 {axes=[0,1]} : f32[33]\n",
       "f32[2,8], f32[33]"},
      {"in_a_map", "%5", "  %5 = exp %4 : f32[2,8,33]\n", "f32[2,8,33]"},
  };
  return *cases;
}

class StackBits : public testing::TestWithParam<Case> {};

TEST_P(StackBits, DependOnNothing) {
  const Case& c = GetParam();
  for (int axis = 0; axis < 3; ++axis) {
    SCOPED_TRACE(axis);
    const Module module = Module::FromText(
        StrCat("reel 1\nmodule \"m\"\nfunc @main(%s: f32[2,2], %a: f32[2,8,33], %b: f32[2,8,33]) -> (bool[2,8,33], ",
               c.types, ") {\n  %0 = iota {axis=", axis, ", dtype=i32, shape=[2,8,33]} : i32[2,8,33]\n",
               "  %1 = constant 1 : i32[]\n  %2 = broadcast %1 {axes=[], shape=[2,8,33]} : i32[2,8,33]\n",
               "  %3 = equal %0, %2 : bool[2,8,33]\n  %4 = select %3, %a, %b : f32[2,8,33]\n", c.ops, "  return %3, ",
               c.results, "\n}\n"));
    const Function f = module.function("main");
    const std::vector<Tensor> in{RandomNormal({2, 2}), RandomNormal({2, 8, 33}), RandomNormal({2, 8, 33})};
    ExpectBits(f, in, Compile(f, {.opt_level = 0})("main", in).tensors(), "native", {1, 3});
    ExpectSameBitsWithoutFma(f, in);
  }
}

INSTANTIATE_TEST_SUITE_P(All, StackBits, testing::ValuesIn(Cases()), [](const auto& p) { return p.param.name; });

// --- values that are stacked, which become such selects (passes/select_parts) ---

using Tensors = std::vector<Tensor>;
using Inputs = std::span<const Tensor>;

void ExpectSame(const std::function<Tensors(Inputs)>& f, const Tensors& in) {
  std::vector<Spec> specs;
  for (const Tensor& x : in) specs.emplace_back(x);
  ExpectSameBits(Trace(f, specs), in, f(in));
}

// Sums that share sums, of rows and along them; the stack is read twice.
TEST(StackedParts, NoBitDependsOnKernels) {
  for (const int64_t axis : {0, 1, 2}) {
    for (const int count : {2, 4, 8, 16}) {
      SCOPED_TRACE(StrCat(axis, " ", count));
      ExpectSame(
          [&](Inputs in) {
            Tensors parts;
            for (int i = 0; i < count; ++i) parts.push_back((in[0] + in[1]) * double{1.0 + i} - in[i % 2]);
            const Tensor all = Stack(parts, axis);
            return Tensors{Tanh(all), ReduceSum(all, {axis}), Flip(all, {axis})};
          },
          {RandomNormal({3, 37}), RandomNormal({3, 37})});
    }
  }
}

// What lanes store by turns: pairs, threes and fours, of lengths that are no whole steps.
TEST(StackedParts, NoBitDependsOnTurns) {
  for (const DType dtype : {kFloat32, kFloat64, kInt32, kInt64}) {
    for (const int64_t n : {16, 31, 64, 101, 1000}) {
      for (const size_t count : {2, 3, 4}) {
        SCOPED_TRACE(StrCat(Name(dtype), " ", n, " ", count));
        const Tensor x = Cast(RandomNormal({n}, {.stddev = 50}), dtype),
                     y = Cast(RandomNormal({n}, {.stddev = 50}), dtype);
        ExpectSame(
            [&](Inputs in) {
              const Tensors parts{in[0] + in[1], in[0], in[1] * in[1], in[0] - in[1]};
              const Tensor all = Stack({parts.begin(), parts.begin() + static_cast<std::ptrdiff_t>(count)}, 1);
              return Tensors{Reshape(all, {n * static_cast<int64_t>(count)})};
            },
            {x, y});
      }
    }
  }
}

TEST(StackedParts, AreOneKernel) {
  const codegen::Program p = codegen::PlanFunctions(R"(
func @f(%a: f32[64], %b: f32[64]) -> (f32[2,64]) {
  %0 = add %a, %b : f32[64]
  %1 = exp %0 : f32[64]
  %2 = sub %1, %a : f32[64]
  %3 = mul %1, %b : f32[64]
  %4 = reshape %2 {shape=[1,64]} : f32[1,64]
  %5 = reshape %3 {shape=[1,64]} : f32[1,64]
  %6 = constant 0 : f32[]
  %7 = pad %4, %6 {high=[1, 0], interior=[0, 0], low=[0, 0]} : f32[2,64]
  %8 = constant 1 : i64[]
  %9 = dynamic_update %7, %5, %8 {axis=0} : f32[2,64]
  return %9
})");
  ASSERT_EQ(p.kernels.size(), 1u) << ToString(p);
  EXPECT_EQ(p.arena_bytes, 0);
  EXPECT_EQ(ToString(p).find("= select("), std::string::npos) << ToString(p);
}

// --- slices of maps, which are computed for these alone (passes/sink_slices) ---

TEST(SlicedMaps, NoBitDependsOnWhatIsLeftOut) {
  for (const int64_t n : {9, 40, 101}) {
    SCOPED_TRACE(n);
    ExpectSame(
        [n](Inputs in) {
          const Tensor& x = in[0];
          const Tensor blurred =
              Slice(x, {0, 0}, {13, n - 2}) * 0.25 + Slice(x, {0, 1}, {13, n - 1}) * in[1] + Slice(x, {0, 2}, {13, n});
          const Tensor some = Slice(blurred, {0, 0}, {13, n - 2}, {2, 2});
          const Tensor last = Slice(Tanh(x) * in[2], {0, n - 1}, {13, n});
          return Tensors{some, ReduceSum(Square(some)), Slice(some, {1, 1}, {3, 2}), last};
        },
        {RandomNormal({13, n}), RandomNormal({13, 1}), RandomNormal({n})});
  }
}

// The last column of a map, and of the map that it is made of: 64 functions, not 64 times 100. Another reader needs
// all.
TEST(SlicedMaps, LeaveOutTheRest) {
  for (const bool all : {false, true}) {
    auto module = ir::ParseModule(StrCat(R"(reel 1
module "m"
func @f(%a: f32[64,100], %b: f32[100]) -> ()",
                                         all ? "f32[64,100], " : "", R"(f32[64,1]) {
  %0 = exp %a : f32[64,100]
  %1 = broadcast %b {axes=[1], shape=[64,100]} : f32[64,100]
  %2 = mul %0, %1 : f32[64,100]
  %3 = slice %2 {limits=[64,100], starts=[0,99], strides=[1,1]} : f32[64,1]
  return )",
                                         all ? "%2, " : "", "%3\n}\n"),
                                  "f");
    ASSERT_TRUE(module.ok()) << module.status();
    const auto changed = passes::SinkSlices(&*module, {.differentiation_done = true});
    ASSERT_TRUE(changed.ok()) << changed.status();
    EXPECT_EQ(*changed, !all);
    const auto p = codegen::BuildProgram(*module, *codegen::FindTarget("x86-64-v4"), {});
    ASSERT_TRUE(p.ok()) << p.status();
    EXPECT_EQ(CostOf(p->kernels[0]).flops, 21 * (all ? 6400 : 64)) << ToString(*p);
  }
}

// A check looks at all indices, though of x[i:i+2] only the first one says where to read.
TEST(SlicedMaps, NoCheckIsCut) {
  auto module = ir::ParseModule(R"(reel 1
module "m"
func @f(%i: i32[2]) -> (i32[1]) {
  %0 = check_index %i {axis=0, dtype=f32, labels=false, of="slice", shape=[6,2]} : i32[2]
  %1 = slice %0 {limits=[1], starts=[0], strides=[1]} : i32[1]
  return %1
}
)",
                                "f");
  ASSERT_TRUE(module.ok()) << module.status();
  const auto changed = passes::SinkSlices(&*module, {.differentiation_done = true});
  ASSERT_TRUE(changed.ok()) << changed.status();
  EXPECT_FALSE(*changed);
}

// --- rows that go backwards or around, and their gradients ---

TEST(Edges, NoBitDependsOnWholeSteps) {
  for (const int64_t n : {5, 33, 64, 97, 200, 257}) {
    SCOPED_TRACE(n);
    ExpectSame(
        [](Inputs in) {
          GradientTape tape;
          tape.Watch(in[0]);
          const Tensor& x = in[0];
          const Tensor around = Roll(x, {1}, {0}) + Roll(x, {-1}, {0}) + Roll(x, {1}, {1}) + Roll(x, {-1}, {1});
          const Tensor y = x + 0.1 * in[1] * (around - 4 * x);
          const Tensor back = Flip(Concat({x, Slice(x, {0, 0}, {x.shape().dim(0), 1})}, 1), {1});
          return Tensors{y, back, Flip(x, {1}) * in[1], *tape.Gradient(ReduceSum(Square(y)), x)};
        },
        {RandomNormal({11, n}), RandomNormal({11, n})});
  }
}

// Slices of a transpose, which is turned once.
TEST(TurnedOnce, NoBitDependsOnCopies) {
  const auto f = [](Inputs in) {
    const Tensor t = Transpose(in[0], {0, 2, 1});
    Tensor sum = Slice(t, {0, 0, 0}, {2, 10, 19});
    for (int64_t k = 1; k < 5; ++k) sum = sum * 0.5 + Slice(t, {0, 10 * k, 0}, {2, 10 * k + 10, 19});
    return Tensors{sum};
  };
  ExpectSame(f, {RandomNormal({2, 19, 50})});
}

}  // namespace
}  // namespace reel
