// Loads and stores: uniform, contiguous or scattered lanes, with masks.
#include <algorithm>
#include <numeric>
#include <utility>

#include "codegen/lower/emitter.h"
#include "ir/strings.h"

namespace reel::codegen {

using llvm::Value;

/// Addresses base[index + dynamic * stride]. The constant part comes last so that it becomes the
/// displacement.
KernelEmitter::Address KernelEmitter::Resolve(Value* base, llvm::Type* element, const Affine& index, Value* dynamic,
                                              int64_t stride) {
  auto [terms, constant] = OpenTerms(index);
  Value* pointer = base;
  if (!terms.empty()) {
    const int level = axes_[static_cast<size_t>(terms.back().first)].scope;
    Value* sum = SumOf(index, &constant);
    Value*& cached = scopes_[static_cast<size_t>(level)].pointers[{base, terms}];
    if (cached == nullptr) {
      cached = EmitAt(level, [&] { return b_.CreateGEP(element, base, sum); });
    }
    pointer = cached;
  }
  const bool dynamic_lanes = dynamic != nullptr && IsVector(dynamic);
  if (dynamic != nullptr && !dynamic_lanes) {
    Value* offset = b_.CreateMul(dynamic, b_.getInt64(static_cast<uint64_t>(stride)));
    pointer = b_.CreateGEP(element, pointer, offset);
  }
  if (constant != 0) {
    pointer = b_.CreateGEP(element, pointer, b_.getInt64(static_cast<uint64_t>(constant)));
  }
  const int64_t coefficient = lanes_ > 1 ? index.coefficient(vector_axis_) : 0;
  if (coefficient == 0 && !dynamic_lanes) return {Address::Kind::kUniform, pointer};
  if (coefficient == 1 && !dynamic_lanes) return {Address::Kind::kContiguous, pointer};
  // 32-bit offsets where they fit: twice as many per gather.
  const int64_t span = coefficient * lanes_;
  const bool narrow = !dynamic_lanes && span > INT32_MIN && span < INT32_MAX;
  Value* offsets = LaneOffsets(narrow ? b_.getInt32Ty() : b_.getInt64Ty(), coefficient);
  if (dynamic_lanes) {
    Value* scaled = b_.CreateMul(dynamic, Splat(b_.getInt64(static_cast<uint64_t>(stride))));
    offsets = coefficient == 0 ? scaled : b_.CreateAdd(scaled, offsets);
  }
  return {Address::Kind::kScattered, b_.CreateGEP(element, pointer, offsets)};
}

Value* KernelEmitter::AllOn() const {
  return llvm::ConstantInt::getTrue(Lanes(llvm::Type::getInt1Ty(context_), lanes_));
}

/// Active lanes that pass the guard; null = all.
Value* KernelEmitter::LaneMask(Value* guard) {
  if (guard == nullptr) return mask_;
  Value* mask = mask_ == nullptr ? Splat(guard) : b_.CreateAnd(mask_, Splat(guard));
  auto* constant = llvm::dyn_cast<llvm::Constant>(mask);
  return constant != nullptr && constant->isAllOnesValue() ? nullptr : mask;
}

Value* KernelEmitter::FromMemory(DType dtype, Value* value) {
  if (dtype != kBool) return value;
  return b_.CreateICmpNE(value, llvm::Constant::getNullValue(value->getType()));
}

Value* KernelEmitter::ToMemory(DType dtype, Value* value) {
  if (dtype != kBool) return value;
  return b_.CreateZExt(value, value->getType()->getWithNewType(b_.getInt8Ty()));
}

/// Zeros that a load which must not happen reads instead, as many as the longest vector has.
constexpr uint64_t kZeroWords = 128;
llvm::Constant* KernelEmitter::ZeroPage() {
  llvm::Module* module = function_->getParent();
  if (llvm::GlobalVariable* page = module->getNamedGlobal("reel.zeros")) return page;
  llvm::Type* type = llvm::ArrayType::get(b_.getInt64Ty(), kZeroWords);
  auto* page = new llvm::GlobalVariable(*module, type, true, llvm::GlobalValue::InternalLinkage,
                                        llvm::Constant::getNullValue(type), "reel.zeros");
  page->setAlignment(llvm::Align(16));
  return page;
}

Value* KernelEmitter::Read(DType dtype, const Address& from, Value* guard, llvm::Align align) {
  llvm::Type* element = MemoryType(context_, dtype);
  Address address = from;
  if (address.kind == Address::Kind::kUniform && guard != nullptr && IsVector(guard)) {
    address = {Address::Kind::kScattered, Splat(address.pointer)};
  }
  if (address.kind == Address::Kind::kUniform) {
    Value* pointer = address.pointer;
    if (guard != nullptr) pointer = b_.CreateSelect(guard, pointer, ZeroPage());
    return FromMemory(dtype, b_.CreateAlignedLoad(element, pointer, align));
  }
  llvm::Type* type = Lanes(element, lanes_);
  llvm::Constant* zero = llvm::Constant::getNullValue(type);
  // One guard for all lanes chooses an address: no mask is made.
  const bool one_guard = guard != nullptr && !IsVector(guard) && address.kind == Address::Kind::kContiguous;
  if (one_guard && SizeOf(dtype) * lanes_ <= static_cast<int64_t>(8 * kZeroWords)) {
    address.pointer = b_.CreateSelect(guard, address.pointer, ZeroPage());
    guard = nullptr;
  }
  Value* mask = LaneMask(guard);
  Value* value;
  if (address.kind == Address::Kind::kScattered) {
    value = b_.CreateMaskedGather(type, address.pointer, align, mask ? mask : AllOn(), zero);
  } else if (mask != nullptr) {
    value = b_.CreateMaskedLoad(type, address.pointer, align, mask, zero);
  } else {
    value = b_.CreateAlignedLoad(type, address.pointer, align);
  }
  return FromMemory(dtype, value);
}

/// Lanes that write the same address write in lane order.
void KernelEmitter::Write(DType dtype, const Address& to, Value* value, Value* guard) {
  const llvm::Align align = AlignOf(dtype);
  Value* stored = ToMemory(dtype, value);
  const bool any_vector = IsVector(stored) || (guard != nullptr && IsVector(guard));
  if (to.kind == Address::Kind::kUniform && !any_vector) {
    auto store = [&] { b_.CreateAlignedStore(stored, to.pointer, align); };
    return guard == nullptr ? store() : If(guard, store);
  }
  stored = Splat(stored);
  Value* mask = LaneMask(guard);
  if (to.kind != Address::Kind::kContiguous) {
    b_.CreateMaskedScatter(stored, Splat(to.pointer), align, mask ? mask : AllOn());
  } else if (mask != nullptr) {
    b_.CreateMaskedStore(stored, to.pointer, align, mask);
  } else {
    b_.CreateAlignedStore(stored, to.pointer, align);
  }
}

/// What a load's computed index is if that is min(lane, last) / divisor, the lane with all that is added to it.
std::optional<KernelEmitter::LaneQuotient> KernelEmitter::QuotientOfLane(const Expr& e) const {
  const auto expr = [&](ExprId id) -> const Expr& { return kernel_.exprs[static_cast<size_t>(id)]; };
  if (lanes_ == 1 || e.dynamic < 0 || e.guard >= 0 || e.index.coefficient(vector_axis_) != 0) return std::nullopt;
  const Expr& quotient = expr(e.dynamic);
  if (quotient.kind != Expr::Kind::kOp || quotient.op != ir::Op::kDiv) return std::nullopt;
  const Expr &bounded = expr(quotient.operands[0]), &by = expr(quotient.operands[1]);
  if (bounded.kind != Expr::Kind::kOp || bounded.op != ir::Op::kMin) return std::nullopt;
  const Expr &lane = expr(bounded.operands[0]), &last = expr(bounded.operands[1]);
  const auto constant = [](const Expr& c) { return c.kind == Expr::Kind::kConstant && c.dtype == kInt64; };
  const bool is_lane = lane.kind == Expr::Kind::kIndex && lane.index.coefficient(vector_axis_) == 1;
  if (!is_lane || !constant(by) || !constant(last) || analysis_.Range(lane.index).first < 0) return std::nullopt;
  const LaneQuotient out{lane.index, static_cast<int64_t>(last.bits), static_cast<int64_t>(by.bits)};
  return out.last < 0 ? std::nullopt : std::optional(out);
}

/// x[index + lane / divisor * stride] where a register's lanes have two quotients at most: both elements are loaded
/// once. Null if that is not so.
Value* KernelEmitter::LoadQuotients(const Expr& e) {
  const std::optional<LaneQuotient> quotient = QuotientOfLane(e);
  const int64_t count = std::min<int64_t>(lanes_, target_.lanes(SizeOf(e.dtype)));  // of a register
  const DType stored = kernel_.buffers[static_cast<size_t>(e.buffer)].dtype;
  if (!quotient || quotient->divisor < count || lanes_ % count != 0 || stored != e.dtype || stored == kBool)
    return nullptr;
  const auto& [lane, last, divisor] = *quotient;
  Dependencies needs;
  const auto [terms, constant] = OpenTerms(lane);
  int64_t step = std::gcd(constant, divisor);
  for (const auto& [axis, coefficient] : terms) {
    Insert(&needs.axes, axis);
    step = std::gcd(step, coefficient);
  }
  const int level = LevelOf(needs);
  llvm::Type* element = MemoryType(context_, e.dtype);
  Value* base = Resolve(buffers_[static_cast<size_t>(e.buffer)], element, e.index, nullptr, 0).pointer;
  const auto number = [this](int64_t n) { return llvm::ConstantInt::getSigned(b_.getInt64Ty(), n); };
  const auto splat = [&](Value* value) { return b_.CreateVectorSplat(static_cast<unsigned>(count), value); };
  const auto at = [&, &lane = lane](int64_t i) { return b_.CreateNSWAdd(ValueOf(lane), number(i)); };
  const auto load = [&, last = last, divisor = divisor](int64_t i) {
    Value* offset = EmitAt(level, [&] {
      Value* position = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, at(i), number(last));
      return b_.CreateMul(b_.CreateUDiv(position, number(divisor)), number(e.dynamic_stride));
    });
    return splat(b_.CreateAlignedLoad(element, b_.CreateGEP(element, base, offset), AlignOf(e.dtype)));
  };
  std::vector<Value*> parts;
  for (int64_t i = 0; i < lanes_; i += count) {
    parts.push_back(load(i));
    if (step % count == 0) continue;  // they begin where a quotient does
    Value* second = EmitAt(level, [&, divisor = divisor] {
      llvm::SmallVector<llvm::Constant*, 64> lanes;
      for (int64_t j = 0; j < count; ++j) lanes.push_back(number(j));
      Value* remainder = splat(b_.CreateURem(at(i), number(divisor)));
      return b_.CreateICmpSGE(b_.CreateAdd(remainder, llvm::ConstantVector::get(lanes)), splat(number(divisor)));
    });
    parts.back() = b_.CreateSelect(second, load(i + count - 1), parts.back());
  }
  return llvm::concatenateVectors(b_, parts);
}

