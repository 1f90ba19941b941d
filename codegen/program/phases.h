#ifndef REEL_CODEGEN_PROGRAM_PHASES_H_
#define REEL_CODEGEN_PROGRAM_PHASES_H_

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "codegen/plan/normalize.h"
#include "codegen/plan/plan.h"
#include "codegen/program/program.h"

// The phases that plan a function, in one list, under the switches of the passes before them: REEL_DISABLE_PASSES,
// REEL_PASS_LIMIT, REEL_DUMP_TO, REEL_DUMP_PASSES. All but the first may be left out: the bits are the same.

namespace reel::codegen {

/// What a phase works on.
struct PlanState {
  ir::Function* f;
  PlanGraph* plan;
  const Target& target;
  const PlanOptions& options;
  Role role;
  bool fuse;
};

struct PlanPhase {
  std::string_view name;
  std::string_view why;
  void (*run)(const PlanState& state);
};
absl::Span<const PlanPhase> PlanPhases();
/// Kernels go through chunks together (chain.h): while items are made of finished loops, so it stands behind the list.
inline constexpr std::string_view kTileFusion = "loops.tile_fusion";

/// Chunks are split along a second loop where the outermost has too few (loop/split_chunks.h): of kernels in no chain.
inline constexpr std::string_view kInnerChunks = "loops.inner_chunks";

/// Neighbouring kernels that need nothing of each other are one step (beside.h), where no kernel by kernel profile is
/// wanted.
inline constexpr std::string_view kHorizontalFusion = "loops.horizontal_fusion";

/// Runs the phases on normal forms. One object a program: the limit counts over all of its functions.
class PhaseRunner {
 public:
  PhaseRunner(const Target& target, const PlanOptions& options) : target_(target), options_(options) {}

  /// The kernels of a function, which gets values for partial sums. Internal, with the phase's name, if a plan is
  /// wrong: looked for after each phase, or after the last.
  absl::StatusOr<PlanGraph> Run(ir::Function* f, Role role, bool fuse, bool each_phase);

  /// Whether a phase of this name runs now; it is counted if so.
  bool Runs(std::string_view phase);

 private:
  absl::Status Dump(const ir::Function& f, const PlanPhase& phase, const PlanGraph& plan);

  const Target& target_;
  const PlanOptions& options_;
  int64_t ran_ = 0;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_PHASES_H_
