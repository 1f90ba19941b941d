// Tables in registers: one instruction of AVX2 finds 8 floats, of AVX-512 16 doubles. Elsewhere each element loads.
#include "codegen/llvm/ir_headers.h"
#include "codegen/math/common.h"

namespace reel::codegen::math::internal {
namespace {

using llvm::Value;
using Numbers = llvm::ArrayRef<double>;

llvm::Constant* ConstantOf(llvm::Type* type, Numbers numbers, unsigned times) {
  llvm::SmallVector<llvm::Constant*> elements;
  for (unsigned i = 0; i < times; ++i) {
    for (const double x : numbers) elements.push_back(llvm::ConstantFP::get(type, x));
  }
  return llvm::ConstantVector::get(elements);
}

// Elements from..from + count of x; what x does not have is anything.
Value* Part(llvm::IRBuilderBase& b, Value* x, unsigned from, unsigned count) {
  const unsigned width = llvm::cast<llvm::FixedVectorType>(x->getType())->getNumElements();
  llvm::SmallVector<int> mask;
  for (unsigned i = from; i < from + count; ++i) mask.push_back(i < width ? static_cast<int>(i) : -1);
  return b.CreateShuffleVector(x, mask);
}

// The table at the indices of a vector of 8 or 16 elements.
Value* Permute(llvm::IRBuilderBase& b, llvm::Type* type, Value* index, Numbers table) {
  using llvm::Intrinsic::ID;
  const unsigned width = llvm::cast<llvm::FixedVectorType>(index->getType())->getNumElements();
  if (type->isFloatTy()) {
    const ID id = width == 16 ? llvm::Intrinsic::x86_avx512_permvar_sf_512 : llvm::Intrinsic::x86_avx2_permps;
    return b.CreateIntrinsic(id, {}, {ConstantOf(type, table, width / 8), index});
  }
  Value* low = ConstantOf(type, table.take_front(8), 1);
  Value* high = ConstantOf(type, table.drop_front(8), 1);
  return b.CreateIntrinsic(llvm::Intrinsic::x86_avx512_vpermi2var_pd_512, {}, {low, index, high});
}

Value* ByPermutations(llvm::IRBuilderBase& b, llvm::Type* type, Value* index, Numbers table, unsigned step) {
  const unsigned width = llvm::cast<llvm::FixedVectorType>(index->getType())->getNumElements();
  if (width <= step) return Part(b, Permute(b, type, Part(b, index, 0, step), table), 0, width);
  const unsigned half = width / 2;
  Value* low = ByPermutations(b, type, Part(b, index, 0, half), table, step);
  Value* high = ByPermutations(b, type, Part(b, index, half, width - half), table, step);
  llvm::SmallVector<int> all;
  for (unsigned i = 0; i < width; ++i) all.push_back(static_cast<int>(i));
  return b.CreateShuffleVector(Part(b, low, 0, width - half), Part(b, high, 0, width - half), all);
}

// Pairs of numbers of both tables, private to the module.
llvm::GlobalVariable* PairsOf(llvm::Module& module, llvm::Type* type, llvm::StringRef name, Numbers first,
                              Numbers second) {
  const std::string full = ("reel.math." + name + (type->isFloatTy() ? "_f32" : "_f64")).str();
  if (llvm::GlobalVariable* table = module.getNamedGlobal(full)) return table;
  llvm::SmallVector<llvm::Constant*> pairs;
  for (size_t i = 0; i < first.size(); ++i) pairs.push_back(ConstantOf(type, {first[i], second[i]}, 1));
  auto* array = llvm::ArrayType::get(pairs[0]->getType(), pairs.size());
  auto* table = new llvm::GlobalVariable(module, array, /*isConstant=*/true, llvm::GlobalValue::PrivateLinkage,
                                         llvm::ConstantArray::get(array, pairs), full);
  table->setUnnamedAddr(llvm::GlobalValue::UnnamedAddr::Global);
  table->setAlignment(llvm::Align(16));
  return table;
}

// Both tables at one index, a vector of two.
Value* Load(llvm::IRBuilderBase& b, llvm::GlobalVariable* pairs, Value* index) {
  llvm::Type* type = pairs->getValueType();
  Value* at = b.CreateInBoundsGEP(type, pairs, {llvm::ConstantInt::get(index->getType(), 0), index});
  llvm::Type* pair = type->getArrayElementType();
  return b.CreateAlignedLoad(pair, at, llvm::Align(pair->getPrimitiveSizeInBits() / 8));
}

}  // namespace

Pair LookUp(Emitter& e, Int index, llvm::StringRef name, Numbers first, Numbers second) {
  llvm::IRBuilderBase& b = e.builder();
  llvm::Type* type = e.type()->getScalarType();
  auto* vector = llvm::dyn_cast<llvm::FixedVectorType>(e.type());
  const unsigned width = vector ? vector->getNumElements() : 1;
  const bool wide = e.options().has_scale && (!e.is_f32() || width > 8);
  if (vector && (wide || (e.is_f32() && e.options().has_permute))) {
    const unsigned step = wide && e.is_f32() ? 16 : 8;
    const auto at = [&](Numbers table) { return e.Wrap(ByPermutations(b, type, index.v, table, step)); };
    return {at(first), at(second)};
  }
  llvm::GlobalVariable* pairs = PairsOf(*b.GetInsertBlock()->getModule(), type, name, first, second);
  Value* masked = (index & (first.size() - 1)).v;
  if (!vector) {
    Value* pair = Load(b, pairs, masked);
    return {e.Wrap(b.CreateExtractElement(pair, uint64_t{0})), e.Wrap(b.CreateExtractElement(pair, 1))};
  }
  Value *values = llvm::PoisonValue::get(vector), *slopes = values;
  for (unsigned i = 0; i < width; ++i) {
    Value* pair = Load(b, pairs, b.CreateExtractElement(masked, i));
    values = b.CreateInsertElement(values, b.CreateExtractElement(pair, uint64_t{0}), i);
    slopes = b.CreateInsertElement(slopes, b.CreateExtractElement(pair, 1), i);
  }
  return {e.Wrap(values), e.Wrap(slopes)};
}

}  // namespace reel::codegen::math::internal
