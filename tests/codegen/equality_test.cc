// Hashes find, comparisons decide: programs whose kernels, nodes, functions and constants have one hash are what they
// are with good hashes.

#include <gtest/gtest.h>

#include <memory>

#include "codegen/jit/jit.h"
#include "codegen/loop/key.h"
#include "ir/builder.h"
#include "ir/text/printer.h"
#include "passes/gradient/gradient.h"
#include "passes/pass.h"
#include "passes/pipeline.h"
#include "passes/vectorize/vectorize.h"
#include "runtime/abi.h"
#include "runtime/buffer.h"
#include "tests/codegen/kernel_util.h"
#include "tests/codegen/program_util.h"
#include "tests/equal_hashes.h"

namespace reel::codegen {
namespace {

// Two kernels that once had one hash of 64 bits: the second number was chosen for that. The longer one ran over both.
const char kTwins[] = R"(func @f(%x: f64[4096], %y: f64[8]) -> (f64[4096], f64[8]) {
  %0 = constant 1.5 : f64[]
  %1 = broadcast %0 {axes=[], shape=[4096]} : f64[4096]
  %2 = add %x, %1 : f64[4096]
  %3 = constant -2.988301078273302e+130 : f64[]
  %4 = broadcast %3 {axes=[], shape=[8]} : f64[8]
  %5 = add %y, %4 : f64[8]
  return %2, %5
})";

TEST(Equality, KernelsOfOneHash) {
  EXPECT_EQ(PlanFunctions(kTwins).kernels.size(), 2u);
  const EqualHashes equal;
  const Program program = PlanFunctions(kTwins);
  ASSERT_EQ(program.kernels.size(), 2u);
  for (const Target& target : HostTargets()) {
    auto on_host = BuildProgram(ParseFunctions(kTwins), target, {});
    ASSERT_TRUE(on_host.ok()) << on_host.status();
    auto code = JitCompile(*std::move(on_host), target, {});
    ASSERT_TRUE(code.ok()) << code.status();
    const auto instance = runtime::Buffer::Allocate(static_cast<size_t>((*code)->program().instance_bytes));
    new (instance.data()) reel_instance{REEL_INSTANCE_MAGIC, nullptr, nullptr, nullptr, {}, nullptr, nullptr};
    const std::vector<double> x(4096, 1.0), y(8, 2.0);
    std::vector<double> a(4096), b(16, 7.0);
    const void* in[] = {x.data(), y.data()};
    void* out[] = {a.data(), b.data()};
    ASSERT_EQ((*code)->entry(0)(instance.data(), in, out), REEL_OK);
    EXPECT_EQ(a, std::vector<double>(4096, 2.5));
    EXPECT_EQ(std::vector<double>(b.begin(), b.begin() + 8), std::vector<double>(8, -2.988301078273302e+130));
    EXPECT_EQ(std::vector<double>(b.begin() + 8, b.end()), std::vector<double>(8, 7.0)) << "written beyond the end";
  }
}

/// A kernel with all kinds of statements' fields set.
Kernel Sample() {
  Kernel k;
  const AxisId i = k.AddAxis("i"), j = k.AddAxis("j");
  const BufferId x = k.AddBuffer("x", kFloat32, false), y = k.AddBuffer("y", kFloat32, true);
  const LocalId p = k.AddLocal("p", kFloat32, 64);
  const ExprId zero = Const(k, 0.0f), at = Const<int64_t>(k, 3), always = Const(k, true);
  const ExprId value = Load(k, x, At({{j, 1}}), always, at, 64);
  k.body =
      Block(For(i, LoopKind::kSerial, 4, 1,
                Block(Declare(p, -0.0f),
                      For(j, LoopKind::kVector, 64, 16, Block(Accumulate(p, At({{j, 1}}), Combine::kFma, value, zero))),
                      Tree(p, Combine::kSum), Store(y, At({{i, 1}}), ReadLocal(k, p, At({}))))));
  return k;
}

