#include "codegen/plan/order.h"

#include <algorithm>
#include <set>
#include <utility>

#include "codegen/plan/collective_order.h"

namespace reel::codegen {
namespace {

using Lists = std::vector<std::vector<int>>;

// Kernels that had better run before one: they read what it writes over.
std::vector<int> ReadersBefore(const ir::Function& f, const Lists& readers_of, const PlanGraph& plan, int g) {
  const KernelPlan& kernel = plan.kernel(g);
  if (!kernel.WritesPart()) return {};
  const auto& view = plan.views[f.producer(kernel.root)->operands[0].index()];
  if (!view) return {};  // a constant
  std::vector<int> readers = readers_of[view->base.index()];
  std::erase(readers, g);
  return readers;
}

}  // namespace

std::vector<int> TopologicalOrder(const Lists& needs, const std::vector<int32_t>& keys, const Lists& after) {
  const size_t n = needs.size();
  std::vector<int> missing(n, 0), awaited(n, 0), order;
  Lists users(n), followers(n);
  using Entry = std::pair<int32_t, int>;
  std::set<Entry> ready, waiting;
  for (size_t g = 0; g < n; ++g) {
    missing[g] = static_cast<int>(needs[g].size());
    for (int d : needs[g]) users[static_cast<size_t>(d)].push_back(static_cast<int>(g));
    if (missing[g] == 0) ready.emplace(keys[g], static_cast<int>(g));
    if (after.empty()) continue;
    awaited[g] = static_cast<int>(after[g].size());
    for (int d : after[g]) followers[static_cast<size_t>(d)].push_back(static_cast<int>(g));
  }
  while (!ready.empty() || !waiting.empty()) {
    const bool waits_no_more = ready.empty();
    const Entry next = waits_no_more ? *waiting.begin() : *ready.begin();
    (waits_no_more ? waiting : ready).erase(next);
    const auto g = static_cast<size_t>(next.second);
    if (!waits_no_more && awaited[g] > 0) {
      waiting.insert(next);
      continue;
    }
    order.push_back(next.second);
    for (int u : users[g]) {
      if (--missing[static_cast<size_t>(u)] == 0) ready.emplace(keys[static_cast<size_t>(u)], u);
    }
    for (int u : followers[g]) {
      const Entry entry{keys[static_cast<size_t>(u)], u};
      if (--awaited[static_cast<size_t>(u)] == 0 && waiting.erase(entry) > 0) ready.insert(entry);
    }
  }
  for (size_t g = 0; order.size() < n && g < n; ++g) {
    if (missing[g] > 0) order.push_back(static_cast<int>(g));
  }
  return order;
}

void ChainCollectives(const std::vector<int>& collectives, Lists* needs) {
  for (size_t i = 1; i < collectives.size(); ++i) {
    std::vector<int>& list = (*needs)[static_cast<size_t>(collectives[i])];
    const int before = collectives[i - 1];
    if (std::find(list.begin(), list.end(), before) == list.end()) list.push_back(before);
  }
}

void OrderKernels(const ir::Function& f, const Lists& readers, PlanGraph* plan) {
  Lists needs, after;
  std::vector<int32_t> keys;
  for (size_t g = 0; g < plan->kernels.size(); ++g) {
    needs.push_back(plan->kernels[g].inputs);
    keys.push_back(plan->kernels[g].last);
    after.push_back(ReadersBefore(f, readers, *plan, static_cast<int>(g)));
  }
  std::vector<int> collectives;
  for (const auto& entry : OrderCollectives(f).entries) collectives.push_back(plan->kernel_of[entry.result.index()]);
  ChainCollectives(collectives, &needs);
  ReorderKernels(TopologicalOrder(needs, keys, after), plan);
}

void ReorderKernels(const std::vector<int>& order, PlanGraph* plan) {
  std::vector<int> place(order.size());
  std::vector<KernelPlan> kernels;
  for (int g : order) {
    place[static_cast<size_t>(g)] = static_cast<int>(kernels.size());
    kernels.push_back(std::move(plan->kernel(g)));
  }
  ReplaceKernels(plan, std::move(kernels), place);
}

void ReplaceKernels(PlanGraph* plan, std::vector<KernelPlan> kernels, const std::vector<int>& place) {
  for (KernelPlan& kernel : kernels) {
    for (int& d : kernel.inputs) d = place[static_cast<size_t>(d)];
    SortUnique(&kernel.inputs);
  }
  for (int& g : plan->kernel_of) {
    if (g >= 0) g = place[static_cast<size_t>(g)];
  }
  plan->kernels = std::move(kernels);
}

std::vector<int> DropMerged(PlanGraph* plan, const std::vector<int>& into) {
  std::vector<KernelPlan> kernels;
  std::vector<int> place(into.size(), -1);
  for (size_t g = 0; g < into.size(); ++g) {
    if (into[g] >= 0) continue;
    place[g] = static_cast<int>(kernels.size());
    kernels.push_back(std::move(plan->kernels[g]));
  }
  for (size_t g = 0; g < into.size(); ++g) {
    if (into[g] >= 0) place[g] = place[static_cast<size_t>(into[g])];
  }
  ReplaceKernels(plan, std::move(kernels), place);
  return place;
}

}  // namespace reel::codegen
