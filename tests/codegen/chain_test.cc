// Chains: kernels that go through a leading axis together (codegen/program/chain.h). They are found where they pay,
// what they hand on lies in frames, and no bit depends on them or on the number of threads.

#include <gtest/gtest.h>

#include <functional>
#include <map>

#include "codegen/program/program.h"
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

struct Case {
  std::function<Tensors(Inputs)> function;
  std::vector<Spec> inputs;
  bool chains = true;
};

std::vector<Spec> Queries(int64_t heads, int64_t time, int count) {
  return std::vector<Spec>(static_cast<size_t>(count), Spec(kFloat32, Shape{heads, time, 32}));
}

// sum(attention * seed) and its gradient by queries, keys and values.
Tensors AttentionStep(Inputs in, bool causal) {
  GradientTape tape;
  for (size_t i = 0; i < 3; ++i) tape.Watch(in[i]);
  const Tensor y = Attention(in[0], in[1], in[2], {.causal = causal});
  const GradientList g = tape.Gradient(ReduceSum(y * in[3]), {in[0], in[1], in[2]});
  return {y, g.Dense(0), g.Dense(1), g.Dense(2)};
}

// Rows of 10, weights and a bias.
std::vector<Spec> Rows(int64_t rows, DType dtype) {
  return {Spec(dtype, Shape{rows, 10}), Spec(dtype, Shape{10, 250}), Spec(dtype, Shape{250})};
}

// The sum of softplus of all distances, and its gradients by weights and bias.
Tensors GradientsOfRows(Inputs in) {
  GradientTape tape;
  for (size_t i = 1; i < 3; ++i) tape.Watch(in[i]);
  const Tensor rows = ReduceSum(Square(MatMul(in[0], in[1]) - in[2]), {1});
  const GradientList g = tape.Gradient(ReduceSum(Softplus(rows)), {in[1], in[2]});
  return {rows, g.Dense(0), g.Dense(1)};
}

// Softmax between two products, the second with 1 MiB of weights; the first has as many if its rows are of 512.
Case LargeWeights(int64_t depth, bool chains = true) {
  return {[](Inputs in) { return Tensors{MatMul(Softmax(MatMul(in[0], in[1])), in[2])}; },
          {Spec(kFloat32, Shape{1024, depth}), Spec(kFloat32, Shape{depth, 512}), Spec(kFloat32, Shape{512, 512})},
          chains};
}

const std::map<std::string, Case>& Cases() {
  static const auto* cases = new std::map<std::string, Case>{
      {"forward", {[](Inputs in) { return Tensors{Attention(in[0], in[1], in[2])}; }, Queries(12, 192, 3)}},
      {"gradient", {[](Inputs in) { return AttentionStep(in, false); }, Queries(11, 160, 4)}},
      {"causal_gradient", {[](Inputs in) { return AttentionStep(in, true); }, Queries(24, 300, 4)}},
      // A chain's heads are an axis in the middle of memory for none of its kernels, but the first one's.
      {"joined_heads",
       {[](Inputs in) {
          const auto heads = [](const Tensor& x) { return SwapAxes(Reshape(x, {8, 100, 4, 16}), 1, 2); };
          const Tensor y = Attention(heads(in[0]), heads(in[1]), heads(in[2]));
          return Tensors{Reshape(SwapAxes(y, 1, 2), {8, 100, 64})};
        },
        std::vector<Spec>(3, Spec(kFloat32, Shape{8, 100, 64}))}},
      // What the second kernel needs beside the rows comes between the two.
      {"rows_of_a_product",
       {[](Inputs in) {
          const Tensor y = MatMul(in[0], in[1]);
          return Tensors{ReduceSum(Square(y - Tanh(in[2])), {1})};
        },
        {Spec(kFloat32, Shape{2000, 10}), Spec(kFloat32, Shape{10, 250}), Spec(kFloat32, Shape{250})}}},
      // Here it is made from the rows, or from what is too much to be made before them.
      {"rows_of_a_product_with_their_sums",
       {[](Inputs in) {
          const Tensor y = MatMul(in[0], in[1]);
          return Tensors{ReduceSum(Square(y - Tanh(ReduceMax(y, {0}))), {1})};
        },
        {Spec(kFloat32, Shape{2000, 10}), Spec(kFloat32, Shape{10, 250})}}},
      {"rows_of_a_product_with_much_between",
       {[](Inputs in) {
          const Tensor y = MatMul(in[0], in[1]), much = Tanh(in[2]);
          return Tensors{much, ReduceSum(Square(y - ReduceSum(Reshape(much, {200, 250}), {0})), {1})};
        },
        {Spec(kFloat32, Shape{2000, 10}), Spec(kFloat32, Shape{10, 250}), Spec(kFloat32, Shape{50000})},
        false}},
      // Forward, backward, and the sums over rows: steps of 128 rows, of one, of 64, and of blocks of 256.
      {"gradients_of_many_rows", {GradientsOfRows, Rows(10000, kFloat64)}},
      {"gradients_of_rows_that_fill_no_block", {GradientsOfRows, Rows(9000, kFloat32)}},
      {"gradients_of_an_odd_number_of_rows", {GradientsOfRows, Rows(8191, kFloat32)}},
      {"large_weights", LargeWeights(64)},
      {"large_weights_twice", LargeWeights(512, false)},
      // Chunk i of the second product needs other chunks of the first.
      {"turned_around",
       {[](Inputs in) { return Tensors{MatMul(Flip(MatMul(in[0], in[1]), {0}), in[2])}; },
        {Spec(kFloat32, Shape{16, 128, 32}), Spec(kFloat32, Shape{16, 32, 128}), Spec(kFloat32, Shape{16, 128, 32})},
        false}},
      {"few_heads", {[](Inputs in) { return Tensors{Attention(in[0], in[1], in[2])}; }, Queries(2, 512, 3), false}},
  };
  return *cases;
}

