// Groups that become parts of each other never wait for each other, whatever is beside what: random graphs in which
// many could, planned, and some run. Each phase's plan is verified, and no bit depends on it. REEL_PLAN_SEEDS: how many
// more graphs are planned than in each run of the tests.

#include <gtest/gtest.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <functional>
#include <random>
#include <string>
#include <utility>
#include <vector>

#include "codegen/compiler.h"
#include "codegen/plan/cycle_guard.h"
#include "codegen/plan/text.h"
#include "codegen/plan/verify.h"
#include "ir/verifier.h"
#include "reel/reel.h"
#include "runtime/abi.h"
#include "runtime/buffer.h"
#include "tests/codegen/bits_util.h"
#include "tests/codegen/program_util.h"
#include "tests/codegen/random_groups.h"

namespace reel::codegen {
namespace {

class Groups : public testing::Test {
 protected:
  void SetUp() override { GetPlanChecks() = {.strict = true, .after_phase = {}}; }
  void TearDown() override { GetPlanChecks() = {}; }
};

struct Size {
  int64_t rows, width;
};
// Rows are fused from 32 elements, sums split from 128 k, products' sums joined where L2 does not hold them.
constexpr Size kSizes[] = {{17, 17}, {5, 7}, {33, 40}, {300, 48}, {1030, 130}, {16384, 40}};

ir::Module RandomModule(uint32_t seed) {
  const Size size = kSizes[seed % std::size(kSizes)];
  return RandomGroups(seed, size.rows, size.width, 6 + static_cast<int>(seed % 41), seed % 3 != 0).module();
}

TEST_F(Groups, RandomGraphsHaveRightPlans) {
  const char* more = std::getenv("REEL_PLAN_SEEDS");
  const uint32_t seeds = 240 + static_cast<uint32_t>(more ? std::atoi(more) : 0);
  int wrong = 0;
  for (uint32_t seed = 0; seed < seeds && wrong < 10; ++seed) {
    const ir::Module module = RandomModule(seed);
    if (HasFailure()) FAIL() << "seed " << seed;
    const absl::Status valid = seed < 240 ? ir::Verify(module) : absl::OkStatus();
    ASSERT_TRUE(valid.ok()) << "seed " << seed << ": " << valid;
    const auto program = BuildProgram(module, *FindTarget(seed % 2 ? "x86-64-v4" : "x86-64-v3"), {});
    wrong += !program.ok();
    EXPECT_TRUE(program.ok()) << "seed " << seed << ": " << program.status();
  }
}

std::vector<std::vector<float>> RunModule(const ir::Module& module, int opt_level) {
  std::vector<std::vector<float>> results;
  CompilerOptions options;
  options.opt_level = opt_level;
  const auto code = reel_compiler()->Compile(module, options);
  EXPECT_TRUE(code.ok()) << code.status();
  if (!code.ok()) return results;
  const EntryPoint& entry = (*code)->program().entries[0];
  const auto instance = runtime::Buffer::Allocate(static_cast<size_t>((*code)->program().instance_bytes));
  auto* header = new (instance.data()) reel_instance{};
  header->magic = REEL_INSTANCE_MAGIC;
  std::minstd_rand random(1);
  std::vector<std::vector<float>> arguments;
  std::vector<const void*> in;
  for (const ir::Parameter& p : entry.arguments) {
    arguments.emplace_back(static_cast<size_t>(p.type.shape.size()));
    for (float& x : arguments.back()) x = static_cast<float>(random() % 2001) / 1000.0f - 1.0f;
  }
  for (const auto& a : arguments) in.push_back(a.data());
  std::vector<void*> out;
  for (const ir::Parameter& p : entry.results) results.emplace_back(static_cast<size_t>(p.type.shape.size()));
  for (auto& r : results) out.push_back(r.data());
  EXPECT_EQ((*code)->entry(0)(instance.data(), in.data(), out.data()), REEL_OK);
  return results;
}

void ExpectSameResults(const ir::Module& module, const std::string& what) {
  const auto plain = RunModule(module, 0), fused = RunModule(module, 2);
  ASSERT_EQ(plain.size(), fused.size()) << what;
  for (size_t i = 0; i < plain.size(); ++i) {
    const size_t bytes = plain[i].size() * sizeof(float);
    EXPECT_EQ(std::memcmp(plain[i].data(), fused[i].data(), bytes), 0) << what << ", result " << i;
  }
}

TEST_F(Groups, RandomGraphsHaveOneResult) {
  const char* more = std::getenv("REEL_PLAN_SEEDS");
  const uint32_t seeds = 6 + static_cast<uint32_t>(more ? std::atoi(more) / 50 : 0);
  for (uint32_t seed = 0; seed < seeds; ++seed) {
    const Size size = kSizes[seed % 4];
    ExpectSameResults(RandomGroups(seed, size.rows, size.width, 12, true).module(), StrCat("seed ", seed));
  }
}

// Tensors from a function of one, and its gradient.
Function WithGradient(const std::function<Tensor(const Tensor&)>& f, const Shape& shape) {
  return Trace(
      [&f](std::span<const Tensor> in) {
        GradientTape tape;
        tape.Watch(in[0]);
        const Tensor y = f(in[0]);
        return std::vector<Tensor>{y, tape.Gradient(y, std::vector<Source>{in[0]}).Dense(0)};
      },
      {Spec(kFloat32, shape)});
}
void ExpectSameLevels(const std::function<Tensor(const Tensor&)>& f, const Shape& shape) {
  const Function function = WithGradient(f, shape);
  const std::vector<Tensor> in{RandomNormal(shape, {.generator = Generator(1)})};
  ExpectBits(function, in, Compile(function, {.opt_level = 0})("main", in).tensors(), "native", {1});
}

TEST_F(Groups, LoopBesideMapsOfItsOperand) {
  ExpectSameLevels(
      [](const Tensor& x) {
        const auto less = [](const std::vector<Tensor>& v) { return v[0] < 3; };
        const auto body = [](const std::vector<Tensor>& v) { return std::vector<Tensor>{v[0] + 1, Tanh(v[1])}; };
        return Tanh(x) * x * Cos(WhileLoop(less, body, {Tensor(0), x}, {.maximum_iterations = 3})[1]);
      },
      {17});
}
TEST_F(Groups, PoolsOfThreeAxes) {
  ExpectSameLevels([](const Tensor& x) { return MaxPool3D(x, {3, 3, 3}, {.strides = {2, 2, 2}}); }, {1, 7, 7, 7, 2});
}
TEST_F(Groups, ProductBetweenMeans) {
  ExpectSameLevels(
      [](const Tensor& x) { return ReduceMean(MatMul(Tanh(Atan2(x, x + 3.5)), x), {1}) / (ReduceMean(x, {0}) + 3.5); },
      {17, 17});
}

// 3 reads 2, 2 reads 1, 3 reads 1: 1 and 3 may not become one, 2 and 3 may, and then all.
TEST_F(Groups, GuardSeesWhatIsBetween) {
  const std::vector<std::vector<int>> reads{{}, {0}, {1}, {2, 1}};
  const auto visit = [&reads](int g, const auto& see) {
    for (int d : reads[static_cast<size_t>(g)]) see(d);
  };
  CycleGuard guard;
  for (int g = 0; g < 4; ++g) guard.Add(g);
  EXPECT_FALSE(guard.MayBecomeOne({1, 3}, {0, 2, 1}, visit));
  EXPECT_TRUE(guard.MayBecomeOne({2, 3}, {1, 2, 1}, visit));
  EXPECT_EQ(guard.rank(3), 2);
  EXPECT_FALSE(guard.MayBecomeOne({0}, {2}, visit));
}

const char kSoftmaxBesideProduct[] = R"(func @f(%x: f32[64,48], %w: f32[48,48]) -> (f32[64,48]) {
  %0 = contract %x, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[64,48]
  %1 = exp %0 : f32[64,48]
  %2 = reduce_sum %1 {axes=[1]} : f32[64]
  %3 = broadcast %2 {axes=[0], shape=[64,48]} : f32[64,48]
  %4 = div %1, %3 : f32[64,48]
  %5 = contract %4, %w {a_batch=[], a_contract=[1], b_batch=[], b_contract=[0]} : f32[64,48]
  return %5
})";

