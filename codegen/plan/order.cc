#include "codegen/plan/order.h"

#include <algorithm>
#include <set>

namespace reel::codegen {
namespace {

using Readers = std::vector<std::vector<int>>;

// Groups that had better run before g: they read what it writes over.
std::vector<int> ReadersBefore(const ir::Function& f, const Readers& all, const PlanGraph& plan, size_t g) {
  const KernelPlan& group = plan.kernels[g];
  std::vector<int> readers;
  if (group.kind() != KernelKind::kScatter && group.kind() != KernelKind::kUpdate) return readers;
  const auto& view = plan.views[static_cast<size_t>(f.producer(group.root)->operands[0].id)];
  if (!view) return readers;  // a constant
  for (int r : all[static_cast<size_t>(view->base.id)]) {
    if (r != static_cast<int>(g)) readers.push_back(r);
  }
  return readers;
}

}  // namespace

void OrderGroups(const ir::Function& f, const std::vector<std::vector<int>>& readers_of, PlanGraph* plan) {
  const size_t n = plan->kernels.size();
  std::vector<int> missing(n, 0), readers(n, 0), new_index(n, -1);
  std::vector<std::vector<int>> users(n), updates(n);
  using Entry = std::pair<int32_t, int>;
  std::set<Entry> ready, waiting;
  for (size_t g = 0; g < n; ++g) {
    missing[g] = static_cast<int>(plan->kernels[g].inputs.size());
    for (int d : plan->kernels[g].inputs) users[static_cast<size_t>(d)].push_back(static_cast<int>(g));
    for (int d : ReadersBefore(f, readers_of, *plan, g)) {
      ++readers[g];
      updates[static_cast<size_t>(d)].push_back(static_cast<int>(g));
    }
    if (missing[g] == 0) ready.insert({plan->kernels[g].last, static_cast<int>(g)});
  }
  std::vector<size_t> order;
  while (!ready.empty() || !waiting.empty()) {
    std::set<Entry>& from = ready.empty() ? waiting : ready;
    const Entry next = *from.begin();
    const auto g = static_cast<size_t>(next.second);
    from.erase(from.begin());
    if (&from == &ready && readers[g] > 0) {
      waiting.insert(next);
      continue;
    }
    new_index[g] = static_cast<int>(order.size());
    order.push_back(g);
    for (int u : users[g]) {
      if (--missing[static_cast<size_t>(u)] == 0) ready.insert({plan->kernels[static_cast<size_t>(u)].last, u});
    }
    for (int u : updates[g]) {
      const Entry entry{plan->kernels[static_cast<size_t>(u)].last, u};
      if (--readers[static_cast<size_t>(u)] == 0 && waiting.erase(entry) > 0) ready.insert(entry);
    }
  }
  for (size_t g = 0; g < n; ++g) {  // groups that wait for each other, which VerifyPlan refuses
    if (new_index[g] >= 0) continue;
    new_index[g] = static_cast<int>(order.size());
    order.push_back(g);
  }
  std::vector<KernelPlan> ordered;
  for (size_t g : order) {
    ordered.push_back(std::move(plan->kernels[g]));
    for (int& d : ordered.back().inputs) d = new_index[static_cast<size_t>(d)];
    std::sort(ordered.back().inputs.begin(), ordered.back().inputs.end());
  }
  for (int& g : plan->kernel_of) {
    if (g >= 0) g = new_index[static_cast<size_t>(g)];
  }
  plan->kernels = std::move(ordered);
}

}  // namespace reel::codegen
