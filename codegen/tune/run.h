#ifndef REEL_CODEGEN_TUNE_RUN_H_
#define REEL_CODEGEN_TUNE_RUN_H_

#include <cstddef>
#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/compiler.h"
#include "runtime/buffer.h"

// Runs of compiled programs: how long each kernel took, and what came out.

namespace reel::codegen {

/// Arguments for whoever has none: floats in [-1, 1], integers 0. They lie as tensors do, at cache lines: where they
/// begin decides how fast vectors are read.
class RandomArguments {
 public:
  /// Throws std::bad_alloc.
  explicit RandomArguments(const EntryPoint& entry);
  std::vector<const void*> pointers() const;

 private:
  std::vector<runtime::Buffer> buffers_;
};

struct Runs {
  std::vector<double> kernels;  ///< seconds of all calls of each kernel in one run, the least of all runs; if profiled
  std::vector<int64_t> calls;  ///< of each kernel in one run; if profiled
  double least = 0, median = 0;  ///< seconds of a run
  std::vector<std::byte> outcome;  ///< results and variables after the last run
};

/// Runs an entry point so often, from the initial state, on the gang of threads. `stop`: runs end, Cancelled, when that
/// is not 0.
absl::StatusOr<Runs> RunProgram(const CompiledModule& code, int entry, const std::vector<const void*>& arguments,
                                int times, const volatile int32_t* stop = nullptr);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_TUNE_RUN_H_
