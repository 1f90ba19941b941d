#include "frontend/tensorflow/operators.h"
#include "frontend/tensorflow/slices.h"

namespace reel::tensorflow {
namespace {

struct Step {
  Value sum, rest;  // the rest of the sums, of f64 alone
};

// a y + b, carried wider than the dtype: f32 in f64, f64 with the errors of its sums (Knuth's).
Step NextStep(Emitter& e, const Step& last, const Value& a, const Value& b) {
  const Value product = e.Mul(a, last.sum), sum = e.Add(product, b);
  if (last.rest.node < 0) return {sum, {}};
  const Value from_b = e.Sub(sum, product);
  const Value error = e.Add(e.Sub(product, e.Sub(sum, from_b)), e.Sub(b, from_b));
  return {sum, e.Add(e.Mul(a, last.rest), error)};
}

// sum + rest, unless the rest is 0 or NaN.
Value SumOf(Emitter& e, const Step& step, DType dtype) {
  if (step.rest.node < 0) return e.Convert(step.sum, dtype);
  const Value zero = e.Scalar(kFloat64, 0);
  const Value counts = e.Or(e.Compare("Less", step.rest, zero), e.Compare("Greater", step.rest, zero));
  return e.Select(counts, e.Add(step.sum, step.rest), step.sum);
}

}  // namespace

// The carried values are the step's number, a, b, the result so far, the sum and, of f64, its rest.
HANDLER(Recurrence) {
  Emitter& e = c.e;
  const DType dtype = c.type().dtype, wide = dtype == kFloat32 ? kFloat64 : dtype;
  const int axis = static_cast<int>(c.attr_int("axis"));
  NeedNumbers(c, Shape{c.type().shape[axis]});
  const int64_t count = c.type().shape.dim(axis);
  const bool reverse = c.attr_bool("reverse");
  Type column{wide, c.type().shape};
  column.shape.set(axis, 1);
  const auto zeros = [&](const Type& type) { return e.Full(type, ir::Literal::Zeros({type.dtype, {}})); };
  const Value start = IsFloat(wide) ? e.Full(column, ir::Literal::Scalar(wide, -0.0)) : zeros(column);
  Values carried{e.ScalarInt(kInt64, 0), c.x[0], c.x[1], zeros(c.type()), start};
  if (dtype == kFloat64) carried.push_back(zeros(column));
  const auto cond = [&](Emitter& in, const Values& v) {
    return Values{in.Compare("Less", v[0], in.ScalarInt(kInt64, count))};
  };
  const auto body = [&](Emitter& in, const Values& v) {
    const Value at = reverse ? in.Sub(in.ScalarInt(kInt64, count - 1), v[0]) : v[0];
    const Value first = in.Compare("Equal", v[0], in.ScalarInt(kInt64, 0));
    Value a = in.Convert(DynamicSliceAxis(in, v[1], at, axis, 1), wide);
    const Value b = in.Convert(DynamicSliceAxis(in, v[2], at, axis, 1), wide);
    a = in.Select(first, in.Scalar(wide, 1), a);  // a[0] is not read
    const Step next = NextStep(in, {v[4], v.size() > 5 ? v[5] : Value()}, a, b);
    const Value y = DynamicUpdateAxis(in, v[3], SumOf(in, next, dtype), at, axis);
    Values out{in.Add(v[0], in.ScalarInt(kInt64, 1)), v[1], v[2], y, next.sum};
    if (v.size() > 5) out.push_back(next.rest);
    return out;
  };
  return {e.While(carried, cond, body)[3]};
}

}  // namespace reel::tensorflow
