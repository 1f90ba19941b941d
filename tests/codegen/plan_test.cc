#include <gtest/gtest.h>

#include <algorithm>
#include <ctime>
#include <set>
#include <string>
#include <utility>

#include "codegen/loop/build.h"
#include "codegen/plan/plan.h"
#include "codegen/program/arena.h"
#include "codegen/program/program.h"
#include "ir/builder.h"
#include "ir/strings.h"
#include "ir/text/parser.h"
#include "ir/verifier.h"

// What becomes a kernel, in what order, on which memory: checked on the program, before LLVM.

namespace reel::codegen {
namespace {

Program Plan(const std::string& body, PlanOptions options = {}) {
  auto module = ir::ParseModule("reel 1\nmodule \"t\"\n" + body, "t");
  EXPECT_TRUE(module.ok()) << module.status();
  auto target = FindTarget("x86-64-v4");
  EXPECT_TRUE(target.ok()) << target.status();
  auto program = BuildProgram(*module, *target, options);
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

std::vector<std::string> Kernels(const Program& p) {
  std::vector<std::string> names;
  for (const Step& s : p.entries[0].steps) {
    names.push_back(s.kernel < 0 ? "copy" : p.kernels[static_cast<size_t>(s.kernel)].name);
  }
  return names;
}

using Names = std::vector<std::string>;

TEST(Plan, ElementwiseChainIsOneKernel) {
  const Program p = Plan(R"(func @f(%x: f32[2,3]) -> (f32[2,3]) {
  %0 = exp %x : f32[2,3]
  %1 = mul %0, %x : f32[2,3]
  %2 = tanh %1 : f32[2,3]
  return %2
})");
  EXPECT_EQ(Kernels(p), Names{"tanh"});
  EXPECT_EQ(p.arena_bytes, 0);
}

TEST(Plan, LevelZeroIsOneScalarKernelPerOp) {
  const Program p = Plan(R"(func @f(%x: f32[2,3]) -> (f32[2,3]) {
  %0 = exp %x : f32[2,3]
  %1 = mul %0, %x : f32[2,3]
  return %1
})",
                         {.fuse = false, .vectorize = false});
  EXPECT_EQ(Kernels(p), (Names{"exp", "mul"}));
  EXPECT_EQ(ToString(p).find("vector"), std::string::npos);
}

// x + f(x) of n elements, where f keeps `live` multiples of x until it adds them.
std::string MapOf(int64_t n, int live) {
  const std::string type = StrCat("f32[", n, "]");
  std::string text = StrCat("func @f(%x: ", type, ") -> (", type, ") {\n  %0 = tanh %x : ", type, "\n");
  for (int i = 1; i < live; ++i) StrAppend(&text, "  %", i, " = mul %", i - 1, ", %x : ", type, "\n");
  for (int i = 0; i < live; ++i) {
    StrAppend(&text, "  %", live + i, " = add %", live + i - 1, ", %", live - 1 - i, " : ", type, "\n");
  }
  return StrCat(text, "  return %", 2 * live - 1, "\n}");
}

// Four registers a step, fewer where values would spill or lanes would be masked.
TEST(Plan, RegistersOfAStep) {
  const auto has = [](int64_t n, int live, const char* step) {
    return ToString(Plan(MapOf(n, live))).find(step) != std::string::npos;
  };
  EXPECT_TRUE(has(4096, 2, "by 64 {"));
  EXPECT_TRUE(has(4096, 12, "by 32 {"));
  EXPECT_TRUE(has(4096, 40, "by 16 {"));
  EXPECT_TRUE(has(80, 2, "by 16 {"));
  EXPECT_TRUE(has(8, 2, "by 8 {"));
  EXPECT_TRUE(has(18, 2, "by 16 {"));  // and two lanes
  EXPECT_TRUE(has(27, 2, "by 32 {"));
}

// So many dependent operations wait four times as long one register after the other.
TEST(Plan, LongChainsKeepFourRegisters) {
  constexpr int kOps = 600;
  std::string text = "func @f(%x: f32[64], %y: f32[64]) -> (f32[64]) {\n  %0 = mul %x, %y : f32[64]\n";
  for (int i = 1; i < kOps; ++i) StrAppend(&text, "  %", i, i % 2 ? " = add %" : " = mul %", i - 1, ", %y : f32[64]\n");
  const std::string plan = ToString(Plan(StrCat(text, "  return %", kOps - 1, "\n}")));
  EXPECT_EQ(plan.find("by 32 {"), std::string::npos) << plan;
  EXPECT_NE(plan.find("by 64 {"), std::string::npos) << plan;
}

