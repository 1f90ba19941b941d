#include "codegen/program/buffers.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <numeric>
#include <optional>
#include <tuple>
#include <utility>

#include "codegen/loop/ceil.h"
#include "codegen/plan/rules.h"
#include "codegen/program/record.h"
#include "ir/budget_scope.h"

namespace reel::codegen {
namespace {

using ir::Value;

void CollectStores(const std::vector<Stmt>& body, BufferId buffer, std::vector<const Stmt*>* out) {
  std::vector<const std::vector<Stmt>*> stack{&body};
  while (!stack.empty()) {
    const auto* list = stack.back();
    stack.pop_back();
    for (const Stmt& s : *list) {
      if (s.kind == Stmt::Kind::kStore && s.buffer == buffer) out->push_back(&s);
      if (!s.body.empty()) stack.push_back(&s.body);
    }
  }
}

// True if every element of `in` is read only in the statement that writes the same element of `out`. What the kernel
// reads of `out` itself was written before `in` was read for the last time.
bool ReadsWhereItWrites(const Kernel& kernel, BufferId in, BufferId out) {
  std::vector<const Stmt*> stores;
  CollectStores(kernel.body, out, &stores);
  for (const Stmt* s : stores) {
    if (s->dynamic >= 0 || s->guard >= 0) return false;
  }
  for (const Expr& e : kernel.exprs) {
    if (e.kind == Expr::Kind::kLoad && e.buffer == out) return false;
    if (e.kind != Expr::Kind::kLoad || e.buffer != in) continue;
    if (e.dynamic >= 0) return false;
    const bool same = std::any_of(stores.begin(), stores.end(), [&e](const Stmt* s) { return s->index == e.index; });
    if (!same) return false;
  }
  return true;
}

// What the plans of all blocks share.
struct Memory {
  const std::vector<Kernel>& kernels;
  int64_t offset;  // of the arena
  int64_t lanes;   // of a chain at most
  Arena arena;
  PlanRecord* record;  // may be null
  int64_t time = 0;    // steps so far, those of blocks within blocks among them
};

using Places = std::vector<std::optional<Slot>>;  // by result; none: nobody reads it

// Plans one block. Its parameters have memory, and its results have a place where they must be in the end, which
// may be the memory of a parameter. Recursion is as deep as control ops are nested, which block.cc limits.
class BlockPlanner {
 public:
  BlockPlanner(Memory* memory, const Block& block, const std::vector<Slot>& parameters, Places places)
      : memory_(memory), block_(block), f_(block.f), places_(std::move(places)), occupants_(places_.size()) {
    const auto n = static_cast<size_t>(f_.num_values());
    slots_.resize(n);
    last_read_.assign(n, -1);
    wanted_.assign(n, -1);
    in_arena_.assign(n, false);
    for (size_t i = 0; i < parameters.size(); ++i) slots_[i] = parameters[i];
    for (size_t v = 0; v < n; ++v) {
      if (block.constants[v] >= 0) slots_[v] = {Slot::Kind::kConstant, block.constants[v], 0};
    }
  }

  std::vector<Step> Run() {
    FindOccupants();
    FindLastReads();
    FindWanted();
    auto chain = block_.chains.begin();
    for (; item_ < static_cast<int32_t>(block_.items.size()); ++item_) {
      if (chain != block_.chains.end() && chain->first == item_) {
        PlanChain(*chain++);
      } else if (needed_[static_cast<size_t>(item_)]) {
        Plan(block_.items[static_cast<size_t>(item_)]);
      }
    }
    for (size_t r = 0; r < places_.size(); ++r) {
      if (!places_[r]) continue;
      const Value v = f_.results()[r];
      Copy(*places_[r], v);
      if (in_arena_[Index(v)]) Release(v);
    }
    return std::move(steps_);
  }

 private:
  static size_t Index(Value v) { return static_cast<size_t>(v.id); }
  static size_t Index(int32_t item) { return static_cast<size_t>(item); }
  int64_t bytes(Value v) const { return f_.type(v).bytes(); }
  Slot& slot(Value v) { return slots_[Index(v)]; }
  bool DiesHere(Value v) const { return last_read_[Index(v)] == item_; }
  bool IsResult(Value v) const { return result_of_[Index(v)] >= 0; }
  bool IsRead(Value v) const { return last_read_[Index(v)] >= 0 || IsResult(v); }

