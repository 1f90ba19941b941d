// Products of bf16 for targets that add them in tiles (codegen/target/README.md) against their rule, term by term: k in
// steps of 32, filled up with zeros; in each step even and odd k are chains of fma from 0, which are added, and then to
// the sum; denormals are zeros all along. To the bit: fma that follow the rule, and AMX's instructions, which a handler
// runs where there are none (amx_emulator.h).

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "tests/codegen/amx_emulator.h"

#if defined(__x86_64__) && defined(__linux__)

#include <cmath>
#include <functional>
#include <limits>
#include <random>
#include <set>
#include <string>
#include <vector>

#include "codegen/cache/code_cache.h"
#include "codegen/compiler.h"
#include "codegen/jit/jit.h"
#include "codegen/loop/build.h"
#include "codegen/loop/verify.h"
#include "codegen/target/cpuid.h"
#include "codegen/target/target.h"
#include "ir/strings.h"
#include "reel/reel.h"
#include "runtime/thread_pool.h"
#include "tests/codegen/bits_util.h"
#include "tests/codegen/program_util.h"

namespace reel {
namespace {

constexpr char kEmulated[] = "x86-64-v4-amx-emulated", kAmx[] = "x86-64-v4-amx";

struct Case {
  std::string name;
  int64_t batch, m, k, n;  // batch 0: none
  bool transpose_a = false, transpose_b = false;
  double low = 0.1, high = 4;  // magnitudes, evenly in their logarithm; signs alternate at random
  std::vector<double> special = {};  // some elements
};

std::vector<BFloat16> Operand(const Case& c, int64_t size, uint64_t seed) {
  uint64_t state = seed * 0x9E3779B97F4A7C15u + 1;
  const auto next = [&state] { return (state = state * 6364136223846793005u + 1442695040888963407u) >> 33; };
  std::vector<BFloat16> elements;
  for (int64_t i = 0; i < size; ++i) {
    const double u = static_cast<double>(next() % 4096) / 4096;
    double x = std::exp2(std::log2(c.low) + u * (std::log2(c.high) - std::log2(c.low)));
    if (next() % 2 == 0) x = -x;
    if (!c.special.empty() && next() % 37 == 0) x = c.special[next() % c.special.size()];
    elements.push_back(BFloat16(x));
  }
  return elements;
}

// An element by the rule.
float Contracted(const Case& c, const std::vector<BFloat16>& a, const std::vector<BFloat16>& b, int64_t batch,
                 int64_t i, int64_t j) {
  const amx::FlushedScope flushed;
  const auto at = [&](const std::vector<BFloat16>& of, int64_t size, int64_t index, int64_t k) {
    return k < c.k ? amx::Widened(of[static_cast<size_t>(batch * size + index)].bits) : 0.f;
  };
  float total = 0;
  for (int64_t first = 0; first < c.k; first += 32) {
    float chains[2] = {0, 0};
    for (int64_t k = first; k < first + 32; ++k) {
      const int64_t x = c.transpose_a ? k * c.m + i : i * c.k + k, y = c.transpose_b ? j * c.k + k : k * c.n + j;
      chains[k % 2] = amx::Fma(at(a, c.m * c.k, x, k), at(b, c.k * c.n, y, k), chains[k % 2]);
    }
    total = amx::Add(total, amx::Add(chains[0], chains[1]));
  }
  return total;
}

std::vector<BFloat16> Wanted(const Case& c, const std::vector<BFloat16>& a, const std::vector<BFloat16>& b) {
  std::vector<BFloat16> want;
  for (int64_t batch = 0; batch < std::max<int64_t>(c.batch, 1); ++batch) {
    for (int64_t i = 0; i < c.m; ++i) {
      for (int64_t j = 0; j < c.n; ++j) want.push_back(BFloat16(double{Contracted(c, a, b, batch, i, j)}));
    }
  }
  return want;
}

std::string TypeOf(const Case& c, int64_t rows, int64_t columns) {
  return StrCat("bf16[", c.batch > 0 ? StrCat(c.batch, ",") : "", rows, ",", columns, "]");
}

std::string TextOf(const Case& c) {
  const int64_t first = c.batch > 0 ? 1 : 0;
  const std::string batch = c.batch > 0 ? "[0]" : "[]", y = TypeOf(c, c.m, c.n);
  const std::string a = c.transpose_a ? TypeOf(c, c.k, c.m) : TypeOf(c, c.m, c.k);
  const std::string b = c.transpose_b ? TypeOf(c, c.n, c.k) : TypeOf(c, c.k, c.n);
  return StrCat("func @f(%a: ", a, ", %b: ", b, ") -> (", y, ") {\n  %0 = contract %a, %b {a_batch=", batch,
                ", a_contract=[", first + (c.transpose_a ? 0 : 1), "], b_batch=", batch, ", b_contract=[",
                first + (c.transpose_b ? 1 : 0), "]} : ", y, "\n  return %0\n}");
}

std::vector<Case> Cases() {
  std::vector<Case> cases;
  const double infinity = std::numeric_limits<double>::infinity();
  for (const bool ta : {false, true}) {
    for (const bool tb : {false, true}) {
      const std::string layout = std::string(ta ? "At" : "A") + (tb ? "Bt" : "B");
      cases.push_back({layout + "_tiles", 0, 64, 512, 128, ta, tb});
      cases.push_back({layout + "_rest_of_all", 0, 101, 770, 83, ta, tb});
      cases.push_back({layout + "_many_rows", 0, 530, 96, 40, ta, tb});
      cases.push_back({layout + "_odd_depth", 0, 33, 257, 40, ta, tb});
      cases.push_back({layout + "_depth_of_one", 0, 20, 1, 40, ta, tb});
      cases.push_back({layout + "_no_depth", 0, 20, 0, 40, ta, tb});
      cases.push_back({layout + "_one_of_all", 0, 1, 1, 1, ta, tb});
      cases.push_back({layout + "_few_rows", 0, 2, 640, 96, ta, tb});
      cases.push_back({layout + "_one_column", 0, 64, 64, 1, ta, tb});
      cases.push_back({layout + "_batched", 3, 20, 66, 24, ta, tb});
      cases.push_back({layout + "_batch_of_dots", 40, 1, 48, 1, ta, tb});
      // Denormal operands, products and sums; results just above and below the smallest normal number.
      cases.push_back({layout + "_denormal", 0, 24, 300, 40, ta, tb, 1e-40, 1e-37});
      cases.push_back({layout + "_denormal_by_large", 0, 24, 300, 40, ta, tb, 1e-41, 3e-38, {1e18, -1e18}});
      cases.push_back({layout + "_tiny_products", 0, 24, 300, 40, ta, tb, 1e-24, 1e-18});
      cases.push_back({layout + "_near_the_least", 0, 24, 100, 40, ta, tb, 5e-20, 4e-19});
      cases.push_back({layout + "_special",
                       0,
                       24,
                       300,
                       40,
                       ta,
                       tb,
                       0.1,
                       4,
                       {0.0, -0.0, 1e-30, 1e-39, 3e38, -infinity, std::nan("")}});
      cases.push_back({layout + "_overflow", 0, 24, 300, 40, ta, tb, 1e18, 1e20});
    }
  }
  return cases;
}

class TileProducts : public testing::TestWithParam<Case> {
 protected:
  void SetUp() override {
    if (!codegen::HostSupports(kEmulated)) GTEST_SKIP() << "needs AVX-512";
  }
};

void ExpectBits(const std::vector<BFloat16>& got, const std::vector<BFloat16>& want, const std::string& engine) {
  for (size_t i = 0; i < want.size(); ++i) {
    const bool nan = std::isnan(static_cast<float>(want[i]));
    if (nan ? std::isnan(static_cast<float>(got[i])) : got[i].bits == want[i].bits) continue;
    ADD_FAILURE() << engine << ", element " << i << ": " << static_cast<float>(got[i]) << " for "
                  << static_cast<float>(want[i]);
    return;
  }
}

// Compiled for a target, whether this machine has it or not.
void ExpectRule(const Case& c, const codegen::Target& target, int level, const std::vector<int>& threads) {
  const int64_t batches = std::max<int64_t>(c.batch, 1);
  const std::vector<BFloat16> a = Operand(c, batches * c.m * c.k, 1), b = Operand(c, batches * c.k * c.n, 2);
  codegen::PlanOptions plan;
  plan.fuse = plan.vectorize = level > 0;
  auto program = codegen::BuildProgram(codegen::ParseFunctions(TextOf(c)), target, plan);
  ASSERT_TRUE(program.ok()) << program.status();
  const int64_t bytes = program->instance_bytes;
  codegen::CodeOptions code;
  code.opt_level = level;
  const auto module = codegen::JitCompile(*std::move(program), target, code);
  ASSERT_TRUE(module.ok()) << module.status();
  const std::vector<BFloat16> want = Wanted(c, a, b);
  const amx::Emulator emulator;
  for (const int n : threads) {
    runtime::SetNumThreads(n);
    std::vector<BFloat16> got(want.size());
    std::vector<std::byte> memory(static_cast<size_t>(bytes) + 64);
    const auto place = (reinterpret_cast<uintptr_t>(memory.data()) + 63) & ~uintptr_t{63};
    const void* arguments[] = {a.data(), b.data()};
    void* results[] = {got.data()};
    ASSERT_EQ((*module)->entry(0)(reinterpret_cast<void*>(place), arguments, results), 0);
    ExpectBits(got, want, StrCat(target.name, ", level ", level, ", ", n, " threads"));
  }
  runtime::SetNumThreads(0);
}

TEST_P(TileProducts, EmulationKeepsTheRule) {
  const codegen::Target target = *codegen::FindTarget(kEmulated);
  ExpectRule(GetParam(), target, 2, {1, 3});
  ExpectRule(GetParam(), target, 0, {1});
}

// Asking whether the machine has tiles also asks for leave to use them: then it runs the instructions itself.
TEST_P(TileProducts, TilesKeepTheRule) {
  const bool has_amx = codegen::HostSupports(kAmx);
  const int64_t before = amx::Count();
  const codegen::Target target = *codegen::FindTarget(kAmx);
  ExpectRule(GetParam(), target, 2, {1, 3});
  ExpectRule(GetParam(), target, 0, {1});
  if (GetParam().k > 0) {
    EXPECT_EQ(amx::Count() == before, has_amx);
  }
}

INSTANTIATE_TEST_SUITE_P(All, TileProducts, testing::ValuesIn(Cases()), [](const auto& p) { return p.param.name; });

// No threshold of a plan or a schedule changes a bit, whatever the shape.
TEST(TileClass, ThresholdsChangeNoBits) {
  if (!codegen::HostSupports(kEmulated)) GTEST_SKIP() << "needs AVX-512";
  for (uint32_t seed = 0; seed < 60; ++seed) {
    std::mt19937 random(seed);
    const auto up_to = [&random](uint32_t most) { return static_cast<int64_t>(random() % most); };
    Case c{StrCat("seed ", seed), up_to(3), 1 + up_to(150), 1 + up_to(600), 1 + up_to(200)};
    c.transpose_a = up_to(2) == 0;
    c.transpose_b = up_to(2) == 0;
    SCOPED_TRACE(StrCat(c.name, ": ", c.batch, " x ", c.m, " x ", c.k, " x ", c.n, c.transpose_a ? ", a" : "",
                        c.transpose_b ? ", b" : ""));
    codegen::Target target = *codegen::FindTarget(kEmulated);
    for (const auto& row : codegen::TuningTable()) {
      const int64_t drawn[] = {row.least, row.most, std::min(row.most, row.least + up_to(100)), row.value};
      target.tuning.*row.field = drawn[up_to(4)];
    }
    ExpectRule(c, target, 2, {1, 2});
  }
}

// The rule is none of the others': results differ somewhere from those of fma in the order of k, and by little.
TEST(TileClass, HasBitsOfItsOwn) {
  if (!codegen::HostSupports(kEmulated)) GTEST_SKIP() << "needs AVX-512";
  Generator generator(7);
  const auto normal = [&](const Shape& shape) {
    return Cast(RandomNormal(shape, {.generator = generator}), kBFloat16);
  };
  const Tensor x = normal({96, 700}), w = normal({700, 64});
  const auto product = [](const Tensor& a, const Tensor& b) { return Cast(MatMul(a, b), kFloat32); };
  const Function f = Trace(product, {Spec(x), Spec(w)});
  const Tensor own = Compile(f, {.cpu = kEmulated})("main", x, w),
               usual = Compile(f, {.cpu = "x86-64-v4"})("main", x, w);
  EXPECT_FALSE(SameBits(own, usual));
  EXPECT_LT(ReduceMax(Abs(own - usual)).item<float>(), 0.02f * ReduceMax(Abs(usual)).item<float>());
}

struct Use {
  std::string name;
  std::function<Tensor(const Tensor& x, const Tensor& w)> function;  // x: bf16[48,64], w: bf16[64,40]
  bool own_bits = true;
};

std::vector<Use> Uses() {
  return {
      {"epilogue", [](const Tensor& x, const Tensor& w) { return Gelu(MatMul(x, w) * 0.5) + ReduceSum(w, {0}); }},
      {"sums_of_rows", [](const Tensor& x, const Tensor& w) { return ReduceSum(Tanh(MatMul(x, w)), {0}); }},
      {"softmax", [](const Tensor& x, const Tensor& w) { return Softmax(MatMul(x, w)); }},
      {"chain", [](const Tensor& x, const Tensor& w) { return MatMul(MatMul(x, w), w, {.transpose_b = true}); }},
      {"sliced",
       [](const Tensor& x, const Tensor& w) { return MatMul(Slice(x, {0, 3}, {48, 35}), Slice(w, {1, 1}, {33, 38})); }},
      {"gram", [](const Tensor& x, const Tensor&) { return MatMul(x, x, {.transpose_b = true}); }},
      {"three_axes",
       [](const Tensor& x, const Tensor& w) { return MatMul(Transpose(Reshape(x, {4, 12, 64}), {1, 0, 2}), w); }},
      {"several_axes_of_k",
       [](const Tensor& x, const Tensor& w) {
         const Tensor a = Transpose(Reshape(x, {48, 8, 8}), {0, 2, 1}),
                      b = Transpose(Reshape(w, {8, 8, 40}), {1, 0, 2});
         return TensorDot(a, b, {1, 2}, {0, 1});
       }},
      {"gradients",
       [](const Tensor& x, const Tensor& w) {
         GradientTape tape;
         tape.Watch(x);
         tape.Watch(w);
         const GradientList g = tape.Gradient(Tanh(MatMul(x, w) * 0.125), {x, w});
         return Concat({Reshape(g.Dense(0), {48 * 64}), Reshape(g.Dense(1), {64 * 40})}, 0);
       }},
      // What is no product of bf16 keeps its bits.
      {"of_f32", [](const Tensor& x, const Tensor& w) { return MatMul(Cast(x, kFloat32), Cast(w, kFloat32)); }, false},
      {"of_f16", [](const Tensor& x, const Tensor& w) { return MatMul(Cast(x, kFloat16), Cast(w, kFloat16)); }, false},
      {"convolution",
       [](const Tensor& x, const Tensor& w) {
         return Conv2D(Reshape(x, {1, 8, 6, 64}), Reshape(Slice(w, {0, 0}, {64, 36}), {3, 3, 64, 4}));
       },
       false},
  };
}

class TileUses : public testing::TestWithParam<Use> {};

// What is fused, planned and shared otherwise has the bits of level 0; what is no product of bf16 has those of v4.
TEST_P(TileUses, HaveTheBitsOfLevelZero) {
  if (!codegen::HostSupports(kEmulated)) GTEST_SKIP() << "needs AVX-512";
  Generator generator(5);
  const std::vector<Tensor> in = {Cast(RandomNormal({48, 64}, {.generator = generator}), kBFloat16),
                                  Cast(RandomNormal({64, 40}, {.generator = generator}), kBFloat16)};
  const auto f = [&](const Tensor& x, const Tensor& w) { return Cast(GetParam().function(x, w), kFloat32); };
  const Function traced = Trace(f, {Spec(in[0]), Spec(in[1])});
  const std::vector<Tensor> plain = Compile(traced, {.cpu = kEmulated, .opt_level = 0})("main", in).tensors();
  ExpectBits(traced, in, plain, kEmulated, {1, 2, 3});
  const bool same = SameBits(plain[0], Compile(traced, {.cpu = "x86-64-v4"})("main", in).tensors()[0]);
  EXPECT_TRUE(same || GetParam().own_bits);
}

INSTANTIATE_TEST_SUITE_P(All, TileUses, testing::ValuesIn(Uses()), [](const auto& p) { return p.param.name; });

// --- the name ---

constexpr char kProduct[] = R"(func @f(%x: bf16[64,512], %w: bf16[96,512], %b: bf16[96]) -> (bf16[64,96]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[1]} : bf16[64,96]
  %1 = broadcast %b {axes=[1], shape=[64,96]} : bf16[64,96]
  %2 = add %0, %1 : bf16[64,96]
  return %2
})";

