#include "ir/calls.h"
#include "ir/hash_map.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace reel::passes {
namespace {

// Function names, callees before their callers, by an explicit depth-first walk.
std::vector<std::string> CalleesFirst(const ir::Module& m) {
  struct Frame {
    const ir::Function* function;
    size_t node = 0;
  };
  std::vector<std::string> order;
  HashSet<std::string> seen;
  for (const auto& root : m.functions()) {
    if (!seen.insert(root->name()).second) continue;
    std::vector<Frame> stack{{root.get()}};
    while (!stack.empty()) {
      Frame& frame = stack.back();
      if (frame.node == frame.function->nodes().size()) {
        order.push_back(frame.function->name());
        stack.pop_back();
        continue;
      }
      const ir::Node& node = frame.function->nodes()[frame.node++];
      for (std::string_view name : ir::CalledFunctions(node)) {
        if (seen.insert(std::string(name)).second) stack.push_back({m.FindFunction(name)});
      }
    }
  }
  return order;
}

// Copies the callee's nodes in the place of a call.
void Paste(const ir::Function& callee, const ir::Node& call, Copier* outer, ir::Function* out) {
  Copier inner(callee, out);
  for (int i = 0; i < callee.num_parameters(); ++i) {
    inner.Map({i}, (*outer)(call.operands[static_cast<size_t>(i)]));
  }
  inner.CopyNodes();
  for (int i = 0; i < call.num_results; ++i) {
    outer->Map(call.result(i), inner(callee.results()[static_cast<size_t>(i)]));
  }
}

}  // namespace

absl::StatusOr<bool> Inline(ir::Module* m, const PassContext& context) {
  bool changed = false;
  int64_t left = context.inline_limit_nodes;
  for (const std::string& name : CalleesFirst(*m)) {
    const auto visit = [&](const ir::Node& node, Copier& copier, ir::Builder& b) {
      if (node.op != ir::Op::kCall) return false;
      if (!context.differentiation_done && node.attrs().Find("vjp")) return false;
      const ir::Function& callee = *m->FindFunction(node.attr<std::string>("callee"));
      const auto size = static_cast<int64_t>(callee.nodes().size());
      if (size > left) return false;
      left -= size;
      Paste(callee, node, &copier, b.function());
      return true;
    };
    const auto rewritten = Rewrite(m->FindFunction(name), m, visit);
    if (!rewritten.ok()) return rewritten;
    changed = changed || *rewritten;
  }
  return changed;
}

}  // namespace reel::passes
