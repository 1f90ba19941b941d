#ifndef REEL_CODEGEN_SCHEDULE_SCHEDULE_H_
#define REEL_CODEGEN_SCHEDULE_SCHEDULE_H_

#include <vector>

#include "absl/status/status.h"
#include "codegen/loop/build.h"
#include "codegen/plan/plan.h"
#include "codegen/schedule/choices.h"
#include "codegen/schedule/expr_builder.h"
#include "codegen/schedule/options.h"
#include "codegen/target/target.h"
#include "ir/reduction_order.h"

namespace reel::codegen {

/// What a schedule works on; one per kernel.
struct ScheduleContext {
  const ir::Function& f;
  const PlanGraph& plan;
  int kernel_index;
  const Target& target;
  const PlanOptions& options;
  Kernel* kernel;
  ExprBuilder* builder;
  Choices* choices;
  ir::Value* updated;    ///< ScheduledKernel::updated
  absl::Status* status;  ///< ScheduledKernel::status

  const KernelPlan& kernel_plan() const { return plan.kernels[static_cast<size_t>(kernel_index)]; }
  const ir::Node& root_node() const { return *f.producer(kernel_plan().root); }
  DType dtype(ir::Value v) const { return f.type(v).dtype; }
  bool stored(ir::Value v) const { return plan.stored[v.index()]; }
  const View& view(ir::Value v) const { return *plan.views[v.index()]; }
  /// The store of an element of v.
  Stmt Store(ir::Value v, const Index& index, ExprId value) const;
  /// The elements at `index` of those of these values that have memory, computed and stored.
  std::vector<Stmt> Stores(const std::vector<ir::Value>& values, const Index& index) const;
};

/// A kernel and the values behind its buffers.
struct ScheduledKernel {
  Kernel kernel;
  std::vector<ir::Value> bound;
  ir::Value updated;  ///< valid: the output must hold this value before, the kernel writes a part of it
  /// Internal: kernels like this one are not made, and have no loops. InvalidArgument: the wish is not legal.
  absl::Status status = {};
};
/// `wish`: what its schedule is asked to be; null: what PlanOptions::decide says, or as usual.
ScheduledKernel ScheduleKernel(const ir::Function& f, const PlanGraph& plan, int index, const Target& target,
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

/// Adds lines to the `why` of a kernel that was scheduled for this plan.
void Explain(const ir::Function& f, const PlanGraph& plan, int index, Kernel* kernel);

// --- shared by the schedules (loops.cc) ---
/// A loop axis for each of these extents, inside of those that are there; the index that the new ones are.
Index AddAxes(Kernel* kernel, const std::vector<int64_t>& extents, LoopAxes* axes);
/// for axis in 0..whole + 1 { if (axis < whole) { body } else { last } }: one loop for threads to share.
Stmt PeelLast(ExprBuilder* builder, Kernel* kernel, AxisId axis, int64_t whole, std::vector<Stmt> body,
              std::vector<Stmt> last);
/// Hints for what expressions from `begin` on load from inputs and `stores` write, by row, neighbours along `lane`.
std::vector<Stmt> Prefetches(const Kernel& kernel, size_t begin, const std::vector<Stmt>& stores, AxisId lane,
                             AxisId row);
using ir::kPartials, ir::kProductBlock, ir::kReducedBlock;
/// How a reduction combines, and the bits of what its partials start from.
Combine CombineOf(ir::Op op);
uint64_t IdentityBits(Combine combine, DType dtype);

/// The choice "chunks", at most `most`: as many as so many elements, of `cost` cycles each, are worth.
int64_t ChooseChunks(const ScheduleContext& context, int64_t elements, int64_t cost, int64_t most);
/// Cuts the kernel's only outermost loop into chunks if `elements`, of `cost` cycles each, are worth it, and there are
/// vectors: without them all is one chunk.
void Parallelize(const ScheduleContext& context, int64_t elements, int64_t cost);
/// Lanes for a vector loop over `extent`: `registers` registers of the widest element that depends on an axis; 1
/// without vectors.
int64_t VectorWidth(const ScheduleContext& context, int64_t extent, int registers);
/// The choice "registers" as a power of two: vectors side by side in a step. Without vectors there is no choice.
int ChooseRegisters(const ScheduleContext& context, int usual);
/// The stores of the same values at several places, one value after the other: those of neighbours are side by side.
std::vector<Stmt> ByValue(std::vector<std::vector<Stmt>> stores);
/// Most elements of a last axis that lanes along another axis load and store by turns.
inline constexpr int64_t kMaxTurns = 4;
/// Whether lanes can go along an axis in the place of a short last one, whose elements they load by turns: no load is
/// of places that are far apart along it, or that data chooses.
bool LoadsByTurns(const Kernel& kernel, AxisId along);
/// Whether lanes go along the axis before the last one, which has few elements: along both no access is one.
bool TakesTurns(const ScheduleContext& context, const LoopAxes& axes);
/// Whether what the kernel stores can be stored by turns.
bool StoresByTurns(const ScheduleContext& context);
/// Approximate scalar operations of one evaluation of all the kernel's expressions.
int64_t ExprCost(const Kernel& kernel);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_SCHEDULE_H_