/// Which of the `count` elements from `from` on are those of lanes that are `stride` elements apart, where a mask of
/// count of these lanes is set.
Value* KernelEmitter::StridedMask(Value* lanes, int64_t from, int64_t stride, int64_t count) {
  std::vector<int> pick;
  for (int64_t at = from; at < from + count; ++at) {
    pick.push_back(static_cast<int>(at % stride == 0 ? at / stride : count));  // of the zeros
  }
  return b_.CreateShuffleVector(lanes, llvm::Constant::getNullValue(lanes->getType()), pick);
}

/// The first lane's address in a buffer.
Value* KernelEmitter::FirstLane(BufferId buffer, const Affine& index, Value* dynamic, int64_t stride) {
  const int64_t lanes = std::exchange(lanes_, 1);
  llvm::Type* element = MemoryType(context_, kernel_.buffers[static_cast<size_t>(buffer)].dtype);
  Value* base = Resolve(buffers_[static_cast<size_t>(buffer)], element, index, dynamic, stride).pointer;
  lanes_ = lanes;
  return base;
}

/// Lanes that go backwards: neighbours are loaded and turned around. Null if that is not so.
Value* KernelEmitter::LoadReversed(const Expr& e) {
  const bool backwards = lanes_ > 1 && e.index.coefficient(vector_axis_) == -1;
  const bool plain = kernel_.buffers[static_cast<size_t>(e.buffer)].dtype == e.dtype && e.dtype != kBool;
  Value* guard = e.guard < 0 ? nullptr : Find(e.guard)->value;
  const bool masked = guard != nullptr || mask_ != nullptr;
  const bool one_base = e.dynamic < 0 || !IsVector(Find(e.dynamic)->value);
  if (!backwards || !plain || !one_base || (masked && !target_.has_masks)) return nullptr;
  std::vector<int> order;
  for (int64_t lane = lanes_; lane-- > 0;) order.push_back(static_cast<int>(lane));
  llvm::Type *element = MemoryType(context_, e.dtype), *type = Lanes(element, lanes_);
  Value* dynamic = e.dynamic < 0 ? nullptr : Find(e.dynamic)->value;
  Value* first = FirstLane(e.buffer, e.index, dynamic, e.dynamic_stride);
  Value* last = b_.CreateGEP(element, first, llvm::ConstantInt::getSigned(b_.getInt64Ty(), 1 - lanes_));
  Value* mask = masked ? LaneMask(guard) : nullptr;
  const llvm::Align align = AlignOf(e.dtype);
  Value* neighbours = mask == nullptr ? static_cast<Value*>(b_.CreateAlignedLoad(type, last, align))
                                      : b_.CreateMaskedLoad(type, last, align, b_.CreateShuffleVector(mask, order),
                                                            llvm::Constant::getNullValue(type));
  return b_.CreateShuffleVector(neighbours, order);
}

