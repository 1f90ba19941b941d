// Kernels beside each other (codegen/program/beside.h): found where a second thread gains by it, in place where they
// may be, and no bit depends on them or on the number of threads.

#include <gtest/gtest.h>

#include <algorithm>
#include <functional>
#include <string>

#include "codegen/program/beside.h"
#include "codegen/program/phases.h"
#include "codegen/program/plan.h"
#include "codegen/program/program.h"
#include "codegen/program/verify_items.h"
#include "ir/text/parser.h"
#include "reel/reel.h"
#include "tests/codegen/bits_util.h"
#include "tests/codegen/program_util.h"

namespace reel {
namespace {

using codegen::Program;
using codegen::Slot;
using codegen::Step;
using Tensors = std::vector<Tensor>;
using Inputs = std::span<const Tensor>;

Program PlanOf(const Function& f, codegen::PlanOptions options = {}) {
  auto module = ir::ParseModule(f.ToText(), "beside");
  EXPECT_TRUE(module.ok()) << module.status();
  auto program = codegen::BuildProgram(*module, *codegen::FindTarget("x86-64-v4"), options);
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

std::vector<const Step*> BesideOf(const Program& program) {
  std::vector<const Step*> found;
  for (const Step& s : program.entries[0].steps) {
    if (s.control == Step::Control::kBeside) found.push_back(&s);
  }
  return found;
}

// Calls of a step: a part whose first chunk is 0 begins one.
int64_t CallsOf(const Step& step) {
  return std::count_if(step.first.begin(), step.first.end(), [](const Step& part) { return part.bytes == 0; });
}

// Adam's update of variables of these sizes; gradients are arguments.
struct Updates {
  explicit Updates(std::vector<int64_t> sizes) {
    for (const int64_t size : sizes) {
      w.emplace_back(Ones({size}));
      specs.emplace_back(kFloat32, Shape{size});
    }
  }
  Function Step() {
    return Trace(
        [this](Inputs in) {
          std::vector<GradientEntry> gradients;
          for (size_t i = 0; i < w.size(); ++i) gradients.push_back({w[i], in[i]});
          adam.Apply(GradientList(gradients));
          return Tensors{};
        },
        specs);
  }
  Adam adam;
  std::vector<Variable> w;
  std::vector<Spec> specs;
};

TEST(Beside, UpdatesOfManyVariablesAreOneStep) {
  Updates updates(std::vector<int64_t>(40, 10000));
  const Program p = PlanOf(updates.Step());
  const auto steps = BesideOf(p);
  ASSERT_EQ(steps.size(), 1u) << codegen::ToString(p);
  const Step& step = *steps[0];
  EXPECT_EQ(CallsOf(step), 40) << codegen::ToString(p);
  EXPECT_GE(step.lanes, 16);
  EXPECT_LE(step.lanes, 64);
  int64_t run = 0;
  for (const Step& part : step.first) {  // without gaps, in order
    EXPECT_TRUE(part.lanes == run || part.lanes == run + 1) << codegen::ToString(p);
    run = part.lanes;
  }
  EXPECT_EQ(run + 1, step.lanes);
  EXPECT_LT(p.arena_bytes, 4096) << "all in place\n" << codegen::ToString(p);
  EXPECT_EQ(PlanOf(updates.Step(), {.profile = true}).entries[0].steps.size(), 42u) << "profiles see each kernel";
}

TEST(Beside, MayBeLeftOut) {
  Updates updates(std::vector<int64_t>(40, 10000));
  codegen::PlanOptions options;
  options.phases.disable = {std::string(codegen::kHorizontalFusion)};
  EXPECT_TRUE(BesideOf(PlanOf(updates.Step(), options)).empty());
}

// Of few, of tiny ones, and of large ones, which have chunks enough.
TEST(Beside, IsWorthIt) {
  EXPECT_TRUE(BesideOf(PlanOf(Updates({1000, 1000}).Step())).empty());
  EXPECT_TRUE(BesideOf(PlanOf(Updates({1 << 22, 1 << 22}).Step())).empty());
  EXPECT_TRUE(BesideOf(PlanOf(Updates({30000, 16, 16, 16}).Step())).empty());
  EXPECT_EQ(BesideOf(PlanOf(Updates({30000, 30000, 30000, 30000}).Step())).size(), 1u);
}

// Every chunk of every kernel is in one part.
TEST(Beside, PartsHaveAllChunks) {
  const Program p = PlanOf(Updates({30000, 1, 100000, 3000, 50000, 7}).Step());
  const auto steps = BesideOf(p);
  ASSERT_EQ(steps.size(), 1u) << codegen::ToString(p);
  int64_t next = 0, chunks = 0;
  for (const Step& part : steps[0]->first) {
    if (part.bytes == 0) {
      EXPECT_EQ(next, chunks) << codegen::ToString(p);
      next = 0;
      chunks = p.kernels[static_cast<size_t>(part.kernel)].chunks();
    }
    EXPECT_EQ(part.bytes, next) << codegen::ToString(p);
    next += part.chunks;
  }
  EXPECT_EQ(next, chunks);
}

constexpr int64_t kSize = 40000;

// The function of what a case makes of two vectors of kSize.
Function TraceOf(const std::function<Tensors(const Tensor&, const Tensor&)>& f) {
  const Spec spec(kFloat32, Shape{kSize});
  return Trace([&f](Inputs in) { return f(in[0], in[1]); }, {spec, spec});
}

// Sums need all that is written before; what reads none of them goes beside one of them.
Tensors Dependent(const Tensor& x, const Tensor& y) {
  const Tensor a = CumSum(x, 0), b = CumSum(y, 0);  // kernels of their own
  return {CumSum(a, 0), CumSum(a + b, 0), a, b};
}

TEST(Beside, DependentKernelsStayApart) {
  const Program p = PlanOf(TraceOf(Dependent));
  ASSERT_FALSE(BesideOf(p).empty()) << codegen::ToString(p);
  for (const Step* step : BesideOf(p)) EXPECT_EQ(CallsOf(*step), 2) << codegen::ToString(p);
}

// What several kernels read is not written over by one of them, and what they make does not take its memory.
TEST(Beside, BuffersOfAllAreLiveTogether) {
  const Program p = PlanOf(TraceOf([](const Tensor& x, const Tensor& y) {
    const Tensor a = CumSum(x * y, 0);
    const Tensor b = CumSum(a * 2.0, 0), c = CumSum(a * 3.0, 0), d = CumSum(y, 0);
    return Tensors{CumSum(b * c * d, 0)};
  }));
  ASSERT_EQ(BesideOf(p).size(), 1u) << codegen::ToString(p);
  EXPECT_GE(CallsOf(*BesideOf(p)[0]), 3) << codegen::ToString(p);
  EXPECT_GE(p.arena_bytes, 4 * kSize * 4) << codegen::ToString(p);
  EXPECT_TRUE(codegen::VerifyBeside(p.kernels, p.entries[0].steps).ok());
}

// With a memory budget only what makes no temporaries goes side by side.
TEST(Beside, MemoryBudgetsCome) {
  const auto f = TraceOf([](const Tensor& x, const Tensor& y) {
    const Tensor a = CumSum(x, 0), b = CumSum(y, 0);
    return Tensors{CumSum(a * b, 0)};
  });
  EXPECT_EQ(BesideOf(PlanOf(f)).size(), 1u);
  EXPECT_TRUE(BesideOf(PlanOf(f, {.memory_budget = 1 << 20})).empty());
}

TEST(Beside, TheVerifierFindsSharedMemory) {
  Program p = PlanOf(Updates(std::vector<int64_t>(8, 20000)).Step());
  std::vector<Step>& steps = p.entries[0].steps;
  const auto beside =
      std::find_if(steps.begin(), steps.end(), [](const Step& s) { return s.control == Step::Control::kBeside; });
  ASSERT_NE(beside, steps.end());
  ASSERT_TRUE(codegen::VerifyBeside(p.kernels, steps).ok());
  const codegen::Kernel& kernel = p.kernels[static_cast<size_t>(beside->first[0].kernel)];
  const auto out = static_cast<size_t>(
      std::find_if(kernel.buffers.begin(), kernel.buffers.end(), [](const auto& b) { return b.is_output; }) -
      kernel.buffers.begin());
  Step& last = beside->first.back();
  const Slot kept = last.buffers[out];
  last.buffers[out] = beside->first[0].buffers[out];
  EXPECT_FALSE(codegen::VerifyBeside(p.kernels, steps).ok()) << "two write one variable";
  last.buffers[out] = kept;
  last.buffers[out].offset -= 64;
  EXPECT_FALSE(codegen::VerifyBeside(p.kernels, steps).ok()) << "the end of another variable";
}

// @f makes %0 and %1 of its parameters, and %2 of %0.
codegen::Block ThreeKernels() {
  const ir::Module module = codegen::ParseFunctions(R"(func @f(%x: f32[4], %y: f32[4]) -> (f32[4], f32[4]) {
  %0 = neg %x : f32[4]
  %1 = neg %y : f32[4]
  %2 = exp %0 : f32[4]
  return %1, %2
})");
  codegen::Block block{*module.FindFunction("f"), {}, {}, {}, {}, {}};
  for (const auto& [from, to] : {std::pair{0, 2}, {1, 3}, {2, 4}}) {
    codegen::BlockItem item;
    item.kernel = 0;
    item.values = {{from}, {to}};
    item.writes = {false, true};
    block.items.push_back(item);
  }
  return block;
}

TEST(Beside, TheVerifierFindsDependentKernels) {
  codegen::Block block = ThreeKernels();
  EXPECT_TRUE(codegen::VerifyItems(block).ok()) << codegen::VerifyItems(block);
  block.beside = {{0, 1, {1.0, 1.0}}};
  EXPECT_TRUE(codegen::VerifyItems(block).ok()) << codegen::VerifyItems(block);
  block.beside = {{0, 2, {1.0, 1.0, 1.0}}};
  EXPECT_FALSE(codegen::VerifyItems(block).ok());
}

TEST(Beside, DependentKernelsAreFound) {
  codegen::Block block = ThreeKernels();
  codegen::Tuning tuning;
  tuning.beside_cycles = 1, tuning.beside_gain = 0;
  codegen::FindBeside(tuning, 1 << 20, [](int32_t) { return codegen::KernelCycles{100, 1}; }, &block);
  ASSERT_EQ(block.beside.size(), 1u);
  EXPECT_EQ(block.beside[0].first, 0);
  EXPECT_EQ(block.beside[0].last, 1);
}

TEST(Beside, TextsAndGraphsShowIt) {
  const Program p = PlanOf(Updates(std::vector<int64_t>(40, 10000)).Step());
  const std::string runs = "beside each other, in " + std::to_string(BesideOf(p).at(0)->lanes) + " runs";
  EXPECT_NE(codegen::ToString(p).find(runs + " {"), std::string::npos) << codegen::ToString(p);
  EXPECT_NE(codegen::PlanText(p).find("  " + runs + "\n    #"), std::string::npos) << codegen::PlanText(p);
  EXPECT_NE(codegen::PlanText(p).find(": 40 calls"), std::string::npos) << codegen::PlanText(p);
  EXPECT_NE(codegen::PlanDot(p).find("label=\"" + runs), std::string::npos);
}

Tensor Noise(const Spec& spec, uint64_t seed) {
  return RandomNormal(spec.type.shape, {.dtype = spec.type.dtype, .generator = Generator(seed)});
}

TEST(BesideBits, DependOnNothing) {
  const Spec spec(kFloat32, Shape{kSize});
  const Tensor x = Noise(spec, 1), y = Noise(spec, 2);
  ExpectSameBits(TraceOf(Dependent), {x, y}, Dependent(x, y));
}

// Three steps of variables of many sizes, on any number of threads, on two CPUs.
TEST(BesideBits, OfVariablesInPlace) {
  std::vector<int64_t> sizes = {10000, 1, 40000, 64, 333, 30000};
  for (int64_t i = 0; i < 20; ++i) sizes.push_back(9000 + 97 * i);
  Updates updates(sizes);
  const Function step = updates.Step();
  ASSERT_EQ(BesideOf(PlanOf(step)).size(), 1u);
  Tensors gradients;
  for (size_t i = 0; i < sizes.size(); ++i) gradients.push_back(Noise(updates.specs[i], i));
  const Executable plain = Compile(step, {.opt_level = 0});
  for (int k = 0; k < 3; ++k) plain("main", gradients);
  for (const char* cpu : {"native", "x86-64-v3"}) {
    const Executable code = Compile(step, {.cpu = cpu});
    for (const int threads : {1, 2, 3, 8, 64}) {
      runtime::SetNumThreads(threads);
      const Executable run = code.NewInstance();
      for (int k = 0; k < 3; ++k) run("main", gradients);
      for (const std::string& name : plain.variables()) {
        EXPECT_TRUE(SameBits(run.variable(name), plain.variable(name))) << cpu << ", " << threads << ", " << name;
      }
    }
  }
  runtime::SetNumThreads(0);
}

// A loop's body has some, too; the loop is not in line then.
TEST(BesideBits, InLoops) {
  const auto f = [](const Tensor& x, const Tensor& y) {
    return WhileLoop([](Inputs s) { return s[0] < 5; },
                     [](Inputs s) { return Tensors{s[0] + 1, CumSum(s[1], 0), CumSum(s[2], 0)}; },
                     Tensors{Tensor(0), x, y});
  };
  const Function traced = TraceOf(f);
  const Program p = PlanOf(traced);
  EXPECT_NE(codegen::ToString(p).find("beside each other"), std::string::npos) << codegen::ToString(p);
  const Spec spec(kFloat32, Shape{kSize});
  const Tensor x = Noise(spec, 3), y = Noise(spec, 4);
  ExpectSameBits(traced, {x, y}, f(x, y));
}

}  // namespace
}  // namespace reel