Function TraceCase(const Case& c) {
  return Trace([&c](Inputs in) { return c.function(in); }, c.inputs);
}

Program Plan(const Case& c) {
  auto module = ir::ParseModule(TraceCase(c).ToText(), "chain");
  EXPECT_TRUE(module.ok()) << module.status();
  auto program = codegen::BuildProgram(*module, *codegen::FindTarget("x86-64-v4"), {});
  EXPECT_TRUE(program.ok()) << program.status();
  return *std::move(program);
}

std::vector<const Step*> ChainsOf(const Program& program) {
  std::vector<const Step*> chains;
  for (const Step& s : program.entries[0].steps) {
    if (s.control == Step::Control::kChain) chains.push_back(&s);
  }
  return chains;
}

// The product and the softmax are one chain; every chunk of the second product would read all of its weights.
TEST(Chains, EndBeforeLargeWeights) {
  const Program p = Plan(LargeWeights(64));
  const std::vector<const Step*> chains = ChainsOf(p);
  ASSERT_EQ(chains.size(), 1u) << codegen::ToString(p);
  EXPECT_EQ(chains[0]->first.size(), 2u) << codegen::ToString(p);
}

TEST(Chains, AreFoundWhereTheyPay) {
  for (const auto& [name, c] : Cases()) {
    const Program p = Plan(c);
    EXPECT_EQ(!ChainsOf(p).empty(), c.chains) << name << "\n" << codegen::ToString(p);
    for (const Step* chain : ChainsOf(p)) {
      EXPECT_GE(chain->first.size(), 2u) << name;
      EXPECT_GE(chain->chunks, 8) << name;
      EXPECT_LE(chain->lanes, 8) << name;
      int far = 0;  // arguments come from beyond L2 once
      for (const Step& call : chain->first) {
        const codegen::Kernel& kernel = p.kernels[static_cast<size_t>(call.kernel)];
        EXPECT_EQ(kernel.chunks(), chain->chunks) << name;
        for (size_t b = 0; b < call.buffers.size(); ++b) {
          EXPECT_TRUE(kernel.buffers[b].near || call.buffers[b].kind != Slot::Kind::kLane) << name << ' ' << b;
          far += !kernel.buffers[b].near;
        }
      }
      EXPECT_GT(far, 0) << name;
    }
  }
}

// Scores of 12 heads would be 1.7 MiB; a frame has those of one of them, their exponentials, and scaled queries.
TEST(Chains, HandOnInFrames) {
  const Program p = Plan(Cases().at("forward"));
  const std::vector<const Step*> chains = ChainsOf(p);
  ASSERT_EQ(chains.size(), 1u) << codegen::ToString(p);
  const Step& chain = *chains[0];
  EXPECT_EQ(chain.chunks, 12);
  EXPECT_EQ(chain.lanes, 6);
  constexpr int64_t kHead = 192 * 192 * 4, kQueries = 192 * 32 * 4;
  EXPECT_GE(chain.bytes, 2 * kHead);
  EXPECT_LE(chain.bytes, 2 * kHead + kQueries + 4096);
  EXPECT_LE(p.arena_bytes, chain.lanes * chain.bytes + 12 * kQueries + 4096) << codegen::ToString(p);
  int in_frames = 0;
  for (const Step& call : chain.first) {
    for (const Slot& slot : call.buffers) in_frames += slot.kind == Slot::Kind::kLane;
  }
  EXPECT_GE(in_frames, 4);
}

