#include "passes/gradient/flow.h"

#include <algorithm>

#include "ir/budget_scope.h"
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

void Merge(const Mask& from, Mask* into) {
  for (size_t i = 0; i < from.size(); ++i) {
    if (from[i]) (*into)[i] = true;
  }
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

bool Flow::TryNode(const ir::Function& f, const ir::Node& node, bool forward, const Mask& in, Mask* out) {
  const auto results = Results(node);
  const absl::Span<const ir::Value> to = forward ? absl::MakeConstSpan(results) : node.operands;
  out->assign(to.size(), false);
  if (!Any(in) || !HasGradient(node.op)) return true;
  if (node.op == ir::Op::kWhile) {
    const Mask* answer = Find({Callee(node, "body"), forward, true, in});
    if (!answer) return false;
    *out = *answer;
    return true;
  }
  if (node.op == ir::Op::kIf) {  // operand 0 is the condition
    const Mask inner = forward ? Mask(in.begin() + 1, in.end()) : in;
    for (std::string_view branch : {"then", "else"}) {
      const Mask* one = Find({Callee(node, branch), forward, false, inner});
      if (!one) return false;
      Mask widened = *one;
      if (!forward) widened.insert(widened.begin(), false);
      Merge(widened, out);
    }
    return true;
  }
  if (node.op == ir::Op::kCall && !node.attrs().Find("vjp")) {
    const Mask* answer = Find({Callee(node, "callee"), forward, false, in});
    if (!answer) return false;
    *out = *answer;
    return true;
  }
  out->assign(to.size(), true);
  KeepDifferentiable(f, to, out);
  return true;
}

const Flow::Uses& Flow::UsesOf(const ir::Function& f) {
  std::unique_ptr<Uses>& slot = uses_[&f];
  if (slot) return *slot;
  slot = std::make_unique<Uses>();
  const auto count = static_cast<size_t>(f.num_values());
  ir::ChargeVisits(f.nodes().size() + count);
  // Lists by value, one after the other: first where they end, then filled from there downwards.
  const auto fill = [count](auto each, std::vector<int32_t>* first, std::vector<int32_t>* list) {
    first->assign(count + 1, 0);
    each([&](ir::Value v, int32_t) { ++(*first)[static_cast<size_t>(v.id)]; });
    for (size_t i = 1; i <= count; ++i) (*first)[i] += (*first)[i - 1];
    list->resize(static_cast<size_t>(first->back()));
    each([&](ir::Value v, int32_t n) { (*list)[static_cast<size_t>(--(*first)[static_cast<size_t>(v.id)])] = n; });
  };
  const auto each_operand = [&f](auto visit) {
    for (size_t n = 0; n < f.nodes().size(); ++n) {
      for (ir::Value v : f.nodes()[n].operands) visit(v, static_cast<int32_t>(n));
    }
  };
  const auto each_result = [&f](auto visit) {
    for (size_t i = 0; i < f.results().size(); ++i) visit(f.results()[i], static_cast<int32_t>(i));
  };
  fill(each_operand, &slot->first_node, &slot->nodes);
  fill(each_result, &slot->first_result, &slot->results);
  return *slot;
}

// Notes that a value is reached, what it is in the next iteration included, and queues the nodes that pass it on.
void Flow::Reach(Work* work, ir::Value v) {
  const ir::Function& f = *work->question.function;
  const bool forward = work->question.forward;
  const auto push = [&](int32_t node) {
    if (work->queued[static_cast<size_t>(node)]) return;
    work->queued[static_cast<size_t>(node)] = true;
    work->queue.push_back(forward ? -node : node);
    std::push_heap(work->queue.begin(), work->queue.end());
  };
  std::vector<ir::Value> open{v};
  while (!open.empty()) {
    const ir::Value next = open.back();
    const auto i = static_cast<size_t>(next.id);
    open.pop_back();
    if (work->reached[i]) continue;
    work->reached[i] = true;
    if (forward) {
      const Uses& uses = *work->uses;
      for (int32_t k = uses.first_node[i]; k < uses.first_node[i + 1]; ++k) push(uses.nodes[static_cast<size_t>(k)]);
      for (int32_t k = uses.first_result[i]; work->question.loop && k < uses.first_result[i + 1]; ++k) {
        open.push_back({uses.results[static_cast<size_t>(k)]});
      }
    } else if (!f.is_parameter(next)) {
      push(f.producer_index(next));
    } else if (work->question.loop) {
      open.push_back(f.results()[i]);
    }
  }
}

bool Flow::Advance(Work* work) {
  const ir::Function& f = *work->question.function;
  const bool forward = work->question.forward;
  while (!work->queue.empty()) {
    const int32_t index = forward ? -work->queue.front() : work->queue.front();
    const ir::Node& node = f.nodes()[static_cast<size_t>(index)];
    const auto results = Results(node);
    const absl::Span<const ir::Value> operands = node.operands;
    const absl::Span<const ir::Value> from = forward ? operands : absl::MakeConstSpan(results);
    const absl::Span<const ir::Value> to = forward ? absl::MakeConstSpan(results) : operands;
    ir::ChargeVisits(1 + from.size() + to.size());
    Mask in(from.size()), out;
    for (size_t i = 0; i < from.size(); ++i) in[i] = work->reached[static_cast<size_t>(from[i].id)];
    if (!TryNode(f, node, forward, in, &out)) return false;
    std::pop_heap(work->queue.begin(), work->queue.end());
    work->queue.pop_back();
    work->queued[static_cast<size_t>(index)] = false;
    for (size_t i = 0; i < to.size(); ++i) {
      if (out[i]) Reach(work, to[i]);
    }
  }
  return true;
}

Flow::Work Flow::Begin(Question question) {
  const ir::Function& f = *question.function;
  const auto count = static_cast<size_t>(f.num_values());
  ir::ChargeVisits(count);
  Work work{std::move(question), &UsesOf(f), Mask(count), Mask(f.nodes().size()), {}};
  for (size_t i = 0; i < work.question.mask.size(); ++i) {
    const ir::Value v = work.question.forward ? ir::Value{static_cast<int32_t>(i)} : f.results()[i];
    if (work.question.mask[i] && IsDifferentiable(f.type(v).dtype)) Reach(&work, v);
  }
  return work;
}

void Flow::Answer(Question question) {
  std::vector<Work> stack;
  stack.push_back(Begin(std::move(question)));
  while (!stack.empty()) {
    if (!Advance(&stack.back())) {
      stack.push_back(Begin(missing_));
      continue;
    }
    Work work = std::move(stack.back());
    stack.pop_back();
    const ir::Function& f = *work.question.function;
    Mask answer;
    if (work.question.forward && !work.question.loop) {
      for (ir::Value v : f.results()) answer.push_back(work.reached[static_cast<size_t>(v.id)]);
    } else {
      answer.assign(work.reached.begin(), work.reached.begin() + f.num_parameters());
    }
    if (work.question.loop) Merge(work.question.mask, &answer);
    answers_.emplace(std::move(work.question), std::move(answer));
  }
}

const Mask& Flow::Ask(const Question& question) {
  const Mask* answer = Find(question);
  if (!answer) Answer(question);
  return answer ? *answer : *Find(question);
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

Mask Flow::LoopForward(const ir::Node& node, const Mask& seed) { return Ask({Callee(node, "body"), true, true, seed}); }

Mask Flow::LoopBackward(const ir::Node& node, const Mask& seed) {
  return Ask({Callee(node, "body"), false, true, seed});
}

}  // namespace reel::passes
