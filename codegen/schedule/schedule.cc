#include "codegen/schedule/schedule.h"

#include "ir/strings.h"

namespace reel::codegen {
namespace {

// contract_add_max: what the kernel computes, for symbols, plans and profiles.
std::string KernelName(const ir::Function& f, const KernelPlan& kernel) {
  std::string name;
  const auto add = [&](ir::Value v) {
    if (name.size() < 40) StrAppend(&name, name.empty() ? "" : "_", Name(f.producer(v)->op));
  };
  kernel.VisitMembers(add);
  for (const auto& [root, to] : kernel.Partials()) {
    if (root != kernel.root) add(root);
  }
  return name;
}

}  // namespace

ScheduledKernel ScheduleKernel(const ir::Function& f, const PlanGraph& plan, int index, const Target& target,
                               const PlanOptions& options, const Wish* wish) {
  ScheduledKernel out;
  const KernelPlan& kernel = plan.kernels[static_cast<size_t>(index)];
  Choices choices(wish, &options.decide);
  choices.SetKind(KindName(kernel.kind()));
  ExprBuilder builder(f, plan, index, &out.kernel);
  const ScheduleContext context{f,           plan,     index,    target,       options,
                                &out.kernel, &builder, &choices, &out.updated, &out.status};
  out.kernel.name = KernelName(f, kernel);
  switch (kernel.kind()) {
    case KernelKind::kMap: ScheduleMap(context); break;
    case KernelKind::kReduce: ScheduleReduce(context); break;
    case KernelKind::kMatmul: ScheduleContract(context); break;
    case KernelKind::kScatter: ScheduleScatter(context); break;
    case KernelKind::kScan: ScheduleRecurrence(context); break;
    case KernelKind::kSort: ScheduleSort(context); break;
    case KernelKind::kUpdate: ScheduleUpdate(context); break;
    case KernelKind::kRowWise: ScheduleRows(context); break;
    case KernelKind::kControl:
    case KernelKind::kCheck: break;  // no kernel
  }
  PruneExprs(&out.kernel);
  out.bound = builder.bound();
  if (out.status.ok()) out.status = choices.status();
  out.kernel.schedule = choices.text();
  if (options.list_schedules) out.kernel.other_schedules = choices.Neighbours();
  return out;
}

}  // namespace reel::codegen
