// Statements: loops, vector steps, locals, accumulation, stores.
#include <algorithm>
#include <bit>
#include <numeric>

#include "codegen/lower/emitter.h"
#include "codegen/lower/transpose.h"
#include "ir/strings.h"

namespace reel::codegen {

using llvm::Value;

namespace {

/// Locals of one kernel may not take more of the stack than this.
constexpr int64_t kMaxStackBytes = 256 << 10;
/// More fill stores than this become a loop: LLVM's time is quadratic in the stores of a block.
constexpr int64_t kMaxFillStores = 8;

int64_t FloorPower2(int64_t x) {
  int64_t power = 1;
  while (power <= x / 2) power *= 2;
  return power;
}

}  // namespace

KernelEmitter::KernelEmitter(const Kernel& kernel, const Target& target, llvm::Function* function)
    : kernel_(kernel),
      target_(target),
      function_(function),
      context_(function->getContext()),
      b_(context_),
      analysis_(kernel),
      axes_(kernel.axes.size()),
      storage_(kernel.locals.size()),
      local_writes_(kernel.locals.size(), 0),
      buffer_writes_(kernel.buffers.size(), 0) {
  for (const Expr& e : kernel.exprs) {
    if (e.kind == Expr::Kind::kOp && IsLong(e.op)) ++long_ops_[e.op];
  }
}

absl::Status KernelEmitter::Run() {
  b_.SetInsertPoint(NewBlock("entry"));
  for (size_t i = 0; i < kernel_.buffers.size(); ++i) {
    Value* slot = b_.CreateConstInBoundsGEP1_64(b_.getPtrTy(), function_->getArg(0), i);
    llvm::LoadInst* pointer = b_.CreateLoad(b_.getPtrTy(), slot, kernel_.buffers[i].name);
    pointer->setMetadata(llvm::LLVMContext::MD_invariant_load, llvm::MDNode::get(context_, {}));
    buffers_.push_back(pointer);
  }
  chunk_ = function_->getArg(1);
  Push(-1, nullptr, nullptr);
  Body(kernel_.body);
  Pop();
  b_.CreateRetVoid();
  return status_;
}

absl::StatusOr<llvm::BasicBlock*> KernelEmitter::RunInLine(std::vector<Value*> buffers, llvm::BasicBlock* at) {
  b_.SetInsertPoint(at);
  buffers_ = std::move(buffers);
  Push(-1, nullptr, nullptr);
  Body(kernel_.body);
  Pop();
  if (!status_.ok()) return status_;
  return b_.GetInsertBlock();
}

void KernelEmitter::Body(const std::vector<Stmt>& body) {
  for (size_t i = 0; i < body.size() && status_.ok();) {
    const Stmt& s = body[i];
    size_t next = i + 1;
    switch (s.kind) {
      case Stmt::Kind::kLoop: Loop(s); break;
      case Stmt::Kind::kLocal: Declare(s); break;
      case Stmt::Kind::kAccumulate: Accumulate(s); break;
      case Stmt::Kind::kTree: Tree(s); break;
      case Stmt::Kind::kTranspose: Transpose(s); break;
      case Stmt::Kind::kStore:
        while (next < body.size() && body[next].kind == Stmt::Kind::kStore) ++next;
        Stores(&body[i], body.data() + next);
        break;
      case Stmt::Kind::kSort: Sort(s); break;
      case Stmt::Kind::kPrefetch: Prefetch(s); break;
      case Stmt::Kind::kTileProduct: TileProduct(s); break;
    }
    i = next;
  }
}

// --- loops ---

/// min(extent, clip_total - clip_base), a constant where the ranges of the axes say so.
KernelEmitter::Trip KernelEmitter::TripOf(const Stmt& s) {
  if (!s.extent.is_constant()) {
    Fail(absl::UnimplementedError(StrCat("kernel ", kernel_.name, ": loop over a symbolic extent")));
    return {};
  }
  const int64_t extent = s.extent.value();
  if (s.clip_total < 0) return {nullptr, extent, false};
  if (s.clip_total >= kRuntimeRows) return LengthTrip(s);
  if (lanes_ > 1 && s.clip_base.coefficient(vector_axis_) != 0) {
    Fail(absl::InternalError(StrCat("kernel ", kernel_.name, ": a loop is clipped by the lane")));
    return {};
  }
  const auto [terms, constant] = OpenTerms(s.clip_base);
  Affine open;
  open.constant = constant;
  for (const auto& [axis, coefficient] : terms) open.Add(axis, coefficient);
  const auto [low, high] = analysis_.Range(open);
  const int64_t rest_low = s.clip_total - high, rest_high = s.clip_total - low;
  if (rest_low >= extent || terms.empty()) {
    return {nullptr, std::clamp<int64_t>(rest_high, 0, extent), false};
  }
  if (rest_high <= 0) return {};
  Dependencies needs;
  int64_t divisor = std::gcd(extent, s.clip_total - constant);
  for (const auto& [axis, coefficient] : terms) {
    Insert(&needs.axes, axis);
    divisor = std::gcd(divisor, coefficient);
  }
  int64_t constant_part = 0;  // as `constant`; the sum stands in the scope of its innermost axis, as the trip does
  Value* base = SumOf(s.clip_base, &constant_part);
  Value* trip = EmitAt(LevelOf(needs), [&] {
    Value* rest = b_.CreateNSWSub(Int64(b_, s.clip_total - constant_part), base);
    if (rest_high <= extent) return rest;
    return static_cast<Value*>(b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, rest, Int64(b_, extent)));
  });
  return {trip, 0, rest_low < 1, divisor};
}

