#include "codegen/schedule/rows_passes.h"

#include <algorithm>
#include <set>

#include "codegen/plan/view.h"

namespace reel::codegen {
namespace {

using ir::Value;

// Pass after which a member's value may be read: a reduction's is complete after its own.
int Available(const RowMember& m) { return m.pass + (m.reduces ? 1 : 0); }

}  // namespace

RowPasses::RowPasses(const ScheduleContext& context) : c(context), plan(*context.kernel_plan().As<RowWiseKernel>()) {
  FindMembers();
  FindPasses();
}

bool RowPasses::IsPerElement(Value v) const { return WithoutOnes(c.f.type(v).shape).size() > plan.extents.size(); }

std::vector<size_t> RowPasses::Reads(Value v) const {
  std::vector<size_t> reads;
  for (Value leaf : LeavesOf(c.f, c.plan, v)) {
    if (const auto it = member_of_.find(leaf.id); it != member_of_.end()) reads.push_back(it->second);
  }
  return reads;
}

void RowPasses::FindMembers() {
  const auto first_pass = [this](const std::vector<size_t>& reads) {
    int pass = 0;
    for (size_t r : reads) pass = std::max(pass, Available(members[r]));
    return pass;
  };
  for (Value v : c.kernel_plan().epilogue) {
    RowMember m{v, IsPerElement(v), false, Reads(v)};
    m.reduces = !m.per_element && ir::Info(c.f.producer(v)->op).Has(ir::kReduction);
    m.pass = first_pass(m.reads);
    member_of_[v.id] = members.size();
    members.push_back(std::move(m));
  }
  for (const auto& [root, to] : plan.reductions) {
    columns.push_back({root, to, Reads(root)});
    columns.back().pass = first_pass(columns.back().reads);
  }
}

// What nobody needs early is computed where it is first read.
void RowPasses::FindPasses() {
  std::vector<int> first_use(members.size(), -1);
  const auto use = [&](size_t r, int pass) {
    first_use[r] = first_use[r] < 0 ? pass : std::min(first_use[r], pass);
    members[r].last_use = std::max(members[r].last_use, pass);
  };
  for (const RowColumn& column : columns) {
    for (size_t r : column.reads) use(r, column.pass);
    last = std::max(last, column.pass);
  }
  for (size_t i = members.size(); i-- > 0;) {
    RowMember& m = members[i];
    if (m.per_element && first_use[i] > m.pass) m.pass = first_use[i];
    for (size_t r : m.reads) use(r, m.pass);
    if (m.per_element || m.reduces) last = std::max(last, m.pass);
  }
}

std::vector<Value> RowPasses::ResultsOf(int pass) const {
  std::vector<Value> results;
  const auto add_operand = [&](Value root) { results.push_back(c.f.producer(root)->operands[0]); };
  for (const RowMember& m : members) {
    if (m.pass == pass && m.reduces) add_operand(m.v);
  }
  for (const RowColumn& column : columns) {
    if (column.pass == pass) add_operand(column.root);
  }
  for (const RowMember& m : members) {
    if (m.pass == pass && m.per_element) results.push_back(m.v);
  }
  return results;
}

std::vector<Value> RowPasses::ComputedFor(std::vector<Value> open, int pass) const {
  std::vector<Value> out;
  std::set<int32_t> seen;
  while (!open.empty()) {
    const Value v = open.back();
    open.pop_back();
    const auto member = member_of_.find(v.id);
    const RowMember* m = member == member_of_.end() ? nullptr : &members[member->second];
    const bool known = m != nullptr && (m->pass != pass || m->reduces);
    const bool loaded = c.plan.kernel_of[v.index()] != c.kernel_index && c.plan.views[v.index()].has_value();
    const ir::Node* node = c.f.producer(v);
    if (known || loaded || node == nullptr || !seen.insert(v.id).second) continue;
    open.insert(open.end(), node->operands.begin(), node->operands.end());
    if (IsPerElement(v) && Info(node->op).Has(ir::kElementwise)) out.push_back(v);
  }
  return out;
}

std::vector<int64_t> RowPasses::Cuts() const {
  std::vector<int64_t> bounds{0};
  if (last == 0 && c.options.vectorize) {
    Kernel scratch;
    ExprBuilder builder(c.f, c.plan, c.kernel_index, &scratch);
    Index row;
    for (size_t i = 0; i < plan.extents.size(); ++i) row.push_back(AxisAffine(scratch.AddAxis("i")));
    const AxisId inner = scratch.AddAxis("e");
    builder.SetExtent(inner, plan.width);
    builder.SetRow(row, AxisAffine(inner));
    for (const RowMember& m : members) builder.Build(m.v, {});
    for (const RowColumn& column : columns) {
      const Value x = c.f.producer(column.root)->operands[0];
      builder.Build(x, builder.RowIndex(x));
    }
    const auto it = builder.cuts().find(inner);
    if (it != builder.cuts().end()) bounds.insert(bounds.end(), it->second.begin(), it->second.end());
  }
  bounds.push_back(plan.width);
  for (size_t p = 1; p < bounds.size(); ++p) {
    if (bounds[p] - bounds[p - 1] < c.target.tuning.min_part) return {0, plan.width};
  }
  return static_cast<int64_t>(bounds.size()) > kMaxUnrolled ? std::vector<int64_t>{0, plan.width} : bounds;
}

}  // namespace reel::codegen
