#include <algorithm>
#include <utility>

#include "codegen/fusion/fusion.h"
#include "codegen/loop/ceil.h"
#include "codegen/plan/order.h"
#include "codegen/plan/rules.h"
#include "ir/reduction_order.h"

namespace reel::codegen {
namespace {

using ir::kPartials, ir::kProductBlock, ir::kReducedBlock, ir::Value;

// Of a deep product to few elements: the sums of its blocks of k, if these are few beside what it reads.
Shape BlocksOf(const ir::Function& f, const Tuning& tuning, const PlanGraph& plan, const KernelPlan& kernel) {
  const ir::Node& node = *f.producer(kernel.root);
  const Shape &x = f.type(node.operands[0]).shape, &w = f.type(node.operands[1]).shape;
  if (!kernel.Partials().empty() || x.rank() != 2 || w.rank() != 2) return {};
  const auto& deep = node.attr<std::vector<int64_t>>("a_contract");
  if (deep.size() != 1 || !node.attr<std::vector<int64_t>>("a_batch").empty()) return {};
  for (Value operand : node.operands) {
    const auto& view = plan.views[operand.index()];
    if (!view || IsHalf(f.type(view->base).dtype)) return {};
  }
  const int64_t blocks = Ceil(x.dim(static_cast<int>(deep[0])), kProductBlock);
  const int64_t size = f.type(kernel.root).shape.size();
  const int64_t read = x.size() + w.size();
  return blocks >= tuning.split_k_min_blocks && read >= tuning.two_stage_min_elements &&
                 tuning.split_k_ratio * blocks * size <= read
             ? Shape{blocks, size}
             : Shape{};
}

// How many times as long as to read and add an element it takes to compute one: four operations go with a read.
int64_t WeightOfElement(const PlanGraph& plan, const KernelPlan& kernel) {
  int64_t cycles = plan.cost[kernel.root.index()];
  for (Value v : kernel.producer) cycles += plan.cost[v.index()];
  return std::max<int64_t>(cycles / 4, 1);
}

// What the first of two kernels leaves to the second; of rank 0: one kernel does it.
Shape PartialsOf(const ir::Function& f, const Tuning& tuning, const PlanGraph& plan, const KernelPlan& kernel) {
  if (kernel.kind() == KernelKind::kMatmul) return BlocksOf(f, tuning, plan, kernel);
  if (kernel.kind() != KernelKind::kReduce || kernel.As<ReduceKernel>()->stage != ReduceKernel::Stage::kWhole)
    return {};
  const ir::Node& node = *f.producer(kernel.root);
  const Shape &from = f.type(node.operands[0]).shape, &to = f.type(kernel.root).shape;
  if (to.size() == 1) {
    const int64_t blocks = Ceil(from.size(), kReducedBlock);
    // So many blocks of bare additions: of what takes longer, fewer are as much work.
    const int64_t least = Ceil(tuning.two_stage_min_blocks * kReducedBlock, WeightOfElement(plan, kernel));
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

// Takes the first half of a kernel, which leaves `blocks`: the rest begins with these.
KernelPlan FirstHalf(KernelPlan* kernel, Value blocks) {
  KernelPlan first = *kernel;
  first.epilogue.clear();
  if (first.kind() == KernelKind::kMatmul) {
    first.Get<MatmulKernel>().split_k = blocks;
  } else {
    first.detail = ReduceKernel{ReduceKernel::Stage::kPartial, blocks};
  }
  kernel->detail = ReduceKernel{ReduceKernel::Stage::kFinal, blocks};
  kernel->producer.clear();
  kernel->nodes = static_cast<int>(kernel->epilogue.size()) + 1;
  kernel->apart = Apart::kNone;
  kernel->apart_from = {};
  return first;
}

}  // namespace

void SplitReductions(ir::Function* f, const Tuning& tuning, PlanGraph* plan) {
  std::vector<KernelPlan> kernels;
  const size_t before = plan->kernels.size();
  std::vector<int> place(before);  // of the kernel that has the root of an old one; behind these, of its first half
  for (size_t g = 0; g < before; ++g) {
    KernelPlan kernel = std::move(plan->kernels[g]);
    if (const Shape partials = PartialsOf(*f, tuning, *plan, kernel); partials.rank() > 0) {
      const Value blocks = AddPartials(f, plan, kernel.root, partials);
      const auto first = static_cast<int>(place.size());
      place.push_back(static_cast<int>(kernels.size()));
      // Others may read what it stores: with the second half, so that one number stands for both.
      kernels.push_back(FirstHalf(&kernel, blocks));
      for (Value v : kernels.back().producer) plan->kernel_of[v.index()] = first;
      plan->kernel_of[blocks.index()] = first;
      kernel.inputs.push_back(first);
    }
    place[g] = static_cast<int>(kernels.size());
    kernels.push_back(std::move(kernel));
  }
  ReplaceKernels(plan, std::move(kernels), place);
}

}  // namespace reel::codegen
