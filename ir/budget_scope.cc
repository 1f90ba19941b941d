#include "ir/budget_scope.h"

#include "ir/graph.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

constexpr int64_t kLook = 256;  // nodes between looks at the clock

thread_local BudgetScope* innermost = nullptr;

}  // namespace

BudgetScope::BudgetScope(const BudgetMeter& meter, bool count_ops)
    : meter_(meter), count_ops_(count_ops), outer_(std::exchange(innermost, this)) {}
BudgetScope::~BudgetScope() { innermost = outer_; }

void BudgetScope::AddNode(size_t operands, size_t results) {
  const Budget& budget = meter_.budget();
  ++ops_;
  if (count_ops_ && ops_ > budget.max_ops) {
    throw BudgetExceeded(absl::ResourceExhaustedError(
        StrCat("makes more than ", budget.max_ops, " ops, the budget (max_ops)")));
  }
  memory_ += static_cast<int64_t>(2 * sizeof(Node) + operands * sizeof(Value) +
                                  results * 2 * (sizeof(Type) + sizeof(int32_t)));
  if (memory_ > budget.max_memory) {
    throw BudgetExceeded(absl::ResourceExhaustedError(
        StrCat("makes a graph that needs more memory than the budget of ", budget.max_memory, " bytes (max_memory)")));
  }
  if (ops_ % kLook != 0) return;
  if (absl::Status s = meter_.CheckTime(); !s.ok()) throw BudgetExceeded(std::move(s));
}

void ChargeNode(size_t operands, size_t results) {
  if (innermost != nullptr) innermost->AddNode(operands, results);
}

}  // namespace reel::ir
