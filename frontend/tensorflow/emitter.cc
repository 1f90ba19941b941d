#include "frontend/tensorflow/emitter.h"

#include <algorithm>
#include <limits>

#include "frontend/values/status.h"
#include "ir/strings.h"

namespace reel::tensorflow {
namespace {

constexpr Operation kOperations[] = {
#define OPERATION(name, ports, dtypes) {#name, ports, dtypes},
#include "frontend/tensorflow/operations.def"
#undef OPERATION
};

// Larger ones are not looked for among those that are there.
constexpr size_t kSmallBytes = 256;

std::vector<Type> TypesOf(const Values& values) {
  std::vector<Type> out;
  for (const Value& v : values) out.push_back(v.type);
  return out;
}

// The shape that two have together: extents of 1, and missing ones in front, stretch.
Shape Together(const Shape& a, const Shape& b) {
  const Shape &longer = a.rank() >= b.rank() ? a : b, &other = a.rank() >= b.rank() ? b : a;
  Shape out = longer;
  for (int i = 1; i <= other.rank(); ++i) {
    const int axis = longer.rank() - i;
    if (out[axis] == Extent(1)) out.set(axis, other[other.rank() - i]);
  }
  return out;
}

// TensorFlow joins neighbouring axes that all stretch, or all stay, and takes 5 of these: where there are more, the
// shape in which only the first ones stretch.
Shape FirstStretch(const Shape& x, const Shape& shape) {
  Shape from = x;
  while (from.rank() < shape.rank()) from.insert(0, 1);
  int runs = 0, begin = -1, end = 0;  // of the first run that stretches
  for (int axis = 0; axis < shape.rank(); ++axis) {
    const bool stretches = from[axis] != shape[axis];
    const bool goes_on = axis > 0 && stretches == (from[axis - 1] != shape[axis - 1]);
    if (!goes_on) ++runs;
    if (stretches && begin < 0) begin = axis;
    if (stretches && (begin == axis || (goes_on && end == axis))) end = axis + 1;
  }
  if (runs <= 5) return shape;
  for (int axis = begin; axis < end; ++axis) from.set(axis, shape[axis]);
  return from;
}

bool BeginsNodeName(char c) { return InNodeName(c) && c != '_' && c != '/' && c != '-'; }

bool InArgument(char c) { return (c >= 'a' && c <= 'z') || (c >= '0' && c <= '9') || c == '_'; }

// "T:0 DstT>0" as attributes.
void AddDTypes(const Operation& operation, const Values& operands, const std::vector<Type>& types, Attrs* out) {
  std::string_view rest = operation.dtypes;
  while (!rest.empty()) {
    const std::string_view word = rest.substr(0, rest.find(' '));
    rest.remove_prefix(std::min(rest.size(), word.size() + 1));
    const size_t at = word.find_first_of(":>");
    const auto i = static_cast<size_t>(word[at + 1] - '0');
    out->push_back({std::string(word.substr(0, at)), word[at] == ':' ? operands[i].type.dtype : types[i].dtype});
  }
}

}  // namespace

const Operation& OperationOf(std::string_view name) {
  const auto* found = std::lower_bound(std::begin(kOperations), std::end(kOperations), name,
                                       [](const Operation& a, std::string_view b) { return a.name < b; });
  if (found == std::end(kOperations) || found->name != name)
    internal::ThrowError(ErrorCode::kInternal, StrCat("tensorflow: operations.def has no row ", name));
  return *found;
}

std::string_view PortOf(const Operation& operation, int output) {
  std::string_view ports = operation.ports;
  for (size_t space = ports.find(' '); space != ports.npos && output > 0; space = ports.find(' '), --output)
    ports.remove_prefix(space + 1);
  return ports.substr(0, ports.find(' '));
}

bool InNodeName(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') ||
         std::string_view("_./-").find(c) != std::string_view::npos;
}

std::string ArgumentNear(std::string_view name, exports::Names* names) {
  std::string out;
  for (const char c : name) {
    const char lower = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    out += InArgument(lower) ? lower : '_';
  }
  if (out.empty() || out[0] < 'a') out.insert(0, "arg_");
  return names->Unique(out);
}

Value Emitter::Argument(std::string_view name, const Type& type, bool is_resource) {
  GraphNode& node = body_.nodes.emplace_back();
  node.name = ArgumentNear(name, &argument_names_);
  names_.Unique(node.name);  // no other node is called so
  node.original = name;
  node.types = {type};
  node.is_resource = is_resource;
  const Value value{num_nodes() - 1, 0, type};
  if (!is_resource) BindSymbols(value);
  return value;
}

std::string Emitter::Claim(std::string_view name) {
  std::string wanted(name);
  if (!wanted.empty() && !BeginsNodeName(wanted[0])) wanted.insert(0, ".");
  return names_.Unique(wanted);
}

void Emitter::SetName(GraphNode* node, std::string_view name) {
  node->name = Claim(name);
  if (node->name != name) node->original = name;
}

Values Emitter::Settle(int first, const Values& results) {
  const auto nodes = static_cast<size_t>(num_nodes() - first);
  constexpr int kNone = -1;
  std::vector<int> place(nodes, kNone), order;  // by node: where it goes; by place: the node
  std::vector<std::pair<int, size_t>> path;     // nodes, and how many of their operands are done
  for (const Value& result : results) {
    path.emplace_back(result.node, 0);
    while (!path.empty()) {
      const int at = path.back().first;
      const size_t next = path.back().second++;
      if (at < first || place[static_cast<size_t>(at - first)] != kNone) {
        path.pop_back();
      } else if (next < node(at).inputs.size()) {
        path.emplace_back(node(at).inputs[next].node, 0);
      } else {
        place[static_cast<size_t>(at - first)] = first + static_cast<int>(order.size());
        order.push_back(at);
        path.pop_back();
      }
    }
  }
  const auto moved = [&](const Value& v) {
    return Value{v.node < first ? v.node : place[static_cast<size_t>(v.node - first)], v.output, v.type};
  };
  std::vector<GraphNode> ordered;
  for (const int at : order) {
    ordered.push_back(std::move(node(at)));
    for (Value& input : ordered.back().inputs) input = moved(input);
  }
  body_.nodes.resize(static_cast<size_t>(first));
  std::move(ordered.begin(), ordered.end(), std::back_inserter(body_.nodes));
  for (auto it = constants_.begin(); it != constants_.end();) {
    it->second = moved(it->second);
    it = it->second.node == kNone ? constants_.erase(it) : std::next(it);
  }
  Values out;
  for (const Value& result : results) out.push_back(moved(result));
  return out;
}

Values Emitter::NameNodes(int first, const Values& given, const std::vector<std::string>& wanted,
                          std::string_view fallback) {
  const Values results = Settle(first, given);
  std::string base;
  for (size_t i = 0; i < results.size(); ++i) {
    if (results[i].node < first) continue;
    GraphNode& n = node(results[i].node);
    if (!n.name.empty()) continue;
    if (wanted[i].empty()) {
      n.name = names_.Unique(fallback);
    } else {
      SetName(&n, wanted[i]);
    }
    if (base.empty()) base = n.name;
  }
  if (base.empty()) base = fallback;
  for (int i = first; i < num_nodes(); ++i) {
    GraphNode& n = node(i);
    if (n.name.empty()) n.name = names_.Unique(StrCat(base, "/", n.operation->name));
  }
  return results;
}

Value Emitter::Named(const Value& value, std::string claimed, std::string_view wanted) {
  const Value out = Emit("Identity", {value}, value.type);
  if (claimed != wanted) node(out.node).original = wanted;
  node(out.node).name = std::move(claimed);
  return out;
}

void Emitter::BindSymbols(const Value& value) {
  for (int axis = 0; axis < value.type.shape.rank(); ++axis) {
    const Extent e = value.type.shape[axis];
    if (!e.is_constant()) symbols_.try_emplace(e.symbol(), value, axis);
  }
}

Body Emitter::Finish(std::string name, Values results, std::vector<std::string> result_names) {
  for (GraphNode& node : body_.nodes) {
    if (node.name.empty()) node.name = names_.Unique(node.operation->name);
  }
  body_.name = std::move(name);
  body_.results = std::move(results);
  body_.result_names = std::move(result_names);
  return std::move(body_);
}

Values Emitter::EmitAll(std::string_view op, const Values& operands, const std::vector<Type>& types, Attrs attrs) {
  const Operation& operation = OperationOf(op);
  AddDTypes(operation, operands, types, &attrs);
  GraphNode node;
  node.operation = &operation;
  node.inputs = operands;
  node.attrs = std::move(attrs);
  node.types = types;
  body_.nodes.push_back(std::move(node));
  Values out;
  for (size_t i = 0; i < types.size(); ++i) out.push_back({num_nodes() - 1, static_cast<int>(i), types[i]});
  return out;
}

Value Emitter::Emit(std::string_view op, const Values& operands, const Type& type, Attrs attrs) {
  return EmitAll(op, operands, {type}, std::move(attrs))[0];
}

Value Emitter::Constant(const ir::Literal& literal) {
  const auto make = [&] { return Emit("Const", {}, literal.type(), {{"value", literal}}); };
  const auto bytes = literal.bytes();
  if (bytes.size() > kSmallBytes) return make();
  const std::string key =
      StrCat(literal.type().ToString(), " ", std::string(reinterpret_cast<const char*>(bytes.data()), bytes.size()));
  const auto it = constants_.find(key);
  return it != constants_.end() ? it->second : constants_.emplace(key, make()).first->second;
}

Value Emitter::Numbers(const std::vector<int64_t>& values) {
  return Constant(ir::Literal::From<int64_t>({static_cast<int64_t>(values.size())}, values));
}

Value Emitter::Binary(std::string_view op, const Value& a, const Value& b) {
  return Emit(op, {a, b}, {a.type.dtype, Together(a.type.shape, b.type.shape)});
}

Value Emitter::Compare(std::string_view op, const Value& a, const Value& b) {
  return Emit(op, {a, b}, {kBool, Together(a.type.shape, b.type.shape)});
}

Value Emitter::Select(const Value& condition, const Value& a, const Value& b) {
  const Shape shape = Together(condition.type.shape, Together(a.type.shape, b.type.shape));
  if (shape.rank() <= 8) return Emit("SelectV2", {condition, a, b}, {a.type.dtype, shape});
  // The kernel stretches no more axes than these: the first version, of one shape, has any number.
  const Value mask = BroadcastTo(condition, shape), x = BroadcastTo(a, shape), y = BroadcastTo(b, shape);
  return Emit("Select", {mask, x, y}, {a.type.dtype, shape});
}

Value Emitter::Convert(const Value& x, DType dtype) {
  if (x.type.dtype == dtype) return x;
  return Emit("Cast", {x}, {dtype, x.type.shape});
}

Value Emitter::Bitcast(const Value& x, DType dtype) {
  if (x.type.dtype == dtype) return x;
  return Emit("Bitcast", {x}, {dtype, x.type.shape});
}

Value Emitter::Reshape(const Value& x, const Shape& shape) {
  if (x.type.shape == shape) return x;
  return Emit("Reshape", {x, Extents(shape)}, {x.type.dtype, shape});
}

Value Emitter::BroadcastTo(const Value& x, const Shape& shape) {
  if (x.type.shape == shape) return x;
  const Shape first = FirstStretch(x.type.shape, shape);
  if (!(first == shape)) return BroadcastTo(Emit("BroadcastTo", {x, Extents(first)}, {x.type.dtype, first}), shape);
  return Emit("BroadcastTo", {x, Extents(shape)}, {x.type.dtype, shape});
}

Value Emitter::Transpose(const Value& x, const std::vector<int64_t>& permutation) {
  Shape shape;
  bool moves = false;
  for (size_t i = 0; i < permutation.size(); ++i) {
    moves = moves || permutation[i] != static_cast<int64_t>(i);
    shape.push_back(x.type.shape[static_cast<int>(permutation[i])]);
  }
  return moves ? Emit("Transpose", {x, Numbers(permutation)}, {x.type.dtype, shape}) : x;
}

Value Emitter::Reduce(std::string_view op, const Value& x, const std::vector<int64_t>& axes) {
  Shape shape;
  for (int i = 0; i < x.type.shape.rank(); ++i) {
    if (std::find(axes.begin(), axes.end(), i) == axes.end()) shape.push_back(x.type.shape[i]);
  }
  return Emit(op, {x, Numbers(axes)}, {x.type.dtype, shape}, {{"keep_dims", false}});
}

Value Emitter::Iota(const Type& type, int axis) {
  const Extent extent = type.shape[axis];
  const Value line =
      Emit("Range", {ScalarInt(kInt64, 0), ExtentOf(extent), ScalarInt(kInt64, 1)}, {kInt64, Shape{extent}});
  Shape column{extent};
  for (int i = axis + 1; i < type.shape.rank(); ++i) column.push_back(1);
  return BroadcastTo(Reshape(Convert(line, type.dtype), column), type.shape);
}

std::string Emitter::AddFunction(std::string_view name, const std::vector<Type>& arguments, const Region& body) {
  Emitter inner(library_);
  Values values;
  for (size_t i = 0; i < arguments.size(); ++i) values.push_back(inner.Argument(StrCat("x", i), arguments[i]));
  const int first = inner.num_nodes();
  const Values results = inner.Settle(first, body(inner, values));
  std::vector<std::string> names;
  for (size_t i = 0; i < results.size(); ++i) names.push_back(StrCat("y", i));
  const std::string unique = library_->names->Unique(name);
  library_->functions.push_back(inner.Finish(unique, results, names));
  return unique;
}

Values Emitter::While(const Values& start, const Region& cond, const Region& body, int64_t most) {
  const auto own = [](const Values& v) { return Values(v.begin() + 2, v.end()); };
  const bool limited = most >= 0;
  const int64_t limit = limited ? std::min<int64_t>(most, std::numeric_limits<int32_t>::max()) : -1;
  Values carried{ScalarInt(kInt32, 0), ScalarInt(kInt32, limit)};
  carried.insert(carried.end(), start.begin(), start.end());
  std::vector<DType> dtypes;
  std::vector<Shape> shapes;
  for (const Value& v : carried) {
    dtypes.push_back(v.type.dtype);
    shapes.push_back(v.type.shape);
  }
  const std::vector<Type> types = TypesOf(carried);
  const std::string cond_name = AddFunction("while_cond", types, [&](Emitter& in, const Values& v) {
    const Value more = cond(in, own(v))[0];
    return Values{limited ? in.And(in.Compare("Less", v[0], v[1]), more) : more};
  });
  const std::string body_name = AddFunction("while_body", types, [&](Emitter& in, const Values& v) {
    Values next{in.Add(v[0], in.ScalarInt(kInt32, 1)), v[1]};
    const Values results = body(in, own(v));
    next.insert(next.end(), results.begin(), results.end());
    return next;
  });
  const FunctionName condition{cond_name}, iteration{body_name};
  return own(EmitAll("StatelessWhile", carried, types,
                     {{"T", dtypes}, {"cond", condition}, {"body", iteration}, {"output_shapes", shapes}}));
}

Value Emitter::ExtentOf(Extent extent) {
  if (extent.is_constant()) return ScalarInt(kInt64, extent.value());
  const auto& [value, axis] = symbols_.at(extent.symbol());
  const Value all = Emit("Shape", {value}, {kInt64, {value.type.shape.rank()}});
  return Emit("StridedSlice", {all, Numbers({axis}), Numbers({axis + 1}), Numbers({1})}, {kInt64, {}},
              {{"shrink_axis_mask", int64_t{1}}});
}

Value Emitter::Extents(const Shape& shape) {
  if (shape.is_constant()) return Numbers(shape.dims());
  Values parts;
  for (const Extent e : shape) parts.push_back(ExtentOf(e));
  return Emit("Pack", parts, {kInt64, {shape.rank()}},
              {{"N", static_cast<int64_t>(parts.size())}, {"axis", int64_t{0}}});
}

bool Emitter::Knows(const Shape& shape, int32_t* missing) const {
  for (const Extent e : shape) {
    if (e.is_constant() || symbols_.contains(e.symbol())) continue;
    *missing = e.symbol();
    return false;
  }
  return true;
}

}  // namespace reel::tensorflow
