#include "passes/gradient/flow.h"

#include <algorithm>

#include "passes/gradient/gradient.h"

namespace reel::passes {
namespace {

// Keeps the bits of values that can carry gradients.
void KeepDifferentiable(const ir::Function& f, absl::Span<const ir::Value> values, Mask* mask) {
  for (size_t i = 0; i < values.size(); ++i) {
    if (!IsDifferentiable(f.type(values[i]).dtype)) (*mask)[i] = false;
  }
}

std::vector<ir::Value> Results(const ir::Node& node) {
  std::vector<ir::Value> out;
  for (int i = 0; i < node.num_results; ++i) out.push_back(node.result(i));
  return out;
}

bool Merge(const Mask& from, Mask* into) {
  bool changed = false;
  for (size_t i = 0; i < from.size(); ++i) {
    if (!from[i] || (*into)[i]) continue;
    (*into)[i] = true;
    changed = true;
  }
  return changed;
}

}  // namespace

bool Any(const Mask& mask) { return std::find(mask.begin(), mask.end(), true) != mask.end(); }

const ir::Function* Flow::Callee(const ir::Node& node, std::string_view attribute) const {
  return module_->FindFunction(node.attr<std::string>(attribute));
}

const Mask* Flow::Find(const Question& question) {
  const auto it = answers_.find(question);
  if (it != answers_.end()) return &it->second;
  missing_ = question;
  return nullptr;
}

bool Flow::TryLoop(const ir::Node& node, bool forward, Mask* mask) {
  for (bool changed = true; changed;) {
    const Mask* next = Find({Callee(node, "body"), forward, *mask});
    if (!next) return false;
    changed = Merge(*next, mask);
  }
  return true;
}

bool Flow::TryNode(const ir::Function& f, const ir::Node& node, bool forward, const Mask& in,
                   Mask* out) {
  const auto results = Results(node);
  const absl::Span<const ir::Value> to = forward ? absl::MakeConstSpan(results) : node.operands;
  out->assign(to.size(), false);
  if (!Any(in) || !HasGradient(node.op)) return true;
  if (node.op == ir::Op::kWhile) {
    *out = in;
    return TryLoop(node, forward, out);
  }
  if (node.op == ir::Op::kIf) {  // operand 0 is the condition
    const Mask inner = forward ? Mask(in.begin() + 1, in.end()) : in;
    for (std::string_view branch : {"then", "else"}) {
      const Mask* one = Find({Callee(node, branch), forward, inner});
      if (!one) return false;
      Mask widened = *one;
      if (!forward) widened.insert(widened.begin(), false);
      Merge(widened, out);
    }
    return true;
  }
  if (node.op == ir::Op::kCall && !node.attrs().Find("vjp")) {
    const Mask* answer = Find({Callee(node, "callee"), forward, in});
    if (!answer) return false;
    *out = *answer;
    return true;
  }
  out->assign(to.size(), true);
  KeepDifferentiable(f, to, out);
  return true;
}

bool Flow::Advance(Work* work) {
  const ir::Function& f = *work->question.function;
  const bool forward = work->question.forward;
  for (; work->done < f.nodes().size(); ++work->done) {
    const ir::Node& node = f.nodes()[forward ? work->done : f.nodes().size() - 1 - work->done];
    const auto results = Results(node);
    const absl::Span<const ir::Value> operands = node.operands;
    const absl::Span<const ir::Value> from = forward ? operands : absl::MakeConstSpan(results);
    const absl::Span<const ir::Value> to = forward ? absl::MakeConstSpan(results) : operands;
    Mask in(from.size()), out;
    for (size_t i = 0; i < from.size(); ++i) in[i] = work->reached[static_cast<size_t>(from[i].id)];
    if (!TryNode(f, node, forward, in, &out)) return false;
    for (size_t i = 0; i < to.size(); ++i) {
      if (out[i]) work->reached[static_cast<size_t>(to[i].id)] = true;
    }
  }
  return true;
}

void Flow::Answer(Question question) {
  std::vector<Work> stack;
  const auto push = [&stack](Question q) {
    const ir::Function& f = *q.function;
    Mask reached(static_cast<size_t>(f.num_values()));
    for (size_t i = 0; i < q.mask.size(); ++i) {
      const ir::Value v = q.forward ? ir::Value{static_cast<int32_t>(i)} : f.results()[i];
      if (q.mask[i] && IsDifferentiable(f.type(v).dtype)) reached[static_cast<size_t>(v.id)] = true;
    }
    stack.push_back({std::move(q), std::move(reached)});
  };
  push(std::move(question));
  while (!stack.empty()) {
    if (!Advance(&stack.back())) {
      push(missing_);
      continue;
    }
    Work work = std::move(stack.back());
    stack.pop_back();
    const ir::Function& f = *work.question.function;
    Mask answer;
    if (work.question.forward) {
      for (ir::Value v : f.results()) answer.push_back(work.reached[static_cast<size_t>(v.id)]);
    } else {
      answer.assign(work.reached.begin(), work.reached.begin() + f.num_parameters());
    }
    answers_.emplace(std::move(work.question), std::move(answer));
  }
}

Mask Flow::Forward(const ir::Function& f, const ir::Node& node, const Mask& active) {
  Mask out;
  while (!TryNode(f, node, true, active, &out)) Answer(missing_);
  return out;
}

Mask Flow::Backward(const ir::Function& f, const ir::Node& node, const Mask& wanted) {
  Mask out;
  while (!TryNode(f, node, false, wanted, &out)) Answer(missing_);
  return out;
}

Mask Flow::LoopForward(const ir::Node& node, Mask seed) {
  while (!TryLoop(node, true, &seed)) Answer(missing_);
  return seed;
}

Mask Flow::LoopBackward(const ir::Node& node, Mask seed) {
  while (!TryLoop(node, false, &seed)) Answer(missing_);
  return seed;
}

}  // namespace reel::passes
