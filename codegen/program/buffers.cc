#include "codegen/program/buffers.h"

#include <algorithm>

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

// True if every element of `in` is read only in the statement that writes the same element of `out`.
bool ReadsWhereItWrites(const Kernel& kernel, BufferId in, BufferId out) {
  std::vector<const Stmt*> stores;
  CollectStores(kernel.body, out, &stores);
  for (const Stmt* s : stores) {
    if (s->dynamic >= 0 || s->guard >= 0) return false;
  }
  for (const Expr& e : kernel.exprs) {
    if (e.kind != Expr::Kind::kLoad || e.buffer != in) continue;
    if (e.dynamic >= 0) return false;
    const bool same = std::any_of(stores.begin(), stores.end(), [&e](const Stmt* s) { return s->index == e.index; });
    if (!same) return false;
  }
  return true;
}

class Planner {
 public:
  Planner(const ir::Function& f, const std::vector<ScheduledKernel>& kernels, const ConstantIndex& constants,
          const std::vector<int64_t>& variable_offsets, int64_t arena_offset)
      : f_(f), kernels_(kernels), constants_(constants), offsets_(variable_offsets), arena_offset_(arena_offset) {
    const auto n = static_cast<size_t>(f.num_values());
    plan_.slots.resize(n);
    placed_.assign(n, false);
    last_read_.assign(n, -1);
  }

  BufferPlan Run() {
    PlaceFixed();
    FindLastReads();
    for (size_t p = 0; p < kernels_.size(); ++p) PlaceOutputs(p);
    plan_.arena_bytes = arena_.size();
    plan_.live_bytes = arena_.peak_live();
    return std::move(plan_);
  }

 private:
  static size_t Index(Value v) { return static_cast<size_t>(v.id); }
  int64_t bytes(Value v) const { return f_.type(v).bytes(); }
  void Place(Value v, Slot slot) {
    plan_.slots[Index(v)] = slot;
    placed_[Index(v)] = true;
  }

  void PlaceFixed() {
    for (int i = 0; i < f_.num_arguments(); ++i) Place({i}, {Slot::Kind::kArgument, i, 0});
    for (size_t s = 0; s < offsets_.size(); ++s) Place(StateParameter(s), {Slot::Kind::kInstance, 0, offsets_[s]});
    for (size_t v = 0; v < constants_.size(); ++v) {
      if (constants_[v] >= 0) Place({static_cast<int32_t>(v)}, {Slot::Kind::kConstant, constants_[v], 0});
    }
    for (int i = 0; i < f_.num_outputs(); ++i) {
      Place(f_.results()[static_cast<size_t>(i)], {Slot::Kind::kResult, i, 0});
    }
  }

  Value StateParameter(size_t s) const { return {f_.num_arguments() + static_cast<int32_t>(s)}; }
  Value StateResult(size_t s) const { return f_.results()[static_cast<size_t>(f_.num_outputs()) + s]; }

  void FindLastReads() {
    for (size_t p = 0; p < kernels_.size(); ++p) {
      for (size_t b = 0; b < kernels_[p].bound.size(); ++b) {
        last_read_[Index(kernels_[p].bound[b])] = static_cast<int32_t>(p);
      }
    }
    state_of_.assign(static_cast<size_t>(f_.num_values()), -1);
    for (size_t s = 0; s < offsets_.size(); ++s) state_of_[Index(StateResult(s))] = static_cast<int32_t>(s);
  }

