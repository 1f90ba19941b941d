#include "codegen/program/waits.h"

#include <algorithm>
#include <utility>

#include "ir/budget_scope.h"

namespace reel::codegen {
namespace {

using ir::Value;
using Kind = BlockItem::Kind;

class WaitPlacer {
 public:
  WaitPlacer(const std::vector<CollectiveSite>& collectives, Block* block)
      : collectives_(collectives), block_(block), items_(std::move(block->items)) {
    block_->items.clear();
  }

  void Run() {
    auto chain = block_->chains.begin();
    for (size_t i = 0; i < items_.size();) {
      const bool chained = chain != block_->chains.end() && static_cast<size_t>(chain->first) == i;
      const size_t end = chained ? static_cast<size_t>(chain->last) + 1 : i + 1;
      for (size_t k = i; k < end; ++k) WaitBefore(items_[k]);
      if (chained) {
        chain->first = static_cast<int32_t>(block_->items.size());
        chain->last = chain->first + static_cast<int32_t>(end - i) - 1;
        ++chain;
      }
      for (; i < end; ++i) Append(std::move(items_[i]));
    }
    WaitIf([](const BlockItem&) { return true; });
  }

 private:
  bool MayStart(const BlockItem& item) const {
    if (item.kind != Kind::kCollective) return false;
    const CollectiveSite& site = collectives_[static_cast<size_t>(item.maximum_iterations)];
    return (site.op == ir::Op::kAllToAll || site.op == ir::Op::kAllGather) && site.size > 1;
  }

  void Append(BlockItem item) {
    if (MayStart(item)) under_way_.push_back(block_->items.size());
    block_->items.push_back(std::move(item));
  }

  // A collective that fails ends all that are under way; what else fails does not know of them.
  void WaitBefore(const BlockItem& item) {
    ir::ChargeVisits(1);
    if (under_way_.empty()) return;
    const bool runs_on = item.kind == Kind::kKernel || item.kind == Kind::kCopy || item.kind == Kind::kCollective;
    WaitIf([&](const BlockItem& started) {
      return !runs_on || item.updated == started.values[0] || Reads(item, started.result);
    });
  }
  static bool Reads(const BlockItem& item, Value v) {
    return item.updated == v || std::find(item.values.begin(), item.values.end(), v) != item.values.end();
  }

  // Waits at the end of the new items for those of which it is true, in the order of their starts. What nothing stands
  // behind is not started before.
  template <typename Condition>
  void WaitIf(Condition condition) {
    std::vector<size_t> others;
    for (const size_t s : std::exchange(under_way_, {})) {
      BlockItem& started = block_->items[s];
      if (!condition(started)) {
        others.push_back(s);
        continue;
      }
      if (s + 1 == block_->items.size()) continue;
      started.starts = true;
      BlockItem wait;
      wait.kind = Kind::kWait;
      wait.values = {started.values[0], started.result};
      wait.maximum_iterations = started.maximum_iterations;
      block_->items.push_back(std::move(wait));
    }
    under_way_ = std::move(others);
  }

  const std::vector<CollectiveSite>& collectives_;
  Block* block_;
  std::vector<BlockItem> items_;  // as they were
  std::vector<size_t> under_way_;  // places of new items
};

}  // namespace

void PlaceWaits(const std::vector<CollectiveSite>& collectives, Block* block) {
  const bool any = std::any_of(block->items.begin(), block->items.end(),
                               [](const BlockItem& item) { return item.kind == Kind::kCollective; });
  if (any) WaitPlacer(collectives, block).Run();
}

}  // namespace reel::codegen
