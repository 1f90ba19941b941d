// Passes on symbolic extents: numbers in their place, and which functions go row by row.

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "ir/eval/eval.h"
#include "ir/strings.h"
#include "ir/text/parser.h"
#include "ir/text/printer.h"
#include "passes/pipeline.h"
#include "passes/rowwise.h"
#include "passes/specialize.h"

namespace reel::passes {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;
using testing::Not;

ir::Module Parse(std::string_view functions) {
  auto module = ir::ParseModule(
      StrCat("reel 1\nmodule \"m\"\nsymbol \"B\" in [1, 64]\nsymbol \"T\" in [2, 9]\n", functions), "test");
  EXPECT_TRUE(module.ok()) << module.status();
  return *std::move(module);
}

const char kExample[] = R"(
variable @w: f32[3] = [1, 2, 3]
func @inner(%x: f32[B,3]) -> (f32[B,3]) {
  %0 = exp %x : f32[B,3]
  return %0
}
func @main(%x: f32[B,3], %y: f32[T,B]) state(@w: f32[3]) -> (y: f32[B,2], n: i64[]) {
  %0 = call %x {callee=@inner} : f32[B,3]
  %1 = broadcast @w {axes=[1], shape=[B,3]} : f32[B,3]
  %2.sum = add %0, %1 : f32[B,3]
  %3 = slice %2.sum {limits=[-1, 3], starts=[0, 1], strides=[1, 1]} : f32[B,2]
  %4 = constant 1 : i64[]
  %5 = broadcast %4 {axes=[], shape=[B,T]} : i64[B,T]
  %6 = reduce_sum %5 {axes=[0, 1]} : i64[]
  return %3, %6 state(@w)
}
)";

TEST(Specialize, PutsNumbersInPlace) {
  const ir::Module m = Parse(kExample);
  const auto both = Specialize(m, {5, 2});
  ASSERT_TRUE(both.ok()) << both.status();
  const std::string text = ir::Print(*both);
  EXPECT_THAT(text, Not(HasSubstr("symbol")));
  EXPECT_THAT(text, HasSubstr("func @main(%x: f32[5,3], %y: f32[2,5]) state(@w: f32[3])"));
  EXPECT_THAT(text, HasSubstr("%2.sum = add"));
  EXPECT_THAT(text, HasSubstr("slice %2.sum {limits=[5, 3], starts=[0, 1], strides=[1, 1]} : f32[5,2]"));
  EXPECT_THAT(text, HasSubstr("{axes=[], shape=[5,2]}"));

  const auto one = Specialize(m, {5, -1});
  ASSERT_TRUE(one.ok()) << one.status();
  EXPECT_THAT(ir::Print(*one), HasSubstr("symbol \"T\" in [2, 9]"));
  EXPECT_THAT(ir::Print(*one), HasSubstr("func @main(%x: f32[5,3], %y: f32[T,5])"));
  const auto again = Specialize(*one, {2});
  ASSERT_TRUE(again.ok());
  EXPECT_EQ(ir::Print(*again), text);

  const std::string inner = "inner";
  const auto only = Specialize(m, {5, 2}, {&inner, 1});
  ASSERT_TRUE(only.ok());
  EXPECT_EQ(only->functions().size(), 1u);
}

TEST(Specialize, SumsOfEqualIntegersFold) {
  auto m = Specialize(Parse(kExample), {5, 2});
  ASSERT_TRUE(m.ok());
  ASSERT_TRUE(Optimize(&*m, {.context = {.entry_points = {"main"}}, .verify = true}).ok());
  EXPECT_THAT(ir::Print(*m), HasSubstr("constant 10 : i64[]"));
  EXPECT_THAT(ir::Print(*m), Not(HasSubstr("reduce_sum")));
}

