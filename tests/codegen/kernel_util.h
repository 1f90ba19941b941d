#ifndef REEL_TESTS_CODEGEN_KERNEL_UTIL_H_
#define REEL_TESTS_CODEGEN_KERNEL_UTIL_H_

#include <gtest/gtest.h>

#include <bit>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "codegen/jit/jit.h"
#include "codegen/loop/loop.h"
#include "codegen/schedule/schedule.h"
#include "codegen/target/cpuid.h"
#include "codegen/target/target.h"

// Kernels by hand, and a way to run them.

namespace reel::codegen {

inline Affine At(std::initializer_list<std::pair<AxisId, int64_t>> terms, int64_t constant = 0) {
  Affine affine;
  affine.constant = constant;
  for (const auto& [axis, coefficient] : terms) affine.Add(axis, coefficient);
  return affine;
}

/// Appends an expression to fill in.
inline Expr& NewExpr(Kernel& k, Expr::Kind kind, DType dtype) {
  Expr& e = k.exprs.emplace_back();
  e.kind = kind;
  e.dtype = dtype;
  return e;
}
inline ExprId LastExpr(const Kernel& k) { return static_cast<ExprId>(k.exprs.size()) - 1; }

inline ExprId Load(Kernel& k, BufferId buffer, Affine index, ExprId guard = -1, ExprId dynamic = -1,
                   int64_t stride = 0) {
  Expr& e = NewExpr(k, Expr::Kind::kLoad, k.buffers[static_cast<size_t>(buffer)].dtype);
  e.buffer = buffer;
  e.index = std::move(index);
  e.guard = guard;
  e.dynamic = dynamic;
  e.dynamic_stride = stride;
  return LastExpr(k);
}

inline ExprId ReadLocal(Kernel& k, LocalId local, Affine index) {
  Expr& e = NewExpr(k, Expr::Kind::kLocal, k.locals[static_cast<size_t>(local)].dtype);
  e.local = local;
  e.index = std::move(index);
  return LastExpr(k);
}

inline ExprId Position(Kernel& k, DType dtype, Affine index) {
  Expr& e = NewExpr(k, Expr::Kind::kIndex, dtype);
  e.index = std::move(index);
  return LastExpr(k);
}

template <typename T>
uint64_t BitsOf(T value) {
  uint64_t bits = 0;
  std::memcpy(&bits, &value, sizeof value);
  return bits;
}

template <typename T>
ExprId Const(Kernel& k, T value) {
  Expr& e = NewExpr(k, Expr::Kind::kConstant, DTypeOf<T>::value);
  e.bits = BitsOf(value);
  return LastExpr(k);
}

inline ExprId Apply(Kernel& k, ir::Op op, DType dtype, std::initializer_list<ExprId> operands) {
  Expr& e = NewExpr(k, Expr::Kind::kOp, dtype);
  e.op = op;
  e.operands.assign(operands.begin(), operands.end());
  return LastExpr(k);
}

inline Stmt For(AxisId axis, LoopKind kind, int64_t extent, int64_t width, std::vector<Stmt> body) {
  Stmt s;
  s.axis = axis;
  s.loop_kind = kind;
  s.extent = extent;
  s.width = width;
  s.body = std::move(body);
  return s;
}

inline Stmt Clip(Stmt loop, Affine base, int64_t total) {
  loop.clip_base = std::move(base);
  loop.clip_total = total;
  return loop;
}

inline Stmt Store(BufferId buffer, Affine index, ExprId value, ExprId guard = -1, ExprId dynamic = -1,
                  int64_t stride = 0) {
  Stmt s = MakeStore(buffer, std::move(index), value);
  s.guard = guard;
  s.dynamic = dynamic;
  s.dynamic_stride = stride;
  return s;
}

template <typename T>
Stmt Declare(LocalId local, T init) {
  return MakeLocal(local, BitsOf(init));
}

inline Stmt Accumulate(LocalId local, Affine index, Combine combine, ExprId a, ExprId b = -1) {
  return MakeAccumulate(local, std::move(index), combine, a, b);
}

inline Stmt Tree(LocalId local, Combine combine) { return MakeTree(local, combine); }

template <typename... S>
std::vector<Stmt> Block(S... statements) {
  std::vector<Stmt> body;
  (body.push_back(std::move(statements)), ...);
  return body;
}

/// A program with one entry point that runs the kernel once: outputs are results, the rest
/// arguments.
inline Program OneKernel(Kernel kernel) {
  Program program;
  program.name = kernel.name;
  EntryPoint entry;
  entry.name = "run";
  Step step;
  step.kernel = 0;
  int32_t arguments = 0, results = 0;
  for (const KernelBuffer& b : kernel.buffers) {
    step.buffers.push_back(b.is_output ? Slot{Slot::Kind::kResult, results++, 0}
                                       : Slot{Slot::Kind::kArgument, arguments++, 0});
  }
  entry.steps.push_back(step);
  program.entries.push_back(entry);
  program.kernels.push_back(std::move(kernel));
  program.instance_bytes = 64;
  return program;
}

/// The targets of the table that this machine can run.
inline std::vector<Target> HostTargets() {
  std::vector<Target> targets;
  for (std::string_view name : TargetNames()) {
    if (HostSupports(name)) targets.push_back(*FindTarget(name));
  }
  return targets;
}

/// Compiles and runs a kernel once. Buffers in the order of arguments and of results.
inline void RunKernel(const Kernel& kernel, const Target& target, std::vector<const void*> arguments,
                      std::vector<void*> results, int opt_level = 2) {
  CodeOptions options;
  options.opt_level = opt_level;
  auto module = JitCompile(OneKernel(kernel), target, options);
  ASSERT_TRUE(module.ok()) << module.status() << "\n" << ToString(kernel);
  alignas(64) std::byte instance[64] = {};
  ASSERT_EQ((*module)->entry(0)(instance, arguments.data(), results.data()), 0);
}

}  // namespace reel::codegen

#endif  // REEL_TESTS_CODEGEN_KERNEL_UTIL_H_
