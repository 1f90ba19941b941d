#ifndef REEL_FRONTEND_REPORT_MACHINE_H_
#define REEL_FRONTEND_REPORT_MACHINE_H_

#include <array>
#include <cstdint>
#include <vector>

#include "frontend/report/rates.h"
#include "reel/profile.h"

namespace reel::internal {

/// What this machine can do with some threads, measured.
struct Machine {
  static constexpr std::array<const char*, 4> kLevels = {"l1", "l2", "l3", "dram"};

  int threads = 1;
  Peaks peaks;
  std::array<int64_t, 3> sizes{};  ///< bytes of the caches; of L1 and L2 one core's
  std::array<Rates, 4> rates{};    ///< by level
  double fork_join_s = 0;

  /// Bytes of all caches of a level that these threads have.
  int64_t Capacity(size_t level) const { return sizes[level] * (level < 2 ? threads : 1); }
  /// GFLOP/s; of bf16 where the CPU multiplies it faster than f32, else of f32.
  double PeakOf(DType dtype) const;
  /// GB/s of the level that holds so many bytes: of copies, `updates` in place, or what is faster where nearly all is
  /// read or written. What is measured of a level may be slower than the next one.
  double RateOf(double resident, double bytes_read, double bytes_written, bool updates) const;
  /// Least time of all calls of a kernel, each with its bytes in the level that holds them: an optimist's, for a
  /// kernel finds there only what ran before it.
  double LimitSeconds(const KernelProfile& kernel) const;
};

/// One after another for each number of threads; about a quarter of a second each.
std::vector<Machine> MeasureMachine(const std::vector<int>& threads);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_REPORT_MACHINE_H_
