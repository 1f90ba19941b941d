#include "frontend/report/rates.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#include "runtime/thread_pool.h"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace reel::internal {
namespace {

double Now() { return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count(); }

// Units per second of `work` on all threads at once, the best of `runs`.
double BestRate(int threads, int runs, const std::function<double(int thread)>& work) {
  double best = 0;
  for (int i = 0; i < runs; ++i) {
    std::vector<double> done(static_cast<size_t>(threads));
    std::vector<std::thread> others;
    std::atomic<int> ready = 0;
    const auto run = [&](int t) {
      ++ready;
      while (ready < threads) std::this_thread::yield();
      done[static_cast<size_t>(t)] = work(t);
    };
    try {
      for (int t = 1; t < threads; ++t) others.emplace_back(run, t);
    } catch (...) {  // those that run must end before they are destroyed
      ready += threads;
      for (std::thread& t : others) t.join();
      throw;
    }
    while (ready < threads - 1) std::this_thread::yield();
    const double start = Now();
    run(0);
    for (std::thread& t : others) t.join();
    const double seconds = Now() - start;
    double total = 0;
    for (const double d : done) total += d;
    best = std::max(best, total / seconds);
  }
  return best;
}

// ---- arithmetic: kChains independent chains of multiply-adds, more than latency times ports of any
// core here. They are spelled out so that they stay in registers, and start from numbers the compiler
// does not know: equal chains would be merged.

constexpr int64_t kRounds = 1 << 16;
constexpr int kChains = 12;
volatile float sink, seed = 1;

#define REEL_CHAINS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)
#define REEL_START(i) V a##i = V{} + seed;
#define REEL_STEP(i) a##i = Fma(a##i, x, y);
#define REEL_ADD(i) sum += a##i;
#define REEL_TARGET(features) __attribute__((target(features)))

// Returns the number of operations.
#define REEL_PEAK(name, attributes, vector, operations, x_value, y_value) \
  attributes double name() {                                              \
    using V = vector;                                                     \
    const auto x = x_value, y = y_value;                                  \
    REEL_CHAINS(REEL_START)                                               \
    for (int64_t r = 0; r < kRounds; ++r) {                               \
      REEL_CHAINS(REEL_STEP)                                              \
    }                                                                     \
    V sum = V{};                                                          \
    REEL_CHAINS(REEL_ADD)                                                 \
    sink = static_cast<float>(sum[0]);                                    \
    return static_cast<double>(operations * kChains * kRounds);           \
  }

typedef float Float4 __attribute__((vector_size(16)));
typedef double Double2 __attribute__((vector_size(16)));
inline Float4 Fma(Float4 a, Float4 x, Float4 y) { return a * x + y; }
inline Double2 Fma(Double2 a, Double2 x, Double2 y) { return a * x + y; }
REEL_PEAK(PeakFloat, , Float4, 8, (V{} + 0.999f), (V{} + 1e-3f))
REEL_PEAK(PeakDouble, , Double2, 4, (V{} + 0.999), (V{} + 1e-3))

#if defined(__x86_64__)
#define REEL_AVX2 REEL_TARGET("avx2,fma")
#define REEL_AVX512 REEL_TARGET("avx512f")
#define REEL_BF16 REEL_TARGET("avx512f,avx512bf16")
#define REEL_INLINE __attribute__((always_inline)) inline
REEL_AVX2 REEL_INLINE __m256 Fma(__m256 a, __m256 x, __m256 y) { return _mm256_fmadd_ps(a, x, y); }
REEL_AVX2 REEL_INLINE __m256d Fma(__m256d a, __m256d x, __m256d y) { return _mm256_fmadd_pd(a, x, y); }
REEL_AVX512 REEL_INLINE __m512 Fma(__m512 a, __m512 x, __m512 y) { return _mm512_fmadd_ps(a, x, y); }
REEL_AVX512 REEL_INLINE __m512d Fma(__m512d a, __m512d x, __m512d y) { return _mm512_fmadd_pd(a, x, y); }
REEL_BF16 REEL_INLINE __m512 Fma(__m512 a, __m512bh x, __m512bh y) { return _mm512_dpbf16_ps(a, x, y); }
REEL_PEAK(PeakFloat256, REEL_AVX2, __m256, 16, (V{} + 0.999f), (V{} + 1e-3f))
REEL_PEAK(PeakDouble256, REEL_AVX2, __m256d, 8, (V{} + 0.999), (V{} + 1e-3))
REEL_PEAK(PeakFloat512, REEL_AVX512, __m512, 32, (V{} + 0.999f), (V{} + 1e-3f))
REEL_PEAK(PeakDouble512, REEL_AVX512, __m512d, 16, (V{} + 0.999), (V{} + 1e-3))
REEL_PEAK(PeakBf16, REEL_BF16, __m512, 64, _mm512_cvtne2ps_pbh(V{} + 0.1f, V{} + 0.1f),
          _mm512_cvtne2ps_pbh(V{} + 1e-3f, V{} + 1e-3f))
#endif

// ---- traffic: vectors of `width` bytes, four at a time. The empty statements keep the compiler from
// calling memcpy or memset instead.

struct Traffic {
  void (*read)(const std::byte* from, size_t bytes);
  void (*write)(std::byte* to, size_t bytes);
  void (*copy)(std::byte* to, const std::byte* from, size_t bytes);
  void (*update)(std::byte* block, size_t bytes);
};

volatile int64_t word;

#define REEL_TRAFFIC(width, attributes)                                             \
  typedef int64_t Words##width __attribute__((vector_size(width), may_alias));      \
  attributes void Read##width(const std::byte* from, size_t bytes) {                \
    Words##width a{}, b{}, c{}, d{};                                                \
    const auto* p = reinterpret_cast<const Words##width*>(from);                    \
    for (const auto* end = p + bytes / width; p < end; p += 4) {                    \
      a |= p[0], b |= p[1], c |= p[2], d |= p[3];                                   \
    }                                                                               \
    word = ((a | b) | (c | d))[0];                                                  \
  }                                                                                 \
  attributes void Write##width(std::byte* to, size_t bytes) {                       \
    const Words##width value = Words##width{} + word;                               \
    auto* p = reinterpret_cast<Words##width*>(to);                                  \
    for (auto* end = p + bytes / width; p < end; p += 4) {                          \
      p[0] = value, p[1] = value, p[2] = value, p[3] = value;                       \
      asm volatile("" ::: "memory");                                                \
    }                                                                               \
  }                                                                                 \
  attributes void Copy##width(std::byte* to, const std::byte* from, size_t bytes) { \
    auto* p = reinterpret_cast<Words##width*>(to);                                  \
    const auto* q = reinterpret_cast<const Words##width*>(from);                    \
    for (auto* end = p + bytes / width; p < end; p += 4, q += 4) {                  \
      p[0] = q[0], p[1] = q[1], p[2] = q[2], p[3] = q[3];                           \
      asm volatile("" ::: "memory");                                                \
    }                                                                               \
  }                                                                                 \
  attributes void Update##width(std::byte* block, size_t bytes) {                   \
    const Words##width value = Words##width{} + word;                               \
    auto* p = reinterpret_cast<Words##width*>(block);                               \
    for (auto* end = p + bytes / width; p < end; p += 4) {                          \
      p[0] ^= value, p[1] ^= value, p[2] ^= value, p[3] ^= value;                   \
      asm volatile("" ::: "memory");                                                \
    }                                                                               \
  }                                                                                 \
  constexpr Traffic kTraffic##width = {Read##width, Write##width, Copy##width, Update##width};

