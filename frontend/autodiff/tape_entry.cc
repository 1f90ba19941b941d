#include <algorithm>

#include "frontend/autodiff/backward.h"
#include "frontend/autodiff/custom_gradient.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/location.h"
#include "frontend/values/variable_data.h"
#include "ir/key.h"
#include "passes/gradient/gradient.h"

// What a tape keeps of an op.

namespace reel::internal {

const Type* TypeTable::Find(const Type& type) {
  std::string key;
  ir::AppendKey(&key, type);
  auto it = types_.find(key);
  if (it == types_.end()) it = types_.emplace(std::move(key), std::make_unique<const Type>(type)).first;
  const Type* const found = it->second.get();
  recent_[next_++ % recent_.size()] = found;
  return found;
}

TapeEntry MakeEntry(const OpEvent& event, uint32_t wanted, TypeTable* types) {
  TapeEntry entry{event.op, event.attributes, {}, {}, {}, {}, {}, event.line};
  const passes::Needs needs = passes::NeededByGradient(event.op, wanted);
  const auto needed = [](uint32_t mask, size_t i) { return (mask >> std::min<size_t>(i, 31) & 1) != 0; };
  for (size_t i = 0; i < event.operands.size(); ++i) {
    entry.operands.push_back(event.operands[i].id() | (needed(wanted, i) ? 0 : kDetached));
    entry.operand_types.push_back((*types)(event.operands[i].type()));
    if (needed(needs.operands, i)) entry.kept.push_back(event.operands[i]);
  }
  for (size_t i = 0; i < event.results.size(); ++i) {
    entry.results.push_back(event.results[i].id());
    entry.result_types.push_back((*types)(event.results[i].type()));
    entry.alive.push_back(event.results[i].internal_data());
    if (needed(needs.results, i)) entry.kept.push_back(event.results[i]);
  }
  return entry;
}

TapeEntry MakeCustomEntry(const CustomEvent& event, const std::vector<bool>& followed, TypeTable* types) {
  TapeEntry entry{ir::Op::kCall, nullptr, {}, {}, {}, {}, {}, event.line, event.custom};
  const auto add = [&](uint64_t id, const Type& type) {
    entry.operands.push_back(id | (followed[entry.operands.size()] ? 0 : kDetached));
    entry.operand_types.push_back((*types)(type));
  };
  for (const Tensor& x : event.operands) add(x.id(), x.type());
  for (const VariablePtr& v : event.custom->variables) add(v->id, v->type);
  for (const Tensor& y : event.results) {
    entry.results.push_back(y.id());
    entry.result_types.push_back((*types)(y.type()));
    entry.alive.push_back(y.internal_data());
  }
  return entry;
}

TapeEntry MakeReadEntry(const VariablePtr& variable, const Tensor& value, SourceLine line, TypeTable* types) {
  return {ir::Op::kIdentity,
          nullptr,
          {variable->id},
          {(*types)(variable->type)},
          {value.id()},
          {(*types)(value.type())},
          {},
          line,
          {},
          {value.internal_data()}};
}

}  // namespace reel::internal