/// min(extent, length - clip_base), or rows for length.
KernelEmitter::Trip KernelEmitter::LengthTrip(const Stmt& s) {
  Dependencies needs;
  for (const auto& [axis, coefficient] : OpenTerms(s.clip_base).first) Insert(&needs.axes, axis);
  Value* base = ValueOf(s.clip_base);
  Value* trip = EmitAt(LevelOf(needs), [&]() -> Value* {
    Value* total = chunk_;
    if (s.clip_total == kRuntimeRows) {
      total = b_.CreateLShr(b_.CreateNSWAdd(total, Int64(b_, 63)), Int64(b_, 6));
    }
    Value* rest = b_.CreateNSWSub(total, base);
    return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, rest, Int64(b_, s.extent.value()));
  });
  return {trip, 0, true};
}

void KernelEmitter::Loop(const Stmt& s) {
  if (s.guard < 0) return Iterations(s);
  Value* guard = Eval(s.guard);
  if (status_.ok()) If(guard, [&] { Iterations(s); });
}

void KernelEmitter::Iterations(const Stmt& s) {
  if (s.loop_kind == LoopKind::kParallel) {
    // Chunks of loops in each other count through the inner ones first.
    const int64_t inner = ChunksOf(s.body);
    Value* const all = chunk_;
    const bool several = all != nullptr && inner > 1;
    Push(s.axis, nullptr, nullptr);
    Open(s.axis, several ? b_.CreateUDiv(all, Int64(b_, inner)) : all, 0);
    if (several) chunk_ = b_.CreateURem(all, Int64(b_, inner));
    Body(s.body);
    chunk_ = all;
    return Pop();
  }
  Trip trip = TripOf(s);
  if (!status_.ok() || (trip.value == nullptr && trip.constant == 0)) return;
  if (trip.maybe_zero && s.loop_kind != LoopKind::kUnrolled) {
    trip.maybe_zero = false;
    return If(b_.CreateICmpSGT(trip.value, b_.getInt64(0)), [&] {
      s.loop_kind == LoopKind::kVector&& s.width > 1 ? Vector(s, trip) : VectorSteps(s, 1, b_.getInt64(0), trip.value);
    });
  }
  if (s.loop_kind == LoopKind::kUnrolled) return Unrolled(s, trip);
  if (s.loop_kind == LoopKind::kVector && s.width > 1) return Vector(s, trip);
  VectorSteps(s, 1, b_.getInt64(0), trip.value ? trip.value : Int64(b_, trip.constant));
}

void KernelEmitter::Unrolled(const Stmt& s, const Trip& trip) {
  const int64_t extent = trip.value == nullptr ? trip.constant : s.extent.value();
  for (int64_t i = 0; i < extent; ++i) {
    auto iteration = [&] {
      Push(s.axis, nullptr, nullptr);
      Open(s.axis, nullptr, i);
      Body(s.body);
      Pop();
    };
    if (trip.value == nullptr || (i == 0 && !trip.maybe_zero)) {
      iteration();
    } else {
      If(b_.CreateICmpSGT(trip.value, Int64(b_, i)), iteration);
    }
  }
}

