// Rows AO, OP and SM of TensorFlow's semantics that have no test elsewhere: compiled steps, optimizers, saved files.

#include <filesystem>
#include <fstream>

#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::DoubleNear;
using testing::ElementsAre;
using testing::HasSubstr;
using testing::Pointwise;
using Tensors = std::vector<Tensor>;

TEST(Compiled, AO10_AnUpdateStep) {
  const Variable x(Tensor(2.f));
  const Executable run = Compile(Trace(
      [&](const Tensor& y) {
        for (int i = 0; i < 3; ++i) x.Assign(x - 0.1f * (x + y));
        return x + 0.f;
      },
      {Spec(kFloat32, {})}));
  EXPECT_NEAR(Tensor(run("main", 1.f)).item<float>(), 1.187, 2e-6);
  EXPECT_NEAR(Tensor(run("main", 1.f)).item<float>(), 0.594323, 2e-6);
}

TEST(Compiled, AO14_BranchesGathersSplitsSortsAndProducts) {
  const auto f = [](const Tensor& x, const Tensor& n) {
    const Tensors parts = Split(x, 2);
    const Tensor picked = Gather(x, Tensor({3, 0}));
    const Tensor branch = Cond(ReduceSum(x) > 0.f, [&] { return Concat({parts[1], parts[0]}, 0); }, [&] { return -x; });
    const Tensor square = Reshape(x, {2, 2});
    return Tensors{branch + Concat({picked, picked}, 0), Sort(x), MatMul(square, square), n + 1};
  };
  const Executable run = Compile(Trace(f, {Spec(kFloat32, {4}), Spec(kInt64, {})}));
  for (const Tensor& x : {Tensor({1.f, -2.f, 3.f, 4.f}), Tensor({-1.f, -2.f, -3.f, 4.f})}) {
    const Tensor n = Cast(Tensor(6), kInt64);
    const Results results = run("main", x, n);
    const Tensors eager = f(x, n);
    for (size_t i = 0; i < eager.size(); ++i) EXPECT_EQ(Values(results[i]), Values(eager[i])) << i;
  }
}

Module Exponential() {
  return Module::Lift({{"f", [](const Tensor& x) { return Exp(x); }, {Spec(kFloat32, {2})}}});
}

TEST(Saved, AO15_AnUnknownOpInAFile) {
  std::string text = Exponential().ToText();
  text.replace(text.find("exp"), 3, "explode");
  ExpectError(ErrorCode::kInvalidArgument, "explode", [&] { Module::FromText(text); });
}

TEST(Saved, SM04_AFileThatCannotBeWrittenChangesNothing) {
  const Module module = Exponential();
  const std::string path = testing::TempDir() + "/reel_compiled_test.reel";
  module.Save(path);
  const std::string before = module.ToText();
  EXPECT_THROW(module.Save(path + "/below/a/file.reel"), Error);
  EXPECT_EQ(Module::Load(path).ToText(), before);
  std::filesystem::remove(path);
}

TEST(Apply, OP03_10_SomeGradientsAreNone) {
  const Variable v(Tensor(1.f), {.name = "v"}), w(Tensor(1.f), {.name = "other"});
  Sgd optimizer({.learning_rate = 0.5});
  testing::internal::CaptureStderr();
  optimizer.Apply(GradientList({{v, Tensor(1.f)}, {w, std::nullopt}}));
  EXPECT_THAT(testing::internal::GetCapturedStderr(), HasSubstr("other"));
  EXPECT_EQ(v.value().item<float>(), 0.5);
  EXPECT_EQ(w.value().item<float>(), 1);
}

TEST(Apply, OP12_SlotsAreMadeAtTheFirstUpdateOfAVariable) {
  const Variable v(Tensor(1.f)), w(Tensor(1.f));
  Sgd optimizer({.learning_rate = 0.5, .momentum = 0.9});
  const size_t before = optimizer.variables().size();
  optimizer.Apply(GradientList({{v, Tensor(1.f)}}));
  const size_t one = optimizer.variables().size();
  EXPECT_GT(one, before);
  optimizer.Apply(GradientList({{v, Tensor(1.f)}}));
  EXPECT_EQ(optimizer.variables().size(), one);
  optimizer.Apply(GradientList({{w, Tensor(1.f)}}));
  EXPECT_GT(optimizer.variables().size(), one);
}

TEST(Forward, RG10_OfARecomputedFunction) {
  const Tensor x = 2.0;
  ForwardAccumulator acc({x}, {Tensor(1.0)});
  const auto cube = Recompute([](const Tensor& t) { return t * t * t; });
  EXPECT_EQ(acc.Jvp(cube(x))->item<double>(), 12);
}

TEST(Forward, WN08_SegmentSumsAndLoopsWithALimit) {
  const Tensor x({1.0, 2.0, 3.0});
  ForwardAccumulator acc({x}, {Ones({3}, kFloat64)});
  const Tensor sums = SegmentSum(x * x, Tensor({0, 1, 0}), 2);
  EXPECT_THAT(Values(*acc.Jvp(sums)), ElementsAre(8, 4));
  const Tensors out = WhileLoop([](const Tensors& v) { return v[0] < 9; },
                                [](const Tensors& v) { return Tensors{v[0] + 1, v[1] * 2.0}; }, Tensors{Tensor(7), x});
  EXPECT_THAT(Values(*acc.Jvp(out[1])), ElementsAre(4, 4, 4));
}

TEST(Tape, GT44_SecondJacobian) {
  const Tensor x({{3.0}});
  for (const bool batch : {false, true}) {
    GradientTape tape;
    tape.Watch(x);
    const Tensor y = x * x;
    const auto call = [&] { batch ? tape.BatchJacobian(y, x) : *tape.Jacobian(y, x); };
    call();
    ExpectError(ErrorCode::kFailedPrecondition, "non-persistent GradientTape can only", call);
  }
}

TEST(Tape, GT30_StartedAgain) {
  const Variable v(Tensor(3.f));
  GradientTape tape;
  const Tensor y = v * v;
  tape.Stop();
  const Tensor lost = y * 7.f;
  tape.Start();
  ExpectError(ErrorCode::kFailedPrecondition, "still recording", [&] { tape.Start(); });
  const Tensor z = y * v;
  EXPECT_EQ(tape.Gradient({z, lost}, v)->item<float>(), 27);
  tape.Start();  // anew
  EXPECT_EQ(tape.Gradient(v * v, v)->item<float>(), 6);
  tape.Stop();
}

}  // namespace
}  // namespace reel
