#include "codegen/program/buffers.h"

#include <algorithm>
#include <iterator>
#include <map>
#include <utility>

#include "codegen/loop/build.h"
#include "codegen/loop/ceil.h"
#include "codegen/plan/rules.h"
#include "codegen/program/beside.h"
#include "codegen/program/liveness.h"
#include "codegen/program/record.h"
#include "ir/budget_scope.h"
#include "ir/hash_map.h"

namespace reel::codegen {
namespace {

using ir::Value;

// True if every element of `in` is read only in the statement that writes the same element of `out`. What the kernel
// reads of `out` itself was written before `in` was read for the last time.
bool ReadsWhereItWrites(const Kernel& kernel, BufferId in, BufferId out) {
  std::vector<const Stmt*> stores;
  VisitStatements(&kernel.body, [&](const Stmt& s) {
    if (s.kind == Stmt::Kind::kStore && s.buffer == out) stores.push_back(&s);
  });
  if (std::any_of(stores.begin(), stores.end(), [](const Stmt* s) { return s->dynamic >= 0 || s->guard >= 0; })) {
    return false;
  }
  return std::none_of(kernel.exprs.begin(), kernel.exprs.end(), [&](const Expr& e) {
    if (e.kind != Expr::Kind::kLoad || (e.buffer != in && e.buffer != out)) return false;
    const auto same = [&e](const Stmt* s) { return s->index == e.index; };
    return e.buffer == out || e.dynamic >= 0 || std::none_of(stores.begin(), stores.end(), same);
  });
}

// Where a buffer of an item is.
size_t BufferOf(const BlockItem& item, Value v) {
  return static_cast<size_t>(std::find(item.values.begin(), item.values.end(), v) - item.values.begin());
}

// Whether an item may write buffer b over a value that it reads for the last time.
bool MayOverwrite(const std::vector<Kernel>& kernels, const BlockItem& item, size_t b, Value old) {
  const size_t in = BufferOf(item, old);
  if (in == item.values.size()) return old == item.updated;
  if (item.kernel < 0) return false;
  const Kernel& kernel = kernels[static_cast<size_t>(item.kernel)];
  return Holds(Rule::kMemoryInPlace, ReadsWhereItWrites(kernel, static_cast<BufferId>(in), static_cast<BufferId>(b)));
}

// What the plans of all blocks share.
struct Memory {
  const std::vector<Kernel>& kernels;
  int64_t offset;  // of the arena
  const Tuning& tuning;
  Arena arena;
  PlanRecord* record;  // may be null
  int64_t time = 0;    // steps so far, those of blocks within blocks among them
};

// Where the values of a block are, and which of them own arena memory.
class ValueSlots {
 public:
  ValueSlots(Memory* memory, const Block& block, const std::vector<Slot>& parameters)
      : memory_(memory),
        block_(block),
        slots_(parameters),
        in_arena_(static_cast<size_t>(block.f.num_values()), false) {
    slots_.resize(in_arena_.size());
    for (size_t v = 0; v < slots_.size(); ++v) {
      if (block.constants[v] >= 0) slots_[v] = {Slot::Kind::kConstant, block.constants[v], 0};
    }
  }

  Slot& of(Value v) { return slots_[v.index()]; }
  bool IsInArena(Value v) const { return in_arena_[v.index()]; }

  void Allocate(Value v) { Take(v, {Slot::Kind::kInstance, 0, memory_->offset + memory_->arena.Allocate(bytes(v))}); }
  void Release(Value v) {
    Give(v);
    memory_->arena.Free(of(v).offset - memory_->offset, bytes(v));
  }
  // Gives v the memory of `old`, which has as much.
  void Move(Value old, Value v) {
    Give(old);
    Take(v, of(old));
  }

 private:
  int64_t bytes(Value v) const { return block_.f.type(v).bytes(); }

  void Take(Value v, const Slot& slot) {
    in_arena_[v.index()] = true;
    of(v) = slot;
    if (memory_->record == nullptr) return;
    lives_[v.id] = memory_->record->lives.size();
    memory_->record->lives.push_back(
        {-1, block_.graph, v.id, slot.offset - memory_->offset, bytes(v), memory_->time, INT64_MAX});
  }
  void Give(Value v) {
    in_arena_[v.index()] = false;
    if (memory_->record != nullptr) memory_->record->lives[lives_.at(v.id)].end = memory_->time;
  }

