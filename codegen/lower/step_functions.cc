#include "codegen/lower/step_functions.h"

#include <cstddef>
#include <string>
#include <vector>

#include "codegen/lower/lower.h"
#include "codegen/lower/ops.h"
#include "ir/strings.h"
#include "runtime/abi.h"

namespace reel::codegen {
namespace {

using llvm::Value;

/// An empty internal function without a result.
llvm::Function* MakeFunction(const std::string& name, const std::vector<llvm::Type*>& arguments, llvm::Module* module,
                             const Target& target) {
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(module->getContext()), arguments, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
  SetFunctionAttributes(function, target);
  return function;
}

/// kernel(buffers, chunk) for chunks from `first` to `end`, of which there is one at least.
void EmitChunks(llvm::IRBuilder<>& b, Value* kernel, Value* buffers, Value* first, Value* end) {
  llvm::Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty();
  llvm::BasicBlock* before = b.GetInsertBlock();
  auto* loop = llvm::BasicBlock::Create(b.getContext(), "chunks", before->getParent());
  auto* done = llvm::BasicBlock::Create(b.getContext(), "done", before->getParent());
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode* chunk = b.CreatePHI(i64, 2);
  b.CreateCall(llvm::FunctionType::get(b.getVoidTy(), {ptr, i64}, false), kernel, {buffers, chunk});
  Value* next = b.CreateAdd(chunk, b.getInt64(1));
  chunk->addIncoming(first, before);
  chunk->addIncoming(next, loop);
  b.CreateCondBr(b.CreateICmpSLT(next, end), loop, done);
  b.SetInsertPoint(done);
}

/// With profiling: `void reel_profile_step(instance, kernel's number, kernel, buffers, chunks)`.
llvm::FunctionCallee ProfileStep(llvm::Module* module, llvm::IRBuilderBase& b) {
  llvm::Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty();
  return module->getOrInsertFunction(kProfileStep,
                                     llvm::FunctionType::get(b.getVoidTy(), {ptr, i64, ptr, ptr, i64}, false));
}

/// One of the words behind the function's fourth argument.
Value* Word(llvm::IRBuilder<>& b, llvm::Function* function, Value* i) {
  return b.CreateLoad(b.getInt64Ty(), b.CreateInBoundsGEP(b.getInt64Ty(), function->getArg(3), i));
}

/// Writes the addresses of `count` buffers, at least one, to `table`.
void EmitTable(llvm::IRBuilder<>& b, llvm::Function* function, Value* constants, Value* table, Value* count) {
  llvm::Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty();
  Value *instance = function->getArg(0), *arguments = function->getArg(1), *results = function->getArg(2);
  const auto block = [&](const char* name) { return llvm::BasicBlock::Create(b.getContext(), name, function); };
  llvm::BasicBlock* entry = b.GetInsertBlock();
  llvm::BasicBlock *loop = block("loop"), *load = block("load"), *store = block("store"), *call = block("call");
  b.CreateBr(loop);

  b.SetInsertPoint(loop);
  llvm::PHINode* i = b.CreatePHI(i64, 2, "i");
  Value* w = Word(b, function, b.CreateAdd(i, b.getInt64(2)));
  Value* base = b.CreateAnd(w, b.getInt64(3));
  Value* direct = b.CreateSelect(b.CreateICmpEQ(base, b.getInt64(kConstants)), constants, instance);
  Value* listed = b.CreateSelect(b.CreateICmpEQ(base, b.getInt64(kResults)), results, arguments);
  Value* is_listed = b.CreateICmpUGE(base, b.getInt64(kArguments));
  Value* place = b.CreateGEP(b.getInt8Ty(), b.CreateSelect(is_listed, listed, direct), b.CreateLShr(w, 2));
  b.CreateCondBr(is_listed, load, store);
  b.SetInsertPoint(load);
  Value* loaded = b.CreateLoad(ptr, place);
  b.CreateBr(store);

  b.SetInsertPoint(store);
  llvm::PHINode* buffer = b.CreatePHI(ptr, 2);
  buffer->addIncoming(place, loop);
  buffer->addIncoming(loaded, load);
  b.CreateStore(buffer, b.CreateInBoundsGEP(ptr, table, i));
  Value* next = b.CreateAdd(i, b.getInt64(1));
  i->addIncoming(b.getInt64(0), entry);
  i->addIncoming(next, store);
  b.CreateCondBr(b.CreateICmpULT(next, count), loop, call);
  b.SetInsertPoint(call);
}

}  // namespace

uint64_t StepHeadBytes(const Target& target) {
  return target.platform.has_distances ? 8 : 2 * static_cast<uint64_t>(target.platform.pointer_bytes);
}

llvm::Function* RunFunction(llvm::Module* module, const Target& target) {
  if (llvm::Function* known = module->getFunction("reel.run")) return known;
  llvm::IRBuilder<> b(module->getContext());
  llvm::Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty();
  llvm::Function* function = MakeFunction("reel.run", {ptr, ptr, i64, ptr}, module, target);
  Value *kernel = function->getArg(0), *buffers = function->getArg(1);
  Value *chunks = function->getArg(2), *instance = function->getArg(3);
  auto* parallel_type = llvm::FunctionType::get(b.getVoidTy(), {ptr, i64, ptr, ptr}, false);
  auto block = [&](const char* name) { return llvm::BasicBlock::Create(b.getContext(), name, function); };
  llvm::BasicBlock *entry = block("entry"), *parallel = block("parallel"), *serial = block("serial");
  b.SetInsertPoint(entry);
  auto field = [&](uint64_t offset) {
    return b.CreateLoad(ptr, b.CreateConstInBoundsGEP1_64(b.getInt8Ty(), instance, offset));
  };
  Value* parallel_for = field(offsetof(reel_instance, parallel_for));
  b.CreateCondBr(b.CreateIsNull(parallel_for), serial, parallel);
  b.SetInsertPoint(parallel);
  b.CreateCall(parallel_type, parallel_for, {field(offsetof(reel_instance, context)), chunks, kernel, buffers});
  b.CreateRetVoid();
  b.SetInsertPoint(serial);
  EmitChunks(b, kernel, buffers, b.getInt64(0), chunks);
  b.CreateRetVoid();
  return function;
}

llvm::Function* StepFunction(llvm::Module* module, const Target& target, llvm::Value* constants, uint64_t longest,
                             StepKind kind) {
  const char* name = kind == StepKind::kPart ? "reel.part" : "reel.step";
  if (llvm::Function* known = module->getFunction(name)) return known;
  llvm::Function* run = kind == StepKind::kPlain ? RunFunction(module, target) : nullptr;
  llvm::IRBuilder<> b(module->getContext());
  llvm::Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty();
  llvm::Function* function = MakeFunction(name, {ptr, ptr, ptr, ptr, ptr}, module, target);
  Value *instance = function->getArg(0), *kernel = function->getArg(4);
  const auto block = [&](const char* of) { return llvm::BasicBlock::Create(b.getContext(), of, function); };
  b.SetInsertPoint(block("entry"));
  Value* table = b.CreateAlloca(ptr, b.getInt64(longest), "buffers");
  Value *count = Word(b, function, b.getInt64(0)), *chunks = Word(b, function, b.getInt64(1));
  EmitTable(b, function, constants, table, count);
  const auto last = [&] { return Word(b, function, b.CreateAdd(count, b.getInt64(2))); };
  if (kind == StepKind::kProfiled) {
    b.CreateCall(ProfileStep(module, b), {instance, last(), kernel, table, chunks});
    b.CreateRetVoid();
    return function;
  }
  if (kind == StepKind::kPart) {
    EmitChunks(b, kernel, table, last(), chunks);
    b.CreateRetVoid();
    return function;
  }
  llvm::BasicBlock *one = block("one"), *many = block("many");
  b.CreateCondBr(b.CreateICmpEQ(chunks, b.getInt64(1)), one, many);
  b.SetInsertPoint(one);
  b.CreateCall(llvm::FunctionType::get(b.getVoidTy(), {ptr, i64}, false), kernel, {table, b.getInt64(0)});
  b.CreateRetVoid();
  b.SetInsertPoint(many);
  b.CreateCall(run, {kernel, table, chunks, instance});
  b.CreateRetVoid();
  return function;
}

llvm::Function* StepsFunction(llvm::Module* module, const Target& target, llvm::Function* step) {
  const std::string name = StrCat(step->getName().str(), "s");
  if (llvm::Function* known = module->getFunction(name)) return known;
  llvm::LLVMContext& context = module->getContext();
  llvm::IRBuilder<> b(context);
  llvm::Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty();
  llvm::Function* function = MakeFunction(name, {ptr, ptr, ptr, ptr, i64, i64}, module, target);
  Value *table = function->getArg(3), *first = function->getArg(4), *count = function->getArg(5);
  auto* entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* loop = llvm::BasicBlock::Create(context, "loop", function);
  auto* done = llvm::BasicBlock::Create(context, "done", function);
  const auto after = [&](Value* from, Value* bytes) { return b.CreateGEP(b.getInt8Ty(), from, bytes); };
  b.SetInsertPoint(entry);
  Value* begin = after(table, first);
  b.CreateBr(loop);
  b.SetInsertPoint(loop);
  llvm::PHINode *i = b.CreatePHI(i64, 2, "i"), *at = b.CreatePHI(ptr, 2, "at");
  const uint64_t head = StepHeadBytes(target);
  llvm::Type* half = b.getIntNTy(static_cast<unsigned>(4 * head));
  const auto field = [&](uint64_t k) {
    Value* place = b.CreateConstInBoundsGEP1_64(half, at, k);
    return b.CreateSExt(b.CreateLoad(half, place), i64);
  };
  Value* kernel = target.platform.has_distances ? after(table, field(0)) : b.CreateLoad(ptr, at);
  b.CreateCall(step,
               {function->getArg(0), function->getArg(1), function->getArg(2), after(at, b.getInt64(head)), kernel});
  Value *next = b.CreateAdd(i, b.getInt64(1)), *next_at = after(at, field(1));
  i->addIncoming(b.getInt64(0), entry);
  i->addIncoming(next, loop);
  at->addIncoming(begin, entry);
  at->addIncoming(next_at, loop);
  b.CreateCondBr(b.CreateICmpULT(next, count), loop, done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  return function;
}

llvm::Function* RunsFunction(llvm::Module* module, const Target& target, llvm::Function* steps) {
  if (llvm::Function* known = module->getFunction("reel.runs")) return known;
  llvm::IRBuilder<> b(module->getContext());
  llvm::Type *ptr = b.getPtrTy(), *i64 = b.getInt64Ty();
  llvm::Function* function = MakeFunction("reel.runs", {ptr, i64}, module, target);
  b.SetInsertPoint(llvm::BasicBlock::Create(b.getContext(), "entry", function));
  std::vector<Value*> arguments;
  for (unsigned i = 0; i < kListsOfRuns; ++i) {
    arguments.push_back(b.CreateLoad(ptr, b.CreateConstInBoundsGEP1_64(ptr, function->getArg(0), i)));
  }
  Value* own = b.CreateGEP(i64, arguments.back(), b.CreateShl(function->getArg(1), 1));
  arguments.back() = b.CreateLoad(i64, own);
  arguments.push_back(b.CreateLoad(i64, b.CreateConstInBoundsGEP1_64(i64, own, 1)));
  b.CreateCall(steps, arguments);
  b.CreateRetVoid();
  return function;
}

}  // namespace reel::codegen
