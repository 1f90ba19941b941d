// What a tape keeps of the ops it records, in bytes of the allocator, and when it frees them.
#include <cstdint>
#include <functional>

#include "runtime/allocator.h"
#include "tests/frontend/expect.h"

namespace reel {
namespace {

int64_t LiveBytes() { return runtime::Allocator::Default().stats().live_bytes; }

class KeptBytes : public testing::Test {
 protected:
  static constexpr int64_t kN = int64_t{1} << 20;
  static constexpr int64_t kFloats = 4 * kN, kSlack = 1 << 16;

  /// Bytes that the tape keeps of y = f(x) when nobody else holds what went in and came out; frees them by Gradient.
  void Expect(const std::function<Tensor(const Tensor& h)>& f, int64_t bytes, bool persistent = false) {
    const Tensor x = Tensor(2.f), offsets = RandomNormal({kN}, {.generator = Generator(1)});
    const int64_t before = LiveBytes();
    {
      GradientTape tape({.persistent = persistent});
      tape.Watch(x);
      Tensor loss;
      {
        const Tensor h = x + offsets;  // keeps nothing
        loss = ReduceSum(f(h));
      }
      EXPECT_NEAR(static_cast<double>(LiveBytes() - before), static_cast<double>(bytes), kSlack);
      if (persistent) tape.Stop();  // else it would record the gradient
      tape.Gradient(loss, x);
      EXPECT_NEAR(static_cast<double>(LiveBytes() - before), persistent ? static_cast<double>(bytes) : 0, kSlack);
    }
    EXPECT_NEAR(static_cast<double>(LiveBytes() - before), 0, kSlack);
  }
};

TEST_F(KeptBytes, ReluKeepsItsMaskAndNoInput) {
  Expect([](const Tensor& h) { return Relu(h); }, kN);
}
TEST_F(KeptBytes, SumsKeepNothing) {
  Expect([](const Tensor& h) { return h + h; }, 0);
  Expect([](const Tensor& h) { return h - 1; }, 0);
  Expect([](const Tensor& h) { return Reshape(h, {2, kN / 2}); }, 0);
}
TEST_F(KeptBytes, ProductsKeepTheOtherFactor) {
  Expect([](const Tensor& h) { return h * h; }, kFloats);
  Expect([](const Tensor& h) { return Exp(h) * 2.f; }, kFloats);  // e^h; 2 has no memory
}
TEST_F(KeptBytes, ExpKeepsItsResult) {
  Expect([](const Tensor& h) { return Exp(h); }, kFloats);
}
TEST_F(KeptBytes, APersistentTapeKeepsThem) {
  Expect([](const Tensor& h) { return Exp(h); }, kFloats, true);
}
TEST_F(KeptBytes, FreedByACompiledGradientToo) {
  for (int i = 0; i < 5; ++i) {
    Expect([](const Tensor& h) { return Sin(h) + h; }, kFloats);
    WaitForCompiler();
  }
}

}  // namespace
}  // namespace reel
