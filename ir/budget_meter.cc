#include "ir/budget_meter.h"

#include <chrono>

#include "ir/graph.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

// Value ids are 32 bits wide.
constexpr int64_t kMaxValues = int64_t{1} << 30;

}  // namespace

double SteadySeconds() {
  return std::chrono::duration<double>(std::chrono::steady_clock::now().time_since_epoch()).count();
}

absl::Status BudgetMeter::CheckBytes(int64_t bytes) const {
  if (bytes <= budget_.max_bytes) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      StrCat("input is larger than the budget of ", budget_.max_bytes, " bytes (max_bytes)"));
}

absl::Status BudgetMeter::AddNode(size_t operands, size_t results) {
  if (++ops_ > budget_.max_ops) {
    return absl::ResourceExhaustedError(StrCat("more than ", budget_.max_ops, " ops, the budget (max_ops)"));
  }
  values_ += static_cast<int64_t>(results);
  if (values_ > kMaxValues) return absl::ResourceExhaustedError("more than 2^30 values");
  if (ops_ % 4096 == 0) {
    if (absl::Status s = CheckTime(); !s.ok()) return s;
  }
  return AddMemory(static_cast<int64_t>(2 * sizeof(Node) + operands * sizeof(Value) +
                                        results * 2 * (sizeof(Type) + sizeof(int32_t))));
}

absl::Status BudgetMeter::AddMemory(int64_t bytes) {
  if (!__builtin_add_overflow(memory_, bytes, &memory_) && memory_ <= budget_.max_memory) {
    return absl::OkStatus();
  }
  return absl::ResourceExhaustedError(
      StrCat("needs more memory than the budget of ", budget_.max_memory, " bytes (max_memory)"));
}

absl::Status BudgetMeter::CheckTime() const {
  if (stop_ != nullptr && *stop_ != 0) return absl::CancelledError("interrupted");
  if (clock_() - start_ <= budget_.max_seconds) return absl::OkStatus();
  return absl::ResourceExhaustedError(
      StrCat("takes longer than the budget of ", budget_.max_seconds, " s (max_seconds)"));
}

absl::Status BudgetMeter::AddLiteral(const Type& type) {
  if (!type.shape.is_constant() || !FitsInMemory(type.shape)) {
    return absl::InvalidArgumentError(
        StrCat("a literal cannot be ", type.ToString(), ": its shape must be constant and fit in memory"));
  }
  return AddMemory(type.bytes());
}

absl::Status BudgetMeter::AddModule(const Module& module) {
  for (const auto& f : module.functions()) {
    for (const Node& node : f->nodes()) {
      const auto results = static_cast<size_t>(node.num_results);
      if (absl::Status s = AddNode(node.operands.size(), results); !s.ok()) return s;
    }
  }
  return absl::OkStatus();
}

}  // namespace reel::ir
