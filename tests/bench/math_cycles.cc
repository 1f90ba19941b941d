// Cycles per element of the vector math beside glibc's libmvec and SLEEF, where they are installed:
// math_cycles [FUNCTION...]. One loop over 4096 elements in L1, the best of 1000, one thread.
#include <dlfcn.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstring>
#include <random>
#include <string>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#include <x86intrin.h>
#endif

#include "tests/accuracy/math_jit.h"

namespace reel::testing {
namespace {

constexpr size_t kCount = 4096;
constexpr const char* kLibraries[] = {"libmvec.so.1", "libsleef.so.3"};

#if defined(__x86_64__)

template <typename F>
double CyclesPerElement(F run) {
  uint64_t best = ~uint64_t{0};
  for (int repeat = 0; repeat < 1000; ++repeat) {
    const uint64_t start = __rdtsc();
    run();
    best = std::min<uint64_t>(best, __rdtsc() - start);
  }
  return static_cast<double>(best) / kCount;
}

// Of the time stamp counter.
double ClockGhz() {
  const auto begin = std::chrono::steady_clock::now();
  const uint64_t start = __rdtsc();
  std::chrono::duration<double, std::nano> passed{};
  while (passed.count() < 5e7) passed = std::chrono::steady_clock::now() - begin;
  return static_cast<double>(__rdtsc() - start) / passed.count();
}

template <typename T>
struct Data {
  explicit Data(const MathFunction& f) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> range(f.timing_lo, f.timing_hi);
    for (T& v : x) v = static_cast<T>(range(random));
    for (T& v : y) v = static_cast<T>(range(random));
  }
  alignas(64) T x[kCount], y[kCount], out[kCount];
};

template <typename T>
double Ours(const MathFunction& function, Data<T>& data) {
  const MathJit jit(function, sizeof(T) == 4,
                    {HostVectorBytes() / static_cast<unsigned>(sizeof(T)), HostHasFma(), HostHasScale()});
  return CyclesPerElement([&] { jit.Run(data.x, data.y, data.out, kCount); });
}

// A loop over vectors of type V with a library's function of one or two operands.
#define VECTOR_LOOP(Name, target_name, V, T, load, store)                                                             \
  __attribute__((target(target_name))) double Name(void* f, int operands, Data<T>& data) {                            \
    constexpr size_t kWidth = sizeof(V) / sizeof(T);                                                                  \
    return CyclesPerElement([&]() __attribute__((target(target_name))) {                                              \
      for (size_t i = 0; i < kCount; i += kWidth) {                                                                   \
        const V x = load(data.x + i);                                                                                 \
        const V z =                                                                                                   \
            operands == 1 ? reinterpret_cast<V (*)(V)>(f)(x) : reinterpret_cast<V (*)(V, V)>(f)(x, load(data.y + i)); \
        store(data.out + i, z);                                                                                       \
      }                                                                                                               \
    });                                                                                                               \
  }
VECTOR_LOOP(Loop512, "avx512f", __m512, float, _mm512_load_ps, _mm512_store_ps)
VECTOR_LOOP(Loop512, "avx512f", __m512d, double, _mm512_load_pd, _mm512_store_pd)
VECTOR_LOOP(Loop256, "avx2", __m256, float, _mm256_load_ps, _mm256_store_ps)
VECTOR_LOOP(Loop256, "avx2", __m256d, double, _mm256_load_pd, _mm256_store_pd)
#undef VECTOR_LOOP

// The library's name of the function at this width: _ZGVeN16v_expf, Sleef_expf16_u10.
template <typename T>
std::string Symbol(const char* library, const MathFunction& function, unsigned bytes) {
  const std::string name = std::strcmp(function.name, "rem") == 0 ? "fmod" : function.name;
  const std::string width = std::to_string(bytes / sizeof(T));
  const char* suffix = sizeof(T) == 4 ? "f" : "";
  if (std::strstr(library, "sleef")) {
    return "Sleef_" + name + (sizeof(T) == 4 ? "f" : "d") + width + (name == "fmod" ? "" : "_u10");
  }
  return std::string("_ZGV") + (bytes == 64 ? "e" : "d") + "N" + width + (function.operands == 1 ? "v_" : "vv_") +
         name + suffix;
}

// 0 if the library or the function is missing.
template <typename T>
double Library(const char* library, const MathFunction& function, Data<T>& data) {
  const unsigned bytes = HostVectorBytes();
  if (bytes < 32) return 0;
  void* handle = dlopen(library, RTLD_NOW);
  void* f = handle ? dlsym(handle, Symbol<T>(library, function, bytes).c_str()) : nullptr;
  if (!f) return 0;
  return bytes == 64 ? Loop512(f, function.operands, data) : Loop256(f, function.operands, data);
}

template <typename T>
void Print(const MathFunction& function) {
  static Data<T> data(function);
  data = Data<T>(function);
  std::printf(" %8.2f", Ours(function, data));
  for (const char* library : kLibraries) {
    const double cycles = Library(library, function, data);
    cycles > 0 ? std::printf(" %8.2f", cycles) : std::printf(" %8s", "-");
  }
}

#else

double ClockGhz() { return 0; }
template <typename T>
void Print(const MathFunction&) {}

#endif

int Main(int argc, char** argv) {
  std::printf("%-8s %26s %26s\n%-8s", "", "f32", "f64", "");
  for (int i = 0; i < 2; ++i) std::printf(" %8s %8s %8s", "reel", "libmvec", "sleef");
  std::printf("\n");
  for (const MathFunction& function : MathFunctions()) {
    const auto named = [&](const char* word) { return std::strcmp(word, function.name) == 0; };
    if (argc > 1 && std::none_of(argv + 1, argv + argc, named)) continue;
    std::printf("%-8s", function.name);
    Print<float>(function);
    Print<double>(function);
    std::printf("  on [%g, %g]\n", function.timing_lo, function.timing_hi);
  }
  std::printf("cycles of a clock of %.4f GHz\n", ClockGhz());
  return 0;
}

}  // namespace
}  // namespace reel::testing

int main(int argc, char** argv) { return reel::testing::Main(argc, argv); }
