#ifndef REEL_CODEGEN_SCHEDULE_EXPR_BUILDER_H_
#define REEL_CODEGEN_SCHEDULE_EXPR_BUILDER_H_

#include <map>
#include <optional>
#include <set>
#include <vector>

#include "codegen/loop/loop.h"
#include "codegen/plan/plan.h"
#include "ir/graph.h"

namespace reel::codegen {

/// Index of an element: one affine form per axis of the value.
using Index = std::vector<Affine>;
/// Of a value with this shape: what has several elements along an axis goes by `row`, and behind these by `inner`.
Index RowIndexOf(const Shape& shape, const Index& row, const Affine& inner);
/// Bits of a scalar of dtype in the low bytes.
uint64_t Bits(DType dtype, double value);

/// Turns values at indices into expressions of a kernel: views become index maps, values of the
/// plan of this kernel are computed in place, everything stored elsewhere is loaded.
class ExprBuilder {
 public:
  ExprBuilder(const ir::Function& f, const PlanGraph& plan, int kernel_index, Kernel* kernel)
      : f_(f), plan_(plan), kernel_index_(kernel_index), kernel_(kernel) {}

  /// Element `index` of v. Depth of recursion is bounded by the ops of one kernel.
  ExprId Build(ir::Value v, const Index& index);
  /// Operand k of the node that defines v, at `index`.
  ExprId BuildOperand(ir::Value v, int k, const Index& index);
  /// The element of v, which is a view, that is `offset` + dynamic elements of memory behind its first; 0 where guard
  /// is false.
  ExprId LoadView(ir::Value v, const Affine& offset, ExprId dynamic = -1, ExprId guard = -1);
  /// Bits of the memory that v is a view of, `offset` elements (+ dynamic) behind its first, as dtype: of one element,
  /// or of several neighbours, the first in the low bits. Then every step of these, v's place too, is a multiple of
  /// that many.
  ExprId LoadBits(ir::Value v, const Affine& offset, DType dtype, ExprId dynamic = -1);
  /// The kernel's buffer for a stored value.
  BufferId BufferOf(ir::Value v, bool is_output);
  /// Row-major position of `index` in v.
  Affine Flat(ir::Value v, const Index& index) const;
  /// Position of `index` in the buffer of v, which is stored.
  Affine Place(ir::Value v, const Index& index) const;
  /// From now on the kernel's root is this expression (a local); earlier results are forgotten.
  void SetRoot(ir::Value root, ExprId expr);
  /// Forgets what was built: for another set of axes.
  void Clear() { memo_.clear(); }
  /// Axes along which the position chose between parts of a stack (StackStepOf).
  const std::set<AxisId>& choices() const { return choices_; }
  /// The axis goes from 0 to here: guards of padding that always or never hold are left out.
  void SetExtent(AxisId axis, int64_t extent) { extents_[axis] = extent; }
  /// Where padding, or a part of what is joined, begins or ends along such axes.
  const std::map<AxisId, std::set<int64_t>>& cuts() const { return cuts_; }
  /// Steps of padding between elements along such axes: of a multiple of the step, and what is behind it, it is known
  /// whether there is an element.
  const std::map<AxisId, int64_t>& steps() const { return steps_; }
  /// From now on values of the kernel with memory of their own stand for their element at these indices, wherever they
  /// are read: of a row, or with `inner` of an element of it. What was built per element is forgotten.
  void SetRow(Index row, Affine inner);
  /// v is this expression, until the next SetRow if it has an element per `inner`.
  void SetValue(ir::Value v, ExprId expr) { (IsPerElement(v) ? elements_ : scalars_)[v.id] = expr; }
  /// The element of v that SetRow means.
  Index RowIndex(ir::Value v) const { return RowIndexOf(f_.type(v).shape, row_, inner_); }
  /// The values behind the kernel's buffers, in order.
  const std::vector<ir::Value>& bound() const { return bound_; }

  ExprId Constant(DType dtype, double value);
  ExprId Number(int64_t value) { return Constant(kInt64, static_cast<double>(value)); }
  ExprId Position(const Affine& value, DType dtype = kInt64);
  ExprId Apply(ir::Op op, DType dtype, std::initializer_list<ExprId> operands);
  ExprId ToInt64(ExprId x);
  /// 0 <= x < extent
  ExprId InRange(ExprId x, int64_t extent);
  /// min(max(start, 0), high) of a start operand.
  ExprId ClampedStart(ir::Value start, int64_t high);
  /// The value whose memory v is a view of.
  ir::Value BaseOf(ir::Value v) const { return ViewOf(v).base; }

 private:
  bool IsRowMember(ir::Value v) const { return has_row_ && plan_.kernel_of[v.index()] == kernel_index_; }
  bool IsPerElement(ir::Value v) const;
  /// Of a value of this dtype, which the base may have in 16 bits (View).
  ExprId Load(DType dtype, ir::Value base, Affine flat, ExprId dynamic = -1, int64_t dynamic_stride = 0,
              ExprId guard = -1);
  ExprId Compute(ir::Value v, const Index& index);
  ExprId BuildView(const ir::Node& node, const Index& index);
  ExprId BuildPad(const ir::Node& node, const Index& index);
  ExprId BuildGather(const ir::Node& node, const Index& index);
  ExprId BuildDynamic(const ir::Node& node, const Index& index);
  ExprId BuildJoined(const ir::Node& node, const Index& index, int64_t start);
  ExprId BuildRandom(const ir::Node& node, const Index& index);
  /// Whether 0 <= position < extent always holds, never, or not as far as is known (a cut).
  std::optional<bool> IsInside(const Affine& position, int64_t extent);
  /// Of a position among elements `step` apart, whether it is that of an element, and then which: not if the axes' own
  /// steps do not tell.
  std::optional<bool> IsElement(int64_t step, Affine* position);
  const View& ViewOf(ir::Value v) const { return *plan_.views[v.index()]; }

  struct Key {
    int32_t value;
    std::vector<int64_t> index;
    auto operator<=>(const Key&) const = default;
  };
  static Key MakeKey(ir::Value v, const Index& index);

  const ir::Function& f_;
  const PlanGraph& plan_;
  const int kernel_index_;
  Kernel* kernel_;
  std::map<Key, ExprId> memo_;
  std::map<int32_t, BufferId> buffers_;
  std::vector<ir::Value> bound_;
  std::set<AxisId> choices_;
  std::map<AxisId, int64_t> extents_;
  std::map<AxisId, std::set<int64_t>> cuts_;
  std::map<AxisId, int64_t> steps_;
  ir::Value root_;
  ExprId root_expr_ = -1;
  bool has_row_ = false;
  Index row_;
  Affine inner_;
  std::map<int32_t, ExprId> scalars_, elements_;  // by value
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_EXPR_BUILDER_H_
