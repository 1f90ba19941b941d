#ifndef REEL_CODEGEN_PLAN_STORAGE_STATE_H_
#define REEL_CODEGEN_PLAN_STORAGE_STATE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "codegen/plan/storage.h"

namespace reel::codegen {

/// What PlanStorage has decided of the values so far, and what that says of the next ones. Asks only; PlanStorage
/// decides.
class StorageState {
 protected:
  StorageState(const ir::Function& f, const MapOptions& options);

  const Shape& shape(ir::Value v) const { return f_.type(v).shape; }
  const std::optional<View>& view(ir::Value v) const { return out_.views[v.index()]; }
  bool IsWidened(ir::Value v) const { return f_.type(view(v)->base).dtype != f_.type(v).dtype; }

  /// Why a value gets memory; kNone: it is computed by those that read it.
  Why WhyStored(const ir::Node& node, ir::Value v) const;

  /// v as a view of what it shows, if that had memory.
  std::optional<View> Shown(ir::Value v) const;
  /// Whether v is memory, as a whole and in order.
  bool IsBuffer(ir::Value v) const { return view(v) && IsWhole(f_, v, *view(v)); }
  /// Whether v is what a map, or a join, makes for it alone, but for its shape: that had better have memory, where its
  /// kernel is.
  bool ShowsMap(ir::Value v) const;
  /// Whether a dynamic_update only writes the update, over operand 0 or a copy of it. Where nothing stores the result
  /// otherwise, a select at its users is better; and where most of it is written, unless it is likely in its place.
  bool UpdatesInPlace(const ir::Node& node) const;
  /// Whether a slice is the root of a sort.
  bool IsSelection(const ir::Node& node) const;
  /// The only product whose elements a map computes its own from, where nothing else reads it; null: there is none.
  const ir::Node* ProductOf(ir::Value v) const;

  const ir::Function& f_;
  const MapOptions options_;
  const Tuning& tuning_;
  Storage s_;
  PlanGraph& out_ = s_.plan;
  const Arrays arrays_;
  // By value:
  std::vector<int> cost_;  // of what is computed in its place
  std::vector<int> parts_;  // that updates at known places lay side by side in its expression
  std::vector<int64_t> largest_slice_, slices_;  // elements; how many there are, of views of it too
  std::vector<bool> counted_;  // what only parts of one stack read: one of them has it
  std::vector<bool> flat_;  // it is memory in order, or computed of such

 private:
  void CountSlices();
  bool IsTurnedOnce(const ir::Node& node, ir::Value v) const;
  bool HasLoops(const ir::Node& node) const;
  bool IsJoinedFurther(ir::Value v) const;
  bool IsSelected(const ir::Node& node) const;
  bool IsCheap(ir::Value v) const;
  bool ReplacesProduct(const ir::Node& node) const;
  bool ReadsWindows(const ir::Node& node) const;
  bool IsTurnedPool(const ir::Node& node, ir::Value v) const;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_STORAGE_STATE_H_