REEL_TRAFFIC(16, )
#if defined(__x86_64__)
REEL_TRAFFIC(32, REEL_AVX2)
REEL_TRAFFIC(64, REEL_AVX512)
#endif

const Traffic& BestTraffic() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return kTraffic64;
  if (__builtin_cpu_supports("avx2")) return kTraffic32;
#endif
  return kTraffic16;
}

}  // namespace

Peaks MeasurePeaks(int threads) {
  double (*f32)() = PeakFloat;
  double (*f64)() = PeakDouble;
  double (*bf16)() = nullptr;
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) {
    f32 = PeakFloat512, f64 = PeakDouble512;
    if (__builtin_cpu_supports("avx512bf16")) bf16 = PeakBf16;
  } else if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) {
    f32 = PeakFloat256, f64 = PeakDouble256;
  }
#endif
  const auto rate = [threads](double (*peak)()) {
    return peak ? 1e-9 * BestRate(threads, 15, [peak](int) { return peak(); }) : 0;
  };
  return {rate(f32), rate(f64), rate(bf16)};
}

Rates MeasureRates(int threads, std::span<std::byte> memory) {
  constexpr size_t kRun = size_t{24} << 20;  // bytes a run touches per thread, at least
  const size_t half = memory.size() / static_cast<size_t>(threads) / 2 & ~size_t{4095};
  const size_t own = 2 * half;
  const auto repeats = std::max<size_t>(1, kRun / own);
  const int runs = own > kRun ? 4 : 8;
  const auto rate = [&](double ways, const std::function<void(std::byte*)>& pass) {
    return 1e-9 * BestRate(threads, runs, [&](int t) {
             std::byte* block = memory.data() + static_cast<size_t>(t) * own;
             for (size_t i = 0; i < repeats; ++i) pass(block);
             return ways * static_cast<double>(own * repeats);
           });
  };
  const Traffic& traffic = BestTraffic();
  Rates rates;
  rates.read = rate(1, [&](std::byte* b) { traffic.read(b, own); });
  rates.write = std::max(rate(1, [&](std::byte* b) { traffic.write(b, own); }),
                         rate(1, [&](std::byte* b) { std::memset(b, 1, own); }));
  // Half of the block to the other half: `own` bytes read and written.
  rates.copy = std::max(rate(1, [&](std::byte* b) { traffic.copy(b + half, b, half); }),
                        rate(1, [&](std::byte* b) { std::memcpy(b + half, b, half); }));
  rates.update = rate(2, [&](std::byte* b) { traffic.update(b, own); });
  return rates;
}

double MeasureForkJoin(int threads) {
  constexpr int kSteps = 500;
  const int before = runtime::NumThreads();
  runtime::SetNumThreads(threads);
  double best = 1;
  for (int run = 0; run < 20; ++run) {
    const double start = Now();
    for (int i = 0; i < kSteps; ++i) runtime::ParallelFor(threads, [](int64_t) noexcept {});
    best = std::min(best, (Now() - start) / kSteps);
  }
  runtime::SetNumThreads(before);
  return best;
}

}  // namespace reel::internal
