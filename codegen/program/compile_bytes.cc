#include "codegen/program/compile_bytes.h"

#include <algorithm>

#include "codegen/loop/cost.h"
#include "codegen/program/in_line.h"
#include "ir/hash_map.h"

namespace reel::codegen {
namespace {

// Measured with LLVM 19 on products, rows and chains of up to 20,000 ops: the library itself; IR and objects, which
// stay; what the function in work takes; copies of the data of an object.
constexpr int64_t kLibraryBytes = int64_t{64} << 20;
constexpr int64_t kBytesKept = 512, kBytesInWork = 4096, kCopiesOfData = 6;

class Counter {
 public:
  explicit Counter(const Kernel& kernel) : kernel_(kernel), seen_(kernel.exprs.size(), false) {
    for (const Expr& e : kernel.exprs) copies_[e.op] += IsLong(e);
  }

  // As deep as loops nest.
  int64_t Count(const std::vector<Stmt>& body, int64_t copies) {
    int64_t count = 0;
    for (const Stmt& s : body) {
      if (s.kind == Stmt::Kind::kLoop) {
        const bool unrolled = s.loop_kind == LoopKind::kUnrolled && s.extent.is_constant();
        const int64_t steps = s.loop_kind == LoopKind::kVector ? 2 : unrolled ? s.extent.value() : 1;  // and the rest
        count += 8 + Count(s.body, copies * steps);
        continue;
      }
      if (s.kind == Stmt::Kind::kTranspose || s.kind == Stmt::Kind::kTree) count += 64 * copies;
      if (s.kind == Stmt::Kind::kTileProduct) count += 256;  // the function that it calls
      count += 4 * copies;
      for (ExprId e : {s.a, s.b, s.dynamic, s.guard}) count += copies * New(e);
    }
    return count;
  }

 private:
  static bool IsLong(const Expr& e) {
    return e.kind == Expr::Kind::kRandom || (e.kind == Expr::Kind::kOp && !Info(e.op).Has(ir::kExact));
  }

  // Of the expressions that no statement before needed.
  int64_t New(ExprId root) {
    int64_t count = 0;
    std::vector<ExprId> open{root};
    while (!open.empty()) {
      const ExprId id = open.back();
      open.pop_back();
      if (id < 0 || seen_[static_cast<size_t>(id)]) continue;
      seen_[static_cast<size_t>(id)] = true;
      const Expr& e = kernel_.exprs[static_cast<size_t>(id)];
      count += IsLong(e) && copies_[e.op] <= kInlinedCopies ? kLong : 3;
      open.insert(open.end(), e.operands.begin(), e.operands.end());
      open.push_back(e.dynamic);
      open.push_back(e.guard);
    }
    return count;
  }

  static constexpr int kLong = 50;  // instructions of a function in place

  const Kernel& kernel_;
  std::vector<bool> seen_;
  HashMap<ir::Op, int> copies_;
};

}  // namespace

int64_t EmittedInstructions(const Kernel& kernel) {
  return 16 + 4 * static_cast<int64_t>(kernel.buffers.size()) + Counter(kernel).Count(kernel.body, 1);
}

CompileMemory CompileBytes(const Program& program, int threads, bool object) {
  int64_t all = 0, longest = 0, data = 0;
  const auto add = [&](int64_t n) {
    all += n;
    longest = std::max(longest, n);
  };
  const std::vector<bool> called = CalledKernels(program);
  for (size_t k = 0; k < called.size(); ++k) {
    if (called[k]) add(EmittedInstructions(program.kernels[k]));
  }
  for (const EntryPoint& entry : program.entries) {
    all += 4 * CountSteps(entry.steps);
    VisitLoopsInLine(entry.steps, [&](const Step& loop) { add(InstructionsInLine(program.kernels, loop)); });
  }
  for (const ir::Literal& constant : program.constants) data += static_cast<int64_t>(constant.bytes().size());
  for (const VariableSlot& v : program.variables) data += static_cast<int64_t>(v.initial.bytes().size());
  const int64_t copies = object ? kCopiesOfData * data : 0;
  return {kLibraryBytes + all * kBytesKept + longest * kBytesInWork * threads + copies,
          longest * kBytesInWork + copies};
}

}  // namespace reel::codegen
