// Measures the vector math: accuracy_sweep FUNCTION|all [--f64] [--no-fma] [--all | --stride N |
// --samples N] [--range LOW HIGH] [--width W] prints the largest error in ULP, the input it occurs
// at and cycles per element. --all: every float. --range: only inputs of these sizes.
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>
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
  uint64_t samples = 0;
  double low = 0, high = std::numeric_limits<double>::infinity();
  unsigned width = 0;
};

// Pairs of inputs; one operand: x alone counts.
template <typename T>
struct Inputs {
  std::vector<T> x = std::vector<T>(kChunk, T{1}), y = x;
};

struct Worst {
  double ulp = 0;
  double x = 0, y = 0;
  void Add(double at_x, double at_y, double error) {
    if (error <= ulp) return;
    ulp = error;
    x = at_x;
    y = at_y;
  }
};

template <typename T>
void Measure(const MathFunction& function, const MathJit& jit, const Inputs<T>& in, Worst& worst) {
  std::vector<T> out(kChunk);
  jit.Run(in.x.data(), in.y.data(), out.data(), kChunk);
  for (size_t i = 0; i < kChunk; ++i) {
    const double x = static_cast<double>(in.x[i]), y = static_cast<double>(in.y[i]);
    if constexpr (sizeof(T) == 4) {
      worst.Add(x, y, UlpError(out[i], function.in_double(x, y)));
    } else {
      worst.Add(x, y, UlpError(out[i], function.exact(x, y)));
    }
  }
}

// Every stride-th float by bit pattern.
Worst SweepF32(const MathFunction& function, const MathJit& jit, const Arguments& arguments) {
  Worst worst;
  Inputs<float> in;
  size_t filled = 0;
  for (uint64_t bits = 0; bits < (uint64_t{1} << 32); bits += arguments.stride) {
    const float x = std::bit_cast<float>(static_cast<uint32_t>(bits));
    const double size = std::fabs(static_cast<double>(x));
    if (size < arguments.low || size > arguments.high) continue;
    in.x[filled++] = x;
    if (filled < kChunk) continue;
    Measure(function, jit, in, worst);
    filled = 0;
  }
  Measure(function, jit, in, worst);
  return worst;
}

// Samples: over all bit patterns, over the range where the function is interesting, near 0; with a
// range, over its bit patterns.
template <typename T>
Worst Sample(const MathFunction& function, const MathJit& jit, const Arguments& arguments) {
  using Bits = std::conditional_t<sizeof(T) == 4, uint32_t, uint64_t>;
  Worst worst;
  Inputs<T> in;
  std::mt19937_64 random(7);
  std::uniform_real_distribution<double> range(4 * function.timing_lo, 4 * function.timing_hi);
  std::uniform_real_distribution<double> small(-1.5, 1.5), unit(-1, 1);
  const bool limited = arguments.low > 0 || std::isfinite(arguments.high);
  const uint64_t chunks = (arguments.samples + kChunk - 1) / kChunk;
  for (uint64_t chunk = 0; chunk < chunks; ++chunk) {
    const auto draw = [&] {
      return chunk % 3 == 0 || limited ? std::bit_cast<T>(static_cast<Bits>(random()))
             : chunk % 3 == 1          ? static_cast<T>(range(random))
                                       : static_cast<T>(small(random));
    };
    for (size_t i = 0; i < kChunk; ++i) {
      do {
        in.x[i] = draw();
      } while (std::fabs(in.x[i]) < arguments.low || std::fabs(in.x[i]) > arguments.high);
      const bool derived = function.second && chunk % 4 != 0;
      in.y[i] = derived ? static_cast<T>(function.second(in.x[i], unit(random))) : draw();
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
  Inputs<T> in;
  std::vector<T> out(kChunk);
  for (T& x : in.x) x = static_cast<T>(range(random));
  for (T& y : in.y) y = static_cast<T>(range(random));
  uint64_t best = ~uint64_t{0};
  for (int repeat = 0; repeat < 2000; ++repeat) {
    const uint64_t start = __rdtsc();
    jit.Run(in.x.data(), in.y.data(), out.data(), kChunk);
    best = std::min<uint64_t>(best, __rdtsc() - start);
  }
  return static_cast<double>(best) / kChunk;
#else
  return std::nan("");
#endif
}

template <typename T>
double Report(const MathFunction& function, Arguments arguments) {
  JitOptions options;
  options.has_fma = arguments.has_fma;
  options.has_scale = arguments.has_fma && HostHasScale();
  options.width = arguments.width;
  if (options.width == 0) {
    const unsigned bytes = arguments.has_fma ? HostVectorBytes() : 16;
    options.width = bytes / static_cast<unsigned>(sizeof(T));
  }
  const MathJit jit(function, sizeof(T) == 4, options);
  const double cycles = CyclesPerElement<T>(function, jit);
  const bool sample = sizeof(T) == 8 || function.operands == 2;
  if (sample && arguments.samples == 0) arguments.samples = uint64_t{1} << 20;
  const Worst worst = arguments.samples > 0 ? Sample<T>(function, jit, arguments) : SweepF32(function, jit, arguments);
  std::printf("%-8s %s width %2u %s  max %.4f ULP at %.17g (%a)", function.name, sizeof(T) == 4 ? "f32" : "f64",
              options.width, options.has_fma ? "fma   " : "no fma", worst.ulp, worst.x, worst.x);
  if (function.operands == 2) std::printf(", %.17g (%a)", worst.y, worst.y);
  std::printf("  %.2f cycles/element\n", cycles);
  std::fflush(stdout);
  return worst.ulp;
}

bool Parse(int argc, char** argv, Arguments& arguments) {
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    const auto number = [&] { return std::strtoull(argv[++i], nullptr, 10); };
    if (word == "--f64") {
      arguments.f64 = true;
    } else if (word == "--no-fma") {
      arguments.has_fma = false;
    } else if (word == "--all") {
      arguments.stride = 1;
    } else if (word == "--stride" && i + 1 < argc) {
      arguments.stride = std::max<uint64_t>(1, number());
    } else if (word == "--samples" && i + 1 < argc) {
      arguments.samples = number();
    } else if (word == "--range" && i + 2 < argc) {
      arguments.low = std::strtod(argv[++i], nullptr);
      arguments.high = std::strtod(argv[++i], nullptr);
    } else if (word == "--width" && i + 1 < argc) {
      arguments.width = static_cast<unsigned>(number());
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
                 "usage: accuracy_sweep FUNCTION|all [--f64] [--no-fma] [--all | --stride N | "
                 "--samples N] [--range LOW HIGH] [--width W]\n");
    return 2;
  }
  bool found = false;
  double worst = 0;
  for (const MathFunction& function : MathFunctions()) {
    if (arguments.function != "all" && arguments.function != function.name) continue;
    found = true;
    worst = std::max(worst, arguments.f64 ? Report<double>(function, arguments) : Report<float>(function, arguments));
  }
  if (!found) std::fprintf(stderr, "no function '%s'\n", arguments.function.c_str());
  return !found ? 2 : worst <= 1 ? 0 : 1;
}

}  // namespace
}  // namespace reel::testing

int main(int argc, char** argv) { return reel::testing::Main(argc, argv); }