/// Whether `rest` lanes are stored in two narrower steps: what is read next, often the neighbour in memory, would wait
/// for all lanes of a masked one where the result takes the place of the operand. Loops inside would run twice.
static bool StoresInTwo(const Stmt& s, int64_t rest) {
  const auto has = [&](Stmt::Kind kind) {
    return std::any_of(s.body.begin(), s.body.end(), [kind](const Stmt& b) { return b.kind == kind; });
  };
  return has(Stmt::Kind::kStore) && !has(Stmt::Kind::kLoop) && std::popcount(static_cast<uint64_t>(rest)) == 2;
}

/// Full steps, then what is left: masked, or on targets without masks in ever narrower steps.
void KernelEmitter::Vector(const Stmt& s, const Trip& trip) {
  if (lanes_ > 1) {
    return Fail(absl::InternalError(StrCat("kernel ", kernel_.name, ": nested vector loops")));
  }
  Value* zero = b_.getInt64(0);
  if (trip.value == nullptr) {
    const int64_t full = trip.constant / s.width * s.width;
    if (full > 0) VectorSteps(s, s.width, zero, Int64(b_, full));
    for (int64_t at = full; at < trip.constant;) {
      const int64_t rest = trip.constant - at;
      const int64_t floor = FloorPower2(rest);
      if (rest != floor && target_.has_masks && !(scopes_.size() > 1 && StoresInTwo(s, rest))) {
        Push(s.axis, nullptr, nullptr);
        MaskedTail(s, {nullptr, rest, false}, Int64(b_, at), nullptr);
        Pop();
        return;
      }
      VectorSteps(s, floor, Int64(b_, at), Int64(b_, at + floor));
      at += floor;
    }
    return;
  }
  if (trip.divisor % s.width == 0) {  // nothing is left
    return VectorSteps(s, s.width, zero, s.extent.value() == s.width ? Int64(b_, s.width) : trip.value);
  }
  if (!target_.has_masks) {
    Value* at = zero;
    for (int64_t width = s.width;; width = width > 4 ? 4 : 1) {
      Value* end = width == 1 ? trip.value : b_.CreateAnd(trip.value, Int64(b_, -width));
      If(b_.CreateICmpSLT(at, end), [&] { VectorSteps(s, width, at, end); });
      if (width == 1) return;
      at = end;
    }
  }
  if (s.extent.value() <= s.width && s.clip_total < kRuntimeRows) {  // at most one step: always masked, no branch
    Push(s.axis, nullptr, nullptr);
    MaskedTail(s, trip, zero, trip.value);
    return Pop();
  }
  Value* full = b_.CreateSub(trip.value, b_.CreateURem(trip.value, Int64(b_, s.width)));
  If(b_.CreateICmpSGT(full, zero), [&] { VectorSteps(s, s.width, zero, full); });
  If(b_.CreateICmpSLT(full, trip.value), [&] {
    Push(s.axis, nullptr, nullptr);
    MaskedTail(s, trip, full, trip.value);
    Pop();
  });
}

/// One step from `base` whose lanes end at `total`, or after trip.constant lanes if that is null.
void KernelEmitter::MaskedTail(const Stmt& s, const Trip& trip, Value* base, Value* total) {
  lanes_ = s.width;
  if (total == nullptr) {
    lanes_ = std::min(s.width, 2 * FloorPower2(trip.constant));
    llvm::SmallVector<llvm::Constant*, 64> bits;
    for (int64_t lane = 0; lane < lanes_; ++lane) bits.push_back(b_.getInt1(lane < trip.constant));
    const int64_t lanes = std::exchange(lanes_, 1);
    return VectorBody(s, lanes, base, llvm::ConstantVector::get(bits));
  }
  Dependencies needs;
  for (const auto& [axis, coefficient] : OpenTerms(s.clip_base).first) Insert(&needs.axes, axis);
  const bool first = llvm::isa<llvm::ConstantInt>(base);
  auto emit = [&]() -> Value* {
    Value* rest = first ? total : b_.CreateNSWSub(total, base);
    Value* count = b_.CreateTrunc(rest, b_.getInt32Ty());
    return b_.CreateICmpSLT(LaneOffsets(b_.getInt32Ty(), 1), Splat(count));
  };
  Value* mask = first ? EmitAt(LevelOf(needs), emit) : emit();
  const int64_t lanes = std::exchange(lanes_, 1);
  VectorBody(s, lanes, base, mask);
}

