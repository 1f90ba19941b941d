// Trees over partials: in lanes, or in vectors of many reductions at once.
#include "codegen/lower/emitter.h"

namespace reel::codegen {

using llvm::Value;

namespace {

/// The first two levels of a tree over so many vectors are a loop: a third of the instructions.
constexpr int64_t kLongTree = 32;

}  // namespace

/// The trees of as many rows as a register has lanes: halves of two vectors, each with the same rows, are combined at
/// once. The results side by side.
Value* KernelEmitter::TreesOfRows(const Stmt& s, const Local& local, Value* pointer) {
  const int64_t rows = s.width, partials = local.size / rows;
  llvm::Type* type = Lanes(MemoryType(context_, local.dtype), partials);
  // The low or high halves of what each row in a, and then in b if that is another, has left.
  const auto half = [&](Value* a, Value* b, int64_t left, bool high) {
    const auto lanes = static_cast<int>(llvm::cast<llvm::FixedVectorType>(a->getType())->getNumElements());
    llvm::SmallVector<int, 64> from;
    for (int i = 0; i < (b != nullptr ? 2 * lanes : lanes); ++i) {
      if (((i & static_cast<int>(left / 2)) != 0) == high) from.push_back(i);
    }
    return b_.CreateShuffleVector(a, b != nullptr ? b : a, from);
  };
  const auto combine = [&](Value* a, Value* b, int64_t left) {
    return EmitCombine(b_, s.combine, local.dtype, half(a, b, left, false), half(a, b, left, true), nullptr, target_);
  };
  std::vector<Value*> parts;
  for (int64_t r = 0; r < rows; ++r) {
    Value* from = b_.CreateConstGEP1_64(type, pointer, static_cast<uint64_t>(r));
    Value* row = b_.CreateAlignedLoad(type, from, AlignOf(local.dtype));
    for (int64_t left = partials; left > rows; left /= 2) row = combine(row, nullptr, left);
    parts.push_back(row);
  }
  for (int64_t left = rows; left > 1; left /= 2) {
    for (size_t i = 0; 2 * i < parts.size(); ++i) parts[i] = combine(parts[2 * i], parts[2 * i + 1], left);
    parts.resize(parts.size() / 2);
  }
  return parts[0];
}

/// for s = n/2 .. 1: p[j] = combine(p[j], p[j + s]); element 0 is stored.
void KernelEmitter::Tree(const Stmt& s) {
  const Local& local = LocalOf(s.local);
  const Storage& storage = storage_[static_cast<size_t>(s.local)];
  const Address to = LocalAddress(s.local, s.index, nullptr, 0);
  if (!status_.ok()) return;
  const llvm::Align align = AlignOf(local.dtype);
  llvm::Type* element = MemoryType(context_, local.dtype);
  Value* result;
  if (s.width > 1) {
    result = TreesOfRows(s, local, to.pointer);
  } else if (storage.lanes == 1) {
    result = FromMemory(local.dtype, b_.CreateAlignedLoad(Lanes(element, local.size), to.pointer, align));
    const bool ordered = IsFloat(local.dtype) && (s.combine == Combine::kMax || s.combine == Combine::kMin);
    llvm::Type* type = result->getType()->getScalarType();
    if (ordered) result = ToOrdered(b_, s.combine, result);
    const DType dtype = !ordered ? local.dtype : type->isDoubleTy() ? kInt64 : kInt32;
    for (int64_t half = local.size / 2; half >= 1; half /= 2) {
      llvm::SmallVector<int, 64> low, high;
      for (int j = 0; j < half; ++j) low.push_back(j), high.push_back(j + static_cast<int>(half));
      Value* x = b_.CreateShuffleVector(result, low);
      Value* y = b_.CreateShuffleVector(result, high);
      result = EmitCombine(b_, s.combine, dtype, x, y, nullptr, target_);
    }
    if (IsVector(result)) result = b_.CreateExtractElement(result, b_.getInt64(0));
    if (ordered) result = FromOrdered(b_, result, type);
  } else {
    llvm::Type* lanes = Lanes(element, storage.lanes);
    const auto address = [&](Value* j) { return b_.CreateGEP(lanes, to.pointer, j); };
    // Elements first, first + step, ...: what the tree makes of them.
    const auto combine = [&](Value* first, int64_t step, int64_t count) {
      std::vector<Value*> p;
      for (int64_t j = 0; j < count; ++j) {
        Value* pointer = address(b_.CreateAdd(first, Int64(b_, j * step)));
        p.push_back(FromMemory(local.dtype, b_.CreateAlignedLoad(lanes, pointer, align)));
      }
      for (size_t half = p.size() / 2; half >= 1; half /= 2) {
        for (size_t j = 0; j < half; ++j) {
          p[j] = EmitCombine(b_, s.combine, local.dtype, p[j], p[j + half], nullptr, target_);
        }
      }
      return p[0];
    };
    int64_t rest = local.size;
    if (rest >= kLongTree) {
      rest /= 4;
      Repeat(rest, 1,
             [&](Value* j) { b_.CreateAlignedStore(ToMemory(local.dtype, combine(j, rest, 4)), address(j), align); });
    }
    result = combine(b_.getInt64(0), 1, rest);
  }
  b_.CreateAlignedStore(ToMemory(local.dtype, result), to.pointer, align);
  local_writes_[static_cast<size_t>(s.local)] = ++clock_;
}

}  // namespace reel::codegen
