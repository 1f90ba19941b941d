#ifndef REEL_CODEGEN_LOWER_EMITTER_H_
#define REEL_CODEGEN_LOWER_EMITTER_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <optional>
#include <utility>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/llvm/ir_headers.h"
#include "codegen/loop/loop.h"
#include "codegen/lower/analysis.h"
#include "codegen/lower/ops.h"
#include "codegen/target/target.h"
#include "ir/hash_map.h"

namespace reel::codegen {

/// Emits one kernel into an empty function `void f(ptr buffers, i64 chunk)`.
///
/// Scopes. Every loop body (unrolled iterations too) is a scope. An expression is emitted once in
/// the innermost scope that it needs: outside of every loop that neither defines one of its axes
/// nor writes what it reads. It then stands before the terminator of the block in front of the
/// first loop inside that scope. Writes advance a clock; a remembered value that reads something
/// written since is emitted again.
///
/// Lanes. Inside a vector loop, values that differ by lane are LLVM vectors; the others stay
/// scalars and are splatted where they meet a vector.
class KernelEmitter {
 public:
  KernelEmitter(const Kernel& kernel, const Target& target, llvm::Function* function);
  absl::Status Run();
  /// Emits the only chunk at the end of a block of a function that has more in it; where the kernel's code ends.
  absl::StatusOr<llvm::BasicBlock*> RunInLine(std::vector<llvm::Value*> buffers, llvm::BasicBlock* at);

 private:
  using Terms = absl::InlinedVector<std::pair<AxisId, int64_t>, 4>;

  struct Memo {
    llvm::Value* value = nullptr;
    int64_t time = 0;
  };

  struct Scope {
    AxisId axis = -1;
    const Writes* writes = nullptr;      ///< of a body that runs again; null: it runs once
    llvm::Instruction* entry = nullptr;  ///< terminator in front of this scope; null: falls through
    bool barrier = false;                ///< may not run at all: nothing is hoisted out
    HashMap<ExprId, Memo> values;
    HashMap<Terms, llvm::Value*> sums;
    HashMap<std::pair<llvm::Value*, Terms>, llvm::Value*> pointers;
  };

  /// Position of an axis while its loop is open: a constant, or a value at the depth of its scope.
  struct Axis {
    llvm::Value* value = nullptr;  ///< i64; of the first lane for the vector axis
    int64_t constant = 0;          ///< if value is null
    int scope = 0;
  };

  struct Storage {
    llvm::AllocaInst* memory = nullptr;
    int64_t lanes = 1;  ///< > 1: every element is a vector, one value per lane
  };

  /// Elements of a memory operand as lanes see them.
  struct Address {
    enum class Kind : uint8_t { kUniform, kContiguous, kScattered };
    Kind kind = Kind::kUniform;
    llvm::Value* pointer = nullptr;  ///< kScattered: a vector of pointers
  };

  /// min(lane, last) / divisor; lane: of the first one, 1 more for each.
  struct LaneQuotient {
    Affine lane;
    int64_t last, divisor;
  };

  struct Trip {
    llvm::Value* value = nullptr;  ///< i64; null for a constant
    int64_t constant = 0;
    bool maybe_zero = false;
    int64_t divisor = 1;  ///< of the value
  };

  // kernel.cc: statements
  void Body(const std::vector<Stmt>& body);
  void Loop(const Stmt& s);
  void Iterations(const Stmt& s);
  void Unrolled(const Stmt& s, const Trip& trip);
  void Vector(const Stmt& s, const Trip& trip);
  void VectorSteps(const Stmt& s, int64_t width, llvm::Value* begin, llvm::Value* end);
  void VectorBody(const Stmt& s, int64_t width, llvm::Value* base, llvm::Value* mask);
  void MaskedTail(const Stmt& s, const Trip& trip, llvm::Value* base, llvm::Value* total);
  void Counted(const Stmt& s, llvm::Value* begin, llvm::Value* end, int64_t step,
               const std::function<void(llvm::Value*)>& body);
  void Repeat(int64_t end, int64_t step, const std::function<void(llvm::Value*)>& body);
  void If(llvm::Value* condition, const std::function<void()>& body);
  void Declare(const Stmt& s);
  void Fill(const Storage& storage, llvm::Value* value, int64_t elements, bool zero_bits);
  void Accumulate(const Stmt& s);
  void AccumulateLanes(const Stmt& s, const Address& to, llvm::Value* a, llvm::Value* b, llvm::Value* mask);
  void Tree(const Stmt& s);
  llvm::Value* TreesOfRows(const Stmt& s, const Local& local, llvm::Value* pointer);
  void Transpose(const Stmt& s);
  void Stores(const Stmt* first, const Stmt* last);
  void Prefetch(const Stmt& s);
  void Sort(const Stmt& s);  // sort.cc
  void TileProduct(const Stmt& s);  // tile_product.cc
  Trip TripOf(const Stmt& s);
  Trip LengthTrip(const Stmt& s);

