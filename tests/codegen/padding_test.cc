// Maps and sums over rows along an axis that padding cuts: loops of their own for the parts (codegen/schedule/map.cc,
// rows.cc); maps that transpose: squares in registers. The same bits.

#include <gtest/gtest.h>

#include <string>

#include "reel/reel.h"
#include "tests/codegen/bits_util.h"
#include "tests/codegen/program_util.h"

namespace reel {
namespace {

using codegen::PlanFunctions;
using codegen::Program;
using Tensors = std::vector<Tensor>;
using Inputs = std::span<const Tensor>;

// The gradient of slices side by side: each element is in one of them.
Tensors GradientOfSlices(const Tensor& x, int axis, int64_t first) {
  GradientTape tape;
  tape.Watch(x);
  const auto part = [&](int64_t begin, int64_t end) {
    std::vector<int64_t> from(static_cast<size_t>(x.rank()), 0), to = x.shape().dims();
    from[static_cast<size_t>(axis)] = begin;
    to[static_cast<size_t>(axis)] = end;
    return Slice(x, from, to);
  };
  const int64_t n = x.shape().dim(axis);
  const Tensor y = ReduceSum(Tanh(part(0, first))) + ReduceSum(Exp(part(first, n - 1))) + ReduceSum(part(2, n));
  return {*tape.Gradient(y, x)};
}

TEST(Padding, NoBitDependsOnParts) {
  struct Case {
    Shape shape;
    int axis;
    int64_t first;
  };
  for (const Case& c : {Case{{16, 512}, 1, 128}, Case{{12, 70, 64}, 1, 33}, Case{{9, 130, 3}, 1, 64},
                        Case{{10, 300}, 1, 298}, Case{{300, 40}, 0, 100}, Case{{4, 4, 96, 33}, 2, 40}}) {
    const Tensor x = RandomNormal(c.shape, {.generator = Generator(3)});
    const auto f = [&c](const Tensor& t) { return GradientOfSlices(t, c.axis, c.first); };
    ExpectSameBits(Trace(f, {Spec(x)}), {x}, f(x));
  }
}

TEST(Padding, PartsAskNothing) {
  const Program p = PlanFunctions(R"(
func @f(%x: f32[16,128], %y: f32[16,128]) -> (f32[16,256]) {
  %0 = constant 0 : f32[]
  %1 = pad %x, %0 {high=[0, 128], interior=[0, 0], low=[0, 0]} : f32[16,256]
  %2 = pad %y, %0 {high=[0, 0], interior=[0, 0], low=[0, 128]} : f32[16,256]
  %3 = add %1, %2 : f32[16,256]
  return %3
})");
  ASSERT_EQ(p.kernels.size(), 1u) << ToString(p);
  EXPECT_EQ(ToString(p).find(" if "), std::string::npos) << ToString(p);
}

TEST(Padding, NoBitOfSumsOverRowsDependsOnParts) {
  for (const int64_t first : {64, 100, 130, 253}) {
    const Tensor x = RandomNormal({300, 256}, {.generator = Generator(4)});
    const auto f = [first](const Tensor& t) {
      const Tensor y = GradientOfSlices(t, 1, first)[0];
      return Tensors{y, ReduceSum(y, {0})};
    };
    ExpectSameBits(Trace(f, {Spec(x)}), {x}, f(x));
  }
}

// The sum over rows of what is laid side by side: the gradient of a bias of several projections.
TEST(Padding, PartsOfSummedRowsAskNothing) {
  const Program p = PlanFunctions(R"(
func @f(%x: f32[512,128], %y: f32[512,128]) -> (f32[512,256], f32[256]) {
  %0 = constant 0 : f32[]
  %1 = pad %x, %0 {high=[0, 128], interior=[0, 0], low=[0, 0]} : f32[512,256]
  %2 = pad %y, %0 {high=[0, 0], interior=[0, 0], low=[0, 128]} : f32[512,256]
  %3 = add %1, %2 : f32[512,256]
  %4 = reduce_sum %3 {axes=[0]} : f32[256]
  return %3, %4
})");
  ASSERT_EQ(p.kernels.size(), 2u) << ToString(p);
  EXPECT_EQ(ToString(p).find(" if "), std::string::npos) << ToString(p);
}

// Whole squares of any register, and extents that are none; beside what is one for a row or a column; two stores.
TEST(TransposingMaps, DependOnNothing) {
  Generator generator(5);
  const auto f = [](const Tensor& x, const Tensor& row) {
    const Tensor y = Transpose(x, {0, 2, 1}) + row, z = Transpose(x, {2, 1, 0});
    return Tensors{y, Relu(y), z * 2.0, Transpose(x, {1, 0, 2})};
  };
  for (const DType dtype : {kFloat32, kFloat64, kInt32, kInt64, kFloat16}) {
    for (const Shape& shape :
         {Shape{3, 64, 32}, Shape{16, 16, 16}, Shape{32, 8, 40}, Shape{2, 33, 48}, Shape{5, 7, 9}}) {
      const Tensor x = Cast(RandomNormal(shape, {.stddev = 9, .generator = generator}), dtype);
      const Tensor row = Cast(RandomNormal({shape.dim(1)}, {.generator = generator}), x.dtype());
      ExpectSameBits(Trace(f, {Spec(x), Spec(row)}), {x, row}, f(x, row));
    }
  }
}

TEST(TransposingMaps, TurnSquaresInRegisters) {
  const auto text = [](const char* x, const char* y) {
    return ToString(PlanFunctions(std::string("func @f(%x: f32") + x + ") -> (f32" + y + ") {\n  %0 = transpose %x " +
                                  "{permutation=[1, 0]} : f32" + y + "\n  return %0\n}"));
  };
  const std::string whole = text("[96,64]", "[64,96]"), parts = text("[96,65]", "[65,96]");
  EXPECT_NE(whole.find("transpose square by 4"), std::string::npos) << whole;
  EXPECT_EQ(parts.find("transpose square"), std::string::npos) << parts;
}

}  // namespace
}  // namespace reel
