// CompileOptions.memory_budget: less memory, the same bits, or an error that says how much is needed.

#include <regex>

#include "tests/frontend/expect.h"

namespace reel {
namespace {

constexpr int64_t kWidth = 64, kBatch = 512;
constexpr int kLayers = 12;

// Layer norm, product, gelu, twelve times: much to keep for the backward part.
std::vector<Tensor> Step(const Tensor& x, const Tensor& w) {
  GradientTape tape;
  tape.Watch(w);
  Tensor h = x;
  for (int i = 0; i < kLayers; ++i) {
    h = h + GeluTanh(MatMul(LayerNormalize(h), Gather(w, i)));
    h = Transpose(Tanh(Transpose(h)));  // a view of what is kept
  }
  const Tensor loss = ReduceMean(Square(h));
  return {loss, *tape.Gradient(loss, w)};
}

int64_t Arena(const Executable& e) {
  std::smatch match;
  const std::string plan = e.Plan();
  EXPECT_TRUE(std::regex_search(plan, match, std::regex("arena ([0-9]+)"))) << plan.substr(0, 200);
  return match.empty() ? 0 : std::stoll(match[1]);
}

TEST(MemoryBudget, TradesTimeForMemory) {
  const Tensor x = RandomNormal({kBatch, kWidth}, {.generator = Generator(1)});
  const Tensor w = RandomNormal({kLayers, kWidth, kWidth}, {.stddev = 0.1, .generator = Generator(2)});
  const Function step = Trace([](std::span<const Tensor> in) { return Step(in[0], in[1]); }, {Spec(x), Spec(w)});
  const Executable whole = Compile(step);
  const Results want = whole(step.name(), x, w);
  int64_t last = Arena(whole);
  for (const double part : {0.8, 0.65, 0.55}) {
    const auto budget = static_cast<int64_t>(part * static_cast<double>(Arena(whole)));
    const Executable small = Compile(step, {.memory_budget = budget});
    EXPECT_LE(Arena(small), budget);
    EXPECT_LT(Arena(small), last);
    last = Arena(small);
    const Results got = small(step.name(), x, w);
    for (size_t i = 0; i < want.size(); ++i) EXPECT_EQ(Values(got[i]), Values(want[i])) << part;
  }
  ExpectError(ErrorCode::kResourceExhausted, "an arena of 4096 bytes is not enough; the smallest",
              [&] { Compile(step, {.memory_budget = 4096}); });
}

// Nothing is repeated where there is room.
TEST(MemoryBudget, ChangesNothingWhereThereIsRoom) {
  const Tensor x = Ones({8, 8});
  const Function f = Trace([](const Tensor& t) { return Exp(t) + Tanh(MatMul(t, t)); }, {Spec(x)});
  const auto plan = [&](int64_t budget) {
    return std::regex_replace(Compile(f, {.memory_budget = budget}).Plan(), std::regex("compiled in .*"), "");
  };
  EXPECT_EQ(plan(0), plan(1 << 20));
}

}  // namespace
}  // namespace reel
