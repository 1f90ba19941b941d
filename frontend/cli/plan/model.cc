#include "frontend/cli/plan/model.h"

#include "codegen/cost/estimate.h"
#include "ir/calls.h"
#include "ir/verifier.h"
#include "passes/shard/shard.h"

namespace reel::cli {
namespace {

// Bodies of branches and loops count once. Recursion is as deep as control steps are nested.
void AddSteps(const std::vector<codegen::Step>& steps, const codegen::Target& target, MemberStep* out) {
  for (const codegen::Step& step : steps) {
    AddSteps(step.first, target, out);
    AddSteps(step.second, target, out);
    if (step.control == codegen::Step::Control::kCollective) {
      const codegen::CollectiveSite& site = out->program.collectives[static_cast<size_t>(step.bytes)];
      if (site.op != ir::Op::kGroupRank) out->collectives.push_back(site);
    }
    if (step.kernel < 0 || step.bytes > 0) continue;  // of a call in parts the first one counts
    out->cycles += codegen::EstimateKernel(out->program.kernels[static_cast<size_t>(step.kernel)], target).work;
  }
}

int64_t BytesOf(const std::vector<ir::Parameter>& parameters) {
  int64_t bytes = 0;
  for (const ir::Parameter& p : parameters) bytes += p.type.bytes();
  return bytes;
}

}  // namespace

MemberStep PlanMember(const ir::Module& module, const std::string& function, int64_t shards, int64_t members,
                      bool shard_optimizer, const Common& common) {
  ir::Module own(module);
  const ir::Function& f = *own.FindFunction(function);
  passes::ShardOptions options{shards, members};
  for (int i = 0; i < f.num_arguments(); ++i) options.split.push_back(f.parameter(i).type.shape.rank() > 0);
  options.shard_optimizer = shard_optimizer;
  Check(passes::Shard(&own, function, options).status());
  ir::KeepReached(&own, {own.FindFunction(function)});  // others may have extents that are open
  Check(ir::Verify(own));
  const codegen::Target target = Take(codegen::FindTarget("native"));
  const ir::BudgetMeter meter = common.meter();
  codegen::PlanOptions plan;
  plan.meter = &meter;
  MemberStep out;
  out.program = Take(codegen::BuildProgram(own, target, plan));
  out.memory_bytes = out.program.instance_bytes;
  for (const ir::Literal& constant : out.program.constants) out.memory_bytes += constant.type().bytes();
  for (const codegen::EntryPoint& entry : out.program.entries) {
    if (entry.name != function) continue;
    AddSteps(entry.steps, target, &out);
    out.memory_bytes += BytesOf(entry.arguments) + BytesOf(entry.results);
  }
  return out;
}

int64_t TrainedBytes(const codegen::Program& program) {
  int64_t bytes = 0;
  for (const codegen::VariableSlot& v : program.variables) bytes += v.trainable ? v.type.bytes() : 0;
  return bytes;
}

}  // namespace reel::cli