/// How many stores, from the first one on, write neighbours for each lane that lie between those of the lanes beside
/// it, as x[2 j] and x[2 j + 1]; 1: this one alone.
int64_t KernelEmitter::StoresOfNeighbours(const Stmt* first, const Stmt* last) const {
  const int64_t count = lanes_ > 1 ? first->index.coefficient(vector_axis_) : 0;
  const DType dtype = kernel_.buffers[static_cast<size_t>(first->buffer)].dtype;
  if (count < 2 || count > 4 || last - first < count || SizeOf(dtype) < 4) return 1;
  if (mask_ != nullptr && !target_.has_masks) return 1;
  for (int64_t k = 0; k < count; ++k) {
    const Stmt& s = first[k];
    if (s.buffer != first->buffer || s.guard >= 0 || s.dynamic >= 0 || s.index != first->index + k) return 1;
  }
  return count;
}

/// Stores what as many lanes have for three neighbours, by turns: register by register.
void KernelEmitter::WriteTriples(const Stmt& first, const std::vector<Value*>& values) {
  const DType dtype = kernel_.buffers[static_cast<size_t>(first.buffer)].dtype;
  const auto n = static_cast<int>(std::min<int64_t>(lanes_, target_.lanes(SizeOf(dtype))));
  Value* to = FirstLane(first.buffer, first.index, nullptr, 0);
  for (int begin = 0; begin < lanes_; begin += n) {
    std::vector<int> own;
    for (int lane = begin; lane < std::min(begin + n, static_cast<int>(lanes_)); ++lane) own.push_back(lane);
    std::vector<Value*> parts;
    for (Value* value : values) parts.push_back(b_.CreateShuffleVector(value, own));
    const auto count = static_cast<int>(own.size());
    for (int q = 0; q < 3; ++q) {  // lane i is element count q + i: of each value by turns
      std::vector<int> two, three, each;
      for (int i = 0; i < count; ++i) {
        const int at = count * q + i, lane = at / 3, turn = at % 3;
        two.push_back(turn == 2 ? -1 : turn * count + lane);
        three.push_back(turn == 2 ? count + lane : i);
        each.push_back(begin + lane);
      }
      Value* run = b_.CreateShuffleVector(b_.CreateShuffleVector(parts[0], parts[1], two), parts[2], three);
      Value* at =
          b_.CreateGEP(MemoryType(context_, dtype), to, b_.getInt64(static_cast<uint64_t>(3 * begin + count * q)));
      if (mask_ == nullptr) {
        b_.CreateAlignedStore(run, at, AlignOf(dtype));
      } else {
        b_.CreateMaskedStore(run, at, AlignOf(dtype), b_.CreateShuffleVector(mask_, each));
      }
    }
  }
}

