#ifndef REEL_CODEGEN_LOOP_LOOP_H_
#define REEL_CODEGEN_LOOP_LOOP_H_

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "ir/ops.h"
#include "ir/types.h"

// The loop tree: what stands between the IR and LLVM. A Kernel is buffers, a table of scalar
// expressions and a tree of statements. Schedules (codegen/schedule) build it, codegen/lower turns it into LLVM IR,
// ToString() prints it for golden tests and Plan(). It knows nothing of LLVM.
//
//   kernel @add_relu(x: f32, b: f32) -> (y: f32) {
//     parallel c in 0..4 {
//       for i in 0..8 {
//         vector j in 0..128 by 32 { y[1024*c + 128*i + j] = max(add(x[1024*c + 128*i + j], b[j]), 0) }
//   } } }

namespace reel::codegen {

using AxisId = int32_t;   ///< index into Kernel::axes
using ExprId = int32_t;   ///< index into Kernel::exprs; operands come before users
using BufferId = int32_t; ///< index into Kernel::buffers
using LocalId = int32_t;  ///< index into Kernel::locals

/// As Stmt::clip_total: the kernel's length, which its caller passes in the place of a chunk, or the rows of 64 in it.
/// Such a kernel has no parallel loop.
constexpr int64_t kRuntimeLength = INT64_MAX, kRuntimeRows = INT64_MAX - 1;

/// Of Stmt::Kind::kTileProduct: sums in a row and in a column; elements along k of a step.
constexpr int64_t kTileSide = 32, kTileDepth = 32;

/// constant + sum of coefficient * axis, in elements. Terms are sorted by axis, coefficients not 0.
struct Affine {
  int64_t constant = 0;
  absl::InlinedVector<std::pair<AxisId, int64_t>, 4> terms;

  int64_t coefficient(AxisId axis) const;
  void Add(AxisId axis, int64_t coefficient);
  void Add(const Affine& other, int64_t factor = 1);
  friend bool operator==(const Affine&, const Affine&) = default;
  friend Affine operator+(Affine a, const Affine& b) { return a.Add(b), a; }
  friend Affine operator+(Affine a, int64_t constant) { return a.constant += constant, a; }
};
Affine operator*(const Affine& a, int64_t factor);
/// The affine form that is one axis.
Affine AxisAffine(AxisId axis, int64_t coefficient = 1);

/// A pure scalar expression; inside a vector loop, one per lane.
struct Expr {
  enum class Kind : uint8_t {
    kConstant,  ///< bits of a scalar of dtype, in the low bytes
    kIndex,     ///< the affine value as an integer or float of dtype
    kLoad,  ///< buffer[index + dynamic * dynamic_stride]; 0 where guard is false (no access then). Of another dtype
            ///< than the buffer's: the bits of as many neighbours as that has room for, the first in the low ones;
            ///< index, with all its coefficients, and dynamic * dynamic_stride are multiples of their number
    kLocal,  ///< locals[local][index]
    kOp,  ///< an elementwise op of ops.def on operands, with its exact meaning
    kRandom,  ///< i32 word of Philox4x32-10: operands {key: i64, counter: i64, element: i64}
  };
  Kind kind = Kind::kConstant;
  DType dtype = kFloat32;
  ir::Op op = ir::Op::kIdentity;
  std::vector<ExprId> operands = {};
  uint64_t bits = 0;
  BufferId buffer = -1;
  LocalId local = -1;
  Affine index = {};
  ExprId dynamic = -1;  ///< kLoad: an i64 expression, -1 = none
  int64_t dynamic_stride = 0;
  ExprId guard = -1;  ///< kLoad: a bool expression, -1 = always
};

/// A memory operand of the kernel, bound by the caller: an argument, a result, a variable, a constant or arena space.
struct KernelBuffer {
  std::string name;
  DType dtype = kFloat32;
  bool is_output = false;  ///< written (outputs may also be read)
  int64_t elements = 0;  ///< of the whole buffer; 0: unknown. For CostOf and EstimateCycles alone, as is near:
  bool near = false;  ///< each chunk finds its part in L2
};

/// Scratch of one chunk. Declared by a kLocal statement, which may fill it with `init`. Declared inside a vector loop
/// every element is one value per lane; declared outside it is plain memory and an index with coefficient 1 in the
/// vector axis means consecutive lanes.
struct Local {
  std::string name;
  DType dtype = kFloat32;
  int64_t size = 1;
};

enum class LoopKind : uint8_t {
  kSerial,
  kParallel,  ///< outermost, or alone in another one: iterations are chunks that may run at once, in any order
  kUnrolled,  ///< constant extent, body repeated
  kVector,  ///< `width` iterations at once; the last, partial step is masked. No vector loop inside another.
};

/// How Accumulate combines.
enum class Combine : uint8_t {
  kSum,  ///< local + a
  kProd,  ///< local * a
  kMax,  ///< IEEE maximum (ints: larger; bool: or)
  kMin,  ///< IEEE minimum (ints: smaller; bool: and)
  kFma,  ///< fma(a, b, local): one rounding on FMA targets, mul then add on others; ints wrap
  kSet,  ///< a
  kFmaPair,  ///< local: f32; a, b: i32 with two bf16 each. fma(low(a), low(b), fma(high(a), high(b), local))
  kDotPair,  ///< the same by AVX512-BF16's instruction, for which denormal operands and sums are 0
};

struct Stmt {
  enum class Kind : uint8_t {
    kLoop,  ///< for axis in 0..trip { body }
    kLocal,  ///< declares and fills a local
    kAccumulate,  ///< locals[local][index] = combine(locals[local][index], a, b)
    kTree,  ///< the partials of `local` (size n, a power of two up to 64) to element 0:
            ///< for s = n/2, n/4, .. 1: p[j] = combine(p[j], p[j + s]) for j < s. With width > 1 those of as many
            ///< rows, one after the other: row r's result to element r
    kTranspose,  ///< `local`, a square matrix of vectors of a power of two lanes, becomes its transpose. With width > 1
                 ///< it has `extent` rows, whose blocks of `width` x `width` elements do, each in its place, and the
                 ///< code stands in line
    kStore,  ///< buffer[index + dynamic * dynamic_stride] = a, where guard. Neighbouring stores of a block are
             ///< one parallel assignment: all right sides are evaluated before the first one writes.
    kSort,  ///< buffer[index + i] for i in 0..positions: the first positions, as i64, that sort the `extent` keys which
            ///< start at the load a and are dynamic_stride elements apart. Stable; NaN is the largest key. If they are
            ///< fewer than the keys, `local` has room for more words of 64 bits than that.
    kPrefetch,  ///< buffer[index], which may lie beyond the end, is wanted in L2 soon: no more than a hint
    kTileProduct,  ///< `local` (f32) at `index`, kTileSide x kTileSide sums in rows of `width` elements, takes in the
                   ///< products of bf16, by the rule of tiles (target/README.md), of `dynamic` steps of kTileDepth
                   ///< elements along k. The locals that a and b are at: rows of dynamic_stride elements along k (bf16,
                   ///< or pairs as i32); pairs, the first in the low half, in rows of `width` columns (i32)
  };
  Kind kind = Kind::kLoop;

