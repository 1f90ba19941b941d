#include <algorithm>

#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "frontend/record/event_stream.h"
#include "frontend/record/trace.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"

// If, Loop and Scan as the control flow of reel/ops.h. Extents are constant, so what a loop stacks
// needs a trip count that is known at import.

namespace reel::onnx {
namespace {

Tensors ImportIf(const NodeContext& c) {
  const Graph& yes = c.Subgraph("then_branch");
  const Graph& no = c.Subgraph("else_branch");
  if (c.IsKnown(0)) {
    const std::vector<Value> taken = c.RunValues(c.KnownInt(0) != 0 ? yes : no, {});
    for (size_t i = 0; i < taken.size(); ++i) c.Give(i, taken[i]);
    return {};
  }
  return Cond(Reshape(c.In(0), {}), [&] { return c.Run(yes, {}); }, [&] { return c.Run(no, {}); });
}

// What a subgraph returns for arguments like these: it is traced and forgotten, only types and
// identities count.
struct Probe {
  Tensors arguments, results;
};
Probe ProbeOf(const NodeContext& c, const Graph& graph, const Tensors& like) {
  internal::TraceState inner(internal::State().trace);
  const internal::TraceScope scope(&inner, std::make_shared<internal::EventLog>());
  Probe probe;
  for (const Tensor& x : like) probe.arguments.push_back(internal::MakeSymbolic(x.type(), inner.id));
  probe.results = c.Run(graph, probe.arguments);
  return probe;
}

Tensor Row(const Tensor& x, const Tensor& i, int64_t axis) { return Squeeze(DynamicSlice(x, i, 1, axis), axis); }
Tensor WithRow(const Tensor& stack, const Tensor& row, const Tensor& i, int64_t axis) {
  return DynamicUpdate(stack, ExpandDims(row, axis), i, axis);
}

Tensor StackOf(int64_t count, const Type& row, int64_t axis) {
  std::vector<int64_t> dims = row.shape.dims();
  if (dims.size() >= static_cast<size_t>(kMaxRank)) Refuse("what it stacks has too many axes");
  dims.insert(dims.begin() + axis, count);
  return Zeros(Shape(dims), row.dtype);
}

// How often a Loop runs, if that is known at import: the condition is known at first, and stays as
// it is or is a constant of the body.
std::optional<int64_t> TripCount(const NodeContext& c, const Probe& body) {
  if (c.Has(1) && !c.IsKnown(1)) return std::nullopt;
  if (c.Has(1) && c.KnownInt(1) == 0) return 0;
  const Tensor& next = body.results.at(0);
  const bool kept = next.id() == body.arguments.at(1).id();
  if (!kept && next.symbolic()) return std::nullopt;
  const int64_t limit = kept || next.item<bool>() ? INT64_MAX : 1;
  if (!c.Has(0) && limit == INT64_MAX) Refuse("it runs for ever");
  if (!c.Has(0)) return limit;
  if (!c.IsKnown(0)) return std::nullopt;
  return std::clamp<int64_t>(c.KnownInt(0), 0, limit);
}

// A loop whose body needs elements at import (a slice that moves), or that carries a sequence, is
// written out.
constexpr int64_t kLongestUnrolled = 1024;

bool KnownTrue(const Value& condition) {
  if (!condition.known.defined()) Refuse("the loop must be written out, but when it ends depends on data");
  return condition.known.size() == 1 && internal::ToLiteral(condition.known).AsInt(0) != 0;
}

Tensors Unroll(const NodeContext& c, const Graph& body, const std::vector<Value>& carried) {
  const int64_t count = c.Has(0) ? c.KnownInt(0) : INT64_MAX;
  std::vector<Value> values = {Value(), c.Has(1) ? Value::Of(c.Known(1)) : Value::Of(Tensor(true))};
  values.insert(values.end(), carried.begin(), carried.end());
  std::vector<Tensors> rows(body.outputs.size() - 1 - carried.size());
  for (int64_t i = 0; i < count && KnownTrue(values[1]); ++i) {
    if (i == kLongestUnrolled) Refuse(StrCat("the loop must be written out, but runs more than ", i, " times"));
    values[0] = Value::Of(Tensor(i));
    std::vector<Value> out = c.RunValues(body, values);
    for (size_t k = 0; k < rows.size(); ++k) rows[k].push_back(out[1 + carried.size() + k].Get());
    std::move(out.begin() + 1, out.begin() + static_cast<std::ptrdiff_t>(1 + carried.size()), values.begin() + 2);
    if (c.Has(1)) values[1] = std::move(out[0]);  // else it does not count
  }
  Tensors results(carried.size());
  for (size_t k = 0; k < carried.size(); ++k) c.Give(k, values[k + 2]);
  for (const Tensors& r : rows) {
    if (r.empty()) Refuse("it stacks values, but never runs");
    results.push_back(Stack(r));
  }
  return results;
}

// Nothing if the body needs elements that only the running loop has.
std::optional<Probe> TryProbe(const NodeContext& c, const Graph& body, const Tensors& values) {
  try {
    return ProbeOf(c, body, values);
  } catch (const UnknownElements&) {
    return std::nullopt;
  }
}

// Inputs M, condition, v...; the body maps (i, condition, v...) to (condition, v..., rows...).
Tensors ImportLoop(const NodeContext& c) {
  const Graph& body = c.Subgraph("body");
  const size_t carried = c.num_inputs() < 2 ? 0 : c.num_inputs() - 2;
  if (body.outputs.size() < carried + 1) Wrong("the body returns too few values");
  std::vector<Value> initial;
  for (size_t i = 0; i < carried; ++i) initial.push_back(c.ValueIn(i + 2));
  const auto is_sequence = [](const Value& value) { return value.sequence != nullptr; };
  if (std::any_of(initial.begin(), initial.end(), is_sequence)) return Unroll(c, body, initial);
  Tensors values = {Tensor(int64_t{0}), c.Has(1) ? Reshape(c.In(1), {}) : Tensor(true)};
  for (const Value& value : initial) values.push_back(value.Get());
  const std::optional<Probe> probe = TryProbe(c, body, values);
  if (!probe) return Unroll(c, body, initial);
  const std::optional<int64_t> count = TripCount(c, *probe);
  if (body.outputs.size() > carried + 1 && !count) {
    if (c.Has(0)) c.Known(0);
    Refuse("it stacks values, but how often it runs depends on data");
  }
  for (size_t k = 1 + carried; k < probe->results.size(); ++k)
    values.push_back(StackOf(*count, probe->results[k].type(), 0));
  Tensor limit;
  if (count || c.Has(0)) limit = count ? Tensor(*count) : Reshape(Cast(c.In(0), kInt64), {});
  const auto test = [&](const Tensors& v) { return limit.defined() ? LogicalAnd(v[0] < limit, v[1]) : Identity(v[1]); };
  const auto step = [&](const Tensors& v) {
    const auto rows = v.begin() + static_cast<std::ptrdiff_t>(2 + carried);
    const Tensors out = c.Run(body, Tensors(v.begin(), rows));
    Tensors next = {v[0] + int64_t{1}, Reshape(out[0], {})};
    for (size_t k = 1; k < out.size(); ++k) next.push_back(k <= carried ? out[k] : WithRow(v[k + 1], out[k], v[0], 0));
    return next;
  };
  const Tensors last = WhileLoop(test, step, values, {.maximum_iterations = count.value_or(-1)});
  return Tensors(last.begin() + 2, last.end());
}

int64_t At(const std::vector<int64_t>& list, size_t i) { return i < list.size() ? list[i] : 0; }

// State and sequences in, state and stacked rows out. Opset 8 had a batch axis in front.
Tensors ImportScan(const NodeContext& c) {
  const Graph& body = c.Subgraph("body");
  const auto sequences = static_cast<size_t>(c.Int("num_scan_inputs"));
  const bool batched = c.opset() < 9;
  if (batched && c.Has(0)) Refuse("sequence lengths");
  const size_t first = batched ? 1 : 0;
  if (sequences < 1 || sequences + first > c.num_inputs()) Wrong("num_scan_inputs is out of range");
  const size_t carried = c.num_inputs() - first - sequences;
  const auto input_axes = c.Ints("scan_input_axes"), output_axes = c.Ints("scan_output_axes");
  const auto backward = c.Ints(batched ? "directions" : "scan_input_directions");
  const auto backward_out = c.Ints("scan_output_directions");
  const int64_t batch = batched ? c.In(first).shape().dim(0) : 1;
  if (batch != 1) Refuse("opset 8 with more than one batch");
  const auto unbatched = [&](const Tensor& x) { return batched ? Squeeze(x, 0) : x; };
  Tensors values = {Tensor(int64_t{0})}, xs, like;
  for (size_t i = 0; i < carried; ++i) values.push_back(unbatched(c.In(first + i)));
  like.assign(values.begin() + 1, values.end());
  std::vector<int64_t> axes;
  for (size_t i = 0; i < sequences; ++i) {
    xs.push_back(unbatched(c.In(first + carried + i)));
    axes.push_back(NormalAxis(At(input_axes, i), xs[i].rank()));
    like.push_back(Row(xs[i], Tensor(int64_t{0}), axes[i]));
  }
  const int64_t count = xs[0].shape().dim(static_cast<int>(axes[0]));
  const Tensors types = ProbeOf(c, body, like).results;
  if (types.size() < carried) Wrong("the body returns too few values");
  std::vector<int64_t> out_axes;
  for (size_t k = carried; k < types.size(); ++k) {
    out_axes.push_back(NormalAxis(At(output_axes, k - carried), types[k].rank() + 1));
    values.push_back(StackOf(count, types[k].type(), out_axes.back()));
  }
  const auto test = [&](const Tensors& v) { return v[0] < count; };
  const auto step = [&](const Tensors& v) {
    const Tensor back = count - 1 - v[0];
    Tensors arguments(v.begin() + 1, v.begin() + 1 + static_cast<std::ptrdiff_t>(carried));
    for (size_t i = 0; i < sequences; ++i) arguments.push_back(Row(xs[i], At(backward, i) != 0 ? back : v[0], axes[i]));
    const Tensors out = c.Run(body, arguments);
    Tensors next = {v[0] + int64_t{1}};
    for (size_t k = 0; k < out.size(); ++k) {
      const size_t row = k - carried;
      next.push_back(k < carried ? out[k]
                                 : WithRow(v[1 + k], out[k], At(backward_out, row) != 0 ? back : v[0], out_axes[row]));
    }
    return next;
  };
  Tensors last = WhileLoop(test, step, values, {.maximum_iterations = count});
  last.erase(last.begin());
  if (batched) {
    for (Tensor& y : last) y = ExpandDims(y, 0);
  }
  return last;
}

constexpr OpRow kRows[] = {
    {"If", 1, ImportIf, false},
    {"Loop", 1, ImportLoop, false},
    {"Scan", 8, ImportScan, false},
};

}  // namespace

absl::Span<const OpRow> ControlOps() { return kRows; }

}  // namespace reel::onnx