// The loss needs all heads, but the gradients of a head do not need the loss: they come first.
TEST(Chains, GoOnBeforeWhatDoesNotBelongToThem) {
  const Program p = Plan(Cases().at("gradient"));
  const std::vector<const Step*> chains = ChainsOf(p);
  ASSERT_EQ(chains.size(), 1u) << codegen::ToString(p);
  EXPECT_GE(chains[0]->first.size(), 8u);
  EXPECT_EQ(codegen::ToString(p).find("prefetch"), std::string::npos) << "what it hands on is near";
}

// 2000 rows are 16 blocks of 25 tiles, and what tanh makes is there before the first of them.
TEST(Chains, GoOnWithTheRowsOfAProduct) {
  const Program p = Plan(Cases().at("rows_of_a_product"));
  const std::vector<const Step*> chains = ChainsOf(p);
  ASSERT_EQ(chains.size(), 1u) << codegen::ToString(p);
  EXPECT_EQ(chains[0]->first.size(), 2u) << codegen::ToString(p);
  EXPECT_EQ(chains[0]->chunks, 16);
  EXPECT_EQ(p.entries[0].steps.back().control, Step::Control::kChain) << codegen::ToString(p);
}

// What is made from all rows comes after the chain that sums them, and so does what reads it.
TEST(Chains, EndBeforeWhatNeedsAllRows) {
  const Program p = Plan(Cases().at("rows_of_a_product_with_their_sums"));
  const std::vector<Step>& steps = p.entries[0].steps;
  ASSERT_EQ(steps.size(), 3u) << codegen::ToString(p);
  EXPECT_EQ(steps[0].control, Step::Control::kChain) << codegen::ToString(p);
  EXPECT_EQ(steps[0].first.size(), 2u) << codegen::ToString(p);
}

// The variable's new value takes the place of the one that the chain reads.
TEST(Chains, DoNotGoOnAfterUpdates) {
  const Variable w(Ones({250}));
  const auto step = [&](Inputs in) {
    const Tensor y = MatMul(in[0], in[1]) + w;
    w.Assign(Tanh(in[2]));
    return Tensors{ReduceSum(Square(y - w), {1})};
  };
  const Program p = Plan({step, Cases().at("rows_of_a_product").inputs});
  EXPECT_TRUE(ChainsOf(p).empty()) << codegen::ToString(p);
}

// Rows go forward and backward in L2, 256 at a time: nothing as large as all of them is in memory but sums.
TEST(Chains, HoldForwardAndBackwardOfRows) {
  const Program p = Plan(Cases().at("gradients_of_many_rows"));
  const std::vector<const Step*> chains = ChainsOf(p);
  ASSERT_EQ(chains.size(), 1u) << codegen::ToString(p);
  EXPECT_EQ(chains[0]->chunks, 40) << codegen::ToString(p);
  EXPECT_GE(chains[0]->first.size(), 3u) << codegen::ToString(p);
  EXPECT_LT(p.arena_bytes, 10000 * 250 * 8 / 2) << codegen::ToString(p);
}

// The kernels of a chain are compared with each other: it ends before that takes long.
TEST(Chains, HaveABoundedNumberOfKernels) {
  Case c{[](Inputs in) {
           Tensor x = in[0];
           for (int i = 0; i < 600; ++i) x = MatMul(x, in[0]);
           return Tensors{x};
         },
         {Spec(kFloat32, Shape{16, 256, 256})}};
  const Program p = Plan(c);
  size_t links = 0;
  for (const Step* chain : ChainsOf(p)) {
    EXPECT_LE(chain->first.size(), 256u);
    links += chain->first.size();
  }
  EXPECT_GE(links, 500u);
}

