// Argsort of one row, or its first positions alone. A key and its position make one word of 64 bits, so that any order
// of distinct words (sort_words.h) is a stable one of keys, in no memory but the result: O(n log n) for every input.
#include "codegen/lower/control.h"
#include "codegen/lower/emitter.h"
#include "codegen/lower/lower.h"
#include "codegen/lower/sort_words.h"
#include "ir/strings.h"

#include <algorithm>
#include <bit>

namespace reel::codegen {

using llvm::Value;

namespace {

/// Emits `void f(ptr keys, i64 stride, ptr out, i64 n)`, the positions of all keys in order, or
/// `void f(ptr keys, i64 stride, ptr out, i64 n, i64 count, ptr words, i64 room)`, the first `count` of them, with room
/// for words: more than count and what one step adds.
///
/// A word has the upper half of the key's order above the position. Keys of 64 bits are sorted by their upper halves,
/// then runs of equal ones by the lower halves.
class SortEmitter {
 public:
  SortEmitter(llvm::Function* function, const Target& target, DType dtype, bool descending)
      : c_(function),
        b_(c_.b()),
        dtype_(dtype),
        descending_(descending),
        bits_(8 * static_cast<unsigned>(SizeOf(dtype))),
        lanes_(target.lanes(SizeOf(dtype))),
        sort_(SortWordsFunction(function->getParent(), target)),
        keys_(c_.argument(0)),
        stride_(c_.argument(1)),
        out_(c_.argument(2)),
        n_(c_.argument(3)) {}

  void EmitSort() {
    c_.For(c_.Int(0), n_, 1, [&](Value* i) { Put(out_, i, WordOf(i)); });
    SortRange(out_, n_);
    c_.For(c_.Int(0), n_, 1, [&](Value* i) { Put(out_, i, PositionOf(At(out_, i))); });
    b_.CreateRetVoid();
  }

  /// Words below a limit are gathered; when there is no more room they are sorted, and the last of the `count` that
  /// stay is the next limit. A later key that equals it stands behind it.
  void EmitSelect() {
    const auto below = [&](Value* order, Value* limit) { return b_.CreateICmpSLE(order, limit); };
    Value *count = c_.argument(4), *words = c_.argument(5);
    Value* last_room = c_.Sub(c_.argument(6), c_.Int(lanes_));
    llvm::AllocaInst* size = c_.Variable(c_.Int(0));
    llvm::AllocaInst* limit =
        c_.Variable(llvm::ConstantInt::get(OrderType(1), llvm::APInt::getSignedMaxValue(OrderBits())));
    Value* neighbours = b_.CreateICmpEQ(stride_, c_.Int(1));
    c_.For(c_.Int(0), n_, lanes_, [&](Value* begin) {
      Value* end = c_.Add(begin, c_.Int(lanes_));
      Value* whole = b_.CreateAnd(neighbours, b_.CreateICmpSLE(end, n_));
      Value* none = c_.AndThen(whole, [&] {
        Value* all = b_.CreateVectorSplat(static_cast<unsigned>(lanes_), c_.Get(limit));
        return b_.CreateNot(b_.CreateOrReduce(below(OrderOf(begin, lanes_), all)));
      });
      c_.If(b_.CreateNot(none), [&] {
        c_.For(begin, c_.Min(end, n_), 1, [&](Value* i) {
          Value* order = OrderOf(i, 1);
          Put(words, c_.Get(size), Word(order, i));
          c_.AddTo(size, b_.CreateZExt(below(order, c_.Get(limit)), b_.getInt64Ty()));
        });
        c_.If(c_.Less(last_room, c_.Get(size)), [&] { Keep(words, size, count, limit); });
      });
    });
    SortRange(words, c_.Get(size));
    c_.For(c_.Int(0), count, 1, [&](Value* i) { Put(out_, i, PositionOf(At(words, i))); });
    b_.CreateRetVoid();
  }

 private:
  unsigned OrderBits() const { return std::max(bits_, 32u); }
  llvm::Type* OrderType(int64_t lanes) const { return Lanes(OrderBits(), lanes); }
  llvm::Type* Lanes(unsigned bits, int64_t lanes) const {
    llvm::Type* type = llvm::Type::getIntNTy(c_.context(), bits);
    return lanes > 1 ? llvm::FixedVectorType::get(type, static_cast<unsigned>(lanes)) : type;
  }

