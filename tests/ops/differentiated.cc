#include "tests/ops/differentiated.h"

#include "ir/strings.h"
#include "ir/verifier.h"
#include "passes/gradient/gradient.h"

namespace reel::optable {

using ir::Value;

Differentiated::Differentiated(const OpCase& c) : module_(c.module), function_("checked") {
  const ir::Function& main = c.main();
  for (int n = 0; n < main.num_parameters(); ++n) {
    const Value x = function_.AddParameter(StrCat("x", n), main.parameter(n).type);
    if (IsDifferentiable(main.parameter(n).type.dtype)) xs_.push_back(x);
  }
  for (size_t n = 0; n < main.results().size(); ++n) {
    u_.push_back(function_.AddParameter(StrCat("u", n), main.type(main.results()[n])));
  }
  for (size_t n = 0; n < xs_.size(); ++n) {
    v_.push_back(function_.AddParameter(StrCat("v", n), function_.type(xs_[n])));
  }
  const int parameters = main.num_parameters(), added = function_.num_parameters() - parameters;
  const auto renumber = [&](Value v) { return v.id < parameters ? v : Value{v.id + added}; };
  for (const ir::Node& node : main.nodes()) {
    ir::ValueList operands;
    for (Value v : node.operands) operands.push_back(renumber(v));
    ir::TypeList types;
    for (int n = 0; n < node.num_results; ++n) types.push_back(main.type(node.result(n)));
    function_.AddNode(node.op, operands, node.attributes, types);
  }
  for (Value v : main.results()) ys_.push_back(renumber(v));
}

absl::Status Differentiated::Build() {
  const auto first = passes::Gradients(&function_, &module_, ys_, xs_, {.grad_ys = u_, .zero_unconnected = true});
  if (!first.ok()) return first.status();
  auto tangents = passes::Jvp(&function_, &module_, ys_, xs_, v_);
  if (!tangents.ok()) return tangents.status();
  auto forward = passes::Jvp(&function_, &module_, *first, xs_, v_);
  if (!forward.ok()) return forward.status();
  // The gradient of <g, v> is H v, for H is symmetric.
  const auto reverse = passes::Gradients(&function_, &module_, *first, xs_, {.grad_ys = v_, .zero_unconnected = true});
  if (!reverse.ok()) return reverse.status();
  ir::Builder b(&function_, &module_);
  const auto zeros_for_none = [&](std::vector<Value>* values, const std::vector<Value>& like) {
    for (size_t n = 0; n < values->size(); ++n) {
      if (!(*values)[n].valid()) (*values)[n] = b.Zeros(Type(function_.type(like[n])));
    }
  };
  zeros_for_none(&*tangents, ys_);
  zeros_for_none(&*forward, xs_);
  if (!b.status().ok()) return b.status();
  std::vector<Value> results;
  for (const std::vector<Value>& part : {ys_, *first, *tangents, *reverse, *forward}) {
    results.insert(results.end(), part.begin(), part.end());
  }
  function_.SetResults(std::move(results));
  module_.AddFunction(std::move(function_));
  return ir::Verify(module_);
}

absl::StatusOr<std::vector<ir::EvalTensor>> Differentiated::Evaluate(
    const std::vector<ir::EvalTensor>& parameters) const {
  return ir::Evaluate(module_, *module_.FindFunction("checked"), parameters);
}

std::vector<ir::Literal> Differentiated::Parameters(const OpCase& c, Rng& rng) const {
  std::vector<ir::Literal> out = c.inputs;
  const ir::Function& f = *module_.FindFunction("checked");
  for (int n = static_cast<int>(out.size()); n < f.num_parameters(); ++n) {
    out.push_back(Sample(f.parameter(n).type, Domain{-1, 1}, rng));
  }
  return out;
}

}  // namespace reel::optable
