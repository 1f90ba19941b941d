#include "passes/shard/split.h"

#include <algorithm>
#include <string>

#include "ir/strings.h"

namespace reel::passes {
namespace {

using ir::Op;
using Ints = std::vector<int64_t>;

// The rules of one node. Each returns how it is split, or nothing if it cannot be.
class SplitRules {
 public:
  SplitRules(const ir::Function& f, const ir::Node& node, const std::vector<int>& rows, int64_t shards)
      : f_(f), node_(node), rows_(rows), shards_(shards) {}

  std::optional<Split> Run() const {
    if (ir::Info(node_.op).Has(ir::kElementwise)) return Elementwise();
    if (ir::Info(node_.op).Has(ir::kReduction)) return Reduce();
    if (ir::Info(node_.op).Has(ir::kScatter)) return Scatter();
    switch (node_.op) {
      case Op::kReshape: return Reshape();
      case Op::kTranspose: return Transpose();
      case Op::kBroadcast: return Broadcast();
      case Op::kSlice: return Slice();
      case Op::kPad: return Pad();
      case Op::kReverse:
      case Op::kWindow: return SameUnless(Has(ints("axes"), rows_[0]));
      case Op::kContract: return Contract();
      case Op::kConv: return Conv();
      case Op::kRecurrence: return Along() ? std::nullopt : Elementwise();
      case Op::kArgsort: return SameUnless(Along());
      case Op::kGather: return Gather();
      case Op::kDynamicSlice: return SameUnless(Along() || rows_[1] != kWhole);
      case Op::kDynamicUpdate: return DynamicUpdate();
      case Op::kCholesky:
      case Op::kTriangularSolve:
      case Op::kLu:
      case Op::kQr:
      case Op::kEigh:
      case Op::kSvd: return Matrices();
      default: return std::nullopt;
    }
  }

 private:
  const Shape& shape(size_t i) const { return f_.type(node_.operands[i]).shape; }
  const Shape& result() const { return f_.type(node_.result()).shape; }
  const Ints& ints(std::string_view name) const { return node_.attr<Ints>(name); }
  static bool Has(const Ints& list, int64_t x) { return std::find(list.begin(), list.end(), x) != list.end(); }
  static int64_t PlaceOf(const Ints& list, int64_t x) { return std::find(list.begin(), list.end(), x) - list.begin(); }
  // Whether the op works along the rows of operand 0.
  bool Along() const { return rows_[0] == node_.attr<int64_t>("axis"); }
  Split Same(int axis) const { return {rows_, axis}; }
  std::optional<Split> SameUnless(bool mixes) const { return mixes ? std::nullopt : std::optional(Same(rows_[0])); }

  // Whole operands are taken in parts, too.
  std::optional<Split> Elementwise() const {
    int axis = kWhole;
    for (const int k : rows_) {
      if (k == kWhole || k == axis) continue;
      if (axis != kWhole) return std::nullopt;
      axis = k;
    }
    return Split{std::vector<int>(rows_.size(), axis), axis};
  }

  std::optional<Split> Reduce() const {
    const Ints& axes = ints("axes");
    const int k = rows_[0];
    if (!Has(axes, k)) {
      const auto before = std::count_if(axes.begin(), axes.end(), [&](int64_t axis) { return axis < k; });
      return Same(k - static_cast<int>(before));
    }
    switch (node_.op) {
      case Op::kReduceSum: return Split{rows_, kWhole, Op::kAdd};
      case Op::kReduceMax: return Split{rows_, kWhole, Op::kMax};
      case Op::kReduceMin: return Split{rows_, kWhole, Op::kMin};
      default: return std::nullopt;
    }
  }

  // The axis of the result before which as many elements stand, of which the shards are equal parts.
  std::optional<Split> Reshape() const {
    int64_t before = 1, here = 1;
    for (int i = 0; i < rows_[0]; ++i) before *= shape(0).dim(i);
    for (int i = 0; i < result().rank() && here <= before; ++i) {
      if (here == before && result().dim(i) > 1 && result().dim(i) % shards_ == 0) return Same(i);
      here *= result().dim(i);
    }
    return std::nullopt;
  }

  Split Transpose() const { return Same(static_cast<int>(PlaceOf(ints("permutation"), rows_[0]))); }

