#include "passes/shard/shard.h"

#include <algorithm>
#include <cstddef>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/budget_scope.h"
#include "ir/calls.h"
#include "ir/strings.h"
#include "passes/pass.h"
#include "passes/rewrite.h"
#include "passes/shard/split.h"
#include "passes/splat.h"

namespace reel::passes {
namespace {

using ir::Op;
using ir::Value;
using ir::ValueList;

bool IsZero(const ir::Function& f, Value v) {
  const auto splat = SplatOf(f, v);
  return splat &&
         std::all_of(splat->bytes().begin(), splat->bytes().end(), [](std::byte b) { return b == std::byte{}; });
}

/// An op that looks for single rows may have those of all members: what comes of them is small, as the rows of a table
/// that a batch has looked up. Anything else would be a whole model, computed by every member.
bool MayGather(Op op) {
  const bool finds = op == Op::kArgsort || op == Op::kGather || op == Op::kDynamicSlice || op == Op::kSlice;
  return finds || ir::Info(op).Has(ir::kScatter);
}

/// Which values of a function have rows of the batch, and what of them is computed where. A value that has them exists
/// by shards; one that has not exists whole, and, where shards read its rows alone and an op can give these, by shards
/// too. The shards of a level come after the whole values of that level; what is combined or gathered of them is of the
/// next one.
class ShardPlan {
 public:
  ShardPlan(const ir::Function& f, const ShardOptions& options)
      : f_(f), options_(options), values_(static_cast<size_t>(f.num_values())), nodes_(f.nodes().size()) {}

  struct ValuePlan {
    int rows = kWhole;  ///< the axis of its rows; such a value is whole when it has been gathered
    bool whole = false;  ///< somebody reads all of it
    int wanted = kWhole;  ///< the axis along which shards read their rows
  };
  struct NodePlan {
    std::optional<Split> split;  ///< by shards, if it is
    bool whole = false;  ///< whole
    int level = 0, whole_level = 0;
  };

  absl::Status Run() {
    for (int i = 0; i < f_.num_arguments(); ++i) {
      if (IsSplit(i)) at({i}).rows = 0;
    }
    if (absl::Status s = FindRows(); !s.ok()) return s;
    if (absl::Status s = CheckState(); !s.ok()) return s;
    for (Value v : f_.results()) Want(v, kWhole);
    for (size_t n = nodes_.size(); n-- > 0;) WantOperands(n);
    for (size_t n = 0; n < nodes_.size(); ++n) SetLevel(n);
    return absl::OkStatus();
  }

  bool IsSplit(int argument) const { return options_.split[static_cast<size_t>(argument)]; }
  const ValuePlan& of(Value v) const { return values_[v.index()]; }
  const NodePlan& of_node(size_t n) const { return nodes_[n]; }
  int levels() const { return levels_; }

 private:
  ValuePlan& at(Value v) { return values_[v.index()]; }
  bool IsRead(const ir::Node& node) const {
    for (int i = 0; i < node.num_results; ++i) {
      if (of(node.result(i)).whole || of(node.result(i)).wanted != kWhole) return true;
    }
    return false;
  }

  absl::Status FindRows() {
    for (size_t n = 0; n < nodes_.size(); ++n) {
      ir::ChargeVisits(1);
      const ir::Node& node = f_.nodes()[n];
      if (ir::IsCollective(node.op)) {
        return absl::InvalidArgumentError(
            StrCat("data parallel: the step has ", ir::Name(node.op), ", so it is one of a group already"));
      }
      std::vector<int> rows;
      for (Value v : node.operands) rows.push_back(at(v).rows);
      if (std::all_of(rows.begin(), rows.end(), [](int k) { return k == kWhole; })) continue;
      auto split = SplitOf(f_, node, rows, options_.shards);
      if (!split.ok() && MayGather(node.op)) continue;  // whole, of operands that are
      if (!split.ok()) return split.status();
      for (int i = 0; i < node.num_results; ++i) at(node.result(i)).rows = split->result;
      nodes_[n].split = *std::move(split);
    }
    return absl::OkStatus();
  }