// A product that computes its second operand, whose rows are summed, too.
constexpr char kWeightsGradient[] = R"(func @f(%x: f64[1000,10], %y: f64[1000,25,10], %s: f64[1000,25]) ->
                                              (f64[25,10], f64[10,250]) {
  %0 = broadcast %s {axes=[0,1], shape=[1000,25,10]} : f64[1000,25,10]
  %1 = mul %0, %y : f64[1000,25,10]
  %2 = reduce_sum %1 {axes=[0]} : f64[25,10]
  %3 = reshape %1 {shape=[1000,250]} : f64[1000,250]
  %4 = contract %x, %3 {a_batch=[], a_contract=[0], b_batch=[], b_contract=[0]} : f64[10,250]
  return %2, %4
})";

// What a plan prints is what is parsed again, after each phase.
TEST_F(Groups, PlansAreTheirTexts) {
  size_t plans = 0;
  std::string kinds;
  PlanOptions options;
  options.phases.after = [&](std::string_view phase, const ir::Function& f, const PlanGraph& plan) {
    const std::string text = Print(f, plan);
    const auto parsed = ParsePlan(text);
    ASSERT_TRUE(parsed.ok()) << parsed.status() << "\n" << text;
    EXPECT_TRUE(*parsed == plan) << phase << "\n" << text;
    EXPECT_EQ(Print(f, *parsed), text);
    ++plans;
    kinds += text;
  };
  for (uint32_t seed = 0; seed < 120 && !HasFailure(); ++seed) {
    const ir::Module module = seed == 0 ? ParseFunctions(kWeightsGradient) : RandomModule(seed);
    ASSERT_TRUE(BuildProgram(module, *FindTarget("x86-64-v4"), options).ok()) << "seed " << seed;
  }
  EXPECT_GT(plans, 500u);
  for (const char* part : {"  map ", "  reduce ", "  matmul ", "  rows ", "stage=partial", "stage=final", "split_k=",
                           "row_reductions=", "rhs_reduction=", "producer=", "apart=", "strides=", "why="}) {
    EXPECT_NE(kinds.find(part), std::string::npos) << part;
  }
}

