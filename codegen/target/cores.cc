#include "codegen/target/cores.h"

#include <algorithm>

namespace reel::codegen {
namespace {

constexpr int64_t kMostLanes = 64, kMostChunks = 1024;  // of Tuning::fused_lanes, max_chunks
constexpr int64_t kLeastRun = 128;  // bytes: two cache lines, which the hardware fetches together

}  // namespace

Tuning ForCores(Tuning tuning, int cores) {
  const int64_t n = cores, lanes = std::min(n, kMostLanes);
  tuning.max_chunks =
      std::max(tuning.max_chunks, std::min<int64_t>(2 * n, kMostChunks));  // some end earlier than others
  tuning.matmul_blocks = std::max<int64_t>(tuning.matmul_blocks, n);
  tuning.fused_min_chunks = std::max<int64_t>(tuning.fused_min_chunks, lanes);
  tuning.fused_lanes = std::max<int64_t>(tuning.fused_lanes, lanes);
  tuning.shared_steps = std::max<int64_t>(tuning.shared_steps, n / 2);
  tuning.matmul_run_bytes = std::min(tuning.matmul_run_bytes, std::max(kLeastRun, tuning.matmul_run_bytes * 8 / n));
  return tuning;
}

}  // namespace reel::codegen
