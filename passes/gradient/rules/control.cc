#include "ir/strings.h"
#include "passes/gradient/rule.h"
#include "passes/gradient/trip_count.h"

// Control ops name functions; their gradients name the gradients of those, which run the forward
// part again from what they are given. Only inputs that a gradient reads are passed or saved.

namespace reel::passes {
namespace {

using Values = std::vector<ir::Value>;

Mask Seeded(const GradContext& g) {
  Mask mask;
  for (int i = 0; i < g.node().num_results; ++i) mask.push_back(g.dy(i).valid());
  return mask;
}

Mask Wanted(const GradContext& g, int first) {
  Mask mask;
  for (int i = first; i < g.num_operands(); ++i) mask.push_back(g.wants(i));
  return mask;
}

// Wanted operands from `first` on that have a sum already.
Mask Sums(const GradContext& g, int first) {
  Mask mask;
  for (int i = first; i < g.num_operands(); ++i) mask.push_back(g.sum(i).valid());
  return mask;
}

// The operands from `first` on that `keep` marks, then the cotangents and the sums that exist.
Values Arguments(const GradContext& g, int first, const Mask& keep) {
  Values out;
  for (size_t i = 0; i < keep.size(); ++i) {
    if (keep[i]) out.push_back(g.in(first + static_cast<int>(i)));
  }
  for (int i = 0; i < g.node().num_results; ++i) {
    if (g.dy(i).valid()) out.push_back(g.dy(i));
  }
  for (int i = first; i < g.num_operands(); ++i) {
    if (g.sum(i).valid()) out.push_back(g.sum(i));
  }
  return out;
}

// Hands the results out to the wanted operands from `first` on.
void SetWanted(GradContext& g, int first, const ir::ValueList& results) {
  size_t next = 0;
  for (int i = first; i < g.num_operands() && next < results.size(); ++i) {
    if (!g.wants(i)) continue;
    const ir::Value d = results[next++];
    g.sum(i).valid() ? g.SetTotal(i, d) : g.Set(i, d);
  }
}

// vjp: (operands, cotangents of the floating results) -> cotangents of the floating operands.
void CallVjp(GradContext& g, ir::Builder& b, const std::string& vjp) {
  Values arguments;
  for (int i = 0; i < g.num_operands(); ++i) arguments.push_back(g.in(i));
  for (int i = 0; i < g.node().num_results; ++i) {
    if (IsDifferentiable(g.y_type(i).dtype)) arguments.push_back(g.dy_or_zeros(i));
  }
  const ir::ValueList results = b.Call(vjp, arguments);
  size_t next = 0;
  for (int i = 0; i < g.num_operands() && next < results.size(); ++i) {
    if (IsDifferentiable(g.x_type(i).dtype)) g.Set(i, results[next++]);
  }
}

// --- while ---

// The parts of a loop's gradient. Carried value i of the loop is "saved" if the body's gradient
// reads it and the body changes it, "constant" if the body returns it unchanged or counts with it:
// then iteration n has operand + n * step.
struct Loop {
  const ir::Function* cond;
  const ir::Function* body;
  int64_t bound;
  GradientKey key;  // the body's gradient, from cotangents to cotangents of the same carried values
  Mask saved, constant;
  std::vector<std::optional<int64_t>> step;

  bool unchanged(int i) const {
    return body->results()[static_cast<size_t>(i)] == ir::Value{i};
  }
};

Type Stacked(const Type& type, int64_t bound) {
  Type stack{type.dtype, {}};
  stack.shape.push_back(bound);
  for (Extent e : type.shape) stack.shape.push_back(e);
  return stack;
}

Values AddCarried(const ir::Function& body, ir::Function* f) {
  Values out;
  for (int i = 0; i < body.num_parameters(); ++i) {
    out.push_back(f->AddParameter(StrCat("c", i), body.parameter(i).type));
  }
  return out;
}

Values AddStacks(const Loop& loop, ir::Function* f) {
  Values out;
  for (size_t i = 0; i < loop.saved.size(); ++i) {
    if (!loop.saved[i]) continue;
    const Type& type = loop.body->parameter(static_cast<int>(i)).type;
    out.push_back(f->AddParameter(StrCat("s", i), Stacked(type, loop.bound)));
  }
  return out;
}

// cond.fwd(carried, n, stacks) = cond(carried)
absl::StatusOr<std::string> ForwardCond(GradContext& g, const Loop& loop) {
  ir::Function f(StrCat(loop.cond->name(), ".fwd"));
  ir::Builder b(&f, g.functions().module());
  const Values carried = AddCarried(*loop.body, &f);
  f.AddParameter("n", {kInt64, {}});
  AddStacks(loop, &f);
  const ir::ValueList results = b.Call(loop.cond->name(), carried);
  if (!b.status().ok()) return b.status();
  f.SetResults({results[0]});
  return g.functions().AddFunction(std::move(f));
}

// body.fwd(carried, n, stacks) = body(carried), n + 1, stacks with the carried values written at n
absl::StatusOr<std::string> ForwardBody(GradContext& g, const Loop& loop) {
  ir::Function f(StrCat(loop.body->name(), ".fwd"));
  ir::Builder b(&f, g.functions().module());
  const Values carried = AddCarried(*loop.body, &f);
  const ir::Value n = f.AddParameter("n", {kInt64, {}});
  Values stacks = AddStacks(loop, &f);
  const ir::ValueList next = b.Call(loop.body->name(), carried);  // first: see merge_loops.cc
  for (size_t i = 0, k = 0; i < loop.saved.size(); ++i) {
    if (!loop.saved[i]) continue;
    const ir::Value row = b.Reshape(carried[i], Stacked(f.type(carried[i]), 1).shape);
    stacks[k] = b.DynamicUpdate(stacks[k], row, n, 0);
    ++k;
  }
  Values results(next.begin(), next.end());
  results.push_back(b.Add(n, b.Scalar(kInt64, 1)));
  results.insert(results.end(), stacks.begin(), stacks.end());
  if (!b.status().ok()) return b.status();
  f.SetResults(std::move(results));
  return g.functions().AddFunction(std::move(f));
}

struct Backward {
  ir::Value n;
  Values cotangents, stacks, constants;