// A position counted in 64 bits is one scalar for all lanes.
TEST(Plan, PositionsDoNotNarrowSteps) {
  const std::string plan = ToString(Plan(R"(func @f(%x: f32[8,256], %k: i64[]) -> (f32[1,256]) {
  %0 = dynamic_slice %x, %k {axis=0, size=1} : f32[1,256]
  %1 = tanh %0 : f32[1,256]
  return %1
})"));
  EXPECT_NE(plan.find("by 64 {"), std::string::npos) << plan;
}

// No windows in memory: the product reads the padded image, and what follows rides on it.
TEST(Plan, ConvolutionReadsThePaddedImage) {
  const Program p = Plan(R"(func @f(%x: f32[2,8,8,1,4], %w: f32[3,3,1,4,6], %b: f32[6]) -> (f32[2,8,8,6]) {
  %0 = conv %x, %w {a_dilation=[1,1], b_dilation=[1,1], high=[1,1], low=[1,1], strides=[1,1]} : f32[2,8,8,1,6]
  %1 = reshape %0 {shape=[2,8,8,6]} : f32[2,8,8,6]
  %2 = broadcast %b {axes=[3], shape=[2,8,8,6]} : f32[2,8,8,6]
  %3 = add %1, %2 : f32[2,8,8,6]
  %4 = tanh %3 : f32[2,8,8,6]
  return %4
})");
  EXPECT_EQ(Kernels(p), (Names{"pad", "contract_tanh"}));
  EXPECT_EQ(p.arena_bytes, 4 * 2 * 10 * 10 * 4);
}

// dX = dY W^T of few rows: W is transposed panel by panel on the stack.
TEST(Plan, TransposedOperandsAreNotCopied) {
  const Program p = Plan(R"(func @f(%x: f32[64,300], %w: f32[100,300]) -> (f32[64,100]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[1]} : f32[64,100]
  return %0
})");
  EXPECT_EQ(Kernels(p), Names{"contract"});
  EXPECT_EQ(p.arena_bytes, 0);
}

// For more rows it is copied, for 1000 if it is small.
TEST(Plan, TransposedOperandsOfManyRowsAreCopied) {
  const auto kernels = [](int rows, int columns) {
    const std::string y = StrCat("f32[", rows, ",", columns, "]");
    return Kernels(Plan(StrCat("func @f(%x: f32[", rows, ",10], %w: f32[", columns, ",10]) -> (", y, R"() {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[1]} : )",
                               y, R"(
  return %0
})")));
  };
  EXPECT_EQ(kernels(250, 100), Names{"contract"});
  EXPECT_EQ(kernels(1000, 100), (Names{"transpose", "contract"}));
  EXPECT_EQ(kernels(1000, 500), Names{"contract"});
  EXPECT_EQ(kernels(1100, 500), (Names{"transpose", "contract"}));
}

// Depth 16384, result [2 x 192, 64]: rows of the second operand lie as a panel would, so none is packed; threads share
// four blocks of 48 rows, not two steps along the first axis. Three of these are left whole: each block reads the
// second operand again.
TEST(Plan, AProductOfWindowsIsSharedEvenly) {
  for (const auto& [steps, chunks] : {std::pair<int, int64_t>{2, 4}, {3, 3}}) {
    const std::string n = std::to_string(steps), result = "f32[" + n + ",3,64,64]";
    const Program p =
        Plan("func @f(%x: f32[" + std::to_string(127 + steps) + ",130,64], %y: f32[128,128,64]) -> (" + result +
             ") {\n  %0 = window %x {axes=[0,1], dilations=[1,1], sizes=[" + n +
             ",3], strides=[1,1]} : f32[128,128,64," + n + ",3]\n  %1 = transpose %0 {permutation=[3,4,2,0,1]} : f32[" +
             n + ",3,64,128,128]\n  %2 = contract %1, %y {a_batch=[], a_contract=[3,4], b_batch=[], " +
             "b_contract=[0,1]} : " + result + "\n  return %2\n}");
    ASSERT_EQ(Kernels(p), Names{"contract"});
    EXPECT_EQ(p.kernels[0].body[0].extent.value(), chunks) << ToString(p);
    EXPECT_EQ(ToString(p).find("pack"), std::string::npos) << ToString(p);
    EXPECT_EQ(ToString(p).find("rows:"), std::string::npos) << "their places are no table: " << ToString(p);
  }
}

// 32 rows of three axes, weights of 9.4 MB: one block, which reads them once, shared panel by panel.
TEST(Plan, WeightsOfSmallImagesAreReadOnce) {
  const Program p = Plan(R"(func @f(%x: f32[4,4,8,512], %w: f32[3,3,512,512]) -> (f32[2,2,8,512]) {
  %0 = window %x {axes=[0,1], dilations=[1,1], sizes=[3,3], strides=[1,1]} : f32[2,2,8,512,3,3]
  %1 = contract %0, %w {a_batch=[], a_contract=[4,5,3], b_batch=[], b_contract=[0,1,2]} : f32[2,2,8,512]
  return %1
})");
  ASSERT_EQ(Kernels(p), Names{"contract"});
  const std::string text = ToString(p);
  EXPECT_EQ(text.find("mb in"), std::string::npos) << text;
  EXPECT_NE(text.find("rows: i64[32]"), std::string::npos) << text;
}