  // Parameters that live where a result belongs.
  void FindOccupants() {
    std::map<std::tuple<Slot::Kind, int32_t, int64_t>, std::vector<Value>> by_slot;
    const auto key = [](const Slot& s) { return std::make_tuple(s.kind, s.index, s.offset); };
    for (int i = 0; i < f_.num_parameters(); ++i) by_slot[key(slots_[static_cast<size_t>(i)])].push_back({i});
    result_of_.assign(slots_.size(), -1);
    for (size_t r = 0; r < places_.size(); ++r) {
      if (!places_[r]) continue;
      if (const auto it = by_slot.find(key(*places_[r])); it != by_slot.end()) occupants_[r] = it->second;
      if (!f_.is_parameter(f_.results()[r])) result_of_[Index(f_.results()[r])] = static_cast<int32_t>(r);
    }
  }

  static bool IsOverwritten(const BlockItem& item, size_t i) {
    return !item.overwritten.empty() && item.overwritten[i];
  }

  template <typename Visit>
  static void VisitReads(const BlockItem& item, Visit visit) {
    for (size_t i = 0; i < item.values.size(); ++i) {
      if (IsOverwritten(item, i)) continue;
      if (item.kind == BlockItem::Kind::kCopy ? i > 0 : item.writes.empty() || !item.writes[i]) visit(item.values[i]);
    }
    if (item.updated.valid()) visit(item.updated);
  }
  template <typename Visit>
  static void VisitWrites(const BlockItem& item, Visit visit) {
    if (item.kind == BlockItem::Kind::kCopy) visit(item.values[0]);
    for (size_t i = 0; i < item.writes.size(); ++i) {
      if (item.writes[i]) visit(item.values[i]);
    }
    for (int k = 0; k < item.num_results; ++k) visit(Value{item.result.id + k});
  }

  // A chain is one point in time, its end.
  void FindLastReads() {
    needed_.assign(block_.items.size(), false);
    std::vector<int32_t> time(block_.items.size());
    std::iota(time.begin(), time.end(), 0);
    for (const Chain& chain : block_.chains) std::fill(&time[Index(chain.first)], &time[Index(chain.last)], chain.last);
    for (size_t p = block_.items.size(); p-- > 0;) {
      const auto kind = block_.items[p].kind;
      needed_[p] = kind == BlockItem::Kind::kCheck || kind == BlockItem::Kind::kCallback;
      VisitWrites(block_.items[p], [&](Value v) { needed_[p] = needed_[p] || IsRead(v); });
      if (!needed_[p]) continue;
      VisitReads(block_.items[p], [&](Value v) { last_read_[Index(v)] = std::max(last_read_[Index(v)], time[p]); });
    }
  }

  // A value that a result is updated from in place had best be in the result's place already.
  void FindWanted() {
    for (size_t p = block_.items.size(); p-- > 0;) {
      VisitWrites(block_.items[p], [&](Value v) {
        if (IsResult(v)) wanted_[Index(v)] = result_of_[Index(v)];
        const Value old = block_.in_place[Index(v)];
        if (wanted_[Index(v)] < 0 || !old.valid() || last_read_[Index(old)] != static_cast<int32_t>(p)) return;
        if (!f_.is_parameter(old) && !IsResult(old)) wanted_[Index(old)] = wanted_[Index(v)];
      });
    }
  }

  void Plan(const BlockItem& item) {
    ir::ChargeVisits(1 + item.values.size());
    switch (item.kind) {
      case BlockItem::Kind::kKernel: PlanKernel(item); break;
      case BlockItem::Kind::kCopy: PlanCopy(item); break;
      case BlockItem::Kind::kWhile: PlanLoop(item); break;
      case BlockItem::Kind::kCheck: PlanCheck(item); break;
      case BlockItem::Kind::kCallback: PlanCallback(item); break;
      default: PlanBranches(item);
    }
    ReleaseAfter(item);
  }

  void ReleaseAfter(const BlockItem& item) {
    VisitReads(item, [this](Value v) {
      if (in_arena_[Index(v)] && DiesHere(v) && !IsResult(v)) Release(v);
    });
    VisitWrites(item, [this](Value v) {
      if (in_arena_[Index(v)] && !IsRead(v)) Release(v);
    });
  }

