#include "passes/shard/plan.h"

#include <algorithm>

#include "ir/budget_scope.h"
#include "ir/strings.h"

namespace reel::passes {
namespace {

using ir::Op;
using ir::Value;

// Updates of less are computed by every member: a message costs more.
constexpr int64_t kLeastPart = 256;  // elements

/// An op that looks for single rows may have those of all members: what comes of them is small, as the rows of a table
/// that a batch has looked up. Anything else would be a whole model, computed by every member.
bool MayGather(Op op) {
  const bool finds = op == Op::kArgsort || op == Op::kGather || op == Op::kDynamicSlice || op == Op::kSlice;
  return finds || ir::Info(op).Has(ir::kScatter);
}

}  // namespace

absl::Status ShardPlan::Run() {
  for (int i = 0; i < f_.num_arguments(); ++i) {
    if (IsSplit(i)) at({i}).rows = 0;
  }
  if (absl::Status s = FindRows(); !s.ok()) return s;
  if (absl::Status s = CheckState(); !s.ok()) return s;
  for (Value v : f_.results()) Want(v, kWhole);
  for (size_t n = nodes_.size(); n-- > 0;) WantOperands(n);
  if (options_.shard_optimizer && options_.members > 1) FindParts();
  for (size_t n = 0; n < nodes_.size(); ++n) SetLevel(n);
  return absl::OkStatus();
}

bool ShardPlan::IsRead(const ir::Node& node) const {
  for (int i = 0; i < node.num_results; ++i) {
    if (of(node.result(i)).whole || of(node.result(i)).wanted != kWhole) return true;
  }
  return false;
}

absl::Status ShardPlan::FindRows() {
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

absl::Status ShardPlan::CheckState() const {
  for (int i = f_.num_outputs(); i < static_cast<int>(f_.results().size()); ++i) {
    if (of(f_.results()[static_cast<size_t>(i)]).rows == kWhole) continue;
    return absl::UnimplementedError(StrCat("data parallel: variable '",
                                           f_.state()[static_cast<size_t>(i - f_.num_outputs())],
                                           "' would keep a row per example, which no member has all of"));
  }
  return absl::OkStatus();
}

// Somebody reads all of v, or its rows along an axis.
void ShardPlan::Want(Value v, int axis) {
  ValuePlan& plan = at(v);
  if (axis != kWhole && (plan.wanted == kWhole || plan.wanted == axis)) {
    plan.wanted = axis;
  } else {
    plan.whole = true;
  }
}

void ShardPlan::WantAll(const ir::Node& node, const Split& split) {
  for (size_t i = 0; i < node.operands.size(); ++i) Want(node.operands[i], split.operands[i]);
}

// Readers have said what they want of the node.
void ShardPlan::WantOperands(size_t n) {
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

// Members have equal parts of it along axis 0.
bool ShardPlan::HasParts(ir::Value v) const {
  const Shape& shape = f_.type(v).shape;
  return shape.rank() > 0 && shape.size() >= kLeastPart && shape.dim(0) % options_.members == 0;
}

// Any op that does the same to each element, whose order is that of memory.
bool ShardPlan::CanBePart(size_t n) const {
  const ir::Node& node = f_.nodes()[n];
  const ValuePlan& value = of(node.result());
  const bool elementwise = ir::Info(node.op).Has(ir::kElementwise) && !ir::IsCheck(node.op);
  const bool one = nodes_[n].whole && !nodes_[n].split && node.num_results == 1 && value.part;
  return one && HasParts(node.result()) && (elementwise || node.op == Op::kReshape);
}

// From the new values of variables back, as far as all is done to single elements.
void ShardPlan::FindParts() {
  for (ValuePlan& value : values_) value.part = true;
  for (int i = f_.num_arguments(); i < f_.num_parameters(); ++i) {
    at({i}).part = HasParts({i}) && !others_[static_cast<size_t>(i - f_.num_arguments())];
  }
  for (size_t i = 0; i < f_.results().size(); ++i) {
    const Value v = f_.results()[i];
    const bool state = static_cast<int>(i) >= f_.num_outputs();
    if (!state || !HasParts(v)) at(v).part = false;
    if (f_.is_parameter(v) && v.id != static_cast<int>(i) - f_.num_outputs() + f_.num_arguments()) at(v).part = false;
  }
  for (size_t n = nodes_.size(); n-- > 0;) {
    const ir::Node& node = f_.nodes()[n];
    if (!IsRead(node)) continue;
    nodes_[n].part = CanBePart(n);
    for (Value v : node.operands) {
      if (!nodes_[n].part || !HasParts(v)) at(v).part = false;
    }
  }
}

// Of the values as the node reads them.
int ShardPlan::LevelOf(Value v, int axis) const {
  if (f_.is_parameter(v)) return axis == kWhole && of(v).rows != kWhole;
  const NodePlan& plan = nodes_[static_cast<size_t>(f_.producer_index(v))];
  const bool by_shards = axis != kWhole && plan.split && !plan.split->combine && of(v).wanted == axis;
  return by_shards ? plan.level : plan.whole_level;
}

void ShardPlan::SetLevel(size_t n) {
  const ir::Node& node = f_.nodes()[n];
  NodePlan& plan = nodes_[n];
  for (size_t i = 0; i < node.operands.size(); ++i) {
    if (plan.split) plan.level = std::max(plan.level, LevelOf(node.operands[i], plan.split->operands[i]));
    if (plan.whole) plan.whole_level = std::max(plan.whole_level, LevelOf(node.operands[i], kWhole));
  }
  if (plan.split && !plan.whole) plan.whole_level = plan.level + 1;
  levels_ = std::max({levels_, plan.level + 1, plan.whole_level + 1});
}

}  // namespace reel::passes
