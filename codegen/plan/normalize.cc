#include "codegen/plan/normalize.h"

#include <algorithm>
#include <set>

#include "absl/status/status.h"
#include "codegen/plan/plan.h"
#include "codegen/plan/uses.h"
#include "codegen/plan/view.h"
#include "ir/builder.h"
#include "ir/strings.h"
#include "passes/rewrite.h"

namespace reel::codegen {
namespace {

using ir::Builder;
using ir::Node;
using ir::Op;
using ir::Value;
using Axes = std::vector<int64_t>;

Axes Rest(int rank, const Axes& batch, const Axes& contract) {
  Axes rest;
  for (int64_t i = 0; i < rank; ++i) {
    if (std::find(batch.begin(), batch.end(), i) == batch.end() &&
        std::find(contract.begin(), contract.end(), i) == contract.end()) {
      rest.push_back(i);
    }
  }
  return rest;
}

// Axes in this order: a view.
Value Arranged(Builder* b, Value x, const std::vector<Axes>& groups) {
  Axes permutation;
  for (const Axes& g : groups) permutation.insert(permutation.end(), g.begin(), g.end());
  return std::is_sorted(permutation.begin(), permutation.end()) ? x : b->Transpose(x, permutation);
}

// x's place in memory, as far as views tell.
std::optional<View> PlaceOf(const ir::Function& f, Value x) {
  std::vector<const Node*> chain;
  for (const Node* node = f.producer(x); node && IsView(node->op); node = f.producer(x)) {
    chain.push_back(node);
    x = node->operands[0];
  }
  std::optional<View> view = View{x, 0, RowMajorStrides(f.type(x).shape)};
  for (; view && !chain.empty(); chain.pop_back()) view = ViewThrough(f, *chain.back(), *view);
  return view;
}

int64_t ExtentOf(const Shape& shape, const Axes& axes) {
  int64_t n = 1;
  for (int64_t a : axes) n *= shape.dim(static_cast<int>(a));
  return n;
}

// The last of these axes that lie evenly in memory, as one.
struct Run {
  int64_t extent = 1, stride = 0;
};
Run LastRun(const Shape& shape, const View& view, const Axes& axes) {
  Run run;
  for (size_t i = axes.size(); i-- > 0;) {
    const int64_t extent = shape.dim(static_cast<int>(axes[i])), stride = view.strides[static_cast<size_t>(axes[i])];
    if (extent == 1) continue;
    if (run.extent > 1 && stride != run.stride * run.extent) break;
    if (run.extent == 1) run.stride = stride;
    run.extent *= extent;
  }
  return run;
}

// Whether lanes along so few columns would be left idle, and x's rows have neighbours in memory, or neighbours along k
// to turn: they become lanes.
bool LeavesLanesIdle(const ir::Function& f, Value x, const Axes& xk, const Axes& m, int64_t columns,
                     const Tuning& tuning) {
  const Type& type = f.type(x);
  if (SizeOf(type.dtype) < 4 || columns * SizeOf(type.dtype) > tuning.matmul_few_columns) return false;
  const std::optional<View> view = PlaceOf(f, x);
  if (!view) return false;
  const int64_t depth = ExtentOf(type.shape, xk), square = tuning.matmul_least_square;
  const Run rows = LastRun(type.shape, *view, m), along_k = LastRun(type.shape, *view, xk);
  const bool taps = depth <= tuning.matmul_taps && along_k.stride == 1;  // of a filter: it may move on by two
  if (columns == 1 && rows.extent >= tuning.matmul_least_lanes && rows.stride >= 1 &&
      rows.stride <= (taps ? tuning.matmul_lanes_apart : 1))
    return true;
  // Results of several columns are transposed afterwards.
  if (rows.extent < square * columns || (columns > 1 && depth < square * square)) return false;
  return rows.stride == 1 || (along_k.stride == 1 && along_k.extent == depth && depth >= square);
}

// Whether x has its rows side by side, a long k of them apart, and many for few columns: they become lanes, so that
// the larger operand is read once and in order. The result is then a transpose, small beside what is read.
bool RowsBecomeLanes(const ir::Function& f, Value x, Value y, const Axes& xk, const Axes& m, const Axes& n,
                     const Tuning& tuning) {
  const Shape &from = f.type(x).shape, &by = f.type(y).shape;
  const int64_t columns = ExtentOf(by, n);
  if (LeavesLanesIdle(f, x, xk, m, columns, tuning)) return true;
  if (xk.size() != 1 || m.size() != 1 || m[0] + 1 != from.rank() || n.size() > 1) return false;
  const int64_t depth = ExtentOf(from, xk), least = tuning.rows_as_lanes_ratio * columns;
  return depth >= std::max(tuning.rows_as_lanes_depth, 2 * least) && ExtentOf(from, m) >= least;
}

Value NormalizeContract(Builder* b, const Node& node, Value x, Value y, const Tuning& tuning) {
  const ir::Function& f = *b->function();
  const auto &xb = node.attr<Axes>("a_batch"), &yb = node.attr<Axes>("b_batch"), &xk = node.attr<Axes>("a_contract"),
             &yk = node.attr<Axes>("b_contract");
  const Axes m = Rest(b->shape(x).rank(), xb, xk), n = Rest(b->shape(y).rank(), yb, yk);
  const auto from = [](size_t first, size_t count) {
    Axes axes;
    for (size_t i = 0; i < count; ++i) axes.push_back(static_cast<int64_t>(first + i));
    return axes;
  };
  const Axes batch = from(0, xb.size());
  const auto product = [&](Value a, const std::vector<Axes>& a_axes, Value c, const std::vector<Axes>& c_axes) {
    return b->Contract(Arranged(b, a, a_axes), Arranged(b, c, c_axes),
                       {batch, batch, from(xb.size() + a_axes[1].size(), xk.size()), from(xb.size(), xk.size())});
  };
  if (!RowsBecomeLanes(f, x, y, xk, m, n, tuning)) return product(x, {xb, m, xk}, y, {yb, yk, n});
  const Value turned = product(y, {yb, n, yk}, x, {xb, xk, m});
  const std::vector<Axes> order = {batch, from(xb.size() + n.size(), m.size()), from(xb.size(), n.size())};
  if (ExtentOf(f.type(y).shape, n) != 1) return Arranged(b, turned, order);
  std::vector<int64_t> extents;  // a column: the same elements in the same order, no kernel of its own
  for (const Axes& axes : order) {
    for (int64_t a : axes) extents.push_back(f.type(turned).shape.dim(static_cast<int>(a)));
  }
  return b->Reshape(turned, Shape(extents));
}

constexpr int64_t kMinRow = 64;  // elements of a row that is reduced by itself

// x's place in memory, if it shows windows of something, and these do not hold neighbours in memory.
bool ShowsLanes(const ir::Function& f, Value x, const Axes& reduced) {
  std::vector<const Node*> chain;
  bool windows = false;
  for (const Node* node = f.producer(x); node && IsView(node->op); node = f.producer(node->operands[0])) {
    chain.push_back(node);
    windows |= node->op == Op::kWindow;
  }
  if (!windows) return false;
  std::optional<View> view;
  for (size_t i = chain.size(); i-- > 0;) {
    const Value from = chain[i]->operands[0];
    if (!view) view = View{from, 0, RowMajorStrides(f.type(from).shape)};
    view = ViewThrough(f, *chain[i], *view);
  }
  if (!view) return false;
  const Shape& shape = f.type(x).shape;
  for (int i = shape.rank(); i-- > 0;) {
    if (view->strides[static_cast<size_t>(i)] != 1 || shape.dim(i) == 1) continue;
    return !std::binary_search(reduced.begin(), reduced.end(), i);
  }
  return false;
}

// The last axis of more than one element; -1: none.
int64_t LastAxis(const Shape& shape) {
  int last = shape.rank() - 1;
  while (last >= 0 && shape.dim(last) == 1) --last;
  return last;
}

// Few elements are combined one by one, lanes side by side, in the order of a reduction: rows in order; else each is a
// partial of its own, then the tree. Invalid if that is not worth it.
Value ReduceFew(Builder* b, const Node& node, Value x, const Axes& axes, const Tuning& tuning) {
  const Shape shape = b->shape(x);
  int64_t count = 1;
  for (int64_t a : axes) count *= shape.dim(static_cast<int>(a));
  if (count < 2 || count > tuning.few_terms || b->type(x).dtype == kBool || !ShowsLanes(*b->function(), x, axes))
    return {};
  std::vector<Value> partials = b->Elements(x, axes);
  if (!std::binary_search(axes.begin(), axes.end(), LastAxis(shape))) {
    Value sum = partials[0];
    for (size_t i = 1; i < partials.size(); ++i) sum = b->Emit(ir::CombinerOf(node.op), {sum, partials[i]});
    return sum;
  }
  size_t half = 1;
  while (2 * half < partials.size()) half *= 2;
  for (; half > 0; half /= 2) {
    for (size_t j = 0; j + half < partials.size(); ++j) {
      partials[j] = b->Emit(ir::CombinerOf(node.op), {partials[j], partials[j + half]});
    }
    partials.resize(std::min(half, partials.size()));
  }
  return partials[0];
}

// Moves the reduced axes to the end when kept axes stand between them, or before the last axis if that is kept: which
// of the two rules applies stays as it is. A reduction of everything goes over rows first (ir/MEANING.md).
Value NormalizeReduce(Builder* b, const Node& node, Value x, const Tuning& tuning) {
  Axes axes = node.attr<Axes>("axes");
  const auto is_everything = [&] { return static_cast<int>(axes.size()) == b->shape(x).rank(); };
  while (axes.size() > 1 && is_everything() && b->shape(x).dim(b->shape(x).rank() - 1) >= kMinRow) {
    x = b->Emit(node.op, {x}, {{"axes", Axes{axes.back()}}});
    axes.pop_back();
  }
  if (const Value few = ReduceFew(b, node, x, axes, tuning); few.valid()) return few;
  const bool neighbours = axes.empty() || axes.back() - axes.front() + 1 == static_cast<int64_t>(axes.size());
  if (neighbours) return b->Emit(node.op, {x}, {{"axes", axes}});
  const int64_t last = LastAxis(b->shape(x));
  const bool rows = !std::binary_search(axes.begin(), axes.end(), last);
  Axes permutation = Rest(b->shape(x).rank(), axes, {});
  const auto to = rows ? std::find(permutation.begin(), permutation.end(), last) : permutation.end();
  Axes moved;
  for (size_t i = 0; i < axes.size(); ++i) moved.push_back(to - permutation.begin() + static_cast<int64_t>(i));
  permutation.insert(to, axes.begin(), axes.end());
  return b->Emit(node.op, {b->Transpose(x, permutation)}, {{"axes", moved}});
}

// Sorts along the last axis.
Value NormalizeSort(Builder* b, const Node& node, Value x) {
  const int rank = b->shape(x).rank();
  const auto axis = node.attr<int64_t>("axis");
  Axes order = Rest(rank, {axis}, {}), back;
  order.push_back(axis);
  for (int64_t i = 0; i < rank; ++i) back.push_back(i < axis ? i : i == axis ? rank - 1 : i - 1);
  return b->Transpose(b->Argsort(b->Transpose(x, order), rank - 1, node.attr<bool>("descending")), back);
}

// Of an argsort that a transpose shows: the same part of its rows, shown so.
Value NormalizeSlice(Builder* b, const Node& node, Value x) {
  const ir::Function& f = *b->function();
  const Node* shown = f.Is(x, Op::kTranspose) ? f.producer(x) : nullptr;
  if (shown == nullptr || !f.Is(shown->operands[0], Op::kArgsort)) return b->Emit(node.op, {x}, node.attrs());
  const auto order = shown->attr<Axes>("permutation");
  const Value sort = shown->operands[0];
  const auto turned = [&](const char* name) {
    Axes out(order.size());
    for (size_t i = 0; i < order.size(); ++i) out[static_cast<size_t>(order[i])] = node.attr<Axes>(name)[i];
    return out;
  };
  return b->Transpose(b->Slice(sort, turned("starts"), turned("limits"), turned("strides")), order);
}

// A broadcast in another shape, as a broadcast to that; none if there is no such. What it repeats may be computed where
// it is read: a reshape of the broadcast would store all of it.
Value BroadcastIn(Builder* b, const Node& broadcast, const Shape& to) {
  const Value x = broadcast.operands[0];
  const Shape from = b->shape(x);
  const auto view = ViewThrough(*b->function(), broadcast, View{x, 0, RowMajorStrides(from)});
  const auto strides = view ? ReshapeStrides(b->shape(broadcast.result()), view->strides, to) : std::nullopt;
  if (!strides) return {};
  Axes axes;
  std::vector<int64_t> kept;
  for (int i = 0; i < to.rank(); ++i) {
    if ((*strides)[static_cast<size_t>(i)] == 0 || to.dim(i) == 1) continue;
    axes.push_back(i);
    kept.push_back(to.dim(i));
  }
  const Shape part(kept);
  if (part.size() != from.size()) return {};
  return b->Broadcast(b->Reshape(x, part), to, axes);
}

// A map of a product in another shape, which nothing else reads, with what is one for many rows: of the product as it
// is, which it can join. `node` is of `original`, `readers` counts there.
Value MapOfProduct(Builder* b, const ir::Function& original, const Node& node, const ir::ValueList& operands,
                   const std::vector<int>& readers) {
  if (!ir::Info(node.op).Has(ir::kElementwise) || operands.size() != 2) return {};
  const ir::Function& f = *b->function();
  const auto shared = [&readers](Value v) { return readers[v.index()] > 1; };
  for (size_t k = 0; k < 2; ++k) {
    if (!original.Is(node.operands[k], Op::kReshape)) continue;
    if (shared(node.operands[k]) || shared(original.producer(node.operands[k])->operands[0])) continue;
    const Node *reshape = f.producer(operands[k]), *other = f.producer(operands[1 - k]);
    if (!reshape || reshape->op != Op::kReshape) continue;
    if (!f.Is(reshape->operands[0], Op::kContract) || !other || other->op != Op::kBroadcast) continue;
    const Value product = reshape->operands[0];
    const Shape shape = b->shape(product), outer = b->shape(operands[k]);
    const Value repeated = BroadcastIn(b, *other, shape);
    if (!repeated.valid()) continue;
    ir::ValueList moved = operands;
    moved[k] = product;
    moved[1 - k] = repeated;
    return b->Reshape(b->Emit(node.op, moved, node.attrs()), outer);
  }
  return {};
}

absl::Status CheckFunction(const ir::Function& f) {
  for (int i = 0; i < f.num_values(); ++i) {
    if (f.type({i}).shape.is_constant()) continue;
    const ir::Node* node = f.producer({i});
    return absl::UnimplementedError(
        StrCat("@", f.name(), ": ", node ? std::string(Name(node->op)) : "parameter %" + f.parameter(i).name,
               " has a symbolic extent; compile for a number, with CompileOptions::extents or --extent NAME=NUMBER"));
  }
  return absl::OkStatus();
}

// The operand that result i of a control op always is: a loop's invariant, what all branches return; -1: none.
int PassedThrough(const Node& node, int i, const ir::Module& module) {
  const bool loop = node.op == Op::kWhile, branches = node.op == Op::kIf;
  int parameter = -1;
  for (std::string_view name : {branches ? "then" : loop ? "body" : "callee", branches ? "else" : ""}) {
    if (name.empty()) continue;
    const ir::Function& f = *module.FindFunction(node.attr<std::string>(name));
    const Value v = f.results()[static_cast<size_t>(i)];
    if (!f.is_parameter(v) || (loop && v.id != i) || (parameter >= 0 && v.id != parameter)) return -1;
    parameter = v.id;
  }
  return branches ? parameter + 1 : parameter;
}

// What checks look at, and these themselves, where it takes nothing but maps and views of parameters to
// compute: by node. They go in front, so that a call fails before it has changed a variable, and no chain of kernels is
// interrupted.
std::vector<bool> EarlyChecks(const ir::Function& f) {
  const auto count = f.nodes().size();
  std::vector<bool> possible(count), early(count);
  const auto made_early = [&](Value v) {
    return f.is_parameter(v) || possible[static_cast<size_t>(f.producer_index(v))];
  };
  for (size_t n = 0; n < count; ++n) {
    const Node& node = f.nodes()[n];
    const bool simple =
        ir::Info(node.op).Has(ir::kElementwise) || IsView(node.op) || node.op == Op::kIota || node.op == Op::kConstant;
    possible[n] = simple && std::all_of(node.operands.begin(), node.operands.end(), made_early);
  }
  for (size_t n = count; n-- > 0;) {
    const Node& node = f.nodes()[n];
    early[n] = early[n] || (possible[n] && ir::IsCheck(node.op));
    for (Value v : node.operands) {
      if (early[n] && !f.is_parameter(v)) early[static_cast<size_t>(f.producer_index(v))] = true;
    }
  }
  return early;
}

DType UnsignedOf(DType dtype) {
  const int64_t size = SizeOf(dtype);
  return size == 1 ? kUInt8 : size == 2 ? kUInt16 : size == 4 ? kUInt32 : kUInt64;
}

// A check of one number stands for that of all: of indices the largest, were they unsigned; of divisors the smallest,
// were they unsigned; of exponents the smallest.
void EmitCheck(Builder* b, const Node& node, Value x) {
  const Type type = b->type(x);
  const int64_t count = type.shape.size();
  const bool index = node.op == Op::kCheckIndex;
  if (index && !node.attr<Shape>("shape").is_constant()) {
    b->Fail(absl::InternalError("check_index: its extent is a symbol that no argument fixes"));
    return;
  }
  if (count == 0) return;
  Value worst;
  if (count == 1) {
    worst = type.shape.rank() == 0 ? x : b->Reshape(x, {});
  } else {
    const DType bits = index || !node.attr<bool>("negative") ? UnsignedOf(type.dtype) : type.dtype;
    const Value all = b->Reshape(bits == type.dtype ? x : b->Bitcast(x, bits), {count});
    worst = index ? b->ReduceMax(all, {0}) : b->ReduceMin(all, {0});
    if (bits != type.dtype) worst = b->Bitcast(worst, type.dtype);
  }
  const ir::Function& f = *b->function();
  if (!f.Is(worst, Op::kConstant) && IsUniformConstant(f, worst)) worst = b->Identity(worst);
  b->Emit(node.op, {worst}, node.attrs());
}

// A loop without a bound that changes nothing does not end once it runs: it is no identity.
bool NeverEnds(const Node& node, const ir::Module& module) {
  if (node.op != Op::kWhile || node.attrs().Find("maximum_iterations")) return false;
  for (int i = 0; i < node.num_results; ++i) {
    if (PassedThrough(node, i, module) < 0) return false;
  }
  return true;
}

// Emits a control op, a callback or a collective; one value per result.
ir::ValueList NormalizeControl(Builder* b, const Node& node, ir::ValueList operands, const ir::Module& module) {
  for (Value& v : operands) {
    if (!b->function()->Is(v, Op::kConstant) && IsUniformConstant(*b->function(), v)) v = b->Identity(v);
  }
  ir::ValueList results = b->EmitAll(node.op, operands, node.attrs());
  if (ir::IsCall(node.op) || NeverEnds(node, module)) return results;
  for (int i = 0; i < node.num_results && b->status().ok(); ++i) {
    if (const int k = PassedThrough(node, i, module); k >= 0) {
      results[static_cast<size_t>(i)] = operands[static_cast<size_t>(k)];
    }
  }
  return results;
}

// A result may be a parameter if what the caller has in its place is that parameter's memory.
bool MayStay(const ir::Function& f, Value v, int result, Role role) {
  if (role == Role::kBody) return v.id == result;
  return role == Role::kEntry && result >= f.num_outputs() && v.id == f.num_arguments() + result - f.num_outputs();
}

// Emits what computes values alone.
Value NormalizeOp(Builder* b, const ir::Function& f, const Node& node, const ir::ValueList& operands,
                  const std::vector<int>& readers, const Tuning& tuning) {
  switch (node.op) {
    case Op::kIdentity:
    case Op::kStopGradient: return operands[0];
    case Op::kContract: return NormalizeContract(b, node, operands[0], operands[1], tuning);
    case Op::kArgsort: return NormalizeSort(b, node, operands[0]);
    case Op::kSlice: return NormalizeSlice(b, node, operands[0]);
    default: break;
  }
  if (ir::Info(node.op).Has(ir::kReduction)) return NormalizeReduce(b, node, operands[0], tuning);
  const Value of_product = MapOfProduct(b, f, node, operands, readers);
  return of_product.valid() ? of_product : b->Emit(node.op, operands, node.attrs());
}

// Gives each result of f's normal form a value of its own, or leaves the parameter that it is.
void SettleResults(Builder* b, const ir::Function& f, Role role, std::vector<Value>* results) {
  const ir::Function& out = *b->function();
  std::set<int32_t> seen;
  for (size_t i = 0; i < results->size(); ++i) {
    Value& v = (*results)[i];
    const bool own = v.valid() && !out.is_parameter(v) && !out.Is(v, Op::kConstant) && seen.insert(v.id).second;
    if (!own && !MayStay(f, v, static_cast<int>(i), role)) v = b->Identity(v);
  }
}

}  // namespace

absl::StatusOr<ir::Function> Normalize(const ir::Function& f, const ir::Module& module, Role role, const Tuning& tuning,
                                       std::vector<ir::Value>* origins) {
  if (absl::Status s = CheckFunction(f); !s.ok()) return s;
  ir::Function out(f.name());
  std::vector<Value> map(static_cast<size_t>(f.num_values()));
  const auto at = [&map](Value v) -> Value& { return map[v.index()]; };
  for (int i = 0; i < f.num_parameters(); ++i) {
    const ir::Parameter& p = f.parameter(i);
    at({i}) = i < f.num_arguments() ? out.AddParameter(p.name, p.type) : out.AddState(p.name, p.type);
  }
  Builder b(&out, &module);
  const std::vector<int> readers = passes::CountReads(f);
  const std::vector<bool> live = passes::LiveNodes(f), early = EarlyChecks(f);
  const auto copy = [&](size_t n) {
    const Node& node = f.nodes()[n];
    ir::ValueList operands;
    for (Value v : node.operands) operands.push_back(at(v));
    if (origins != nullptr || ir::IsCheck(node.op)) {
      b.set_location(node.location < 0 ? -1 : out.AddLocation(f.locations()[static_cast<size_t>(node.location)]));
    }
    if (ir::Info(node.op).Has(ir::kControl) || ir::IsCall(node.op)) {
      if (node.num_results == 0 || (ir::IsCall(node.op) && !live[n])) return;
      const ir::ValueList results = NormalizeControl(&b, node, std::move(operands), module);
      for (size_t i = 0; i < results.size(); ++i) at(node.result(static_cast<int>(i))) = results[i];
    } else if (ir::IsCheck(node.op)) {
      if (live[n]) EmitCheck(&b, node, operands[0]);
      at(node.result()) = operands[0];
    } else {
      at(node.result()) = NormalizeOp(&b, f, node, operands, readers, tuning);
    }
  };
  for (const bool first : {true, false}) {
    for (size_t n = 0; n < early.size(); ++n) {
      if (early[n] != first) continue;
      const Node& node = f.nodes()[n];
      if (origins != nullptr) origins->resize(static_cast<size_t>(out.num_values()));
      copy(n);
      b.set_location(-1);
      if (origins == nullptr) continue;
      origins->resize(static_cast<size_t>(out.num_values()), node.num_results > 0 ? node.result() : Value{});
    }
  }
  std::vector<Value> results;
  for (Value v : f.results()) results.push_back(at(v));
  SettleResults(&b, f, role, &results);
  if (!b.status().ok()) return b.status();
  out.SetResults(std::move(results));
  out.set_result_names(f.result_names());
  return out;
}

}  // namespace reel::codegen