// Optimized before or after: the same values.
TEST(Specialize, OptimizationsKeepSymbols) {
  ir::Module m = Parse(kExample);
  ASSERT_TRUE(Optimize(&m, {.context = {.entry_points = {"main"}}, .verify = true}).ok());
  const auto literal = [](const Shape& shape) {
    std::vector<float> values(static_cast<size_t>(shape.size()));
    for (size_t i = 0; i < values.size(); ++i) values[i] = 0.25f * static_cast<float>(i);
    return ir::Literal::From<float>(shape, values);
  };
  const std::vector<ir::Literal> inputs = {literal({4, 3}), literal({3, 4})};
  const auto symbolic = ir::EvaluateEntry(m, "main", inputs);
  const auto constant = Specialize(Parse(kExample), {4, 3});
  ASSERT_TRUE(symbolic.ok() && constant.ok()) << symbolic.status() << constant.status();
  const auto expected = ir::EvaluateEntry(*constant, "main", inputs);
  ASSERT_TRUE(expected.ok()) << expected.status();
  for (size_t i = 0; i < 2; ++i) EXPECT_EQ(symbolic->outputs[i], expected->outputs[i]);
}

TEST(Specialize, BindsArgumentsAndNames) {
  const ir::Module m = Parse(kExample);
  const ir::Function& f = *m.FindFunction("main");
  const auto bind = [&](const Shape& x, const Shape& y) {
    const std::vector<Type> types = {{kFloat32, x}, {kFloat32, y}};
    return BindArguments(m, f, types);
  };
  const auto message = [](const absl::StatusOr<Extents>& e) { return std::string(e.status().message()); };
  EXPECT_THAT(*bind({64, 3}, {9, 64}), ElementsAre(64, 9));
  const std::string hint = "; pass another extent, or widen the range of its Dim";
  EXPECT_EQ(message(bind({65, 3}, {9, 65})), "argument 0 (\"x\"): B = 65 is not in its range [1, 64]" + hint);
  EXPECT_EQ(message(bind({4, 3}, {1, 4})), "argument 1 (\"y\"): T = 1 is not in its range [2, 9]" + hint);
  EXPECT_EQ(message(bind({4, 3}, {2, 5})),
            "argument 1 (\"y\") has B = 5, but argument 0 (\"x\") has 4; they must agree");
  EXPECT_EQ(message(bind({4, 2}, {2, 4})), "argument 0 (\"x\") must be f32[B,3], got f32[4,2]");
  EXPECT_THAT(*BindNames(m, {{{"T", 3}}}), ElementsAre(-1, 3));
  EXPECT_EQ(message(BindNames(m, {{{"C", 3}}})), "the module has no symbolic extent \"C\"");
  EXPECT_EQ(message(BindNames(m, {{{"T", 1}}})), "extents: T = 1 is not in its range [2, 9]" + hint);
  EXPECT_EQ(message(BindNames(m, {{{"T", 3}, {"T", 4}}})), "extent \"T\" is given twice");
}

TEST(Specialize, NeedsASymbolThatAnArgumentHas) {
  const ir::Module m = Parse(R"(
func @main(%x: f32[B]) -> (f32[T]) {
  %0 = constant 1 : f32[]
  %1 = broadcast %0 {axes=[], shape=[T]} : f32[T]
  return %1
}
)");
  const std::vector<Type> types = {{kFloat32, {3}}};
  const auto bound = BindArguments(m, *m.FindFunction("main"), types);
  EXPECT_EQ(bound.status().message(), "symbol \"T\" has no value: no argument of @main has it");
}

// --- rows ---

struct Case {
  const char* name;
  bool rowwise;
  const char* functions;  // the last is looked at
};

void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

class Rowwise : public testing::TestWithParam<Case> {};

TEST_P(Rowwise, IsSeen) {
  const ir::Module m = Parse(GetParam().functions);
  EXPECT_EQ(IsRowwise(m, *m.functions().back(), 0), GetParam().rowwise);
}

