#include "codegen/cost/choose.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "codegen/cost/estimate.h"

namespace reel::codegen {
namespace {

struct Alternative {
  KernelKind kind;
  std::string_view choice;
  int64_t value;
};
constexpr Alternative kAlternatives[] = {
    {KernelKind::kReduce, "registers", 8},  // sums of a column wait for each other
    {KernelKind::kMap, "transpose", 0},     // narrow registers are cheap to gather
};

// With one thread and with two.
bool Gains(const KernelCycles& cycles, const KernelCycles& usual, const Tuning& tuning) {
  const double part = 1 - static_cast<double>(tuning.cost_gain) / 100;
  return cycles.With(1) < part * usual.With(1) && cycles.With(2) < part * usual.With(2);
}

// Whether the schedule made this choice, otherwise.
bool May(const Wish& made, const Alternative& a) {
  return std::any_of(made.values.begin(), made.values.end(),
                     [&](const auto& choice) { return choice.first == a.choice && choice.second != a.value; });
}

}  // namespace

ScheduledKernel ScheduleByCost(const ir::Function& f, const PlanGraph& plan, int index, const Target& target,
                               const PlanOptions& options) {
  ScheduledKernel best = ScheduleKernel(f, plan, index, target, options);
  if (!options.fuse || !options.vectorize || options.decide || !best.status.ok()) return best;
  const KernelKind kind = plan.kernels[static_cast<size_t>(index)].kind();
  std::optional<KernelCycles> least;
  for (const Alternative& a : kAlternatives) {
    if (a.kind != kind || best.kernel.schedule.empty()) continue;
    const auto made = ParseWish(best.kernel.schedule);
    if (!made.ok() || !May(*made, a)) continue;
    const Wish wish{made->kind, {{std::string(a.choice), a.value}}};
    ScheduledKernel other = ScheduleKernel(f, plan, index, target, options, &wish);
    if (!other.status.ok()) continue;
    if (!least) least = EstimateKernel(best.kernel, target);
    const KernelCycles cycles = EstimateKernel(other.kernel, target);
    if (!Gains(cycles, *least, target.tuning)) continue;
    least = cycles;
    best = std::move(other);
  }
  return best;
}

}  // namespace reel::codegen
