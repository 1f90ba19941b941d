#ifndef REEL_PASSES_PIPELINE_H_
#define REEL_PASSES_PIPELINE_H_

#include <functional>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/status.h"
#include "absl/types/span.h"
#include "passes/pass.h"

namespace reel::passes {

/// One entry of a pipeline.
struct PassEntry {
  std::string_view name;
  Pass pass;
  std::string_view why;  ///< what it is for at this place
};

/// What runs before Expand.
absl::Span<const PassEntry> UnexpandedPipeline();
/// The passes before compilation, in order.
absl::Span<const PassEntry> OptimizationPipeline();

struct PipelineOptions {
  PassContext context = {};
  /// Verify the module after every pass and compare its fingerprint with what the pass says.
  bool verify = true;
  /// Names of passes to leave out (REEL_DISABLE_PASSES).
  std::vector<std::string> disable = {};
  /// Stop after so many passes; < 0: no limit (REEL_PASS_LIMIT).
  int64_t pass_limit = -1;
  /// So many ran before: the limit and the names of dumps count them.
  int64_t passes_before = 0;
  /// Directory for the text after each change; empty: none (REEL_DUMP_TO).
  std::string dump_to = {};
  /// Dump only after these; empty: after all (REEL_DUMP_PASSES).
  std::vector<std::string> dump_passes = {};
};

struct PassReport {
  std::string name;
  bool changed = false;
  double seconds = 0;
  std::string dumped_to = {};  ///< empty if nothing was written
};

/// Runs the passes in order; the module must be verified. Reports what each did; disabled passes
/// are not in the report. The text of an error ends in "after pass <name>".
absl::StatusOr<std::vector<PassReport>> RunPasses(ir::Module* m, absl::Span<const PassEntry> passes,
                                                  const PipelineOptions& options = {});

/// RunPasses(OptimizationPipeline()).
absl::StatusOr<std::vector<PassReport>> Optimize(ir::Module* m, const PipelineOptions& options = {});

}  // namespace reel::passes

#endif  // REEL_PASSES_PIPELINE_H_
