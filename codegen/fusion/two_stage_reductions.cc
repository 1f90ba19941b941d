#include "codegen/fusion/two_stage_reductions.h"

#include <algorithm>
#include <utility>

#include "codegen/fusion/renumber.h"
#include "codegen/fusion/row_fusion.h"
#include "codegen/loop/ceil.h"
#include "codegen/plan/rules.h"
#include "codegen/schedule/schedule.h"

namespace reel::codegen {
namespace {

using ir::Value;

// Of a deep product to few elements: the sums of its blocks of k, if these are few beside what it reads.
Shape BlocksOf(const ir::Function& f, const Tuning& tuning, const PlanGraph& plan, const KernelPlan& group) {
  const ir::Node& node = *f.producer(group.root);
  const Shape &x = f.type(node.operands[0]).shape, &w = f.type(node.operands[1]).shape;
  if (!group.Partials().empty() || x.rank() != 2 || w.rank() != 2) return {};
  const auto& deep = node.attr<std::vector<int64_t>>("a_contract");
  if (deep.size() != 1 || !node.attr<std::vector<int64_t>>("a_batch").empty()) return {};
  for (Value operand : node.operands) {
    const auto& view = plan.views[static_cast<size_t>(operand.id)];
    if (!view || IsHalf(f.type(view->base).dtype)) return {};
  }
  const int64_t blocks = Ceil(x.dim(static_cast<int>(deep[0])), kProductBlock);
  const int64_t size = f.type(group.root).shape.size();
  const int64_t read = x.size() + w.size();
  return blocks >= tuning.split_k_min_blocks && read >= tuning.two_stage_min_elements &&
                 tuning.split_k_ratio * blocks * size <= read
             ? Shape{blocks, size}
             : Shape{};
}

// How many times as long as to read and add an element it takes to compute one: four operations go with a read.
int64_t WeightOfElement(const PlanGraph& plan, const KernelPlan& group) {
  int64_t cycles = plan.cost[group.root.index()];
  for (Value v : group.producer) cycles += plan.cost[v.index()];
  return std::max<int64_t>(cycles / 4, 1);
}

// What the first of two kernels leaves to the second; of rank 0: one kernel does it.
Shape PartialsOf(const ir::Function& f, const Tuning& tuning, const PlanGraph& plan, const KernelPlan& group) {
  if (group.kind() == KernelKind::kMatmul) return BlocksOf(f, tuning, plan, group);
  if (group.kind() != KernelKind::kReduce || group.As<ReduceKernel>()->stage != ReduceKernel::Stage::kWhole) return {};
  const ir::Node& node = *f.producer(group.root);
  const Shape &from = f.type(node.operands[0]).shape, &to = f.type(group.root).shape;
  if (to.size() == 1) {
    const int64_t blocks = Ceil(from.size(), kReducedBlock);
    // So many blocks of bare additions: of what takes longer, fewer are as much work.
    const int64_t least = Ceil(tuning.two_stage_min_blocks * kReducedBlock, WeightOfElement(plan, group));
    const bool pays = blocks > 1 && from.size() >= least;
    return pays ? Shape{blocks} : Shape{};
  }
  // Rows of several axes: one axis before them is reduced.
  const auto& axes = node.attr<std::vector<int64_t>>("axes");
  int64_t rows = 1, kept = 0;
  for (int i = 0; i < from.rank(); ++i) {
    if (from.dim(i) == 1) continue;
    const bool reduced = std::binary_search(axes.begin(), axes.end(), i);
    if (reduced && !Holds(Rule::kTwoStageOneAxis, rows == 1 && kept == 0)) return {};
    if (reduced) rows = from.dim(i);
    kept += !reduced;
  }
  const int64_t least = kept > 1 ? tuning.two_stage_min_width : tuning.two_stage_min_row;
  const int64_t most = kept > 1 ? tuning.two_stage_max_width : tuning.two_stage_min_width - 1;
  const bool fits = kept > 0 && rows >= tuning.two_stage_min_rows && to.size() >= least && to.size() <= most;
  return fits && from.size() >= tuning.two_stage_min_elements ? Shape{Ceil(rows, kPartials), to.size()} : Shape{};
}

}  // namespace

void SplitReductions(ir::Function* f, const Tuning& tuning, PlanGraph* plan) {
  std::vector<KernelPlan> groups;
  const size_t before = plan->kernels.size();
  std::vector<int> place(before);  // of the group that has the root of an old one; behind these, of its first kernel
  for (size_t g = 0; g < before; ++g) {
    KernelPlan& group = plan->kernels[g];
    if (const Shape partials = PartialsOf(*f, tuning, *plan, group); partials.rank() > 0) {
      const Value blocks = AddPartials(f, plan, group.root, partials);
      const auto first = static_cast<int>(place.size());
      place.push_back(static_cast<int>(groups.size()));
      KernelPlan rest;
      rest.detail = ReduceKernel{ReduceKernel::Stage::kFinal, blocks};
      rest.root = group.root;
      rest.epilogue = std::exchange(group.epilogue, {});
      rest.last = group.last;
      rest.nodes = static_cast<int>(rest.epilogue.size()) + 1;
      rest.inputs = group.inputs;
      rest.inputs.push_back(first);
      if (group.kind() == KernelKind::kMatmul) {
        group.Get<MatmulKernel>().split_k = blocks;
      } else {
        group.detail = ReduceKernel{ReduceKernel::Stage::kPartial, blocks};
      }
      for (Value v : group.producer) plan->kernel_of[static_cast<size_t>(v.id)] = first;
      plan->kernel_of[static_cast<size_t>(blocks.id)] = first;
      // Others may read what it stores: with the rest, so that one number stands for both.
      groups.push_back(std::move(group));
      groups.push_back(std::move(rest));
    } else {
      groups.push_back(std::move(group));
    }
    place[g] = static_cast<int>(groups.size()) - 1;
  }
  ReplaceKernels(plan, std::move(groups), place);
}

}  // namespace reel::codegen