TEST(TileTargets, AreChosenByNameAlone) {
  EXPECT_FALSE(codegen::FindTarget("native")->tile_products);
  for (const char* name : {kEmulated, "v4-amx-emulated", kAmx, "v4-amx"}) {
    const auto target = codegen::FindTarget(name);
    ASSERT_TRUE(target.ok()) << target.status();
    EXPECT_TRUE(target->tile_products);
    EXPECT_EQ(target->has_amx, target->level == kAmx);
  }
  for (const char* name : {"x86-64-v4", "x86-64-v4-bf16", "zen4"})
    EXPECT_FALSE(codegen::FindTarget(name)->tile_products);
  EXPECT_EQ(codegen::SystemsOf(kAmx), std::vector<std::string_view>{"linux"});
  EXPECT_THAT(codegen::FindTarget(kAmx, "windows").status().message(),
              testing::HasSubstr("no objects of x86-64-v4-amx for \"windows\"; the operating system is one of: linux"));
}

// Nothing that was compiled for one class is found for the other, though its kernels be the same.
TEST(TileTargets, CachesTellThemApart) {
  auto program = codegen::BuildProgram(codegen::ParseFunctions(kProduct), *codegen::FindTarget(kAmx), {});
  ASSERT_TRUE(program.ok()) << program.status();
  std::set<std::string> keys;
  for (const char* name : {"x86-64-v4", kEmulated, kAmx}) {
    keys.insert(codegen::CodeKey(*program, *codegen::FindTarget(name), 2));
  }
  EXPECT_EQ(keys.size(), 3u);
}

