#include "codegen/lower/transpose.h"

#include <algorithm>

#include "codegen/lower/lower.h"
#include "ir/strings.h"

namespace reel::codegen {
namespace {

using llvm::Value;
using Rows = llvm::SmallVectorImpl<Value*>;
using Mask = llvm::SmallVector<int, 64>;

/// Registers of arguments and results that the calling convention has.
constexpr size_t kMaxRows = 16;

/// Groups of rows that fit 128 bits are transposed in each 128 bits by themselves. Interleaving them log2(group) times
/// does that.
void TransposeInLanes(llvm::IRBuilderBase& b, size_t group, Rows* rows) {
  const auto n = static_cast<int>(llvm::cast<llvm::FixedVectorType>((*rows)[0]->getType())->getNumElements()),
             half = static_cast<int>(group) / 2;
  Mask low, high;
  for (int j = 0; j < n; j += 2 * half) {
    for (int k = 0; k < half; ++k) {
      low.append({j + k, n + j + k});
      high.append({j + half + k, n + j + half + k});
    }
  }
  for (size_t step = 1; step < group; step *= 2) {
    const llvm::SmallVector<Value*, kMaxRows> from(rows->begin(), rows->end());
    for (size_t i = 0; i < from.size(); ++i) {
      const size_t k = i % group, to = i - k + 2 * k;
      if (k >= group / 2) continue;
      (*rows)[to] = b.CreateShuffleVector(from[i], from[i + group / 2], low);
      (*rows)[to + 1] = b.CreateShuffleVector(from[i], from[i + group / 2], high);
    }
  }
}

/// Squares of 128 bits: row k of each group, by taking even and odd ones apart log2(groups) times.
void TransposeLanes(llvm::IRBuilderBase& b, size_t group, Rows* rows) {
  Mask even, odd;
  for (size_t j = 0; j < 2 * rows->size(); ++j) {
    (j / group % 2 == 0 ? even : odd).push_back(static_cast<int>(j));
  }
  for (size_t step = 1; step < rows->size() / group; step *= 2) {
    const llvm::SmallVector<Value*, kMaxRows> from(rows->begin(), rows->end());
    for (size_t i = 0; i < from.size() / 2; ++i) {
      const size_t first = i / group * 2 * group + i % group;
      (*rows)[i] = b.CreateShuffleVector(from[first], from[first + group], even);
      (*rows)[i + from.size() / 2] = b.CreateShuffleVector(from[first], from[first + group], odd);
    }
  }
}

/// Each shuffle is one instruction, without operands in memory.
void Transpose(llvm::IRBuilderBase& b, Rows* rows) {
  const size_t in_lane = 128 / (*rows)[0]->getType()->getScalarSizeInBits();
  const size_t group = std::min(rows->size(), in_lane);
  TransposeInLanes(b, group, rows);
  TransposeLanes(b, group, rows);
}

llvm::Function* TransposeFunction(const Target& target, llvm::Type* row, size_t n, llvm::Module* module) {
  const std::string name = StrCat("reel.transpose.", n, "x", row->getScalarSizeInBits(), ".",
                                  static_cast<int>(row->getScalarType()->getTypeID()));
  if (llvm::Function* known = module->getFunction(name)) return known;
  llvm::LLVMContext& context = module->getContext();
  const llvm::SmallVector<llvm::Type*, kMaxRows> types(n, row);
  auto* result = llvm::StructType::get(context, types);
  auto* function = llvm::Function::Create(llvm::FunctionType::get(result, types, false),
                                          llvm::Function::InternalLinkage, name, module);
  SetFunctionAttributes(function, target);
  function->addFnAttr(llvm::Attribute::NoInline);
  function->setCallingConv(llvm::CallingConv::X86_RegCall);
  llvm::IRBuilder<> b(llvm::BasicBlock::Create(context, "entry", function));
  llvm::SmallVector<Value*, kMaxRows> rows;
  for (llvm::Argument& argument : function->args()) rows.push_back(&argument);
  Transpose(b, &rows);
  b.CreateAggregateRet(rows.data(), static_cast<unsigned>(n));
  return function;
}

}  // namespace

void TransposeRows(llvm::IRBuilderBase& b, const Target& target, llvm::Module* module, Rows* rows) {
  llvm::Type* row = (*rows)[0]->getType();
  // Small ones are cheaper than the call, large ones do not fit its registers; other architectures have no such call.
  if (rows->size() < 8 || rows->size() > kMaxRows || !target.has_register_call) return Transpose(b, rows);
  llvm::Function* function = TransposeFunction(target, row, rows->size(), module);
  llvm::CallInst* call = b.CreateCall(function, *rows);
  call->setCallingConv(function->getCallingConv());
  for (unsigned i = 0; i < rows->size(); ++i) (*rows)[i] = b.CreateExtractValue(call, i);
}

void TransposeBlocks(llvm::IRBuilderBase& b, size_t block, Rows* rows) { TransposeInLanes(b, block, rows); }

}  // namespace reel::codegen
