// gradients_function and its family: rows TF.

#include "frontend/record/event_stream.h"
#include "frontend/values/tensor_data.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::ElementsAre;
using Tensors = std::vector<Tensor>;

std::vector<float> All(const GradientList& gradients) {
  std::vector<float> out;
  for (size_t i = 0; i < gradients.size(); ++i) out.push_back(gradients.Dense(i).item<float>());
  return out;
}

Variable V(float value, const char* name = "v", bool trainable = true) {
  return Variable(value, {.name = name, .trainable = trainable});
}

const auto kProduct = [](const Tensor& a, const Tensor& b) { return a * b; };
const auto kSquare = [](const Tensor& x) { return x * x; };

TEST(GradientsFunction, TF01_07_AllArguments) {
  EXPECT_THAT(All(GradientsFunction(kProduct)(3.f, 5.f)), ElementsAre(5, 3));
  EXPECT_THAT(All(GradientsFunction([](const Tensor& x) { return 2 * x; })(1.f)), ElementsAre(2));
}

TEST(GradientsFunction, TF02_03_SomeArgumentsInTheirOrder) {
  EXPECT_THAT(All(GradientsFunction(kProduct, {1, 0})(3.f, 5.f)), ElementsAre(3, 5));
  const auto [value, gradients] = ValueAndGradientsFunction(kProduct, {1})(3.f, 5.f);
  EXPECT_EQ(value.item<float>(), 15);
  EXPECT_THAT(All(gradients), ElementsAre(3));
}

TEST(GradientsFunction, TF05_UnknownPosition) {
  const int64_t before = internal::LiveTensors();
  ExpectError(ErrorCode::kInvalidArgument, "position 2, the function got 2 arguments",
              [] { GradientsFunction(kProduct, {2})(1.f, 2.f); });
  EXPECT_TRUE(internal::State().sinks.empty());
  EXPECT_EQ(internal::LiveTensors(), before);
}

TEST(GradientsFunction, TF08_BoundArguments) {
  const auto bound = [](const Tensor& x) { return kProduct(x, 2.f); };
  EXPECT_THAT(All(GradientsFunction(bound)(1.f)), ElementsAre(2));
}

TEST(GradientsFunction, TF11_NumbersAndVariables) {
  const Variable v = V(4);
  EXPECT_THAT(All(GradientsFunction(kProduct)(v, 2.f)), ElementsAre(2, 4));
}

// TensorFlow: an int32 tensor, and silently None.
TEST(GradientsFunction, TF12_IntegerNumbersArePromoted) {
  EXPECT_THAT(All(GradientsFunction(kSquare)(3)), ElementsAre(6));
  EXPECT_FALSE(GradientsFunction(kSquare)(Tensor(3))[0].gradient);  // GT73
}

TEST(GradientsFunction, TF13_TheSameTensorTwice) {
  const Tensor one = 1.f;
  EXPECT_THAT(All(GradientsFunction(kProduct)(one, one)), ElementsAre(1, 1));
  const Function traced = Trace(
      [&](const Tensor& x) {
        const GradientList g = GradientsFunction(kProduct)(x, x);
        return Tensors{g.Dense(0), g.Dense(1)};
      },
      {Spec(one)});
  const Results r = Compile(traced)("main", one);
  EXPECT_EQ(r[0].item<float>(), 1);
  EXPECT_EQ(r[1].item<float>(), 1);
}

TEST(GradientsFunction, TF14_15_Seeds) {
  const auto identity = [](const Tensor& x) { return x; };
  EXPECT_THAT(All(GradientsFunction(identity).WithSeeds({Tensor(2.f)}, 1.f)), ElementsAre(2));
  const auto two = [](const Tensor& x) { return std::pair(x * 2, x * 3); };
  EXPECT_THAT(All(ValueAndGradientsFunction(two).WithSeeds({Tensor(10.f), std::nullopt}, 1.f).gradients),
              ElementsAre(23));
  ExpectError(ErrorCode::kInvalidArgument, "1 output_gradients for 2 targets",
              [&] { GradientsFunction(two).WithSeeds({Tensor(1.f)}, 1.f); });
}

TEST(GradientsFunction, TF17_SeveralResultsAreSummed) {
  const Tensor x({0.f, 1.f, 2.f});
  const auto f = [](const Tensor& t) { return std::tuple(t + 2, t * t); };
  EXPECT_THAT(Values(GradientsFunction(f)(x).Dense(0)), ElementsAre(1, 3, 5));
  const auto list = [](const Tensor& t) { return Tensors{t, 2 * t}; };
  EXPECT_THAT(All(GradientsFunction(list)(1.f)), ElementsAre(3));
}

TEST(GradientsFunction, TF18_ReturnsNothing) {
  const auto null = [](const Tensor&) { return Tensor(); };
  const std::string text =
      "Cannot differentiate a function that returns None; did you forget to "
      "return a value from fn?";
  ExpectError(ErrorCode::kInvalidArgument, text, [&] { GradientsFunction{null}(1.f); });
  const Variable v = V(1);
  const auto reads = [&](const Tensor& x) { return x * v, Tensor(); };
  ExpectError(ErrorCode::kInvalidArgument, text, [&] { ImplicitGradients(reads)(Tensor(1.f)); });
  EXPECT_TRUE(internal::State().sinks.empty());
}