// A kernel of this class is no code for the other.
TEST(TileTargets, OthersHaveNoTiles) {
  auto program = codegen::BuildProgram(codegen::ParseFunctions(kProduct), *codegen::FindTarget(kAmx), {});
  ASSERT_TRUE(program.ok()) << program.status();
  const auto module = codegen::JitCompile(*std::move(program), *codegen::FindTarget("x86-64-v4"), {});
  ASSERT_FALSE(module.ok());
  EXPECT_THAT(module.status().message(), testing::HasSubstr("a product of tiles, whose bits x86-64-v4 does not have"));
}

TEST(TileTargets, TheVerifierNamesWhatIsWrong) {
  using codegen::Stmt;
  const std::string small = TextOf({"", 0, 20, 40, 24});  // all of its iterations are walked
  const auto program = codegen::BuildProgram(codegen::ParseFunctions(small), *codegen::FindTarget(kAmx), {});
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_TRUE(codegen::VerifyKernel(program->kernels[0]).ok());
  struct Mistake {
    const char* message;
    std::function<void(Stmt*)> make;
  };
  const Mistake mistakes[] = {
      {"] is outside 0..", [](Stmt* s) { s->index.constant = 1; }},
      {"] is outside 0..", [](Stmt* s) { s->width += codegen::kTileSide; }},
      {"] is outside 0..", [](Stmt* s) { s->dynamic_stride += codegen::kTileDepth; }},
      {"in rows that are shorter than those", [](Stmt* s) { --s->dynamic_stride; }},
      {"in rows that are shorter than those", [](Stmt* s) { s->width = 1; }},
      {"of what is no packed bf16", [](Stmt* s) { s->b = s->dynamic; }},
      {"or of no steps", [](Stmt* s) { s->dynamic = -1; }},
      {"to no sums in f32", [](Stmt* s) { ++s->local; }},
  };
  for (const Mistake& mistake : mistakes) {
    codegen::Kernel kernel = program->kernels[0];
    codegen::VisitStatements(&kernel.body, [&](Stmt& s) {
      if (s.kind == Stmt::Kind::kTileProduct) mistake.make(&s);
    });
    EXPECT_THAT(codegen::VerifyKernel(kernel).message(), testing::HasSubstr(mistake.message));
  }
}