/// Steps of `width` iterations from begin to end, whose difference is a positive multiple of it.
void KernelEmitter::VectorSteps(const Stmt& s, int64_t width, Value* begin, Value* end) {
  auto* first = llvm::dyn_cast<llvm::ConstantInt>(begin);
  auto* last = llvm::dyn_cast<llvm::ConstantInt>(end);
  if (first && last && last->getSExtValue() - first->getSExtValue() == width) {
    Push(s.axis, nullptr, nullptr);
    VectorBody(s, width, begin, nullptr);
    return Pop();
  }
  Counted(s, begin, end, width, [&](Value* at) { VectorBody(s, width, at, nullptr); });
}

/// The body for `width` lanes from base, in the scope just pushed. Width 1 is an ordinary
/// iteration.
void KernelEmitter::VectorBody(const Stmt& s, int64_t width, Value* base, Value* mask) {
  auto* constant = llvm::dyn_cast<llvm::ConstantInt>(base);
  Open(s.axis, constant ? nullptr : base, constant ? constant->getSExtValue() : 0);
  if (width == 1) return Body(s.body);
  vector_axis_ = s.axis;
  lanes_ = width;
  mask_ = mask;
  Body(s.body);
  vector_axis_ = -1;
  lanes_ = 1;
  mask_ = nullptr;
}

/// do { body(i) } while ((i += step) < end), in a scope of its own.
void KernelEmitter::Counted(const Stmt& s, Value* begin, Value* end, int64_t step,
                            const std::function<void(Value*)>& body) {
  const Writes& writes = analysis_.loops.at(&s);
  MarkWritten(writes);
  llvm::BasicBlock* header = NewBlock("loop");
  llvm::BasicBlock* before = b_.GetInsertBlock();
  llvm::Instruction* entry = b_.CreateBr(header);
  b_.SetInsertPoint(header);
  llvm::PHINode* at = b_.CreatePHI(b_.getInt64Ty(), 2, kernel_.axes[static_cast<size_t>(s.axis)]);
  at->addIncoming(begin, before);
  Push(s.axis, &writes, entry);
  body(at);
  Pop();
  Value* next = b_.CreateAdd(at, Int64(b_, step), "", true, true);
  llvm::BasicBlock* done = NewBlock("done");
  at->addIncoming(next, b_.GetInsertBlock());
  b_.CreateCondBr(b_.CreateICmpSLT(next, end), header, done);
  b_.SetInsertPoint(done);
  MarkWritten(writes);
}

void KernelEmitter::If(Value* condition, const std::function<void()>& body) {
  llvm::BasicBlock* then = NewBlock("then");
  llvm::Instruction* entry = b_.CreateCondBr(condition, then, then);
  b_.SetInsertPoint(then);
  Push(-1, nullptr, entry).barrier = true;
  body();
  Pop();
  llvm::BasicBlock* done = NewBlock("endif");
  b_.CreateBr(done);
  entry->setSuccessor(1, done);
  b_.SetInsertPoint(done);
}

// --- locals ---

void KernelEmitter::Declare(const Stmt& s) {
  const Local& local = LocalOf(s.local);
  llvm::Type* memory = MemoryType(context_, local.dtype);
  if (memory == nullptr) {
    return Fail(
        absl::UnimplementedError(StrCat("kernel ", kernel_.name, ": no code for locals of ", Name(local.dtype))));
  }
  // Plain locals are padded so that a vector that starts inside may end outside.
  const int64_t padding = lanes_ == 1 && analysis_.max_width > 1 ? analysis_.max_width : 0;
  llvm::Type* element = Lanes(memory, lanes_);
  llvm::AllocaInst*& alloca = allocas_[{s.local, lanes_}];
  if (alloca == nullptr) {
    stack_bytes_ += (local.size + padding) * lanes_ * SizeOf(local.dtype);
    if (stack_bytes_ > kMaxStackBytes) {
      return Fail(
          absl::ResourceExhaustedError(StrCat("kernel ", kernel_.name, ": locals need more than ", kMaxStackBytes,
                                              " bytes of stack; the schedule must tile further")));
    }
    llvm::BasicBlock& entry = function_->getEntryBlock();
    llvm::IRBuilder<> front(&entry, entry.begin());
    llvm::Type* type = llvm::ArrayType::get(element, static_cast<uint64_t>(local.size + padding));
    alloca = front.CreateAlloca(type, nullptr, local.name);
    alloca->setAlignment(llvm::Align(64));
  }
  storage_[static_cast<size_t>(s.local)] = {alloca, lanes_};
  local_writes_[static_cast<size_t>(s.local)] = ++clock_;
  if (!s.fill) return;
  Value* init = ToMemory(local.dtype, ConstantOf(context_, local.dtype, s.init));
  Fill(storage_[static_cast<size_t>(s.local)], init, local.size, llvm::cast<llvm::Constant>(init)->isNullValue());
}