  Memory* memory_;
  const Block& block_;
  std::vector<Slot> slots_;
  std::vector<bool> in_arena_;
  std::map<int32_t, size_t> lives_;  // by value: in the record
};

// Plans one block. Its parameters have memory, and its results have a place where they must be in the end, which
// may be the memory of a parameter. Recursion is as deep as control ops are nested, which block.cc limits.
class BlockPlanner {
 public:
  BlockPlanner(Memory* memory, const Block& block, const std::vector<Slot>& parameters, Places places)
      : memory_(memory),
        block_(block),
        f_(block.f),
        places_(std::move(places)),
        live_(block, parameters, places_),
        slots_(memory, block, parameters) {}

  std::vector<Step> Run() {
    auto chain = block_.chains.begin();
    auto beside = block_.beside.begin();
    for (; item_ < static_cast<int32_t>(block_.items.size()); ++item_) {
      if (chain != block_.chains.end() && chain->first == item_) {
        PlanChain(*chain++);
      } else if (beside != block_.beside.end() && beside->first == item_) {
        PlanBeside(*beside++);
      } else if (live_.needed[static_cast<size_t>(item_)]) {
        Plan(block_.items[static_cast<size_t>(item_)]);
      }
    }
    for (size_t r = 0; r < places_.size(); ++r) {
      if (!places_[r]) continue;
      const Value v = f_.results()[r];
      Copy(*places_[r], v);
      if (slots_.IsInArena(v)) slots_.Release(v);
    }
    return std::move(steps_);
  }

 private:
  Slot& slot(Value v) { return slots_.of(v); }
  bool DiesHere(Value v) const { return live_.last_read[v.index()] == item_; }

  void Plan(const BlockItem& item) {
    ir::ChargeVisits(1 + item.values.size());
    switch (item.kind) {
      case BlockItem::Kind::kKernel: PlanKernel(item); break;
      case BlockItem::Kind::kCopy: PlanCopy(item); break;
      case BlockItem::Kind::kWhile: PlanLoop(item); break;
      case BlockItem::Kind::kCheck:
        Push({-1, {slot(item.values[0])}, item.maximum_iterations, Step::Control::kCheck});
        break;
      case BlockItem::Kind::kCallback: PlanCall(item, Step::Control::kCallback); break;
      case BlockItem::Kind::kCollective: PlanCall(item, Step::Control::kCollective); break;
      case BlockItem::Kind::kWait: PlanWait(item); break;
      default: PlanBranches(item);
    }
    ReleaseAfter(item);
  }

  void ReleaseAfter(const BlockItem& item) {
    item.VisitReads([this](Value v) {
      if (slots_.IsInArena(v) && DiesHere(v) && !live_.IsResult(v)) slots_.Release(v);
    });
    item.VisitWrites([this](Value v) {
      if (slots_.IsInArena(v) && !live_.IsRead(v)) slots_.Release(v);
    });
  }

