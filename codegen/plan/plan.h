#ifndef REEL_CODEGEN_PLAN_PLAN_H_
#define REEL_CODEGEN_PLAN_PLAN_H_

#include <optional>
#include <string_view>
#include <variant>
#include <vector>

#include "codegen/target/tuning.h"
#include "ir/graph.h"

// Which values get memory, and which of them one kernel computes.

namespace reel::codegen {

/// A value as strided memory of another: element index i is at offset + sum(i * strides) of base's row-major buffer.
/// An f32 value's base may be f16 or bf16, the operand of its cast: what reads it widens what it loads.
struct View {
  ir::Value base;
  int64_t offset = 0;
  std::vector<int64_t> strides;
  friend bool operator==(const View&, const View&) = default;
};

/// What a kernel's loops make, in the order of KernelDetail.
enum class KernelKind : uint8_t { kMap, kReduce, kMatmul, kRowWise, kScatter, kUpdate, kScan, kSort, kControl, kCheck };

/// Why a value has memory of its own: for Plan().
enum class Why : uint8_t {
  kNone,
  kResult,    ///< the caller reads it
  kRoot,      ///< a reduction, a product, ...: loops make it
  kRead,      ///< several ops read it, and it costs more to compute than to load
  kRepeated,  ///< a broadcast or window reads its elements again and again
  kLong,      ///< its expression is as long as one may be
  kJoined,    ///< of so many parts side by side, each has a loop of its own
  kOperand,   ///< what reads it reads memory
  kUnfused,   ///< level 0
};

/// Why what reads a kernel's values is no part of that kernel: for Plan().
enum class Apart : uint8_t {
  kNone,      ///< it reads no other kernel's values
  kWhole,     ///< it is a product, sort, ...: what it reads is there before it begins
  kClosed,    ///< that kernel is one of these: nothing joins it
  kElsewhere, ///< it reads other elements than it computes
  kRoots,     ///< that kernel has its reduction or product
  kLarge,     ///< that kernel would have too many ops
  kBetween,   ///< it reads a third kernel's values, too, which need that kernel's
  kUnfused,   ///< level 0
};

/// A reduction of which a kernel makes partial results, and the value that holds them: sums of groups of 64 rows
/// [groups, elements of a row], results of blocks of 4096 elements [blocks], or of a product's blocks of k
/// [blocks, elements].
struct PartialReduction {
  ir::Value root, to;
  friend bool operator==(const PartialReduction&, const PartialReduction&) = default;
};

// What a kernel is: one type a kind, with what only that kind has.
struct MapKernel {
  friend bool operator==(const MapKernel&, const MapKernel&) = default;
};
struct ReduceKernel {
  /// The whole reduction; its first half, which leaves partial results; the second, which begins with them.
  enum class Stage : uint8_t { kWhole, kPartial, kFinal };
  Stage stage = Stage::kWhole;
  ir::Value partials;  ///< kPartial: what it writes. kFinal: what it reads: of a reduction or of a product
  friend bool operator==(const ReduceKernel&, const ReduceKernel&) = default;
};
struct MatmulKernel {
  ir::Value split_k;  ///< valid: it leaves the sums of blocks of k here, and another kernel adds them
  std::vector<PartialReduction> row_reductions;  ///< of its result, or of the epilogue, made where its tiles are
  /// Set: `producer` computes its second operand row by row, and this reduces the same rows.
  std::optional<PartialReduction> rhs_reduction;
  friend bool operator==(const MatmulKernel&, const MatmulKernel&) = default;
};
/// Maps and reductions that go through one row after the other, all of them in `epilogue`.
struct RowWiseKernel {
  std::vector<int64_t> extents;  ///< what counts the rows; a member has these extents, or one more
  int64_t width = 0;             ///< elements of a row
  std::vector<PartialReduction> reductions;  ///< over the rows themselves
  friend bool operator==(const RowWiseKernel&, const RowWiseKernel&) = default;
};
/// A scatter or dynamic_update only writes its part of a buffer that holds operand 0. A control op has its first result
/// as root, and reads and writes whole buffers; a check writes nothing.
template <KernelKind kKind>
struct PlainKernel {
  friend bool operator==(const PlainKernel&, const PlainKernel&) = default;
};
using KernelDetail =
    std::variant<MapKernel, ReduceKernel, MatmulKernel, RowWiseKernel, PlainKernel<KernelKind::kScatter>,
                 PlainKernel<KernelKind::kUpdate>, PlainKernel<KernelKind::kScan>, PlainKernel<KernelKind::kSort>,
                 PlainKernel<KernelKind::kControl>, PlainKernel<KernelKind::kCheck>>;
/// visit(name, field) for what only kernels of this kind have; `detail` may be const.
template <typename Detail, typename Visit>
void VisitFields(Detail* detail, const Visit& visit) {
  if (auto* reduce = std::get_if<ReduceKernel>(detail)) {
    visit("stage", reduce->stage);
    visit("partials", reduce->partials);
  } else if (auto* matmul = std::get_if<MatmulKernel>(detail)) {
    visit("split_k", matmul->split_k);
    visit("row_reductions", matmul->row_reductions);
    visit("rhs_reduction", matmul->rhs_reduction);
  } else if (auto* rows = std::get_if<RowWiseKernel>(detail)) {
    visit("extents", rows->extents);
    visit("width", rows->width);
    visit("row_reductions", rows->reductions);
  }
}
/// A kernel of this kind that has nothing special yet.
KernelDetail DetailOf(KernelKind kind);

/// Values computed by one kernel.
struct KernelPlan {
  KernelDetail detail;
  ir::Value root;  ///< the reduction, product, ... that its loops make; maps and rows have none
  std::vector<ir::Value> producer;  ///< maps of the root's operand (of a product: the second)
  std::vector<ir::Value> epilogue;  ///< maps of the root's result; without a root all that it computes
  std::vector<int> inputs;  ///< kernels that it reads from, sorted
  int32_t last = 0;  ///< largest value id: its place in program order
  int nodes = 0;  ///< inlined ops
  Apart apart = Apart::kNone;
  ir::Value apart_from;  ///< a value of the kernel that it is apart from