TEST(TileTargets, TheOperatingSystemMayRefuse) {
  codegen::CompilerOptions options;
  options.cpu = kAmx;
  options.host_supports = [](std::string_view) { return false; };
  const auto module = reel_compiler()->Compile(codegen::ParseFunctions(kProduct), options);
  ASSERT_FALSE(module.ok());
  EXPECT_THAT(module.status().message(), testing::AllOf(testing::HasSubstr("cannot run code for x86-64-v4-amx"),
                                                        testing::HasSubstr("ARCH_REQ_XCOMP_PERM"),
                                                        testing::HasSubstr("\"x86-64-v4-amx-emulated\" has its bits")));
}

std::string TextFor(const char* cpu, const char* kind) {
  codegen::CompilerOptions options;
  options.cpu = cpu;
  const auto text = reel_compiler()->EmitText(codegen::ParseFunctions(kProduct), "f", kind, options);
  EXPECT_TRUE(text.ok()) << text.status();
  return *text;
}

// `init` asks the CPU for AMX, and Linux for its tiles; kernels configure tiles and release them. No other target has
// any of it.
TEST(TileTargets, ObjectsAskForTiles) {
  const std::string code = TextFor(kAmx, "asm"), checks = TextFor(kAmx, "llvm");
  for (const char* instruction : {"ldtilecfg", "tileloadd", "tdpbf16ps", "tilestored", "tilerelease", "syscall"}) {
    EXPECT_THAT(code, testing::HasSubstr(instruction));
    for (const char* other : {kEmulated, "x86-64-v4", "x86-64-v4-bf16"}) {
      EXPECT_THAT(TextFor(other, "asm"), testing::Not(testing::HasSubstr(instruction))) << other;
    }
  }
  EXPECT_THAT(checks, testing::HasSubstr("(i64 158, i64 4131, i64 18)"));
}

// Rows of x that lie along k are copied; those that are neighbours in memory are turned in registers.
TEST(TileTargets, RowsAreTurnedWhereTheyLieAcross) {
  for (const bool across : {false, true}) {
    const Case c{"", 0, 64, 96, 64, across, false};
    auto program = codegen::BuildProgram(codegen::ParseFunctions(TextOf(c)), *codegen::FindTarget(kAmx), {});
    ASSERT_TRUE(program.ok()) << program.status();
    ASSERT_EQ(program->kernels.size(), 1u);
    EXPECT_EQ(ToString(program->kernels[0]).find("transpose square") != std::string::npos, across);
  }
}

// One kernel, without a copy of an operand in f32.
TEST(TileTargets, OneKernelPacksAndMultiplies) {
  auto program = codegen::BuildProgram(codegen::ParseFunctions(kProduct), *codegen::FindTarget(kAmx), {});
  ASSERT_TRUE(program.ok()) << program.status();
  EXPECT_EQ(program->kernels.size(), 1u);
  EXPECT_EQ(program->arena_bytes, 0);
  EXPECT_THAT(ToString(program->kernels[0]), testing::HasSubstr(" tiles= rows[0] * pack["));
}

}  // namespace
}  // namespace reel

#endif
