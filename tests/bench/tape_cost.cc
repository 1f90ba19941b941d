// What a tape costs, by hand: build/tests/tape_cost [NAME...]. Of each program the nanoseconds per op of its forward
// part alone, under a tape, and with its gradient: op by op (REEL_TAPE_CACHE=0 in the environment), else compiled. A
// composition counts as one op.
#include <reel/reel.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <functional>
#include <string>
#include <vector>

namespace {

using namespace reel;
using Clock = std::chrono::steady_clock;

struct Program {
  std::string name;
  int ops;
  std::function<Tensor(const Tensor& x, const Tensor& y)> forward;
  Shape shape;
};

/// The least mean seconds of a call.
double Seconds(const std::function<void()>& f) {
  double best = 1e9;
  for (int round = 0; round < 20; ++round) {
    int calls = 0;
    const auto start = Clock::now();
    double spent = 0;
    for (; spent < 0.01; spent = std::chrono::duration<double>(Clock::now() - start).count(), ++calls) f();
    best = std::min(best, spent / calls);
  }
  return best;
}

Tensor Chain(Tensor x, const Tensor& y, int n) {
  for (int i = 0; i < n; ++i) x = x * y + y;
  return x;
}

void Measure(const Program& p) {
  const Tensor x = RandomUniform(p.shape), y = RandomUniform(p.shape);
  const auto taped = [&](bool gradient) {
    GradientTape tape;
    tape.Watch(x);
    const Tensor z = p.forward(x, y);
    if (gradient) tape.Gradient(z, x);
  };
  for (int i = 0; i < 3; ++i) taped(true);
  for (int i = 0; i < 3; ++i) p.forward(x, y);
  WaitForCompiler();
  const double plain = Seconds([&] { p.forward(x, y); });
  const double recorded = Seconds([&] { taped(false); });
  const double all = Seconds([&] { taped(true); });
  std::printf("%-12s %6d ops: forward %7.1f ns/op, recorded %7.1f, with gradient %7.1f\n", p.name.c_str(), p.ops,
              1e9 * plain / p.ops, 1e9 * recorded / p.ops, 1e9 * all / p.ops);
}

}  // namespace

int main(int argc, char** argv) {
  const std::vector<Program> programs = {
      {"one", 1, [](const Tensor& x, const Tensor&) { return Exp(x); }, {64}},
      {"four", 4, [](const Tensor& x, const Tensor& y) { return ReduceSum(Tanh(x * y + y)); }, {64}},
      {"chain100", 100, [](const Tensor& x, const Tensor& y) { return Chain(x, y, 50); }, {64}},
      {"chain1000", 1000, [](const Tensor& x, const Tensor& y) { return Chain(x, y, 500); }, {64}},
      {"chain1000_1", 1000, [](const Tensor& x, const Tensor& y) { return Chain(x, y, 500); }, {}},
      {"chain1000_64k", 1000, [](const Tensor& x, const Tensor& y) { return Chain(x, y, 500); }, {65536}},
      {"scalars1000",
       1000,
       [](Tensor x, const Tensor& y) {
         for (int i = 0; i < 500; ++i) x = x * 1.0001f + y;
         return ReduceSum(x);
       },
       {64}},
      {"softmax_64", 1, [](const Tensor& x, const Tensor&) { return Softmax(x); }, {64}},
      {"softmax", 1, [](const Tensor& x, const Tensor&) { return Softmax(x); }, {128, 1000}},
      {"layer_norm", 1, [](const Tensor& x, const Tensor&) { return LayerNormalize(x); }, {4096, 768}},
      {"gelu_tanh", 1, [](const Tensor& x, const Tensor&) { return GeluTanh(x); }, {4096, 768}},
      {"attention",
       1,
       [](const Tensor& x, const Tensor& y) { return Attention(x, y, y, {.causal = true}); },
       {4, 8, 256, 64}},
  };
  for (const Program& p : programs) {
    if (argc == 1 || std::find(argv + 1, argv + argc, p.name) != argv + argc) Measure(p);
  }
}
