#include <optional>

#include "ir/eval/eval.h"
#include "passes/pass.h"
#include "passes/rewrite.h"
#include "passes/splat.h"

namespace reel::passes {
namespace {

using ir::Op;

// The result of an exact op on literals; nothing if it cannot be computed.
std::optional<ir::Literal> Compute(const ir::Node& node, const std::vector<ir::Literal>& literals) {
  std::vector<ir::EvalTensor> operands;
  for (const ir::Literal& literal : literals) {
    auto tensor = ir::FromLiteral(literal);
    if (!tensor.ok()) return std::nullopt;
    operands.push_back(*std::move(tensor));
  }
  ir::EvalOptions options;
  options.round_each_op = true;
  const auto results = ir::EvaluateNode(node.op, node.attrs(), operands, options);
  if (!results.ok()) return std::nullopt;
  return ir::ToLiteral((*results)[0]);
}

// All operands are small constants and so is the result. A broadcast stays: it is the short form.
std::optional<ir::Literal> FoldConstants(const ir::Node& node, const ir::Function& out, const ir::ValueList& operands,
                                         const Type& type, int64_t limit) {
  if (node.op == Op::kBroadcast || !type.shape.is_constant() || type.bytes() > limit) {
    return std::nullopt;
  }
  std::vector<ir::Literal> literals;
  for (ir::Value v : operands) {
    if (!out.Is(v, Op::kConstant)) return std::nullopt;
    literals.push_back(out.producer(v)->attr<ir::Literal>("value"));
    if (literals.back().type().bytes() > limit) return std::nullopt;
  }
  return Compute(node, literals);
}

// An elementwise op on operands that are one number each gives one number: computed once.
std::optional<ir::Literal> FoldSplats(const ir::Node& node, const ir::Function& out, const ir::ValueList& operands) {
  if (!ir::Info(node.op).Has(ir::kElementwise)) return std::nullopt;
  std::vector<ir::Literal> literals;
  for (ir::Value v : operands) {
    auto splat = SplatOf(out, v);
    if (!splat) return std::nullopt;
    literals.push_back(*std::move(splat));
  }
  return Compute(node, literals);
}

// A sum of n equal integers is n of them: integers wrap. How many elements symbolic extents were is such a sum.
std::optional<ir::Literal> FoldSum(const ir::Node& node, const ir::Function& out, ir::Value x) {
  const Type& type = out.type(x);
  if (node.op != Op::kReduceSum || !IsInteger(type.dtype) || !type.shape.is_constant()) return std::nullopt;
  const auto splat = SplatOf(out, x);
  if (!splat) return std::nullopt;
  auto n = static_cast<uint64_t>(splat->AsInt(0));
  for (int64_t axis : node.attr<std::vector<int64_t>>("axes")) {
    n *= static_cast<uint64_t>(type.shape.dim(static_cast<int>(axis)));
  }
  return ir::Literal::ScalarInt(type.dtype, static_cast<int64_t>(n));
}

}  // namespace

absl::StatusOr<bool> Fold(ir::Module* m, const PassContext& context) {
  bool changed = false;
  for (const auto& f : m->functions()) {
    const auto visit = [&](const ir::Node& node, Copier& copier, ir::Builder& b) {
      const ir::OpInfo& info = ir::Info(node.op);
      if (node.op == Op::kReduceSum) {
        const auto sum = FoldSum(node, *b.function(), copier(node.operands[0]));
        if (sum) copier.Map(node.result(), b.BroadcastTo(b.Constant(*sum), f->type(node.result()).shape));
        return sum.has_value();
      }
      if (!info.Has(ir::kExact) || node.operands.empty()) return false;
      if (IsComplex(f->type(node.operands[0]).dtype)) return false;  // several roundings
      const ir::ValueList operands = copier(node.operands);
      const Type& type = f->type(node.result());
      const ir::Function& out = *b.function();
      if (auto l = FoldConstants(node, out, operands, type, context.fold_limit_bytes)) {
        copier.Map(node.result(), b.Constant(*std::move(l)));
        return true;
      }
      if (auto l = FoldSplats(node, out, operands)) {
        copier.Map(node.result(), b.BroadcastTo(b.Constant(*std::move(l)), type.shape));
        return true;
      }
      return false;
    };
    const auto rewritten = Rewrite(f.get(), m, visit);
    if (!rewritten.ok()) return rewritten;
    changed = changed || *rewritten;
  }
  return changed;
}

}  // namespace reel::passes
