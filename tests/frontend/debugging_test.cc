// CheckNumerics: the first NaN or infinity by op and line, the same one in eager and compiled code. CheckGradients.

#include <limits>

#include "frontend/values/tensor_data.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

using testing::AllOf;
using testing::HasSubstr;
using testing::Not;

using Inputs = std::vector<Tensor>;

constexpr float kInfinity = std::numeric_limits<float>::infinity();

// "file:line" of the line before.
#define HERE (std::string("debugging_test.cc:") + std::to_string(__LINE__ - 1))

// Checks while this lives.
class Checking {
 public:
  explicit Checking(NumericsCheck check = NumericsCheck::kNanAndInf) : before_(CheckNumerics(check)) {}
  ~Checking() { CheckNumerics(before_); }
  Checking(const Checking&) = delete;
  Checking& operator=(const Checking&) = delete;

 private:
  const NumericsCheck before_;
};

// What `body` throws, or "".
std::string ErrorOf(const std::function<void()>& body) {
  try {
    body();
  } catch (const Error& e) {
    EXPECT_EQ(e.code(), ErrorCode::kInvalidArgument) << e.what();
    return e.what();
  }
  return "";
}

std::string Compiled(const Function& f, const Inputs& x, const CompileOptions& options = {}) {
  const Executable run = Compile(f, options);
  return ErrorOf([&] { run(run.entries()[0], x); });
}

Function Traced(const std::function<Tensor(const Inputs&)>& f, const Inputs& x) {
  std::vector<Spec> specs;
  for (const Tensor& t : x) specs.push_back(Spec(t));
  return Trace([&](std::span<const Tensor> xs) { return NamedTensors{f({xs.begin(), xs.end()})}; }, specs);
}

// Eager, level 0 and level 2 find the same first number.
void ExpectFound(const std::function<Tensor(const Inputs&)>& f, const Inputs& x, const std::string& what,
                 const std::string& where, NumericsCheck check = NumericsCheck::kNanAndInf) {
  const Checking on(check);
  const Function traced = Traced(f, x);
  EXPECT_THAT(ErrorOf([&] { f(x); }), AllOf(HasSubstr(what), HasSubstr(where))) << "eager";
  for (const int level : {0, 2}) {
    EXPECT_THAT(Compiled(traced, x, {.opt_level = level}), AllOf(HasSubstr(what), HasSubstr(where))) << level;
  }
}

void ExpectNothing(const std::function<Tensor(const Inputs&)>& f, const Inputs& x, NumericsCheck check) {
  Tensor eager, compiled;
  {
    const Checking on(check);
    eager = f(x);
    const Executable run = Compile(Traced(f, x));
    compiled = run(run.entries()[0], x);
  }
  EXPECT_EQ(testing::PrintToString(Values(compiled)), testing::PrintToString(Values(eager)));  // NaN too
}

TEST(CheckNumerics, Forward) {
  std::string at;
  const auto f = [&](const Inputs& x) {
    const Tensor y = Exp(x[0]) - 1;
    const Tensor z = Log(y);
    at = HERE;
    return Sqrt(z);
  };
  f({Tensor({1.f, 2.f})});
  ExpectFound(f, {Tensor({{1.f, 0.f, 0.f}, {2.f, -1.f, 1.f}})}, "the result f32[2,3] of log is -inf at [0,1]", at);
  ExpectFound(f, {Tensor({{1.f, 1.f}, {-1.f, 0.f}})}, "the result f32[2,2] of log is NaN at [1,0]", at);
  ExpectFound(f, {Tensor(100.f)}, "the result f32[] of exp is inf", "debugging_test.cc");
}

TEST(CheckNumerics, SaysWhatWentIn) {
  const Checking on;
  const Tensor zero({1.f, 0.f});
  EXPECT_THAT(ErrorOf([&] { 1.f / zero; }),
              AllOf(HasSubstr("the result f32[2] of div is inf at [1]; its operands are 1 and 0 there"),
                    HasSubstr("turn check_numerics off")));
  EXPECT_THAT(ErrorOf([&] { Tanh(Tensor({0.f, kInfinity * 0})); }), HasSubstr("operand 0 f32[2] brings NaN in"));
  EXPECT_THAT(ErrorOf([&] { ReduceSum(Tensor({3e38f, 3e38f})); }),
              HasSubstr("of reduce_sum is inf; no operand has NaN"));
}

