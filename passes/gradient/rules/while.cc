#include <algorithm>

#include "ir/strings.h"
#include "passes/gradient/checkpoint.h"
#include "passes/gradient/residuals.h"
#include "passes/gradient/rule.h"
#include "passes/trip_count.h"

// The gradient of a loop runs it once more, saving what the gradient of its body needs, then walks
// back over what was saved. A loop without a bound on its iterations: checkpoint.h.

namespace reel::passes {
namespace {

using Values = std::vector<ir::Value>;

// The parts of a loop's gradient. Carried value i is "constant" if the body returns it unchanged or
// counts with it: then iteration n has operand + n * step. What the body's gradient needs of the
// others is saved in rows, one stack for each.
struct Loop {
  const ir::Function* cond;
  const ir::Function* body;
  int64_t bound;
  GradientKey key;  // the body's gradient, from cotangents to cotangents of the same carried values
  ir::Function full;  // the body's gradient, which computes the forward part from parameters
  Residuals residuals;
  std::vector<std::optional<int64_t>> step;
  std::string gradient = {};  // residuals.gradient's name in the module
};

Values AddStacks(const Loop& loop, ir::Function* f) {
  Values out;
  for (ir::Value row : loop.residuals.rows) {
    out.push_back(f->AddParameter(StrCat("s", row.id), Stacked(loop.full.type(row), loop.bound)));
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

// body.fwd(carried, n, stacks) = body(carried), n + 1, stacks with the rows written at n
absl::StatusOr<std::string> ForwardBody(GradContext& g, const Loop& loop) {
  ir::Function f(StrCat(loop.body->name(), ".fwd"));
  ir::Builder b(&f, g.functions().module());
  const Values carried = AddCarried(*loop.body, &f);
  const ir::Value n = f.AddParameter("n", {kInt64, {}});
  Values stacks = AddStacks(loop, &f);
  const ir::ValueList next = b.Call(loop.body->name(), carried);  // first: see merge_loops.cc
  const Values rows = EmitRows(loop.full, loop.residuals, carried, b);
  for (size_t k = 0; k < rows.size(); ++k) {
    const ir::Value row = b.Reshape(rows[k], Stacked(f.type(rows[k]), 1).shape);
    stacks[k] = b.DynamicUpdate(stacks[k], row, n, 0);
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
  p.cotangents = AddCarriedCotangents(*loop.body, loop.key, f);
  p.stacks = AddStacks(loop, f);
  for (size_t i = 0; i < loop.residuals.constants.size(); ++i) {
    if (!loop.residuals.constants[i]) continue;
    p.constants.push_back(f->AddParameter(StrCat("c", i), loop.body->parameter(static_cast<int>(i)).type));
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

// start + n * step, the operand itself if the body does not count with it. A tensor of counters has
// one step.
ir::Value AtIteration(ir::Builder& b, ir::Value start, ir::Value n, std::optional<int64_t> step) {
  if (!step) return start;
  const DType dtype = b.type(start).dtype;
  const ir::Value count = dtype == kInt64 ? n : b.Cast(n, dtype);
  const ir::Value by = b.Mul(count, b.Constant(ir::Literal::ScalarInt(dtype, *step)));
  return b.Add(start, b.BroadcastTo(by, Type(b.type(start)).shape));
}

// body.bwd: n - 1; cotangents = body.grad(constants, rows n - 1, cotangents)
absl::StatusOr<std::string> BackwardBody(GradContext& g, const Loop& loop) {
  ir::Function f(StrCat(loop.body->name(), ".bwd"));
  ir::Builder b(&f, g.functions().module());
  Backward p = AddBackward(loop, &f);
  p.n = b.Sub(p.n, b.Scalar(kInt64, 1));
  Values arguments;
  for (size_t i = 0, c = 0; i < loop.residuals.constants.size(); ++i) {
    if (!loop.residuals.constants[i]) continue;
    arguments.push_back(AtIteration(b, p.constants[c++], p.n, loop.step[i]));
  }
  for (size_t k = 0; k < p.stacks.size(); ++k) {
    const ir::Value row = b.DynamicSlice(p.stacks[k], p.n, 0, 1);
    arguments.push_back(b.Reshape(row, loop.full.type(loop.residuals.rows[k]).shape));
  }
  arguments.insert(arguments.end(), p.cotangents.begin(), p.cotangents.end());
  const ir::ValueList d = b.Call(loop.gradient, arguments);
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
  for (ir::Value row : loop.residuals.rows) {
    operands.push_back(b.Zeros(Stacked(loop.full.type(row), loop.bound)));
  }
  const ir::ValueList run = b.While(*cond, *body, operands, loop.bound);
  if (!b.status().ok()) return b.status();
  const auto n = static_cast<size_t>(g.num_operands());
  Backward record;
  record.n = run[n];
  record.stacks.assign(run.begin() + static_cast<std::ptrdiff_t>(n) + 1, run.end());
  for (int i = 0; i < g.num_operands(); ++i) {
    if (loop.residuals.constants[static_cast<size_t>(i)]) record.constants.push_back(g.in(i));
  }
  return record;
}

// An invariant whose cotangent is one running sum, as that of what the body captured. A loop variable that the body
// passes on is an identity of itself: a value of its own in each iteration.
bool IsInvariant(const ir::Function& body, size_t i) { return body.results()[i] == ir::Value{static_cast<int32_t>(i)}; }

// What carried value i has after the loop. That of an invariant begins with what other nodes contributed.
Cotangent StartOf(const GradContext& g, const ir::Function& body, size_t i) {
  const Cotangent& sum = g.sum(static_cast<int>(i));
  return IsInvariant(body, i) && sum.valid() ? sum : g.cotangent(static_cast<int>(i));
}

// The cotangents after the loop, then which are present.
Values StartCotangents(GradContext& g, ir::Builder& b, const Loop& loop) {
  Values out, present;
  for (size_t i = 0; i < loop.key.results.size(); ++i) {
    if (!loop.key.results[i]) continue;
    const auto k = static_cast<int>(i);
    const bool zero = Has(loop.key.zeros, i);
    Cotangent d = StartOf(g, *loop.body, i);
    if (IsInvariant(*loop.body, i) && g.sum(k).valid() && g.dy(k).valid()) {
      const ir::Value sum = WithMissing(b, d, false).value, dy = WithMissing(b, g.cotangent(k), false).value;
      d = {b.Add(sum, dy), EitherPresent(b, d, g.cotangent(k))};
    }
    out.push_back(d.valid() ? WithMissing(b, d, zero).value : Missing(b, g.y_type(k), zero));
    if (!Has(loop.key.maybe_results, i)) continue;
    present.push_back(!d.valid() ? b.Scalar(kBool, 0) : d.maybe() ? d.present : b.Scalar(kBool, 1));
  }
  out.insert(out.end(), present.begin(), present.end());
  return out;
}

// `runs`: the loop has at least one iteration.
void SetCarried(GradContext& g, const Loop& loop, const BuiltGradient& built, bool runs,
                absl::Span<const ir::Value> results) {
  auto present = static_cast<size_t>(std::count(loop.key.results.begin(), loop.key.results.end(), true));
  for (size_t i = 0, next = 0; i < loop.key.results.size(); ++i) {
    if (!loop.key.results[i]) continue;
    Cotangent d{results[next++], {}, Has(loop.key.zeros, i)};
    if (Has(loop.key.maybe_results, i)) d.present = results[present++];
    if (runs && !built.maybe[i]) d.present = {};
    const auto k = static_cast<int>(i);
    if (!g.wants(k)) continue;
    IsInvariant(*loop.body, i) ? g.SetTotal(k, d) : g.Set(k, d);
  }
}

// The body's gradient. A cotangent that is there after the loop may be missing after some iterations, which only the
// gradient says: then it is asked for again.
const BuiltGradient* RequireBody(GradContext& g, Loop* loop) {
  GradientKey& key = loop->key;
  key.maybe_results.resize(key.results.size());
  key.zeros.resize(key.results.size());
  for (size_t i = 0; i < key.results.size(); ++i) {
    const Cotangent start = StartOf(g, *loop->body, i), dy = g.cotangent(static_cast<int>(i));
    const bool there = (start.valid() && !start.maybe()) || (dy.valid() && !dy.maybe());
    key.maybe_results[i] = key.results[i] && !there;
  }
  while (true) {
    const BuiltGradient* built = g.Require(key);
    if (!built) return nullptr;
    bool same = true;
    for (size_t i = 0; i < key.results.size(); ++i) {
      if (!key.results[i]) continue;
      const bool wants_zeros = built->wants_zeros[i] && IsInvariant(*loop->body, i);
      if (wants_zeros) g.WantZeros(static_cast<int>(i));
      const bool maybe = key.maybe_results[i] || built->maybe[i];
      const bool zero = key.zeros[i] || (maybe && wants_zeros);
      same = same && maybe == key.maybe_results[i] && zero == key.zeros[i];
      key.maybe_results[i] = maybe;
      key.zeros[i] = zero;
    }
    if (same) return built;
  }
}

absl::Status WhileBackward(GradContext& g, ir::Builder& b, const Loop& loop, const BuiltGradient& built, bool runs) {
  auto start = Record(g, b, loop);
  if (!start.ok()) return start.status();
  start->cotangents = StartCotangents(g, b, loop);
  const auto cond = BackwardCond(g, loop);
  if (!cond.ok()) return cond.status();
  const auto body = BackwardBody(g, loop);
  if (!body.ok()) return body.status();
  const ir::ValueList results = b.While(*cond, *body, start->All(), loop.bound);
  if (!b.status().ok()) return b.status();
  SetCarried(g, loop, built, runs, absl::MakeSpan(results).subspan(1));  // after n
  return absl::OkStatus();
}

}  // namespace

GRAD(While, kAll, kNone) {
  const auto& body = g.node().attr<std::string>("body");
  const auto bound = BoundIterations(*b.function(), g.node(), *g.functions().module());
  Mask active;
  for (int i = 0; i < g.num_operands(); ++i) active.push_back(g.active(i));
  // Carried values that depend on an x after some iterations and that a wanted result depends on.
  Mask carried = g.functions().flow().LoopBackward(g.node(), g.seeded());
  const Mask reached = g.functions().flow().LoopForward(g.node(), active);
  for (size_t i = 0; i < carried.size(); ++i) carried[i] = carried[i] && reached[i];

  const ir::Module& m = *g.functions().module();
  Loop loop{m.FindFunction(g.node().attr<std::string>("cond")),
            m.FindFunction(body),
            bound.value_or(-1),
            {body, carried, carried},
            ir::Function(""),
            {{}, {}, ir::Function("")},
            {}};
  if (loop.bound == 0) {  // the loop is the identity
    for (int i = 0; i < g.num_operands(); ++i) g.Set(i, Whole(b, g.cotangent(i)));
    return;
  }
  const BuiltGradient* built = RequireBody(g, &loop);
  if (!built) return;
  // What runs again does not act again.
  const auto again = [&](const ir::Function* f) { return m.FindFunction(g.functions().WithoutEffects(f->name())); };
  loop.cond = again(loop.cond);
  loop.body = again(loop.body);
  const bool runs = LeastIterations(*b.function(), g.node(), m) > 0;
  if (!bound) {
    Values operands;
    for (int i = 0; i < g.num_operands(); ++i) operands.push_back(g.in(i));
    const auto d = ReverseWithCheckpoints({*loop.cond, *loop.body, loop.key, *built}, operands,
                                          StartCotangents(g, b, loop), &g.functions(), b);
    d.ok() ? SetCarried(g, loop, *built, runs, *d) : void(b.Fail(d.status()));
    return;
  }
  Mask saved, constants;
  for (size_t i = 0; i < carried.size(); ++i) {
    const auto k = static_cast<int32_t>(i);
    loop.step.push_back(StepOf(*loop.body, {k}));
    const bool known = Unchanged(*loop.body, k) || loop.step.back();
    saved.push_back(built->used[i] && !known);
    constants.push_back(built->used[i] && known);
  }
  auto full = Flatten(WithPresent(loop.key, *built, loop.key.maybe_results), m);
  if (!full.ok()) {
    b.Fail(full.status());
    return;
  }
  loop.full = *std::move(full);
  loop.residuals = ChooseResiduals(loop.full, loop.body->num_parameters(), saved, constants);
  loop.gradient = g.functions().AddFunction(loop.residuals.gradient);
  if (absl::Status s = WhileBackward(g, b, loop, *built, runs); !s.ok()) b.Fail(std::move(s));
}

}  // namespace reel::passes
