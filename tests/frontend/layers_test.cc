// Layers' names and modes; initialisers.

#include <sstream>

#include "tests/frontend/composition.h"

namespace reel {
namespace {

using testing::ElementsAre;

std::vector<std::string> Names(const std::vector<Variable>& variables) {
  std::vector<std::string> out;
  for (const Variable& v : variables) out.push_back(v.name());
  return out;
}

TEST(LayerNames, OfNestedModels) {
  const Sequential inner{Dense(2, 2, {}, {.use_bias = false}), LayerNorm()};
  const Sequential middle{inner, Residual(Dense(2, 2, {}, {.name = "mine", .use_bias = false}))};
  const Sequential model{middle, middle, Dense(2, 1, {}, {.use_bias = false})};
  model(Zeros({3, 2}));
  const std::vector<std::string> once = {"sequential/sequential/dense/kernel", "sequential/sequential/layer_norm/scale",
                                         "sequential/sequential/layer_norm/offset", "sequential/residual/mine/kernel"};
  std::vector<std::string> want = once;  // used twice: the same variables, named once
  want.push_back("dense/kernel");
  EXPECT_EQ(Names(model.variables()), want);
}

TEST(LayerNames, DoNotDependOnWhatWasBuiltBefore) {
  const auto names = [] {
    const Sequential model{Dense(3, Relu), BatchNorm(), Dense(2)};
    model(Zeros({4, 3}));
    return Names(model.variables());
  };
  EXPECT_EQ(names(), names());
  EXPECT_THAT(names(),
              ElementsAre("dense/kernel", "dense/bias", "batch_norm/scale", "batch_norm/offset",
                          "batch_norm/running_mean", "batch_norm/running_variance", "dense_1/kernel", "dense_1/bias"));
}

TEST(LayerText, IsATree) {
  const Sequential model{Dense(8, Tanh),
                         Residual(Dense(8, Softmax), Dropout(0.1)),
                         Relu,
                         [](const Operand& x) { return x.tensor(); },
                         Flatten(),
                         Embedding(10, 4),
                         Convolution2D(4, {3}, Relu),
                         MultiHeadAttention(8, 2),
                         GroupNorm(2)};
  EXPECT_EQ(model.str(),
            "Sequential\n"
            "  dense: Dense(8, Tanh)\n"
            "  residual: Residual\n"
            "    dense: Dense(8, Softmax)\n"
            "    Dropout(0.1)\n"
            "  Relu\n"
            "  function\n"
            "  Flatten()\n"
            "  embedding: Embedding(10, 4)\n"
            "  conv2d: Convolution2D(4, {3, 3}, Relu)\n"
            "  multi_head_attention: MultiHeadAttention(8, 2)\n"
            "    query: Dense(8)\n"
            "    key: Dense(8)\n"
            "    value: Dense(8)\n"
            "    output: Dense(8)\n"
            "  group_norm: GroupNorm(2)");
  std::ostringstream out;
  out << model;
  EXPECT_EQ(out.str(), model.str());
}

TEST(Summary, OfASequential) {
  const Dense shared(4, {}, {.name = "shared"});
  const Sequential model{Dense(4, Relu), BatchNorm(), shared, shared};
  EXPECT_EQ(Summary(model),
            "layer                    output  parameters  trainable  bytes\n"
            "Sequential\n"
            "  dense: Dense(4, Relu)                   ?          ?      ?\n"
            "  batch_norm: BatchNorm                   ?          ?      ?\n"
            "  shared: Dense(4)                        ?          ?      ?\n"
            "  shared: Dense(4)                        ?          ?      ?\n"
            "total                                     0          0      0\n"
            "?: made by the first call; not in the total\n");
  EXPECT_EQ(Summary(model, Spec(kFloat32, {Dim("B", 1, 64), 300})),
            "layer                    output    parameters  trainable  bytes\n"
            "Sequential               f32[B,4]\n"
            "  dense: Dense(4, Relu)  f32[B,4]       1,204      1,204  4,816\n"
            "  batch_norm: BatchNorm  f32[B,4]          16          8     64\n"
            "  shared: Dense(4)       f32[B,4]          20         20     80\n"
            "  shared: Dense(4)       f32[B,4]           0          0      0\n"
            "total                                   1,240      1,232  4,960\n");
  model(Zeros({2, 300}));
  EXPECT_THAT(Summary(model), testing::HasSubstr("dense: Dense(4, Relu)  f32[2,4]       1,204"));
}

TEST(Summary, OfSeveralLayers) {
  const Dense encoder(3, 2), decoder(2, 3);
  EXPECT_THAT(Summary({{"encoder", encoder}, {"decoder", decoder}}),
              testing::ContainsRegex("encoder: Dense\\(2\\) +8 +8 +32\ndecoder: Dense\\(3\\) +9 +9 +36\ntotal +17"));
}

TEST(Layers, OptionsOfVariables) {
  const Dense dense(2, {},
                    {.name = "d", .dtype = kFloat64, .kernel_init = IdentityInit(2), .bias_init = ConstantInit(1)});
  EXPECT_THAT(Values(dense(Tensor({{1.0, 3.0}}))), ElementsAre(3, 7));
  EXPECT_EQ(dense.name(), "d");
  EXPECT_THAT(Names(dense.trainable_variables()), ElementsAre("d/kernel", "d/bias"));
  // Activations with a parameter go by their names.
  const Tensor minus({{-1.f}});
  const LayerOptions ones{.kernel_init = OnesInit()};
  EXPECT_EQ(Values(Dense(1, 1, Elu, ones)(minus)), Values(Elu(minus, 1)));
  EXPECT_EQ(Values(Dense(1, 1, LeakyRelu, ones)(minus)), Values(LeakyRelu(minus, 0.2)));
  EXPECT_EQ(Values(Dense(1, 1, Softmax, ones)(minus)), Values(Softmax(minus)));
  EXPECT_EQ(Flatten()(Zeros({2, 3, 4})).shape(), Shape({2, 12}));
  EXPECT_EQ(Flatten()(Zeros({0, 3})).shape(), Shape({0, 3}));
}

TEST(Layers, TrainingScopesNest) {
  EXPECT_FALSE(Training());
  {
    const TrainingScope outer;
    EXPECT_TRUE(Training());
    {
      const TrainingScope inner(false);
      EXPECT_FALSE(Training());
    }
    EXPECT_TRUE(Training());
  }
  EXPECT_FALSE(Training());
}

TEST(DropoutLayer, KeepsTheMeanInTraining) {
  const Generator g(3);
  const Dropout dropout(0.25, g);
  const Tensor x = Ones({4000}, kFloat64);
  EXPECT_EQ(Values(dropout(x)), Values(x));
  const TrainingScope training;
  const Tensor y = dropout(x);
  EXPECT_NEAR(ReduceMean(y).item<double>(), 1, 0.04);
  EXPECT_THAT(Values(y), testing::Each(testing::AnyOf(0, 1 / 0.75)));
  EXPECT_NE(Values(dropout(x)), Values(y));
}

TEST(DropoutLayer, CompiledStepsContinueTheSequence) {
  const Generator g(3);
  const Dropout dropout(0.5, g);
  const auto train = [&](const Tensor& x) {
    const TrainingScope training;
    return dropout(x);
  };
  const Tensor x = Ones({64});
  const Executable run = Compile(Trace(train, {Spec(x)}));
  for (int i = 0; i < 3; ++i) EXPECT_EQ(Values(run("main", x)), Values(train(x)));
  ExpectError(ErrorCode::kInvalidArgument, "dropout: rate 1 is not in [0, 1)", [] { Dropout(1); });
}

TEST(Layers, OneThatStandsTwiceHasItsVariablesOnce) {
  const Dense d(2, 2);
  const Sequential twice{d, Relu, d}, outer{twice, twice};
  EXPECT_EQ(twice.variables().size(), 2u);
  EXPECT_EQ(outer.variables().size(), 2u);
  EXPECT_EQ(d.variables()[0].name(), "sequential/dense/kernel");
  Sgd({.learning_rate = 1}).Apply(GradientList({{d.variables()[1], Ones({2})}}));
  GradientTape tape;
  const Tensor loss = ReduceSum(twice(Zeros({1, 2})));
  Sgd({.learning_rate = 1}).Apply(tape.Gradient(loss, twice.variables()));
  EXPECT_EQ(Values(d.variables()[1].value())[0], -2);  // Relu cuts the first use off
}

TEST(Layers, AnInitializerThatThrowsLeavesNothingBehind) {
  int calls = 0;
  const Initializer bias = [&](const Shape& shape, DType dtype, const auto&) {
    if (calls++ == 0) throw Error(ErrorCode::kInternal, "no bias today");
    return Ones(shape, dtype);
  };
  const auto check = [&](const auto& layer, const Tensor& x, size_t variables) {
    calls = 0;
    EXPECT_THROW(layer(x), Error);
    EXPECT_TRUE(layer.variables().empty());
    layer(x);
    EXPECT_EQ(layer.variables().size(), variables);
  };
  const LayerOptions options{.bias_init = bias};
  check(Dense(3, {}, options), Zeros({1, 2}), 2);
  check(Convolution1D(3, {1}, {}, {}, options), Zeros({1, 2, 2}), 2);
  check(LayerNorm(1e-5, options), Zeros({1, 2}), 2);
  check(BatchNorm({}, options), Zeros({1, 2}), 4);
  check(Lstm(3, {}, options), Zeros({1, 2, 2}), 3);
  check(Gru(3, {}, options), Zeros({1, 2, 2}), 4);
}

TEST(Layers, OfHalves) {
  for (const DType dtype : {kFloat16, kBFloat16}) {
    const LayerOptions options{.dtype = dtype};
    const Sequential model{Embedding(5, 4, options), Dense(4, Gelu, options), LayerNorm(1e-5, options),
                           Lstm(3, {}, options)};
    const Tensor y = model(Tensor({{1, 2}, {3, 4}}));
    EXPECT_EQ(y.dtype(), dtype);
    for (const Variable& v : model.variables()) EXPECT_EQ(v.dtype(), dtype) << v.name();
    for (const Initializer& draw : {NormalInit(), TruncatedNormalInit(), HeNormal(), OrthogonalInit()}) {
      EXPECT_EQ(draw({4, 3}, dtype).dtype(), dtype);
    }
  }
}

TEST(Layers, Mistakes) {
  ExpectError(ErrorCode::kInvalidArgument, "dense: 0 units; there must be at least 1", [] { Dense(0); });
  ExpectError(ErrorCode::kInvalidArgument, "dense: variables must be floats, got i32",
              [] { Dense(1, {}, {.dtype = kInt32}); });
  ExpectError(ErrorCode::kInvalidArgument, "residual: the layers make f32[1,3] of f32[1,2]",
              [] { Residual{Dense(3)}(Zeros({1, 2})); });
  ExpectError(ErrorCode::kInvalidArgument, "identity: the shape [2] is not that of a matrix",
              [] { IdentityInit()({2}); });
  ExpectError(ErrorCode::kInvalidArgument, "orthogonal: the shape [2] is not that of a matrix",
              [] { OrthogonalInit()({2}); });
  ExpectError(ErrorCode::kInvalidArgument, "initializer: it gave f32[1] for f32[2]",
              [] { Initializer([](const Shape&, DType, const Generator&) { return Zeros({1}); })({2}); });
}

struct InitializerCase {
  const char* name;
  Initializer initializer;
  double mean, variance, largest;  // largest: of |x - mean|
};

TEST(Initializers, HaveTheirMoments) {
  const double none = 1e9;
  const Shape shape = {3, 3, 20, 40};  // fans 180 and 360
  const InitializerCase cases[] = {
      {"constant", ConstantInit(0.25), 0.25, 0, 0},
      {"ones", OnesInit(), 1, 0, 0},
      {"uniform", UniformInit(-1, 3), 1, 16.0 / 12, 2},
      {"normal", NormalInit(2, 0.5), 2, 0.25, none},
      {"glorot_uniform", GlorotUniform(), 0, 2.0 / 540, std::sqrt(6.0 / 540)},
      {"glorot_normal", GlorotNormal(), 0, 2.0 / 540, none},
      {"he_uniform", HeUniform(), 0, 2.0 / 180, std::sqrt(6.0 / 180)},
      {"he_normal", HeNormal(), 0, 2.0 / 180, none},
      {"lecun_uniform", LecunUniform(), 0, 1.0 / 180, std::sqrt(3.0 / 180)},
      {"lecun_normal", LecunNormal(), 0, 1.0 / 180, none},
      {"truncated_normal", TruncatedNormalInit(1, 0.5), 1, 0.25 * 0.7737413, 1},
      {"truncated fan", VarianceScaling({.distribution = FanDistribution::kTruncatedNormal}), 0, 1.0 / 180, 0.17},
      {"fan out", VarianceScaling({.scale = 4, .mode = FanMode::kOut}), 0, 4.0 / 360, none},
  };
  for (const InitializerCase& c : cases) {
    const Generator g(5);
    const Tensor x = c.initializer(shape, kFloat64, g);
    const auto [mean, variance] = Moments(x);
    const double spread = std::sqrt(c.variance / static_cast<double>(x.size()));
    EXPECT_NEAR(mean.item<double>(), c.mean, 4 * spread) << c.name;
    EXPECT_NEAR(variance.item<double>(), c.variance, 0.05 * c.variance) << c.name;
    EXPECT_LE(ReduceMax(Abs(x - c.mean)).item<double>(), c.largest) << c.name;
  }
  EXPECT_THAT(Values(IdentityInit(3)({2, 3})), ElementsAre(3, 0, 0, 0, 3, 0));
}

TEST(Initializers, OrthogonalRowsOrColumns) {
  for (const Shape& shape : {Shape({5, 3}), Shape({3, 5}), Shape({2, 2, 3})}) {
    const Tensor x = OrthogonalInit(2)(shape, kFloat64);
    const Tensor m = Reshape(x, {-1, shape.dim(shape.rank() - 1)});
    const bool tall = m.shape().dim(0) >= m.shape().dim(1);
    const Tensor product = tall ? MatMul(Transpose(m), m) : MatMul(m, Transpose(m));
    ExpectNear(product, Values(4 * Eye(3, -1, 0, kFloat64)), 1e-12, "product");
  }
}

}  // namespace
}  // namespace reel