// Sums of a width that no register has would be spilt in every step of k.
TEST(Plan, ProductsOfAnyWidthStayInRegisters) {
  for (int n : {1, 3, 16, 17, 36, 48, 63, 64, 100, 112, 127, 130}) {
    const std::string y = StrCat("f32[24,", n, "]");
    const std::string text = ToString(Plan(StrCat("func @f(%x: f32[24,300], %w: f32[300,", n, "]) -> (", y, R"() {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : )",
                                                  y, R"(
  return %0
})")));
    for (size_t at = text.find(" by "); at != std::string::npos; at = text.find(" by ", at + 1)) {
      const int width = std::stoi(text.substr(at + 4));
      EXPECT_EQ(width & (width - 1), 0) << text;
    }
  }
}

TEST(Plan, EpilogueRidesOnTheProduct) {
  const Program p = Plan(R"(func @f(%x: f32[8,4], %w: f32[4,6], %b: f32[6]) -> (f32[8,6]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[8,6]
  %1 = broadcast %b {axes=[1], shape=[8,6]} : f32[8,6]
  %2 = add %0, %1 : f32[8,6]
  %3 = tanh %2 : f32[8,6]
  return %3
})");
  EXPECT_EQ(Kernels(p), Names{"contract_tanh"});
}

// Slices of the biased product are operands where they lie: the product itself is not stored.
TEST(Plan, ABiasedProductIsStoredForWhatReadsPartsOfIt) {
  const Program p = Plan(R"(func @f(%x: f32[8,4], %w: f32[4,64], %b: f32[64]) -> (f32[8,8]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[8,64]
  %1 = broadcast %b {axes=[1], shape=[8,64]} : f32[8,64]
  %2 = add %0, %1 : f32[8,64]
  %3 = slice %2 {limits=[8,32], starts=[0,0], strides=[1,1]} : f32[8,32]
  %4 = slice %2 {limits=[8,64], starts=[0,32], strides=[1,1]} : f32[8,32]
  %5 = contract %3, %4 {a_batch=[], a_contract=[1], b_batch=[], b_contract=[1]} : f32[8,8]
  return %5
})");
  EXPECT_EQ(Kernels(p), (Names{"contract_add", "contract"}));
  EXPECT_EQ(p.arena_bytes, 8 * 64 * 4);
}

// Readers that compute with its elements alone store what comes last.
TEST(Plan, ABiasedProductIsNotStoredForMapsOfIt) {
  const Program p = Plan(R"(func @f(%x: f32[8,4], %w: f32[4,6], %b: f32[6]) -> (f32[8,6]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[8,6]
  %1 = broadcast %b {axes=[1], shape=[8,6]} : f32[8,6]
  %2 = add %0, %1 : f32[8,6]
  %3 = max %2, %1 : f32[8,6]
  %4 = mul %2, %3 : f32[8,6]
  return %4
})");
  EXPECT_EQ(Kernels(p), Names{"contract_mul"});
  EXPECT_EQ(p.arena_bytes, 0);
}