  absl::Status CheckState() const {
    for (int i = f_.num_outputs(); i < static_cast<int>(f_.results().size()); ++i) {
      if (of(f_.results()[static_cast<size_t>(i)]).rows == kWhole) continue;
      return absl::UnimplementedError(StrCat("data parallel: variable '",
                                             f_.state()[static_cast<size_t>(i - f_.num_outputs())],
                                             "' would keep a row per example, which no member has all of"));
    }
    return absl::OkStatus();
  }

  // Somebody reads all of v, or its rows along an axis.
  void Want(Value v, int axis) {
    ValuePlan& plan = at(v);
    if (axis != kWhole && (plan.wanted == kWhole || plan.wanted == axis)) {
      plan.wanted = axis;
    } else {
      plan.whole = true;
    }
  }

  void WantAll(const ir::Node& node, const Split& split) {
    for (size_t i = 0; i < node.operands.size(); ++i) Want(node.operands[i], split.operands[i]);
  }

  // Readers have said what they want of the node.
  void WantOperands(size_t n) {
    const ir::Node& node = f_.nodes()[n];
    NodePlan& plan = nodes_[n];
    if (!IsRead(node)) {
      plan.split.reset();
      return;
    }
    if (plan.split) return WantAll(node, *plan.split);
    for (int i = 0; i < node.num_results; ++i) {
      ValuePlan& value = at(node.result(i));
      if (value.wanted != kWhole && node.num_results == 1) plan.split = RowsOf(f_, node, value.wanted, options_.shards);
      if (value.wanted != kWhole && !plan.split) value.whole = true;
      plan.whole = plan.whole || value.whole;
    }
    if (plan.split) WantAll(node, *plan.split);
    for (Value v : node.operands) {
      if (plan.whole) Want(v, kWhole);
    }
  }

  // Of the values as the node reads them.
  int LevelOf(Value v, int axis) const {
    if (f_.is_parameter(v)) return axis == kWhole && of(v).rows != kWhole;
    const NodePlan& plan = nodes_[static_cast<size_t>(f_.producer_index(v))];
    const bool by_shards = axis != kWhole && plan.split && !plan.split->combine && of(v).wanted == axis;
    return by_shards ? plan.level : plan.whole_level;
  }

  void SetLevel(size_t n) {
    const ir::Node& node = f_.nodes()[n];
    NodePlan& plan = nodes_[n];
    for (size_t i = 0; i < node.operands.size(); ++i) {
      if (plan.split) plan.level = std::max(plan.level, LevelOf(node.operands[i], plan.split->operands[i]));
      if (plan.whole) plan.whole_level = std::max(plan.whole_level, LevelOf(node.operands[i], kWhole));
    }
    if (plan.split && !plan.whole) plan.whole_level = plan.level + 1;
    levels_ = std::max({levels_, plan.level + 1, plan.whole_level + 1});
  }

  const ir::Function& f_;
  const ShardOptions& options_;
  std::vector<ValuePlan> values_;
  std::vector<NodePlan> nodes_;
  int levels_ = 1;
};

/// Writes the function of one member.
class ShardWriter {
 public:
  ShardWriter(const ir::Function& f, const ShardOptions& options, const ShardPlan& plan, const ir::Module* m)
      : f_(f),
        options_(options),
        plan_(plan),
        own_(options.shards / options.members),
        out_(f.name()),
        b_(&out_, m),
        whole_(static_cast<size_t>(f.num_values())),
        parts_(static_cast<size_t>(own_), whole_) {}

