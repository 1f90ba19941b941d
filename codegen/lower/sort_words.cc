#include "codegen/lower/sort_words.h"

#include <algorithm>
#include <bit>
#include <vector>

#include "codegen/lower/control.h"
#include "codegen/lower/lower.h"
#include "ir/strings.h"

namespace reel::codegen {

using llvm::Value;

namespace {

constexpr int kMaxRegisters = 4;  // of a network: LLVM takes 25 ms for one of eight
constexpr int kSample = 16;       // words, of which the middle one parts a piece

int64_t LanesOf(const Target& target) { return std::max<int64_t>(target.lanes(8), 2); }

/// A new function `void name(ptr words, i64 n)`.
llvm::Function* NewFunction(llvm::Module* module, const Target& target, const std::string& name) {
  llvm::LLVMContext& context = module->getContext();
  llvm::Type *ptr = llvm::PointerType::get(context, 0), *i64 = llvm::Type::getInt64Ty(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {ptr, i64}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
  SetFunctionAttributes(function, target);
  return function;
}

/// Sorts up to registers * lanes words in registers; those that are not there are the largest. Each step compares word
/// e with word e ^ mask, and the smaller one goes to the smaller index.
class Network {
 public:
  Network(llvm::Function* function, int registers, int64_t lanes)
      : c_(function), b_(c_.b()), words_(static_cast<size_t>(registers)), lanes_(lanes) {}

  void Run() {
    Load();
    const int64_t n = lanes_ * static_cast<int64_t>(words_.size());
    for (int64_t size = 2; size <= n; size *= 2) {
      Compare(size - 1);
      for (int64_t mask = size / 4; mask > 0; mask /= 2) Compare(mask);
    }
    for (size_t r = 0; r < words_.size(); ++r) b_.CreateMaskedStore(words_[r], Place(r), align_, there_[r]);
    b_.CreateRetVoid();
  }

 private:
  const llvm::Align align_{8};

  Value* Place(size_t r) {
    return b_.CreateConstGEP1_64(b_.getInt64Ty(), c_.argument(0), r * static_cast<uint64_t>(lanes_));
  }

  void Load() {
    auto* type = llvm::FixedVectorType::get(b_.getInt64Ty(), static_cast<unsigned>(lanes_));
    Value* n = b_.CreateVectorSplat(type->getElementCount(), c_.argument(1));
    for (size_t r = 0; r < words_.size(); ++r) {
      std::vector<llvm::Constant*> index;
      for (int64_t l = 0; l < lanes_; ++l) {
        index.push_back(b_.getInt64(r * static_cast<uint64_t>(lanes_) + static_cast<uint64_t>(l)));
      }
      there_.push_back(b_.CreateICmpSLT(llvm::ConstantVector::get(index), n));
      words_[r] = b_.CreateMaskedLoad(type, Place(r), align_, there_[r], llvm::ConstantInt::get(type, INT64_MAX));
    }
  }

  /// Lane l is that of x with index l ^ mask.
  Value* Swapped(Value* x, int64_t mask) {
    if (mask == 0) return x;
    std::vector<int> index;
    for (int64_t l = 0; l < lanes_; ++l) index.push_back(static_cast<int>(l ^ mask));
    return b_.CreateShuffleVector(x, index);
  }

  void Compare(int64_t mask) {
    const int64_t apart = mask / lanes_, lane_mask = mask % lanes_;
    const auto top = static_cast<int64_t>(std::bit_floor(static_cast<uint64_t>(apart > 0 ? apart : lane_mask)));
    for (size_t r = 0; r < words_.size(); ++r) {
      Value*& x = words_[r];
      if (apart == 0) {
        Value* y = Swapped(x, lane_mask);
        std::vector<int> index;  // lanes of the smaller, then of the larger
        for (int64_t l = 0; l < lanes_; ++l) index.push_back(static_cast<int>((l & top) != 0 ? lanes_ + l : l));
        x = b_.CreateShuffleVector(c_.Min(x, y), c_.Max(x, y), index);
      } else if ((static_cast<int64_t>(r) & top) == 0) {
        Value*& partner = words_[r ^ static_cast<size_t>(apart)];
        Value *y = Swapped(partner, lane_mask), *low = c_.Min(x, y), *high = c_.Max(x, y);
        x = low;
        partner = Swapped(high, lane_mask);
      }
    }
  }

  ControlBuilder c_;
  llvm::IRBuilder<>& b_;
  std::vector<Value*> words_, there_;
  const int64_t lanes_;
};

llvm::Function* NetworkFunction(llvm::Module* module, const Target& target, int registers) {
  const std::string name = StrCat("reel.sort.network.", registers);
  if (llvm::Function* known = module->getFunction(name)) return known;
  llvm::Function* function = NewFunction(module, target, name);
  Network(function, registers, LanesOf(target)).Run();
  return function;
}

/// Emits the function of SortWordsFunction.
class WordSorter {
 public:
  WordSorter(llvm::Function* function, const Target& target)
      : c_(function), b_(c_.b()), words_(c_.argument(0)), n_(c_.argument(1)), lanes_(LanesOf(target)) {
    for (int registers = 1; registers <= kMaxRegisters; registers *= 2) {
      networks_.push_back(NetworkFunction(function->getParent(), target, registers));
    }
    pieces_ = c_.Array(b_.getInt64Ty(), 3 * kPieces);
    sample_ = c_.Array(b_.getInt64Ty(), kSample);
  }

  void Run() {
    c_.If(
        Ascends(), [] {},
        [&] {
          open_ = c_.Variable(c_.Int(0));
          Value* zeros = b_.CreateBinaryIntrinsic(llvm::Intrinsic::ctlz, n_, b_.getFalse());
          Push(c_.Int(0), n_, c_.Sub(c_.Int(128), b_.CreateShl(zeros, 1)));  // twice the logarithm
          c_.While([&] { return c_.Less(c_.Int(0), c_.Get(open_)); }, [&] { SortPiece(); });
        });
    b_.CreateRetVoid();
  }

 private:
  static constexpr int64_t kPieces = 64;  // that wait: the shorter part of each is sorted before the other

  Value* Place(Value* array, Value* i) { return b_.CreateGEP(b_.getInt64Ty(), array, i); }
  Value* Load(Value* array, Value* i) { return b_.CreateAlignedLoad(b_.getInt64Ty(), Place(array, i), llvm::Align(8)); }
  void Store(Value* array, Value* i, Value* word) { b_.CreateAlignedStore(word, Place(array, i), llvm::Align(8)); }
  Value* Word(Value* i) { return Load(words_, i); }

  Value* Ascends() {
    llvm::AllocaInst* i = c_.Variable(c_.Int(1));
    c_.While(
        [&] {
          Value* at = c_.Get(i);
          return c_.AndThen(c_.Less(at, n_), [&] { return c_.Less(Word(c_.Sub(at, c_.Int(1))), Word(at)); });
        },
        [&] { c_.AddTo(i, c_.Int(1)); });
    return b_.CreateNot(c_.Less(c_.Get(i), n_));
  }

  /// parts: how often it may still be parted.
  void Push(Value* begin, Value* end, Value* parts) {
    Value* at = b_.CreateMul(c_.Get(open_), c_.Int(3));
    for (Value* x : {begin, end, parts}) {
      Store(pieces_, at, x);
      at = c_.Add(at, c_.Int(1));
    }
    c_.AddTo(open_, c_.Int(1));
  }

  /// The piece that waits last.
  void SortPiece() {
    c_.AddTo(open_, c_.Int(-1));
    Value* at = b_.CreateMul(c_.Get(open_), c_.Int(3));
    llvm::AllocaInst* begin = c_.Variable(Load(pieces_, at));
    llvm::AllocaInst* end = c_.Variable(Load(pieces_, c_.Add(at, c_.Int(1))));
    llvm::AllocaInst* parts = c_.Variable(Load(pieces_, c_.Add(at, c_.Int(2))));
    const auto size = [&] { return c_.Sub(c_.Get(end), c_.Get(begin)); };
    c_.While([&] { return c_.Less(c_.Int(lanes_ * kMaxRegisters), size()); },
             [&] {
               c_.If(
                   c_.Less(c_.Int(0), c_.Get(parts)), [&] { Divide(begin, end, parts); },
                   [&] {
                     SortHeap(Place(words_, c_.Get(begin)), size());
                     c_.Set(end, c_.Get(begin));
                   });
             });
    SortShort(Place(words_, c_.Get(begin)), size());
  }

  /// Goes on with the shorter part; the other one waits.
  void Divide(llvm::AllocaInst* begin, llvm::AllocaInst* end, llvm::AllocaInst* parts) {
    Value *first = c_.Get(begin), *last = c_.Get(end), *left = c_.Sub(c_.Get(parts), c_.Int(1));
    Value* middle = Part(first, last, Pivot(first, last));
    Value* is_left = c_.Less(c_.Sub(middle, first), c_.Sub(last, middle));
    Push(b_.CreateSelect(is_left, middle, first), b_.CreateSelect(is_left, last, middle), left);
    c_.Set(begin, b_.CreateSelect(is_left, first, middle));
    c_.Set(end, b_.CreateSelect(is_left, middle, last));
    c_.Set(parts, left);
  }

  /// The middle one of some words: it has smaller ones before it, so both parts are shorter than the whole.
  Value* Pivot(Value* begin, Value* end) {
    Value* step = b_.CreateUDiv(c_.Sub(end, begin), c_.Int(kSample));
    for (int64_t i = 0; i < kSample; ++i) {
      Store(sample_, c_.Int(i), Word(c_.Add(begin, b_.CreateMul(step, c_.Int(i)))));
    }
    SortShort(sample_, c_.Int(kSample));
    return Load(sample_, c_.Int(kSample / 2));
  }

  /// Puts what is below the pivot before the rest; where that begins.
  Value* Part(Value* begin, Value* end, Value* pivot) {
    llvm::AllocaInst* middle = c_.Variable(begin);
    c_.For(begin, end, 1, [&](Value* i) {
      Value *to = c_.Get(middle), *word = Word(i), *other = Word(to);
      Store(words_, i, other);
      Store(words_, to, word);
      c_.AddTo(middle, b_.CreateZExt(c_.Less(word, pivot), b_.getInt64Ty()));
    });
    return c_.Get(middle);
  }

  /// By the smallest network that has room.
  void SortShort(Value* words, Value* n) {
    const std::function<void(size_t)> call = [&](size_t i) {
      const auto sort = [&] { b_.CreateCall(networks_[i], {words, n}); };
      if (i + 1 == networks_.size()) return sort();
      c_.If(b_.CreateICmpSLE(n, c_.Int(lanes_ << i)), sort, [&] { call(i + 1); });
    };
    call(0);
  }

  void SortHeap(Value* words, Value* n) {
    Value* half = b_.CreateLShr(n, 1);
    c_.For(c_.Int(0), half, 1, [&](Value* i) { Sift(words, c_.Sub(c_.Sub(half, i), c_.Int(1)), n); });
    c_.For(c_.Int(1), n, 1, [&](Value* i) {
      Value *last = c_.Sub(n, i), *word = Load(words, last);
      Store(words, last, Load(words, c_.Int(0)));
      Store(words, c_.Int(0), word);
      Sift(words, c_.Int(0), last);
    });
  }

  /// Lets a word of the heap of n sink below the larger ones under it.
  void Sift(Value* words, Value* top, Value* n) {
    Value* word = Load(words, top);
    llvm::AllocaInst *hole = c_.Variable(top), *child = c_.Variable(top);
    const auto finds = [&] {
      Value* left = c_.Add(b_.CreateShl(c_.Get(hole), 1), c_.Int(1));
      return c_.AndThen(c_.Less(left, n), [&] {
        Value* right = c_.Min(c_.Add(left, c_.Int(1)), c_.Sub(n, c_.Int(1)));
        Value *a = Load(words, left), *b = Load(words, right), *is_right = c_.Less(a, b);
        c_.Set(child, b_.CreateSelect(is_right, right, left));
        return c_.Less(word, b_.CreateSelect(is_right, b, a));
      });
    };
    c_.While(finds, [&] {
      Store(words, c_.Get(hole), Load(words, c_.Get(child)));
      c_.Set(hole, c_.Get(child));
    });
    Store(words, c_.Get(hole), word);
  }

  ControlBuilder c_;
  llvm::IRBuilder<>& b_;
  Value *words_, *n_;
  const int64_t lanes_;
  std::vector<llvm::Function*> networks_;
  llvm::AllocaInst *pieces_ = nullptr, *sample_ = nullptr, *open_ = nullptr;
};

}  // namespace

llvm::Function* SortWordsFunction(llvm::Module* module, const Target& target) {
  constexpr char kName[] = "reel.sort.words";
  if (llvm::Function* known = module->getFunction(kName)) return known;
  llvm::Function* function = NewFunction(module, target, kName);
  WordSorter(function, target).Run();
  return function;
}

}  // namespace reel::codegen
