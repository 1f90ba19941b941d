#ifndef REEL_FRONTEND_REPORT_RATES_H_
#define REEL_FRONTEND_REPORT_RATES_H_

#include <cstddef>
#include <span>

// What a core can do at most, measured: each figure is the best of several runs of about a
// millisecond on some threads at once.

namespace reel::internal {

/// GFLOP/s of multiply-adds in registers; bf16 with f32 sums, 0 where the CPU has no such
/// instruction.
struct Peaks {
  double f32 = 0, f64 = 0, bf16 = 0;
};
Peaks MeasurePeaks(int threads);

/// GB/s. Copies and updates in place count both ways.
struct Rates {
  double read = 0, write = 0, copy = 0, update = 0;
};
/// Of a working set that the threads share out; it was written to before.
Rates MeasureRates(int threads, std::span<std::byte> memory);

/// Seconds of a step of `threads` empty chunks, while the gang of threads spins.
double MeasureForkJoin(int threads);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_REPORT_RATES_H_
