#include <algorithm>
#include <map>
#include <utility>

#include "codegen/fusion/fusion.h"
#include "codegen/fusion/row_regions.h"
#include "codegen/loop/ceil.h"
#include "codegen/plan/order.h"
#include "ir/reduction_order.h"

namespace reel::codegen {
namespace {

using ir::Node;
using ir::Op;
using ir::Value;

// The kernel of a region. Sums over rows leave their partial results to the second halves of their kernels.
KernelPlan KernelOf(ir::Function* f, const RowRegions& regions, const RowRegion& region, PlanGraph* plan) {
  KernelPlan kernel;
  RowWiseKernel rows{region.form.rows, region.form.width, {}};
  kernel.nodes = region.nodes;
  std::vector<Value>& members = kernel.epilogue;
  for (int part : region.parts) {
    KernelPlan& from = plan->kernel(part);
    kernel.last = std::max(kernel.last, from.last);
    members.insert(members.end(), from.producer.begin(), from.producer.end());
    from.producer.clear();
    if (regions.IsSummed(part)) {
      const int64_t groups = Ceil(region.form.num_rows(), ir::kPartials);
      const Value to = AddPartials(f, plan, from.root, {groups, rows.width});
      from.detail = ReduceKernel{ReduceKernel::Stage::kFinal, to};
      rows.reductions.push_back({from.root, to});
      continue;
    }
    if (from.root.valid()) members.push_back(from.root);
    members.insert(members.end(), from.epilogue.begin(), from.epilogue.end());
  }
  kernel.detail = std::move(rows);
  std::sort(members.begin(), members.end());
  return kernel;
}

// A value of a region is stored if others read it, or it is a result.
void FindStored(const ir::Function& f, const RowRegions& regions, const std::map<int, KernelPlan>& kernels,
                PlanGraph* plan) {
  std::vector<bool> needed(plan->stored.size(), false);
  for (Value v : f.results()) needed[v.index()] = true;
  const auto read = [&](const std::vector<Value>& leaves, int reader) {
    for (Value v : leaves) needed[v.index()] = needed[v.index()] || plan->kernel_of[v.index()] != reader;
  };
  for (int g = 0; g < regions.num_kernels(); ++g) {
    const int r = regions.RegionOfPart(g);
    read(regions.leaves[static_cast<size_t>(g)], r >= 0 ? regions.NumberOf(r) : g);
    read(regions.post_leaves[static_cast<size_t>(g)], g);
  }
  for (const auto& [owner, kernel] : kernels) {
    for (Value v : kernel.epilogue) plan->stored[v.index()] = needed[v.index()];
  }
}

// Puts the regions' kernels in the place of their last parts; ties as before.
void Replace(const RowRegions& regions, std::map<int, KernelPlan> kernels, PlanGraph* plan) {
  std::vector<int> owners;
  for (int g = 0; g < regions.num_kernels(); ++g) {
    if (regions.RegionOfPart(g) < 0 || regions.IsSummed(g)) owners.push_back(g);
  }
  for (const auto& [owner, kernel] : kernels) owners.push_back(owner);
  std::vector<int> position(static_cast<size_t>(regions.NumberOf(static_cast<int>(regions.regions.size()))), -1);
  for (size_t i = 0; i < owners.size(); ++i) position[static_cast<size_t>(owners[i])] = static_cast<int>(i);
  std::vector<std::vector<int>> inputs(owners.size());
  std::vector<int32_t> keys;
  for (size_t i = 0; i < owners.size(); ++i) {
    regions.VisitInputs(owners[i], [&](int d) { inputs[i].push_back(position[static_cast<size_t>(d)]); });
    const int r = regions.RegionOf(owners[i]);
    keys.push_back(r >= 0 ? regions.regions[static_cast<size_t>(r)].last : owners[i]);
  }
  const std::vector<int> order = TopologicalOrder(inputs, keys);
  std::vector<KernelPlan> ordered;
  std::vector<int> place(position.size(), -1);
  for (int i : order) {
    const int owner = owners[static_cast<size_t>(i)];
    place[static_cast<size_t>(owner)] = static_cast<int>(ordered.size());
    ordered.push_back(std::move(regions.RegionOf(owner) >= 0 ? kernels.at(owner) : plan->kernel(owner)));
    ordered.back().inputs.clear();
    regions.VisitInputs(owner, [&](int d) { ordered.back().inputs.push_back(d); });
    for (const auto& [root, to] : ordered.back().Partials()) plan->kernel_of[to.index()] = owner;
  }
  ReplaceKernels(plan, std::move(ordered), place);
}

}  // namespace

// `shape` is a copy: those of the function move with its types.
Value AddPartials(ir::Function* f, PlanGraph* plan, Value root, Shape shape) {
  const Node& node = *f->producer(root);
  const Value operand = node.operands[0];  // before the nodes move
  const Op op = node.op == Op::kContract ? Op::kReduceSum : node.op;
  const Value v = f->AddNode(op, {operand}, nullptr, {{f->type(root).dtype, shape}}).result();
  plan->materialized.push_back(true);
  plan->views.push_back(View{v, 0, RowMajorStrides(shape)});
  plan->kernel_of.push_back(-1);
  plan->stored.push_back(true);
  return v;
}

void FuseRows(ir::Function* f, const Tuning& tuning, PlanGraph* plan) {
  const RowRegions regions = FindRowRegions(*f, tuning, plan);
  std::map<int, KernelPlan> kernels;  // by owner
  for (size_t r = 0; r < regions.regions.size(); ++r) {
    const RowRegion& region = regions.regions[r];
    if (!region.parts.empty()) kernels[regions.NumberOf(static_cast<int>(r))] = KernelOf(f, regions, region, plan);
  }
  if (kernels.empty()) return;
  FindStored(*f, regions, kernels, plan);
  Replace(regions, std::move(kernels), plan);
}

}  // namespace reel::codegen
