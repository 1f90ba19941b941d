#include "tests/accuracy/math_jit.h"

#include <llvm/Support/TargetSelect.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <limits>
#include <mutex>
#include <utility>

namespace reel::testing {

namespace {

template <typename T>
T Unwrap(llvm::Expected<T> value) {
  if (!value) {
    std::fprintf(stderr, "%s\n", llvm::toString(value.takeError()).c_str());
    std::abort();
  }
  return std::move(*value);
}

void InitializeTarget() {
  static std::once_flag once;
  std::call_once(once, [] {
    llvm::InitializeNativeTarget();
    llvm::InitializeNativeTargetAsmPrinter();
  });
}

llvm::orc::JITTargetMachineBuilder TargetFor(bool has_fma) {
  auto host = Unwrap(llvm::orc::JITTargetMachineBuilder::detectHost());
  host.setCodeGenOptLevel(llvm::CodeGenOptLevel::Default);
  if (has_fma || !host.getTargetTriple().isX86()) return host;
  llvm::orc::JITTargetMachineBuilder plain(host.getTargetTriple());
  plain.setCPU("x86-64-v2");
  return plain;
}

void EmitLoop(llvm::Module& module, const MathFunction& math_function, bool is_f32, const JitOptions& options) {
  llvm::LLVMContext& context = module.getContext();
  llvm::IRBuilder<> b(context);
  llvm::Type* element = is_f32 ? b.getFloatTy() : b.getDoubleTy();
  llvm::Type* type = options.width == 1 ? element : llvm::FixedVectorType::get(element, options.width);
  auto* signature =
      llvm::FunctionType::get(b.getVoidTy(), {b.getPtrTy(), b.getPtrTy(), b.getPtrTy(), b.getInt64Ty()}, false);
  auto* function = llvm::Function::Create(signature, llvm::Function::ExternalLinkage, "kernel", module);
  function->addFnAttr("prefer-vector-width", "512");
  auto* entry = llvm::BasicBlock::Create(context, "entry", function);
  auto* body = llvm::BasicBlock::Create(context, "body", function);
  auto* done = llvm::BasicBlock::Create(context, "done", function);
  b.SetInsertPoint(entry);
  b.CreateBr(body);
  b.SetInsertPoint(body);
  llvm::PHINode* i = b.CreatePHI(b.getInt64Ty(), 2);
  i->addIncoming(b.getInt64(0), entry);
  const llvm::Align align(is_f32 ? 4 : 8);
  const auto at = [&](unsigned n) { return b.CreateGEP(element, function->getArg(n), i); };
  llvm::Value* x = b.CreateAlignedLoad(type, at(0), align);
  llvm::Value* y = b.CreateAlignedLoad(type, at(1), align);
  llvm::Value* z = math_function.emit(b, x, y, {options.has_fma, options.has_scale, /*has_permute=*/options.has_fma});
  b.CreateAlignedStore(z, at(2), align);
  llvm::Value* following = b.CreateAdd(i, b.getInt64(options.width));
  i->addIncoming(following, b.GetInsertBlock());
  b.CreateCondBr(b.CreateICmpULT(following, function->getArg(3)), body, done);
  b.SetInsertPoint(done);
  b.CreateRetVoid();
  if (llvm::verifyModule(module, &llvm::errs())) std::abort();
}

// Error of a finite float against a finite double, without the calls of the general case.
double FiniteUlpError(float got, double exact) {
  const int field = static_cast<int>((std::bit_cast<uint64_t>(exact) >> 52) & 0x7ff);
  const int exponent = std::max(field - 1023, -126);
  const auto scale = std::bit_cast<double>(static_cast<uint64_t>(1023 + 23 - exponent) << 52);
  return std::fabs(static_cast<double>(got) - exact) * scale;
}

template <typename T, typename Wide>
double UlpErrorOf(T got, Wide exact) {
  using Limits = std::numeric_limits<T>;
  if (std::isnan(got) || std::isnan(exact)) {
    return std::isnan(got) && std::isnan(exact) ? 0 : Limits::infinity();
  }
  if (std::isinf(got) && static_cast<T>(exact) == got) return 0;
  if (std::isinf(exact)) return Limits::infinity();
  Wide value = got;
  if (std::isinf(got)) value = std::copysign(std::ldexp(Wide{1}, Limits::max_exponent), value);
  int exponent = Limits::min_exponent;
  if (exact != 0) std::frexp(exact, &exponent);
  exponent = std::max(exponent, Limits::min_exponent);
  return static_cast<double>(std::ldexp(std::fabs(value - exact), Limits::digits - exponent));
}

}  // namespace

MathJit::MathJit(const MathFunction& function, bool is_f32, const JitOptions& options) {
  InitializeTarget();
  auto context = std::make_unique<llvm::LLVMContext>();
  auto module = std::make_unique<llvm::Module>("math", *context);
  EmitLoop(*module, function, is_f32, options);
  if (std::getenv("REEL_MATH_PRINT_IR")) module->print(llvm::errs(), nullptr);
  jit_ = Unwrap(llvm::orc::LLJITBuilder()
                    .setJITTargetMachineBuilder(TargetFor(options.has_fma))
                    .setPlatformSetUp(llvm::orc::setUpInactivePlatform)
                    .setLinkProcessSymbolsByDefault(false)
                    .create());
  module->setDataLayout(jit_->getDataLayout());
  if (llvm::Error error = jit_->addIRModule({std::move(module), std::move(context)})) {
    std::fprintf(stderr, "%s\n", llvm::toString(std::move(error)).c_str());
    std::abort();
  }
  address_ = Unwrap(jit_->lookup("kernel")).getValue();
}

bool HostHasFma() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("fma");
#else
  return true;
#endif
}

bool HostHasScale() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512vl");
#else
  return false;
#endif
}

unsigned HostVectorBytes() {
#if defined(__x86_64__)
  return __builtin_cpu_supports("avx512f") ? 64 : __builtin_cpu_supports("avx2") ? 32 : 16;
#else
  return 16;
#endif
}

double UlpError(float got, double exact) {
  const bool common = std::isfinite(got) && std::fabs(exact) < 0x1p128;
  return common ? FiniteUlpError(got, exact) : UlpErrorOf(got, exact);
}

double UlpError(double got, long double exact) { return UlpErrorOf(got, exact); }

}  // namespace reel::testing
