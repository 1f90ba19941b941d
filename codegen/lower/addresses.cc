#include "codegen/lower/addresses.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <vector>

#include "codegen/llvm/pass_headers.h"

namespace reel::codegen {
namespace {

using llvm::GetElementPtrInst;
using llvm::Instruction;
using llvm::Value;

/// Scalar arithmetic on integers and addresses that may run although its loop would not.
bool IsIndexArithmetic(const Instruction& i) {
  if (!i.getType()->isIntOrPtrTy()) return false;
  switch (i.getOpcode()) {
    case Instruction::Add:
    case Instruction::Sub:
    case Instruction::Mul:
    case Instruction::Shl:
    case Instruction::And:
    case Instruction::Or:
    case Instruction::Xor:
    case Instruction::ICmp:
    case Instruction::Select:
    case Instruction::SExt:
    case Instruction::ZExt:
    case Instruction::Trunc:
    case Instruction::GetElementPtr: return true;
    default: break;
  }
  const auto* call = llvm::dyn_cast<llvm::IntrinsicInst>(&i);
  return call != nullptr &&
         (call->getIntrinsicID() == llvm::Intrinsic::smin || call->getIntrinsicID() == llvm::Intrinsic::smax);
}

/// base[index], both scalars.
bool IsElement(const Value* v) {
  const auto* gep = llvm::dyn_cast<GetElementPtrInst>(v);
  return gep != nullptr && gep->getNumIndices() == 1 && gep->getType()->isPointerTy();
}

class Hoister {
 public:
  Hoister(llvm::Function* function, const llvm::LoopInfo& loops, const llvm::DominatorTree& dominators)
      : function_(*function), loops_(loops), dominators_(dominators) {}

  bool Run() {
    if (loops_.empty()) return false;
    llvm::ReversePostOrderTraversal<llvm::Function*> order(&function_);
    for (llvm::BasicBlock* block : order) {
      llvm::Loop* loop = loops_.getLoopFor(block);
      if (loop == nullptr) continue;
      for (Instruction& i : llvm::make_early_inc_range(*block)) {
        if (!IsIndexArithmetic(i)) continue;
        if (IsElement(&i)) Reassociate(llvm::cast<GetElementPtrInst>(&i), loop);
        Hoist(&i, loop);
      }
    }
    for (auto i = replaced_.rbegin(); i != replaced_.rend(); ++i)
      if (*i) llvm::RecursivelyDeleteTriviallyDeadInstructions(*i);
    return true;
  }

 private:
  struct Term {
    Value* value;
    unsigned level;  ///< depth of the innermost loop in which it changes
  };

  /// The depth of the innermost loop around `loop`, or it, that computes the value.
  static unsigned LevelOf(const Value* v, const llvm::Loop* loop) {
    const auto* i = llvm::dyn_cast<Instruction>(v);
    if (i == nullptr) return 0;
    while (loop != nullptr && !loop->contains(i)) loop = loop->getParentLoop();
    return loop == nullptr ? 0 : loop->getLoopDepth();
  }

  /// In front of the outermost loop around `inner`, or it, that is deeper than `level`; null: there is none.
  static Instruction* PlaceOf(unsigned level, const llvm::Loop* inner) {
    Instruction* place = nullptr;
    for (; inner != nullptr && inner->getLoopDepth() > level; inner = inner->getParentLoop()) {
      const llvm::BasicBlock* before = inner->getLoopPreheader();
      if (before == nullptr) break;
      place = const_cast<Instruction*>(before->getTerminator());
    }
    return place;
  }

  static void Hoist(Instruction* i, const llvm::Loop* loop) {
    unsigned level = 0;
    for (const llvm::Use& operand : i->operands()) level = std::max(level, LevelOf(operand, loop));
    if (Instruction* place = PlaceOf(level, loop)) i->moveBefore(*place->getParent(), place->getIterator());
  }

