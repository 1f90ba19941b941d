#include <limits>

#include "frontend/onnx/export_node.h"

// What goes along an axis: recurrences, sorting.

namespace reel::onnx {
namespace {

// The state of a recurrence is wider than its values, where there is something wider.
DType StateOf(DType dtype) { return IsFloat(dtype) ? kFloat64 : kInt64; }

ValueInfo InfoOf(const std::string& name, DType dtype, const Shape& shape) {
  ValueInfo info;
  info.name = name;
  info.dtype = dtype;
  info.has_shape = true;
  for (const Extent e : shape) info.shape.push_back({e.value(), ""});
  return info;
}

// y = a y + b of one step: the body of a Scan.
std::shared_ptr<const Graph> Step(GraphWriter& outer, DType dtype, const Shape& shape) {
  auto graph = std::make_shared<Graph>();
  graph->name = outer.state().names.Unique("step");
  GraphWriter w(&outer.state(), graph.get());
  Vals in;
  for (const char* name : {"y", "a", "b"}) {
    in.push_back({w.state().names.Unique(name), dtype});
    graph->inputs.push_back(InfoOf(in.back().name, dtype, shape));
  }
  const Val next = w.Same("Add", {w.Same("Mul", {in[1], in[0]}), in[2]});
  const Val out = w.One("Identity", {next}, dtype);
  graph->outputs = {InfoOf(next.name, dtype, shape), InfoOf(out.name, dtype, shape)};
  return graph;
}

void Recurrence(const Site& s) {
  GraphWriter& w = s.w();
  const int64_t axis = s.axis(), extent = s.shape().dim(static_cast<int>(axis));
  if (extent < 2) return s.Set(s.x(1));
  const bool reverse = s.node.attr<bool>("reverse");
  const DType dtype = StateOf(s.result().dtype);
  const Val a = w.Cast(s.x(0), dtype), b = w.Cast(s.x(1), dtype);
  const int64_t begin = reverse ? extent - 1 : 0;
  const auto rest = [&](const Val& x) {
    return w.Slice(x, {reverse ? 0 : 1}, {reverse ? extent - 1 : extent}, {axis}, {1});
  };
  const Val first = w.Slice(b, {begin}, {begin + 1}, {axis}, {1});
  Shape state = s.shape();
  state.erase(static_cast<int>(axis));
  const Vals done =
      w.Node("Scan", {w.Reshape(first, state), rest(a), rest(b)}, {dtype, dtype},
             {Attribute{"body", "", Step(w, dtype, state)}, Int("num_scan_inputs", 2),
              IntList("scan_input_axes", {axis, axis}), IntList("scan_output_axes", {axis}),
              IntList("scan_input_directions", {reverse, reverse}), IntList("scan_output_directions", {reverse})});
  const Val whole = reverse ? w.Concat({done[1], first}, axis) : w.Concat({first, done[1]}, axis);
  s.Set(w.Cast(whole, s.result().dtype));
}

std::string WhyNoRecurrence(const Asked& a) {
  return a.type().shape.is_constant() ? "" : "a recurrence of symbolic extents; give them numbers";
}

void Argsort(const Site& s) {
  GraphWriter& w = s.w();
  Val x = s.x(), is_nan;
  if (s.shape().rank() == 0) return s.Set(w.ScalarInt(kInt64, 0));
  if (IsFloat(x.dtype)) {  // NaN is the largest
    const DType dtype = IsHalf(x.dtype) ? kFloat32 : x.dtype;
    x = w.Cast(x, dtype);
    is_nan = w.One("IsNaN", {x}, kBool);
    x = w.Where(is_nan, w.Scalar(dtype, std::numeric_limits<double>::infinity()), x);
  } else if (x.dtype == kUInt64) {  // as i64 in the same order
    x = w.Same("Add", {w.Cast(x, kInt64), w.ScalarInt(kInt64, LowestInt(kInt64))});
  }
  x = w.Cast(x, Carrier("TopK", x.dtype));
  const Val count = w.ExtentOf(s.shape()[static_cast<int>(s.axis())]);
  const auto order_of = [&](const Val& keys) {
    return w.Node("TopK", {keys, count}, {keys.dtype, kInt64},
                  {Int("axis", s.axis()), Int("largest", s.node.attr<bool>("descending")), Int("sorted", 1)})[1];
  };
  const Val order = order_of(x);
  if (is_nan.name.empty()) return s.Set(order);
  // Equal ones keep their order, so a second sort puts NaN beyond inf.
  const std::vector<Attribute> axis{Int("axis", s.axis())};
  const Val flags = w.One("GatherElements", {w.Cast(is_nan, kInt32), order}, kInt32, axis);
  s.Set(w.One("GatherElements", {order, order_of(flags)}, kInt64, axis));
}

constexpr ExportRow kRows[] = {
    {ir::Op::kRecurrence, Recurrence, "Scan", "carried in f64 or i64; constant extents", WhyNoRecurrence},
    {ir::Op::kArgsort, Argsort, "TopK", "of floats twice, for NaN"},
};

}  // namespace

ExportRows SequenceExports() { return kRows; }

}  // namespace reel::onnx