  // Nothing that a kernel of the chain reads is written over: another chunk may need it yet. What they hand on and
  // nobody else reads is in the frames of lanes.
  void PlanChain(const Chain& chain) {
    std::vector<const BlockItem*> items;
    for (; item_ <= chain.last; ++item_) {
      ir::ChargeVisits(1);
      if (needed_[static_cast<size_t>(item_)]) items.push_back(&block_.items[static_cast<size_t>(item_)]);
    }
    item_ = chain.last;
    if (items.empty()) return;
    Step step{-1, {}, 0, Step::Control::kChain};
    step.chunks = chain.chunks;
    step.lanes = Ceil(chain.chunks, Ceil(chain.chunks, memory_->lanes));
    step.bytes = PlaceInFrames(items, chain);
    const int64_t frames = step.lanes * step.bytes, base = frames > 0 ? memory_->arena.Allocate(frames) : 0;
    for (const BlockItem* item : items) {
      VisitWrites(*item, [&](Value v) {
        if (slot(v).kind == Slot::Kind::kLane) {
          slot(v).offset += memory_->offset + base;
        } else if (!Settle(v, [](Value) { return false; })) {
          Allocate(v);
        }
      });
      step.first.push_back({item->kernel, {}});
      for (Value v : item->values) step.first.back().buffers.push_back(slot(v));
    }
    Push(std::move(step));
    for (const BlockItem* item : items) ReleaseAfter(*item);
    if (frames > 0) {
      memory_->arena.Free(base, frames);
      if (PlanRecord* const record = memory_->record; record != nullptr) {
        record->lives.push_back({-1, block_.graph, -1, base, frames, memory_->time - 1, memory_->time});
      }
    }
  }

  // Gives values that a chain alone reads their place in a frame, whose size is returned. It may be that of an operand
  // that is read for the last time.
  int64_t PlaceInFrames(const std::vector<const BlockItem*>& items, const Chain& chain) {
    Arena frame;
    std::map<Value, size_t> last;  // reader
    for (size_t i = 0; i < items.size(); ++i) {
      VisitReads(*items[i], [&](Value v) { last[v] = i; });
    }
    for (size_t i = 0; i < items.size(); ++i) {
      VisitWrites(*items[i], [&](Value v) {
        const auto it = chain.slices.find(v.id);
        if (!DiesHere(v) || IsResult(v) || it == chain.slices.end()) return;
        const auto slice = static_cast<int32_t>(it->second);
        const auto old = std::find_if(last.begin(), last.end(), [&](const auto& read) {
          return read.second == i && slot(read.first).kind == Slot::Kind::kLane && slot(read.first).index == slice &&
                 f_.type(read.first).dtype == f_.type(v).dtype &&
                 Holds(Rule::kMemoryFrame, MayOverwrite(*items[i], BufferOf(*items[i], v), read.first));
        });
        slot(v) = old != last.end() ? slot(old->first) : Slot{Slot::Kind::kLane, slice, frame.Allocate(slice)};
        if (old != last.end()) last.erase(old);
      });
      for (const auto& [v, reader] : last) {
        if (reader == i && slot(v).kind == Slot::Kind::kLane) frame.Free(slot(v).offset, slot(v).index);
      }
    }
    return frame.size();
  }

  static size_t BufferOf(const BlockItem& item, Value v) {
    return static_cast<size_t>(std::find(item.values.begin(), item.values.end(), v) - item.values.begin());
  }

  void PlanKernel(const BlockItem& item) {
    for (size_t b = 0; b < item.writes.size(); ++b) {
      const Value v = item.values[b];
      if (!item.writes[b]) continue;
      const auto may_overwrite = [&](Value old) { return MayOverwrite(item, b, old); };
      if (Settle(v, may_overwrite) || PlaceOverInput(item, b, v)) continue;
      Allocate(v);
    }
    Step step{item.kernel, {}};
    for (size_t b = 0; b < item.values.size(); ++b) {
      if (item.updated.valid() && item.writes[b]) Copy(slot(item.values[b]), item.updated);
      step.buffers.push_back(slot(item.values[b]));
    }
    if (item.kernel >= 0) Push(std::move(step));  // else there is nothing to compute
  }

  void PlanCopy(const BlockItem& item) {
    const Value to = item.values[0], from = item.values[1];
    if (!Settle(to, [&](Value old) { return old == from; }) && !TakeOver(to, from)) Allocate(to);
    Copy(slot(to), from);
  }

  void PlanCheck(const BlockItem& item) {
    Push({-1, {slot(item.values[0])}, item.maximum_iterations, Step::Control::kCheck});
  }

  void PlanCallback(const BlockItem& item) {
    if (!Settle(item.result, [](Value) { return false; })) Allocate(item.result);
    Step step{-1, {slot(item.result)}, item.maximum_iterations, Step::Control::kCallback};
    for (Value v : item.values) step.buffers.push_back(slot(v));
    Push(std::move(step));
  }

