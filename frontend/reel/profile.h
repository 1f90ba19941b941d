#ifndef REEL_PROFILE_H_
#define REEL_PROFILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "reel/tensor.h"

namespace reel {

/// What one kernel did in the calls of an instance: a row of ExecutionProfile. Sums over all calls.
struct KernelProfile {
  std::string name;     ///< of its ops, the same in every run: "contract_add_max"; "copy" for copies
  int64_t kernel = -1;  ///< its number in Executable::Plan(); -1: copies between buffers
  int64_t calls = 0;
  double seconds = 0;  ///< on the calling thread, from its begin until all threads are done
  double best = 0;     ///< seconds of the fastest call
  double flops = 0;    ///< operations on floats; a function such as exp counts 20
  /// Each element a call touches, once: the least that goes through memory.
  double bytes_read = 0, bytes_written = 0;
  DType dtype = kFloat32;  ///< widest floats that the operations are on; bf16 if the CPU multiplies that
};

/// What an instance's calls took since it was made, or since ResetProfile.
struct ExecutionProfile {
  int64_t calls = 0;   ///< of entry points
  double seconds = 0;  ///< of these calls
  double best = 0;     ///< seconds of the fastest
  std::vector<KernelProfile> kernels;  ///< those that ran, the longest first

  /// A line per kernel: calls, time, share of it, the fastest call, bytes, flops, GB/s and GFLOP/s.
  std::string Table() const;
};

}  // namespace reel

#endif  // REEL_PROFILE_H_