/// Fills in chunks of the kernel's vector width, so that registers can hold the pieces.
void KernelEmitter::Fill(const Storage& storage, Value* value, int64_t elements, bool zero_bits) {
  llvm::Type* scalar = value->getType();
  const uint64_t bytes = scalar->getPrimitiveSizeInBits() / 8;
  if (zero_bits && elements > 1 && storage.lanes == 1) {
    b_.CreateMemSet(storage.memory, b_.getInt8(0), static_cast<uint64_t>(elements) * bytes, llvm::Align(64));
    return;
  }
  const int64_t most = storage.lanes > 1 ? 1 : std::max<int64_t>(analysis_.max_width, 16);
  int64_t chunk = std::min(FloorPower2(elements), FloorPower2(most));
  llvm::Type* unit = Lanes(scalar, storage.lanes);
  auto store = [&](Value* index, int64_t n) {
    llvm::Type* type = storage.lanes > 1 ? unit : Lanes(scalar, n);
    Value* filled = type->isVectorTy()
                        ? b_.CreateVectorSplat(llvm::cast<llvm::FixedVectorType>(type)->getNumElements(), value)
                        : value;
    b_.CreateAlignedStore(filled, b_.CreateGEP(unit, storage.memory, index), llvm::Align(bytes));
  };
  int64_t at = 0;
  if (elements / chunk > kMaxFillStores) {
    const int64_t end = elements / chunk * chunk;
    Repeat(end, chunk, [&](Value* index) { store(index, chunk); });
    at = end;
  }
  for (; at < elements; at += chunk) {
    while (chunk > elements - at) chunk /= 2;
    store(Int64(b_, at), chunk);
  }
}

/// do { body(i) } while ((i += step) < end), from 0; no loop of the tree, so not a scope.
void KernelEmitter::Repeat(int64_t end, int64_t step, const std::function<void(Value*)>& body) {
  llvm::BasicBlock *before = b_.GetInsertBlock(), *header = NewBlock("repeat"), *done = NewBlock("repeated");
  b_.CreateBr(header);
  b_.SetInsertPoint(header);
  llvm::PHINode* index = b_.CreatePHI(b_.getInt64Ty(), 2);
  body(index);
  Value* next = b_.CreateAdd(index, Int64(b_, step));
  index->addIncoming(b_.getInt64(0), before);
  index->addIncoming(next, header);
  b_.CreateCondBr(b_.CreateICmpSLT(next, Int64(b_, end)), header, done);
  b_.SetInsertPoint(done);
}

void KernelEmitter::Accumulate(const Stmt& s) {
  const DType dtype = LocalOf(s.local).dtype;
  Value* a = Eval(s.a);
  Value* b = EvalOptional(s.b);
  Value* dynamic = EvalOptional(s.dynamic);
  Value* guard = EvalOptional(s.guard);
  const Storage storage = storage_[static_cast<size_t>(s.local)];
  const Address to = LocalAddress(s.local, s.index, dynamic, s.dynamic_stride);
  if (!status_.ok()) return;
  const bool per_lane = storage.lanes > 1;
  if (lanes_ > 1 && !per_lane && to.kind != Address::Kind::kContiguous) {
    AccumulateLanes(s, to, a, b, LaneMask(guard));
  } else {
    llvm::Type* type = Lanes(MemoryType(context_, dtype), lanes_);
    const llvm::Align align = AlignOf(dtype);
    if (lanes_ > 1) {
      a = Splat(a);
      b = b ? Splat(b) : nullptr;
    }
    Value* old = FromMemory(dtype, b_.CreateAlignedLoad(type, to.pointer, align));
    Value* result = EmitCombine(b_, s.combine, dtype, old, a, b, target_);
    // Lanes beyond the end of a per-lane local are never looked at.
    Value* mask = per_lane && guard == nullptr ? nullptr : lanes_ > 1 ? LaneMask(guard) : guard;
    if (mask != nullptr) result = b_.CreateSelect(mask, result, old);
    b_.CreateAlignedStore(ToMemory(dtype, result), to.pointer, align);
  }
  local_writes_[static_cast<size_t>(s.local)] = ++clock_;
}

