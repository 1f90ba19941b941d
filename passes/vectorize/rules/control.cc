#include <utility>

#include "ir/strings.h"
#include "passes/vectorize/rule.h"

// Control ops name functions; their batched forms name the batched ones.

namespace reel::passes {
namespace {

using ir::Value;
using ir::ValueList;

Mask All(size_t n) { return Mask(n, true); }

Mask Union(Mask a, const Mask& b) {
  for (size_t i = 0; i < a.size(); ++i) a[i] = a[i] || b[i];
  return a;
}

void SetAll(BatchContext& c, const ValueList& results, const Mask& batched) {
  for (size_t i = 0; i < batched.size() && i < results.size(); ++i) {
    c.Set(static_cast<int>(i), results[i], batched[i]);
  }
}

// a where the row's condition [rows] holds, else b.
Value SelectRows(ir::Builder& b, Value condition, Value yes, Value no) {
  if (!yes.valid() || !no.valid()) return {};
  return b.Select(PerRow(b, condition, b.shape(yes)), yes, no);
}

// A call whose gradient is a function of its own: all operands and results are batched, so that the
// vjp of the batched call is the batched vjp. A gradient of a repeated operand is summed by repeat.
void BatchCallWithVjp(BatchContext& c, ir::Builder& b, const std::string& vjp) {
  const ir::Function& g = *c.module()->FindFunction(vjp);
  const BuiltBatch* callee = c.Require(
      {c.node().attr<std::string>("callee"), All(c.batched().size()), All(static_cast<size_t>(c.node().num_results))});
  if (!callee) return;
  const BuiltBatch* backward = c.Require({vjp, All(static_cast<size_t>(g.num_parameters())), All(g.results().size())});
  if (!backward) return;
  SetAll(c, b.Call(callee->name, c.AllRows(), backward->name), callee->results);
}

// One branch for all rows.
void BatchSharedIf(BatchContext& c, ir::Builder& b, const BatchKey& yes, const BatchKey& no,
                   absl::Span<const Value> operands) {
  const BuiltBatch *then_built = c.Require(yes), *else_built = then_built ? c.Require(no) : nullptr;
  if (!else_built) return;
  const Mask results = Union(then_built->results, else_built->results);
  if (then_built->results != results) then_built = c.Require({yes.function, yes.parameters, results});
  if (!then_built) return;
  if (else_built->results != results) else_built = c.Require({no.function, no.parameters, results});
  if (!else_built) return;
  SetAll(c, b.If(c.in(0), then_built->name, else_built->name, operands), results);
}

// Both branches, of which each row takes one.
void BatchBothBranches(BatchContext& c, ir::Builder& b, BatchKey yes, BatchKey no, absl::Span<const Value> operands) {
  yes.function = c.functions().WithoutChecks(yes.function);
  no.function = c.functions().WithoutChecks(no.function);
  const BuiltBatch *then_built = c.Require(yes), *else_built = then_built ? c.Require(no) : nullptr;
  if (!else_built) return;
  const ValueList a = b.Call(then_built->name, operands), z = b.Call(else_built->name, operands);
  if (!b.status().ok()) return;
  for (size_t i = 0; i < a.size(); ++i) {
    const Value y = then_built->results[i] ? a[i] : Repeat(b, c.num_rows(), a[i]);
    const Value n = else_built->results[i] ? z[i] : Repeat(b, c.num_rows(), z[i]);
    c.Set(static_cast<int>(i), SelectRows(b, c.in(0), y, n));
  }
}

// A loop whose rows stop at different times: it runs as long as any is active, and the others keep
// their values.
class MaskedLoop {
 public:
  MaskedLoop(BatchContext& c, const BuiltBatch& cond, const BuiltBatch& body)
      : c_(c), cond_(cond.name), body_(body.name), batched_(body.results) {}

  ValueList Emit(ir::Builder& b, ValueList operands) {
    const ValueList active = b.Call(cond_, operands);
    operands.insert(operands.end(), active.begin(), active.end());
    if (!b.status().ok()) return {};
    const ir::TypeList types = ir::OperandTypes(*b.function(), operands);
    const std::string test = AddTest(b, types), step = AddStep(b, types);
    const auto* bound = c_.node().attrs().Find("maximum_iterations");
    return b.While(test, step, operands, bound ? std::get<int64_t>(*bound) : -1);
  }

