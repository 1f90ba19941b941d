#include "codegen/plan/verify.h"

#include <algorithm>
#include <memory>
#include <utility>

#include "codegen/plan/view.h"
#include "ir/cost.h"
#include "ir/lazy.h"
#include "ir/strings.h"
#include "runtime/environment.h"

namespace reel::codegen {
namespace {

using ir::Node;
using ir::Op;
using ir::Value;

class PlanVerifier {
 public:
  PlanVerifier(const ir::Function& f, const PlanGraph& plan)
      : f_(f), in_(plan), writer_(plan.stored.size(), -1), seen_(plan.stored.size(), -1) {}

  absl::Status Run() {
    const auto n = static_cast<size_t>(f_.num_values());
    if (in_.materialized.size() != n || in_.views.size() != n || in_.kernel_of.size() != n || in_.stored.size() != n) {
      return absl::InternalError(StrCat("facts are known of ", in_.stored.size(), " of ", n, " values"));
    }
    for (size_t g = 0; g < in_.kernels.size(); ++g) FindWriters(static_cast<int>(g));
    for (size_t g = 0; g < in_.kernels.size(); ++g) CheckReads(static_cast<int>(g));
    for (Value v : f_.results()) {
      if (!f_.is_parameter(v)) CheckRead(BaseOf(v), static_cast<int>(in_.kernels.size()));
    }
    return error_;
  }

 private:
  Value BaseOf(Value v) const {
    const auto& view = in_.views[v.index()];
    return view ? view->base : v;
  }
  std::string Text(Value v) const {
    const Node* node = f_.producer(v);
    return StrCat("%", v.id, " (", node ? Name(node->op) : "a parameter", ")");
  }

  template <typename... Parts>
  void Fail(const Parts&... parts) {
    if (error_.ok()) error_ = absl::InternalError(StrCat(parts...));
  }

  void Write(Value v, int g) {
    if (writer_[v.index()] >= 0) Fail(Text(v), " is computed by kernels ", writer_[v.index()], " and ", g);
    if (in_.kernel_of[v.index()] != g) Fail("kernel ", g, " has ", Text(v), ", a value of ", in_.kernel_of[v.index()]);
    if (!in_.materialized[v.index()]) Fail("kernel ", g, " has ", Text(v), ", which is computed in place");
    writer_[v.index()] = g;
    if (const Value base = BaseOf(v); base != v) writer_[base.index()] = g;  // it is a part of that (StoreInBorders)
  }

  void FindWriters(int g) {
    const KernelPlan& from = in_.kernel(g);
    for (Value v : from.producer) Write(v, g);
    for (Value v : from.epilogue) Write(v, g);
    for (const auto& [root, to] : from.Partials()) Write(to, g);
    if (!from.root.valid() || from.LeavesRoot()) return;
    const int results = from.kind() == KernelKind::kControl ? f_.producer(from.root)->num_results : 1;
    for (int i = 0; i < results; ++i) Write({from.root.id + i}, g);
  }

  // As if a kernel with this number read memory of v.
  void CheckRead(Value v, int g) {
    const Node* node = f_.producer(v);
    if (node == nullptr || node->op == Op::kConstant) return;
    const int writer = writer_[v.index()];
    if (writer == g) return;
    if (writer < 0) return Fail("kernel ", g, " reads ", Text(v), ", which nothing computes");
    if (writer > g) return Fail("kernel ", g, " reads ", Text(v), " of kernel ", writer, ", which runs after it");
    if (!in_.stored[v.index()]) Fail("kernel ", g, " reads ", Text(v), ", which kernel ", writer, " does not store");
  }

  void CheckReads(int g) {
    const KernelPlan& from = in_.kernel(g);
    for (int d : from.inputs) {
      if (d < 0 || d >= g) Fail("kernel ", g, " waits for ", d, ", which runs after it");
    }
    for (Value v : from.producer) VisitExpression(v, g);
    for (Value v : from.epilogue) from.kind() == KernelKind::kRowWise ? Visit(v) : VisitExpression(v, g);
    for (const auto& [root, to] : from.Partials()) Visit(root);
    if (from.BeginsWith().valid()) {
      CheckRead(from.BeginsWith(), g);
    } else if (from.root.valid()) {
      Visit(from.kind() == KernelKind::kSort ? SortOf(f_, from).result() : from.root);
    }
    while (!stack_.empty()) {
      const Value v = stack_.back();
      stack_.pop_back();
      if (std::exchange(seen_[v.index()], g) == g) continue;
      if (in_.materialized[v.index()]) {
        CheckRead(v, g);
      } else if (in_.views[v.index()]) {
        CheckRead(BaseOf(v), g);
      } else if (!IsUniformConstant(f_, v)) {
        VisitExpression(v, g);
      }
    }
  }
  // v is no root of the kernel, and so is computed in place.
  void VisitExpression(Value v, int g) {
    const Node& node = *f_.producer(v);
    if (!ir::IsExpression(node.op) || (node.op == Op::kReshape && !IsIndexMap(node))) {
      Fail("kernel ", g, " computes ", Text(v), " in place");
    }
    Visit(v);
  }
  // Whether the reshape of what is no memory is one of its indices.
  bool IsIndexMap(const Node& reshape) const {
    const Value x = reshape.operands[0];
    const Shape& from = f_.type(x).shape;
    const auto& view = in_.views[x.index()];
    if (from.size() == 0 || IsSplit(from, f_.type(reshape.result()).shape)) return true;
    return view && ViewThrough(f_, reshape, *view);
  }
  // What is computed for v, a member or a part of one, reads its operands.
  void Visit(Value v) {
    const Node& node = *f_.producer(v);
    stack_.insert(stack_.end(), node.operands.begin(), node.operands.end());
  }

  const ir::Function& f_;
  const PlanGraph& in_;
  std::vector<int> writer_;  // by value: the kernel that computes it, -1
  std::vector<int> seen_;    // by value: the last kernel in which it was looked at
  std::vector<Value> stack_;
  absl::Status error_;
};

}  // namespace

absl::Status VerifyPlan(const ir::Function& function, const PlanGraph& plan) {
  return PlanVerifier(function, plan).Run();
}

PlanChecks& GetPlanChecks() {
  static constinit Lazy<PlanChecks> checks;
  return checks.Get(
      [] { return std::make_unique<PlanChecks>(PlanChecks{.strict = runtime::GetEnvironment().verify}); });
}

}  // namespace reel::codegen
