#include "codegen/aot/wrappers.h"

#include <cstddef>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "codegen/aot/entries.h"
#include "codegen/aot/function_emitter.h"
#include "codegen/aot/weights.h"
#include "codegen/target/cpuid.h"
#include "ir/strings.h"
#include "runtime/abi.h"

namespace reel::codegen {
namespace {

using llvm::Value;

class WrapperEmitter : public FunctionEmitter {
 public:
  WrapperEmitter(std::span<const TargetProgram> levels, const ObjectNames& names, const ObjectLayout& layout,
                 llvm::Module* module)
      : FunctionEmitter(names, levels[0].target, module),
        levels_(levels),
        program_(levels[0].program),
        layout_(layout) {}

  void Run(const std::string& manifest) {
    ConstantFunction("size", layout_.instance_bytes);
    ConstantFunction("alignment", REEL_INSTANCE_ALIGNMENT);
    Init();
    AddEntries(levels_, names_, layout_, module_);
    for (size_t i = 0; i < program_.variables.size(); ++i) Variable(i);
    AddWeights(program_, names_, target_, layout_.instance_bytes, module_);
    SetParallelFor();
    if (!program_.collectives.empty()) SetCommunicator();
    Error();
    auto* text = Text(StrCat(names_.name, "_manifest_json"), manifest);
    text->setLinkage(llvm::GlobalValue::ExternalLinkage);
  }

 private:
  llvm::GlobalVariable* Text(const std::string& name, const std::string& text) {
    return AddData(module_, name, llvm::ConstantDataArray::getString(context_, text), 1);
  }

  /// Registers {eax, ebx, ecx, edx} of CPUID.
  Value* Cpuid(uint32_t leaf, uint32_t subleaf) {
    auto* result = llvm::StructType::get(context_, {i32_, i32_, i32_, i32_});
    auto* code =
        llvm::InlineAsm::get(llvm::FunctionType::get(result, {i32_, i32_}, false), "cpuid",
                             "={ax},={bx},={cx},={dx},{ax},{cx},~{dirflag},~{fpsr},~{flags}", /*hasSideEffects=*/true);
    return b_.CreateCall(code->getFunctionType(), code, {b_.getInt32(leaf), b_.getInt32(subleaf)});
  }

  /// What Linux says when it is asked for AMX's tiles; 0: the process may use them. Without a C library.
  Value* RequestTiles() {
    auto* call = llvm::InlineAsm::get(llvm::FunctionType::get(i64_, {i64_, i64_, i64_}, false), "syscall",
                                      "={ax},{ax},{di},{si},~{cx},~{r11},~{memory},~{dirflag},~{fpsr},~{flags}",
                                      /*hasSideEffects=*/true);
    return b_.CreateCall(call->getFunctionType(), call,
                         {b_.getInt64(TileRequest::kArchPrctl), b_.getInt64(TileRequest::kRequest),
                          b_.getInt64(TileRequest::kTileData)});
  }

  /// Internal i1 function: has this machine what the target needs? Leaves are asked for before they
  /// are read, XCR0 only where OSXSAVE is set.
  llvm::Function* CpuCheckFunction(const Target& target) {
    Begin(StrCat("cpu_supported.", target.level), b_.getInt1Ty(), {}, /*visible=*/false);
    const CpuNeeds& needs = *NeedsOf(target.level);
    for (const CpuCheck& check : needs.checks) {
      Value* last = b_.CreateExtractValue(Cpuid(check.leaf & 0x80000000u, 0), 0);
      Refuse(b_.CreateICmpULT(last, b_.getInt32(check.leaf)), b_.getFalse());
      Value* found = b_.CreateExtractValue(Cpuid(check.leaf, check.subleaf), static_cast<unsigned>(check.reg));
      Value* bits = b_.CreateAnd(found, b_.getInt32(check.mask));
      Refuse(b_.CreateICmpNE(bits, b_.getInt32(check.mask)), b_.getFalse());
    }
    if (needs.xcr0 != 0) {
      auto* result = llvm::StructType::get(context_, {i32_, i32_});
      auto* xgetbv = llvm::InlineAsm::get(llvm::FunctionType::get(result, {i32_}, false), ".byte 0x0f, 0x01, 0xd0",
                                          "={ax},={dx},{cx}", true);
      Value* saved = b_.CreateCall(xgetbv->getFunctionType(), xgetbv, {b_.getInt32(0)});
      Value* bits = b_.CreateAnd(b_.CreateExtractValue(saved, 0), b_.getInt32(needs.xcr0));
      Refuse(b_.CreateICmpNE(bits, b_.getInt32(needs.xcr0)), b_.getFalse());
    }
    if (needs.tiles) Refuse(b_.CreateICmpNE(RequestTiles(), b_.getInt64(0)), b_.getFalse());
    b_.CreateRet(b_.getTrue());
    return function_;
  }

