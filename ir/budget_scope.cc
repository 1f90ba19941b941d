#include "ir/budget_scope.h"

#include "ir/graph.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

thread_local BudgetScope* innermost = nullptr;

}  // namespace

BudgetScope::BudgetScope(const BudgetMeter& meter, bool count_ops)
    : meter_(meter), count_ops_(count_ops), outer_(std::exchange(innermost, this)) {}
BudgetScope::~BudgetScope() { innermost = outer_; }

void BudgetScope::AddNode(size_t operands, size_t results) {
  ++nodes_;
  if (count_ops_ && nodes_ > meter_.budget().max_ops) {
    throw BudgetExceeded(absl::ResourceExhaustedError(
        StrCat("makes more than ", meter_.budget().max_ops, " ops, the budget (max_ops)")));
  }
  AddMemory(static_cast<int64_t>(2 * sizeof(Node) + operands * sizeof(Value) +
                                 results * 2 * (sizeof(Type) + sizeof(int32_t))));
  Spend(1);
}

void BudgetScope::AddParameter(size_t name_bytes) {
  AddMemory(static_cast<int64_t>(2 * (sizeof(Parameter) + sizeof(Type) + sizeof(int32_t)) + name_bytes));
  Spend(1);
}

void BudgetScope::AddVisits(int64_t count) {
  visits_ += count;
  Spend(count);
}

void BudgetScope::AddMemory(int64_t bytes) {
  memory_ += bytes;
  if (memory_ <= meter_.budget().max_memory) return;
  throw BudgetExceeded(absl::ResourceExhaustedError(StrCat("makes a graph that needs more memory than the budget of ",
                                                           meter_.budget().max_memory, " bytes (max_memory)")));
}

void BudgetScope::Spend(int64_t steps) {
  since_look_ += steps;
  if (since_look_ < kLook) return;
  since_look_ = 0;
  CheckTime();
}

void BudgetScope::CheckTime() const {
  for (const BudgetScope* scope = this; scope != nullptr; scope = scope->outer_) {
    if (absl::Status s = scope->meter_.CheckTime(); !s.ok()) throw BudgetExceeded(std::move(s));
  }
}

void ChargeNode(size_t operands, size_t results) {
  if (innermost != nullptr) innermost->AddNode(operands, results);
}

void ChargeParameter(size_t name_bytes) {
  if (innermost != nullptr) innermost->AddParameter(name_bytes);
}

void ChargeVisits(size_t count) {
  if (innermost != nullptr) innermost->AddVisits(static_cast<int64_t>(count));
}

}  // namespace reel::ir
