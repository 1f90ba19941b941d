#ifndef REEL_CODEGEN_GROUP_GROUP_H_
#define REEL_CODEGEN_GROUP_GROUP_H_

#include <optional>
#include <string_view>
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
};

/// Why a value has memory of its own: for Plan().
enum class Why : uint8_t {
  kNone,
  kResult,    ///< the caller reads it
  kRoot,      ///< a reduction, a product, ...: loops make it
  kRead,      ///< several ops read it, and it costs more to compute than to load
  kRepeated,  ///< a broadcast or window reads its elements again and again
  kLong,      ///< its expression is as long as one may be
  kOperand,   ///< what reads it reads memory
  kUnfused,   ///< level 0
};

/// Why what reads a group's values is no part of that group: for Plan().
enum class Apart : uint8_t {
  kNone,      ///< it reads no other group's values
  kWhole,     ///< it is a product, sort, ...: what it reads is there before it begins
  kClosed,    ///< that group is one of these: nothing joins it
  kElsewhere, ///< it reads other elements than it computes
  kRoots,     ///< that group has its reduction or product
  kLarge,     ///< that group would have too many ops
  kBetween,   ///< it reads a third group's values, too, which need that group's
  kUnfused,   ///< level 0
};

/// Values computed by one kernel. `pre` are maps over the operand of the root (reduce only), `post` maps over the
/// root's result, or over one common shape if there is no root. A scatter or dynamic_update that only writes its
/// part of a buffer that holds operand 0 has the root kind kScatter or kUpdate. A control op is a group of its own:
/// `root` is its first result, and it reads and writes whole buffers. So is a check_index (kCheck), which writes
/// nothing.
struct Group {
  enum class Root : uint8_t {
    kNone,
    kReduce,
    kContract,
    kScatter,
    kUpdate,
    kRecurrence,
    kSort,
    kRows,
    kControl,
    kCheck
  };
  Root root_kind = Root::kNone;
  ir::Value root;
  std::vector<ir::Value> pre, post;
  /// kRows: the reductions over the rows themselves, whose partial sums it writes, and the values that hold these.
  /// kReduce: the root, if this kernel reduces its blocks of 4096 only, or its groups of 64 rows, and the value that
  /// holds the results. kContract: the same for blocks of k (of the root), or for sums over the
  /// product's rows.
  std::vector<std::pair<ir::Value, ir::Value>> columns;
  std::vector<int64_t> row_extents;  ///< kRows: what counts the rows; a member has these extents, or one more
  int64_t width = 0;                 ///< kRows: elements of a row
  /// kReduce: valid: what is left to reduce: sums of groups of rows, or a product's of blocks of k (which is the root),
  /// [groups, elements of a row], or (rank 1) of blocks.
  ir::Value partials;
  std::vector<int> inputs;  ///< groups it reads from, sorted
  int32_t last = 0;  ///< largest value id: its place in program order
  int nodes = 0;  ///< inlined ops
  Apart apart = Apart::kNone;
  ir::Value apart_from;  ///< a value of the group that it is apart from
};

/// map, reduce, matmul, ...: of plans and of schedules.
std::string_view KindName(Group::Root kind);

struct Grouping {
  std::vector<bool> materialized;  ///< by value: has memory (parameters too) or is a group's member
  std::vector<std::optional<View>> views;  ///< by value: set if it can be read as strided memory
  std::vector<int> group_of;  ///< by value: the group that computes it, -1 = none
  std::vector<bool> stored;  ///< by value: needs memory: read outside its group, or a result
  std::vector<Group> groups;  ///< in execution order
  // For Plan(), by value but for those that fusing rows adds:
  std::vector<Why> why;  ///< it is materialized
  std::vector<int> readers, cost;  ///< ops that read it; scalar operations of one element
};

struct GroupOptions {
  bool fuse = true;
  bool gather_small = false;  ///< with fuse: maps of few elements share a kernel though they share no values
  bool pairs = false;  ///< with fuse: the target multiplies pairs of bf16
  Tuning tuning = {};
};

/// Groups a normalised function. Linear but for bounded look-arounds.
Grouping GroupFunction(const ir::Function& function, const GroupOptions& options);

/// True if v, read through `view`, is the view's base, as a whole and in order.
bool IsWhole(const ir::Function& function, ir::Value v, const View& view);
/// One value for all elements: a scalar constant, a constant with equal elements, or either broadcast.
bool IsUniformConstant(const ir::Function& function, ir::Value v);
/// Extents of axes that maps unroll where positions along them choose what is computed.
constexpr int64_t kMaxUnrolled = 16;
/// select(iota == constant, a, b) along an axis of at most kMaxUnrolled elements.
bool IsStackStep(const ir::Function& function, const ir::Node& node);
/// Ops that only rename indices: reshape, transpose, slice, broadcast, reverse, window.
bool IsView(ir::Op op);
/// True if every extent of `from` is a run of `to`'s extents: the index into from is affine in the index into to.
bool IsSplit(const Shape& from, const Shape& to);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_GROUP_GROUP_H_