  void ConstantFunction(const std::string& suffix, int64_t value) {
    Begin(suffix, size_, {});
    b_.CreateRet(llvm::ConstantInt::get(size_, static_cast<uint64_t>(value)));
  }

  /// The bytes of all variables as they lie one after the other in an instance.
  std::string InitialValues() const {
    std::string out;
    for (const VariableSlot& v : program_.variables) {
      const auto bytes = v.initial.bytes();
      out.resize(static_cast<size_t>(v.offset - program_.variables[0].offset));
      out.append(reinterpret_cast<const char*>(bytes.data()), bytes.size());
    }
    return out;
  }

  bool has_choice() const { return layout_.level_offset >= 0; }

  /// The last level that the CPU supports, an i32; refuses if it has none. Each is asked only if those above it are not
  /// there: CPUID takes long in virtual machines.
  Value* Choose(const std::vector<llvm::Function*>& supported) {
    if (supported.empty()) return b_.getInt32(0);
    llvm::BasicBlock* chosen = NewBlock("chosen");
    std::vector<std::pair<uint32_t, llvm::BasicBlock*>> from;
    for (size_t i = supported.size(); i-- > 0;) {
      llvm::BasicBlock* lower = NewBlock("lower");
      from.emplace_back(static_cast<uint32_t>(i), b_.GetInsertBlock());
      b_.CreateCondBr(b_.CreateCall(supported[i]), chosen, lower);
      b_.SetInsertPoint(lower);
    }
    StoreError(b_.getInt32(REEL_UNSUPPORTED_CPU));
    b_.CreateRet(llvm::ConstantPointerNull::get(ptr_));
    b_.SetInsertPoint(chosen);
    llvm::PHINode* level = b_.CreatePHI(i32_, static_cast<unsigned>(from.size()));
    for (const auto& [i, block] : from) level->addIncoming(b_.getInt32(i), block);
    return level;
  }

  /// NAME* NAME_init(void* memory, size_t size, int* error)
  void Init() {
    std::vector<llvm::Function*> supported;
    for (const TargetProgram& level : levels_) {
      if (target_.platform.has_cpuid) supported.push_back(CpuCheckFunction(level.target));
    }
    Begin("init", ptr_, {ptr_, size_, ptr_});
    Value *memory = function_->getArg(0), *size = b_.CreateZExt(function_->getArg(1), i64_);
    error_slot_ = function_->getArg(2);
    Value* level = Choose(supported);
    Refuse(b_.CreateIsNull(memory), REEL_NULL_POINTER);
    Refuse(Misaligned(memory, REEL_INSTANCE_ALIGNMENT), REEL_MISALIGNED);
    Refuse(b_.CreateICmpULT(size, Int64(layout_.instance_bytes)), REEL_MEMORY_TOO_SMALL);
    b_.CreateMemSet(memory, b_.getInt8(0), sizeof(reel_instance), llvm::Align(64));
    if (const std::string values = InitialValues(); !values.empty()) {
      const auto first = static_cast<uint64_t>(program_.variables[0].offset);
      llvm::GlobalVariable* initial =
          AddBytes(module_, StrCat(names_.name, ".initial"), std::as_bytes(std::span(values)));
      b_.CreateMemCpy(Field(memory, first), llvm::Align(64), initial, llvm::Align(64), values.size());
    }
    if (has_choice()) b_.CreateStore(level, Field(memory, static_cast<uint64_t>(layout_.level_offset)));
    b_.CreateStore(b_.getInt64(REEL_INSTANCE_MAGIC), memory);
    StoreError(b_.getInt32(REEL_OK));
    b_.CreateRet(memory);
    error_slot_ = nullptr;
  }

