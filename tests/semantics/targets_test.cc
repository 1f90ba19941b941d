// Targets, sources, seeds and unconnected gradients of GradientTape: rows GT60 to GT99.

#include <stdexcept>

#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::ElementsAre;

constexpr GradientOptions kZero{.unconnected_gradients = UnconnectedGradients::kZero};

Variable V(const Tensor& value) { return Variable(value); }

std::vector<float> All(const GradientList& gradients) {
  std::vector<float> out;
  for (const GradientEntry& entry : gradients) out.push_back(ValueOf(entry.gradient));
  return out;
}

class TapeTest : public testing::Test {
 protected:
  TapeTest() { tape_.Watch({x_, y_}); }
  const Tensor x_ = 3.f, y_ = 5.f;
  GradientTape tape_{{.persistent = true}};
};

TEST_F(TapeTest, GT60_TargetsAreSummed) {
  EXPECT_THAT(All(tape_.Gradient({2 * x_, 3 * y_}, {x_, y_})), ElementsAre(2, 3));
}

TEST(Targets, GT61_NonScalar) {
  const Tensor x({1.f, 2.f, 3.f});
  GradientTape tape;
  tape.Watch(x);
  EXPECT_THAT(Values(*tape.Gradient(x * x, x)), ElementsAre(2, 4, 6));
}

TEST_F(TapeTest, GT62_TargetIsSource) {
  const Tensor x = 2.f;
  tape_.Watch(x);
  EXPECT_EQ(ValueOf(tape_.Gradient({x, x * x}, x)), 5);
}

TEST_F(TapeTest, GT63_DuplicateTarget) {
  const Tensor y = x_;
  EXPECT_EQ(ValueOf(tape_.Gradient({y, y}, x_)), 2);
}

TEST_F(TapeTest, GT64_Mixed) {
  const Tensor z = y_ * y_;
  EXPECT_THAT(All(tape_.Gradient({x_, y_, z}, {x_, y_})), ElementsAre(1, 11));
}

TEST_F(TapeTest, GT65_NoOpsRecorded) {
  const Tensor a = Ones({2, 2});
  tape_.Watch(a);
  EXPECT_THAT(Values(*tape_.Gradient(a, a)), ElementsAre(1, 1, 1, 1));
  EXPECT_THAT(Values(*tape_.Gradient({a, a}, a)), ElementsAre(2, 2, 2, 2));
}

TEST_F(TapeTest, GT66_67_TargetIsAVariable) {
  const Variable v = V(1.f), w = V(2.f);
  EXPECT_FALSE(tape_.Gradient(v, w));
  EXPECT_EQ(ValueOf(tape_.Gradient(v, v)), 1);
}

TEST_F(TapeTest, GT68_TargetIsNothing) {
  ExpectError(ErrorCode::kInvalidArgument, "gradient: target 0 is a null tensor",
              [&] { tape_.Gradient(Tensor(), x_); });
}

TEST_F(TapeTest, GT69_TargetOffTheTape) {
  const Tensor c = 7.f;
  const GradientList g = tape_.Gradient(c, {x_, y_});
  EXPECT_FALSE(g[0].gradient);
  EXPECT_FALSE(g[1].gradient);
}

TEST_F(TapeTest, GT73_74_Integers) {
  const Tensor i = 3;
  EXPECT_FALSE(tape_.Gradient(i + i, i));
  const Tensor zero = *tape_.Gradient(i + i, i, kZero);
  EXPECT_EQ(zero.dtype(), kInt32);
  EXPECT_EQ(zero.item<int>(), 0);
}

TEST_F(TapeTest, GT75_IntegerPath) {
  const Tensor x({1.f, 3.f});
  tape_.Watch(x);
  EXPECT_FALSE(tape_.Gradient(Cast(ArgMax(x), kFloat32), x));
  EXPECT_FALSE(tape_.Gradient(StopGradient(x), x));
}

TEST_F(TapeTest, GT76_77_AListForAListOneForOne) {
  const GradientList list = tape_.Gradient(x_ + 2 * y_, {y_, x_});
  EXPECT_THAT(All(list), ElementsAre(2, 1));
  const std::optional<Tensor> one = tape_.Gradient(x_ + 2 * y_, y_);
  EXPECT_EQ(ValueOf(one), 2);
}

