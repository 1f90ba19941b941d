// Gradients of tapes have the same bits op by op and compiled.
#include <functional>
#include <memory>

#include "tests/frontend/tape_cache_testing.h"

namespace reel {
namespace {

using Strings = std::vector<std::string>;

Strings Bits(const GradientList& list) {
  Strings out;
  for (const GradientEntry& entry : list) {
    if (!entry.gradient)
      out.push_back("none");
    else if (entry.gradient->sparse())
      out.push_back("rows " + Bits(entry.gradient->slices().indices()) + Bits(entry.gradient->slices().values()));
    else
      out.push_back(Bits(entry.gradient->Dense()));
  }
  return out;
}

Tensor Labels(int64_t rows, int64_t classes) {
  std::vector<int64_t> values(static_cast<size_t>(rows));
  for (size_t i = 0; i < values.size(); ++i) values[i] = static_cast<int64_t>(i * i) % classes;
  return Tensor::FromData(values, {rows});
}

using Step = std::function<Strings(int i)>;

struct Case {
  std::string name;
  std::function<Step()> make;  ///< a step with what all its calls share
  int hits = 3;                ///< of 6 calls
};
void PrintTo(const Case& c, std::ostream* out) { *out << c.name; }

/// A training step; its bits are those of loss, gradients and variables.
template <typename Optimizer, typename Model>
Step Training(Model model, const Tensor& x, const Tensor& labels) {
  const auto optimizer = std::make_shared<Optimizer>();
  return [=](int) {
    GradientTape tape;
    const Tensor loss = SoftmaxCrossEntropy(model(x), labels);
    const GradientList gradients = tape.Gradient(loss, model.variables());
    Strings out = Bits(gradients);
    optimizer->Apply(gradients);
    out.push_back(Bits(loss));
    for (const Variable& v : model.variables()) out.push_back(Bits(v.value()));
    return out;
  };
}

/// One source x, watched.
Step Of(const Tensor& x, const std::function<Tensor(const Tensor& x, int i)>& f) {
  return [=](int i) {
    GradientTape tape;
    tape.Watch(x);
    return Bits(tape.Gradient(f(x, i), {x}));
  };
}

Step Mlp() {
  SetSeed(1);
  return Training<Adam>(Sequential{Dense(20, 32, Relu), Dense(32, 16, Tanh), Dense(16, 10)}, Data({8, 20}, 1),
                        Labels(8, 10));
}

Step Cnn() {
  SetSeed(2);
  const Sequential net{Convolution2D(4, {3, 3}, Relu),
                       MaxPooling2D({2, 2}),
                       Convolution2D(6, {3, 3}, Gelu),
                       Flatten(),
                       LayerNorm(),
                       Dense(5)};
  const Tensor x = Data({3, 14, 14, 2}, 2);
  net(x);
  return Training<Sgd>(net, x, Labels(3, 5));
}

Step RnnLoop() {
  const Variable w(Data({12, 12}, 3)), u(Data({5, 12}, 4)), h0(Data({2, 12}, 5));
  return [=](int i) {
    GradientTape tape;
    Tensor h = h0.value();
    for (int t = 0; t < 10; ++t) h = Tanh(MatMul(h, w) + MatMul(Data({2, 5}, t + i), u));
    return Bits(tape.Gradient(ReduceSum(Square(h)), {w, u, h0}));
  };
}

Step Embeddings() {
  const Variable table(Data({30, 4}, 6)), other(Data({30, 4}, 7));
  return [=](int i) {
    GradientTape tape;
    const Tensor at = Tensor::FromData(std::vector<int64_t>{i, 3, i, 29}, {2, 2});
    const Tensor rows = Gather(table, at) * Gather(table, Tensor(int64_t{i})) + Gather(other, at);
    return Bits(tape.Gradient(ReduceSum(Square(rows)), {table, other}));
  };
}

/// Targets, seeds, unconnected sources, intermediate sources, a target that is a source, a seed that was recorded.
Step Requests() {
  const Variable v(Data({3}, 8)), far(Data({2}, 9));
  const Tensor x = Data({3}, 10);
  return [=](int i) {
    Strings out;
    for (const auto unconnected : {UnconnectedGradients::kNone, UnconnectedGradients::kZero}) {
      GradientTape tape({.persistent = true});
      tape.Watch(x);
      const Tensor a = Sin(x) * v, b = Exp(a), c = b * b;
      tape.Stop();
      const Tensor seed = Data({3}, i);
      const GradientList lists[] = {
          tape.Gradient({c, b}, {x, v, far, a}, {.unconnected_gradients = unconnected}),
          tape.Gradient({c, b}, {x, v}, {{seed, std::nullopt}, unconnected}),
          tape.Gradient(c, {c, x}, {{seed}, unconnected}),
          tape.Gradient(c, {x}, {{b}, unconnected}),
          tape.Gradient(b, {x, x, a}, {{b}, unconnected}),
      };
      for (const GradientList& list : lists) {
        for (std::string& bits : Bits(list)) out.push_back(std::move(bits));
      }
    }
    return out;
  };
}

Step OfDType(DType dtype) {
  return Of(Data({4, 6}, 11, dtype), [](const Tensor& x, int) {
    return ReduceSum(Tanh(x) * Exp(Neg(x)) / (Square(x) + 1) + Maximum(x, 0.25) - Sqrt(Abs(x) + 2));
  });
}

Step ComplexNumbers() {
  const Tensor re = Data({6}, 12), im = Data({6}, 13);
  return [=](int) {
    const Tensor z = Complex(re, im);
    GradientTape tape;
    tape.Watch(z);
    return Bits(tape.Gradient(ReduceSum(Abs(Exp(z) * z)), {z}));
  };
}

Step SecondOrder() {
  const Tensor x = Data({5}, 14);
  return [=](int) {
    GradientTape outer;
    outer.Watch(x);
    Tensor first;
    {
      GradientTape inner;
      inner.Watch(x);
      first = *inner.Gradient(ReduceSum(x * x * Sin(x)), x);
    }
    Strings out = {Bits(first)};
    out.push_back(Bits(*outer.Gradient(first, x)));
    return out;
  };
}

Step Custom() {
  const auto f =
      CustomGradient([](const Tensor& x) { return std::pair(x * x, [=](const Tensor& dy) { return dy * Cos(x); }); });
  return Of(Data({5}, 15), [=](const Tensor& x, int) { return Sin(f(x)); });
}

Tensor Chain(Tensor x, const Tensor& y, int n) {
  for (int i = 0; i < n; ++i) x = x * y + y;
  return x;
}

Tensor PositiveDefinite(const Tensor& a) { return MatMul(a, Transpose(a)) + 4 * Eye(4); }

const Case kCases[] = {
    {"mlp_adam", Mlp},
    {"cnn", Cnn},
    {"rnn_loop", RnnLoop},
    {"embedding", Embeddings},
    {"requests", Requests, 30},
    {"chain1000", [] { return Of(Data({64}, 1), [](const Tensor& x, int) { return Chain(x, x, 500); }); }},
    {"numbers_that_change",
     [] {
       return Of(Data({7}, 2),
                 [](const Tensor& x, int i) { return Exp(x * (0.1 * i)) * (i + 1) + Pow(x, i) / (i + 2); });
     }},
    {"a_shape_in_turns",
     [] {
       return [](int i) { return Of(Data({1 + i % 2, 9}, 3), [](const Tensor& x, int) { return Sin(x) * x; })(i); };
     },
     0},  // two of each in the first four calls, the third ones are compiled
    {"f16", [] { return OfDType(kFloat16); }},
    {"bf16", [] { return OfDType(kBFloat16); }},
    {"f64", [] { return OfDType(kFloat64); }},
    {"c64", ComplexNumbers},
    {"softmax", [] { return Of(Data({6, 9}, 4), [](const Tensor& x, int) { return Log(Softmax(x) + 1) * x; }); }},
    {"linalg",
     [] {
       return Of(Data({4, 4}, 5, kFloat64),
                 [](const Tensor& x, int) { return ReduceSum(Cholesky(PositiveDefinite(x))) + Det(x); });
     }},
    {"sorted", [] { return Of(Data({40}, 6), [](const Tensor& x, int) { return CumSum(Sort(x)) * x; }); }},
    {"empty", [] { return Of(Data({0, 3}, 7), [](const Tensor& x, int) { return ReduceSum(Exp(x)); }); }},
    {"second_order", SecondOrder},  // the outer gradient alone is compiled
    {"custom", Custom, 0},
    {"itself", [] { return Of(Data({3}, 8), [](const Tensor& x, int) { return x; }); }},
};

class SameBits : public TapeCacheTest, public testing::WithParamInterface<Case> {};

TEST_P(SameBits, BeforeAndAfter) {
  constexpr int kSteps = 6;
  Cache().set_enabled(false);
  std::vector<Strings> expected;
  const Step plain = GetParam().make();
  for (int i = 0; i < kSteps; ++i) expected.push_back(plain(i));
  EXPECT_EQ(hits(), 0);
  Cache().set_enabled(true);
  const Step step = GetParam().make();
  for (int i = 0; i < kSteps; ++i) {
    EXPECT_EQ(step(i), expected[static_cast<size_t>(i)]) << "step " << i;
    WaitForCompiler();
  }
  EXPECT_EQ(hits(), GetParam().hits);
  EXPECT_EQ(failed(), 0);
}

INSTANTIATE_TEST_SUITE_P(Programs, SameBits, testing::ValuesIn(kCases),
                         [](const auto& info) { return info.param.name; });

}  // namespace
}  // namespace reel
