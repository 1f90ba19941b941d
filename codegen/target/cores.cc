#include "codegen/target/cores.h"

#include <algorithm>

namespace reel::codegen {
namespace {

int64_t MostOf(int64_t Tuning::* field) {
  for (const Threshold<Tuning>& row : TuningTable()) {
    if (row.field == field) return row.most;
  }
  return 0;  // each field has a row
}

// At least `to`, as far as the row goes.
void Raise(int64_t Tuning::* field, int64_t to, Tuning* tuning) {
  tuning->*field = std::max(tuning->*field, std::min(to, MostOf(field)));
}

}  // namespace

Tuning ForCores(Tuning tuning, int cores) {
  const int64_t served = tuning.served_cores;
  if (cores <= served) return tuning;
  Raise(&Tuning::max_chunks, int64_t{2} * cores, &tuning);  // some end earlier than others
  Raise(&Tuning::matmul_blocks, cores, &tuning);
  Raise(&Tuning::shared_steps, cores / 2, &tuning);  // rows and panels of a product have steps each
  Raise(&Tuning::fused_lanes, cores, &tuning);
  Raise(&Tuning::fused_min_chunks, tuning.fused_lanes, &tuning);
  const int64_t run = std::max(tuning.matmul_least_run, tuning.matmul_run_bytes * served / cores);
  tuning.matmul_run_bytes = std::min(tuning.matmul_run_bytes, run);
  return tuning;
}

}  // namespace reel::codegen
