#include "passes/pipeline.h"

#include <algorithm>
#include <chrono>

#include "ir/budget_scope.h"
#include "ir/file/folder.h"
#include "ir/file/writer.h"
#include "ir/strings.h"
#include "ir/structure.h"
#include "ir/text/printer.h"
#include "ir/verifier.h"

namespace reel::passes {
namespace {

constexpr PassEntry kUnexpanded[] = {
    {"sink_transposes", SinkTransposes, "convolutions are still there to be seen"},
};

constexpr PassEntry kOptimization[] = {
    {"dce", Dce, "dead code must not be inlined"},
    {"inline", Inline, "a gradient's second forward run meets the first in one function"},
    {"prove_indices", ProveIndices, "loops and gathers show their indices without checks that are not needed"},
    {"fold", Fold, "constants show simplify its numbers"},
    {"sink_slices", SinkSlices, "simplify makes one slice of a slice of a slice: a map has several then"},
    {"simplify", Simplify, "identities; transposes vanish into contractions"},
    {"sink_views", SinkViews, "what shows panels of weights as one axis is now one reshape"},
    {"cse", Cse, "forward parts that gradients repeat become one"},
    {"merge_loops", MergeLoops, "a gradient's recording loop is also the forward loop"},
    {"hoist", Hoist, "loops of gradients transpose their weights in every iteration"},
    {"unstack", Unstack, "loops over small systems go column by column"},
    {"simplify", Simplify, "equal operands show only after cse"},
    {"fold", Fold, "ops on what simplify made constant"},
    {"cse", Cse, "what the second round made equal"},
    {"select_parts", SelectParts, "what reads single parts of stacks has read them"},
    {"dce", Dce, "the other passes leave what they replaced"},
};

bool Contains(const std::vector<std::string>& list, std::string_view name) {
  return std::find(list.begin(), list.end(), name) != list.end();
}

// The same functions of the same names.
bool SameFunctions(const ir::Module& a, const ir::Module& b) {
  const auto same = [](const auto& f, const auto& g) { return f->name() == g->name() && ir::SameStructure(*f, *g); };
  return std::equal(a.functions().begin(), a.functions().end(), b.functions().begin(), b.functions().end(), same);
}

absl::Status AfterPass(const absl::Status& s, std::string_view name) {
  return {s.code(), StrCat(s.message(), ", after pass ", name)};
}

// Writes "<directory>/0003_after_cse.reel.txt".
absl::StatusOr<std::string> Dump(const ir::Module& m, std::string_view directory, int number, std::string_view pass) {
  std::string digits = StrCat(number);
  digits.insert(0, digits.size() < 4 ? 4 - digits.size() : 0, '0');
  ir::MakeFolders(std::string(directory));  // the file says what is wrong
  std::string path = StrCat(directory, "/", digits, "_after_", pass, ".reel.txt");
  const absl::Status written =
      ir::WriteFile(path, ir::Print(m, {.elide_large_constants = true, .locations = true}), {.durable = false});
  if (written.ok()) return path;
  return absl::UnavailableError(StrCat(std::string(written.message()), "; set REEL_DUMP_TO to a directory"));
}

// What a pass must keep: a valid module, and the truth about having changed it.
absl::Status Distrust(const ir::Module& m, bool changed, const ir::Module& before) {
  if (changed == SameFunctions(m, before)) {
    return absl::InternalError(changed ? "the pass says it changed the module, which is as before"
                                       : "the pass says it left the module, which changed");
  }
  return changed ? ir::Verify(m) : absl::OkStatus();
}

absl::StatusOr<PassReport> RunOne(ir::Module* m, const PassEntry& entry, int number, const PipelineOptions& options) {
  const ir::Module before = options.verify ? *m : ir::Module();
  const auto start = std::chrono::steady_clock::now();
  const auto changed = ir::Within(options.context.meter, [&] { return entry.pass(m, options.context); });
  const std::chrono::duration<double> seconds = std::chrono::steady_clock::now() - start;
  if (!changed.ok()) return AfterPass(changed.status(), entry.name);
  PassReport report{std::string(entry.name), *changed, seconds.count()};
  if (options.verify) {
    if (absl::Status s = Distrust(*m, *changed, before); !s.ok()) return AfterPass(s, entry.name);
  }
  const bool dump = options.dump_passes.empty() || Contains(options.dump_passes, entry.name);
  if (*changed && dump && !options.dump_to.empty()) {
    auto path = Dump(*m, options.dump_to, number, entry.name);
    if (!path.ok()) return AfterPass(path.status(), entry.name);
    report.dumped_to = *std::move(path);
  }
  return report;
}

}  // namespace

absl::Span<const PassEntry> UnexpandedPipeline() { return kUnexpanded; }
absl::Span<const PassEntry> OptimizationPipeline() { return kOptimization; }

absl::StatusOr<std::vector<PassReport>> RunPasses(ir::Module* m, absl::Span<const PassEntry> passes,
                                                  const PipelineOptions& options) {
  std::vector<PassReport> reports;
  for (const PassEntry& entry : passes) {
    const int64_t run = options.passes_before + static_cast<int64_t>(reports.size());
    if (options.pass_limit >= 0 && run >= options.pass_limit) break;
    if (Contains(options.disable, entry.name)) continue;
    if (options.context.meter) {
      if (absl::Status s = options.context.meter->CheckTime(); !s.ok()) return s;
    }
    auto report = RunOne(m, entry, static_cast<int>(run) + 1, options);
    if (!report.ok()) return report.status();
    reports.push_back(*std::move(report));
  }
  return reports;
}

absl::StatusOr<std::vector<PassReport>> Optimize(ir::Module* m, const PipelineOptions& options) {
  return RunPasses(m, OptimizationPipeline(), options);
}

}  // namespace reel::passes