  /// T* NAME_variable_<name>(NAME* instance)
  void Variable(size_t i) {
    Begin(StrCat("variable_", names_.variables[i]), ptr_, {ptr_});
    Value* instance = function_->getArg(0);
    Value* address = Field(instance, static_cast<uint64_t>(program_.variables[i].offset));
    b_.CreateRet(b_.CreateSelect(b_.CreateIsNull(instance), instance, address));
  }

  void SetParallelFor() {
    Begin("set_parallel_for", b_.getVoidTy(), {ptr_, ptr_, ptr_});
    Value* instance = function_->getArg(0);
    If(b_.CreateIsNotNull(instance), [&] {
      b_.CreateStore(function_->getArg(1), Field(instance, offsetof(reel_instance, parallel_for)));
      b_.CreateStore(function_->getArg(2), Field(instance, offsetof(reel_instance, context)));
    });
    b_.CreateRetVoid();
  }

  /// int NAME_set_communicator(NAME* instance, const struct reel_communicator* communicator)
  void SetCommunicator() {
    Begin("set_communicator", i32_, {ptr_, ptr_});
    Value *instance = function_->getArg(0), *communicator = function_->getArg(1);
    CheckInstance(instance);
    If(b_.CreateIsNotNull(communicator), [&] {
      Value* version = b_.CreateLoad(i64_, Field(communicator, offsetof(reel_communicator, version)));
      Refuse(b_.CreateICmpNE(version, Int64(REEL_COMMUNICATOR_VERSION)), REEL_OTHER_COMMUNICATOR);
    });
    b_.CreateStore(communicator, Field(instance, offsetof(reel_instance, communicator)));
    b_.CreateRet(b_.getInt32(REEL_OK));
  }

  /// const char* NAME_error(int code): selects, not a table of pointers, which would need relocated
  /// data.
  void Error() {
    Begin("error", ptr_, {i32_});
    Value* text = Text(StrCat(names_.name, ".e"), reel_status_message(-1));
    for (int32_t code = 0; code < REEL_STATUS_COUNT; ++code) {
      Value* known = Text(StrCat(names_.name, ".e", code), reel_status_message(code));
      Value* is_code = b_.CreateICmpEQ(function_->getArg(0), b_.getInt32(static_cast<uint32_t>(code)));
      text = b_.CreateSelect(is_code, known, text);
    }
    b_.CreateRet(text);
  }

  const std::span<const TargetProgram> levels_;
  const Program& program_;  // of the first level: entry points and variables are those of all
  const ObjectLayout& layout_;
};

}  // namespace

llvm::GlobalVariable* AddBytes(llvm::Module* module, const std::string& name, std::span<const std::byte> bytes) {
  llvm::Constant* data =
      llvm::ConstantDataArray::getRaw(llvm::StringRef(reinterpret_cast<const char*>(bytes.data()), bytes.size()),
                                      bytes.size(), llvm::Type::getInt8Ty(module->getContext()));
  return AddData(module, name, data, 64);
}

void AddWrappers(std::span<const TargetProgram> levels, const ObjectNames& names, const ObjectLayout& layout,
                 const std::string& manifest, llvm::Module* module) {
  WrapperEmitter(levels, names, layout, module).Run(manifest);
}

}  // namespace reel::codegen
