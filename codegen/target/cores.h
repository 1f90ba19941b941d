#ifndef REEL_CODEGEN_TARGET_CORES_H_
#define REEL_CODEGEN_TARGET_CORES_H_

#include "codegen/target/tuning.h"

namespace reel::codegen {

/// Tuning for a machine of so many cores. Above Tuning::served_cores products have more blocks of rows, and chains more
/// chunks and lanes, each with a frame of its own: an instance takes more memory. No bits depend on it.
Tuning ForCores(Tuning tuning, int cores);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_TARGET_CORES_H_
