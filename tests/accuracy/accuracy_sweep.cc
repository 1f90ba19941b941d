// Measures the vector math: accuracy_sweep FUNCTION|all [--f64] [--no-fma] [--all | --stride N]
// [--width W] Prints the largest error in ULP, the input it occurs at and cycles per element.
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <x86intrin.h>
#endif

#include "tests/accuracy/math_jit.h"

namespace reel::testing {
namespace {

constexpr size_t kChunk = 4096;

struct Arguments {
  std::string function;
  bool f64 = false;
  bool has_fma = HostHasFma();
  uint64_t stride = 4099;
  unsigned width = 0;
};

struct Worst {
  double ulp = 0;
  double input = 0;
  template <typename T>
  void Add(T input_value, double error) {
    if (!(error <= ulp)) {
      ulp = error;
      input = static_cast<double>(input_value);
    }
  }
};

template <typename T>
void Measure(const MathFunction& function, const MathJit& jit, const std::vector<T>& in,
             Worst& worst) {
  std::vector<T> out(in.size());
  jit.Run(in.data(), out.data(), in.size());
  for (size_t i = 0; i < in.size(); ++i) {
    if constexpr (sizeof(T) == 4) {
      worst.Add(in[i], UlpError(out[i], function.in_double(static_cast<double>(in[i]))));
    } else {
      worst.Add(in[i], UlpError(out[i], function.in_long_double(in[i])));
    }
  }
}

// Every stride-th float by bit pattern.
Worst SweepF32(const MathFunction& function, const MathJit& jit, uint64_t stride) {
  Worst worst;
  std::vector<float> in(kChunk);
  uint64_t bits = 0;
  while (bits < (uint64_t{1} << 32)) {
    for (float& x : in) {
      x = std::bit_cast<float>(static_cast<uint32_t>(bits));
      bits = std::min(bits + stride, uint64_t{1} << 32);
    }
    Measure(function, jit, in, worst);
  }
  return worst;
}

// Samples: half over all bit patterns, half over the range where the function is interesting.
Worst SampleF64(const MathFunction& function, const MathJit& jit, uint64_t stride) {
  Worst worst;
  std::vector<double> in(kChunk);
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> range(4 * function.timing_lo, 4 * function.timing_hi);
  std::uniform_real_distribution<double> small(-1.5, 1.5);
  const uint64_t chunks = (uint64_t{1} << 36) / stride / kChunk;
  for (uint64_t chunk = 0; chunk < chunks; ++chunk) {
    for (double& x : in) {
      x = chunk % 3 == 0 ? std::bit_cast<double>(random())
                         : (chunk % 3 == 1 ? range(random) : small(random));
    }
    Measure(function, jit, in, worst);
  }
  return worst;
}

template <typename T>
double CyclesPerElement(const MathFunction& function, const MathJit& jit) {
#if defined(__x86_64__)
  std::mt19937 random(1);
  std::uniform_real_distribution<double> range(function.timing_lo, function.timing_hi);
  std::vector<T> in(kChunk), out(kChunk);
  for (T& x : in) x = static_cast<T>(range(random));
  uint64_t best = ~uint64_t{0};
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const uint64_t start = __rdtsc();
    jit.Run(in.data(), out.data(), kChunk);
    best = std::min<uint64_t>(best, __rdtsc() - start);
  }
  return static_cast<double>(best) / kChunk;
#else
  return std::nan("");
#endif
}

template <typename T>
void Report(const MathFunction& function, const Arguments& arguments) {
  JitOptions options;
  options.has_fma = arguments.has_fma;
  options.width = arguments.width;
  if (options.width == 0) {
    const unsigned bytes = arguments.has_fma ? HostVectorBytes() : 16;
    options.width = bytes / static_cast<unsigned>(sizeof(T));
  }
  const MathJit jit(function, sizeof(T) == 4, options);
  const double cycles = CyclesPerElement<T>(function, jit);
  Worst worst;
  if constexpr (sizeof(T) == 4) {
    worst = SweepF32(function, jit, arguments.stride);
  } else {
    worst = SampleF64(function, jit, arguments.stride);
  }
  std::printf("%-8s %s width %2u %s  max %.4f ULP at %.17g (%a)  %.2f cycles/element\n",
              function.name, sizeof(T) == 4 ? "f32" : "f64", options.width,
              options.has_fma ? "fma   " : "no fma", worst.ulp, worst.input, worst.input, cycles);
  std::fflush(stdout);
}

bool Parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    if (word == "--f64") {
      arguments.f64 = true;
    } else if (word == "--no-fma") {
      arguments.has_fma = false;
    } else if (word == "--all") {
      arguments.stride = 1;
    } else if (word == "--stride" && i + 1 < argc) {
      arguments.stride = std::max<uint64_t>(1, std::strtoull(argv[++i], nullptr, 10));
    } else if (word == "--width" && i + 1 < argc) {
      arguments.width = static_cast<unsigned>(std::strtoul(argv[++i], nullptr, 10));
    } else if (arguments.function.empty() && word[0] != '-') {
      arguments.function = word;
    } else {
      return false;
    }
  }
  return !arguments.function.empty();
}

int Main(int argc, char** argv) {
  Arguments arguments;
  if (!Parse(argc, argv, arguments)) {
    std::fprintf(stderr,
                 "usage: accuracy_sweep FUNCTION|all [--f64] [--no-fma] [--all | --stride N] "
                 "[--width W]\n");
    return 2;
  }
  bool found = false;
  for (const MathFunction& function : MathFunctions()) {
    if (arguments.function != "all" && arguments.function != function.name) continue;
    found = true;
    if (arguments.f64) {
      Report<double>(function, arguments);
    } else {
      Report<float>(function, arguments);
    }
  }
  if (!found) std::fprintf(stderr, "accuracy_sweep: no function '%s'\n", argv[1]);
  return found ? 0 : 2;
}

}  // namespace
}  // namespace reel::testing

int main(int argc, char** argv) { return reel::testing::Main(argc, argv); }