  KernelKind kind() const { return static_cast<KernelKind>(detail.index()); }
  /// The detail if the kernel is of this type, else null.
  template <typename Detail>
  const Detail* As() const {
    return std::get_if<Detail>(&detail);
  }
  /// The same of what must be of this type.
  template <typename Detail>
  Detail& Get() {
    return std::get<Detail>(detail);
  }
  /// The partial results that it leaves to other kernels.
  std::vector<PartialReduction> Partials() const;
  /// Whether its root is one of these, so that another kernel computes the root.
  bool LeavesRoot() const;
  /// What it begins with in place of the root's operands, if it is the second half of a reduction.
  ir::Value BeginsWith() const;
  /// Whether it only writes a part of a buffer that holds its first operand.
  bool WritesPart() const { return kind() == KernelKind::kScatter || kind() == KernelKind::kUpdate; }
  /// All whose values it may store: of the producer, the root, of the epilogue.
  template <typename Visit>
  void VisitMembers(Visit visit) const {
    for (ir::Value v : producer) visit(v);
    if (root.valid()) visit(root);
    for (ir::Value v : epilogue) visit(v);
  }
  friend bool operator==(const KernelPlan&, const KernelPlan&) = default;
};

/// map, reduce, matmul, ...: of plans and of schedules.
std::string_view KindName(KernelKind kind);

/// A parameter and the result that takes its memory over: the caller passes the old value where the result will be.
struct InPlace {
  int32_t parameter = 0, result = 0;
  friend bool operator==(const InPlace&, const InPlace&) = default;
};

/// What is known of a function's kernels: which values are stored, computed in place or views.
struct PlanGraph {
  std::vector<bool> materialized;  ///< by value: has memory (parameters too) or is a kernel's member
  std::vector<std::optional<View>> views;  ///< by value: set if it can be read as strided memory
  std::vector<int> kernel_of;  ///< by value: the kernel that computes it, -1 = none
  std::vector<bool> stored;  ///< by value: needs memory: read outside its kernel, or a result
  std::vector<KernelPlan> kernels;  ///< in execution order
  // For Plan(), by value but for those that fusing rows adds:
  std::vector<Why> why;  ///< it is materialized
  std::vector<int> readers, cost;  ///< ops that read it; scalar operations of one element

  KernelPlan& kernel(int g) { return kernels[static_cast<size_t>(g)]; }
  const KernelPlan& kernel(int g) const { return kernels[static_cast<size_t>(g)]; }

  friend bool operator==(const PlanGraph&, const PlanGraph&) = default;
};

struct MapOptions {
  bool fuse = true;
  bool gather_small = false;  ///< with fuse: maps of few elements share a kernel though they share no values
  bool pairs = false;  ///< with fuse: the target multiplies pairs of bf16
  Tuning tuning = {};
};

/// Plans a normalised function. Linear but for bounded look-arounds.
PlanGraph PlanMaps(const ir::Function& function, const MapOptions& options);

/// True if v, read through `view`, is the view's base, as a whole and in order.
bool IsWhole(const ir::Function& function, ir::Value v, const View& view);
/// One value for all elements: a scalar constant, a constant with equal elements, or either broadcast.
bool IsUniformConstant(const ir::Function& function, ir::Value v);
/// Extents of axes that maps unroll where positions along them choose what is computed.
constexpr int64_t kMaxUnrolled = 16;
/// select(iota == constant, a, b) along an axis of at most kMaxUnrolled elements: a at this position, b elsewhere.
struct StackStep {
  int64_t axis = 0, position = 0;  ///< position: of no element, if the constant is none
};
std::optional<StackStep> StackStepOf(const ir::Function& function, const ir::Node& node);
/// Where along its axis a dynamic_update writes, if its start is a constant: parts laid side by side.
std::optional<int64_t> KnownStart(const ir::Function& function, const ir::Node& update);
/// Ops that only rename indices: reshape, transpose, slice, broadcast, reverse, window.
bool IsView(ir::Op op);
/// True if every extent of `from` is a run of `to`'s extents: the index into from is affine in the index into to.
bool IsSplit(const Shape& from, const Shape& to);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PLAN_PLAN_H_