TEST(Plan, AMapUsedByAReductionAndAlsoReturnedIsComputedOnce) {
  const Program p = Plan(R"(func @f(%x: f32[8,4]) -> (f32[8,4], f32[8]) {
  %0 = exp %x : f32[8,4]
  %1 = reduce_sum %0 {axes=[1]} : f32[8]
  return %0, %1
})");
  EXPECT_EQ(Kernels(p), Names{"exp_reduce_sum"});
}

TEST(Plan, UpdateIsWrittenOverTheVariable) {
  const Program p = Plan(R"(variable @w: f32[3] = [1, 2, 3]
func @f(%g: f32[3]) state(@w: f32[3]) -> () {
  %0 = sub @w, %g : f32[3]
  return state(%0)
})");
  EXPECT_EQ(Kernels(p), Names{"sub"});
  for (const Slot& s : p.entries[0].steps[0].buffers) {
    if (s.kind == Slot::Kind::kInstance) {
      EXPECT_EQ(s.offset, p.variables[0].offset);
    }
  }
}

// The update of w rides on dW, but dX still needs the old w.
TEST(Plan, OldValueReadLaterIsNotOverwritten) {
  const Program p = Plan(R"(variable @w: f32[4,6] = [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]
func @f(%x: f32[8,4], %dy: f32[8,6]) state(@w: f32[4,6]) -> (f32[8,4]) {
  %0 = contract %x, %dy {a_batch=[], a_contract=[0], b_batch=[], b_contract=[0]} : f32[4,6]
  %1 = sub @w, %0 : f32[4,6]
  %2 = contract %dy, @w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[1]} : f32[8,4]
  return %2 state(%1)
})");
  const int64_t w = p.variables[0].offset;
  bool written = false;
  for (const Step& step : p.entries[0].steps) {
    for (size_t i = 0; i < step.buffers.size(); ++i) {
      if (step.buffers[i].kind != Slot::Kind::kInstance || step.buffers[i].offset != w) continue;
      const bool output = step.kernel < 0 ? i == 0 : p.kernels[static_cast<size_t>(step.kernel)].buffers[i].is_output;
      EXPECT_TRUE(output || !written) << ToString(p);
      written = written || output;
    }
  }
  EXPECT_TRUE(written);
}

// An update runs as soon as readers of the old value have, not after all that has nothing to do with it.
TEST(Plan, AnUpdateRunsEarly) {
  const Program p = Plan(R"(variable @w: f32[4,6] = [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]
func @f(%x: f32[8,4], %dy: f32[8,6]) state(@w: f32[4,6]) -> (f32[8,8]) {
  %0 = contract %dy, @w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[1]} : f32[8,4]
  %1 = contract %0, %0 {a_batch=[], a_contract=[1], b_batch=[], b_contract=[1]} : f32[8,8]
  %2 = contract %1, %1 {a_batch=[], a_contract=[1], b_batch=[], b_contract=[1]} : f32[8,8]
  %3 = contract %x, %dy {a_batch=[], a_contract=[0], b_batch=[], b_contract=[0]} : f32[4,6]
  %4 = sub @w, %3 : f32[4,6]
  return %2 state(%4)
})");
  EXPECT_EQ(Kernels(p), (Names{"contract", "contract_sub", "contract", "contract"})) << ToString(p);
  for (const Step& s : p.entries[0].steps) EXPECT_EQ(s.bytes, 0) << ToString(p);
}

