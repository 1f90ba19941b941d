#include <reel/reel.h>

#include <cstdio>

// A gradient, eager and compiled; with an argument, the module goes there.
int main(int argc, char** argv) {
  using namespace reel;
  const auto square = [](const Tensor& x) {
    GradientTape tape;
    tape.Watch(x);
    return tape.Gradient(ReduceSum(x * x), x).value();
  };
  const Tensor x{1.0f, 2.0f, 3.0f};
  const Module module = Module::Lift({{"gradient", Trace(square, {Spec(kFloat32, {3})})}});
  const Tensor same = Compile(module)("gradient", x);
  if (argc > 1) module.Save(argv[1]);
  std::printf("%g %g\n", double{ReduceSum(square(x)).item<float>()}, double{ReduceSum(same).item<float>()});
  return 0;
}
