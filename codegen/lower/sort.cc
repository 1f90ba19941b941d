// Argsort of one row: a stable merge sort from the bottom up, O(n log n) for every input, in no
// memory but the result.
#include "codegen/lower/emitter.h"
#include "codegen/lower/lower.h"
#include "ir/strings.h"

namespace reel::codegen {

using llvm::Value;

namespace {

/// Rows of at most this many elements are sorted by insertion.
constexpr int64_t kRun = 16;

/// Emits `void f(ptr keys, i64 stride, ptr out, i64 n)`. While it sorts, positions are u32: the n
/// i64 of the result hold two arrays of them, and runs are merged from one into the other. At the
/// end they are widened in place.
class SortEmitter {
 public:
  SortEmitter(llvm::Function* function, DType dtype, bool descending)
      : function_(function),
        context_(function->getContext()),
        b_(context_),
        dtype_(dtype),
        descending_(descending),
        keys_(function->getArg(0)),
        stride_(function->getArg(1)),
        out_(function->getArg(2)),
        n_(function->getArg(3)) {}

  void Run() {
    b_.SetInsertPoint(NewBlock("entry"));
    from_ = Variable(out_);
    to_ = Variable(Slot(out_, n_));
    Value* second = Get(to_);
    For(Int(0), n_, kRun, [&](Value* begin) { SortRun(begin, Min(Add(begin, Int(kRun)), n_)); });
    llvm::AllocaInst* width = Variable(Int(kRun));
    While([&] { return b_.CreateICmpSLT(Get(width), n_); },
          [&] {
            Value *w = Get(width), *twice = b_.CreateShl(w, 1);
            llvm::AllocaInst* at = Variable(Int(0));
            While([&] { return b_.CreateICmpSLT(Get(at), n_); },
                  [&] {
                    Value* begin = Get(at);
                    Merge(begin, Min(Add(begin, w), n_), Min(Add(begin, twice), n_));
                    Set(at, Add(begin, twice));
                  });
            Value* merged = Get(to_);
            Set(to_, Get(from_));
            Set(from_, merged);
            Set(width, twice);
          });
    Widen(second);
    b_.CreateRetVoid();
  }

 private:
  llvm::BasicBlock* NewBlock(const char* name) { return llvm::BasicBlock::Create(context_, name, function_); }
  Value* Int(int64_t x) { return b_.getInt64(static_cast<uint64_t>(x)); }
  Value* Add(Value* x, Value* y) { return b_.CreateNSWAdd(x, y); }
  Value* Min(Value* x, Value* y) { return b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, x, y); }

  llvm::AllocaInst* Variable(Value* value) {
    llvm::BasicBlock& entry = function_->getEntryBlock();
    llvm::IRBuilder<> front(&entry, entry.begin());
    llvm::AllocaInst* variable = front.CreateAlloca(value->getType());
    Set(variable, value);
    return variable;
  }
  Value* Get(llvm::AllocaInst* variable) { return b_.CreateLoad(variable->getAllocatedType(), variable); }
  void Set(llvm::AllocaInst* variable, Value* value) { b_.CreateStore(value, variable); }

  void While(const std::function<Value*()>& condition, const std::function<void()>& body) {
    llvm::BasicBlock *test = NewBlock("while"), *inside = NewBlock("do"), *done = NewBlock("done");
    b_.CreateBr(test);
    b_.SetInsertPoint(test);
    b_.CreateCondBr(condition(), inside, done);
    b_.SetInsertPoint(inside);
    body();
    b_.CreateBr(test);
    b_.SetInsertPoint(done);
  }
  void For(Value* begin, Value* end, int64_t step, const std::function<void(Value*)>& body) {
    llvm::AllocaInst* i = Variable(begin);
    While([&] { return b_.CreateICmpSLT(Get(i), end); },
          [&] {
            Value* at = Get(i);
            body(at);
            Set(i, Add(at, Int(step)));
          });
  }
  /// first && second(), which is not evaluated if first is false.
  Value* AndThen(Value* first, const std::function<Value*()>& second) {
    llvm::BasicBlock *before = b_.GetInsertBlock(), *more = NewBlock("and"), *done = NewBlock("both");
    b_.CreateCondBr(first, more, done);
    b_.SetInsertPoint(more);
    Value* value = second();
    llvm::BasicBlock* after = b_.GetInsertBlock();
    b_.CreateBr(done);
    b_.SetInsertPoint(done);
    llvm::PHINode* both = b_.CreatePHI(b_.getInt1Ty(), 2);
    both->addIncoming(b_.getFalse(), before);
    both->addIncoming(value, after);
    return both;
  }

  Value* Slot(Value* array, Value* i) { return b_.CreateGEP(b_.getInt32Ty(), array, i); }
  Value* Position(Value* array, Value* i) { return b_.CreateLoad(b_.getInt32Ty(), Slot(array, i)); }
  void SetPosition(Value* array, Value* i, Value* position) { b_.CreateStore(position, Slot(array, i)); }
  Value* Key(Value* position) {
    llvm::Type* type = MemoryType(context_, dtype_);
    Value* at = b_.CreateNSWMul(b_.CreateZExt(position, b_.getInt64Ty()), stride_);
    return b_.CreateAlignedLoad(type, b_.CreateGEP(type, keys_, at),
                                llvm::Align(static_cast<uint64_t>(SizeOf(dtype_))));
  }
  /// Whether x must stand before y: not if they are equal. NaN is the largest key.
  Value* Before(Value* x, Value* y) {
    if (descending_) std::swap(x, y);
    if (IsFloat(dtype_)) return b_.CreateAnd(b_.CreateFCmpULT(x, y), b_.CreateFCmpORD(x, x));
    return dtype_ == kBool || IsUnsigned(dtype_) ? b_.CreateICmpULT(x, y) : b_.CreateICmpSLT(x, y);
  }