  /// The terms of a sum, without its constants.
  void Flatten(Value* sum, const llvm::Loop* loop) {
    if (auto* constant = llvm::dyn_cast<llvm::ConstantInt>(sum)) {
      constant_ += constant->getSExtValue();
      return;
    }
    auto* add = llvm::dyn_cast<llvm::BinaryOperator>(sum);
    if (add == nullptr || add->getOpcode() != Instruction::Add || terms_.size() >= kMaxTerms) {
      terms_.push_back({sum, LevelOf(sum, loop)});
      return;
    }
    Flatten(add->getOperand(0), loop);
    Flatten(add->getOperand(1), loop);
  }

  /// base[a + b][c] with terms of several levels: ((base[least])[more])[constant], each where it belongs.
  void Reassociate(GetElementPtrInst* gep, const llvm::Loop* loop) {
    llvm::Type* element = gep->getSourceElementType();
    if (!gep->getOperand(1)->getType()->isIntegerTy(64)) return;
    terms_.clear(), constant_ = 0;
    Value* base = gep;
    while (IsElement(base) && llvm::cast<GetElementPtrInst>(base)->getSourceElementType() == element &&
           llvm::cast<GetElementPtrInst>(base)->getOperand(1)->getType()->isIntegerTy(64)) {
      Flatten(llvm::cast<GetElementPtrInst>(base)->getOperand(1), loop);
      base = llvm::cast<GetElementPtrInst>(base)->getPointerOperand();
    }
    const unsigned least = LevelOf(base, loop);
    for (Term& t : terms_) t.level = std::max(t.level, least);
    std::stable_sort(terms_.begin(), terms_.end(), [](const Term& a, const Term& b) { return a.level < b.level; });
    if (terms_.empty() || terms_.back().level == std::min(terms_.front().level, least)) return;
    for (size_t at = 0; at < terms_.size();) {
      const unsigned level = terms_[at].level;
      Value* sum = terms_[at++].value;
      for (; at < terms_.size() && terms_[at].level == level; ++at)
        sum = Make(nullptr, sum, terms_[at].value, gep, level, loop);
      base = Make(element, base, sum, gep, level, loop);
    }
    if (constant_ != 0) {
      base = Make(element, base, llvm::ConstantInt::getSigned(gep->getOperand(1)->getType(), constant_), gep,
                  loop->getLoopDepth(), loop);
    }
    if (base == gep) return;
    gep->replaceAllUsesWith(base);
    replaced_.push_back(gep);
  }

  /// a[b], or a + b if element is null, at the level; known ones are shared.
  Value* Make(llvm::Type* element, Value* a, Value* b, Instruction* user, unsigned level, const llvm::Loop* loop) {
    Instruction* place = PlaceOf(level, loop);
    if (place == nullptr) place = user;
    Instruction*& made = made_[{element, a, b}];
    if (made != nullptr && dominators_.dominates(made, user)) return made;
    llvm::IRBuilder<> builder(place);
    Value* v = element == nullptr ? builder.CreateAdd(a, b) : builder.CreateGEP(element, a, b);
    made = llvm::dyn_cast<Instruction>(v);
    return v;
  }

  static constexpr size_t kMaxTerms = 16;

  llvm::Function& function_;
  const llvm::LoopInfo& loops_;
  const llvm::DominatorTree& dominators_;
  std::vector<Term> terms_;  // of the address at hand
  int64_t constant_ = 0;
  std::map<std::tuple<llvm::Type*, Value*, Value*>, Instruction*> made_;
  std::vector<llvm::WeakTrackingVH> replaced_;
};

}  // namespace

llvm::PreservedAnalyses HoistAddressesPass::run(llvm::Function& function, llvm::FunctionAnalysisManager& analyses) {
  if (!function.hasFnAttribute(kHasProducts)) return llvm::PreservedAnalyses::all();
  Hoister hoister(&function, analyses.getResult<llvm::LoopAnalysis>(function),
                  analyses.getResult<llvm::DominatorTreeAnalysis>(function));
  if (!hoister.Run()) return llvm::PreservedAnalyses::all();
  llvm::PreservedAnalyses kept;
  kept.preserveSet<llvm::CFGAnalyses>();
  return kept;
}

}  // namespace reel::codegen
