#include "frontend/cli/bench/machine.h"

#include <algorithm>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <functional>
#include <thread>
#include <vector>

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace reel::cli {
namespace {

constexpr int64_t kRounds = 1 << 20;
constexpr int kChains = 12;  // more than latency times ports of any core here

double Now() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

// Each runs kChains independent chains of multiply-adds kRounds times, keeps the results alive by
// `sink`, and returns the number of operations. The chains are spelled out so that they stay in
// registers, and start from numbers the compiler does not know: equal chains would be merged.
volatile float sink, seed = 1;

#define REEL_CHAINS(X) X(0) X(1) X(2) X(3) X(4) X(5) X(6) X(7) X(8) X(9) X(10) X(11)

#if defined(__x86_64__)
__attribute__((target("avx512f"))) double Peak512() {
  const __m512 x = _mm512_set1_ps(0.999f), y = _mm512_set1_ps(1e-3f);
#define REEL_START(i) __m512 a##i = _mm512_set1_ps(seed);
#define REEL_STEP(i) a##i = _mm512_fmadd_ps(a##i, x, y);
#define REEL_ADD(i) sum = _mm512_add_ps(sum, a##i);
  REEL_CHAINS(REEL_START)
  for (int64_t r = 0; r < kRounds; ++r) {
    REEL_CHAINS(REEL_STEP)
  }
  __m512 sum = x;
  REEL_CHAINS(REEL_ADD)
#undef REEL_START
#undef REEL_STEP
#undef REEL_ADD
  sink = _mm512_cvtss_f32(sum);
  return 2.0 * 16 * kChains * kRounds;
}

__attribute__((target("avx2,fma"))) double Peak256() {
  const __m256 x = _mm256_set1_ps(0.999f), y = _mm256_set1_ps(1e-3f);
#define REEL_START(i) __m256 a##i = _mm256_set1_ps(seed);
#define REEL_STEP(i) a##i = _mm256_fmadd_ps(a##i, x, y);
#define REEL_ADD(i) sum = _mm256_add_ps(sum, a##i);
  REEL_CHAINS(REEL_START)
  for (int64_t r = 0; r < kRounds; ++r) {
    REEL_CHAINS(REEL_STEP)
  }
  __m256 sum = x;
  REEL_CHAINS(REEL_ADD)
#undef REEL_START
#undef REEL_STEP
#undef REEL_ADD
  sink = _mm256_cvtss_f32(sum);
  return 2.0 * 8 * kChains * kRounds;
}
#endif

double PeakBaseline() {
#define REEL_START(i) float a##i = seed;
#define REEL_STEP(i) a##i = a##i * 0.999f + 1e-3f;
#define REEL_ADD(i) sum += a##i;
  REEL_CHAINS(REEL_START)
  for (int64_t r = 0; r < kRounds; ++r) {
    REEL_CHAINS(REEL_STEP)
  }
  float sum = 0;
  REEL_CHAINS(REEL_ADD)
#undef REEL_START
#undef REEL_STEP
#undef REEL_ADD
  sink = sum;
  return 2.0 * kChains * kRounds;
}

double (*FindPeak())() {
#if defined(__x86_64__)
  if (__builtin_cpu_supports("avx512f")) return Peak512;
  if (__builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma")) return Peak256;
#endif
  return PeakBaseline;
}

// Best of several runs of `threads` copies of `work` at once: units per second.
double BestRate(int threads, int runs, const std::function<double(int)>& work) {
  double best = 0;
  for (int i = 0; i < runs; ++i) {
    std::vector<double> done(static_cast<size_t>(threads));
    std::vector<std::thread> others;
    const double start = Now();
    for (int t = 1; t < threads; ++t)
      others.emplace_back([&, t] { done[static_cast<size_t>(t)] = work(t); });
    done[0] = work(0);
    for (std::thread& t : others) t.join();
    const double seconds = Now() - start;
    double total = 0;
    for (const double d : done) total += d;
    best = std::max(best, total / seconds);
  }
  return best;
}

// GB/s of copies within a working set of this many bytes per thread.
double CopyRate(int threads, size_t bytes) {
  constexpr double kTraffic = 2.5e8;
  const size_t half = bytes / 2;
  std::vector<std::vector<char>> blocks(static_cast<size_t>(threads),
                                        std::vector<char>(2 * half, 1));
  const int repeats = std::max(2, static_cast<int>(kTraffic / static_cast<double>(bytes)));
  return 1e-9 * BestRate(threads, 5, [&](int thread) {
           char* block = blocks[static_cast<size_t>(thread)].data();
           for (int i = 0; i < repeats; ++i) {
             std::memcpy(block + half, block, half);
             std::memcpy(block, block + half, half);
           }
           return 4.0 * static_cast<double>(half) * repeats;
         });
}

}  // namespace

double Machine::LimitSeconds(double flops, double bytes, DType dtype) const {
  constexpr double kL2 = 1.5e6, kL3 = 32e6;
  const double rate = bytes < kL2 ? l2 : bytes < kL3 ? l3 : dram;
  const double peak = dtype == kFloat64 ? gflops / 2 : gflops;
  return std::max(flops / peak, bytes / rate) * 1e-9;
}

Machine MeasureMachine(int threads) {
  Machine machine;
  const auto peak = FindPeak();
  machine.gflops = 1e-9 * BestRate(threads, 7, [&](int) { return peak(); });
  machine.l2 = CopyRate(threads, size_t{1} << 18);
  machine.l3 = CopyRate(threads, size_t{16} << 20);
  machine.dram = CopyRate(threads, size_t{256} << 20);
  return machine;
}

}  // namespace reel::cli
