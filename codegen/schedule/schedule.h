#ifndef REEL_CODEGEN_SCHEDULE_SCHEDULE_H_
#define REEL_CODEGEN_SCHEDULE_SCHEDULE_H_

#include <vector>

#include "absl/status/status.h"
#include "codegen/loop/loop.h"
#include "codegen/plan/plan.h"
#include "codegen/schedule/choices.h"
#include "codegen/schedule/expr_builder.h"
#include "codegen/schedule/options.h"
#include "codegen/target/target.h"
#include "ir/reduction_order.h"

namespace reel::codegen {

/// What a schedule works on; one per group.
struct ScheduleContext {
  const ir::Function& f;
  const PlanGraph& plan;
  int group_index;
  const Target& target;
  const PlanOptions& options;
  Kernel* kernel;
  ExprBuilder* builder;
  Choices* choices;
  ir::Value* updated;    ///< ScheduledKernel::updated
  absl::Status* status;  ///< ScheduledKernel::status

  const KernelPlan& kernel_plan() const { return plan.kernels[static_cast<size_t>(group_index)]; }
  bool stored(ir::Value v) const { return plan.stored[static_cast<size_t>(v.id)]; }
};

/// A kernel and the values behind its buffers.
struct ScheduledKernel {
  Kernel kernel;
  std::vector<ir::Value> bound;
  ir::Value updated;  ///< valid: the output must hold this value before, the kernel writes a part of it
  /// Internal: groups like this one are not made, and have no loops. InvalidArgument: the wish is not legal.
  absl::Status status = {};
};
/// `wish`: what its schedule is asked to be; null: what PlanOptions::decide says, or as usual.
ScheduledKernel ScheduleGroup(const ir::Function& f, const PlanGraph& plan, int group, const Target& target,
                              const PlanOptions& options, const Wish* wish = nullptr);

// One file a root kind.
void ScheduleMap(const ScheduleContext& context);
void ScheduleReduce(const ScheduleContext& context);
void ScheduleContract(const ScheduleContext& context);
void ScheduleScatter(const ScheduleContext& context);
void ScheduleRecurrence(const ScheduleContext& context);
void ScheduleSort(const ScheduleContext& context);
void ScheduleUpdate(const ScheduleContext& context);
void ScheduleRows(const ScheduleContext& context);

/// Adds lines to the `why` of a kernel that was scheduled for this group.
void Explain(const ir::Function& f, const PlanGraph& plan, int group, Kernel* kernel);

// --- shared by the schedules (loops.cc) ---
Stmt MakeLoop(AxisId axis, int64_t extent, LoopKind kind, int64_t width, std::vector<Stmt> body);
/// A list of one statement.
std::vector<Stmt> Only(Stmt statement);
/// if (guard) { body }
Stmt Once(Kernel* kernel, ExprId guard, std::vector<Stmt> body);
/// for axis in 0..whole + 1 { if (axis < whole) { body } else { last } }: one loop for threads to share.
Stmt WithLast(ExprBuilder* builder, Kernel* kernel, AxisId axis, int64_t whole, std::vector<Stmt> body,
              std::vector<Stmt> last);
/// Leaves out iterations from total - base on.
void Clip(Stmt* loop, Affine base, int64_t total);
Stmt MakeStore(BufferId buffer, Affine index, ExprId value);
Stmt MakeLocal(LocalId local, uint64_t init);
/// Without a fill: the kernel writes before it reads.
Stmt MakeScratch(LocalId local);
Stmt MakeAccumulate(LocalId local, Affine index, Combine combine, ExprId a, ExprId b = -1);
Stmt MakeTree(LocalId local, Combine combine);
Stmt MakeTranspose(LocalId local);
/// Hints for what expressions from `begin` on load from inputs and `stores` write, by row, neighbours along `lane`.
std::vector<Stmt> Prefetches(const Kernel& kernel, size_t begin, const std::vector<Stmt>& stores, AxisId lane,
                             AxisId row);
/// A local of n x n vectors of n lanes, and axes along its rows and lanes.
struct Square {
  LocalId local;
  AxisId row, lane;
  int64_t n;
};
/// to[at] = value at [lane, row]: through the square, whose rows are computed one by one.
std::vector<Stmt> TransposedSquare(Kernel* kernel, const Square& square, ExprId value, LocalId to, const Affine& at);
ExprId LocalExpr(Kernel* kernel, LocalId local, const Affine& index);
using ir::kPartials, ir::kProductBlock, ir::kReducedBlock;
/// How a reduction combines, and the bits of what its partials start from.
Combine CombineOf(ir::Op op);
uint64_t IdentityBits(Combine combine, DType dtype);
/// Bits of a scalar of dtype in the low bytes.
uint64_t Bits(DType dtype, double value);

/// Merges neighbouring axes that every access walks as one, and drops axes of extent 1. `axes` and
/// `extents` are outermost first and are updated.
void CollapseAxes(Kernel* kernel, std::vector<Stmt>* statements, std::vector<AxisId>* axes,
                  std::vector<int64_t>* extents);
/// Replaces axis by axis + coefficient * other in every expression and statement.
void ShiftAxis(Kernel* kernel, std::vector<Stmt>* statements, AxisId axis, const Affine& by);
/// Cuts the kernel's only outermost loop into chunks if `elements`, of `cost` cycles each, are worth it.
void Parallelize(const ScheduleContext& context, int64_t elements, int64_t cost);
/// Per expression: whether it depends on an axis.
std::vector<bool> Varying(const Kernel& kernel);
/// Lanes for a vector loop over `extent`: `registers` registers of the widest element that depends on an axis.
int64_t VectorWidth(const Kernel& kernel, const Target& target, int64_t extent, int registers);
/// The choice "registers" as a power of two: vectors side by side in a step.
int ChooseRegisters(const ScheduleContext& context, int usual);
/// Wraps statements in serial loops, the innermost a vector loop if vectorize is set.
std::vector<Stmt> Nest(const std::vector<AxisId>& axes, const std::vector<int64_t>& extents, int64_t width,
                       std::vector<Stmt> body);
/// Approximate scalar operations of one evaluation of all the kernel's expressions.
int64_t ExprCost(const Kernel& kernel);
/// Drops expressions no statement uses.
void PruneExprs(Kernel* kernel);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_SCHEDULE_H_