  Values All() const {
    Values all{n};
    for (const Values* part : {&cotangents, &stacks, &constants}) {
      all.insert(all.end(), part->begin(), part->end());
    }
    return all;
  }
};

// Parameters of both functions of the backward loop: n, cotangents, stacks, constants.
Backward AddBackward(const Loop& loop, ir::Function* f) {
  Backward p;
  p.n = f->AddParameter("n", {kInt64, {}});
  for (size_t i = 0; i < loop.key.results.size(); ++i) {
    if (!loop.key.results[i]) continue;
    p.cotangents.push_back(
        f->AddParameter(StrCat("d", i), loop.body->parameter(static_cast<int>(i)).type));
  }
  p.stacks = AddStacks(loop, f);
  for (size_t i = 0; i < loop.constant.size(); ++i) {
    if (!loop.constant[i]) continue;
    p.constants.push_back(
        f->AddParameter(StrCat("c", i), loop.body->parameter(static_cast<int>(i)).type));
  }
  return p;
}

// body.bwd.cond = n > 0
absl::StatusOr<std::string> BackwardCond(GradContext& g, const Loop& loop) {
  ir::Function f(StrCat(loop.body->name(), ".bwd.cond"));
  ir::Builder b(&f, g.functions().module());
  const Backward p = AddBackward(loop, &f);
  const ir::Value more = b.Greater(p.n, b.Scalar(kInt64, 0));
  if (!b.status().ok()) return b.status();
  f.SetResults({more});
  return g.functions().AddFunction(std::move(f));
}

// start + n * step, the operand itself if the body does not count with it.
ir::Value AtIteration(ir::Builder& b, ir::Value start, ir::Value n, std::optional<int64_t> step) {
  if (!step) return start;
  const DType dtype = b.type(start).dtype;
  const ir::Value count = dtype == kInt64 ? n : b.Cast(n, dtype);
  return b.Add(start, b.Mul(count, b.Constant(ir::Literal::ScalarInt(dtype, *step))));
}

// body.bwd: n - 1; cotangents = body.grad(carried values of iteration n - 1, cotangents)
absl::StatusOr<std::string> BackwardBody(GradContext& g, const Loop& loop) {
  ir::Function f(StrCat(loop.body->name(), ".bwd"));
  ir::Builder b(&f, g.functions().module());
  Backward p = AddBackward(loop, &f);
  p.n = b.Sub(p.n, b.Scalar(kInt64, 1));
  Mask keep(loop.saved.size());
  Values arguments;
  for (size_t i = 0, s = 0, c = 0; i < keep.size(); ++i) {
    keep[i] = loop.saved[i] || loop.constant[i];
    if (loop.constant[i]) arguments.push_back(AtIteration(b, p.constants[c++], p.n, loop.step[i]));
    if (!loop.saved[i]) continue;
    const ir::Value row = b.DynamicSlice(p.stacks[s++], p.n, 0, 1);
    arguments.push_back(b.Reshape(row, loop.body->parameter(static_cast<int>(i)).type.shape));
  }
  arguments.insert(arguments.end(), p.cotangents.begin(), p.cotangents.end());
  const ir::ValueList d = b.Call(g.functions().Name(loop.key, keep), arguments);
  if (!b.status().ok()) return b.status();
  p.cotangents.assign(d.begin(), d.end());
  f.SetResults(p.All());
  return g.functions().AddFunction(std::move(f));
}

// Runs the loop once more, recording: the iteration count and the stacks.
absl::StatusOr<Backward> Record(GradContext& g, ir::Builder& b, const Loop& loop) {
  const auto cond = ForwardCond(g, loop);
  if (!cond.ok()) return cond.status();
  const auto body = ForwardBody(g, loop);
  if (!body.ok()) return body.status();
  Values operands;
  for (int i = 0; i < g.num_operands(); ++i) operands.push_back(g.in(i));
  operands.push_back(b.Scalar(kInt64, 0));
  for (int i = 0; i < g.num_operands(); ++i) {
    if (!loop.saved[static_cast<size_t>(i)]) continue;
    operands.push_back(b.Zeros(Stacked(g.x_type(i), loop.bound)));
  }
  const ir::ValueList run = b.While(*cond, *body, operands, loop.bound);
  if (!b.status().ok()) return b.status();
  const auto n = static_cast<size_t>(g.num_operands());
  Backward record;
  record.n = run[n];
  record.stacks.assign(run.begin() + static_cast<std::ptrdiff_t>(n) + 1, run.end());
  for (int i = 0; i < g.num_operands(); ++i) {
    if (loop.constant[static_cast<size_t>(i)]) record.constants.push_back(g.in(i));
  }
  return record;
}

absl::Status WhileBackward(GradContext& g, ir::Builder& b, const Loop& loop) {
  auto start = Record(g, b, loop);
  if (!start.ok()) return start.status();
  for (int i = 0; i < g.num_operands(); ++i) {
    if (!loop.key.results[static_cast<size_t>(i)]) continue;
    const ir::Value sum = loop.unchanged(i) ? g.sum(i) : ir::Value{};
    start->cotangents.push_back(!sum.valid()       ? g.dy_or_zeros(i)
                                : g.dy(i).valid() ? b.Add(sum, g.dy(i))
                                                  : sum);
  }
  const auto cond = BackwardCond(g, loop);
  if (!cond.ok()) return cond.status();
  const auto body = BackwardBody(g, loop);
  if (!body.ok()) return body.status();
  const ir::ValueList results = b.While(*cond, *body, start->All(), loop.bound);
  if (!b.status().ok()) return b.status();
  size_t next = 1;  // after n
  for (int i = 0; i < g.num_operands(); ++i) {
    if (!loop.key.results[static_cast<size_t>(i)]) continue;
    const bool total = loop.unchanged(i) && g.sum(i).valid();
    if (g.wants(i)) total ? g.SetTotal(i, results[next]) : g.Set(i, results[next]);
    ++next;
  }
  return absl::OkStatus();
}

}  // namespace

GRAD(Call, kAll, kNone) {
  if (const auto* vjp = g.node().attrs().Find("vjp")) {
    return CallVjp(g, b, std::get<std::string>(*vjp));
  }
  const GradientKey key{g.node().attr<std::string>("callee"), Wanted(g, 0), Seeded(g), Sums(g, 0)};
  const BuiltGradient* built = g.Require(key);
  if (!built) return;
  SetWanted(g, 0, b.Call(g.functions().Name(key, built->used), Arguments(g, 0, built->used)));
}

GRAD(If, kAll, kNone) {
  const GradientKey then_key{g.node().attr<std::string>("then"), Wanted(g, 1), Seeded(g),
                             Sums(g, 1)};
  const GradientKey else_key{g.node().attr<std::string>("else"), Wanted(g, 1), Seeded(g),
                             Sums(g, 1)};
  const BuiltGradient* then_built = g.Require(then_key);
  if (!then_built) return;
  const BuiltGradient* else_built = g.Require(else_key);
  if (!else_built) return;
  Mask keep = then_built->used;  // both branches take the same
  for (size_t i = 0; i < keep.size(); ++i) keep[i] = keep[i] || else_built->used[i];
  SetWanted(g, 1, b.If(g.in(0), g.functions().Name(then_key, keep),
                       g.functions().Name(else_key, keep), Arguments(g, 1, keep)));
}

GRAD(While, kAll, kNone) {
  const auto& body = g.node().attr<std::string>("body");
  const auto bound = BoundIterations(*b.function(), g.node(), *g.functions().module());
  if (!bound) {
    b.Fail(absl::UnimplementedError(
        StrCat("while: the gradient of the loop over @", body,
               " needs a bound on its iterations; set maximum_iterations")));
    return;
  }
  Mask active;
  for (int i = 0; i < g.num_operands(); ++i) active.push_back(g.active(i));
  // Carried values that depend on an x after some iterations and that a wanted result depends on.
  Mask carried = g.functions().flow().LoopBackward(g.node(), Seeded(g));
  const Mask reached = g.functions().flow().LoopForward(g.node(), active);
  for (size_t i = 0; i < carried.size(); ++i) carried[i] = carried[i] && reached[i];

  const ir::Module& m = *g.functions().module();
  Loop loop{m.FindFunction(g.node().attr<std::string>("cond")), m.FindFunction(body),
            *bound, {body, carried, carried}, {}, {}, {}};
  const BuiltGradient* built = g.Require(loop.key);
  if (!built) return;
  if (loop.bound == 0) {  // the loop is the identity
    for (int i = 0; i < g.num_operands(); ++i) g.Set(i, g.dy(i));
    return;
  }
  for (size_t i = 0; i < carried.size(); ++i) {
    const auto k = static_cast<int32_t>(i);
    loop.step.push_back(StepOf(*loop.body, {k}));
    const bool known = loop.unchanged(k) || loop.step.back();
    loop.saved.push_back(built->used[i] && !known);
    loop.constant.push_back(built->used[i] && known);
  }
  if (absl::Status s = WhileBackward(g, b, loop); !s.ok()) b.Fail(std::move(s));
}

}  // namespace reel::passes
