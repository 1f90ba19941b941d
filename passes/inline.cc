#include <memory>
#include <vector>

#include "ir/budget_scope.h"
#include "ir/calls.h"
#include "ir/hash_map.h"
#include "passes/pass.h"
#include "passes/rewrite.h"

namespace reel::passes {
namespace {

// Copies a function and, where a call stands, the callee's nodes: what is open is a stack, as deep as calls are nested.
class Inliner {
 public:
  Inliner(const ir::Function& f, const ir::Module& m, bool with_vjp, int64_t* left)
      : m_(m), with_vjp_(with_vjp), left_(*left), out_(f.name()) {
    Open(f, nullptr);
  }

  ir::Function Run() {
    CopySignature(open_[0]->from, &out_, &open_[0]->copier);
    while (true) {
      Body& body = *open_.back();
      if (body.done < body.from.nodes().size()) {
        Visit(body.from.nodes()[body.done++], &body);
      } else if (open_.size() > 1) {
        Close();
      } else {
        CopyResults(body.from, &out_, body.copier);
        return std::move(out_);
      }
    }
  }

 private:
  struct Body {
    const ir::Function& from;
    const ir::Node* call;  // that it stands for
    Copier copier;
    size_t done = 0;  // nodes
  };

  void Open(const ir::Function& f, const ir::Node* call) {
    open_.push_back(std::make_unique<Body>(Body{f, call, Copier(f, &out_)}));
  }

  void Close() {
    const Body& body = *open_.back();
    Copier& outer = open_[open_.size() - 2]->copier;
    for (int i = 0; i < body.call->num_results; ++i) {
      outer.Map(body.call->result(i), body.copier(body.from.results()[static_cast<size_t>(i)]));
    }
    open_.pop_back();
  }

  void Visit(const ir::Node& node, Body* body) {
    const bool call = node.op == ir::Op::kCall && (with_vjp_ || !node.attrs().Find("vjp"));
    const ir::Function* callee = call ? m_.FindFunction(node.attr<std::string>("callee")) : nullptr;
    const auto size = callee ? 1 + static_cast<int64_t>(callee->nodes().size()) : 0;
    if (!callee || size > left_) return body->copier.CopyNode(node);
    left_ -= size;
    ir::ChargeVisits(node.operands.size() + static_cast<size_t>(callee->num_values()));
    Open(*callee, &node);
    for (int i = 0; i < callee->num_parameters(); ++i) {
      open_.back()->copier.Map({i}, body->copier(node.operands[static_cast<size_t>(i)]));
    }
  }

  const ir::Module& m_;
  const bool with_vjp_;
  int64_t& left_;
  ir::Function out_;
  std::vector<std::unique_ptr<Body>> open_;
};

bool HasCall(const ir::Function& f, bool with_vjp) {
  ir::ChargeVisits(f.nodes().size());
  for (const ir::Node& node : f.nodes()) {
    if (node.op == ir::Op::kCall && (with_vjp || !node.attrs().Find("vjp"))) return true;
  }
  return false;
}

// Names of the functions that stay when calls are gone: entry points, and what loops, branches and vjps name.
HashSet<std::string> Kept(const ir::Module& m, const PassContext& context) {
  HashSet<std::string> kept(context.entry_points.begin(), context.entry_points.end());
  for (const ir::Function* init : ir::InitFunctions(m)) kept.insert(init->name());
  for (const auto& f : m.functions()) {
    ir::ChargeVisits(f->nodes().size());
    for (const ir::Node& node : f->nodes()) {
      if (node.op == ir::Op::kCall && context.differentiation_done) continue;
      for (std::string_view name : ir::CalledFunctions(node)) {
        if (node.op != ir::Op::kCall || node.attrs().Find("vjp")) kept.insert(std::string(name));
      }
    }
  }
  return kept;
}

}  // namespace

ir::Function WithoutCalls(const ir::Function& f, const ir::Module& m, bool with_vjp, int64_t* left) {
  return Inliner(f, m, with_vjp, left).Run();
}

absl::StatusOr<bool> Inline(ir::Module* m, const PassContext& context) {
  bool changed = false;
  int64_t left = context.inline_limit_nodes;
  const bool with_vjp = context.differentiation_done, all = context.entry_points.empty();
  const auto kept = all ? HashSet<std::string>() : Kept(*m, context);
  for (const std::string& name : ir::CalleesFirst(*m)) {
    const ir::Function& f = *m->FindFunction(name);
    if ((!all && !kept.contains(name)) || !HasCall(f, with_vjp)) continue;
    const int64_t before = left;
    ir::Function flat = WithoutCalls(f, *m, with_vjp, &left);
    if (left == before) continue;
    *m->FindFunction(name) = std::move(flat);
    changed = true;
  }
  return changed;
}

}  // namespace reel::passes
