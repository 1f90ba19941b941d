#include "ir/infer.h"
#include "ir/strings.h"

namespace reel::ir {
namespace {

absl::StatusOr<const Function*> Callee(const InferContext& c, std::string_view attribute) {
  const auto& name = c.attributes.Get<std::string>(attribute);
  const Function* f = c.module ? c.module->FindFunction(name) : nullptr;
  if (!f) return OpError(c.op, StrCat("there is no function @", name));
  return f;
}

std::string TypesToString(absl::Span<const Type> types) {
  std::string out = "(";
  for (const Type& t : types) StrAppend(&out, out.size() > 1 ? ", " : "", t.ToString());
  return out + ")";
}

TypeList ParameterTypes(const Function& f) {
  TypeList types;
  for (int i = 0; i < f.num_parameters(); ++i) types.push_back(f.parameter(i).type);
  return types;
}

TypeList ResultTypes(const Function& f) { return OperandTypes(f, f.results()); }

absl::Status CheckOperands(const InferContext& c, const Function& f, absl::Span<const Type> operands) {
  const TypeList want = ParameterTypes(f);
  if (absl::Span<const Type>(want) == operands) return absl::OkStatus();
  return OpError(c.op, StrCat("@", f.name(), " takes ", TypesToString(want), ", got ", TypesToString(operands)));
}

}  // namespace

absl::StatusOr<TypeList> InferCallRule(const InferContext& c) {
  const auto f = Callee(c, "callee");
  if (!f.ok()) return f.status();
  if (absl::Status s = CheckOperands(c, **f, c.operands); !s.ok()) return s;
  if (!c.attributes.Find("vjp")) return ResultTypes(**f);
  // vjp: (operands..., cotangents of the floating results...) -> cotangents of the floating operands
  const auto g = Callee(c, "vjp");
  if (!g.ok()) return g.status();
  TypeList want = ParameterTypes(**f), give;
  for (const Type& t : ResultTypes(**f)) {
    if (IsDifferentiable(t.dtype)) want.push_back(t);
  }
  for (const Type& t : ParameterTypes(**f)) {
    if (IsDifferentiable(t.dtype)) give.push_back(t);
  }
  if (ParameterTypes(**g) != want || ResultTypes(**g) != give) {
    return OpError(c.op, StrCat("vjp @", (*g)->name(), " must be ", TypesToString(want), " -> ", TypesToString(give),
                                ", is ", TypesToString(ParameterTypes(**g)), " -> ", TypesToString(ResultTypes(**g))));
  }
  return ResultTypes(**f);
}

absl::StatusOr<TypeList> InferIfRule(const InferContext& c) {
  if (c.operands.empty() || c.operand(0) != Type{kBool, {}}) {
    return OpError(c.op, "the first operand must be bool[]");
  }
  const auto f = Callee(c, "then"), g = Callee(c, "else");
  if (!f.ok()) return f.status();
  if (!g.ok()) return g.status();
  for (const Function* branch : {*f, *g}) {
    if (absl::Status s = CheckOperands(c, *branch, c.operands.subspan(1)); !s.ok()) return s;
  }
  if (ResultTypes(**f) != ResultTypes(**g)) {
    return OpError(
        c.op, StrCat("branches return different types: @", (*f)->name(), " ", TypesToString(ResultTypes(**f)), ", @",
                     (*g)->name(), " ", TypesToString(ResultTypes(**g))));
  }
  return ResultTypes(**f);
}

absl::StatusOr<TypeList> InferWhileRule(const InferContext& c) {
  const auto cond = Callee(c, "cond"), body = Callee(c, "body");
  if (!cond.ok()) return cond.status();
  if (!body.ok()) return body.status();
  if (absl::Status s = CheckOperands(c, **cond, c.operands); !s.ok()) return s;
  if (absl::Status s = CheckOperands(c, **body, c.operands); !s.ok()) return s;
  const TypeList condition = ResultTypes(**cond);
  if (condition.empty() || condition[0] != Type{kBool, {}} || (*cond)->num_outputs() != 1) {
    return OpError(
        c.op, StrCat("condition @", (*cond)->name(), " must return one bool[], returns ", TypesToString(condition)));
  }
  if (absl::Span<const Type>(ResultTypes(**body)) != c.operands) {
    return OpError(c.op, StrCat("body @", (*body)->name(), " must return what it takes, ", TypesToString(c.operands),
                                ", returns ", TypesToString(ResultTypes(**body))));
  }
  if (const AttrValue* n = c.attributes.Find("maximum_iterations"); n && std::get<int64_t>(*n) < 0) {
    return OpError(c.op, "maximum_iterations is negative");
  }
  return ResultTypes(**body);
}

}  // namespace reel::ir