TEST(CheckNumerics, EveryFloatingDType) {
  for (const DType dtype : {kFloat16, kBFloat16, kFloat32, kFloat64}) {
    ExpectFound([](const Inputs& x) { return Log(x[0]); }, {Cast(Tensor({1.f, 1.f, 0.f}), dtype)},
                "of log is -inf at [2]", "");
  }
  const Tensor z = Complex(Tensor({1.f, 0.f}), Tensor({0.f, 0.f}));
  ExpectFound([](const Inputs& x) { return x[0] / (x[0] - x[0]); }, {z}, "c64[2] of div is NaN at [0]", "");
  const auto half = [](const Inputs& x) { return Cast(x[0], kFloat16); };
  ExpectFound(half, {Tensor({1.f, 1e6f})}, "f16[2] of cast is inf", "");
}

TEST(CheckNumerics, NanAlone) {
  const auto f = [](const Inputs& x) { return Exp(Log(x[0])); };
  ExpectNothing(f, {Tensor({1.f, 0.f})}, NumericsCheck::kNan);
  ExpectNothing(f, {Tensor({1.f, -1.f})}, NumericsCheck::kOff);
  ExpectFound(f, {Tensor({1.f, -1.f})}, "of log is NaN at [1]", "", NumericsCheck::kNan);
}

// An infinity that an operand has is not born in the op; a NaN made of it is.
TEST(CheckNumerics, InfinitiesThatComeInPass) {
  const auto mask = [](const Inputs& x) { return Softmax(Where(x[0] > 0, x[0], -kInfinity)); };
  ExpectNothing(mask, {Tensor({1.f, -1.f, 2.f})}, NumericsCheck::kNanAndInf);
  ExpectNothing([](const Inputs& x) { return Exp(x[0]); }, {Tensor({kInfinity, 1.f})}, NumericsCheck::kNanAndInf);
  const Tensor z = Complex(Tensor({1.f, kInfinity}), Tensor({0.f, 0.f}));
  ExpectNothing([](const Inputs& x) { return Imag(x[0] + 1); }, {z}, NumericsCheck::kNanAndInf);
  ExpectNothing([](const Inputs& x) { return x[0] + 1; }, {Cast(Tensor(kInfinity), kFloat16)},
                NumericsCheck::kNanAndInf);
  ExpectFound([](const Inputs& x) { return x[0] - x[0]; }, {Tensor({1.f, kInfinity})}, "of sub is NaN at [1]", "");
  ExpectNothing([](const Inputs& x) { return Maximum(Reshape(x[0], {2, 1}), -kInfinity); }, {Tensor({kInfinity, 1.f})},
                NumericsCheck::kNanAndInf);
}

TEST(CheckNumerics, BackwardNamesTheForwardOpAndItsLine) {
  std::string at;
  const auto f = [&](const Inputs& x) {
    GradientTape tape;
    tape.Watch(x[0]);
    const Tensor y = Sqrt(x[0]);
    at = HERE;
    return *tape.Gradient(ReduceSum(y * 2), x[0]);
  };
  f({Tensor({1.f, 2.f})});
  ExpectFound(f, {Tensor({4.f, 0.f})}, ", in the gradient of sqrt, is inf at [1]", at);
}

TEST(CheckNumerics, GradientOfLogOfATracedFunction) {
  const Checking on;
  const std::string at = "debugging_test.cc:" + std::to_string(__LINE__ + 1);
  const Function f = Traced([](const Inputs& x) { return ReduceSum(Maximum(Log(x[0]), -3.f)); }, {Tensor({1.f, 2.f})});
  const Function gradient = Gradients(f);
  EXPECT_THAT(Compiled(gradient, {Tensor({1.f, 0.f})}), AllOf(HasSubstr("of log is -inf at [1]"), HasSubstr(at)));
  CheckNumerics(NumericsCheck::kNan);  // 0 / 0 behind the maximum
  EXPECT_THAT(Compiled(gradient, {Tensor({1.f, 0.f})}),
              AllOf(HasSubstr("of div, in the gradient of log, is NaN at [1]"), HasSubstr(at)));
  EXPECT_EQ(Compiled(gradient, {Tensor({1.f, 2.f})}), "");
}

