#include "codegen/program/verify_items.h"

#include "ir/budget_scope.h"
#include "ir/strings.h"

namespace reel::codegen {

using ir::Value;

absl::Status VerifyItems(const Block& block) {
  std::vector<bool> written(static_cast<size_t>(block.f.num_values()), false);
  size_t number = 0;
  absl::Status error;
  const auto fail = [&](Value v, const char* what) {
    if (!error.ok()) return;
    error = absl::InternalError(
        StrCat("@", block.f.name(), ": the plan is wrong at step ", number, ": %", v.id, " ", what));
  };
  const auto read = [&](Value v) {
    if (written[v.index()] || block.f.is_parameter(v) || block.f.Is(v, ir::Op::kConstant)) return;
    if (block.f.type(v).bytes() != 0) fail(v, "is read before it is written");  // without elements there is nothing to
  };
  const auto write = [&](Value v) {
    if (written[v.index()]) fail(v, "is written twice");
    written[v.index()] = true;
  };
  for (const BlockItem& item : block.items) {
    for (size_t i = 0; i < item.values.size(); ++i) {
      if (!item.Writes(i)) read(item.values[i]);
    }
    if (item.updated.valid()) read(item.updated);
    item.VisitWrites(write);
    ++number;
  }
  for (Value v : block.f.results()) read(v);
  return error;
}

absl::Status VerifySlots(const std::vector<Step>& steps) {
  ir::ChargeVisits(steps.size());
  for (const Step& step : steps) {
    for (const Slot& slot : step.buffers) {
      if (slot.kind == Slot::Kind::kInstance && slot.offset < kHeaderBytes)
        return absl::InternalError("the plan is wrong: a step uses a value that has no memory");
    }
    for (const auto* inner : {&step.first, &step.second}) {
      if (absl::Status s = VerifySlots(*inner); !s.ok()) return s;
    }
  }
  return absl::OkStatus();
}

}  // namespace reel::codegen