  // The branch that runs may write over its operands itself; the condition is read before.
  void PlanBranches(const BlockItem& item) {
    const bool branches = item.kind == BlockItem::Kind::kIf;
    std::vector<Slot> operands;
    Places results;
    for (size_t i = branches; i < item.values.size(); ++i) operands.push_back(slot(item.values[i]));
    std::vector<Slot> condition;
    if (branches) condition = {slot(item.values[0])};
    for (int k = 0; k < item.num_results; ++k) {
      const Value v{item.result.id + k}, old = block_.in_place[Index(v)];
      if (!IsRead(v)) {
        results.emplace_back();
        continue;
      }
      const bool placed = Settle(v, [](Value) { return true; }) || (old.valid() && TakeOver(v, old));
      if (!placed) Allocate(v);
      results.emplace_back(slot(v));
    }
    Step step{-1, std::move(condition), 0, Step::Control::kIf};
    step.first = BlockPlanner(memory_, *item.first, operands, results).Run();
    if (!branches) {
      std::move(step.first.begin(), step.first.end(), std::back_inserter(steps_));
      return;
    }
    step.second = BlockPlanner(memory_, *item.second, operands, results).Run();
    steps_.push_back(std::move(step));
  }

  // Carried values begin as copies of the operands, or take their memory over.
  void PlanLoop(const BlockItem& item) {
    const Block& body = *item.second;
    std::vector<Slot> carried;
    const auto is_invariant = [&](size_t i) {
      const Value v{item.result.id + static_cast<int>(i)};
      return body.f.results()[i].id == static_cast<int>(i) && !IsRead(v);
    };
    std::vector<bool> invariant(slots_.size());
    for (size_t i = 0; i < item.values.size(); ++i) {
      if (is_invariant(i)) invariant[Index(item.values[i])] = true;
    }
    std::vector<std::pair<Slot, Value>> starts;
    for (size_t i = 0; i < item.values.size(); ++i) {
      const Value v{item.result.id + static_cast<int>(i)}, start = item.values[i];
      if (is_invariant(i)) {
        carried.push_back(slot(start));
        continue;
      }
      const bool takes = !IsOverwritten(item, i) && !invariant[Index(start)];
      const auto may_overwrite = [&](Value old) { return takes && old == start; };
      if (!Settle(v, may_overwrite) && !(takes && TakeOver(v, start))) Allocate(v);
      carried.push_back(slot(v));
    }
    for (size_t i = 0; i < item.values.size(); ++i) {
      if (!IsOverwritten(item, i)) Copy(carried[i], item.values[i]);
    }
    const int64_t condition = memory_->arena.Allocate(1);
    Step step{-1,
              {{Slot::Kind::kInstance, 0, memory_->offset + condition}},
              0,
              Step::Control::kWhile,
              item.maximum_iterations};
    step.first = BlockPlanner(memory_, *item.first, carried, {step.buffers[0]}).Run();
    memory_->arena.Free(condition, 1);
    step.second = BlockPlanner(memory_, body, carried, {carried.begin(), carried.end()}).Run();
    steps_.push_back(std::move(step));
  }

  // Puts v into the place of the result that it is or becomes, if nothing there is read any more but by this item,
  // and may be overwritten by it.
  template <typename MayOverwriteFn>
  bool Settle(Value v, MayOverwriteFn may_overwrite) {
    const int32_t r = wanted_[Index(v)];
    if (r < 0) return false;
    std::vector<Value>& occupants = occupants_[static_cast<size_t>(r)];
    for (Value old : occupants) {
      const bool free = last_read_[Index(old)] < item_ || (DiesHere(old) && may_overwrite(old));
      if (!Holds(Rule::kMemoryPlace, free)) return false;
    }
    occupants = {v};
    slot(v) = *places_[static_cast<size_t>(r)];
    return true;
  }

  // Gives v the arena buffer of `old`, which is read here for the last time.
  bool TakeOver(Value v, Value old) {
    if (!in_arena_[Index(old)] || bytes(old) != bytes(v)) return false;
    if (!Holds(Rule::kMemoryDead, DiesHere(old) && !IsResult(old))) return false;
    in_arena_[Index(old)] = false;
    in_arena_[Index(v)] = true;
    slot(v) = slot(old);
    EndLife(old);
    BeginLife(v);
    return true;
  }