TEST(Equality, EveryFieldOfAKernelIsInItsKey) {
  using Change = void (*)(Kernel*);
  const Change changes[] = {
      [](Kernel*) {},
      [](Kernel* k) { k->buffers[0].dtype = kInt32; },
      [](Kernel* k) { k->buffers[0].is_output = true; },
      [](Kernel* k) { k->buffers.pop_back(); },
      [](Kernel* k) { k->locals[0].dtype = kInt32; },
      [](Kernel* k) { k->locals[0].size = 65; },
      [](Kernel* k) { k->AddLocal("q", kFloat32, 64); },
      [](Kernel* k) { k->exprs[0].bits = 1; },
      [](Kernel* k) { k->exprs[0].bits = 0x80000000; },  // -0
      [](Kernel* k) { k->exprs[0].bits = 0x7fc00000; },  // NaN
      [](Kernel* k) { k->exprs[0].bits = 0x7fc00001; },
      [](Kernel* k) { k->exprs[0].kind = Expr::Kind::kIndex; },
      [](Kernel* k) { k->exprs[0].dtype = kInt32; },
      [](Kernel* k) { k->exprs[0].op = ir::Op::kAdd; },
      [](Kernel* k) { k->exprs[0].operands = {0}; },
      [](Kernel* k) { k->exprs[0].buffer = 0; },
      [](Kernel* k) { k->exprs[0].local = 0; },
      [](Kernel* k) { k->exprs[0].index.constant = 1; },
      [](Kernel* k) { k->exprs[3].index.Add(0, 1); },
      [](Kernel* k) { k->exprs[3].index.Add(1, 1); },
      [](Kernel* k) { k->exprs[3].dynamic = -1; },
      [](Kernel* k) { k->exprs[3].dynamic_stride = 63; },
      [](Kernel* k) { k->exprs[3].guard = -1; },
      [](Kernel* k) { k->body[0].kind = Stmt::Kind::kLocal; },
      [](Kernel* k) { k->body[0].axis = 1; },
      [](Kernel* k) { k->body[0].loop_kind = LoopKind::kParallel; },
      [](Kernel* k) { k->body[0].extent = 5; },
      [](Kernel* k) { k->body[0].width = 2; },
      [](Kernel* k) { k->body[0].clip_base.constant = 1; },
      [](Kernel* k) { k->body[0].clip_total = 1; },
      [](Kernel* k) { k->body[0].body.pop_back(); },
      [](Kernel* k) { std::swap(k->body[0].body[2], k->body[0].body[3]); },
      [](Kernel* k) {  // a statement behind the loop instead of in it
        k->body.push_back(k->body[0].body.back());
        k->body[0].body.pop_back();
      },
      [](Kernel* k) { k->body[0].local = 0; },
      [](Kernel* k) { k->body[0].init = 1; },
      [](Kernel* k) { k->body[0].fill = false; },
      [](Kernel* k) { k->body[0].combine = Combine::kMax; },
      [](Kernel* k) { k->body[0].buffer = 1; },
      [](Kernel* k) { k->body[0].index.constant = 1; },
      [](Kernel* k) { k->body[0].a = 0; },
      [](Kernel* k) { k->body[0].b = 0; },
      [](Kernel* k) { k->body[0].dynamic = 0; },
      [](Kernel* k) { k->body[0].guard = 0; },
      [](Kernel* k) { k->body[0].dynamic_stride = 1; },
      [](Kernel* k) { k->body[0].descending = true; },
      [](Kernel* k) { k->body[0].positions = 2; },
  };
  std::vector<std::string> keys;
  for (const Change change : changes) {
    Kernel k = Sample();
    change(&k);
    keys.push_back(KeyOf(k));
  }
  for (size_t i = 0; i < keys.size(); ++i) {
    for (size_t j = 0; j < i; ++j) EXPECT_NE(keys[i], keys[j]) << j << ' ' << i;
  }
}

/// An empty constant of a file lies where the next one begins.
TEST(Equality, ConstantsThatBeginAtOnePlace) {
  const auto bytes = std::make_shared<std::vector<float>>(std::vector<float>{1, 2, 3, 4});
  const std::shared_ptr<const std::byte> place(bytes, reinterpret_cast<const std::byte*>(bytes->data()));
  ir::Module module("m");
  ir::Function f("f");
  ir::Builder b(&f);
  std::vector<ir::Value> results;
  for (int64_t n : {0, 4, 2}) results.push_back(b.Constant(ir::Literal({kFloat32, Shape({n})}, place)));
  f.SetResults(std::move(results));
  module.AddFunction(std::move(f));
  for (const bool fuse : {false, true}) {
    auto program = BuildProgram(module, *FindTarget("x86-64-v3"), {.fuse = fuse, .vectorize = fuse});
    ASSERT_TRUE(program.ok()) << program.status();
    std::vector<size_t> sizes;
    for (const ir::Literal& c : program->constants) sizes.push_back(c.bytes().size());
    EXPECT_THAT(sizes, testing::IsSupersetOf({size_t{16}, size_t{8}}));
  }
}

