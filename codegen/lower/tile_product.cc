// Products of bf16 in tiles: by AMX's instructions, or by fma and additions that give the same bits.
#include "codegen/lower/control.h"
#include "codegen/lower/emitter.h"
#include "codegen/lower/lower.h"
#include "ir/strings.h"

namespace reel::codegen {

using llvm::Value;

namespace {

constexpr int64_t kRows = 16, kBytes = 64;  // of one of AMX's tiles: the largest that there is
constexpr unsigned kLanes = 16;

/// Emits `void f(ptr sums, i64 sums_bytes, ptr a, i64 a_bytes, ptr b, i64 b_bytes, i64 steps)`:
/// Stmt::Kind::kTileProduct, with bytes from one row to the next.
class TileProductEmitter {
 public:
  explicit TileProductEmitter(llvm::Function* function) : function_(function), c_(function), b_(c_.b()) {}

  /// The sums are four tiles, 0 to 3; a has two, 4 and 5, and so has b, 6 and 7. The state of the tiles begins and ends
  /// here: nobody else has to save it.
  void EmitAmx() {
    Call(llvm::Intrinsic::x86_ldtilecfg, {Configuration()});
    const auto sums = [&](int64_t i) {
      return At(At(c_.argument(0), c_.Int(i / 2 * kRows), c_.argument(1)), c_.Int(i % 2 * kBytes));
    };
    for (int64_t i = 0; i < 4; ++i) LoadTile(i, sums(i), c_.argument(1));
    c_.For(c_.Int(0), c_.argument(6), 1, [&](Value* step) {
      Value* a = At(c_.argument(2), step, c_.Int(kBytes));
      Value* b = At(c_.argument(4), b_.CreateMul(step, c_.Int(kTileDepth / 2)), c_.argument(5));
      LoadTile(4, a, c_.argument(3));
      LoadTile(6, b, c_.argument(5));
      LoadTile(7, At(b, c_.Int(kBytes)), c_.argument(5));
      LoadTile(5, At(a, c_.Int(kRows), c_.argument(3)), c_.argument(3));
      for (int64_t i = 0; i < 4; ++i) {
        Call(llvm::Intrinsic::x86_tdpbf16ps, {Tile(i), Tile(4 + i / 2), Tile(6 + i % 2)});
      }
    });
    for (int64_t i = 0; i < 4; ++i) {
      Call(llvm::Intrinsic::x86_tilestored64, {Tile(i), sums(i), c_.argument(1)});
    }
    Call(llvm::Intrinsic::x86_tilerelease, {});
    b_.CreateRetVoid();
  }

  /// With MXCSR as the instruction has it: denormal operands and results are 0, ties go to even.
  void EmitEmulated() {
    function_->addFnAttr(llvm::Attribute::StrictFP);
    b_.setIsFPConstrained(true);
    constexpr int64_t kMasked = 0x1F80, kFlushToZero = 0x8000, kDenormalsAreZero = 0x40;
    llvm::AllocaInst* before = c_.Array(b_.getInt32Ty(), 1);
    llvm::AllocaInst* during = c_.Array(b_.getInt32Ty(), 1);
    Call(llvm::Intrinsic::x86_sse_stmxcsr, {before});
    b_.CreateStore(b_.getInt32(kMasked | kFlushToZero | kDenormalsAreZero), during);
    Call(llvm::Intrinsic::x86_sse_ldmxcsr, {during});
    c_.For(c_.Int(0), c_.Int(kTileSide), 1, [&](Value* row) {
      c_.For(c_.Int(0), c_.Int(kTileSide / kLanes), 1, [&](Value* half) { EmulateLanes(row, half); });
    });
    Call(llvm::Intrinsic::x86_sse_ldmxcsr, {before});
    b_.CreateRetVoid();
  }

 private:
  /// 16 sums of a row, step by step: first and second elements of pairs are chains of fma from 0, which are added.
  void EmulateLanes(Value* row, Value* half) {
    llvm::Type* floats = llvm::FixedVectorType::get(b_.getFloatTy(), kLanes);
    Value* to = At(At(c_.argument(0), row, c_.argument(1)), half, c_.Int(kBytes));
    Value* a_row = At(c_.argument(2), row, c_.argument(3));
    Value* b_columns = At(c_.argument(4), half, c_.Int(kBytes));
    llvm::AllocaInst* sum = c_.Variable(b_.CreateAlignedLoad(floats, to, llvm::Align(4)));
    c_.For(c_.Int(0), c_.argument(6), 1, [&](Value* step) {
      Value *first = llvm::Constant::getNullValue(floats), *second = first;
      for (int64_t pair = 0; pair < kTileDepth / 2; ++pair) {
        Value* at = c_.Add(b_.CreateMul(step, c_.Int(kTileDepth / 2)), c_.Int(pair));
        Value* x = b_.CreateAlignedLoad(b_.getInt32Ty(), At(a_row, at, c_.Int(4)), llvm::Align(4));
        x = b_.CreateVectorSplat(kLanes, x);
        Value* w = b_.CreateAlignedLoad(x->getType(), At(b_columns, at, c_.argument(5)), llvm::Align(4));
        first = Fma(Low(x), Low(w), first);
        second = Fma(High(x), High(w), second);
      }
      c_.Set(sum, b_.CreateFAdd(c_.Get(sum), b_.CreateFAdd(first, second)));
    });
    b_.CreateAlignedStore(c_.Get(sum), to, llvm::Align(4));
  }