  Value* At(Value* array, Value* i) {
    return b_.CreateAlignedLoad(b_.getInt64Ty(), b_.CreateGEP(b_.getInt64Ty(), array, i), llvm::Align(8));
  }
  void Put(Value* array, Value* i, Value* word) {
    b_.CreateAlignedStore(word, b_.CreateGEP(b_.getInt64Ty(), array, i), llvm::Align(8));
  }

  /// Of so many keys from position i on, which are neighbours if they are several: signed integers in their order. NaN
  /// is the largest, -0 is +0.
  Value* OrderOf(Value* i, int64_t lanes) {
    llvm::Type* type = Lanes(bits_, lanes);
    const auto constant = [&](const llvm::APInt& x) { return llvm::ConstantInt::get(type, x); };
    Value* at = b_.CreateGEP(Lanes(bits_, 1), keys_, b_.CreateNSWMul(i, stride_));
    Value* x = b_.CreateAlignedLoad(type, at, llvm::Align(bits_ / 8));
    const bool is_signed = IsFloat(dtype_) || !(dtype_ == kBool || IsUnsigned(dtype_));
    if (IsFloat(dtype_)) {
      const llvm::APInt most = llvm::APInt::getSignedMaxValue(bits_);
      const llvm::APInt infinity = InfinityOf(dtype_);
      Value *magnitude = b_.CreateAnd(x, constant(most)), *zero = constant(llvm::APInt(bits_, 0));
      Value* negative = b_.CreateSub(zero, magnitude);
      x = b_.CreateSelect(b_.CreateICmpSLT(x, zero), negative, magnitude);
      x = b_.CreateSelect(b_.CreateICmpSGT(magnitude, constant(infinity)), constant(most), x);
    } else if (!is_signed && bits_ == OrderBits()) {
      x = b_.CreateXor(x, constant(llvm::APInt::getSignMask(bits_)));
    }
    if (bits_ < OrderBits()) x = b_.CreateIntCast(x, OrderType(lanes), is_signed);
    return descending_ ? b_.CreateNot(x) : x;
  }

  static llvm::APInt InfinityOf(DType dtype) {
    switch (dtype) {
      case kFloat16: return {16, 0x7C00};
      case kBFloat16: return {16, 0x7F80};
      case kFloat32: return {32, 0x7F800000};
      default: return {64, 0x7FF0000000000000};
    }
  }

  Value* Word(Value* order, Value* position) {
    Value* upper = bits_ == 64 ? b_.CreateAnd(order, c_.Int(~int64_t{0xFFFFFFFF}))
                               : b_.CreateShl(b_.CreateSExt(order, b_.getInt64Ty()), 32);
    return b_.CreateOr(upper, position);
  }
  Value* WordOf(Value* position) { return Word(OrderOf(position, 1), position); }
  /// Of keys that have the same upper half.
  Value* LowerWordOf(Value* position) {
    Value* lower = b_.CreateXor(b_.CreateShl(OrderOf(position, 1), 32), c_.Int(INT64_MIN));
    return b_.CreateOr(lower, position);
  }
  Value* PositionOf(Value* word) { return b_.CreateAnd(word, c_.Int(0xFFFFFFFF)); }

  /// Sorts words; those of 64-bit keys have other upper halves then.
  void SortRange(Value* words, Value* n) {
    b_.CreateCall(sort_, {words, n});
    if (bits_ < 64) return;
    llvm::AllocaInst* begin = c_.Variable(c_.Int(0));
    c_.While([&] { return c_.Less(c_.Get(begin), n); },
             [&] {
               Value* first = c_.Get(begin);
               Value* end = EndOfRun(words, first, n);
               c_.If(c_.Less(c_.Add(first, c_.Int(1)), end), [&] {
                 c_.For(first, end, 1, [&](Value* i) { Put(words, i, LowerWordOf(PositionOf(At(words, i)))); });
                 b_.CreateCall(sort_, {b_.CreateGEP(b_.getInt64Ty(), words, first), c_.Sub(end, first)});
               });
               c_.Set(begin, end);
             });
  }

