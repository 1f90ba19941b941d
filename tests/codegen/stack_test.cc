// Parts of a stack, select(position along an axis == i, part i, ...), whose condition is memory, since it is a result,
// too. What walks several axes as one must not take a place in them for a position.

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "ir/strings.h"
#include "reel/reel.h"
#include "tests/codegen/bits_util.h"

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

}  // namespace
}  // namespace reel