// Numbers of chunks are tried one by one; of a prime extent of 2^31 - 1 none fits but itself.
TEST(Chains, OfHugePrimeExtentsArePlannedAtOnce) {
  Case c{[](Inputs in) { return Tensors{MatMul(MatMul(in[0], in[0]), in[0])}; },
         {Spec(kFloat32, Shape{2147483647, 32, 32})}};
  const Program p = Plan(c);
  const std::vector<const Step*> chains = ChainsOf(p);
  ASSERT_EQ(chains.size(), 1u) << codegen::ToString(p);
  EXPECT_EQ(chains[0]->chunks, 2147483647);
}

void ExpectAllInPlace(const Program& p) {
  for (const Step& s : p.entries[0].steps) EXPECT_GE(s.kernel, 0) << codegen::ToString(p);  // no chain, no copy
  EXPECT_LT(p.arena_bytes, 4096) << codegen::ToString(p);
}

// Large moments of one gradient: one kernel updates all in place. A chain would write them beside the old ones and
// copy.
TEST(Chains, LeaveUpdatesInPlace) {
  const std::vector<Variable> w{Variable(Zeros({1 << 20})), Variable(Zeros({1 << 20}))};
  const Adam adam;
  const auto step = [&](Inputs in) {
    std::vector<GradientEntry> gradients;
    for (size_t i = 0; i < w.size(); ++i) gradients.push_back({w[i], in[i]});
    adam.Apply(GradientList(gradients));
    return Tensors{};
  };
  const Program p = Plan({step, std::vector<Spec>(2, Spec(kFloat32, Shape{1 << 20}))});
  ExpectAllInPlace(p);
  EXPECT_EQ(p.kernels.size(), 3u) << codegen::ToString(p);  // two of scalars, one for both variables
}

// The second kernel reads the first one's new variable by the same heads.
TEST(Chains, LeaveUpdatesByTwoKernelsInPlace) {
  const Variable w(Zeros({16, 256, 256})), v(Zeros({16, 256, 256}));
  const auto step = [&](Inputs in) {
    w.AssignSub(MatMul(in[0], in[1]));
    v.AssignSub(MatMul(w, in[1]));
    return Tensors{};
  };
  ExpectAllInPlace(Plan({step, std::vector<Spec>(2, Spec(kFloat32, Shape{16, 256, 256}))}));
}

class ChainBits : public testing::TestWithParam<std::string> {};

TEST_P(ChainBits, DependOnNothing) {
  const Case& c = Cases().at(GetParam());
  Generator generator(7);
  Tensors in;
  for (const Spec& spec : c.inputs) {
    in.push_back(RandomNormal(spec.type.shape, {.dtype = spec.type.dtype, .generator = generator}));
  }
  ExpectSameBits(TraceCase(c), in, c.function(in));
}

std::vector<std::string> Names() {
  std::vector<std::string> names;
  for (const auto& [name, c] : Cases()) names.push_back(name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, ChainBits, testing::ValuesIn(Names()), [](const auto& p) { return p.param; });

// Iterations of a recurrence depend on each other: a chain does not cut it into chunks. The gradient of a product has
// two.
TEST(Chains, CutNoRecurrence) {
  const auto gradient = [](const Tensor& x) {
    GradientTape tape;
    tape.Watch(x);
    const Tensor product = ReduceProd(x), y = product * product * 1.1 + Sin(product);
    return tape.Gradient(y, x).value();
  };
  const auto f = [&](const Tensor& x) {
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = ReduceSum(Sin(gradient(x) * 0.7));
    return std::vector<Tensor>{tape.Gradient(y, x).value()};
  };
  const Tensor noise = RandomNormal({65, 8, 3, 65}, {.generator = Generator(3)}), x = 1.0 + noise * 1e-4;
  ExpectSameBits(Trace(f, {Spec(x)}), {x}, f(x));
}

// Positions are divided by what the user says: by 0 is 0.
TEST(Chains, PositionsMayBeDividedByAnything) {
  for (const int by : {0, -1, -7, 3}) {
    const codegen::Program p = codegen::PlanFunctions(R"(func @f(%x: f32[1000]) -> (f32[4096]) {
  %0 = iota {axis=0, shape=[4096], dtype=i64} : i64[4096]
  %1 = constant )" + std::to_string(by) + R"( : i64[]
  %2 = broadcast %1 {axes=[], shape=[4096]} : i64[4096]
  %3 = div %0, %2 : i64[4096]
  %4 = gather %x, %3 {axis=0} : f32[4096]
  return %4
})");
    EXPECT_EQ(p.kernels.size(), 1u) << ToString(p);
  }
}

}  // namespace
}  // namespace reel