  // Nothing that a kernel of the chain reads is written over: another chunk may need it yet. What they hand on and
  // nobody else reads is in the frames of lanes.
  void PlanChain(const Chain& chain) {
    std::vector<const BlockItem*> items;
    for (; item_ <= chain.last; ++item_) {
      ir::ChargeVisits(1);
      if (live_.needed[static_cast<size_t>(item_)]) items.push_back(&block_.items[static_cast<size_t>(item_)]);
    }
    item_ = chain.last;
    if (items.empty()) return;
    Step step{-1, {}, 0, Step::Control::kChain};
    step.chunks = chain.chunks;
    step.lanes = Ceil(chain.chunks, Ceil(chain.chunks, memory_->tuning.fused_lanes));
    step.bytes = PlaceInFrames(items, chain);
    const int64_t frames = step.lanes * step.bytes, base = frames > 0 ? memory_->arena.Allocate(frames) : 0;
    for (const BlockItem* item : items) {
      item->VisitWrites([&](Value v) {
        if (slot(v).kind == Slot::Kind::kLane) {
          slot(v).offset += memory_->offset + base;
        } else {
          SettleOrAllocate(v);
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
      items[i]->VisitReads([&](Value v) { last[v] = i; });
    }
    for (size_t i = 0; i < items.size(); ++i) {
      items[i]->VisitWrites([&](Value v) {
        const auto it = chain.slices.find(v.id);
        if (!DiesHere(v) || live_.IsResult(v) || it == chain.slices.end()) return;
        const auto slice = static_cast<int32_t>(it->second);
        const auto old = std::find_if(last.begin(), last.end(), [&](const auto& read) {
          return read.second == i && slot(read.first).kind == Slot::Kind::kLane && slot(read.first).index == slice &&
                 f_.type(read.first).dtype == f_.type(v).dtype &&
                 Holds(Rule::kMemoryFrame, MayWriteOver(*items[i], BufferOf(*items[i], v), read.first));
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

  // All are one point in time: what they read lives until the last has run, and is written over by its one reader
  // alone.
  void PlanBeside(const Beside& beside) {
    std::vector<const BlockItem*> items;
    std::vector<double> cycles;
    HashSet<int32_t> read;
    for (; item_ <= beside.last; ++item_) {
      ir::ChargeVisits(1);
      if (!live_.needed[static_cast<size_t>(item_)]) continue;
      items.push_back(&block_.items[static_cast<size_t>(item_)]);
      cycles.push_back(beside.cycles[static_cast<size_t>(item_ - beside.first)]);
      HashSet<int32_t> own;  // a kernel may have a value as two buffers
      items.back()->VisitReads([&](Value v) { own.insert(v.id); });
      for (const int32_t v : own) {
        if (!read.insert(v).second) shared_.insert(v);
      }
    }
    item_ = beside.last;
    std::vector<Step> calls;
    for (const BlockItem* item : items) calls.push_back(PlaceKernel(*item));
    std::vector<Step> parts = ShareOut(calls, cycles, memory_->kernels, memory_->tuning);
    Step step{-1, {}, 0, Step::Control::kBeside};
    step.lanes = parts.empty() ? 0 : parts.back().lanes + 1;
    if (step.lanes > 1) {
      step.first = std::move(parts);
      Push(std::move(step));
    } else {
      for (Step& call : calls) Push(std::move(call));
    }
    for (const BlockItem* item : items) ReleaseAfter(*item);
    shared_.clear();
  }

  void PlanKernel(const BlockItem& item) {
    Step step = PlaceKernel(item);
    if (item.kernel >= 0) Push(std::move(step));  // else there is nothing to compute
  }

  // What it writes has memory then, and what is updated stands there.
  Step PlaceKernel(const BlockItem& item) {
    for (size_t b = 0; b < item.writes.size(); ++b) {
      const Value v = item.values[b];
      if (!item.writes[b]) continue;
      const auto may_overwrite = [&](Value old) { return MayWriteOver(item, b, old); };
      if (!Settle(v, may_overwrite) && !PlaceOverInput(item, b, v)) slots_.Allocate(v);
    }
    Step step{item.kernel, {}};
    for (size_t b = 0; b < item.values.size(); ++b) {
      if (item.updated.valid() && item.writes[b]) Copy(slot(item.values[b]), item.updated);
      step.buffers.push_back(slot(item.values[b]));
    }
    return step;
  }

  void PlanCopy(const BlockItem& item) {
    const Value to = item.values[0], from = item.values[1];
    if (!Settle(to, [&](Value old) { return old == from; }) && !TakeOver(to, from)) slots_.Allocate(to);
    Copy(slot(to), from);
  }

  void PlanCall(const BlockItem& item, Step::Control control) {
    SettleOrAllocate(item.result);
    Step step{-1, {slot(item.result)}, item.maximum_iterations, control};
    for (Value v : item.values) step.buffers.push_back(slot(v));
    if (item.starts) {
      const int64_t number = memory_->arena.Allocate(sizeof(int64_t));
      under_way_[item.maximum_iterations] = number;
      step.buffers.push_back({Slot::Kind::kInstance, 0, memory_->offset + number});
    }
    Push(std::move(step));
  }

  void PlanWait(const BlockItem& item) {
    const auto it = under_way_.find(item.maximum_iterations);
    const Slot number{Slot::Kind::kInstance, 0, memory_->offset + it->second};
    Push({-1, {number}, item.maximum_iterations, Step::Control::kWait});
    memory_->arena.Free(it->second, sizeof(int64_t));
    under_way_.erase(it);
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
      const Value v{item.result.id + k}, old = block_.in_place[v.index()];
      if (!live_.IsRead(v)) {
        results.emplace_back();
        continue;
      }
      const bool placed = Settle(v, [](Value) { return true; }) || (old.valid() && TakeOver(v, old));
      if (!placed) slots_.Allocate(v);
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
      return body.f.results()[i].id == static_cast<int>(i) && !live_.IsRead(v);
    };
    std::vector<bool> invariant(static_cast<size_t>(f_.num_values()));
    for (size_t i = 0; i < item.values.size(); ++i) {
      if (is_invariant(i)) invariant[item.values[i].index()] = true;
    }
    for (size_t i = 0; i < item.values.size(); ++i) {
      const Value v{item.result.id + static_cast<int>(i)}, start = item.values[i];
      if (is_invariant(i)) {
        carried.push_back(slot(start));
        continue;
      }
      const bool takes = !item.Overwrites(i) && !invariant[start.index()];
      const auto may_overwrite = [&](Value old) { return takes && old == start; };
      if (!Settle(v, may_overwrite) && !(takes && TakeOver(v, start))) slots_.Allocate(v);
      carried.push_back(slot(v));
    }
    for (size_t i = 0; i < item.values.size(); ++i) {
      if (!item.Overwrites(i)) Copy(carried[i], item.values[i]);
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
    const int32_t r = live_.wanted[v.index()];
    if (r < 0) return false;
    std::vector<Value>& occupants = live_.occupants[static_cast<size_t>(r)];
    for (Value old : occupants) {
      const bool free = live_.last_read[old.index()] < item_ || (DiesHere(old) && may_overwrite(old));
      if (!Holds(Rule::kMemoryPlace, free)) return false;
    }
    occupants = {v};
    slot(v) = *places_[static_cast<size_t>(r)];
    return true;
  }
  void SettleOrAllocate(Value v) {
    if (!Settle(v, [](Value) { return false; })) slots_.Allocate(v);
  }

  // Gives v the arena buffer of `old`, which is read here for the last time.
  bool TakeOver(Value v, Value old) {
    if (!slots_.IsInArena(old) || f_.type(old).bytes() != f_.type(v).bytes()) return false;
    if (!Holds(Rule::kMemoryDead, DiesHere(old) && !live_.IsResult(old))) return false;
    slots_.Move(old, v);
    return true;
  }

  bool MayWriteOver(const BlockItem& item, size_t b, Value old) const {
    return MayOverwrite(memory_->kernels, item, b, old) && Holds(Rule::kMemoryBeside, !shared_.contains(old.id));
  }

  bool PlaceOverInput(const BlockItem& item, size_t b, Value v) {
    if (item.updated.valid()) return MayWriteOver(item, b, item.updated) && TakeOver(v, item.updated);
    for (size_t i = 0; i < item.values.size(); ++i) {
      const Value old = item.values[i];
      const bool candidate = !item.writes[i] && slots_.IsInArena(old) && Holds(Rule::kMemoryDead, DiesHere(old));
      if (!candidate || f_.type(old).dtype != f_.type(v).dtype || !MayWriteOver(item, b, old)) continue;
      if (TakeOver(v, old)) return true;
    }
    return false;
  }

  // A step that does something by itself.
  void Push(Step step) {
    steps_.push_back(std::move(step));
    ++memory_->time;
  }

  void Copy(const Slot& to, Value from) {
    const int64_t bytes = f_.type(from).bytes();
    if (to != slot(from) && bytes > 0) Push({-1, {to, slot(from)}, bytes});
  }

  Memory* memory_;
  const Block& block_;
  const ir::Function& f_;
  const Places places_;
  Liveness live_;  // occupants: of now
  ValueSlots slots_;
  std::vector<Step> steps_;
  int32_t item_ = 0;  // being planned
  HashSet<int32_t> shared_;  // values that several kernels beside each other read
  std::map<int64_t, int64_t> under_way_;  // by collective: where its number is in the arena
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
  Memory memory{kernels, arena_offset, tuning, {}, record};
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