TEST(CheckNumerics, LoopsStopAtTheFirst) {
  std::string at;
  const auto f = [&](const Inputs& x) {
    return WhileLoop([](const Inputs& v) { return v[0] < 1000; },
                     [&](const Inputs& v) {
                       const Tensor square = v[1] * v[1];
                       at = HERE;
                       return Inputs{v[0] + 1, square};
                     },
                     {Tensor(0), x[0]})[1];
  };
  ExpectNothing(f, {Tensor({1.f, 0.5f})}, NumericsCheck::kNanAndInf);
  ExpectFound(f, {Tensor({1.f, 3.f})}, "the result f32[2] of mul is inf at [1]", at);
}

TEST(CheckNumerics, GradientsOfLoops) {
  const auto f = [](const Inputs& x) {
    GradientTape tape;
    tape.Watch(x[0]);
    const Tensor y = WhileLoop([](const Inputs& v) { return v[0] < 3; },
                               [](const Inputs& v) { return Inputs{v[0] + 1, Sqrt(v[1])}; }, {Tensor(0), x[0]},
                               {.maximum_iterations = 3})[1];
    return *tape.Gradient(ReduceSum(y), x[0]);
  };
  ExpectNothing(f, {Tensor({1.f, 0.5f})}, NumericsCheck::kNanAndInf);
  ExpectFound(f, {Tensor({1.f, 0.f})}, ", in the gradient of sqrt, is inf at [1]", "debugging_test.cc");
}

// A condition is looked at as often as the loop asks it, the last time included.
TEST(CheckNumerics, ConditionsOfLoops) {
  const auto loop = [](int64_t most) {
    return [most](const Inputs& x) {
      return WhileLoop([](const Inputs& v) { return Sqrt(v[0]) > 0.1f; },
                       [](const Inputs& v) { return Inputs{v[0] - 1}; }, {x[0]}, {.maximum_iterations = most})[0];
    };
  };
  ExpectFound(loop(-1), {Tensor(1.5f)}, "the result f32[] of sqrt is NaN", "debugging_test.cc");
  ExpectFound(loop(3), {Tensor(1.5f)}, "the result f32[] of sqrt is NaN", "debugging_test.cc");
  ExpectNothing(loop(2), {Tensor(1.5f)}, NumericsCheck::kNan);  // it is not asked again
  ExpectFound(loop(-1), {Tensor(-1.f)}, "the result f32[] of sqrt is NaN", "debugging_test.cc");
  ExpectNothing(loop(0), {Tensor(-1.f)}, NumericsCheck::kNan);
}

TEST(CheckNumerics, OnlyTheBranchThatIsTaken) {
  const auto f = [](const Inputs& x) { return Cond(x[0] > 0, [&] { return Log(x[0]); }, [&] { return 1 / x[0]; }); };
  ExpectNothing(f, {Tensor(2.f)}, NumericsCheck::kNanAndInf);
  ExpectNothing(f, {Tensor(-2.f)}, NumericsCheck::kNanAndInf);
  ExpectFound(f, {Tensor(0.f)}, "of div is inf", "debugging_test.cc");
  ExpectFound([&](const Inputs& x) { return f({x[0] - 4}); }, {Tensor(4.f)}, "of div is inf", "debugging_test.cc");
}

// A step whose update overflows: the variable keeps its value in both engines.
TEST(CheckNumerics, OptimizerAndState) {
  const Variable w(Tensor({1.f, 2.f}), {.name = "w"});
  const Sgd optimizer({.learning_rate = 1e30f});
  const auto train = [&](const Tensor& x) {
    GradientTape tape;
    const Tensor loss = ReduceSum(w * x);
    optimizer.Apply(tape.Gradient(loss, {w}));
    return ReduceSum(x);
  };
  const Checking on;
  const Function step = Trace(train, {Spec(kFloat32, {2})});
  const Executable run = Compile(step);
  const Tensor bad({1.f, 1e9f}), good({1.f, 0.f});
  train(good);
  run("main", good);
  const std::vector<double> kept = Values(w.value());
  EXPECT_THAT(ErrorOf([&] { train(bad); }), HasSubstr("the result f32[2] of mul is inf at [1]"));
  EXPECT_THAT(ErrorOf([&] { run("main", bad); }), HasSubstr("the result f32[2] of mul is inf at [1]"));
  EXPECT_EQ(Values(run.variable("w")), kept);
  EXPECT_EQ(Values(w.value()), kept);
}

