// The JIT as a whole: memory protection, lifetime, threads, dumps, and the code of the matrix tile.
#include "codegen/jit/jit.h"

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "codegen/aot/aot.h"
#include "ir/strings.h"
#include "runtime/abi.h"
#include "tests/codegen/kernel_util.h"
#include "tests/codegen/one_level.h"

namespace reel::codegen {
namespace {

/// y = x * x over n elements, in `chunks` parallel pieces.
Kernel Square(int64_t n, int64_t chunks) {
  Kernel k;
  k.name = "square";
  const AxisId c = k.AddAxis("c"), i = k.AddAxis("i");
  const BufferId x = k.AddBuffer("x", kFloat32, false), y = k.AddBuffer("y", kFloat32, true);
  const Affine at = At({{c, n / chunks}, {i, 1}});
  const ExprId v = Load(k, x, at);
  k.body = Block(For(
      c, LoopKind::kParallel, chunks, 1,
      Block(For(i, LoopKind::kVector, n / chunks, 64, Block(Store(y, at, Apply(k, ir::Op::kMul, kFloat32, {v, v})))))));
  return k;
}

/// Mappings of this process that are executable, and how many of them are writable too.
std::pair<int, int> ExecutableMappings() {
  std::ifstream maps("/proc/self/maps");
  int executable = 0, both = 0;
  for (std::string line; std::getline(maps, line);) {
    const std::string mode = line.substr(line.find(' ') + 1, 4);
    executable += mode[2] == 'x';
    both += mode[1] == 'w' && mode[2] == 'x';
  }
  return {executable, both};
}

TEST(Jit, MemoryIsNeverWritableAndExecutableAndIsFreed) {
  const Target target = *FindTarget("native");
  auto first = JitCompile(OneKernel(Square(128, 1)), target, {});
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_EQ(ExecutableMappings().second, 0);
  const int before = ExecutableMappings().first;
  for (int i = 0; i < 20; ++i) {
    auto module = JitCompile(OneKernel(Square(128, 1)), target, {});
    ASSERT_TRUE(module.ok());
    EXPECT_EQ(ExecutableMappings().second, 0);
  }
  EXPECT_LE(ExecutableMappings().first, before + 1);
}

struct Calls {
  int count = 0;
  int64_t chunks = 0;
};

void ParallelFor(void* context, int64_t n, reel_body body, void* argument) {
  auto* calls = static_cast<Calls*>(context);
  ++calls->count;
  calls->chunks += n;
  for (int64_t i = n; i-- > 0;) body(argument, i);
}

TEST(Jit, ChunksGoThroughTheInstancesParallelFor) {
  auto module = JitCompile(OneKernel(Square(400, 4)), *FindTarget("native"), {});
  ASSERT_TRUE(module.ok()) << module.status();
  Calls calls;
  alignas(64) reel_instance instance = {REEL_INSTANCE_MAGIC, ParallelFor, &calls, nullptr, {}, nullptr, nullptr};
  std::vector<float> x(400, 3), y(400), z(400);
  const void* in[] = {x.data()};
  void *out[] = {y.data()}, *serial[] = {z.data()};
  EXPECT_EQ((*module)->entry(0)(&instance, in, out), 0);
  EXPECT_EQ(calls.count, 1);
  EXPECT_EQ(calls.chunks, 4);
  instance.parallel_for = nullptr;
  EXPECT_EQ((*module)->entry(0)(&instance, in, serial), 0);
  EXPECT_EQ(y, z);
  EXPECT_EQ(y[399], 9);
  EXPECT_GT((*module)->times().codegen, 0);
}

TEST(Jit, CompilesOnManyThreads) {
  std::vector<std::thread> threads;
  for (int t = 0; t < 4; ++t) {
    threads.emplace_back([] {
      std::vector<float> x(256, 2), y(256);
      RunKernel(Square(256, 2), *FindTarget("native"), {x.data()}, {y.data()});
      EXPECT_EQ(y[255], 4);
    });
  }
  for (std::thread& thread : threads) thread.join();
}

TEST(Jit, LongEntryPointsAndEqualKernels) {
  constexpr int kSteps = 5001;
  Program p = OneKernel(Square(64, 1));
  p.kernels.push_back(Square(64, 1));  // the same code under another number
  std::vector<Step>& steps = p.entries[0].steps;
  const Slot buffer[2] = {{Slot::Kind::kInstance, 0, 64}, {Slot::Kind::kInstance, 0, 64 + 256}};
  steps.assign(1, {-1, {buffer[0], {Slot::Kind::kArgument, 0, 0}}, 256});
  for (int i = 0; i < kSteps; ++i) steps.push_back({i % 2, {buffer[i % 2], buffer[1 - i % 2]}, 0});
  steps.push_back({-1, {{Slot::Kind::kResult, 0, 0}, buffer[kSteps % 2]}, 256});
  auto module = JitCompile(std::move(p), *FindTarget("native"), {});
  ASSERT_TRUE(module.ok()) << module.status();
  alignas(64) std::byte instance[64 + 512] = {};
  std::vector<float> x(64, -1), y(64);
  const void* in[] = {x.data()};
  void* out[] = {y.data()};
  EXPECT_EQ((*module)->entry(0)(instance, in, out), 0);
  EXPECT_EQ(y[63], 1);
}

TEST(Jit, AProgramMayBeEmpty) {
  const auto module = JitCompile(Program(), *FindTarget("native"), {});
  EXPECT_TRUE(module.ok()) << module.status();
}

TEST(Jit, DumpsIrAndAssembly) {
  const auto folder = std::filesystem::temp_directory_path() / StrCat("reel_jit_dump_", getpid());
  std::filesystem::create_directories(folder);
  CodeOptions options;
  options.dump_to = folder;
  ASSERT_TRUE(JitCompile(OneKernel(Square(64, 1)), *FindTarget("native"), options).ok());
  int ir = 0, assembly = 0;
  for (const auto& file : std::filesystem::directory_iterator(folder)) {
    ir += file.path().extension() == ".ll";
    assembly += file.path().extension() == ".s";
  }
  EXPECT_EQ(ir, 1);
  EXPECT_EQ(assembly, 1);
  std::filesystem::remove_all(folder);
  options.dump_to = "/nowhere/at/all";
  EXPECT_FALSE(JitCompile(OneKernel(Square(64, 1)), *FindTarget("native"), options).ok());
}

TEST(Jit, StopsWhenTheBudgetIsSpent) {
  // One second a look: before the module, then before each function.
  static double now;
  const auto status = [](double max_seconds) {
    const ir::BudgetMeter meter({.max_seconds = max_seconds}, [] { return now++; });
    return JitCompile(OneKernel(Square(64, 1)), *FindTarget("native"), {.meter = &meter}).status();
  };
  for (const double seconds : {0, 1, 2}) {
    EXPECT_EQ(status(seconds).code(), absl::StatusCode::kResourceExhausted) << seconds;
  }
  EXPECT_TRUE(status(100).ok());
}

/// y[6,64] = a[6,K] b[K,64] as one register tile.
Kernel Tile(int64_t depth) {
  Kernel k;
  k.name = "tile";
  const AxisId kk = k.AddAxis("k"), r = k.AddAxis("r"), j = k.AddAxis("j");
  const BufferId a = k.AddBuffer("a", kFloat32, false), b = k.AddBuffer("b", kFloat32, false);
  const BufferId y = k.AddBuffer("y", kFloat32, true);
  const LocalId acc = k.AddLocal("acc", kFloat32, 6 * 64);
  const Affine at = At({{r, 64}, {j, 1}});
  const ExprId x = Load(k, a, At({{r, depth}, {kk, 1}})), w = Load(k, b, At({{kk, 64}, {j, 1}}));
  auto tile = [&](Stmt body) {
    return For(r, LoopKind::kUnrolled, 6, 1, Block(For(j, LoopKind::kVector, 64, 64, Block(std::move(body)))));
  };
  k.body = Block(Declare(acc, 0.0f),
                 For(kk, LoopKind::kSerial, depth, 1, Block(tile(Accumulate(acc, at, Combine::kFma, x, w)))),
                 tile(Store(y, at, ReadLocal(k, acc, at))));
  return k;
}

/// Counts lines of text with a pattern.
int Count(const std::string& text, std::string_view pattern) {
  std::istringstream lines(text);
  int count = 0;
  for (std::string line; std::getline(lines, line);) count += line.find(pattern) != std::string::npos;
  return count;
}

TEST(Jit, MatrixTileStaysInZmmRegisters) {
  auto text = AotText(OneLevel(OneKernel(Tile(100)), *FindTarget("x86-64-v4")), "t", {}, /*assembly=*/true);
  ASSERT_TRUE(text.ok()) << text.status();
  // The k loop: from its label to the branch back.
  const size_t fma = text->find("vfmadd");
  ASSERT_NE(fma, std::string::npos);
  const size_t begin = text->rfind("\n.LBB", fma);
  const size_t end = text->find("\tj", fma);
  const std::string loop = text->substr(begin, end - begin);
  EXPECT_EQ(Count(loop, "vfmadd"), 24) << loop;
  EXPECT_EQ(Count(loop, "%ymm"), 0) << loop;
  EXPECT_EQ(Count(loop, "(%rsp)"), 0) << loop;
  EXPECT_EQ(Count(loop, "%rbp)"), 0) << loop;
  EXPECT_LE(Count(loop, "vmovups"), 4) << loop;  // b is loaded once for all rows
}

}  // namespace
}  // namespace reel::codegen
