#include "reel/transforms.h"

#include <algorithm>
#include <numeric>

#include "frontend/eager/dispatch.h"
#include "frontend/record/closure.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "frontend/values/variable_data.h"
#include "ir/calls.h"
#include "ir/strings.h"
#include "passes/gradient/gradient.h"
#include "passes/vectorize/jacobian.h"
#include "passes/vectorize/vectorize.h"
#include "reel/ops.h"
#include "reel/random.h"

// Transforms of callables. Those of graphs: transforms_function.cc.

namespace reel::internal {

using Tensors = std::vector<Tensor>;

Tensors MaterializeAll(const std::vector<Operand>& operands) {
  Tensors out;
  for (const Operand& x : operands) out.push_back(Materialize(x));
  return out;
}

namespace {

std::vector<Type> TypesOf(const Tensors& tensors) {
  std::vector<Type> types;
  for (const Tensor& t : tensors) types.push_back(t.type());
  return types;
}

void CheckDefined(const char* what, const Tensors& tensors) {
  for (size_t i = 0; i < tensors.size(); ++i) {
    if (!tensors[i].defined()) ThrowInvalid(StrCat(what, ": argument ", i, " is a null tensor; assign it first"));
  }
}

Results AsResults(Tensors tensors) {
  return Results(std::move(tensors), std::make_shared<const std::vector<std::string>>());
}

Tensors Head(const Tensors& list, size_t count) {
  return {list.begin(), list.begin() + static_cast<std::ptrdiff_t>(count)};
}

// What the function itself returns; its assigns take place.
Tensors RunItself(const ClosedFunction& f, const TensorList& operands) {
  const Tensors all = RunThroughDispatch(f.module, f.name, operands);
  f.Assign(all);
  return Head(all, f.num_results);
}

// --- batches ---

Tensor MoveAxisTo(const Tensor& x, int64_t from, int64_t to) {
  if (from == to) return x;
  std::vector<int64_t> order(static_cast<size_t>(x.rank()));
  std::iota(order.begin(), order.end(), 0);
  order.erase(order.begin() + from);
  order.insert(order.begin() + to, from);
  return Transpose(x, order);
}

constexpr char kMap[] = "vectorized_map";

using Axes = std::vector<std::optional<int64_t>>;

Axes AxesFor(const char* what, const Axes& given, size_t count) {
  if (given.empty()) return Axes(count, 0);
  if (given.size() == count) return given;
  ThrowInvalid(StrCat(kMap, ": ", given.size(), " ", what, " for ", count,
                      "; give one for each, std::nullopt for none, or no list for axis 0 of all"));
}

// Arguments with their rows in front, and how many there are.
struct Rows {
  Tensors arguments;
  std::vector<bool> batched;
  std::vector<Type> types;  // of one row
  int64_t count = -1;
};

Rows RowsOf(const Tensors& arguments, const Axes& axes) {
  Rows rows;
  for (size_t i = 0; i < arguments.size(); ++i) {
    Tensor x = arguments[i];
    Type type = x.type();
    if (axes[i]) {
      if (x.rank() == 0) {
        ThrowInvalid(StrCat(kMap, ": argument ", i, " is a scalar ", type.ToString(),
                            " and has no rows; give it the axis std::nullopt to share it"));
      }
      x = MoveAxisTo(x, NormalizeAxis(kMap, *axes[i], x.rank()), 0);
      const int64_t count = x.shape().dim(0);
      if (rows.count >= 0 && rows.count != count) {
        ThrowInvalid(StrCat(kMap, ": argument ", i, ", ", type.ToString(), ", has ", count,
                            " rows, the arguments before it have ", rows.count,
                            "; all must have the same number, std::nullopt shares an argument"));
      }
      rows.count = count;
      type.shape = Shape(std::span<const Extent>(x.shape().begin() + 1, x.shape().end()));
    }
    rows.arguments.push_back(x);
    rows.batched.push_back(axes[i].has_value());
    rows.types.push_back(type);
  }
  if (rows.count < 0) {
    ThrowInvalid(StrCat(kMap, ": no argument has rows; give one of them an axis, or call the function itself"));
  }
  return rows;
}

// Whether a function or one that it calls draws random bits.
bool Draws(const ir::Module& module, const std::string& name) {
  for (const ir::Function* f : ir::ReachedFunctions(module, {module.FindFunction(name)})) {
    for (const ir::Node& node : f->nodes()) {
      if (node.op == ir::Op::kRandomBits) return true;
    }
  }
  return false;
}

// The state of a generator that the function advances: each row gets a stream of its own.
bool IsGenerator(const ClosedFunction& f, const VariablePtr& v, bool draws) {
  return draws && !v->trainable && v->type == Type{kInt64, {2}} &&
         std::find(f.assigned.begin(), f.assigned.end(), v) != f.assigned.end();
}

// The operands for all rows: generators are split, which advances them.
TensorList MapOperands(const ClosedFunction& f, const Rows& rows, std::vector<bool>* batched) {
  TensorList operands(rows.arguments.begin(), rows.arguments.end());
  operands.insert(operands.end(), f.outer.begin(), f.outer.end());
  *batched = rows.batched;
  batched->resize(operands.size(), false);
  const bool draws = Draws(*f.module, f.name);
  for (const VariablePtr& v : f.variables) {
    const bool generator = IsGenerator(f, v, draws);
    batched->push_back(generator);
    if (!generator) {
      operands.push_back(ReadVariable(v));
      continue;
    }
    const Generator stream = Generator::FromKey(ReadVariable(v));
    operands.push_back(stream.Split(rows.count));
    AssignVariable(v, stream.Key());
  }
  return operands;
}

void AssignShared(const ClosedFunction& f, const Tensors& all, const passes::VectorizedFunction& vectorized) {
  const bool draws = Draws(*f.module, f.name);
  for (size_t i = 0; i < f.assigned.size(); ++i) {
    const VariablePtr& v = f.assigned[i];
    if (IsGenerator(f, v, draws)) continue;
    if (vectorized.batched[f.num_results + i]) {
      ThrowInvalid(StrCat(kMap, ": the function assigns variable '", v->name,
                          "' a value that differs between the rows; return the value instead"));
    }
    AssignVariable(v, all[f.num_results + i]);
  }
}

Tensor Placed(const Tensor& y, size_t i, bool batched, int64_t rows, std::optional<int64_t> axis) {
  if (!axis) {
    if (!batched) return y;
    ThrowInvalid(StrCat(kMap, ": result ", i, " differs between the rows, its axis must not be std::nullopt"));
  }
  Tensor all = y;
  if (!batched) {
    Shape shape{rows};
    for (Extent e : y.shape()) shape.push_back(e);
    all = BroadcastTo(y, shape);
  }
  return MoveAxisTo(all, 0, NormalizeAxis(kMap, *axis, all.rank()));
}

}  // namespace

Tensors MapRows(const TracedFunction& f, const Tensors& arguments, const MapOptions& options) {
  CheckDefined(kMap, arguments);
  const Rows rows = RowsOf(arguments, AxesFor("in_axes", options.in_axes, arguments.size()));
  const ClosedFunction closed = TraceClosed(kMap, f, rows.types);
  std::vector<bool> batched;
  const TensorList operands = MapOperands(closed, rows, &batched);
  const auto vectorized = Take(passes::Vectorize(closed.module.get(), closed.name, batched, rows.count));
  const Tensors all = RunThroughDispatch(closed.module, vectorized.name, operands);
  AssignShared(closed, all, vectorized);
  const Axes axes = AxesFor("out_axes", options.out_axes, closed.num_results);
  Tensors results;
  for (size_t i = 0; i < closed.num_results; ++i) {
    results.push_back(Placed(all[i], i, vectorized.batched[i], rows.count, axes[i]));
  }
  return results;
}

// --- forward and reverse mode ---

JvpResult RunJvp(const TracedFunction& f, const Tensors& primals, const Tensors& tangents) {
  CheckDefined("jvp", primals);
  if (primals.size() != tangents.size()) {
    ThrowInvalid(StrCat("jvp: ", tangents.size(), " tangents for ", primals.size(),
                        " primals; give one for each, a null tensor for zero"));
  }
  std::vector<bool> moving;
  Tensors given;
  for (size_t i = 0; i < primals.size(); ++i) {
    moving.push_back(tangents[i].defined());
    if (!moving.back()) continue;
    if (tangents[i].type() != primals[i].type()) {
      ThrowInvalid(StrCat("jvp: tangent ", i, " is ", tangents[i].type().ToString(), ", its primal is ",
                          primals[i].type().ToString(), "; they must have the same type"));
    }
    given.push_back(tangents[i]);
  }
  const ClosedFunction closed = TraceClosed("jvp", f, TypesOf(primals));
  moving.resize(static_cast<size_t>(closed.function().num_parameters()), false);
  const std::string name = Take(passes::AddJvpFunction(closed.module.get(), closed.name, moving));
  TensorList operands = closed.Operands(primals);
  operands.insert(operands.end(), given.begin(), given.end());
  const Tensors all = RunThroughDispatch(closed.module, name, operands);
  closed.Assign(all);
  Tensors moved;
  size_t next = closed.num_results + closed.assigned.size();
  for (size_t i = 0; i < closed.num_results; ++i) {
    const Type& type = all[i].type();
    moved.push_back(IsDifferentiable(type.dtype) ? all[next++] : Zeros(type.shape, type.dtype));
  }
  return {AsResults(Head(all, closed.num_results)), AsResults(std::move(moved))};
}

namespace {

// One seed per floating result of the function.
Tensors Seeds(const Tensors& given, const std::vector<Type>& types) {
  if (!given.empty() && given.size() != types.size()) {
    ThrowInvalid(StrCat("vjp: ", given.size(), " seeds for ", types.size(),
                        " results; give one for each, a null tensor for zeros, or none for ones"));
  }
  Tensors out;
  for (size_t i = 0; i < types.size(); ++i) {
    if (!IsDifferentiable(types[i].dtype)) continue;
    if (given.empty()) {
      out.push_back(Ones(types[i].shape, types[i].dtype));
    } else if (!given[i].defined()) {
      out.push_back(Zeros(types[i].shape, types[i].dtype));
    } else if (given[i].type() != types[i]) {
      ThrowInvalid(StrCat("vjp: seed ", i, " is ", given[i].type().ToString(), ", its result is ", types[i].ToString(),
                          "; they must have the same type"));
    } else {
      out.push_back(given[i]);
    }
  }
  return out;
}

}  // namespace

VjpResult RunVjp(const TracedFunction& f, const Tensors& primals) {
  CheckDefined("vjp", primals);
  const ClosedFunction closed = TraceClosed("vjp", f, TypesOf(primals));
  const ir::Function& function = closed.function();
  const TensorList operands = closed.Operands(primals);
  std::vector<std::string> ys, xs;
  for (size_t i = 0; i < closed.num_results; ++i) {
    if (IsDifferentiable(function.type(function.results()[i]).dtype)) ys.push_back(StrCat(i));
  }
  for (size_t i = 0; i < primals.size(); ++i) {
    if (IsDifferentiable(primals[i].dtype())) xs.push_back(function.parameter(static_cast<int>(i)).name);
  }
  passes::GradientFunction gradient;
  if (!ys.empty() && !xs.empty()) {
    gradient = Take(passes::AddGradientFunction(closed.module.get(), closed.name, ys, xs, true));
  }
  const Tensors values = RunItself(closed, operands);
  const auto pullback = [module = closed.module, gradient, operands, primals,
                         types = TypesOf(values)](const Tensors& seeds) {
    TensorList all = operands;
    for (const Tensor& seed : Seeds(seeds, types)) all.push_back(seed);
    Tensors given;
    if (!gradient.name.empty()) given = RunThroughDispatch(module, gradient.name, all);
    std::vector<std::optional<Tensor>> out;
    size_t next = 0;
    for (const Tensor& x : primals) {
      const bool smooth = IsDifferentiable(x.dtype()) && next < given.size();
      out.push_back(smooth && gradient.connected[next] ? std::optional(given[next]) : std::nullopt);
      next += smooth ? 1 : 0;
    }
    return out;
  };
  return {AsResults(values), pullback};
}

// --- matrices of derivatives ---

Tensors RunJacobian(const TracedFunction& f, const Tensors& arguments, int argument) {
  CheckDefined("jacobian", arguments);
  if (argument < 0 || argument >= static_cast<int>(arguments.size())) {
    ThrowInvalid(StrCat("jacobian: there is no argument ", argument, " of ", arguments.size()));
  }
  const ClosedFunction closed = TraceClosed("jacobian", f, TypesOf(arguments));
  std::vector<int> ys(closed.num_results);
  std::iota(ys.begin(), ys.end(), 0);
  const auto made = Take(passes::AddJacobianFunction(closed.module.get(), closed.name, ys, argument));
  const TensorList operands = closed.Operands(arguments);
  const Tensors results = RunThroughDispatch(closed.module, made.name, operands);
  if (!closed.assigned.empty()) RunItself(closed, operands);
  return results;
}

Results RunHvp(const TracedFunction& f, const Tensors& xs, const Tensors& vs) {
  const auto gradient = [&f](std::span<const Tensor> x) {
    const VjpResult vjp = RunVjp(f, {x.begin(), x.end()});
    NamedTensors out;
    const auto gradients = vjp.pullback({});
    for (size_t i = 0; i < gradients.size(); ++i) out.push_back(gradients[i] ? *gradients[i] : ZerosLike(x[i]));
    return out;
  };
  return RunJvp(gradient, xs, vs).tangents;
}

}  // namespace reel::internal
