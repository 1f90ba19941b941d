// Expressions: evaluated once per scope, in the order of their ids.
#include <algorithm>

#include "codegen/loop/cost.h"
#include "codegen/lower/emitter.h"
#include "ir/hash_map.h"
#include "ir/strings.h"

namespace reel::codegen {

using llvm::Value;

namespace {

DType TypeOfOperands(const Kernel& kernel, const Expr& e) {
  if (e.operands.empty()) return e.dtype;
  return kernel.exprs[static_cast<size_t>(e.operands.back())].dtype;
}

}  // namespace

/// The remembered value of an expression in the scope it belongs to now, if nothing it reads has
/// changed.
const KernelEmitter::Memo* KernelEmitter::Find(ExprId id) const {
  const Dependencies& d = analysis_.exprs[static_cast<size_t>(id)];
  const Scope& scope = scopes_[static_cast<size_t>(LevelOf(d))];
  auto it = scope.values.find(id);
  if (it == scope.values.end()) return nullptr;
  const int64_t time = it->second.time;
  for (LocalId local : d.locals) {
    if (local_writes_[static_cast<size_t>(local)] > time) return nullptr;
  }
  for (BufferId buffer : d.buffers) {
    if (buffer_writes_[static_cast<size_t>(buffer)] > time) return nullptr;
  }
  return &it->second;
}

Value* KernelEmitter::Eval(ExprId root) {
  if (const Memo* memo = Find(root)) return memo->value;
  // Everything below the root that is not known yet; operands have smaller ids than users.
  std::vector<ExprId> needed, open = {root};
  HashMap<ExprId, bool> seen = {{root, true}};
  auto visit = [&](ExprId id) {
    if (id >= 0 && seen.emplace(id, true).second && Find(id) == nullptr) open.push_back(id);
  };
  while (!open.empty()) {
    const ExprId id = open.back();
    open.pop_back();
    needed.push_back(id);
    const Expr& e = kernel_.exprs[static_cast<size_t>(id)];
    for (ExprId operand : e.operands) visit(operand);
    visit(e.dynamic);
    visit(e.guard);
  }
  std::sort(needed.begin(), needed.end());
  for (ExprId id : needed) EmitExpr(id);
  return Find(root)->value;
}

void KernelEmitter::EmitExpr(ExprId id) {
  const int level = LevelOf(analysis_.exprs[static_cast<size_t>(id)]);
  const Expr& e = kernel_.exprs[static_cast<size_t>(id)];
  Value* value = EmitAt(level, [&] { return Emit(e); });
  if (value == nullptr) {
    Fail(absl::UnimplementedError(StrCat("kernel ", kernel_.name, ": ",
                                         e.kind == Expr::Kind::kOp ? ir::Name(e.op) : std::string_view("an expression"),
                                         " has no code for ", Name(TypeOfOperands(kernel_, e)))));
    value = llvm::PoisonValue::get(b_.getFloatTy());
  }
  scopes_[static_cast<size_t>(level)].values[id] = {value, clock_};
}

Value* KernelEmitter::Emit(const Expr& e) {
  if (RegisterType(context_, e.dtype) == nullptr || !status_.ok()) return nullptr;
  switch (e.kind) {
    case Expr::Kind::kConstant: return ConstantOf(context_, e.dtype, e.bits);
    case Expr::Kind::kIndex: return EmitIndex(e);
    case Expr::Kind::kLoad: return LoadBuffer(e);
    case Expr::Kind::kLocal: return LoadLocal(e);
    case Expr::Kind::kOp:
    case Expr::Kind::kRandom: return EmitOpExpr(e);
  }
  return nullptr;
}

/// Vector {0, c, 2c, ...} of an integer type.
Value* KernelEmitter::LaneOffsets(llvm::Type* element, int64_t coefficient) {
  llvm::SmallVector<llvm::Constant*, 64> offsets;
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    offsets.push_back(llvm::ConstantInt::getSigned(element, lane * coefficient));
  }
  return llvm::ConstantVector::get(offsets);
}

Value* KernelEmitter::EmitIndex(const Expr& e) {
  llvm::Type* type = RegisterType(context_, e.dtype);
  const int64_t coefficient = lanes_ > 1 ? e.index.coefficient(vector_axis_) : 0;
  const auto [low, high] = analysis_.Range(e.index);
  const bool fits32 = low >= INT32_MIN && high <= INT32_MAX;
  // Integers are computed in their own width or i32 (they wrap), floats from the narrowest exact integer.
  const bool narrow = IsFloat(e.dtype) ? fits32 : SizeOf(e.dtype) <= 4;
  llvm::Type* integer = narrow ? b_.getInt32Ty() : b_.getInt64Ty();
  Value* value = b_.CreateTrunc(ValueOf(e.index), integer);
  if (coefficient != 0) value = b_.CreateAdd(Splat(value), LaneOffsets(integer, coefficient));
  if (e.dtype == kBool) return b_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
  if (!IsFloat(e.dtype)) return b_.CreateTrunc(value, value->getType()->getWithNewType(type));
  return b_.CreateSIToFP(value, value->getType()->getWithNewType(type));
}

Value* KernelEmitter::EmitOpExpr(const Expr& e) {
  llvm::SmallVector<Value*, 3> operands;
  bool any_vector = false;
  for (ExprId operand : e.operands) {
    operands.push_back(Find(operand)->value);
    any_vector |= IsVector(operands.back());
  }
  if (any_vector) {
    for (Value*& operand : operands) operand = Splat(operand);
  }
  if (e.kind == Expr::Kind::kRandom) return EmitRandom(b_, operands[0], operands[1], operands[2]);
  const auto copies = long_ops_.find(e.op);
  const auto emit = copies != long_ops_.end() && copies->second > kInlinedCopies ? EmitOpCall : EmitOp;
  return emit(b_, e.op, TypeOfOperands(kernel_, e), e.dtype, operands, target_);
}

/// The value in every lane; vectors stay as they are.
Value* KernelEmitter::Splat(Value* value) {
  if (lanes_ == 1 || IsVector(value)) return value;
  return b_.CreateVectorSplat(static_cast<unsigned>(lanes_), value);
}

}  // namespace reel::codegen
