#include "passes/shard/shard.h"

#include <algorithm>
#include <cstddef>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "ir/budget_scope.h"
#include "ir/calls.h"
#include "ir/hash_map.h"
#include "ir/strings.h"
#include "passes/pass.h"
#include "passes/rewrite.h"
#include "passes/shard/buckets.h"
#include "passes/shard/plan.h"
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
        buckets_(&b_, options.members, options.bucket_bytes),
        whole_(static_cast<size_t>(f.num_values())),
        slices_(whole_),
        trees_(whole_.size()),
        parts_(static_cast<size_t>(own_), whole_) {}

  absl::StatusOr<ir::Function> Run() {
    AddParameters();
    for (int level = 0; level < plan_.levels() && b_.status().ok(); ++level) {
      VisitNodes([&](size_t n, const ShardPlan::NodePlan& plan) {
        if (plan.whole && plan.whole_level == level) plan.part ? CopyPart(f_.nodes()[n]) : CopyWhole(f_.nodes()[n]);
      });
      for (int64_t s = 0; s < own_; ++s) {
        VisitNodes([&](size_t n, const ShardPlan::NodePlan& plan) {
          if (!plan.split || plan.level != level) return;
          CopyShard(f_.nodes()[n], *plan.split, s);
          if (plan.split->combine) Grow(f_.nodes()[n].result(), *plan.split->combine, s);
          if (plan.split->combine && s == own_ - 1) Combine(f_.nodes()[n], *plan.split->combine);
        });
      }
      buckets_.Flush();
      VisitNodes([&](size_t n, const ShardPlan::NodePlan& plan) {
        if (!plan.split || plan.level != level || plan.split->combine) return;
        for (int i = 0; i < f_.nodes()[n].num_results; ++i) Gather(f_.nodes()[n].result(i));
      });
      for (int i = 0; level == 0 && i < f_.num_arguments(); ++i) Gather({i});
    }
    std::vector<Value> results = Results();
    if (!b_.status().ok()) return b_.status();
    out_.SetResults(std::move(results));
    out_.set_result_names(f_.result_names());
    return std::move(out_);
  }

 private:
  Value& whole(Value v) { return whole_[v.index()]; }
  Value& slice(Value v) { return slices_[v.index()]; }
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
      if (plan_.IsParted(i)) {
        slice({i}) = out_.AddState(p.name, {p.type.dtype, PartShape({i})});
      } else if (i >= f_.num_arguments()) {
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

  // What this member computes of a node that is computed in parts.
  void CopyPart(const ir::Node& node) {
    ValueList operands;
    for (Value v : node.operands) operands.push_back(OwnPart(v));
    NoteLocation(node);
    const bool reshape = node.op == Op::kReshape;
    slice(node.result()) =
        reshape ? b_.Reshape(operands[0], PartShape(node.result())) : b_.Emit(node.op, operands, node.attrs());
    b_.set_location(-1);
    GatherState(node.result());
  }

  // The new value of a variable that others read whole goes out as soon as it is there.
  void GatherState(Value v) {
    for (int i = f_.num_outputs(); i < static_cast<int>(f_.results().size()); ++i) {
      if (f_.results()[static_cast<size_t>(i)] != v || plan_.IsParted(BeforeOf(i).id)) continue;
      return buckets_.AllGather(slice(v), [this, v](Value x) { whole(v) = x; });
    }
  }
  // The variable that result i is the new value of.
  Value BeforeOf(int i) const { return {i - f_.num_outputs() + f_.num_arguments()}; }

  Shape PartShape(Value v) {
    Shape shape = f_.type(v).shape;
    shape.set(0, shape.dim(0) / options_.members);
    return shape;
  }
  Value PartStart(Value v) { return b_.Mul(rank_, Int(PartShape(v).dim(0))); }

  // This member's of `members` equal parts of v along axis 0.
  Value OwnPart(Value v) {
    Value& known = slice(v);
    if (known.valid()) return known;
    const ir::Node* node = f_.is_parameter(v) ? nullptr : f_.producer(v);
    if (node && node->op == Op::kBroadcast && f_.type(node->operands[0]).shape.rank() == 0) {
      known = b_.Broadcast(whole(node->operands[0]), PartShape(v), {});
    } else {
      known = b_.DynamicSlice(whole(v), PartStart(v), 0, PartShape(v).dim(0));
    }
    return known;
  }

  // A value of which a member has its part: whole again for those who read it whole. What updates alone read, as an
  // optimizer's slots, stays in parts.
  std::vector<Value> Results() {
    std::vector<Value> results(f_.results().size());
    for (int i = 0; i < static_cast<int>(results.size()); ++i) {
      const Value v = f_.results()[static_cast<size_t>(i)];
      Value& result = results[static_cast<size_t>(i)];
      if (i >= f_.num_outputs() && plan_.IsParted(BeforeOf(i).id)) {
        result = OwnPart(v);
      } else if (whole(v).valid() || !slice(v).valid()) {
        result = whole(v);
      } else {
        buckets_.AllGather(slice(v), [&result](Value x) { result = x; });
      }
    }
    buckets_.Flush();
    return results;
  }

  // Shards of which each member has a power of two are subtrees of the whole tree; of others it needs all leaves.
  bool AreSubtrees() const { return (own_ & (own_ - 1)) == 0; }

  struct Subtree {
    int64_t leaves = 0;
    Value x;
  };

  // Neighbours are combined as soon as both are there, while they are in cache: the same tree as all_reduce's.
  void Grow(Value v, Op op, int64_t s) {
    std::vector<Subtree>& trees = trees_[v.index()];
    trees.push_back({1, IsHalf(f_.type(v).dtype) ? b_.Cast(part(v, s), kFloat32) : part(v, s)});
    part(v, s) = Value();
    if (options_.members > 1 && !AreSubtrees()) return;
    while (trees.size() > 1 && trees.end()[-1].leaves == trees.end()[-2].leaves) MergeLast(op, &trees);
  }

  void MergeLast(Op op, std::vector<Subtree>* trees) {
    const Subtree last = trees->back();
    trees->pop_back();
    trees->back() = {trees->back().leaves + last.leaves, b_.Emit(op, {trees->back().x, last.x})};
  }

  // One that is left over goes up as it is.
  Value Finish(Op op, std::vector<Subtree> trees) {
    while (trees.size() > 1) MergeLast(op, &trees);
    return trees[0].x;
  }

  // Of the leaves of all members, one behind the other.
  Value TreeOfAll(Op op, const std::vector<Subtree>& own) {
    const Shape shape = b_.shape(own[0].x);
    ValueList rows;
    for (const Subtree& tree : own) rows.push_back(b_.Reshape(tree.x, {1, shape.size()}));
    const Value all = b_.Emit(Op::kAllGather, {Joined(rows)}, {{"size", options_.members}});
    std::vector<Subtree> trees;
    for (int64_t s = 0; s < options_.shards; ++s) {
      trees.push_back({1, b_.Reshape(b_.Slice(all, {s, 0}, {s + 1, shape.size()}, {1, 1}), shape)});
      while (trees.size() > 1 && trees.end()[-1].leaves == trees.end()[-2].leaves) MergeLast(op, &trees);
    }
    return Finish(op, std::move(trees));
  }

  // The parts of all shards as one value. Halves are added as f32.
  void Combine(const ir::Node& node, Op op) {
    const Value v = node.result();
    const std::vector<Subtree>& own = trees_[v.index()];
    const DType dtype = f_.type(v).dtype;
    const bool based = node.op == Op::kScatterAdd && !IsZero(f_, node.operands[0]);
    const auto set_whole = [=, this, &node](Value all) {
      all = b_.Cast(all, dtype);
      whole(v) = based ? b_.Add(whole(node.operands[0]), all) : all;
    };
    NoteLocation(node);
    if (options_.members == 1) {
      set_whole(Finish(op, own));
    } else if (!AreSubtrees()) {
      set_whole(TreeOfAll(op, own));
    } else if (op == Op::kAdd && plan_.of(v).part) {
      buckets_.ReduceScatter(Finish(op, own), [=, this, &node](Value x) {
        x = b_.Cast(x, dtype);
        slice(v) = based ? b_.Add(OwnPart(node.operands[0]), x) : x;
      });
    } else if (op == Op::kMin) {  // -max(-x)
      buckets_.AllReduce("max", b_.Neg(Finish(op, own)), [=, this](Value x) { set_whole(b_.Neg(x)); });
    } else {
      buckets_.AllReduce(op == Op::kAdd ? "sum" : "max", Finish(op, own), set_whole);
    }
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
  Buckets buckets_;
  Value rank_;
  std::vector<Value> whole_;  // by value of f_
  std::vector<Value> slices_;  // by value: the member's part of its elements
  std::vector<std::vector<Subtree>> trees_;  // by value: of its parts by shards
  std::vector<std::vector<Value>> parts_;  // by shard of the member
};

absl::Status CheckShards(const ir::Function& f, const ShardOptions& options) {
  const int64_t shards = options.shards, members = options.members;
  constexpr int64_t kMost = 4096;  // shards are written out
  if (shards < 1 || shards > kMost) {
    return absl::InvalidArgumentError(StrCat("data parallel: shards must be from 1 to ", kMost, ", got ", shards));
  }
  if (options.bucket_bytes < 1) {
    return absl::InvalidArgumentError(StrCat("data parallel: bucket_bytes must be at least 1, got ",
                                             options.bucket_bytes, "; the default is ", ShardOptions().bucket_bytes));
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

// The parts have the same bytes.
bool PartsAreAlike(const ir::Literal& whole, size_t part_bytes) {
  const auto bytes = whole.bytes();
  return std::equal(bytes.begin() + static_cast<std::ptrdiff_t>(part_bytes), bytes.end(), bytes.begin());
}

// What a part begins with, in memory of its own: who shares bytes keeps the whole alive.
ir::Literal FirstPart(const Type& part, const ir::Literal& whole, bool alike) {
  const auto size = static_cast<size_t>(part.bytes());
  const ir::Literal unset = ir::Literal::Scalar(part.dtype, std::numeric_limits<double>::quiet_NaN());
  std::vector<std::byte> bytes(size);
  for (size_t i = 0; i < size; ++i) bytes[i] = alike ? whole.bytes()[i] : unset.bytes()[i % unset.bytes().size()];
  return {part, std::move(bytes)};
}

// A variable of which the function has a part now gets its type.
PartedVariable MakeParted(const Type& part, ir::Variable* v) {
  PartedVariable out{v->name, v->type, std::get<ir::Literal>(v->initial)};
  out.begins_alike = PartsAreAlike(out.initial, static_cast<size_t>(part.bytes()));
  v->initial = FirstPart(part, out.initial, out.begins_alike);
  v->parts = v->type.shape.dim(0) / part.shape.dim(0);
  v->type = part;
  return out;
}

// Entry points but this one.
std::vector<const ir::Function*> OtherEntries(const ir::Module& m, std::string_view function) {
  std::vector<const ir::Function*> others = ir::EntryFunctions(m);
  std::erase_if(others, [&](const ir::Function* f) { return f->name() == function; });
  return others;
}

// By state of f: whether it must stay whole, since others read it, or a part of it could not begin as NaN.
std::vector<bool> StaysWhole(const ir::Module& m, const ir::Function& f) {
  HashSet<std::string_view> read;
  for (const ir::Function* other : ir::ReachedFunctions(m, OtherEntries(m, f.name()))) {
    for (const std::string& name : other->state()) read.insert(name);
  }
  std::vector<bool> out;
  for (const std::string& name : f.state()) {
    const ir::Variable& v = *m.FindVariable(name);
    const bool real = IsFloat(v.type.dtype) && std::holds_alternative<ir::Literal>(v.initial);
    out.push_back(!real || read.contains(name));
  }
  return out;
}

}  // namespace

absl::StatusOr<std::vector<PartedVariable>> Shard(ir::Module* m, std::string_view function,
                                                  const ShardOptions& options) {
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
  ShardPlan plan(inlined, options, StaysWhole(*m, inlined));
  if (absl::Status s = plan.Run(); !s.ok()) return s;
  auto written = ShardWriter(inlined, options, plan, m).Run();
  if (!written.ok()) return written.status();
  std::vector<PartedVariable> parts;
  for (int i = written->num_arguments(); i < written->num_parameters(); ++i) {
    const ir::Parameter& p = written->parameter(i);
    const auto variable = static_cast<size_t>(m->FindVariable(p.name) - m->variables().data());
    if (plan.IsParted(i)) parts.push_back(MakeParted(p.type, &m->mutable_variables()[variable]));
  }
  std::vector<const ir::Function*> entries = OtherEntries(*m, function);
  entries.push_back(&(*m->FindFunction(function) = *std::move(written)));
  ir::KeepReached(m, std::move(entries));
  return parts;
}

}  // namespace reel::passes