TEST_F(TapeTest, GT79_RepeatedSource) { EXPECT_THAT(All(tape_.Gradient(2 * x_, {x_, x_})), ElementsAre(2, 2)); }

TEST_F(TapeTest, GT80_IntermediateSource) {
  const Tensor y = x_ * x_, z = y * y;
  EXPECT_THAT(All(tape_.Gradient(z, {x_, y})), ElementsAre(108, 18));
}

TEST_F(TapeTest, GT81_SeedOfAUsedTarget) {
  const Tensor x = 3.f, y = 2.f;
  tape_.Watch(x);
  const Tensor loss = x * y;
  EXPECT_EQ(ValueOf(tape_.Gradient({loss, x}, x, {.output_gradients = {Tensor(1.f), Tensor(2.f)}})), 4);
}

TEST_F(TapeTest, GT82_EmptySeedIsOnes) {
  EXPECT_EQ(ValueOf(tape_.Gradient({x_ * x_, 2 * x_}, x_, {.output_gradients = {std::nullopt, Tensor(10.f)}})), 26);
}

TEST_F(TapeTest, GT84_WrongNumberOfSeeds) {
  for (const auto& seeds :
       {std::vector<std::optional<Tensor>>{Tensor(1.f)}, std::vector<std::optional<Tensor>>(3, Tensor(1.f))}) {
    ExpectError(ErrorCode::kInvalidArgument, "output_gradients for 2 targets",
                [&] { tape_.Gradient({x_, y_}, x_, {.output_gradients = seeds}); });
  }
  ExpectError(ErrorCode::kInvalidArgument, "must have the same type",
              [&] { tape_.Gradient(x_, x_, {.output_gradients = {Tensor({1.f, 2.f})}}); });
}

TEST_F(TapeTest, GT85_86_Unconnected) {
  const Tensor a = Ones({2, 2});
  tape_.Watch(a);
  EXPECT_FALSE(tape_.Gradient(x_ * x_, a));
  const Tensor zero = *tape_.Gradient(x_ * x_, a, kZero);
  EXPECT_EQ(zero.type(), a.type());
  EXPECT_THAT(Values(zero), ElementsAre(0, 0, 0, 0));
  const Variable v = V(Ones({2}));
  EXPECT_THAT(Values(*tape_.Gradient(x_, v, kZero)), ElementsAre(0, 0));
}

TEST_F(TapeTest, GT87_UnknownValueForUnconnected) {
  const auto bad = static_cast<UnconnectedGradients>(7);
  ExpectError(ErrorCode::kInvalidArgument, "Unknown value for unconnected_gradients: 7",
              [&] { tape_.Gradient(x_, x_, {.unconnected_gradients = bad}); });
}

// A function with a gradient that counts its calls.
class Counted : public TapeTest {
 protected:
  Tensor Count(const Tensor& x) {
    return CustomGradient([this](const Tensor& t) {
      return std::pair(t * 2, [this](const Tensor& dy) {
        ++calls_;
        return 2 * dy;
      });
    })(x);
  }
  int calls_ = 0;
};

TEST_F(Counted, GT91_OnlyPathsToSourcesAreDifferentiated) {
  EXPECT_EQ(ValueOf(tape_.Gradient(Count(y_) * x_, x_)), 10);
  EXPECT_EQ(calls_, 0);
}

TEST_F(Counted, GT92_OpsWithoutCotangentAreNotCalled) {
  const Tensor unused = Count(x_);
  EXPECT_EQ(ValueOf(tape_.Gradient(x_ * y_, x_)), 5);
  EXPECT_EQ(calls_, 0);
}

TEST_F(Counted, GT94_BehindStopGradientNothingRuns) {
  EXPECT_FALSE(tape_.Gradient(Count(StopGradient(x_)), x_));
  EXPECT_FALSE(tape_.Gradient(StopGradient(Count(x_)), x_));
  EXPECT_EQ(calls_, 0);
}

TEST_F(TapeTest, GT93_MissingCotangentsAreZeros) {
  const auto f = CustomGradient([](const std::vector<Tensor>& x) {
    return std::pair(std::vector<Tensor>{x[0] * 2, x[0] * 3}, [](const std::vector<Tensor>& dys) {
      EXPECT_EQ(dys[1].item<float>(), 0);
      return 2 * dys[0] + 3 * dys[1];
    });
  });
  EXPECT_EQ(ValueOf(tape_.Gradient(f(std::vector<Tensor>{x_})[0], x_)), 2);
}

