// Targets, sources, seeds and unconnected gradients of GradientTape: rows GT60 to GT99.

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

TEST_F(TapeTest, GT79_RepeatedSource) {
  EXPECT_THAT(All(tape_.Gradient(2 * x_, {x_, x_})), ElementsAre(2, 2));
}

TEST_F(TapeTest, GT80_IntermediateSource) {
  const Tensor y = x_ * x_, z = y * y;
  EXPECT_THAT(All(tape_.Gradient(z, {x_, y})), ElementsAre(108, 18));
}

TEST_F(TapeTest, GT81_SeedOfAUsedTarget) {
  const Tensor x = 3.f, y = 2.f;
  tape_.Watch(x);
  const Tensor loss = x * y;
  EXPECT_EQ(ValueOf(tape_.Gradient({loss, x}, x, {.output_gradients = {Tensor(1.f), Tensor(2.f)}})),
            4);
}

TEST_F(TapeTest, GT82_EmptySeedIsOnes) {
  EXPECT_EQ(ValueOf(tape_.Gradient({x_ * x_, 2 * x_}, x_,
                                   {.output_gradients = {std::nullopt, Tensor(10.f)}})),
            26);
}

TEST_F(TapeTest, GT84_WrongNumberOfSeeds) {
  for (const auto& seeds : {std::vector<std::optional<Tensor>>{Tensor(1.f)},
                            std::vector<std::optional<Tensor>>(3, Tensor(1.f))}) {
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
  EXPECT_THAT(Values(*tape_.Gradient(SoftmaxCrossEntropy(logits, labels), logits)),
              ElementsAre(-0.5, 0.5));
}

TEST_F(TapeTest, GT99_NotDifferentiableOps) {
  EXPECT_FALSE(tape_.Gradient(Floor(x_), x_));
  EXPECT_FALSE(tape_.Gradient(Ceil(x_), x_));
  EXPECT_FALSE(tape_.Gradient(Cast(x_ > y_, kFloat32), x_));
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