INSTANTIATE_TEST_SUITE_P(All, Rowwise,
                         testing::Values(Case{"dense", true, R"(
variable @w: f32[3,2] = [1, 2, 3, 4, 5, 6]
func @f(%x: f32[B,3]) state(@w: f32[3,2]) -> (f32[B,2]) {
  %0 = contract %x, @w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[B,2]
  %1 = tanh %0 : f32[B,2]
  return %1 state(@w)
}
)"},
                                         Case{"softmax", true, R"(
func @f(%x: f32[B,3], %scale: f32[3]) -> (f32[B,3], f32[]) {
  %0 = reduce_max %x {axes=[1]} : f32[B]
  %1 = broadcast %0 {axes=[0], shape=[B,3]} : f32[B,3]
  %2 = broadcast %scale {axes=[1], shape=[B,3]} : f32[B,3]
  %3 = sub %x, %1 : f32[B,3]
  %4 = mul %3, %2 : f32[B,3]
  %5 = reduce_sum %scale {axes=[0]} : f32[]
  return %4, %5
}
)"},
                                         Case{"sums beside rows", true, R"(
func @f(%x: f32[B,4,3]) -> (f32[B,3]) {
  %0 = transpose %x {permutation=[1, 0, 2]} : f32[4,B,3]
  %1 = reduce_sum %0 {axes=[0]} : f32[B,3]
  return %1
}
)"},
                                         Case{"sums whose order one row changes", false, R"(
func @f(%x: f32[B,4]) -> (f32[B]) {
  %0 = transpose %x {permutation=[1, 0]} : f32[4,B]
  %1 = reduce_sum %0 {axes=[0]} : f32[B]
  return %1
}
)"},
                                         Case{"sum over rows", false, R"(
func @f(%x: f32[B,3]) -> (f32[3]) {
  %0 = reduce_sum %x {axes=[0]} : f32[3]
  return %0
}
)"},
                                         Case{"rows contracted", false, R"(
func @f(%x: f32[B,3]) -> (f32[3,3]) {
  %0 = contract %x, %x {a_batch=[], a_contract=[0], b_batch=[], b_contract=[0]} : f32[3,3]
  return %0
}
)"},
                                         Case{"rows with rows", false, R"(
func @f(%x: f32[B,3]) -> (f32[B]) {
  %0 = contract %x, %x {a_batch=[], a_contract=[1], b_batch=[], b_contract=[1]} : f32[B,B]
  %1 = reduce_sum %0 {axes=[1]} : f32[B]
  return %1
}
)"},
                                         Case{"rows as a batch", true, R"(
func @f(%x: f32[B,3], %y: f32[B,3]) -> (f32[B]) {
  %0 = contract %x, %y {a_batch=[0], a_contract=[1], b_batch=[0], b_contract=[1]} : f32[B]
  return %0
}
)"},
                                         Case{"transposed and back", true, R"(
func @f(%x: f32[B,3]) -> (f32[B,3]) {
  %0 = transpose %x {permutation=[1, 0]} : f32[3,B]
  %1 = reverse %0 {axes=[0]} : f32[3,B]
  %2 = transpose %1 {permutation=[1, 0]} : f32[B,3]
  return %2
}
)"},
                                         Case{"a result with rows last", false, R"(
func @f(%x: f32[B,3]) -> (f32[3,B]) {
  %0 = transpose %x {permutation=[1, 0]} : f32[3,B]
  return %0
}
)"},
                                         Case{"an argument with rows last", false, R"(
func @f(%x: f32[3,B]) -> (f32[B,3]) {
  %0 = transpose %x {permutation=[1, 0]} : f32[B,3]
  return %0
}
)"},
                                         Case{"reshaped beside the rows", true, R"(
func @f(%x: f32[B,4]) -> (f32[B,2,2]) {
  %0 = reshape %x {shape=[B,2,2]} : f32[B,2,2]
  return %0
}
)"},
                                         Case{"rows mixed with others", false, R"(
func @f(%x: f32[B,4]) -> (f32[B,4]) {
  %0 = reshape %x {shape=[4,B]} : f32[4,B]
  %1 = transpose %0 {permutation=[1, 0]} : f32[B,4]
  return %1
}
)"},
                                         Case{"the number of the row", false, R"(
func @f(%x: i64[B]) -> (i64[B]) {
  %0 = iota {axis=0, dtype=i64, shape=[B]} : i64[B]
  %1 = add %x, %0 : i64[B]
  return %1
}
)"},
                                         Case{"one hot", true, R"(
func @f(%x: i64[B]) -> (bool[B,3]) {
  %0 = iota {axis=1, dtype=i64, shape=[B,3]} : i64[B,3]
  %1 = broadcast %x {axes=[0], shape=[B,3]} : i64[B,3]
  %2 = equal %0, %1 : bool[B,3]
  return %2
}
)"},
                                         Case{"embedding", true, R"(
func @f(%table: f32[5,3], %x: i32[B,2]) -> (f32[B,2,3]) {
  %0 = gather %table, %x {axis=0} : f32[B,2,3]
  return %0
}
)"},
                                         Case{"rows by number", false, R"(
func @f(%x: f32[B,3], %i: i32[B]) -> (f32[B,3]) {
  %0 = gather %x, %i {axis=0} : f32[B,3]
  return %0
}
)"},
                                         Case{"gradient of an embedding", false, R"(
func @f(%table: f32[5,3], %i: i32[B], %d: f32[B,3]) -> (f32[5,3]) {
  %0 = scatter_add %table, %i, %d {axis=0} : f32[5,3]
  return %0
}
)"},
                                         Case{"random numbers", false, R"(
func @f(%x: i32[B], %key: i64[2]) -> (i32[B]) {
  %0 = random_bits %key {shape=[B]} : i32[B]
  %1 = add %x, %0 : i32[B]
  return %1
}
)"},
                                         Case{"an update", false, R"(
variable @n: f32[] = 0
func @f(%x: f32[B]) state(@n: f32[]) -> (f32[B]) {
  %0 = constant 1 : f32[]
  %1 = add @n, %0 : f32[]
  return %x state(%1)
}
)"},
                                         Case{"a loop with rows", true, R"(
func @cond(%i: i64[], %x: f32[B]) -> (bool[]) {
  %0 = constant 3 : i64[]
  %1 = less %i, %0 : bool[]
  return %1
}
func @body(%i: i64[], %x: f32[B]) -> (i64[], f32[B]) {
  %0 = constant 1 : i64[]
  %1 = add %i, %0 : i64[]
  %2 = sin %x : f32[B]
  return %1, %2
}
func @f(%x: f32[B]) -> (f32[B]) {
  %0 = constant 0 : i64[]
  %1, %2 = while %0, %x {body=@body, cond=@cond} : i64[], f32[B]
  return %2
}
)"},
                                         Case{"a loop until all rows are small", false, R"(
func @cond(%x: f32[B]) -> (bool[]) {
  %0 = reduce_max %x {axes=[0]} : f32[]
  %1 = constant 1 : f32[]
  %2 = less %1, %0 : bool[]
  return %2
}
func @body(%x: f32[B]) -> (f32[B]) {
  %0 = sin %x : f32[B]
  return %0
}
func @f(%x: f32[B]) -> (f32[B]) {
  %0 = while %x {body=@body, cond=@cond} : f32[B]
  return %0
}
)"},
                                         Case{"a branch on another argument", true, R"(
func @yes(%x: f32[B]) -> (f32[B]) {
  %0 = sin %x : f32[B]
  return %0
}
func @no(%x: f32[B]) -> (f32[B]) {
  return %x
}
func @f(%c: bool[], %x: f32[B]) -> (f32[B]) {
  %0 = if %c, %x {else=@no, then=@yes} : f32[B]
  return %0
}
)"},
                                         Case{"matrices", true, R"(
func @f(%x: f32[B,3,3]) -> (f32[B,3,3]) {
  %0 = cholesky %x : f32[B,3,3]
  return %0
}
)"}),
                         [](const testing::TestParamInfo<Case>& info) {
                           std::string name = info.param.name;
                           std::replace(name.begin(), name.end(), ' ', '_');
                           return name;
                         });

}  // namespace
}  // namespace reel::passes
