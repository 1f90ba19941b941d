#include "codegen/program/phases.h"

#include <algorithm>

#include "absl/strings/str_format.h"
#include "codegen/fusion/fusion.h"
#include "codegen/plan/collective_order.h"
#include "codegen/plan/text.h"
#include "codegen/plan/verify.h"
#include "codegen/program/record.h"
#include "ir/budget_scope.h"
#include "ir/file/folder.h"
#include "ir/file/writer.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

constexpr PlanPhase kPhases[] = {
    {"plan.maps", "which values get memory, and which of them one kernel computes",
     [](const PlanState& s) {
       const bool pairs = s.target.has_bf16 && s.options.vectorize, body = s.role == Role::kBody;
       *s.plan = PlanMaps(*s.f, {.fuse = s.fuse, .gather_small = body, .pairs = pairs, .tuning = s.target.tuning});
     }},
    {"plan.row_fusion", "maps and reductions over one row go through it while it is in cache",
     [](const PlanState& s) { FuseRows(s.f, s.target.tuning, s.plan); }},
    {"plan.two_stage_reductions", "large reductions and deep products leave partial results: threads share them",
     [](const PlanState& s) { SplitReductions(s.f, s.target.tuning, s.plan); }},
    {"plan.epilogue_reductions", "sums over a product's rows are made where its tiles are",
     [](const PlanState& s) { FuseEpilogueReductions(*s.f, s.target, s.plan); }},
    {"plan.producer_fusion", "a product computes its second operand row by row, which is not stored",
     [](const PlanState& s) {
       if (s.options.vectorize) FuseProducers(*s.f, s.target, s.plan);
     }},
    {"plan.borders", "what a padding shows is stored within its border, not moved there",
     [](const PlanState& s) { StoreInBorders(s.f, s.plan); }},
    {"plan.late_waits", "what reads results of collectives runs behind what can run while they are under way",
     [](const PlanState& s) { ReadCollectivesLate(*s.f, s.plan); }},
    {"plan.early_updates", "new values of variables are written as soon as they can be: gradients die early",
     [](const PlanState& s) {
       if (s.role == Role::kEntry) RunUpdatesEarly(*s.f, s.options.in_place, s.target.tuning, s.plan);
     }},
};

bool Contains(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

absl::Span<const PlanPhase> PlanPhases() { return kPhases; }

bool PhaseRunner::Runs(std::string_view phase) {
  const PhaseSwitches& switches = options_.phases;
  const bool left_out = Contains(switches.disable, phase) || (switches.limit >= 0 && ran_ >= switches.limit);
  const bool runs = phase == kPhases[0].name || !left_out;  // there must be a plan
  ran_ += runs;
  return runs;
}

absl::Status PhaseRunner::Dump(const ir::Function& f, const PlanPhase& phase, const PlanGraph& plan) {
  const PhaseSwitches& switches = options_.phases;
  const bool wanted = switches.dump_phases.empty() || Contains(switches.dump_phases, phase.name);
  if (switches.dump_to.empty() || !wanted) return absl::OkStatus();
  ir::MakeFolders(switches.dump_to);  // the file says what is wrong
  const std::string file =
      absl::StrFormat("%s/%04d_after_%s.plan.txt", switches.dump_to, switches.first + ran_, std::string(phase.name));
  return ir::WriteFile(file, Print(f, plan), {.durable = false});
}

absl::StatusOr<PlanGraph> PhaseRunner::Run(ir::Function* f, Role role, bool fuse, bool each_phase) {
  PlanGraph plan;
  const PlanState state{f, &plan, target_, options_, role, fuse};
  const PlanChecks& checks = GetPlanChecks();
  for (const PlanPhase& phase : absl::MakeSpan(kPhases, fuse ? std::size(kPhases) : 1)) {
    ir::ChargeVisits(f->nodes().size());
    if (Runs(phase.name)) {
      {
        const RecordTime time(options_.record, "planning", phase.name);
        phase.run(state);
      }
      if (absl::Status s = Dump(*f, phase, plan); !s.ok()) return s;
    }
    if (options_.phases.after) options_.phases.after(phase.name, *f, plan);
    if (checks.after_phase) checks.after_phase(phase.name, &plan);
    const bool last = !fuse || &phase == &kPhases[std::size(kPhases) - 1];
    if (!each_phase && !last) continue;
    if (absl::Status s = VerifyPlan(*f, plan); !s.ok()) {
      return absl::InternalError(StrCat("@", f->name(), ": the plan is wrong after ", phase.name, ": ", s.message()));
    }
  }
  return plan;
}

}  // namespace reel::codegen
