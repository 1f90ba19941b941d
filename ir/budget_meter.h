#ifndef REEL_IR_BUDGET_METER_H_
#define REEL_IR_BUDGET_METER_H_

#include <chrono>
#include <string_view>

#include "absl/status/status.h"
#include "ir/budget.h"
#include "ir/types.h"

namespace reel::ir {

/// Counts what a reader is about to spend; every error is ResourceExhausted and names the limit.
class BudgetMeter {
 public:
  explicit BudgetMeter(const Budget& budget)
      : budget_(budget), start_(std::chrono::steady_clock::now()) {}

  /// The size of the input.
  absl::Status CheckBytes(int64_t bytes) const;
  /// One node with this many operands and results. Looks at the clock now and then.
  absl::Status AddNode(size_t operands, size_t results);
  absl::Status AddMemory(int64_t bytes);
  absl::Status CheckTime() const;
  /// Bytes of a literal: its type must be constant and small enough for the budget.
  absl::Status AddLiteral(const Type& type);

 private:
  Budget budget_;
  std::chrono::steady_clock::time_point start_;
  int64_t ops_ = 0, values_ = 0, memory_ = 0;
};

}  // namespace reel::ir

#endif  // REEL_IR_BUDGET_METER_H_
