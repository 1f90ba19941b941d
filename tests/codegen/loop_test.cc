#include "codegen/loop/loop.h"

#include <gtest/gtest.h>

#include "codegen/loop/key.h"
#include "tests/codegen/kernel_util.h"

namespace reel::codegen {
namespace {

Kernel AddRelu() {
  Kernel k;
  k.name = "add_relu";
  const AxisId c = k.AddAxis("c"), i = k.AddAxis("i"), j = k.AddAxis("j");
  const BufferId x = k.AddBuffer("x", kFloat32, false), b = k.AddBuffer("b", kFloat32, false);
  const BufferId y = k.AddBuffer("y", kFloat32, true);
  const Affine at = At({{c, 1024}, {i, 128}, {j, 1}});
  const ExprId sum = Apply(k, ir::Op::kAdd, kFloat32, {Load(k, x, at), Load(k, b, At({{j, 1}}))});
  const ExprId relu = Apply(k, ir::Op::kMax, kFloat32, {sum, Const(k, 0.0f)});
  k.body = Block(For(
      c, LoopKind::kParallel, 4, 1,
      Block(For(i, LoopKind::kSerial, 8, 1, Block(For(j, LoopKind::kVector, 128, 32, Block(Store(y, at, relu))))))));
  return k;
}

TEST(Loop, Text) {
  EXPECT_EQ(ToString(AddRelu()), R"(kernel @add_relu(x: f32, b: f32) -> (y: f32) {
  parallel c in 0..4 {
    for i in 0..8 {
      vector j in 0..128 by 32 {
        y[1024*c + 128*i + j] = max(add(x[1024*c + 128*i + j], b[j]), 0)
      }
    }
  }
}
)");
}

TEST(Loop, TextOfEveryKindOfStatement) {
  Kernel k;
  k.name = "all";
  const AxisId i = k.AddAxis("i"), j = k.AddAxis("j");
  const BufferId x = k.AddBuffer("x", kFloat32, false), at = k.AddBuffer("at", kInt64, false);
  const BufferId y = k.AddBuffer("y", kFloat32, true);
  const LocalId p = k.AddLocal("p", kFloat32, 64);
  const ExprId row = Load(k, at, At({{i, 1}}));
  const ExprId in_range = Apply(k, ir::Op::kLess, kBool, {row, Const<int64_t>(k, 10)});
  const ExprId value = Load(k, x, At({{j, 1}}, -3), in_range, row, 64);
  const ExprId number = Position(k, kFloat32, At({{i, -2}}, 5));
  const ExprId twice = Apply(k, ir::Op::kExp, kFloat32, {number});
  const ExprId cast = Apply(k, ir::Op::kCast, kFloat32, {row});
  Stmt vector =
      For(j, LoopKind::kVector, 64, 64,
          Block(Accumulate(p, At({{j, 1}}), Combine::kFma, value, twice),
                Accumulate(p, At({{j, 1}}), Combine::kSum, twice), Accumulate(p, At({{j, 1}}), Combine::kMax, cast)));
  k.body = Block(For(i, LoopKind::kUnrolled, 2, 1,
                     Block(Declare(p, -0.0f), Clip(std::move(vector), At({{i, 64}}), 100), Tree(p, Combine::kSum),
                           Store(y, At({{i, 1}}), ReadLocal(k, p, At({})), in_range))));
  EXPECT_EQ(ToString(k), R"(kernel @all(x: f32, at: i64) -> (y: f32) {
  let t2 = less(at[i], 10)
  let t5 = exp(f32(-2*i + 5))
  unroll i in 0..2 {
    local p: f32[64] = -0
    vector j in 0..min(64, -64*i + 100) by 64 {
      p[j] fma= (x[j - 3 + 64*at[i]] if t2) * t5
      p[j] += t5
      p[j] max= cast_f32(at[i])
    }
    tree_sum p
    y[i] = p[0] if t2
  }
}
)");
}

TEST(Loop, AffineKeepsTermsSortedAndDropsZeros) {
  Affine a = At({{3, 2}, {1, 5}}, 7);
  a.Add(At({{1, 5}, {2, 1}}), -1);
  EXPECT_EQ(a, At({{2, -1}, {3, 2}}, 7));
  EXPECT_EQ(a.coefficient(3), 2);
  EXPECT_EQ(a.coefficient(1), 0);
  a.Add(a);
  EXPECT_EQ(a, At({{2, -2}, {3, 4}}, 14));
}

TEST(Loop, KeyIgnoresNamesOnly) {
  Kernel a = AddRelu(), b = AddRelu();
  b.name = "other";
  b.axes[0] = "chunk";
  b.buffers[1].name = "bias";
  EXPECT_EQ(KeyOf(a), KeyOf(b));
  b.body[0].body[0].body[0].width = 64;
  EXPECT_NE(KeyOf(a), KeyOf(b));
  b = AddRelu();
  b.exprs.back().op = ir::Op::kMin;
  EXPECT_NE(KeyOf(a), KeyOf(b));
  b = AddRelu();
  b.buffers[0].dtype = kFloat64;
  EXPECT_NE(KeyOf(a), KeyOf(b));
}

TEST(Loop, Chunks) {
  Kernel k = AddRelu();
  EXPECT_EQ(k.chunks(), 4);
  k.body[0].loop_kind = LoopKind::kSerial;
  EXPECT_EQ(k.chunks(), 1);
}

}  // namespace
}  // namespace reel::codegen
