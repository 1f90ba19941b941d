#ifndef REEL_IR_BUDGET_METER_H_
#define REEL_IR_BUDGET_METER_H_

#include <optional>
#include <string_view>

#include "absl/status/status.h"
#include "ir/budget.h"
#include "ir/types.h"

namespace reel::ir {

class Module;

/// Seconds since some moment. Tests bring their own.
using Clock = double (*)();
double SteadySeconds();

/// Counts what a reader or the compiler is about to spend; every error is ResourceExhausted and
/// names the limit.
class BudgetMeter {
 public:
  /// `start`: when its time began, by the clock; none: now. `stop`: time is up when that is not 0, which is Cancelled.
  explicit BudgetMeter(const Budget& budget, Clock clock = SteadySeconds, std::optional<double> start = {},
                       const volatile int32_t* stop = nullptr)
      : budget_(budget), clock_(clock), start_(start ? *start : clock()), stop_(stop) {}

  /// The size of the input.
  absl::Status CheckBytes(int64_t bytes) const;
  /// One node with this many operands and results. Looks at the clock now and then.
  absl::Status AddNode(size_t operands, size_t results);
  absl::Status AddMemory(int64_t bytes);
  /// Any thread may look. ResourceExhausted, or Cancelled.
  absl::Status CheckTime() const;
  /// The nodes of a module.
  absl::Status AddModule(const Module& module);
  /// Bytes of a literal: its type must be constant and small enough for the budget.
  absl::Status AddLiteral(const Type& type);
  const Budget& budget() const { return budget_; }

 private:
  Budget budget_;
  Clock clock_;
  double start_;
  const volatile int32_t* stop_;
  int64_t ops_ = 0, values_ = 0, memory_ = 0;
};

}  // namespace reel::ir

#endif  // REEL_IR_BUDGET_METER_H_