/// Lane after lane, in order: lanes may meet in one element.
void KernelEmitter::AccumulateLanes(const Stmt& s, const Address& to, Value* a, Value* b, Value* mask) {
  const DType dtype = LocalOf(s.local).dtype;
  auto lane_of = [&](Value* value, int64_t lane) {
    return value != nullptr && IsVector(value) ? b_.CreateExtractElement(value, Int64(b_, lane)) : value;
  };
  for (int64_t lane = 0; lane < lanes_; ++lane) {
    Value* pointer = lane_of(to.pointer, lane);
    Value* old = FromMemory(dtype, b_.CreateAlignedLoad(MemoryType(context_, dtype), pointer, AlignOf(dtype)));
    Value* result = EmitCombine(b_, s.combine, dtype, old, lane_of(a, lane), lane_of(b, lane), target_);
    if (mask != nullptr) result = b_.CreateSelect(lane_of(mask, lane), result, old);
    b_.CreateAlignedStore(ToMemory(dtype, result), pointer, AlignOf(dtype));
  }
}

void KernelEmitter::Transpose(const Stmt& s) {
  const Local& local = LocalOf(s.local);
  const Address at = LocalAddress(s.local, s.index, nullptr, 0);
  if (!status_.ok()) return;
  int64_t n = 1;
  while (n * n < local.size) n *= 2;
  if (s.width > 1) n = s.extent.value();
  auto* row = llvm::cast<llvm::FixedVectorType>(Lanes(MemoryType(context_, local.dtype), local.size / n));
  const auto address = [&](size_t i) { return b_.CreateConstGEP1_64(row, at.pointer, i); };
  llvm::SmallVector<Value*, 16> rows;
  for (size_t i = 0; i < static_cast<size_t>(n); ++i) {
    rows.push_back(b_.CreateAlignedLoad(row, address(i), AlignOf(local.dtype)));
  }
  if (s.width > 1) {
    TransposeBlocks(b_, static_cast<size_t>(s.width), &rows);
  } else {
    TransposeRows(b_, target_, function_->getParent(), &rows);
  }
  for (size_t i = 0; i < rows.size(); ++i) b_.CreateAlignedStore(rows[i], address(i), AlignOf(local.dtype));
  local_writes_[static_cast<size_t>(s.local)] = ++clock_;
}

// --- stores ---

/// Neighbouring stores: all right sides first, then all writes.
void KernelEmitter::Stores(const Stmt* first, const Stmt* last) {
  struct Pending {
    Value *value, *dynamic, *guard;
  };
  std::vector<Pending> pending;
  for (const Stmt* s = first; s != last; ++s) {
    pending.push_back({Eval(s->a), EvalOptional(s->dynamic), EvalOptional(s->guard)});
  }
  if (!status_.ok()) return;
  for (const Stmt* s = first; s != last;) {
    const auto from = pending.begin() + (s - first);
    buffer_writes_[static_cast<size_t>(s->buffer)] = ++clock_;
    if (const int64_t count = StoresOfNeighbours(s, last); count > 1) {
      std::vector<Value*> values;
      for (auto p = from; p != from + count; ++p) values.push_back(p->value);
      WriteNeighbours(*s, std::move(values));
      s += count;
      continue;
    }
    const DType dtype = kernel_.buffers[static_cast<size_t>(s->buffer)].dtype;
    const Address to = Resolve(buffers_[static_cast<size_t>(s->buffer)], MemoryType(context_, dtype), s->index,
                               from->dynamic, s->dynamic_stride);
    Write(dtype, to, from->value, from->guard);
    ++s;
  }
}

}  // namespace reel::codegen
