#include "codegen/program/liveness.h"

#include <algorithm>
#include <map>
#include <numeric>
#include <tuple>

namespace reel::codegen {
namespace {

using ir::Value;

void FindResults(const ir::Function& f, const std::vector<Slot>& parameters, const Places& places, Liveness* out) {
  std::map<std::tuple<Slot::Kind, int32_t, int64_t>, std::vector<Value>> by_slot;
  const auto key = [](const Slot& s) { return std::make_tuple(s.kind, s.index, s.offset); };
  for (int i = 0; i < f.num_parameters(); ++i) by_slot[key(parameters[static_cast<size_t>(i)])].push_back({i});
  for (size_t r = 0; r < places.size(); ++r) {
    if (!places[r]) continue;
    const Value v = f.results()[r];
    if (const auto it = by_slot.find(key(*places[r])); it != by_slot.end()) out->occupants[r] = it->second;
    if (!f.is_parameter(v)) out->result_of[v.index()] = static_cast<int32_t>(r);
  }
}

void FindLastReads(const Block& block, Liveness* out) {
  std::vector<int32_t> time(block.items.size());
  std::iota(time.begin(), time.end(), 0);
  const auto at_once = [&](int32_t first, int32_t last) { std::fill(time.begin() + first, time.begin() + last, last); };
  for (const Chain& chain : block.chains) at_once(chain.first, chain.last);
  for (const Beside& beside : block.beside) at_once(beside.first, beside.last);
  for (size_t p = block.items.size(); p-- > 0;) {
    const BlockItem& item = block.items[p];
    const bool calls = item.kind == BlockItem::Kind::kCallback || item.kind == BlockItem::Kind::kCollective ||
                       item.kind == BlockItem::Kind::kWait;
    bool needed = item.kind == BlockItem::Kind::kCheck || calls;
    item.VisitWrites([&](Value v) { needed = needed || out->IsRead(v); });
    out->needed[p] = needed;
    if (!needed) continue;
    item.VisitReads([&](Value v) { out->last_read[v.index()] = std::max(out->last_read[v.index()], time[p]); });
  }
}

// A value that a result is updated from in place had best be in the result's place already.
void FindWanted(const Block& block, Liveness* out) {
  for (size_t p = block.items.size(); p-- > 0;) {
    block.items[p].VisitWrites([&](Value v) {
      int32_t& wanted = out->wanted[v.index()];
      if (out->IsResult(v)) wanted = out->result_of[v.index()];
      const Value old = block.in_place[v.index()];
      if (wanted < 0 || !old.valid() || out->last_read[old.index()] != static_cast<int32_t>(p)) return;
      if (!block.f.is_parameter(old) && !out->IsResult(old)) out->wanted[old.index()] = wanted;
    });
  }
}

}  // namespace

Liveness::Liveness(const Block& block, const std::vector<Slot>& parameters, const Places& places)
    : last_read(static_cast<size_t>(block.f.num_values()), -1),
      result_of(last_read),
      wanted(last_read),
      needed(block.items.size()),
      occupants(places.size()) {
  FindResults(block.f, parameters, places, this);
  FindLastReads(block, this);
  FindWanted(block, this);
}

}  // namespace reel::codegen
