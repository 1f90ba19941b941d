#include "codegen/program/verify_items.h"

#include "ir/budget_scope.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

using ir::Value;

class ItemVerifier {
 public:
  explicit ItemVerifier(const Block& block)
      : block_(block), written_(static_cast<size_t>(block.f.num_values()), false) {}

  absl::Status Run() {
    for (const BlockItem& item : block_.items) {
      const bool kernel = item.kind == BlockItem::Kind::kKernel, copy = item.kind == BlockItem::Kind::kCopy;
      const auto writes = [&](size_t i) { return kernel ? item.writes[i] : copy && i == 0; };
      for (size_t i = 0; i < item.values.size(); ++i) {
        if (!writes(i)) Read(item.values[i]);
      }
      if (item.updated.valid()) Read(item.updated);
      for (size_t i = 0; i < item.values.size(); ++i) {
        if (writes(i)) Write(item.values[i]);
      }
      for (int i = 0; i < item.num_results; ++i) Write({item.result.id + i});
      ++number_;
    }
    for (Value v : block_.f.results()) Read(v);
    return error_;
  }

 private:
  // Without elements there is nothing to read or write.
  bool IsEmpty(Value v) const { return block_.f.type(v).bytes() == 0; }

  void Read(Value v) {
    if (written_[static_cast<size_t>(v.id)] || block_.f.is_parameter(v) || block_.f.Is(v, ir::Op::kConstant)) return;
    if (!IsEmpty(v)) Fail(v, "is read before it is written");
  }
  void Write(Value v) {
    if (written_[static_cast<size_t>(v.id)]) Fail(v, "is written twice");
    written_[static_cast<size_t>(v.id)] = true;
  }
  void Fail(Value v, const char* what) {
    if (!error_.ok()) return;
    error_ = absl::InternalError(
        StrCat("@", block_.f.name(), ": the plan is wrong at step ", number_, ": %", v.id, " ", what));
  }

  const Block& block_;
  std::vector<bool> written_;  // by value
  size_t number_ = 0;
  absl::Status error_;
};

}  // namespace

absl::Status VerifyItems(const Block& block) { return ItemVerifier(block).Run(); }

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
