// Calls of compiled code in place allocate nothing, with whatever allocator.
#include <gtest/gtest.h>
#include <reel/reel.h>

#include <atomic>
#include <cstdlib>
#include <new>

namespace {
std::atomic<int64_t> allocations = 0;
}  // namespace

void* operator new(size_t bytes) {
  ++allocations;
  if (void* memory = std::malloc(bytes ? bytes : 1)) return memory;
  throw std::bad_alloc();
}
void* operator new(size_t bytes, const std::nothrow_t&) noexcept {
  ++allocations;
  return std::malloc(bytes ? bytes : 1);
}
void operator delete(void* memory) noexcept { std::free(memory); }
void operator delete(void* memory, size_t) noexcept { std::free(memory); }

namespace reel {
namespace {

TEST(Call, AStepAllocatesNothing) {
  const Sequential model{Dense(784, 128, Relu), Dense(128, 10)};
  const Adam optimizer({.learning_rate = 1e-3});
  const std::vector<Tensor> inputs = {RandomNormal({64, 784}), Zeros({64}, kInt64)};
  const auto train = [&](std::span<const Tensor> in) {
    GradientTape tape;
    Tensor loss = SoftmaxCrossEntropy(model(in[0]), in[1]);
    optimizer.Apply(tape.Gradient(loss, model.variables()));
    return std::vector<Tensor>{loss};
  };
  model(inputs[0]);
  const Executable run = Compile(Trace(train, {Spec(inputs[0]), Spec(inputs[1])}));
  std::vector<Tensor> outputs = run("main", inputs).tensors();
  run.Run("main", inputs, outputs);
  const float before = outputs[0].item<float>();
  const int64_t start = allocations;
  for (int i = 0; i < 10; ++i) run.Run("main", inputs, outputs);
  EXPECT_EQ(allocations, start);
  EXPECT_LT(outputs[0].item<float>(), before);
}

}  // namespace
}  // namespace reel