  std::optional<Split> Broadcast() const {
    const auto axis = static_cast<int>(ints("axes")[static_cast<size_t>(rows_[0])]);
    if (shape(0).dim(rows_[0]) != result().dim(axis)) return std::nullopt;
    return Same(axis);
  }

  std::optional<Split> Slice() const {
    const auto k = static_cast<size_t>(rows_[0]);
    const bool whole = ints("starts")[k] == 0 && ints("limits")[k] == shape(0).dim(rows_[0]) && ints("strides")[k] == 1;
    return whole ? std::optional(Same(rows_[0])) : std::nullopt;
  }

  std::optional<Split> Pad() const {
    const auto k = static_cast<size_t>(rows_[0]);
    const bool none = ints("low")[k] == 0 && ints("high")[k] == 0 && ints("interior")[k] == 0;
    return none ? std::optional(Same(rows_[0])) : std::nullopt;
  }

  std::optional<Split> DynamicUpdate() const {
    if (rows_[2] != kWhole) return std::nullopt;
    const int axis = rows_[0] == kWhole ? rows_[1] : rows_[0];
    if (axis == node_.attr<int64_t>("axis") || (rows_[1] != kWhole && rows_[1] != axis)) return std::nullopt;
    return Split{{axis, axis, kWhole}, axis};
  }

  std::optional<Split> Matrices() const {
    const auto split = Elementwise();
    if (!split) return std::nullopt;
    for (size_t i = 0; i < rows_.size(); ++i) {
      if (split->result >= shape(i).rank() - 2) return std::nullopt;
    }
    return split;
  }

  // The axis of the result that a free axis of an operand is.
  int FreeAxis(const Ints& batch, const Ints& contracted, int axis, int first) const {
    int place = first;
    for (int i = 0; i < axis; ++i) place += !Has(batch, i) && !Has(contracted, i);
    return place;
  }

  std::optional<Split> Contract() const {
    const Ints &ab = ints("a_batch"), &ac = ints("a_contract"), &bb = ints("b_batch"), &bc = ints("b_contract");
    const int a = rows_[0], b = rows_[1];
    const auto pair = [](const Ints& from, const Ints& to, int64_t axis) {
      return static_cast<int>(to[static_cast<size_t>(PlaceOf(from, axis))]);
    };
    const bool by_a = a != kWhole;
    const Ints &batch = by_a ? ab : bb, &other_batch = by_a ? bb : ab;
    const Ints &contracted = by_a ? ac : bc, &other_contracted = by_a ? bc : ac;
    const int axis = by_a ? a : b, other = by_a ? b : kWhole;
    const auto both = [&](int mine, int its) {
      return by_a ? std::vector<int>{mine, its} : std::vector<int>{its, mine};
    };
    if (Has(contracted, axis)) {
      const int its = pair(contracted, other_contracted, axis);
      if (other != kWhole && other != its) return std::nullopt;
      return Split{both(axis, its), kWhole, Op::kAdd};
    }
    if (Has(batch, axis)) {
      const int its = pair(batch, other_batch, axis);
      if (other != kWhole && other != its) return std::nullopt;
      return Split{both(axis, its), static_cast<int>(PlaceOf(batch, axis))};
    }
    if (other != kWhole) return std::nullopt;
    int first = static_cast<int>(ab.size());
    if (!by_a) first += shape(0).rank() - static_cast<int>(ab.size() + ac.size());
    return Split{both(axis, kWhole), FreeAxis(batch, contracted, axis, first)};
  }

  // a[n, s..., g, c], b[k..., g, c, o], result [n, s..., g, o].
  std::optional<Split> Conv() const {
    const int a = rows_[0], b = rows_[1], last = shape(0).rank() - 1;
    if (a == 0 && b == kWhole) return Split{{0, kWhole}, 0};
    if (a == kWhole && b == last) return Split{{kWhole, last}, last};
    const bool channels = (a == last || a == kWhole) && (b == last - 1 || b == kWhole);
    if (channels) return Split{{last, last - 1}, kWhole, Op::kAdd};
    const bool groups = (a == last - 1 || a == kWhole) && (b == last - 2 || b == kWhole);
    if (groups) return Split{{last - 1, last - 2}, last - 1};
    return std::nullopt;
  }

  std::optional<Split> Gather() const {
    const auto axis = static_cast<int>(node_.attr<int64_t>("axis"));
    const int a = rows_[0], b = rows_[1];
    if (a == kWhole) return Split{rows_, axis + b};
    if (b != kWhole || a == axis) return std::nullopt;
    return Same(a < axis ? a : a - 1 + shape(1).rank());
  }

