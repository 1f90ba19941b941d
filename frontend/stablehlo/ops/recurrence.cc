#include "frontend/stablehlo/operators.h"
#include "frontend/stablehlo/slices.h"

namespace reel::stablehlo {
namespace {

struct Step {
  Value sum, rest;  // the rest of the sums, of f64 alone
};

// a y + b, carried wider than the dtype: f32 in f64, f64 with the errors of its sums (Knuth's).
Step Next(Emitter& e, const Step& last, const Value& a, const Value& b) {
  const Value product = e.Mul(a, last.sum), sum = e.Add(product, b);
  if (last.rest.name.empty()) return {sum, {}};
  const Value from_b = e.Sub(sum, product);
  const Value error = e.Add(e.Sub(product, e.Sub(sum, from_b)), e.Sub(b, from_b));
  return {sum, e.Add(e.Mul(a, last.rest), error)};
}

// sum + rest, unless the rest is 0 or NaN.
Value Rounded(Emitter& e, const Step& step, DType dtype) {
  if (step.rest.name.empty()) return e.Convert(step.sum, dtype);
  const Value zero = e.FullLike(step.rest, 0);
  const Value counts = e.Or(e.Compare("LT", step.rest, zero), e.Compare("GT", step.rest, zero));
  return e.Select(counts, e.Add(step.sum, step.rest), step.sum);
}

}  // namespace

// The carried values are the step's number, a, b, the result so far, the sum and, of f64, its rest.
HANDLER(Recurrence) {
  Emitter& e = c.e;
  const DType dtype = c.type().dtype, wide = dtype == kFloat32 ? kFloat64 : dtype;
  const int axis = static_cast<int>(c.attr_int("axis"));
  NeedConstantShape(c, c.type().shape);
  const int64_t count = c.type().shape.dim(axis);
  const bool reverse = c.attr_bool("reverse");
  Type column{wide, c.type().shape};
  column.shape.set(axis, 1);
  const Value start = e.Full(column, IsFloat(wide) ? -0.0 : 0.0);
  Values carried{e.ScalarInt(kInt64, 0), c.x[0], c.x[1], e.Full(c.type(), 0), start};
  if (wide == kFloat64 && dtype == kFloat64) carried.push_back(e.Full(column, 0));
  const auto cond = [&](const Values& v) { return e.Compare("LT", v[0], e.ScalarInt(kInt64, count)); };
  const auto body = [&](const Values& v) {
    const Value at = reverse ? e.Sub(e.ScalarInt(kInt64, count - 1), v[0]) : v[0];
    const Value first = e.Splat(e.Compare("EQ", v[0], e.ScalarInt(kInt64, 0)), column.shape);
    Value a = e.Convert(DynamicSliceAxis(e, v[1], at, axis, 1), wide);
    const Value b = e.Convert(DynamicSliceAxis(e, v[2], at, axis, 1), wide);
    a = e.Select(first, e.FullLike(a, 1), a);  // a[0] is not read
    const Step next = Next(e, {v[4], v.size() > 5 ? v[5] : Value()}, a, b);
    const Value y = DynamicUpdateAxis(e, v[3], Rounded(e, next, dtype), at, axis);
    Values out{e.Add(v[0], e.ScalarInt(kInt64, 1)), v[1], v[2], y, next.sum};
    if (v.size() > 5) out.push_back(next.rest);
    return out;
  };
  return {e.While(carried, cond, body)[3]};
}

}  // namespace reel::stablehlo