  /// Positions begin..end by insertion, into the first array.
  void SortRun(Value* begin, Value* end) {
    For(begin, end, 1, [&](Value* i) {
      Value* position = b_.CreateTrunc(i, b_.getInt32Ty());
      Value* key = Key(position);
      llvm::AllocaInst* j = Variable(i);
      const auto before = [&] { return b_.CreateNSWSub(Get(j), Int(1)); };
      const auto moves = [&] {
        return AndThen(b_.CreateICmpSGT(Get(j), begin), [&] { return Before(key, Key(Position(out_, before()))); });
      };
      While(moves, [&] {
        Value* from = before();
        SetPosition(out_, Get(j), Position(out_, from));
        Set(j, from);
      });
      SetPosition(out_, Get(j), position);
    });
  }

  /// The sorted runs begin..middle and middle..end of one array into the other. Runs in order are
  /// only copied.
  void Merge(Value* begin, Value* middle, Value* end) {
    Value *from = Get(from_), *to = Get(to_);
    llvm::AllocaInst *i = Variable(begin), *j = Variable(middle), *k = Variable(begin);
    const auto put = [&](Value* position) {
      SetPosition(to, Get(k), position);
      Set(k, Add(Get(k), Int(1)));
    };
    Value* mixed = AndThen(b_.CreateICmpSLT(middle, end), [&] {
      return Before(Key(Position(from, middle)), Key(Position(from, b_.CreateNSWSub(middle, Int(1)))));
    });
    const auto both = [&] {
      Value* left = b_.CreateICmpSLT(Get(i), middle);
      return b_.CreateAnd(mixed, b_.CreateAnd(left, b_.CreateICmpSLT(Get(j), end)));
    };
    While(both, [&] {
      Value *left = Position(from, Get(i)), *right = Position(from, Get(j));
      Value* take_right = Before(Key(right), Key(left));
      put(b_.CreateSelect(take_right, right, left));
      Value* step = b_.CreateZExt(take_right, b_.getInt64Ty());
      Set(j, Add(Get(j), step));
      Set(i, Add(Get(i), b_.CreateXor(step, Int(1))));
    });
    for (auto [index, limit] : {std::pair(i, middle), std::pair(j, end)}) {
      While([&] { return b_.CreateICmpSLT(Get(index), limit); },
            [&] {
              put(Position(from, Get(index)));
              Set(index, Add(Get(index), Int(1)));
            });
    }
  }

  /// u32 to i64 over themselves: the first array from its end, the second from its start.
  void Widen(Value* second) {
    Value* from = Get(from_);
    Value* backward = b_.CreateICmpNE(from, second);
    For(Int(0), n_, 1, [&](Value* i) {
      Value* at = b_.CreateSelect(backward, b_.CreateNSWSub(b_.CreateNSWSub(n_, Int(1)), i), i);
      Value* wide = b_.CreateZExt(Position(from, at), b_.getInt64Ty());
      b_.CreateStore(wide, b_.CreateGEP(b_.getInt64Ty(), out_, at));
    });
  }

  llvm::Function* function_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> b_;
  const DType dtype_;
  const bool descending_;
  Value *keys_, *stride_, *out_, *n_;
  llvm::AllocaInst *from_ = nullptr, *to_ = nullptr;
};

/// The module's function for the dtype and direction.
llvm::Function* SortFunction(llvm::Module* module, const Target& target, DType dtype, bool descending) {
  const std::string name = StrCat("reel.argsort.", Name(dtype), descending ? ".descending" : "");
  if (llvm::Function* known = module->getFunction(name)) return known;
  llvm::LLVMContext& context = module->getContext();
  llvm::Type *ptr = llvm::PointerType::get(context, 0), *i64 = llvm::Type::getInt64Ty(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {ptr, i64, ptr, i64}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
  SetFunctionAttributes(function, target);
  SortEmitter(function, dtype, descending).Run();
  return function;
}

}  // namespace

void KernelEmitter::Sort(const Stmt& s) {
  const Expr& keys = kernel_.exprs[static_cast<size_t>(s.a)];
  const int64_t n = s.extent.value();
  if (n == 0) return;
  if (n > UINT32_MAX) {
    return Fail(
        absl::UnimplementedError(StrCat("kernel ", kernel_.name, ": argsort of ", n, " elements; at most 2^32 - 1")));
  }
  const auto address = [&](BufferId buffer, DType dtype, const Affine& index) {
    return Resolve(buffers_[static_cast<size_t>(buffer)], MemoryType(context_, dtype), index, nullptr, 0).pointer;
  };
  Value* from = address(keys.buffer, keys.dtype, keys.index);
  Value* to = address(s.buffer, kInt64, s.index);
  llvm::Function* sort = SortFunction(function_->getParent(), target_, keys.dtype, s.descending);
  b_.CreateCall(
      sort, {from, b_.getInt64(static_cast<uint64_t>(s.dynamic_stride)), to, b_.getInt64(static_cast<uint64_t>(n))});
  buffer_writes_[static_cast<size_t>(s.buffer)] = ++clock_;
}

}  // namespace reel::codegen
