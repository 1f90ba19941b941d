#include <algorithm>
#include <cmath>

#include "ir/strings.h"
#include "tests/ops/op_cases.h"

// Special functions compute in double for both dtypes: f32 is the exact value rounded once (but for
// rare halfway cases), f64 within the row's ULPs. Operands without a derivative are integers, cast
// in the module, so that the gradient checks leave them alone.

namespace reel::optable {
namespace {

const std::vector<Shape> kShapes{
    {}, {0}, {1}, {3}, {7}, {17}, {33}, {4, 0, 3}, {2, 3}, {3, 1, 5}, {1, 33}, {2, 1, 3}, {2, 3, 1, 2, 2}, {1000}};

Tolerance Allowed(const OpRow& row, DType dtype) { return {dtype == kFloat64 ? row.ulps : 0.55, 0}; }

// Values of operand n: betainc's last lies between 0 and 1, polygamma's first is an integer.
Domain DomainOf(const OpRow& row, int n) {
  if (row.op == ir::Op::kBetainc && n == 2) return {0.05, 0.95};
  return row.domain;
}

// Is the derivative with respect to operand n an error?
bool HasNoDerivative(const OpRow& row, int n) { return n + 1 < ir::Info(row.op).operands; }

// An operand of the shape: an input, or the cast of an integer input.
ir::Value Operand(const OpRow& row, DType dtype, const Shape& shape, int n, CaseBuilder& c) {
  if (!HasNoDerivative(row, n)) return c.Input({dtype, shape}, DomainOf(row, n));
  const double low = row.op == ir::Op::kPolygamma ? 0 : row.op == ir::Op::kZeta ? 2 : 1;
  return c.Input({kInt32, shape}, {low, 9});
}

OpCase ShapesCase(const OpRow& row, DType dtype, const std::vector<Shape>& shapes, CaseBuilder& c) {
  const int arity = ir::Info(row.op).operands;
  std::vector<std::vector<ir::Value>> lists;
  for (const Shape& shape : shapes) {
    lists.emplace_back();
    for (int n = 0; n < arity; ++n) lists.back().push_back(Operand(row, dtype, shape, n, c));
  }
  for (std::vector<ir::Value>& operands : lists) {
    for (ir::Value& v : operands) v = c.b().Cast(v, dtype);
    c.Emit(operands);
  }
  c.Tolerate(Allowed(row, dtype));
  c.Differentiable(IsSmooth(row, dtype));
  return c.Build();
}

// All operands are broadcast along the last axis: the op leaves the loop over it. Derivatives are
// checked on many elements: of one alone, betainc's is lost in its exponent.
OpCase RowsCase(const OpRow& row, DType dtype, CaseBuilder& c) {
  const std::vector<Shape> from{{3, 1}, {1}}, to{{3, 100}, {2, 3}};
  std::vector<std::vector<ir::Value>> lists(to.size());
  for (size_t i = 0; i < to.size(); ++i) {
    for (int n = 0; n < ir::Info(row.op).operands; ++n) {
      lists[i].push_back(Operand(row, dtype, from[i], n, c));
    }
  }
  for (size_t i = 0; i < to.size(); ++i) {
    for (ir::Value& v : lists[i]) v = c.b().BroadcastTo(c.b().Cast(v, dtype), to[i]);
    c.Emit(lists[i]);
  }
  c.Tolerate(Allowed(row, dtype));
  return c.Build();
}

// The edges of the domains and what lies outside: all tuples of these.
std::vector<double> Edges(const OpRow& row) {
  const double inf = std::numeric_limits<double>::infinity();
  std::vector<double> edges{std::nan(""), inf, -inf, 0.0, -0.0, 1.0, 2.0, 0.5, -1.0, -2.5, 1e-20, 0.75, 1.5};
  if (ir::Info(row.op).operands < 3) {
    for (double x : {3.0, 5.0, 10.0, -3.0, 1e-30, 1e30, 40.0, 41.5, 170.0, 1000.0}) {
      edges.push_back(x);
    }
  }
  return edges;
}

OpCase EdgesCase(const OpRow& row, DType dtype, CaseBuilder& c) {
  const int arity = ir::Info(row.op).operands;
  const std::vector<double> edges = Edges(row);
  size_t count = 1;
  for (int n = 0; n < arity; ++n) count *= edges.size();
  std::vector<ir::Value> operands;
  size_t step = 1;
  for (int n = 0; n < arity; ++n, step *= edges.size()) {
    std::vector<double> values;
    for (size_t k = 0; k < count; ++k) values.push_back(edges[k / step % edges.size()]);
    operands.push_back(c.Input(MakeLiteral({dtype, {static_cast<int64_t>(count)}}, values)));
  }
  c.Emit(operands);
  c.Tolerate(Allowed(row, dtype));
  return c.Build();
}

// The tails of incomplete gammas, up to 20 standard deviations from the mean.
OpCase TailsCase(const OpRow& row, DType dtype, CaseBuilder& c) {
  std::vector<double> as, xs;
  for (double a : {50.0, 1e3, 1e5, 2e6, 1e7, 1e8}) {
    for (double t : {-20.0, -7.0, -3.0, -1.0, -0.1, 0.1, 1.0, 3.0, 7.0, 20.0}) {
      as.push_back(a);
      xs.push_back(std::max(a + t * std::sqrt(a), 1.0));
    }
  }
  const Type type{dtype, {static_cast<int64_t>(as.size())}};
  const ir::Value a = c.Input(MakeLiteral(type, as));
  c.Emit({a, c.Input(MakeLiteral(type, xs))});
  c.Tolerate(Allowed(row, dtype));
  return c.Build();
}

}  // namespace

// Per dtype: many shapes; for one operand special values and random bit patterns, for more the
// tuples of edges (the reference is too slow for arbitrary magnitudes) and any floats in the
// domain.
void MakeSpecialCases(const OpRow& row, std::vector<OpCase>* cases) {
  const int arity = ir::Info(row.op).operands;
  for (DType dtype : row.dtypes) {
    {
      CaseBuilder c(row.op, StrCat(Name(dtype), " shapes"));
      cases->push_back(ShapesCase(row, dtype, kShapes, c));
    }
    {
      CaseBuilder c(row.op, StrCat(Name(dtype), " rows"));
      cases->push_back(RowsCase(row, dtype, c));
    }
    if (arity == 1) {
      for (const bool random : {false, true}) {
        CaseBuilder c(row.op, StrCat(Name(dtype), random ? " random bits" : " special values"));
        c.Emit({c.Input(random ? RandomBitPatterns(dtype, 2000, c.rng()) : SpecialValues(dtype))});
        c.Tolerate(Allowed(row, dtype));
        cases->push_back(c.Build());
      }
      continue;
    }
    {
      CaseBuilder c(row.op, StrCat(Name(dtype), " edges"));
      cases->push_back(EdgesCase(row, dtype, c));
    }
    if (row.op == ir::Op::kIgamma || row.op == ir::Op::kIgammac) {
      CaseBuilder c(row.op, StrCat(Name(dtype), " tails"));
      cases->push_back(TailsCase(row, dtype, c));
    }
    CaseBuilder c(row.op, StrCat(Name(dtype), " domain"));
    std::vector<ir::Value> operands;
    for (int n = 0; n < arity; ++n) operands.push_back(c.Input({dtype, {2000}}, DomainOf(row, n)));
    c.Emit(operands);
    c.Tolerate(Allowed(row, dtype));
    cases->push_back(c.Build());
  }
}

}  // namespace reel::optable