// At a place that is known when it runs: what is read of the old value is read first; one row or most of them, nothing
// else is written, and nothing copied.
TEST(Plan, APartOfAVariableIsWrittenOverIt) {
  for (const int64_t rows : {1, 3}) {
    const std::string part = StrCat("f32[", rows, ",6]");
    const Program p = Plan(StrCat(R"(variable @w: f32[4,6] = [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]
func @f(%x: )",
                                  part, R"(, %at: i32[]) state(@w: f32[4,6]) -> (f32[6], f32[1,6], f32[4]) {
  %0 = dynamic_update @w, %x, %at {axis=0} : f32[4,6]
  %1 = reduce_max @w {axes=[0]} : f32[6]
  %2 = dynamic_slice @w, %at {axis=0, size=1} : f32[1,6]
  %3 = reduce_sum %0 {axes=[1]} : f32[4]
  return %1, %2, %3 state(%0)
})"));
    EXPECT_EQ(p.arena_bytes, 0) << ToString(p);
    int64_t written = 0;
    for (const Step& s : p.entries[0].steps) {
      ASSERT_GE(s.kernel, 0) << "a copy\n" << ToString(p);
      const Kernel& kernel = p.kernels[static_cast<size_t>(s.kernel)];
      if (kernel.name != "dynamic_update") continue;
      VisitStatements(&kernel.body, [&](const Stmt& stmt) {
        if (stmt.kind == Stmt::Kind::kLoop) written = std::max<int64_t>(written, 1) * stmt.extent.value();
      });
    }
    EXPECT_EQ(written, rows * 6) << ToString(p);
  }
}

// What a dynamic_update writes a part of is read before, as long as it is in place: no copy of it.
TEST(Plan, AnEarlyUpdateReadsWhatIsUpdatedInPlace) {
  const Program p = Plan(R"(variable @p: f32[16] = [0,0,0,0,0,0,0,0,0,0,0,0,0,0,0,0]
variable @s: f32[4] = [0,0,0,0]
func @f(%x: f32[4], %i: i64[], %y: f32[4,4]) state(@p: f32[16], @s: f32[4]) -> (f32[4]) {
  %0 = slice @p {limits=[4], starts=[0], strides=[1]} : f32[4]
  %1 = add @s, %0 : f32[4]
  %2 = dynamic_update @p, %x, %i {axis=0} : f32[16]
  %3 = contract %y, @s {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[4]
  return %3 state(%2, %1)
})");
  for (const Step& s : p.entries[0].steps) EXPECT_LE(s.bytes, 16) << ToString(p);
}

// Each update reads the other's variable: one of them goes through a copy.
TEST(Plan, UpdatesThatWaitForEachOther) {
  const Program p = Plan(R"(variable @a: f32[4] = [1, 2, 3, 4]
variable @b: f32[4] = [5, 6, 7, 8]
func @f(%x: f32[4]) state(@a: f32[4], @b: f32[4]) -> (f32[4]) {
  %0 = add @b, %x : f32[4]
  %1 = reverse @a {axes=[0]} : f32[4]
  %2 = mul %1, %x : f32[4]
  %3 = exp %x : f32[4]
  return %3 state(%0, %2)
})");
  const Names kernels = Kernels(p);
  EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "copy"), 1) << ToString(p);
}

// %4 is computed with %0 and waits for %2; %6 must not be computed with %2, as it waits for %0.
TEST(Plan, KernelsDoNotWaitForEachOther) {
  const Program p = Plan(R"(func @f(%a: f32[64,8], %b: f32[8,64], %c: f32[64,32]) -> (f32[64,64], f32[64]) {
  %0 = contract %a, %b {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[64,64]
  %1 = reduce_max %0 {axes=[0,1]} : f32[]
  %2 = reduce_sum %c {axes=[1]} : f32[64]
  %3 = broadcast %2 {axes=[0], shape=[64,64]} : f32[64,64]
  %4 = add %0, %3 : f32[64,64]
  %5 = broadcast %1 {axes=[], shape=[64]} : f32[64]
  %6 = mul %2, %5 : f32[64]
  return %4, %6
})");
  const Names kernels = Kernels(p);
  EXPECT_EQ(std::count(kernels.begin(), kernels.end(), "mul"), 1) << ToString(p);
}

// The branch reads the old @v: run before the update, which is written over it without a copy.
TEST(Plan, AnUpdateWaitsForAControlOpThatReadsTheOldValue) {
  const Program p = Plan(R"(variable @v: f32[8] = base64 "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
func @yes(%v: f32[8]) -> (f32[]) {
  %0 = reduce_sum %v {axes=[0]} : f32[]
  return %0
}
func @no(%v: f32[8]) -> (f32[]) {
  %0 = reduce_max %v {axes=[0]} : f32[]
  return %0
}
func @f(%p: bool[], %i: i32[], %u: f32[1]) state(@v: f32[8]) -> (f32[]) {
  %0 = dynamic_update @v, %u, %i {axis=0} : f32[8]
  %1 = if %p, @v {else=@no, then=@yes} : f32[]
  return %1 state(%0)
}
)");
  for (const Step& s : p.entries[0].steps) EXPECT_EQ(s.bytes, 0) << ToString(p);
}