  absl::StatusOr<ir::Function> Run() {
    AddParameters();
    for (int level = 0; level < plan_.levels() && b_.status().ok(); ++level) {
      VisitNodes([&](size_t n, const ShardPlan::NodePlan& plan) {
        if (plan.whole && plan.whole_level == level) CopyWhole(f_.nodes()[n]);
      });
      for (int64_t s = 0; s < own_; ++s) {
        VisitNodes([&](size_t n, const ShardPlan::NodePlan& plan) {
          if (plan.split && plan.level == level) CopyShard(f_.nodes()[n], *plan.split, s);
        });
      }
      VisitNodes([&](size_t n, const ShardPlan::NodePlan& plan) {
        if (!plan.split || plan.level != level) return;
        const ir::Node& node = f_.nodes()[n];
        if (plan.split->combine) return Combine(node, *plan.split->combine);
        for (int i = 0; i < node.num_results; ++i) Gather(node.result(i));
      });
      for (int i = 0; level == 0 && i < f_.num_arguments(); ++i) Gather({i});
    }
    std::vector<Value> results;
    for (Value v : f_.results()) results.push_back(whole(v));
    if (!b_.status().ok()) return b_.status();
    out_.SetResults(std::move(results));
    out_.set_result_names(f_.result_names());
    return std::move(out_);
  }

 private:
  Value& whole(Value v) { return whole_[v.index()]; }
  Value& part(Value v, int64_t s) { return parts_[static_cast<size_t>(s)][v.index()]; }
  Value Int(int64_t x) { return b_.Constant(ir::Literal::ScalarInt(kInt64, x)); }

  template <typename Visit>
  void VisitNodes(Visit visit) {
    for (size_t n = 0; n < f_.nodes().size() && b_.status().ok(); ++n) {
      ir::ChargeVisits(1);
      visit(n, plan_.of_node(n));
    }
  }

  void AddParameters() {
    std::vector<Value> own(static_cast<size_t>(f_.num_arguments()));
    for (int i = 0; i < f_.num_parameters(); ++i) {
      const ir::Parameter& p = f_.parameter(i);
      if (i >= f_.num_arguments()) {
        whole({i}) = out_.AddState(p.name, p.type);
      } else if (!plan_.IsSplit(i)) {
        whole({i}) = out_.AddParameter(p.name, p.type);
      } else {
        Type type = p.type;
        type.shape.set(0, type.shape.dim(0) / options_.members);
        own[static_cast<size_t>(i)] = out_.AddParameter(p.name, type);
      }
    }
    for (int i = 0; i < f_.num_arguments(); ++i) {
      for (int64_t s = 0; s < own_ && plan_.IsSplit(i); ++s) part({i}, s) = SliceOf(own[static_cast<size_t>(i)], 0, s);
    }
    if (options_.members > 1) rank_ = b_.Emit(Op::kGroupRank, {}, {{"size", options_.members}});
  }

  // Shard s of the member's own.
  Value SliceOf(Value x, int axis, int64_t s) {
    if (own_ == 1) return x;
    const Shape shape = b_.shape(x);
    std::vector<int64_t> starts(static_cast<size_t>(shape.rank()), 0), limits = shape.dims(), strides(starts.size(), 1);
    const int64_t rows = shape.dim(axis) / own_;
    starts[static_cast<size_t>(axis)] = s * rows;
    limits[static_cast<size_t>(axis)] = (s + 1) * rows;
    return b_.Slice(x, starts, limits, strides);
  }

  // The number of a shard among all, times a constant.
  Value Offset(int64_t s, int64_t times) {
    if (!rank_.valid()) return Int(s * times);
    const Value first = b_.Mul(rank_, Int(own_ * times));
    return s == 0 ? first : b_.Add(first, Int(s * times));
  }

  // v as shard s reads it.
  Value Read(Value v, int axis, int64_t s) {
    if (axis == kWhole) return whole(v);
    if (part(v, s).valid() && plan_.of(v).rows == axis) return part(v, s);
    if (part(v, s).valid() && plan_.of(v).wanted == axis) return part(v, s);
    const int64_t rows = f_.type(v).shape.dim(axis) / options_.shards;
    return b_.DynamicSlice(whole(v), Offset(s, rows), axis, rows);
  }