 private:
  static ValueList AddParameters(ir::Function* f, const ir::TypeList& types) {
    ValueList out;
    for (const Type& type : types) {
      out.push_back(f->AddParameter(StrCat("x", f->num_parameters()), type));
    }
    return out;
  }

  std::string AddTest(ir::Builder& b, const ir::TypeList& types) {
    ir::Function f(StrCat(cond_, ".any"));
    const ValueList in = AddParameters(&f, types);
    ir::Builder t(&f, c_.module());
    f.SetResults({t.ReduceMax(in.back(), {0})});
    if (!t.status().ok()) b.Fail(t.status());
    return c_.functions().AddFunction(std::move(f));
  }

  std::string AddStep(ir::Builder& b, const ir::TypeList& types) {
    ir::Function f(StrCat(body_, ".active"));
    const ValueList in = AddParameters(&f, types);
    const absl::Span<const Value> carried = absl::MakeConstSpan(in).first(in.size() - 1);
    ir::Builder s(&f, c_.module());
    ValueList next = s.Call(body_, carried);
    for (size_t i = 0; i < next.size(); ++i) {
      next[i] = batched_[i] ? SelectRows(s, in.back(), next[i], in[i]) : in[i];
    }
    const ValueList more = s.Call(cond_, next);
    if (!more.empty()) next.push_back(s.And(in.back(), more[0]));
    if (!s.status().ok()) b.Fail(s.status());
    f.SetResults(std::vector<Value>(next.begin(), next.end()));
    return c_.functions().AddFunction(std::move(f));
  }

  BatchContext& c_;
  const std::string cond_, body_;
  const Mask batched_;
};

}  // namespace

BATCH(Call) {
  if (const auto* vjp = c.node().attrs().Find("vjp")) {
    return BatchCallWithVjp(c, b, std::get<std::string>(*vjp));
  }
  const BuiltBatch* callee = c.Require({c.node().attr<std::string>("callee"), c.batched()});
  if (!callee) return;
  ValueList operands;
  for (int i = 0; i < c.num_operands(); ++i) operands.push_back(c.in(i));
  SetAll(c, b.Call(callee->name, operands), callee->results);
}

BATCH(If) {
  const Mask rest(c.batched().begin() + 1, c.batched().end());
  const BatchKey yes{c.node().attr<std::string>("then"), rest}, no{c.node().attr<std::string>("else"), rest};
  ValueList operands;
  for (int i = 1; i < c.num_operands(); ++i) operands.push_back(c.in(i));
  c.batched(0) ? BatchBothBranches(c, b, yes, no, operands) : BatchSharedIf(c, b, yes, no, operands);
}

BATCH(While) {
  std::string cond_name = c.node().attr<std::string>("cond"), body_name = c.node().attr<std::string>("body");
  const ir::Function& body_of_one = *c.module()->FindFunction(body_name);
  Mask batched = c.batched();
  const BuiltBatch *body = nullptr, *cond = nullptr;
  for (bool changed = true; changed;) {  // what an iteration makes differ between rows stays so
    if (body = c.Require({body_name, batched}); !body) return;
    if (cond = c.Require({cond_name, batched}); !cond) return;
    if (cond->results[0]) {  // rows that have stopped go on
      body_name = c.functions().WithoutChecks(body_name);
      cond_name = c.functions().WithoutChecks(cond_name);
      if (body = c.Require({body_name, batched}); !body) return;
      if (cond = c.Require({cond_name, batched}); !cond) return;
    }
    Mask next = Union(batched, body->results);
    for (size_t i = 0; cond->results[0] && i < next.size(); ++i) {
      next[i] = next[i] || body_of_one.results()[i] != Value{static_cast<int32_t>(i)};
    }
    changed = next != batched;
    batched = std::move(next);
  }
  if (body->results != batched) body = c.Require({body_name, batched, batched});
  if (!body) return;
  ValueList operands;
  for (int i = 0; i < c.num_operands(); ++i) {
    operands.push_back(batched[static_cast<size_t>(i)] ? c.rows(i) : c.in(i));
  }
  if (cond->results[0]) {
    return SetAll(c, MaskedLoop(c, *cond, *body).Emit(b, std::move(operands)), batched);
  }
  const auto* bound = c.node().attrs().Find("maximum_iterations");
  SetAll(c, b.While(cond->name, body->name, operands, bound ? std::get<int64_t>(*bound) : -1), batched);
}

}  // namespace reel::passes