  void PlaceOutputs(size_t p) {
    const ScheduledKernel& k = kernels_[p];
    std::vector<Value> dying;  // arena values read here for the last time
    for (size_t b = 0; b < k.bound.size(); ++b) {
      const Value v = k.bound[b];
      if (!k.kernel.buffers[b].is_output && in_arena_.size() > Index(v) && in_arena_[Index(v)] &&
          last_read_[Index(v)] == static_cast<int32_t>(p)) {
        dying.push_back(v);
      }
    }
    for (size_t b = 0; b < k.bound.size(); ++b) {
      const Value v = k.bound[b];
      if (!k.kernel.buffers[b].is_output || placed_[Index(v)]) continue;
      if (PlaceInVariable(p, b, v) || PlaceOverInput(p, b, v, &dying)) continue;
      PlaceInArena(v, arena_.Allocate(bytes(v)));
    }
    for (Value v : dying) Release(v);
    for (size_t b = 0; b < k.bound.size(); ++b) {  // outputs nobody reads
      const Value v = k.bound[b];
      if (k.kernel.buffers[b].is_output && IsInArena(v) && last_read_[Index(v)] <= static_cast<int32_t>(p) &&
          !pinned(v)) {
        Release(v);
      }
    }
  }

  bool IsInArena(Value v) const { return Index(v) < in_arena_.size() && in_arena_[Index(v)]; }
  bool pinned(Value v) const { return state_of_[Index(v)] >= 0; }

  void PlaceInArena(Value v, int64_t offset) {
    if (in_arena_.empty()) in_arena_.assign(static_cast<size_t>(f_.num_values()), false);
    in_arena_[Index(v)] = true;
    Place(v, {Slot::Kind::kInstance, 0, arena_offset_ + offset});
    if (const int32_t s = state_of_[Index(v)]; s >= 0) {
      plan_.copies.push_back({-1, {plan_.slots[Index(StateParameter(static_cast<size_t>(s)))],
                                   plan_.slots[Index(v)]}, bytes(v)});
      last_read_[Index(v)] = static_cast<int32_t>(kernels_.size());  // the copy at the end
    }
  }

  void Release(Value v) {
    in_arena_[Index(v)] = false;
    arena_.Free(plan_.slots[Index(v)].offset - arena_offset_, bytes(v));
  }

  bool PlaceInVariable(size_t p, size_t b, Value v) {
    const int32_t s = state_of_[Index(v)];
    if (s < 0) return false;
    const Value old = StateParameter(static_cast<size_t>(s));
    if (last_read_[Index(old)] > static_cast<int32_t>(p)) return false;
    const ScheduledKernel& k = kernels_[p];
    const auto in = std::find(k.bound.begin(), k.bound.end(), old);
    if (in != k.bound.end() &&
        !ReadsWhereItWrites(k.kernel, static_cast<BufferId>(in - k.bound.begin()), static_cast<BufferId>(b))) {
      return false;
    }
    Place(v, plan_.slots[Index(old)]);
    return true;
  }

  bool PlaceOverInput(size_t p, size_t b, Value v, std::vector<Value>* dying) {
    const ScheduledKernel& k = kernels_[p];
    for (size_t i = 0; i < dying->size(); ++i) {
      const Value old = (*dying)[i];
      const auto in = std::find(k.bound.begin(), k.bound.end(), old) - k.bound.begin();
      if (f_.type(old).dtype != f_.type(v).dtype || bytes(old) != bytes(v) ||
          !ReadsWhereItWrites(k.kernel, static_cast<BufferId>(in), static_cast<BufferId>(b))) {
        continue;
      }
      in_arena_[Index(old)] = false;
      dying->erase(dying->begin() + static_cast<std::ptrdiff_t>(i));
      PlaceInArena(v, plan_.slots[Index(old)].offset - arena_offset_);
      return true;
    }
    return false;
  }

  const ir::Function& f_;
  const std::vector<ScheduledKernel>& kernels_;
  const ConstantIndex& constants_;
  const std::vector<int64_t>& offsets_;
  const int64_t arena_offset_;
  BufferPlan plan_;
  Arena arena_;
  std::vector<bool> placed_, in_arena_;
  std::vector<int32_t> last_read_, state_of_;
};

}  // namespace

BufferPlan PlanBuffers(const ir::Function& f, const std::vector<ScheduledKernel>& kernels,
                       const ConstantIndex& constants, const std::vector<int64_t>& variable_offsets,
                       int64_t arena_offset) {
  return Planner(f, kernels, constants, variable_offsets, arena_offset).Run();
}

}  // namespace reel::codegen