/// Stores what as many lanes have for their neighbours, by turns: as one run of memory.
void KernelEmitter::WriteNeighbours(const Stmt& first, std::vector<Value*> values) {
  const DType dtype = kernel_.buffers[static_cast<size_t>(first.buffer)].dtype;
  const auto count = static_cast<int64_t>(values.size());
  const auto by_turns = [this](Value* x, Value* y, int64_t n) {
    std::vector<int> order;
    for (int64_t i = 0; i < n; ++i) {
      order.push_back(static_cast<int>(i));
      order.push_back(static_cast<int>(n + i));
    }
    return b_.CreateShuffleVector(x, y, order);
  };
  for (Value*& value : values) value = Splat(value);
  if (count == 3) return WriteTriples(first, values);
  for (int64_t n = lanes_; values.size() > 1; n *= 2) {  // a b c d: ac and bd, then abcd
    const size_t half = values.size() / 2;
    for (size_t k = 0; k < half; ++k) values[k] = by_turns(values[k], values[k + half], n);
    values.resize(half);
  }
  Value* to = FirstLane(first.buffer, first.index, nullptr, 0);
  if (mask_ == nullptr) {
    b_.CreateAlignedStore(values[0], to, AlignOf(dtype));
    return;
  }
  std::vector<int> each;
  for (int64_t i = 0; i < lanes_ * count; ++i) each.push_back(static_cast<int>(i / count));
  b_.CreateMaskedStore(values[0], to, AlignOf(dtype), b_.CreateShuffleVector(mask_, each));
}

