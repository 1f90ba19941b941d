#include "passes/simplify/demand.h"

#include <algorithm>

namespace reel::passes {
namespace {

using ir::Op;

constexpr size_t kMaxPlaces = 8;  // time stays linear

// Elementwise code without traps whose time does not depend on the numbers. The others may stand behind a select that
// keeps numbers from them with which they take long.
bool IsSteady(const ir::Node& node) {
  const ir::OpInfo& info = ir::Info(node.op);
  return info.Has(ir::kElementwise) && !info.Has(ir::kUneven);
}

int32_t Place(ir::Value condition, bool holds) { return 2 * condition.id + (holds ? 1 : 0); }

}  // namespace

Demand::Demand(const ir::Function& f) {
  const auto is_select = [](const ir::Node& node) { return node.op == Op::kSelect; };
  if (std::count_if(f.nodes().begin(), f.nodes().end(), is_select) < 2) return;
  places_.resize(static_cast<size_t>(f.num_values()));
  wanted_.resize(places_.size());
  for (ir::Value v : f.results()) Want(v, {});
  for (auto it = f.nodes().rbegin(); it != f.nodes().rend(); ++it) {
    const ir::Node& node = *it;
    if (!IsSteady(node)) {
      for (ir::Value v : node.operands) Want(v, {});
      continue;
    }
    const auto result = static_cast<size_t>(node.result().id);
    if (!wanted_[result]) continue;
    const Places places = places_[result];
    for (size_t i = 0; i < node.operands.size(); ++i) {
      Places all = places;
      if (is_select(node) && i > 0 && all.size() < kMaxPlaces) all.push_back(Place(node.operands[0], i == 1));
      Want(node.operands[i], all);
    }
  }
}

// Who looks at v looks where `places` hold; v counts where all who look agree.
void Demand::Want(ir::Value v, const Places& places) {
  const auto i = static_cast<size_t>(v.id);
  if (!wanted_[i]) {
    wanted_[i] = true;
    places_[i] = places;
    return;
  }
  const auto is_new = [&](int32_t place) { return std::find(places.begin(), places.end(), place) == places.end(); };
  Places& known = places_[i];
  known.erase(std::remove_if(known.begin(), known.end(), is_new), known.end());
}

ir::Value Demand::Taken(const ir::Node& select) const {
  if (places_.empty()) return {};
  for (const int32_t place : places_[static_cast<size_t>(select.result().id)]) {
    if (place / 2 == select.operands[0].id) return select.operands[place % 2 == 1 ? 1 : 2];
  }
  return {};
}

}  // namespace reel::passes