TEST(Plan, SwappedVariablesGoThroughACopy) {
  const Program p = Plan(R"(variable @a: f32[2] = [1, 2]
variable @b: f32[2] = [3, 4]
func @f() state(@a: f32[2], @b: f32[2]) -> () {
  return state(@b, @a)
})");
  const Names kernels = Kernels(p);
  ASSERT_EQ(kernels.size(), 3u) << ToString(p);
  EXPECT_EQ(kernels.back(), "copy");
}

TEST(Plan, ResultsThatAreParametersOrRepeatedGetMemoryOfTheirOwn) {
  const Program p = Plan(R"(func @f(%x: f32[2]) -> (f32[2], f32[2], f32[2]) {
  %0 = exp %x : f32[2]
  return %x, %0, %0
})");
  std::set<int32_t> results;
  for (const Step& s : p.entries[0].steps) {
    for (const Slot& slot : s.buffers) {
      if (slot.kind == Slot::Kind::kResult) results.insert(slot.index);
    }
  }
  EXPECT_EQ(results, (std::set<int32_t>{0, 1, 2}));
}

// A result that shows a product in another shape or order is where the product is made.
TEST(Plan, ResultsThatAreViewsAreMadeInPlace) {
  const Program p = Plan(R"(func @f(%x: f32[2,3,4], %y: f32[4,8]) -> (f32[6,8], f32[6,8]) {
  %0 = contract %x, %y {a_batch=[], a_contract=[2], b_batch=[], b_contract=[0]} : f32[2,3,8]
  %1 = reshape %0 {shape=[6,8]} : f32[6,8]
  %2 = exp %x : f32[2,3,4]
  %3 = contract %2, %y {a_batch=[], a_contract=[2], b_batch=[], b_contract=[0]} : f32[2,3,8]
  %4 = transpose %3 {permutation=[1,0,2]} : f32[3,2,8]
  %5 = reshape %4 {shape=[6,8]} : f32[6,8]
  return %1, %5
})");
  std::vector<int32_t> results;
  for (const Step& s : p.entries[0].steps) {
    EXPECT_GE(s.kernel, 0) << ToString(p);
    if (s.buffers.back().kind == Slot::Kind::kResult) results.push_back(s.buffers.back().index);
  }
  EXPECT_EQ(p.entries[0].steps.size(), 3u) << ToString(p);
  EXPECT_EQ(results, (std::vector<int32_t>{0, 1})) << ToString(p);
}