/// Lanes a few elements apart: neighbours are loaded, and those in between dropped, which is faster than a gather. Null
/// if that is not so.
Value* KernelEmitter::LoadStrided(const Expr& e) {
  constexpr int64_t kMost = 4;
  const int64_t stride = lanes_ > 1 ? e.index.coefficient(vector_axis_) : 0;
  const int64_t count = std::min<int64_t>(lanes_, target_.lanes(SizeOf(e.dtype)));  // of a register
  const bool plain = kernel_.buffers[static_cast<size_t>(e.buffer)].dtype == e.dtype && SizeOf(e.dtype) >= 4;
  const bool one_base = e.dynamic < 0 || !IsVector(Find(e.dynamic)->value);
  Value* guard = e.guard < 0 ? nullptr : Find(e.guard)->value;
  const bool masked = guard != nullptr || mask_ != nullptr;
  const bool may_mask = target_.has_masks && (guard == nullptr || IsVector(guard));
  if (stride < 2 || stride > kMost || !plain || !one_base || (masked && !may_mask) || lanes_ % count != 0)
    return nullptr;
  Value* mask = masked ? LaneMask(guard) : nullptr;
  llvm::Type* element = MemoryType(context_, e.dtype);
  Value* dynamic = e.dynamic < 0 ? nullptr : Find(e.dynamic)->value;
  Value* base = FirstLane(e.buffer, e.index, dynamic, e.dynamic_stride);
  llvm::Type* type = Lanes(element, count);
  const auto neighbours = [&](int64_t begin, int64_t from, Value* on) -> Value* {
    Value* at = b_.CreateGEP(element, base, llvm::ConstantInt::getSigned(b_.getInt64Ty(), begin + from));
    if (on == nullptr) return b_.CreateAlignedLoad(type, at, AlignOf(e.dtype));
    Value* wanted = StridedMask(on, from, stride, count);
    return b_.CreateMaskedLoad(type, at, AlignOf(e.dtype), wanted, llvm::Constant::getNullValue(type));
  };
  std::vector<Value*> parts;
  for (int64_t i = 0; i < lanes_; i += count) {
    const int64_t begin = i * stride, last = (count - 1) * stride + 1 - count;  // the last load ends with the last lane
    std::vector<int> of_part;
    for (int64_t lane = i; lane < i + count; ++lane) of_part.push_back(static_cast<int>(lane));
    Value* on = mask == nullptr ? nullptr : b_.CreateShuffleVector(mask, of_part);
    Value* part = neighbours(begin, 0, on);
    for (int64_t k = 1; k < stride; ++k) {
      const int64_t from = on != nullptr ? k * count : std::min(k * count, last);
      std::vector<int> pick;
      for (int64_t lane = 0; lane < count; ++lane) {
        const int64_t at = lane * stride;
        const int64_t here = k == 1 ? at : lane;  // earlier loads' lanes are in place
        pick.push_back(static_cast<int>(at < k * count ? here : at < (k + 1) * count ? count + at - from : lane));
      }
      part = b_.CreateShuffleVector(part, neighbours(begin, from, on), pick);
    }
    parts.push_back(part);
  }
  return llvm::concatenateVectors(b_, parts);
}