  // kLoop. trip = extent, or min(extent, clip_total - clip_base) if clip_total >= 0; no iterations if that is negative,
  // or where guard is false.
  AxisId axis = -1;
  LoopKind loop_kind = LoopKind::kSerial;
  Extent extent = 0;
  int64_t width = 1;
  Affine clip_base = {};
  int64_t clip_total = -1;
  std::vector<Stmt> body = {};

  // kLocal, kAccumulate, kTree, kTranspose, kTileProduct
  LocalId local = -1;
  uint64_t init = 0;  ///< kLocal: bits of the fill value
  bool fill = true;  ///< kLocal: false if whatever is read is written before
  Combine combine = Combine::kSum;

  // kAccumulate, kStore, kPrefetch; guard: kLoop, too
  BufferId buffer = -1;
  Affine index = {};
  ExprId a = -1, b = -1;
  ExprId dynamic = -1;
  int64_t dynamic_stride = 0;
  ExprId guard = -1;

  // kSort
  bool descending = false;
  int64_t positions = 0;
};

struct Kernel {
  std::string name;
  std::vector<KernelBuffer> buffers;
  std::vector<std::string> axes;  ///< names, for printing
  std::vector<Local> locals;
  std::vector<Expr> exprs;
  std::vector<Stmt> body;  ///< if there are parallel loops, one is the only statement, and others are alone in another
  int64_t wanted_chunks = 1;  ///< that its work is worth (split_chunks.h)
  AxisId panels = -1;  ///< of a loop whose last iteration, a narrower one, is all that stands behind it

  // For Plan() and Profile(); no code depends on these, and Fingerprint() does not see them.
  std::vector<std::string> why;  ///< how it was made and why, a line each
  std::string problem;  ///< what it computes, on what shapes: the same for equal groups, in every process
  std::string schedule;  ///< the choices it was made by, as one line (schedule/choices.h)
  std::vector<std::string> other_schedules;  ///< with PlanOptions::list_schedules: lines that differ in one choice
  double product_flops = -1;  ///< of its matrix products as such, without what is computed past the end; -1: of kFma

  AxisId AddAxis(std::string name);
  BufferId AddBuffer(std::string name, DType dtype, bool is_output);
  LocalId AddLocal(std::string name, DType dtype, int64_t size);
  ExprId AddExpr(Expr expr);
  /// Iterations of the parallel loops together, 1 without one.
  int64_t chunks() const;
};

/// Chunks of a body: iterations of the parallel loops it begins with.
int64_t ChunksOf(const std::vector<Stmt>& body);
/// The text form, one statement a line.
std::string ToString(const Kernel& kernel);
/// Equal for kernels that are equal but for names: identical kernels are compiled once.
uint64_t Fingerprint(const Kernel& kernel);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOOP_LOOP_H_