  bool MayOverwrite(const BlockItem& item, size_t b, Value old) const {
    const auto in = std::find(item.values.begin(), item.values.end(), old);
    if (in == item.values.end()) return old == item.updated;
    if (item.kernel < 0) return false;
    const bool in_place = ReadsWhereItWrites(memory_->kernels[static_cast<size_t>(item.kernel)],
                                             static_cast<BufferId>(in - item.values.begin()), static_cast<BufferId>(b));
    return Holds(Rule::kMemoryInPlace, in_place);
  }

  bool PlaceOverInput(const BlockItem& item, size_t b, Value v) {
    if (item.updated.valid()) return MayOverwrite(item, b, item.updated) && TakeOver(v, item.updated);
    for (size_t i = 0; i < item.values.size(); ++i) {
      const Value old = item.values[i];
      const bool candidate = !item.writes[i] && in_arena_[Index(old)] && Holds(Rule::kMemoryDead, DiesHere(old));
      if (!candidate || f_.type(old).dtype != f_.type(v).dtype || !MayOverwrite(item, b, old)) continue;
      if (TakeOver(v, old)) return true;
    }
    return false;
  }

  void Allocate(Value v) {
    in_arena_[Index(v)] = true;
    slot(v) = {Slot::Kind::kInstance, 0, memory_->offset + memory_->arena.Allocate(bytes(v))};
    BeginLife(v);
  }

  void Release(Value v) {
    in_arena_[Index(v)] = false;
    memory_->arena.Free(slot(v).offset - memory_->offset, bytes(v));
    EndLife(v);
  }

  // A step that does something by itself.
  void Push(Step step) {
    steps_.push_back(std::move(step));
    ++memory_->time;
  }

  void BeginLife(Value v) {
    if (memory_->record == nullptr) return;
    lives_[v.id] = memory_->record->lives.size();
    memory_->record->lives.push_back(
        {-1, block_.graph, v.id, slot(v).offset - memory_->offset, bytes(v), memory_->time, INT64_MAX});
  }
  void EndLife(Value v) {
    if (memory_->record != nullptr) memory_->record->lives[lives_.at(v.id)].end = memory_->time;
  }

  void Copy(const Slot& to, Value from) {
    if (to != slot(from) && bytes(from) > 0) Push({-1, {to, slot(from)}, bytes(from)});
  }

  Memory* memory_;
  const Block& block_;
  const ir::Function& f_;
  const Places places_;
  std::vector<std::vector<Value>> occupants_;  // by result: what its place holds
  std::vector<Step> steps_;
  int32_t item_ = 0;  // being planned
  // By value:
  std::vector<Slot> slots_;
  std::vector<int32_t> last_read_;  // item
  std::vector<int32_t> result_of_;  // the result it is, -1: none
  std::vector<int32_t> wanted_;  // the result in whose place it had best be, -1: none
  std::vector<bool> in_arena_;  // owns arena space
  std::map<int32_t, size_t> lives_;  // by value: in the record
  std::vector<bool> needed_;  // by item: something reads what it writes
};

}  // namespace

BufferPlan PlanBuffers(const Block& entry, const std::vector<Kernel>& kernels,
                       const std::vector<int64_t>& variable_offsets, int64_t arena_offset,
                       const std::vector<InPlace>& in_place, const Tuning& tuning, PlanRecord* record) {
  const ir::Function& f = entry.f;
  std::vector<Slot> parameters;
  Places places;
  for (int i = 0; i < f.num_arguments(); ++i) parameters.push_back({Slot::Kind::kArgument, i, 0});
  for (int i = 0; i < f.num_outputs(); ++i) places.push_back(Slot{Slot::Kind::kResult, i, 0});
  for (const InPlace& pair : in_place) {
    parameters[static_cast<size_t>(pair.parameter)] = *places[static_cast<size_t>(pair.result)];
  }
  for (int64_t offset : variable_offsets) {
    parameters.push_back({Slot::Kind::kInstance, 0, offset});
    places.push_back(parameters.back());
  }
  Memory memory{kernels, arena_offset, tuning.fused_lanes, {}, record};
  BufferPlan plan;
  plan.steps = BlockPlanner(&memory, entry, parameters, std::move(places)).Run();
  for (size_t i = record == nullptr ? 0 : record->lives.size(); i > 0 && record->lives[i - 1].entry < 0; --i) {
    record->lives[i - 1].end = std::min(record->lives[i - 1].end, memory.time);
  }
  plan.arena_bytes = memory.arena.size();
  plan.live_bytes = memory.arena.peak_live();
  return plan;
}

}  // namespace reel::codegen