std::string PlanOf(const Executable& run) {
  const std::string plan = run.Plan();
  const size_t times = plan.find("compiled in");
  return plan.substr(0, times) + plan.substr(plan.find('\n', times));
}

TEST(CheckNumerics, OffCostsCompiledCodeNothing) {
  Sequential model{Dense(4, 8, Tanh), Dense(8, 3)};
  const Function f = Trace(model, {Spec(kFloat32, {2, 4})});
  const std::string before = PlanOf(Compile(f));
  {
    const Checking on;
    EXPECT_NE(PlanOf(Compile(f)), before);
  }
  EXPECT_EQ(PlanOf(Compile(f)), before);
}

// Healthy training passes, with the bits it has without checks, and is found fault with after.
TEST(CheckNumerics, WholeStepsKeepTheirBits) {
  Sequential model{Dense(4, 8, Relu), LayerNorm(), Dense(8, 3)};
  Adam optimizer({.learning_rate = 0.01});
  const auto train = [&](const Tensor& x, const Tensor& labels) {
    GradientTape tape;
    const Tensor loss = SoftmaxCrossEntropy(model(x), labels);
    optimizer.Apply(tape.Gradient(loss, model.variables()));
    return loss;
  };
  const Tensor x({{1.f, -2.f, 3.f, 0.5f}, {0.f, 1.f, -1.f, 2.f}}), labels({2, 0}), huge = x * 1e30f;
  train(x, labels);
  for (const bool symbolic : {false, true}) {
    const Dim rows = symbolic ? Dim("B", 1, 8) : Dim(2);
    const Function step = Trace(train, {Spec(kFloat32, {rows, 4}), Spec(kInt32, {rows})});
    const Executable plain = Compile(step);
    const Checking on;
    const Executable checked = Compile(step);
    const std::string entry = plain.entries()[0];
    for (int i = 0; i < 3; ++i) {
      const Results a = plain(entry, x, labels), b = checked(entry, x, labels);
      ASSERT_EQ(a.size(), b.size());
      EXPECT_EQ(a[0].item<float>(), b[0].item<float>());
    }
    for (const std::string& name : plain.variables()) {
      EXPECT_EQ(Values(plain.variable(name)), Values(checked.variable(name))) << name;
    }
    const std::vector<double> kept = Values(checked.variable(plain.variables()[0]));
    EXPECT_THAT(ErrorOf([&] { checked(entry, huge, labels); }), HasSubstr("check_numerics: run main: the result"));
    EXPECT_EQ(Values(checked.variable(plain.variables()[0])), kept);
    checked(entry, x, labels);
  }
}

TEST(CheckNumerics, CompositionsOfHealthyInputsPass) {
  const Checking on;
  const Tensor x = RandomNormal({2, 5, 8});
  const auto gradient = [&](const std::function<Tensor(const Tensor&)>& f) {
    GradientTape tape;
    tape.Watch(x);
    return tape.Gradient(ReduceSum(Square(f(x))), x).has_value();
  };
  Lstm lstm(4);
  EXPECT_TRUE(gradient([&](const Tensor& v) { return lstm(v); }));
  EXPECT_TRUE(gradient([](const Tensor& v) { return Softmax(v); }));
  EXPECT_TRUE(gradient([](const Tensor& v) { return LogSoftmax(v); }));
  EXPECT_TRUE(gradient([](const Tensor& v) { return Gelu(v) + Softplus(v) + Elu(v) + Relu(v); }));
  EXPECT_TRUE(gradient([](const Tensor& v) { return LayerNormalize(v); }));
  EXPECT_TRUE(gradient([](const Tensor& v) { return Attention(v, v, v, {.causal = true}); }));
}

TEST(CheckNumerics, StateIsUnharmed) {
  const Variable w(2.f);
  const int64_t live = internal::LiveTensors();
  {
    const Checking on;
    GradientTape tape({.persistent = true});
    const Tensor y = w * w;
    EXPECT_THAT(ErrorOf([&] { Log(y - 4.f); }), HasSubstr("of log is -inf"));
    EXPECT_FLOAT_EQ(ValueOf(tape.Gradient(y, w)), 4);
  }
  EXPECT_EQ(internal::LiveTensors(), live);
  EXPECT_EQ(Log(Tensor(0.f)).item<float>(), -kInfinity);
}

}  // namespace
}  // namespace reel