  // scopes.cc: what is emitted where
  bool CanLeave(const Scope& scope, const Dependencies& d) const;
  int LevelOf(const Dependencies& d) const;
  llvm::Value* EmitAt(int level, const std::function<llvm::Value*()>& emit);
  Scope& Push(AxisId axis, const Writes* writes, llvm::Instruction* entry);
  void Pop();
  void Open(AxisId axis, llvm::Value* value, int64_t constant);
  void MarkWritten(const Writes& writes);
  llvm::Value* SumOf(const Affine& affine, int64_t* constant);
  llvm::Value* ValueOf(const Affine& affine);
  std::pair<Terms, int64_t> OpenTerms(const Affine& affine) const;

  // expr.cc: values
  llvm::Value* Eval(ExprId id);
  llvm::Value* EvalOptional(ExprId id) { return id < 0 ? nullptr : Eval(id); }
  const Memo* Find(ExprId id) const;
  void EmitExpr(ExprId id);
  llvm::Value* Emit(const Expr& e);
  llvm::Value* EmitIndex(const Expr& e);
  llvm::Value* EmitOpExpr(const Expr& e);
  llvm::Value* Splat(llvm::Value* value);
  llvm::Value* LaneOffsets(llvm::Type* element, int64_t coefficient);
  bool IsVector(const llvm::Value* value) const { return value->getType()->isVectorTy(); }

  // memory.cc: loads and stores
  Address Resolve(llvm::Value* base, llvm::Type* element, const Affine& index, llvm::Value* dynamic, int64_t stride);
  llvm::Value* Read(DType dtype, const Address& from, llvm::Value* guard, llvm::Align align);
  void Write(DType dtype, const Address& to, llvm::Value* value, llvm::Value* guard);
  llvm::Value* LoadBuffer(const Expr& e);
  std::optional<LaneQuotient> QuotientOfLane(const Expr& e) const;
  llvm::Value* LoadQuotients(const Expr& e);
  llvm::Value* LoadStrided(const Expr& e);
  llvm::Value* LoadReversed(const Expr& e);
  llvm::Value* StridedMask(llvm::Value* lanes, int64_t from, int64_t stride, int64_t count);
  int64_t StoresOfNeighbours(const Stmt* first, const Stmt* last) const;
  void WriteNeighbours(const Stmt& first, std::vector<llvm::Value*> values);
  void WriteTriples(const Stmt& first, const std::vector<llvm::Value*>& values);
  llvm::Value* FirstLane(BufferId buffer, const Affine& index, llvm::Value* dynamic, int64_t stride);
  llvm::Value* LoadLocal(const Expr& e);
  Address LocalAddress(LocalId local, const Affine& index, llvm::Value* dynamic, int64_t stride);
  llvm::Value* LaneMask(llvm::Value* guard);
  llvm::Value* AllOn() const;
  llvm::Value* FromMemory(DType dtype, llvm::Value* value);
  llvm::Value* ToMemory(DType dtype, llvm::Value* value);
  llvm::Constant* ZeroPage();

  void Fail(absl::Status status) {
    if (status_.ok()) status_ = std::move(status);
  }
  llvm::Type* Lanes(llvm::Type* element, int64_t lanes) const {
    return lanes > 1 ? llvm::FixedVectorType::get(element, static_cast<unsigned>(lanes)) : element;
  }
  llvm::Align AlignOf(DType dtype) const { return llvm::Align(static_cast<uint64_t>(SizeOf(dtype))); }
  const Local& LocalOf(LocalId id) const { return kernel_.locals[static_cast<size_t>(id)]; }
  llvm::BasicBlock* NewBlock(const char* name) { return llvm::BasicBlock::Create(context_, name, function_); }

  const Kernel& kernel_;
  const Target& target_;
  llvm::Function* function_;
  llvm::LLVMContext& context_;
  llvm::IRBuilder<> b_;
  Analysis analysis_;
  absl::Status status_;

  std::vector<llvm::Value*> buffers_;  // by BufferId
  llvm::Value* chunk_ = nullptr;       // null: 0
  std::vector<Axis> axes_;             // by AxisId
  std::vector<Storage> storage_;       // by LocalId, the open declaration
  HashMap<ir::Op, int> long_ops_;  // how often the kernel has each
  HashMap<std::pair<LocalId, int64_t>, llvm::AllocaInst*> allocas_;  // by local, lanes
  int64_t stack_bytes_ = 0;

  std::deque<Scope> scopes_;
  std::vector<int64_t> local_writes_, buffer_writes_;  // time of the last write
  int64_t clock_ = 0;

  AxisId vector_axis_ = -1;      // open vector loop
  int64_t lanes_ = 1;            // its width
  llvm::Value* mask_ = nullptr;  // its active lanes; null = all
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOWER_EMITTER_H_
