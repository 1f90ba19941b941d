#include "codegen/schedule/schedule.h"

#include "ir/strings.h"

namespace reel::codegen {
namespace {

// contract_add_max: what the kernel computes, for symbols, plans and profiles.
std::string KernelName(const ir::Function& f, const Group& group) {
  std::string name;
  const auto add = [&](ir::Value v) {
    if (name.size() < 40) StrAppend(&name, name.empty() ? "" : "_", Name(f.producer(v)->op));
  };
  for (ir::Value v : group.pre) add(v);
  if (group.root.valid()) add(group.root);
  for (ir::Value v : group.post) add(v);
  for (const auto& [root, partials] : group.columns) {
    if (root != group.root) add(root);
  }
  return name;
}

}  // namespace

ScheduledKernel ScheduleGroup(const ir::Function& f, const Grouping& grouping, int index, const Target& target,
                              const PlanOptions& options, const Wish* wish) {
  ScheduledKernel out;
  Choices choices(wish, &options.decide);
  choices.SetKind(KindName(grouping.groups[static_cast<size_t>(index)].root_kind));
  ExprBuilder builder(f, grouping, index, &out.kernel);
  const Group& group = grouping.groups[static_cast<size_t>(index)];
  const ScheduleContext context{f,           grouping, index,    target,       options,
                                &out.kernel, &builder, &choices, &out.updated, &out.status};
  out.kernel.name = KernelName(f, group);
  switch (group.root_kind) {
    case Group::Root::kNone: ScheduleMap(context); break;
    case Group::Root::kReduce: ScheduleReduce(context); break;
    case Group::Root::kContract: ScheduleContract(context); break;
    case Group::Root::kScatter: ScheduleScatter(context); break;
    case Group::Root::kRecurrence: ScheduleRecurrence(context); break;
    case Group::Root::kSort: ScheduleSort(context); break;
    case Group::Root::kUpdate: ScheduleUpdate(context); break;
    case Group::Root::kRows: ScheduleRows(context); break;
    case Group::Root::kControl:
    case Group::Root::kCheck: break;  // no kernel
  }
  PruneExprs(&out.kernel);
  out.bound = builder.bound();
  if (out.status.ok()) out.status = choices.status();
  out.kernel.schedule = choices.text();
  if (options.list_schedules) out.kernel.other_schedules = choices.Neighbours();
  return out;
}

}  // namespace reel::codegen