TEST_F(TapeTest, GT95_96_ErrorsOfAGradientFunction) {
  const auto few =
      CustomGradient([](const Tensor& t) { return std::pair(t, [](const Tensor&) { return std::vector<Tensor>(); }); });
  ExpectError(ErrorCode::kInvalidArgument, "custom_gradient: the gradient function returns 0 gradients",
              [&] { tape_.Gradient(few(x_), x_); });
  const auto raises = CustomGradient(
      [](const Tensor& t) { return std::pair(t, [](const Tensor&) -> Tensor { throw std::out_of_range("user"); }); });
  EXPECT_THROW(tape_.Gradient(raises(x_), x_), std::out_of_range);
  EXPECT_EQ(ValueOf(tape_.Gradient(x_ * x_, x_)), 6);
}

TEST_F(TapeTest, GT98_RR03_NoDerivativeIsKnown) {
  const Tensor a = 1.5f, x = 2.f;
  tape_.Watch(a);
  tape_.Watch(x);
  ExpectError(ErrorCode::kUnimplemented, "use stop_gradient", [&] { tape_.Gradient(Igamma(a, x), a); });
  EXPECT_TRUE(tape_.Gradient(Igamma(StopGradient(a), x), x));
}

TEST_F(TapeTest, GT88_94_StopGradient) {
  EXPECT_EQ(ValueOf(tape_.Gradient(StopGradient(x_) * 2, x_, kZero)), 0);
  EXPECT_EQ(ValueOf(tape_.Gradient(StopGradient(x_) * x_, x_)), 3);
}

TEST_F(TapeTest, GT89_AccessedButUnused) {
  const Variable v = V(1.f);
  const Tensor y = v * v;
  EXPECT_FALSE(tape_.Gradient(Tensor(3.f), v));
}

TEST_F(TapeTest, GT90_SoftmaxCrossEntropy) {
  const Tensor logits = Zeros({1, 2}), labels({0});
  tape_.Watch(logits);
  EXPECT_THAT(Values(*tape_.Gradient(SoftmaxCrossEntropy(logits, labels), logits)), ElementsAre(-0.5, 0.5));
}

TEST_F(TapeTest, GT99_RR04_NotDifferentiableOps) {
  EXPECT_FALSE(tape_.Gradient(Floor(x_), x_));
  EXPECT_FALSE(tape_.Gradient(Ceil(x_), x_));
  EXPECT_FALSE(tape_.Gradient(Cast(x_ > y_, kFloat32), x_));
  EXPECT_FALSE(tape_.Gradient(Round(x_), x_));
  EXPECT_FALSE(tape_.Gradient(Trunc(x_), x_));
  EXPECT_FALSE(tape_.Gradient(ZerosLike(x_), x_));
  EXPECT_FALSE(tape_.Gradient(OnesLike(x_), x_));
  EXPECT_EQ(ValueOf(tape_.Gradient(Sign(x_), x_)), 0);
}

TEST(Gradients, DenseOfNoneThrows) {
  const Tensor x = 1.f;
  GradientTape tape;
  const GradientList g = tape.Gradient(x, {Tensor(2.f)});
  ExpectError(ErrorCode::kNotFound, "has no gradient", [&] { g.Dense(0); });
}

TEST(Gradients, ReluAtZeroIsZero) {
  const Tensor x({-1.f, 0.f, 2.f});
  GradientTape tape;
  tape.Watch(x);
  EXPECT_THAT(Values(*tape.Gradient(Relu(x), x)), ElementsAre(0, 0, 1));
}

TEST(Gradients, BroadcastingSumsBack) {
  const Tensor x = Ones({2, 3}), b = Ones({3});
  GradientTape tape;
  tape.Watch({x, b});
  const GradientList g = tape.Gradient(x * b, {x, b});
  EXPECT_EQ(g.Dense(0).shape(), Shape({2, 3}));
  EXPECT_THAT(Values(g.Dense(1)), ElementsAre(2, 2, 2));
}

TEST(Gradients, AssignedVariableGivesTheReadsGradient) {
  const Variable v = V(2.f);
  GradientTape tape;
  v.Assign(5.f);
  EXPECT_EQ(ValueOf(tape.Gradient(v * v, v)), 10);
}

}  // namespace
}  // namespace reel
