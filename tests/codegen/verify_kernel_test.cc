// Kernels by hand that are wrong in one way each: the verifier names it. That it says nothing of right ones is seen
// wherever tests compile (REEL_VERIFY=1).
#include "codegen/loop/verify.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <functional>

#include "tests/codegen/kernel_util.h"

namespace reel::codegen {
namespace {

using testing::HasSubstr;

// Four chunks of rows of 32 that are added up, two rows each; the rows of a last chunk may be fewer.
struct Sums {
  Kernel k;
  AxisId c = 0, i = 0, j = 0;
  BufferId x = 0, y = 0;
  LocalId p = 0;
  ExprId value = 0, sum = 0;

  explicit Sums(int64_t rows = 8) {
    k.name = "sums";
    c = k.AddAxis("c"), i = k.AddAxis("i"), j = k.AddAxis("j");
    x = k.AddBuffer("x", kFloat32, false), y = k.AddBuffer("y", kFloat32, true);
    k.buffers[0].elements = rows * 32;
    k.buffers[1].elements = rows;
    p = k.AddLocal("p", kFloat32, 1);
    value = Load(k, x, At({{c, 64}, {i, 32}, {j, 1}}));
    sum = ReadLocal(k, p, At({}));
    Stmt row = For(
        i, LoopKind::kSerial, 2, 1,
        Block(Declare(p, 0.0f), For(j, LoopKind::kSerial, 32, 1, Block(Accumulate(p, At({}), Combine::kSum, value))),
              Store(y, At({{c, 2}, {i, 1}}), sum)));
    k.body = Block(For(c, LoopKind::kParallel, 4, 1, Block(Clip(std::move(row), At({{c, 2}}), rows))));
  }
  Stmt& parallel() { return k.body[0]; }
  Stmt& rows() { return parallel().body[0]; }
  Stmt& declare() { return rows().body[0]; }
  Stmt& columns() { return rows().body[1]; }
  Stmt& store() { return rows().body[2]; }
};

TEST(VerifyKernel, SaysNothingOfRightOnes) {
  for (int64_t rows : {8, 7, 1}) EXPECT_TRUE(VerifyKernel(Sums(rows).k).ok()) << VerifyKernel(Sums(rows).k);
}

TEST(VerifyKernel, NamesWhatIsWrong) {
  struct Case {
    const char* message;
    std::function<void(Sums*)> make;
  };
  const Case cases[] = {
      {"x[256] is outside 0..256 at c=3, i=1, j=31", [](Sums* s) { s->k.exprs[0].index.constant = 1; }},
      {"x[-1] is outside 0..256 at c=0, i=0, j=0", [](Sums* s) { s->k.exprs[0].index.constant = -1; }},
      {"x[256] is outside 0..256 at c=3, i=1, j=32", [](Sums* s) { s->columns().extent = 33; }},
      {"x[224] is outside 0..224 at c=3, i=1, j=0",
       [](Sums* s) {
         *s = Sums(7);
         s->rows().clip_total = 8;
       }},
      {"y[8] is outside 0..8 at c=3, i=1", [](Sums* s) { s->store().index.constant = 1; }},
      {"y[1] is written by chunks 0 and 1", [](Sums* s) { s->store().index = At({{s->c, 1}, {s->i, 1}}); }},
      {"p[1] is outside 0..1", [](Sums* s) { s->columns().body[0].index.constant = 1; }},
      {"p[-1] is outside 0..1", [](Sums* s) { s->k.exprs[1].index.constant = -1; }},
      {"y[0] is made of a local that is not written", [](Sums* s) { s->declare().fill = false; }},
      {"y[0] is made of a local that is not written",
       [](Sums* s) {
         s->declare().fill = false;
         s->k.body[0].body[0].body[1].extent = 0;
       }},
      {"a local is written before it is declared", [](Sums* s) { s->rows().body.erase(s->rows().body.begin()); }},
      {"axis c is bound twice", [](Sums* s) { s->rows().axis = s->c; }},
      {"reads axis 2, which is not bound there", [](Sums* s) { s->store().a = s->value; }},
      {"axis 2 is not bound where it is read", [](Sums* s) { s->store().index.Add(s->j, 1); }},
      {"has an operand that comes later", [](Sums* s) { s->k.exprs[0].operands = {1}; }},
      {"a store to a buffer that is not written", [](Sums* s) { s->k.buffers[1].is_output = false; }},
      {"a parallel loop that is not the whole kernel, nor of another one",
       [](Sums* s) { s->columns().loop_kind = LoopKind::kParallel; }},
      {"a vector loop inside another",
       [](Sums* s) { s->rows().loop_kind = s->columns().loop_kind = LoopKind::kVector; }},
  };
  for (const Case& c : cases) {
    Sums sums;
    c.make(&sums);
    const absl::Status status = VerifyKernel(sums.k);
    EXPECT_EQ(status.code(), absl::StatusCode::kInternal) << c.message << "\n" << ToString(sums.k);
    EXPECT_THAT(std::string(status.message()), HasSubstr(c.message)) << ToString(sums.k);
  }
}

// More steps than are walked one by one: the ends of each loop are.
TEST(VerifyKernel, LooksAtTheEndsOfLongLoops) {
  Kernel k;
  k.name = "long";
  const AxisId i = k.AddAxis("i"), j = k.AddAxis("j");
  const BufferId x = k.AddBuffer("x", kFloat32, false), y = k.AddBuffer("y", kFloat32, true);
  for (KernelBuffer& b : k.buffers) b.elements = 5'000'000 - 7;
  const Affine at = At({{i, 1000}, {j, 1}});
  const ExprId value = Load(k, x, at);
  k.body = Block(For(
      i, LoopKind::kSerial, 5000, 1,
      Block(Clip(For(j, LoopKind::kVector, 1000, 16, Block(Store(y, at, value))), At({{i, 1000}}), 5'000'000 - 7))));
  EXPECT_TRUE(VerifyKernel(k).ok()) << VerifyKernel(k);
  k.body[0].body[0].clip_total += 1;
  EXPECT_THAT(std::string(VerifyKernel(k).message()), HasSubstr("x[4999993] is outside 0..4999993 at i=4999, j=993"));
}

}  // namespace
}  // namespace reel::codegen