// Functions that name each other, equal ones among them; loops, branches, constants and nodes that are nearly equal.
const char kFunctions[] = R"(
func @more(%i: i64[], %x: f32[8], %w: f32[8]) -> (bool[]) {
  %0 = constant 3 : i64[]
  %1 = less %i, %0 : bool[]
  return %1
}
func @next(%i: i64[], %x: f32[8], %w: f32[8]) -> (i64[], f32[8], f32[8]) {
  %0 = constant 1 : i64[]
  %1 = add %i, %0 : i64[]
  %2 = mul %x, %w : f32[8]
  %3 = tanh %2 : f32[8]
  return %1, %3, %w
}
func @other(%i: i64[], %x: f32[8], %w: f32[8]) -> (i64[], f32[8], f32[8]) {
  %0 = constant 1 : i64[]
  %1 = add %i, %0 : i64[]
  %2 = mul %x, %w : f32[8]
  %3 = sin %2 : f32[8]
  return %1, %3, %w
}
func @square(%x: f32[8]) -> (f32[8]) {
  %0 = mul %x, %x : f32[8]
  return %0
}
func @cube(%x: f32[8]) -> (f32[8]) {
  %0 = call %x {callee=@square} : f32[8]
  %1 = mul %x, %0 : f32[8]
  return %1
}
func @f(%x: f32[8], %w: f32[8], %p: bool[]) -> (f32[8], f32[8], f32[8], f32[]) {
  %0 = constant 0 : i64[]
  %1, %2, %3 = while %0, %x, %w {body=@next, cond=@more} : i64[], f32[8], f32[8]
  %4, %5, %6 = while %0, %x, %w {body=@other, cond=@more} : i64[], f32[8], f32[8]
  %7 = if %p, %x {else=@cube, then=@square} : f32[8]
  %8 = constant [1, 2, 3, 4, 5, 6, 7, 8] : f32[8]
  %9 = constant [1, 2, 3, 4, 5, 6, 7, 9] : f32[8]
  %10 = mul %2, %8 : f32[8]
  %11 = mul %5, %9 : f32[8]
  %12 = exp %7 : f32[8]
  %13 = log %7 : f32[8]
  %14 = add %12, %13 : f32[8]
  %15 = exp %7 : f32[8]
  %16 = mul %14, %15 : f32[8]
  %17 = reduce_sum %16 {axes=[0]} : f32[]
  return %10, %11, %16, %17
}
)";

/// What the tables of passes, gradients and programs make of it, as text.
std::string AllForms() {
  std::string out;
  ir::Module module = ParseFunctions(kFunctions);
  const auto grad = passes::AddGradientFunction(&module, "f", {}, {});
  EXPECT_TRUE(grad.ok()) << grad.status();
  const auto again = passes::AddGradientFunction(&module, grad->name, {}, {});
  EXPECT_TRUE(again.ok()) << again.status();
  const auto jvp = passes::AddJvpFunction(&module, "f", {true, true, false});
  EXPECT_TRUE(jvp.ok()) << jvp.status();
  const auto rows = passes::Vectorize(&module, "f", {true, false, false}, 3);
  EXPECT_TRUE(rows.ok()) << rows.status();
  out += ir::Print(module);
  for (const bool fuse : {false, true}) {
    auto program = BuildProgram(module, *FindTarget("x86-64-v3"), {.fuse = fuse, .vectorize = fuse});
    EXPECT_TRUE(program.ok()) << program.status();
    if (program.ok()) out += ToString(*program);
  }
  const auto reports = passes::Optimize(&module);
  EXPECT_TRUE(reports.ok()) << reports.status();
  return out + ir::Print(module);
}

TEST(Equality, TablesOfPassesAndPrograms) {
  const std::string good = AllForms();
  const EqualHashes equal;
  EXPECT_EQ(AllForms(), good);
}

}  // namespace
}  // namespace reel::codegen