  void NoteLocation(const ir::Node& node) {
    const bool known = node.location >= 0;
    b_.set_location(known ? out_.AddLocation(f_.locations()[static_cast<size_t>(node.location)]) : -1);
  }

  void CopyWhole(const ir::Node& node) {
    ValueList operands;
    for (Value v : node.operands) operands.push_back(whole(v));
    NoteLocation(node);
    const ValueList results = b_.EmitAll(node.op, operands, node.attrs());
    for (size_t i = 0; i < results.size(); ++i) whole(node.result(static_cast<int>(i))) = results[i];
    b_.set_location(-1);
  }

  void CopyShard(const ir::Node& node, const Split& split, int64_t s) {
    ValueList operands;
    for (size_t i = 0; i < node.operands.size(); ++i) operands.push_back(Read(node.operands[i], split.operands[i], s));
    if (split.combine && node.op == Op::kScatterAdd) operands[0] = b_.Zeros(f_.type(node.operands[0]));
    if (node.op == Op::kRandomBits) {  // four numbers are one step of the counter
      const int64_t numbers = f_.type(node.result()).shape.size() / options_.shards;
      const Value zero = b_.Scalar(kInt64, 0), steps = b_.Reshape(Offset(s, numbers / 4), {1});
      operands[0] = b_.Add(operands[0], b_.Pad(steps, zero, {1}, {0}, {0}));
    }
    NoteLocation(node);
    const ValueList results = b_.EmitAll(node.op, operands, ShardAttributes(f_, node, split, options_.shards));
    for (size_t i = 0; i < results.size(); ++i) part(node.result(static_cast<int>(i)), s) = results[i];
    b_.set_location(-1);
  }

  Value Pair(Op op, Value a, Value b) { return b_.Emit(op, {a, b}); }

  // Neighbours first; one that is left over goes up as it is. The same tree as all_reduce's.
  Value Tree(Op op, ValueList level) {
    while (level.size() > 1) {
      ValueList next;
      for (size_t i = 0; i + 1 < level.size(); i += 2) next.push_back(Pair(op, level[i], level[i + 1]));
      if (level.size() % 2 == 1) next.push_back(level.back());
      level = std::move(next);
    }
    return level[0];
  }

  // Shards of which each member has a power of two are subtrees of the whole tree; of others it needs all leaves.
  Value AllShards(Op op, ValueList own) {
    const int64_t members = options_.members;
    const bool subtrees = (own_ & (own_ - 1)) == 0;
    if (members == 1) return Tree(op, std::move(own));
    if (subtrees) {
      const bool least = op == Op::kMin;  // -max(-x)
      Value x = Tree(op, std::move(own));
      if (least) x = b_.Neg(x);
      const std::string kind = op == Op::kAdd ? "sum" : "max";
      x = b_.Emit(Op::kAllReduce, {x}, {{"kind", kind}, {"size", members}});
      return least ? b_.Neg(x) : x;
    }
    const Shape shape = b_.shape(own[0]);
    for (Value& x : own) x = b_.Reshape(x, {1, shape.size()});
    const Value all = b_.Emit(Op::kAllGather, {Joined(own)}, {{"size", members}});
    ValueList leaves;
    for (int64_t s = 0; s < options_.shards; ++s) {
      leaves.push_back(b_.Reshape(b_.Slice(all, {s, 0}, {s + 1, shape.size()}, {1, 1}), shape));
    }
    return Tree(op, std::move(leaves));
  }

  // The parts of shards as one value. Halves are added as f32.
  void Combine(const ir::Node& node, Op op) {
    const Value v = node.result();
    const Type type = f_.type(v);
    ValueList own;
    for (int64_t s = 0; s < own_; ++s) own.push_back(IsHalf(type.dtype) ? b_.Cast(part(v, s), kFloat32) : part(v, s));
    NoteLocation(node);
    Value all = b_.Cast(AllShards(op, std::move(own)), type.dtype);
    if (node.op == Op::kScatterAdd && !IsZero(f_, node.operands[0])) all = b_.Add(whole(node.operands[0]), all);
    whole(v) = all;
    for (int64_t s = 0; s < own_; ++s) part(v, s) = Value();
    b_.set_location(-1);
  }