TEST_F(Groups, TextsThatAreNoPlans) {
  const std::pair<const char*, const char*> cases[] = {
      {"", "1:1: found end of file, expected 'plan'"},
      {"plan @f {\n  mip nodes=1\n", "2:3: found \"mip\", expected a kernel or `values`"},
      {"plan @f {\n  map root=3\n", "2:12: found \"3\", expected a value"},
      {"plan @f {\n  map stage=whole\n", "map has no stage"},
      {"plan @f {\n  reduce root=%1 stage=half\n", "expected one of whole, partial, final"},
      {"plan @f {\n  values 1 planned 2\n}", "expected as many values as a function has"},
      {"plan @f {\n  values 1 planned 1\n  %7: made\n}", "expected a value below %1"},
      {"plan @f {\n  values 1 planned 1\n  %0: mode\n}", "expected made, stored,"},
      {"plan @f {\n  values 99999999999 planned 1\n}", "expected as many values as a function has"},
      {"plan @f {\n  map nodes=99999999999\n}", "expected a smaller number"},
      {"plan @f {\n  matmul rhs_reduction=[]\n}", "expected one reduction"},
      {"plan @f {\n  values 0 planned 0\n} }", "expected the end"},
  };
  for (const auto& [text, message] : cases) {
    const auto plan = ParsePlan(text, "p");
    ASSERT_FALSE(plan.ok()) << text;
    EXPECT_NE(plan.status().message().find(message), std::string::npos) << plan.status() << "\n" << text;
    EXPECT_EQ(plan.status().message().substr(0, 2), "p:") << plan.status();
  }
}

// What a phase could do wrong, and what is said of it.
struct Mistake {
  const char* message;
  std::function<void(PlanGraph*)> make;
};
const Mistake kMistakes[] = {
    {"runs after it",
     [](PlanGraph* g) {
       const auto last = static_cast<int>(g->kernels.size()) - 1;
       std::swap(g->kernels.front(), g->kernels.back());
       for (int& group : g->kernel_of) group = group == 0 ? last : group == last ? 0 : group;
       for (KernelPlan& group : g->kernels) group.inputs.clear();
     }},
    {"waits for", [](PlanGraph* g) { g->kernels.front().inputs = {1}; }},
    {"does not store", [](PlanGraph* g) { g->stored.assign(g->stored.size(), false); }},
    {"nothing computes", [](PlanGraph* g) { g->kernels.front() = {}; }},
    {"is computed by kernels", [](PlanGraph* g) { g->kernels.push_back(g->kernels.back()); }},
    {"a value of", [](PlanGraph* g) { std::swap(g->kernels.front(), g->kernels.back()); }},
    {"in place", [](PlanGraph* g) { g->materialized[static_cast<size_t>(g->kernels.front().root.id)] = false; }},
};

TEST_F(Groups, WrongPlansAreErrors) {
  const ir::Module module = ParseFunctions(kSoftmaxBesideProduct);
  for (const Mistake& mistake : kMistakes) {
    GetPlanChecks().after_phase = [&mistake](std::string_view phase, PlanGraph* g) {
      if (phase == "plan.row_fusion") mistake.make(g);
    };
    const auto program = BuildProgram(module, *FindTarget("x86-64-v4"), {});
    ASSERT_FALSE(program.ok()) << mistake.message;
    EXPECT_EQ(program.status().code(), absl::StatusCode::kInternal);
    const std::string said(program.status().message());
    EXPECT_NE(said.find("@f: the plan is wrong after plan.row_fusion"), std::string::npos) << said;
    EXPECT_NE(said.find(mistake.message), std::string::npos) << said;
  }
}

TEST_F(Groups, WrongPlansCompileWithoutFusion) {
  const ir::Module module = ParseFunctions(kSoftmaxBesideProduct);
  const auto plain = RunModule(module, 0), fused = RunModule(module, 2);
  EXPECT_EQ(plain, fused);
  for (const Mistake& mistake : kMistakes) {
    GetPlanChecks() = {.strict = false, .after_phase = [&mistake](std::string_view phase, PlanGraph* g) {
                         if (phase == "plan.row_fusion") mistake.make(g);
                       }};
    testing::internal::CaptureStderr();
    EXPECT_EQ(RunModule(module, 2), plain) << mistake.message;
    const std::string said = testing::internal::GetCapturedStderr();
    EXPECT_NE(said.find("the plan is wrong after plan.row_fusion"), std::string::npos) << said;
    EXPECT_NE(said.find(mistake.message), std::string::npos) << said;
    EXPECT_NE(said.find("Please report this"), std::string::npos) << said;
    EXPECT_EQ(std::count(said.begin(), said.end(), '\n'), 1) << said;
  }
}

}  // namespace
}  // namespace reel::codegen
