// Where code goes: scopes, hoisting, affine sums.
#include <algorithm>

#include "codegen/lower/emitter.h"

namespace reel::codegen {

using llvm::Value;

bool KernelEmitter::CanLeave(const Scope& scope, const Dependencies& d) const {
  if (scope.barrier || Has(d.axes, scope.axis)) return false;
  return scope.writes == nullptr ||
         (!Intersect(scope.writes->locals, d.locals) && !Intersect(scope.writes->buffers, d.buffers));
}

int KernelEmitter::LevelOf(const Dependencies& d) const {
  int level = static_cast<int>(scopes_.size()) - 1;
  while (level > 0 && CanLeave(scopes_[static_cast<size_t>(level)], d)) --level;
  return level;
}

/// Runs emit with the insertion point at the end of scope `level` as far as it has been emitted.
/// What it emits may split the block (sin, cos, rem): the terminator then goes to the last part,
/// and the loop behind it comes from there.
Value* KernelEmitter::EmitAt(int level, const std::function<Value*()>& emit) {
  for (size_t i = static_cast<size_t>(level) + 1; i < scopes_.size(); ++i) {
    llvm::Instruction* entry = scopes_[i].entry;
    if (entry == nullptr) continue;
    llvm::IRBuilderBase::InsertPointGuard guard(b_);
    llvm::BasicBlock* before = entry->getParent();
    b_.SetInsertPoint(entry);
    Value* value = emit();
    if (llvm::BasicBlock* last = b_.GetInsertBlock(); last != before) {
      entry->moveBefore(*last, last->end());
      for (llvm::BasicBlock* next : llvm::successors(entry)) next->replacePhiUsesWith(before, last);
    }
    return value;
  }
  return emit();
}

KernelEmitter::Scope& KernelEmitter::Push(AxisId axis, const Writes* writes, llvm::Instruction* entry) {
  Scope& scope = scopes_.emplace_back();
  scope.axis = axis;
  scope.writes = writes;
  scope.entry = entry;
  return scope;
}

void KernelEmitter::Pop() { scopes_.pop_back(); }

void KernelEmitter::Open(AxisId axis, Value* value, int64_t constant) {
  axes_[static_cast<size_t>(axis)] = {value, constant, static_cast<int>(scopes_.size()) - 1};
}

void KernelEmitter::MarkWritten(const Writes& writes) {
  ++clock_;
  for (LocalId local : writes.locals) local_writes_[static_cast<size_t>(local)] = clock_;
  for (BufferId buffer : writes.buffers) buffer_writes_[static_cast<size_t>(buffer)] = clock_;
}

/// The terms whose axis is not a constant, outermost scope first, and the constant part.
std::pair<KernelEmitter::Terms, int64_t> KernelEmitter::OpenTerms(const Affine& affine) const {
  Terms terms;
  int64_t constant = affine.constant;
  for (const auto& term : affine.terms) {
    const Axis& axis = axes_[static_cast<size_t>(term.first)];
    if (axis.value == nullptr) {
      constant += axis.constant * term.second;
    } else {
      terms.push_back(term);
    }
  }
  auto scope = [&](const auto& term) { return axes_[static_cast<size_t>(term.first)].scope; };
  std::sort(terms.begin(), terms.end(), [&](const auto& x, const auto& y) {
    return scope(x) != scope(y) ? scope(x) < scope(y) : x.first < y.first;
  });
  return {std::move(terms), constant};
}

/// Sum of the terms that are not constant (null if none); every partial sum is emitted in the scope
/// of its innermost axis.
Value* KernelEmitter::SumOf(const Affine& affine, int64_t* constant) {
  auto [terms, rest] = OpenTerms(affine);
  *constant = rest;
  Value* sum = nullptr;
  Terms prefix;
  for (const auto& term : terms) {
    prefix.push_back(term);
    const Axis& axis = axes_[static_cast<size_t>(term.first)];
    Value*& cached = scopes_[static_cast<size_t>(axis.scope)].sums[prefix];
    if (cached == nullptr) {
      cached = EmitAt(axis.scope, [&] {
        Value* product = term.second == 1
                             ? axis.value
                             : b_.CreateNSWMul(axis.value, b_.getInt64(static_cast<uint64_t>(term.second)));
        return sum == nullptr ? product : b_.CreateNSWAdd(sum, product);
      });
    }
    sum = cached;
  }
  return sum;
}

/// The affine value as an i64, for the first lane.
Value* KernelEmitter::ValueOf(const Affine& affine) {
  int64_t constant = 0;
  Value* sum = SumOf(affine, &constant);
  Value* rest = b_.getInt64(static_cast<uint64_t>(constant));
  if (sum == nullptr) return rest;
  return constant == 0 ? sum : b_.CreateNSWAdd(sum, rest);
}

}  // namespace reel::codegen
