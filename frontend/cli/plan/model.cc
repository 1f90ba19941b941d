#include "frontend/cli/plan/model.h"

#include <algorithm>
#include <bit>
#include <cmath>

#include "codegen/cost/estimate.h"
#include "ir/calls.h"
#include "ir/verifier.h"
#include "passes/shard/shard.h"

namespace reel::cli {
namespace {

double Rounds(int64_t members) { return std::ceil(std::log2(static_cast<double>(members))); }

// Bodies of branches and loops count once. Recursion is as deep as control steps are nested.
void AddSteps(const std::vector<codegen::Step>& steps, const codegen::Target& target, MemberStep* out) {
  for (const codegen::Step& step : steps) {
    AddSteps(step.first, target, out);
    AddSteps(step.second, target, out);
    if (step.control == codegen::Step::Control::kCollective) {
      const codegen::CollectiveSite& site = out->program.collectives[static_cast<size_t>(step.bytes)];
      if (site.op != ir::Op::kGroupRank) out->collectives.push_back(site);
    }
    if (step.kernel < 0) continue;
    out->cycles += codegen::EstimateKernel(out->program.kernels[static_cast<size_t>(step.kernel)], target).work;
  }
}

int64_t BytesOf(const std::vector<ir::Parameter>& parameters) {
  int64_t bytes = 0;
  for (const ir::Parameter& p : parameters) bytes += p.type.bytes();
  return bytes;
}

}  // namespace

double Cluster::Crowding() const {
  return std::max(1.0, static_cast<double>(members_per_node) / static_cast<double>(cores));
}

MemberStep PlanMember(const ir::Module& module, const std::string& function, int64_t shards, int64_t members,
                      const Common& common) {
  ir::Module own(module);
  const ir::Function& f = *own.FindFunction(function);
  passes::ShardOptions options{shards, members};
  for (int i = 0; i < f.num_arguments(); ++i) options.split.push_back(f.parameter(i).type.shape.rank() > 0);
  Check(passes::Shard(&own, function, options));
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

double SecondsOf(const codegen::CollectiveSite& site, const Network& network) {
  if (site.size < 2) return 0;
  return Rounds(site.size) * network.latency + static_cast<double>(WireBytes(site)) * network.seconds_per_byte;
}

int64_t WireBytes(const codegen::CollectiveSite& site) {
  return site.size < 2 ? 0 : site.op == ir::Op::kBroadcastFrom ? site.bytes : (site.size - 1) * site.bytes;
}

int64_t BucketBytes(const Network& network, int64_t members, int64_t all) {
  if (members < 2 || all < 1) return 0;
  // Twice (rounds * latency + bytes * (P - 1) / P * seconds_per_byte), of which latency is to be a tenth.
  constexpr double kShare = 9;
  const double p = static_cast<double>(members);
  const double bytes = kShare * Rounds(members) * network.latency / (network.seconds_per_byte * (p - 1) / p);
  if (!(bytes < static_cast<double>(all))) return all;
  return std::min(all, static_cast<int64_t>(std::bit_ceil(static_cast<uint64_t>(std::max(1.0, bytes)))));
}

int64_t TrainedBytes(const codegen::Program& program) {
  int64_t bytes = 0;
  for (const codegen::VariableSlot& v : program.variables) bytes += v.trainable ? v.type.bytes() : 0;
  return bytes;
}

int64_t OptimizerBytes(const codegen::Program& program) {
  int64_t bytes = 0;
  for (const codegen::VariableSlot& v : program.variables) {
    const auto trained = [&v](const codegen::VariableSlot& other) { return other.trainable && other.type == v.type; };
    const bool state = !v.trainable && std::any_of(program.variables.begin(), program.variables.end(), trained);
    if (state) bytes += v.type.bytes();
  }
  return bytes;
}

}  // namespace reel::cli