  // Updates of some rows: a part of the sum. Rows of all operands that the op does not work along: as they are.
  std::optional<Split> Scatter() const {
    const auto axis = static_cast<int>(node_.attr<int64_t>("axis"));
    const int a = rows_[0], indices = rows_[1], updates = rows_[2];
    if (indices == kWhole && (a == kWhole || a != axis)) {
      const int from = a != kWhole ? (a < axis ? a : a - 1 + shape(1).rank()) : updates;
      const bool along = from >= axis && from < axis + shape(1).rank();
      const int k = a != kWhole ? a : from < axis ? from : from + 1 - shape(1).rank();
      if (!along && (updates == kWhole || updates == from)) return Split{{k, kWhole, from}, k};
    }
    if (a != kWhole || node_.op != Op::kScatterAdd) return std::nullopt;
    const int k = indices != kWhole ? indices : updates - axis;
    if (k < 0 || k >= shape(1).rank() || (updates != kWhole && updates != axis + k)) return std::nullopt;
    return Split{{kWhole, k, axis + k}, kWhole, Op::kAdd};
  }

  const ir::Function& f_;
  const ir::Node& node_;
  const std::vector<int>& rows_;
  const int64_t shards_;
};

std::string WhereOf(const ir::Function& f, const ir::Node& node) {
  if (node.location < 0) return "";
  const ir::Location& at = f.locations()[static_cast<size_t>(node.location)];
  return StrCat(" (", at.file, ":", at.line, ")");
}

}  // namespace

absl::StatusOr<Split> SplitOf(const ir::Function& f, const ir::Node& node, const std::vector<int>& rows,
                              int64_t shards) {
  if (auto split = SplitRules(f, node, rows, shards).Run()) return *std::move(split);
  const auto first = std::find_if(rows.begin(), rows.end(), [](int k) { return k != kWhole; }) - rows.begin();
  return absl::UnimplementedError(StrCat(
      "data parallel: ", ir::Name(node.op), WhereOf(f, node), " of ",
      f.type(node.operands[static_cast<size_t>(first)]).ToString(), " mixes the rows of the batch, which is axis ",
      rows[static_cast<size_t>(first)], "; take it out of the step, or pass what it reads as a whole argument"));
}

std::optional<Split> RowsOf(const ir::Function& f, const ir::Node& node, int axis, int64_t shards) {
  const Shape& shape = f.type(node.result()).shape;
  if (ir::Info(node.op).Has(ir::kElementwise) && !ir::IsCheck(node.op)) {
    return Split{std::vector<int>(node.operands.size(), axis), axis};
  }
  if (node.op == Op::kBroadcast) {
    const Ints& axes = node.attr<Ints>("axes");
    const auto at = std::find(axes.begin(), axes.end(), axis);
    const auto from = static_cast<int>(at - axes.begin());
    const bool own = at != axes.end() && f.type(node.operands[0]).shape.dim(from) == shape.dim(axis);
    return Split{{own ? from : kWhole}, axis};
  }
  // Along other axes it says nothing of the rows.
  if (node.op == Op::kIota && node.attr<int64_t>("axis") != axis) return Split{{}, axis};
  if (node.op == Op::kRandomBits) {  // Philox makes four numbers at once
    int64_t before = 1;
    for (int i = 0; i < axis; ++i) before *= shape.dim(i);
    if (before == 1 && shape.size() / shards % 4 == 0) return Split{{kWhole}, axis};
  }
  return std::nullopt;
}

ir::Attributes ShardAttributes(const ir::Function& f, const ir::Node& node, const Split& split, int64_t shards) {
  ir::Attributes attributes = node.attrs();
  if (split.result == kWhole) return attributes;
  const auto k = static_cast<size_t>(split.result);
  const bool shaped = node.op == Op::kReshape || node.op == Op::kBroadcast || node.op == Op::kIota;
  if (shaped || node.op == Op::kRandomBits) {
    Shape shape = f.type(node.result()).shape;
    shape.set(split.result, shape.dim(split.result) / shards);
    attributes.Set("shape", std::move(shape));
  }
  if (node.op == Op::kSlice) {
    Ints limits = node.attr<Ints>("limits");
    limits[k] /= shards;
    attributes.Set("limits", std::move(limits));
  }
  return attributes;
}

}  // namespace reel::passes