  /// Of words with the upper half of the first.
  Value* EndOfRun(Value* words, Value* begin, Value* n) {
    Value* first = At(words, begin);
    llvm::AllocaInst* end = c_.Variable(c_.Add(begin, c_.Int(1)));
    c_.While(
        [&] {
          return c_.AndThen(c_.Less(c_.Get(end), n), [&] {
            Value* differ = b_.CreateXor(first, At(words, c_.Get(end)));
            return b_.CreateICmpEQ(b_.CreateLShr(differ, 32), c_.Int(0));
          });
        },
        [&] { c_.AddTo(end, c_.Int(1)); });
    return c_.Get(end);
  }

  /// The first `count` words stay, if there are so many; the limit is what comes before the last one's key.
  void Keep(Value* words, llvm::AllocaInst* size, Value* count, llvm::AllocaInst* limit) {
    SortRange(words, c_.Get(size));
    c_.Set(size, count);
    if (bits_ == 64) c_.For(c_.Int(0), count, 1, [&](Value* i) { Put(words, i, WordOf(PositionOf(At(words, i)))); });
    Value* last = OrderOf(PositionOf(At(words, c_.Sub(count, c_.Int(1)))), 1);
    Value* least = llvm::ConstantInt::get(OrderType(1), llvm::APInt::getSignedMinValue(OrderBits()));
    Value* before = b_.CreateSub(last, llvm::ConstantInt::get(OrderType(1), 1));
    c_.Set(limit, b_.CreateSelect(b_.CreateICmpEQ(last, least), least, before));
  }

  mutable ControlBuilder c_;
  llvm::IRBuilder<>& b_;
  const DType dtype_;
  const bool descending_;
  const unsigned bits_;  // of a key
  const int64_t lanes_;
  llvm::Function* sort_;
  Value *keys_, *stride_, *out_, *n_;
};

/// The module's function for the dtype and direction.
llvm::Function* SortFunction(llvm::Module* module, const Target& target, DType dtype, bool descending, bool select) {
  const std::string name =
      StrCat("reel.", select ? "select." : "argsort.", Name(dtype), descending ? ".descending" : "");
  if (llvm::Function* known = module->getFunction(name)) return known;
  llvm::LLVMContext& context = module->getContext();
  llvm::Type *ptr = llvm::PointerType::get(context, 0), *i64 = llvm::Type::getInt64Ty(context);
  std::vector<llvm::Type*> parameters{ptr, i64, ptr, i64};
  if (select) parameters.insert(parameters.end(), {i64, ptr, i64});
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), parameters, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
  SetFunctionAttributes(function, target);
  SortEmitter emitter(function, target, dtype, descending);
  select ? emitter.EmitSelect() : emitter.EmitSort();
  return function;
}

}  // namespace

void KernelEmitter::Sort(const Stmt& s) {
  const Expr& keys = kernel_.exprs[static_cast<size_t>(s.a)];
  const int64_t n = s.extent.value();
  if (s.positions == 0) return;
  if (n > UINT32_MAX) {
    return Fail(
        absl::UnimplementedError(StrCat("kernel ", kernel_.name, ": argsort of ", n, " elements; at most 2^32 - 1")));
  }
  const auto address = [&](BufferId buffer, DType dtype, const Affine& index) {
    return Resolve(buffers_[static_cast<size_t>(buffer)], MemoryType(context_, dtype), index, nullptr, 0).pointer;
  };
  const auto number = [&](int64_t x) { return b_.getInt64(static_cast<uint64_t>(x)); };
  std::vector<Value*> arguments{address(keys.buffer, keys.dtype, keys.index), number(s.dynamic_stride),
                                address(s.buffer, kInt64, s.index), number(n)};
  const bool select = s.positions < n;
  if (select) {
    Value* words = LocalAddress(s.local, {}, nullptr, 0).pointer;
    arguments.insert(arguments.end(), {number(s.positions), words, number(LocalOf(s.local).size)});
    local_writes_[static_cast<size_t>(s.local)] = ++clock_;
  }
  b_.CreateCall(SortFunction(function_->getParent(), target_, keys.dtype, s.descending, select), arguments);
  buffer_writes_[static_cast<size_t>(s.buffer)] = ++clock_;
}

}  // namespace reel::codegen
