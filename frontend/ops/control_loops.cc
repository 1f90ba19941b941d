#include "reel/loops.h"

#include <algorithm>

#include "frontend/ops/control.h"
#include "frontend/record/event_stream.h"
#include "frontend/record/observed.h"
#include "frontend/record/trace.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"

// Loops over counters and rows, branches by number: compositions of cond and while.

namespace reel {

using internal::LocationScope;
using internal::Materialize;
using internal::State;
using internal::ThrowInvalid;

namespace {

using Tensors = std::vector<Tensor>;

Tensor Number(int64_t i) { return Tensor(i); }

// A trip count as an i64 scalar.
Tensor TripCount(const Operand& n) {
  const Tensor t = Materialize(n);
  if (t.rank() != 0 || !IsInteger(t.dtype())) {
    ThrowInvalid(StrCat("for_loop: the number of iterations must be an integer scalar, got ", t.type().ToString()));
  }
  return t.dtype() == kInt64 ? t : Cast(t, kInt64);
}

// Row i of x. A dynamic slice, also of a constant i: its gradient costs a row, not x. Zeros if
// there are no rows: a loop that never runs is traced with them.
Tensor Row(const Tensor& x, const Tensor& i) {
  Shape shape = x.shape();
  shape.erase(0);
  if (x.shape().dim(0) == 0) return Zeros(shape, x.dtype());
  return Reshape(DynamicSlice(x, i, 1), shape);
}

int64_t ScanLength(const Tensors& xs, ScanOptions options) {
  int64_t length = options.length;
  for (const Tensor& x : xs) {
    if (x.rank() == 0) ThrowInvalid("scan: xs need a leading axis to step along, got a scalar");
    if (!x.shape()[0].is_constant()) {
      ThrowInvalid(StrCat("scan: the leading axis of ", x.type().ToString(),
                          " is symbolic, and the number of steps is not; Transpose a constant axis to the front"));
    }
    const int64_t rows = x.shape().dim(0);
    if (length >= 0 && rows != length) {
      ThrowInvalid(StrCat("scan: ", x.type().ToString(), " has ", rows, " rows, expected ", length,
                          "; all xs share the leading axis"));
    }
    length = rows;
  }
  if (length < 0) ThrowInvalid("scan: without xs, give options.length");
  return length;
}

// A value that is carried and stacked is two.
void SeparateStep(ScanStep* step, uint64_t begin) {
  Tensors all = step->carry;
  all.insert(all.end(), step->ys.begin(), step->ys.end());
  internal::SeparateResults(&all, begin);
  const auto ys = all.begin() + static_cast<std::ptrdiff_t>(step->carry.size());
  *step = {Tensors(all.begin(), ys), Tensors(ys, all.end())};
}

using StepFunction = std::function<ScanStep(const Tensors&, const Tensors&)>;

// One step, checked: the carry keeps its types.
ScanStep RunStep(const StepFunction& step, const Tensors& carry, const Tensors& xs, const Tensor& i) {
  Tensors rows;
  for (const Tensor& x : xs) rows.push_back(Row(x, i));
  const uint64_t begin = internal::NextId();
  ScanStep next = step(carry, rows);
  if (next.carry.size() != carry.size()) {
    ThrowInvalid(StrCat("scan: the step returns ", next.carry.size(), " carried values for ", carry.size()));
  }
  for (size_t k = 0; k < carry.size(); ++k) {
    if (next.carry[k].type() == carry[k].type()) continue;
    ThrowInvalid(StrCat("scan: carried value ", k, " changes from ", carry[k].type().ToString(), " to ",
                        next.carry[k].type().ToString(), "; it must keep its type"));
  }
  if (internal::Observed()) SeparateStep(&next, begin);
  return next;
}

void CheckStacks(const Tensor& y) {
  if (y.rank() < kMaxRank) return;
  ThrowInvalid(StrCat("scan: the step returns ", y.type().ToString(), ", to be stacked; it has ", kMaxRank,
                      " axes already: Reshape it to fewer"));
}

// Loop variables: the step's number, the carry, then each y as [length, ...], written row by row.
ScanStep TracedScan(const StepFunction& step, const Tensors& carry, const Tensors& xs, int64_t length, bool reverse) {
  Tensors values{Number(0)};
  values.insert(values.end(), carry.begin(), carry.end());
  const auto body = [&](const Tensors& v, const internal::AddCarried& add) {
    const Tensor i = reverse ? Number(length - 1) - v[0] : v[0];
    ScanStep next = RunStep(step, Tensors(v.begin() + 1, v.end()), xs, i);
    Tensors out{v[0] + Number(1)};
    out.insert(out.end(), next.carry.begin(), next.carry.end());
    for (const Tensor& y : next.ys) {
      CheckStacks(y);
      Type rows{y.dtype(), {length}};
      for (Extent e : y.shape()) rows.shape.push_back(e);
      const Tensor written = add(rows);
      out.push_back(length == 0 ? written : DynamicUpdate(written, ExpandDims(y, 0), i));
    }
    return out;
  };
  const Tensors results = internal::TracedWhile([&](const Tensors& v) { return v[0] < Number(length); }, body, values,
                                                {.maximum_iterations = length});
  const auto ys = results.begin() + static_cast<std::ptrdiff_t>(values.size());
  return {Tensors(results.begin() + 1, ys), Tensors(ys, results.end())};
}

// Without rows the step is traced and forgotten: the types of what it returns count.
ScanStep EmptyScan(const StepFunction& step, const Tensors& carry, const Tensors& xs) {
  Tensors ys;
  {
    internal::TraceState trace(nullptr);
    const internal::TraceScope scope(&trace, std::make_shared<internal::EventLog>());
    Tensors symbolic;
    for (const Tensor& v : carry) symbolic.push_back(internal::MakeSymbolic(v.type(), trace.id));
    ys = RunStep(step, symbolic, xs, Number(0)).ys;
  }
  ScanStep out{carry, {}};
  if (internal::Observed()) internal::SeparateOperands(&out.carry);
  for (const Tensor& y : ys) {
    CheckStacks(y);
    Shape shape{0};
    for (const Extent e : y.shape()) shape.push_back(e);
    out.ys.push_back(Zeros(shape, y.dtype()));
  }
  return out;
}

ScanStep EagerScan(const StepFunction& step, Tensors carry, const Tensors& xs, int64_t length, bool reverse) {
  std::vector<Tensors> rows;  // by y
  if (internal::Observed()) internal::SeparateOperands(&carry);
  for (int64_t k = 0; k < length; ++k) {
    ScanStep next = RunStep(step, carry, xs, Number(reverse ? length - 1 - k : k));
    rows.resize(next.ys.size());
    for (size_t y = 0; y < next.ys.size(); ++y) rows[y].push_back(next.ys[y]);
    carry = std::move(next.carry);
  }
  ScanStep out{std::move(carry), {}};
  for (Tensors& y : rows) {
    if (reverse) std::reverse(y.begin(), y.end());
    out.ys.push_back(Stack(y));
  }
  return out;
}

}  // namespace

std::vector<Tensor> ForLoop(const Operand& n,
                            const std::function<std::vector<Tensor>(const Tensor& i, const std::vector<Tensor>&)>& body,
                            const std::vector<Tensor>& values, WhileOptions options) {
  const LocationScope scope(n);
  const Tensor count = TripCount(n);
  if (!count.symbolic() && options.maximum_iterations < 0) {
    options.maximum_iterations = std::max<int64_t>(count.item<int64_t>(), 0);
  }
  Tensors all{Number(0)};
  all.insert(all.end(), values.begin(), values.end());
  const Tensors results = WhileLoop([&](const Tensors& v) { return v[0] < count; },
                                    [&](const Tensors& v) {
                                      Tensors next = body(v[0], Tensors(v.begin() + 1, v.end()));
                                      next.insert(next.begin(), v[0] + Number(1));
                                      return next;
                                    },
                                    all, options);
  return Tensors(results.begin() + 1, results.end());
}

Tensor ForLoop(const Operand& n, const std::function<Tensor(const Tensor& i, const Tensor& value)>& body,
               const Tensor& value, WhileOptions options) {
  return ForLoop(
      n, [&](const Tensor& i, const Tensors& v) { return Tensors{body(i, v[0])}; }, Tensors{value}, options)[0];
}

ScanStep Scan(const std::function<ScanStep(const std::vector<Tensor>& carry, const std::vector<Tensor>& x)>& step,
              const std::vector<Tensor>& carry, const std::vector<Tensor>& xs, ScanOptions options) {
  const int64_t length = ScanLength(xs, options);
  if (State().trace) return TracedScan(step, carry, xs, length, options.reverse);
  if (length == 0) return EmptyScan(step, carry, xs);
  return EagerScan(step, carry, xs, length, options.reverse);
}

Tensor Map(const std::function<Tensor(const Tensor& x)>& fn, const Operand& xs) {
  const LocationScope scope(xs);
  const auto step = [&](const Tensors&, const Tensors& x) { return ScanStep{{}, {fn(x[0])}}; };
  return Scan(step, {}, {Materialize(xs)}).ys[0];
}

namespace {

Tensor Fold(const std::function<Tensor(const Tensor& value, const Tensor& x)>& fn, const Tensor& start,
            const Operand& xs, bool reverse) {
  const LocationScope scope(xs);
  const Tensor rows = Materialize(xs);
  if (rows.rank() > 0 && rows.shape().dim(0) == 0) return start;
  const auto step = [&](const Tensors& v, const Tensors& x) { return ScanStep{{fn(v[0], x[0])}, {}}; };
  return Scan(step, {start}, {rows}, {.reverse = reverse}).carry[0];
}

// branches[low .. high) by halves.
Tensors SwitchAmong(const Tensor& index, const std::vector<std::function<Tensors()>>& branches, size_t low,
                    size_t high) {
  if (high - low == 1) return branches[low]();
  const size_t middle = low + (high - low) / 2;
  return Cond(
      index < Number(static_cast<int64_t>(middle)), [&] { return SwitchAmong(index, branches, low, middle); },
      [&] { return SwitchAmong(index, branches, middle, high); });
}

}  // namespace

Tensor FoldL(const std::function<Tensor(const Tensor& value, const Tensor& x)>& fn, const Tensor& start,
             const Operand& xs) {
  return Fold(fn, start, xs, false);
}
Tensor FoldR(const std::function<Tensor(const Tensor& value, const Tensor& x)>& fn, const Tensor& start,
             const Operand& xs) {
  return Fold(fn, start, xs, true);
}

std::vector<Tensor> SwitchCase(const Operand& index,
                               const std::vector<std::function<std::vector<Tensor>()>>& branches) {
  const LocationScope scope(index);
  if (branches.empty()) ThrowInvalid("switch_case: there are no branches");
  Tensor i = Materialize(index);
  if (i.rank() != 0 || !IsInteger(i.dtype())) {
    ThrowInvalid(StrCat("switch_case: the index must be an integer scalar, got ", i.type().ToString()));
  }
  if (i.dtype() != kInt64) i = Cast(i, kInt64);
  const Tensor last = Number(static_cast<int64_t>(branches.size()) - 1);
  return SwitchAmong(Where(i < Number(0), last, i), branches, 0, branches.size());
}

std::vector<Tensor> Case(const std::vector<std::pair<Tensor, std::function<std::vector<Tensor>()>>>& branches,
                         const std::function<std::vector<Tensor>()>& otherwise) {
  std::function<Tensors(size_t)> from = [&](size_t k) {
    if (k == branches.size()) return otherwise();
    return Cond(branches[k].first, branches[k].second, [&] { return from(k + 1); });
  };
  return from(0);
}

}  // namespace reel