Value* KernelEmitter::LoadBuffer(const Expr& e) {
  if (Value* value = LoadQuotients(e)) return value;
  if (Value* value = LoadStrided(e)) return value;
  if (Value* value = LoadReversed(e)) return value;
  Value* dynamic = e.dynamic < 0 ? nullptr : Find(e.dynamic)->value;
  Value* guard = e.guard < 0 ? nullptr : Find(e.guard)->value;
  // Neighbours that are read as one: what counts elements of the buffer comes to count these.
  const DType stored = kernel_.buffers[static_cast<size_t>(e.buffer)].dtype;
  const int64_t together = SizeOf(e.dtype) / SizeOf(stored);
  Affine index = e.index;
  if (together > 1) {
    index.constant /= together;
    for (auto& [axis, coefficient] : index.terms) coefficient /= together;
    if (dynamic != nullptr) {
      dynamic = b_.CreateExactSDiv(dynamic, llvm::ConstantInt::getSigned(dynamic->getType(), together));
    }
  }
  const Address from =
      Resolve(buffers_[static_cast<size_t>(e.buffer)], MemoryType(context_, e.dtype), index, dynamic, e.dynamic_stride);
  return Read(e.dtype, from, guard, AlignOf(stored));
}

/// Address of an element of a local. Per-lane locals hold one vector per element.
KernelEmitter::Address KernelEmitter::LocalAddress(LocalId local, const Affine& index, Value* dynamic, int64_t stride) {
  const Storage& storage = storage_[static_cast<size_t>(local)];
  llvm::Type* element = MemoryType(context_, LocalOf(local).dtype);
  const bool foreign_lanes = storage.lanes > 1 && storage.lanes != lanes_;
  const bool lane_index = storage.lanes > 1 && index.coefficient(vector_axis_) != 0;
  if (storage.memory == nullptr || foreign_lanes || lane_index) {
    Fail(absl::InternalError(
        StrCat("kernel ", kernel_.name, ": local ", LocalOf(local).name,
               storage.memory ? " is per lane and indexed by the lane" : " is used before its declaration")));
    return {Address::Kind::kUniform, llvm::PoisonValue::get(b_.getPtrTy())};
  }
  return Resolve(storage.memory, Lanes(element, storage.lanes), index, dynamic, stride);
}

Value* KernelEmitter::LoadLocal(const Expr& e) {
  const Storage& storage = storage_[static_cast<size_t>(e.local)];
  const Address from = LocalAddress(e.local, e.index, nullptr, 0);
  if (!status_.ok()) return nullptr;
  llvm::Type* element = MemoryType(context_, e.dtype);
  const llvm::Align align = AlignOf(e.dtype);
  if (storage.lanes > 1) {
    Value* value = b_.CreateAlignedLoad(Lanes(element, storage.lanes), from.pointer, align);
    return FromMemory(e.dtype, value);
  }
  if (from.kind != Address::Kind::kContiguous) return Read(e.dtype, from, nullptr, align);
  // Locals are padded by a vector: no mask. What lanes beyond the end read is arbitrary but fixed.
  Value* value = b_.CreateAlignedLoad(Lanes(element, lanes_), from.pointer, align);
  if (mask_ != nullptr && value->getType()->isIntOrIntVectorTy()) value = b_.CreateFreeze(value);
  return FromMemory(e.dtype, value);
}

/// Each line that the lanes touch, into L2.
void KernelEmitter::Prefetch(const Stmt& s) {
  constexpr int64_t kLine = 64;
  const DType dtype = kernel_.buffers[static_cast<size_t>(s.buffer)].dtype;
  const Address at = Resolve(buffers_[static_cast<size_t>(s.buffer)], MemoryType(context_, dtype), s.index, nullptr, 0);
  if (at.kind == Address::Kind::kScattered) return;
  const int64_t bytes = SizeOf(dtype) * (at.kind == Address::Kind::kUniform ? 1 : lanes_);
  for (int64_t line = 0; line < bytes; line += kLine) {
    Value* pointer = b_.CreateConstGEP1_64(b_.getInt8Ty(), at.pointer, static_cast<uint64_t>(line));
    b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {pointer->getType()},
                       {pointer, b_.getInt32(0), b_.getInt32(2), b_.getInt32(1)});  // to read, to L2, data
  }
}

}  // namespace reel::codegen
