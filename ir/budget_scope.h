#ifndef REEL_IR_BUDGET_SCOPE_H_
#define REEL_IR_BUDGET_SCOPE_H_

#include <cstddef>
#include <exception>
#include <utility>

#include "absl/status/status.h"
#include "ir/budget_meter.h"

// A budget for whatever makes nodes: gradients, passes, expansions. What they spend shows where all of them pass, in
// Function::AddNode, so a loop over a module need not look itself.

namespace reel::ir {

/// Thrown by Function::AddNode in a scope whose budget is spent; caught by Within.
class BudgetExceeded : public std::exception {
 public:
  explicit BudgetExceeded(absl::Status status) : status_(std::move(status)) {}
  const absl::Status& status() const { return status_; }
  const char* what() const noexcept override { return "the budget is exceeded"; }

 private:
  absl::Status status_;
};

/// Nodes that this thread makes while it lives are charged: time and memory, and if asked their number.
class BudgetScope {
 public:
  BudgetScope(const BudgetMeter& meter, bool count_ops);
  ~BudgetScope();
  BudgetScope(const BudgetScope&) = delete;
  BudgetScope& operator=(const BudgetScope&) = delete;
  void AddNode(size_t operands, size_t results);

 private:
  const BudgetMeter& meter_;
  const bool count_ops_;
  int64_t ops_ = 0, memory_ = 0;
  BudgetScope* const outer_;
};

/// Charges a node to the innermost scope of this thread, if there is one.
void ChargeNode(size_t operands, size_t results);

/// What f() returns, an absl::Status or StatusOr, or what its budget says. `meter` null: no limits.
template <typename F>
auto Within(const BudgetMeter* meter, F f, bool count_ops = false) -> decltype(f()) {
  if (meter == nullptr) return f();
  try {
    const BudgetScope scope(*meter, count_ops);
    return f();
  } catch (const BudgetExceeded& e) {
    return e.status();
  }
}

}  // namespace reel::ir

#endif  // REEL_IR_BUDGET_SCOPE_H_
