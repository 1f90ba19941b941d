#ifndef REEL_IR_BUDGET_SCOPE_H_
#define REEL_IR_BUDGET_SCOPE_H_

#include <cstddef>
#include <exception>
#include <utility>

#include "absl/status/status.h"
#include "ir/budget_meter.h"

// A budget for whatever goes through a module: gradients, passes, expansions, verification, printing. What makes nodes
// shows where all of it passes, in Function::AddNode; a loop that only looks at nodes says so with ChargeVisits.

namespace reel::ir {

/// Thrown where a node is made or visits are charged in a scope whose budget is spent; caught by Within.
class BudgetExceeded : public std::exception {
 public:
  explicit BudgetExceeded(absl::Status status) : status_(std::move(status)) {}
  const absl::Status& status() const { return status_; }
  const char* what() const noexcept override { return "the budget is exceeded"; }

 private:
  absl::Status status_;
};

/// What this thread makes while it lives is charged: time and memory, and if asked the number of nodes. Scopes nest:
/// the innermost counts, the clock is looked at for all of them.
class BudgetScope {
 public:
  /// Nodes made or visited between two looks at the clock.
  static constexpr int64_t kLook = 256;

  BudgetScope(const BudgetMeter& meter, bool count_ops);
  ~BudgetScope();
  BudgetScope(const BudgetScope&) = delete;
  BudgetScope& operator=(const BudgetScope&) = delete;
  void AddNode(size_t operands, size_t results);
  void AddParameter(size_t name_bytes);
  void AddVisits(int64_t count);

  int64_t nodes() const { return nodes_; }    ///< made so far
  int64_t visits() const { return visits_; }  ///< of nodes that were looked at, as far as loops say

 private:
  void AddMemory(int64_t bytes);
  void Spend(int64_t steps);
  void CheckTime() const;

  const BudgetMeter& meter_;
  const bool count_ops_;
  int64_t nodes_ = 0, visits_ = 0, memory_ = 0, since_look_ = 0;
  BudgetScope* const outer_;
};

/// Charges a node to the innermost scope of this thread, if there is one.
void ChargeNode(size_t operands, size_t results);
/// A parameter of a function, the same.
void ChargeParameter(size_t name_bytes);
/// Nodes, values or the like that were looked at without making any, the same. Before a loop over many, or inside.
void ChargeVisits(size_t count);

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