  // One behind the other along axis 0.
  Value Joined(const ValueList& parts) {
    if (parts.size() == 1) return parts[0];
    Type type = b_.type(parts[0]);
    const int64_t rows = type.shape.dim(0);
    type.shape.set(0, rows * static_cast<int64_t>(parts.size()));
    Value out = b_.Zeros(type);
    for (size_t i = 0; i < parts.size(); ++i) {
      out = b_.DynamicUpdate(out, parts[i], Int(static_cast<int64_t>(i) * rows), 0);
    }
    return out;
  }

  // The rows of all members, of a value that somebody reads whole.
  void Gather(Value v) {
    if (plan_.of(v).rows == kWhole || !plan_.of(v).whole) return;
    const int axis = plan_.of(v).rows, rank = f_.type(v).shape.rank();
    std::vector<int64_t> front{axis}, back;
    for (int i = 0; i < rank; ++i) {
      if (i != axis) front.push_back(i);
      back.push_back(i < axis ? i + 1 : i == axis ? 0 : i);
    }
    ValueList own;
    for (int64_t s = 0; s < own_; ++s) own.push_back(b_.Transpose(part(v, s), front));
    Value all = Joined(own);
    if (options_.members > 1) all = b_.Emit(Op::kAllGather, {all}, {{"size", options_.members}});
    whole(v) = b_.Transpose(all, back);
  }

  const ir::Function& f_;
  const ShardOptions& options_;
  const ShardPlan& plan_;
  const int64_t own_;  // shards of a member
  ir::Function out_;
  ir::Builder b_;
  Value rank_;
  std::vector<Value> whole_;  // by value of f_
  std::vector<std::vector<Value>> parts_;  // by shard of the member
};

absl::Status CheckShards(const ir::Function& f, const ShardOptions& options) {
  const int64_t shards = options.shards, members = options.members;
  constexpr int64_t kMost = 4096;  // shards are written out
  if (shards < 1 || shards > kMost) {
    return absl::InvalidArgumentError(StrCat("data parallel: shards must be from 1 to ", kMost, ", got ", shards));
  }
  if (members < 1 || shards % members != 0) {
    return absl::InvalidArgumentError(StrCat("data parallel: ", members, " processes do not divide ", shards,
                                             " shards; start a number that does, or take other shards"));
  }
  for (int i = 0; i < f.num_arguments(); ++i) {
    const ir::Parameter& p = f.parameter(i);
    if (!options.split[static_cast<size_t>(i)]) continue;
    const bool rows = p.type.shape.rank() > 0 && p.type.shape.is_constant() && p.type.shape.dim(0) > 0;
    if (rows && p.type.shape.dim(0) % shards == 0) continue;
    return absl::InvalidArgumentError(StrCat("data parallel: ", shards, " shards do not divide the batch of argument '",
                                             p.name, "', ", p.type.ToString(),
                                             "; take another batch or other shards, or pass it as a whole argument"));
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status Shard(ir::Module* m, std::string_view function, const ShardOptions& options) {
  ir::Module copy = *m;
  ir::Function* const f = copy.FindFunction(function);
  if (absl::Status s = CheckShards(*f, options); !s.ok()) return s;
  PassContext context;
  context.entry_points = {std::string(function)};
  context.differentiation_done = true;
  for (const Pass pass : {Dce, Inline, Dce}) {
    if (const auto changed = pass(&copy, context); !changed.ok()) return changed.status();
  }
  const ir::Function& inlined = *copy.FindFunction(function);
  ShardPlan plan(inlined, options);
  if (absl::Status s = plan.Run(); !s.ok()) return s;
  auto written = ShardWriter(inlined, options, plan, m).Run();
  if (!written.ok()) return written.status();
  *m->FindFunction(function) = *std::move(written);
  return absl::OkStatus();
}

}  // namespace reel::passes
