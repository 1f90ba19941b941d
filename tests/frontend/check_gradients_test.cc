// CheckGradients: tapes against central differences, to order n.

#include "tests/frontend/expect.h"

namespace reel {
namespace {

const Tensor kX({{0.5f, -1.25f}, {2.f, 0.75f}}), kW({{1.f, 0.5f}, {-0.25f, 1.5f}});

TEST(CheckGradients, ToThirdOrder) {
  const auto f = [](const Tensor& x, const Tensor& w) { return Tanh(MatMul(x, w)) * Exp(x); };
  for (const int order : {1, 2, 3}) EXPECT_LT(CheckGradients(f, {kX, kW}, {.order = order}), 4e-8) << order;
  EXPECT_GT(CheckGradients(f, {kX, kW}), 0);  // differences are never exact here
}

TEST(CheckGradients, InputsOfAllKinds) {
  const auto gather = [](const Tensor& x, const Tensor& i) { return Square(Gather(x, i)); };
  CheckGradients(gather, {kX, Tensor({1, 0, 1})}, {.order = 2});
  const auto product = [](const Tensor& z, const Tensor& x) { return Exp(z * Complex(x, x)); };
  CheckGradients(product, {Complex(kX, kW), kX}, {.order = 2});
  CheckGradients([](const Tensor& x) { return x * x; }, {kX}, {.dtype = kFloat32});
  CheckGradients([](const Tensor& x) { return ReduceSum(x); }, {Zeros({0})});
  const auto three = [](const Tensor& a, const Tensor& b, const Tensor& c) { return a * b * c; };
  CheckGradients(three, {kX, kW, kX}, {.order = 2});
  const auto several = [](const Tensor& x, const Tensor& w) { return std::tuple(x / w, ArgMax(x), x * w); };
  CheckGradients(several, {kX, kW}, {.order = 2});
}

TEST(CheckGradients, UnconnectedIsZero) {
  CheckGradients([](const Tensor& x, const Tensor& w) { return x * StopGradient(w * 0.f); }, {kX, kW}, {.order = 2});
  ExpectError(ErrorCode::kFailedPrecondition, "the gradient is 0 (None), the central difference is ",
              [] { CheckGradients([](const Tensor& x) { return Square(StopGradient(x)); }, {kX}); });
}

// x^3 with the gradient of x^2.
Tensor Wrong(const Tensor& x) {
  return CustomGradient(
      [](const Tensor& v) { return std::pair(v * v * v, [v](const Tensor& dy) { return dy * 2 * v; }); })(x);
}

TEST(CheckGradients, NamesInputElementAndBothNumbers) {
  const auto f = [](const Tensor& w, const Tensor& x) { return w * Wrong(x); };
  ExpectError(ErrorCode::kFailedPrecondition, "order 1, input 1 f64[2], element [0]: the gradient is ",
              [&] { CheckGradients(f, {Tensor({1.f, 1.f}), Tensor({3.f, 2.f})}); });
  ExpectError(ErrorCode::kFailedPrecondition, "check_gradients_test.cc",
              [&] { CheckGradients(f, {Tensor({1.f, 1.f}), Tensor({3.f, 2.f})}); });
  // 2/3 of the way between the right ones of x^2 and x^3 the numbers agree: 2x = 3x^2.
  CheckGradients([](const Tensor& x) { return Wrong(x); }, {Tensor::FromData<double>({2.0 / 3}, {1})});
}

// The first derivative is right, the second is not.
TEST(CheckGradients, FindsWrongSecondOrder) {
  const auto f = [](const Tensor& x) {
    return CustomGradient([](const Tensor& v) {
      return std::pair(v * v * v, [v](const Tensor& dy) { return dy * 3 * v * StopGradient(v); });
    })(x);
  };
  CheckGradients(f, {Tensor(1.5f)});
  ExpectError(ErrorCode::kFailedPrecondition, "order 2, input 0 f64[], element []: the gradient is ",
              [&] { CheckGradients(f, {Tensor(1.5f)}, {.order = 2}); });
}

TEST(CheckGradients, BadInput) {
  const auto f = [](const Tensor& x) { return x * x; };
  ExpectError(ErrorCode::kInvalidArgument, "no input is of floats", [&] { CheckGradients(f, {Tensor(1)}); });
  ExpectError(ErrorCode::kInvalidArgument, "order must be 1 or more, got 0",
              [&] { CheckGradients(f, {Tensor(1.f)}, {.order = 0}); });
  ExpectError(ErrorCode::kInvalidArgument, "dtype must be a float, got i32",
              [&] { CheckGradients(f, {Tensor(1.f)}, {.dtype = kInt32}); });
  ExpectError(ErrorCode::kInvalidArgument, "for the same inputs; it must not draw",
              [&] { CheckGradients([](const Tensor& x) { return x * RandomUniform({}); }, {Tensor(1.f)}); });
  ExpectError(ErrorCode::kFailedPrecondition, "the central difference is", [&] {
    CheckGradients([](const Tensor& x) { return Abs(x); }, {Tensor(0.f)});  // a kink; the gradient is 0 there
    CheckGradients([](const Tensor& x) { return Maximum(x, 0); }, {Tensor(0.f)});
  });
}

// Tapes and traces around it see nothing of it.
TEST(CheckGradients, LeavesTapesAlone) {
  GradientTape tape;
  tape.Watch(kX);
  const Tensor y = kX * kX;
  CheckGradients([](const Tensor& x) { return x * x; }, {kX});
  EXPECT_EQ(Values(*tape.Gradient(y, kX)), (std::vector<double>{1, -2.5, 4, 1.5}));
}

}  // namespace
}  // namespace reel