TEST(Plan, IdenticalKernelsAreKeptOnce) {
  const Program p = Plan(R"(func @f(%x: f32[2,2], %y: f32[2,2]) -> (f32[2,2], f32[2,2]) {
  %0 = contract %x, %y {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[2,2]
  %1 = contract %0, %y {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[2,2]
  return %0, %1
})");
  EXPECT_EQ(p.entries[0].steps.size(), 2u);
  EXPECT_EQ(p.kernels.size(), 1u);
}

// A chain of n tanh: kernels grow with n, arena does not.
Program Chain(int n) {
  ir::Module module("chain");
  ir::Function f("f");
  ir::Value x = f.AddParameter("x", {kFloat32, {16}});
  ir::Builder b(&f, &module);
  for (int i = 0; i < n; ++i) x = b.Tanh(x);
  f.SetResults({x});
  module.AddFunction(std::move(f));
  EXPECT_TRUE(ir::Verify(module).ok());
  auto program = BuildProgram(module, *FindTarget("x86-64-v4"), {});
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

TEST(Plan, WorkIsLinearInTheChain) {
  const Program small = Chain(2000), large = Chain(8000);
  const auto ratio =
      static_cast<double>(large.entries[0].steps.size()) / static_cast<double>(small.entries[0].steps.size());
  EXPECT_NEAR(ratio, 4.0, 0.5);
  EXPECT_LE(large.arena_bytes, small.arena_bytes + 128);
  for (const Kernel& k : large.kernels) EXPECT_LE(k.exprs.size(), 2000u);
}

// Whether an operand of a control op occurs before is not asked of each by looking at all others.
TEST(Plan, GroupingIsLinearInTheOperandsOfOneOp) {
  constexpr int kOperands = 400000;
  ir::Module module("call");
  ir::Function callee("callee"), f("f");
  std::vector<ir::Value> operands;
  for (int i = 0; i < kOperands; ++i) {
    callee.AddParameter(StrCat("p", i), {kFloat32, {}});
    operands.push_back(f.AddParameter(StrCat("p", i), {kFloat32, {}}));
  }
  callee.SetResults({{0}});
  module.AddFunction(std::move(callee));
  ir::Builder b(&f, &module);
  f.SetResults({b.Call("callee", operands)[0]});
  ASSERT_TRUE(b.status().ok()) << b.status();
  const std::clock_t start = std::clock();
  EXPECT_EQ(PlanMaps(f, {}).kernels.size(), 1u);
  EXPECT_LT(static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC, 5);
}

// The steps of the first entry point as text, from its line on.
std::string Steps(const Program& p) {
  const std::string text = ToString(p);
  const size_t start = text.find("entry ");
  return text.substr(start, text.find("\n\n") - start);
}

// The carried values take over the results' memory; the invariant %w is read where it is; one kernel
// rotates %a and %b, whose stores are a parallel assignment.
TEST(Plan, ALoopCarriesItsValuesInPlace) {
  const Program p = Plan(R"(func @more(%i: i32[], %a: f32[8], %b: f32[8], %w: f32[8]) -> (bool[]) {
  %0 = constant 3 : i32[]
  %1 = less %i, %0 : bool[]
  return %1
}
func @next(%i: i32[], %a: f32[8], %b: f32[8], %w: f32[8]) -> (i32[], f32[8], f32[8], f32[8]) {
  %0 = constant 1 : i32[]
  %1 = add %i, %0 : i32[]
  %2 = mul %a, %w : f32[8]
  return %1, %b, %2, %w
}
func @f(%a: f32[8], %b: f32[8], %w: f32[8]) -> (f32[8], f32[8]) {
  %0 = constant 0 : i32[]
  %1, %2, %3, %4 = while %0, %a, %b, %w {body=@next, cond=@more, maximum_iterations=5} : i32[], f32[8], f32[8], f32[8]
  return %2, %3
}
)");
  EXPECT_EQ(Steps(p), R"(entry f
  copy 4 bytes: +64 = constant 0
  copy 32 bytes: result 0 = argument 0
  copy 32 bytes: result 1 = argument 1
  while +128 in line {
    less #0 x1(i: +64, -> v5: +128)
  } do {
    add #1 x1(i: +64, -> v5: +64)
    mul_identity #2 x1(a: result 0, w: argument 2, -> v6: result 1, b: result 1, -> v7: result 0)
  })");
}

// A variable that one branch updates is updated in place; the other branch does nothing.
TEST(Plan, ABranchUpdatesAVariableInPlace) {
  const Program p = Plan(R"(variable @v: f32[8] = base64 "AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="
func @yes(%x: f32[8]) state(@v: f32[8]) -> (f32[8]) {
  %0 = add @v, %x : f32[8]
  return %x state(%0)
}
func @no(%x: f32[8]) state(@v: f32[8]) -> (f32[8]) {
  return %x state(@v)
}
func @f(%p: bool[], %x: f32[8]) state(@v: f32[8]) -> (f32[8]) {
  %0, %1 = if %p, %x, @v {else=@no, then=@yes} : f32[8], f32[8]
  return %0 state(%1)
}
)");
  EXPECT_EQ(Steps(p), R"(entry f
  if argument 0 {
    add #1 x1(v: +64, x: argument 1, -> v2: +64)
  } else {
  }
  identity #0 x1(x: argument 1, -> v5: result 0))");
}

TEST(Arena, ReusesFreedBlocksAndMergesNeighbours) {
  Arena arena;
  const int64_t a = arena.Allocate(100), b = arena.Allocate(100), c = arena.Allocate(1);
  EXPECT_EQ(a, 0);
  EXPECT_EQ(b, 128);
  EXPECT_EQ(c, 256);
  arena.Free(a, 100);
  arena.Free(b, 100);
  EXPECT_EQ(arena.Allocate(256), 0);
  EXPECT_EQ(arena.size(), 320);
  EXPECT_EQ(arena.peak_live(), 320);
}

}  // namespace
}  // namespace reel::codegen