TEST(GradientsFunction, TF19_ValueAsReturned) {
  const auto f = [](const Tensor& x) { return std::pair(x * 2, x); };
  const auto result = ValueAndGradientsFunction(f)(3.f);
  EXPECT_EQ(result.value.first.item<float>(), 6);
  EXPECT_THAT(All(result.gradients), ElementsAre(3));
}

TEST(GradientsFunction, TF20_OfAGradientsFunction) {
  EXPECT_THAT(All(GradientsFunction(GradientsFunction(kSquare))(3.f)), ElementsAre(2));
  EXPECT_THAT(All(GradientsFunction(GradientsFunction([](const Tensor& x) { return Exp(x); }))(0.f)), ElementsAre(1));
}

TEST(GradientsFunction, TF21_InsideATrace) {
  const Tensor x = 1.f;
  const Function f = Trace([](const Tensor& t) { return GradientsFunction(kSquare)(t).Dense(0); }, {Spec(x)});
  EXPECT_EQ(Tensor(Compile(f)("main", x)).item<float>(), 2);
}

TEST(GradientsFunction, TF22_OtherArgumentsAreUntouched) {
  const auto f = [](const Tensor& x, const std::vector<int64_t>& shape) { return Reshape(x, shape) * 3; };
  const Tensor x = Ones({4});
  const auto [value, g] = ValueAndGradientsFunction(f, {0})(x, std::vector<int64_t>{2, 2});
  EXPECT_EQ(value.shape(), Shape({2, 2}));
  EXPECT_THAT(Values(g.Dense(0)), ElementsAre(3, 3, 3, 3));
  EXPECT_EQ(GradientsFunction(f)(x, std::vector<int64_t>{2, 2}).size(), 1u);
  ExpectError(ErrorCode::kInvalidArgument, "position 1, whose argument is not a tensor",
              [&] { GradientsFunction(f, {1})(x, std::vector<int64_t>{4}); });
}

TEST(ImplicitGradients, TF26_27_VariablesInTheOrderOfCreation) {
  const Variable a = V(2, "a"), b = V(3, "b");
  const GradientList g = ImplicitGradients([&] { return b * b * a; })();
  ASSERT_EQ(g.size(), 2u);
  EXPECT_EQ(g[0].source.id(), a.id());
  EXPECT_EQ(g[1].source.id(), b.id());
  EXPECT_THAT(All(g), ElementsAre(9, 12));
}

TEST(ImplicitGradients, TF28_NonTrainableOnesAreLeftOut) {
  const Variable a = V(2, "a"), frozen = V(3, "frozen", false);
  const GradientList g = ImplicitGradients([&] { return a * frozen; })();
  ASSERT_EQ(g.size(), 1u);
  EXPECT_EQ(g[0].source.id(), a.id());
}

TEST(ImplicitGradients, TF29_ReadButWithoutEffect) {
  const Variable v = V(2);
  const GradientList g = ImplicitGradients([&] {
    const Tensor read = v * 2.f;
    return Tensor(1.f);
  })();
  ASSERT_EQ(g.size(), 1u);
  EXPECT_FALSE(g[0].gradient);
}

TEST(ImplicitGradients, TF30_31_NothingTrainableRead) {
  const Variable v = V(2);
  const Tensor before = v + 1.f;
  ExpectError(ErrorCode::kInvalidArgument,
              "No trainable variables were accessed while the function was being computed.",
              [&] { ImplicitGradients([&] { return before * 2; })(); });
}

TEST(ImplicitGradients, TF32_33_ValueAndArguments) {
  const Variable w = V(7);
  const auto f = [&](const Tensor& x, const std::string& name) {
    EXPECT_EQ(name, "loss");
    return x * w;
  };
  const auto [value, g] = ImplicitValueAndGradients(f)(Tensor({1.f, 2.f}), std::string("loss"));
  EXPECT_THAT(Values(value), ElementsAre(7, 14));
  EXPECT_THAT(All(g), ElementsAre(3));
}

TEST(ImplicitGradients, TF34_35_SparseAndApplied) {
  const Variable table(Ones({3, 2}));
  const auto loss = [&](const Tensor& at) { return ReduceSum(Gather(table, at)); };
  const GradientList g = ImplicitGradients(loss)(Tensor({1}));
  EXPECT_TRUE(g[0].gradient->sparse());
  Sgd({.learning_rate = 0.5}).Apply(g);
  EXPECT_THAT(Values(table.value()), ElementsAre(1, 1, 0.5, 0.5, 1, 1));
}

// The linear model of TensorFlow's notebook: 3 x + 2 with noise.
TEST(ImplicitGradients, LinearModelConverges) {
  const Generator generator(3);
  const Tensor x = RandomNormal({200, 1}, {.generator = generator});
  const Tensor y = 3 * x + 2 + 0.1f * RandomNormal({200, 1}, {.generator = generator});
  const Dense model(1);
  const auto loss = [&](const Tensor& in, const Tensor& want) { return ReduceMean(Square(model(in) - want)); };
  const Sgd optimizer({.learning_rate = 0.1});
  float last = 1e9f;
  for (int i = 0; i < 40; ++i) {
    const auto [value, gradients] = ImplicitValueAndGradients(loss)(x, y);
    EXPECT_LT(value.item<float>(), last);
    last = value.item<float>();
    optimizer.Apply(gradients);
  }
  EXPECT_NEAR(model.variables()[0].value().item<float>(), 3, 0.05);
  EXPECT_NEAR(model.variables()[1].value().item<float>(), 2, 0.05);
}

}  // namespace
}  // namespace reel