  Value* Floats(Value* bits) { return b_.CreateBitCast(bits, llvm::FixedVectorType::get(b_.getFloatTy(), kLanes)); }
  Value* Low(Value* pairs) { return Floats(b_.CreateShl(pairs, 16)); }
  Value* High(Value* pairs) {
    return Floats(b_.CreateAnd(pairs, llvm::ConstantInt::get(pairs->getType(), 0xFFFF0000u)));
  }
  Value* Fma(Value* x, Value* y, Value* z) {
    llvm::LLVMContext& context = c_.context();
    const auto text = [&](const char* what) {
      return llvm::MetadataAsValue::get(context, llvm::MDString::get(context, what));
    };
    llvm::CallInst* fma = b_.CreateIntrinsic(llvm::Intrinsic::experimental_constrained_fma, {x->getType()},
                                             {x, y, z, text("round.dynamic"), text("fpexcept.strict")});
    fma->addFnAttr(llvm::Attribute::StrictFP);
    return fma;
  }

  Value* At(Value* base, Value* bytes) { return b_.CreateGEP(b_.getInt8Ty(), base, bytes); }
  Value* At(Value* base, Value* n, Value* bytes) { return At(base, b_.CreateMul(n, bytes)); }
  Value* Tile(int64_t number) { return b_.getInt8(static_cast<uint8_t>(number)); }
  void LoadTile(int64_t number, Value* from, Value* bytes) {
    Call(llvm::Intrinsic::x86_tileloadd64, {Tile(number), from, bytes});
  }
  void Call(llvm::Intrinsic::ID id, llvm::ArrayRef<Value*> arguments) { b_.CreateIntrinsic(id, {}, arguments); }

  /// What LDTILECFG reads: palette 1, and for each of eight tiles its bytes in a row and its rows.
  llvm::Constant* Configuration() {
    constexpr size_t kSize = 64, kTiles = 8, kRowBytes = 16, kRowCounts = 48;
    uint8_t bytes[kSize] = {1};
    for (size_t i = 0; i < kTiles; ++i) {
      bytes[kRowBytes + 2 * i] = kBytes;
      bytes[kRowCounts + i] = kRows;
    }
    llvm::Constant* data = llvm::ConstantDataArray::get(c_.context(), llvm::ArrayRef<uint8_t>(bytes));
    llvm::Module* module = function_->getParent();
    auto* global = new llvm::GlobalVariable(*module, data->getType(), true, llvm::GlobalValue::InternalLinkage, data,
                                            "reel.tiles");
    global->setAlignment(llvm::Align(kSize));
    return global;
  }

  llvm::Function* function_;
  ControlBuilder c_;
  llvm::IRBuilder<>& b_;
};

/// The module's function for the target. It is not inlined: MXCSR, and the tiles, are the function's alone.
llvm::Function* TileProductFunction(llvm::Module* module, const Target& target) {
  const std::string name = StrCat("reel.tile_product.", target.level);
  if (llvm::Function* known = module->getFunction(name)) return known;
  llvm::LLVMContext& context = module->getContext();
  llvm::Type *ptr = llvm::PointerType::get(context, 0), *i64 = llvm::Type::getInt64Ty(context);
  auto* type = llvm::FunctionType::get(llvm::Type::getVoidTy(context), {ptr, i64, ptr, i64, ptr, i64, i64}, false);
  auto* function = llvm::Function::Create(type, llvm::Function::InternalLinkage, name, module);
  SetFunctionAttributes(function, target);
  function->addFnAttr(llvm::Attribute::NoInline);
  TileProductEmitter emitter(function);
  target.has_amx ? emitter.EmitAmx() : emitter.EmitEmulated();
  return function;
}

}  // namespace

void KernelEmitter::TileProduct(const Stmt& s) {
  const Expr &a = kernel_.exprs[static_cast<size_t>(s.a)], &b = kernel_.exprs[static_cast<size_t>(s.b)];
  if (!target_.tile_products) {
    return Fail(absl::InternalError(
        StrCat("kernel ", kernel_.name, ": a product of tiles, whose bits ", target_.level, " does not have")));
  }
  Value* sums = LocalAddress(s.local, s.index, nullptr, 0).pointer;
  Value* rows = LocalAddress(a.local, a.index, nullptr, 0).pointer;
  Value* columns = LocalAddress(b.local, b.index, nullptr, 0).pointer;
  Value* steps = Eval(s.dynamic);
  if (!status_.ok()) return;
  b_.CreateCall(TileProductFunction(function_->getParent(), target_),
                {sums, Int64(b_, s.width * SizeOf(kFloat32)), rows, Int64(b_, s.dynamic_stride * SizeOf(kBFloat16)),
                 columns, Int64(b_, s.width * SizeOf(kInt32)), steps});
  local_writes_[static_cast<size_t>(s.local)] = ++clock_;
}

}  // namespace reel::codegen
