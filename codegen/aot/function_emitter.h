#ifndef REEL_CODEGEN_AOT_FUNCTION_EMITTER_H_
#define REEL_CODEGEN_AOT_FUNCTION_EMITTER_H_

#include <cstdint>
#include <functional>
#include <string>

#include "codegen/aot/names.h"
#include "codegen/llvm/ir_headers.h"
#include "codegen/target/target.h"
#include "runtime/abi.h"

namespace reel::codegen {

/// Adds an internal constant.
llvm::GlobalVariable* AddData(llvm::Module* module, const std::string& name, llvm::Constant* data, uint64_t alignment);

/// Emits the functions of an object that run on any CPU of the architecture, with the control flow of C.
class FunctionEmitter {
 public:
  using Value = llvm::Value;
  using Body = std::function<void()>;
  using Condition = std::function<Value*()>;

  FunctionEmitter(const ObjectNames& names, const Target& target, llvm::Module* module)
      : names_(names),
        target_(target),
        module_(module),
        context_(module->getContext()),
        b_(context_),
        ptr_(b_.getPtrTy()),
        i32_(b_.getInt32Ty()),
        i64_(b_.getInt64Ty()),
        size_(b_.getIntNTy(static_cast<unsigned>(8 * target.platform.pointer_bytes))) {}

 protected:
  Value* Int64(int64_t x) { return b_.getInt64(static_cast<uint64_t>(x)); }
  Value* Field(Value* instance, uint64_t offset) {
    return b_.CreateConstInBoundsGEP1_64(b_.getInt8Ty(), instance, offset);
  }
  Value* Element(llvm::Type* type, Value* array, Value* i) { return b_.CreateInBoundsGEP(type, array, i); }
  Value* Element(llvm::Type* type, Value* array, uint64_t i) { return b_.CreateConstInBoundsGEP1_64(type, array, i); }
  llvm::BasicBlock* NewBlock(const char* name) { return llvm::BasicBlock::Create(context_, name, function_); }

  /// Begins NAME_suffix, or the internal function NAME.suffix.
  llvm::Function* Begin(const std::string& suffix, llvm::Type* result, llvm::ArrayRef<llvm::Type*> parameters,
                        bool visible = true);
  /// The function of an object.
  llvm::Function* Find(const std::string& suffix, bool visible);

  /// A variable of the current function, and what it holds.
  Value* Local(llvm::Type* type, Value* initial);
  Value* Get(Value* local);
  void Set(Value* local, Value* value) { b_.CreateStore(value, local); }
  /// A local array of the current function.
  Value* Array(uint64_t count);

  /// if (condition) then else other. Bodies may return.
  void If(Value* condition, const Body& then, const Body& other = {});
  void While(const Condition& condition, const Body& body);
  /// do body while (condition).
  void DoWhile(const Body& body, const Condition& condition);
  /// a && b and a || b: b is emitted where a does not decide.
  Value* And(Value* a, const Condition& b) { return Decide(a, false, b); }
  Value* Or(Value* a, const Condition& b) { return Decide(a, true, b); }
  /// Emits `body` for 0, ..., count - 1.
  void Loop(uint64_t count, const std::function<void(Value* i)>& body);

  /// Returns `code` from the current function where `wrong` holds.
  void Refuse(Value* wrong, Value* code_if_wrong);
  void Refuse(Value* wrong, reel_status code) { Refuse(wrong, b_.getInt32(static_cast<uint32_t>(code))); }
  /// *error = code unless error is null.
  void StoreError(Value* code);
  Value* Misaligned(Value* pointer, int64_t alignment);
  /// Refuses what `init` has not made.
  void CheckInstance(Value* instance);

  const ObjectNames& names_;
  const Target& target_;
  llvm::Module* module_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> b_;
  llvm::PointerType* ptr_;
  llvm::Type *i32_, *i64_, *size_;  // the last: C's size_t
  llvm::Function* function_ = nullptr;
  Value* error_slot_ = nullptr;  // of a function that returns a pointer

 private:
  Value* Decide(Value* a, bool decides, const Condition& b);
  /// Goes on to `next` unless the current block has returned.
  void GoTo(llvm::BasicBlock* next);
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_AOT_FUNCTION_EMITTER_H_
