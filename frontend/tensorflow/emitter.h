#ifndef REEL_FRONTEND_TENSORFLOW_EMITTER_H_
#define REEL_FRONTEND_TENSORFLOW_EMITTER_H_

#include <functional>
#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "absl/types/span.h"
#include "frontend/export/names.h"
#include "ir/literal.h"

// Builds the body of one function, or a graph, of TensorFlow's nodes, as plain structs: protocol buffers come later
// (messages.h). Handlers (ops/*.cc) compose operations of it; nothing here knows Reel's ops.

namespace reel::tensorflow {

/// A result of a node.
struct Value {
  int node = -1, output = 0;
  Type type;
};
using Values = std::vector<Value>;

/// A function of the library, as an attribute.
struct FunctionName {
  std::string name;
};
using AttrValue = std::variant<bool, int64_t, std::string, DType, Shape, ir::Literal, FunctionName,
                               std::vector<int64_t>, std::vector<DType>, std::vector<Shape>>;
struct Attr {
  std::string name;
  AttrValue value;
};
using Attrs = std::vector<Attr>;

/// A row of operations.def.
struct Operation {
  std::string_view name, ports, dtypes;
};
/// The row of a name, which must be there.
const Operation& OperationOf(std::string_view name);
/// The name of a result: "output".
std::string_view PortOf(const Operation& operation, int output);

struct GraphNode {
  const Operation* operation = nullptr;  ///< null: an argument of the function
  std::string name;
  std::string original;  ///< what was asked for, if the name is another
  Values inputs;
  std::vector<int> after;  ///< nodes that come before it, without data
  Attrs attrs;
  std::vector<Type> types;  ///< of its results; of a resource, the variable's
  bool is_resource = false;
};

/// A function, or a graph.
struct Body {
  std::string name;
  std::vector<GraphNode> nodes;  ///< first the arguments
  Values results;
  std::vector<std::string> result_names;  ///< [a-z][a-z0-9_]*
  std::vector<int> control_results;
};

/// Functions that loops and branches run.
struct Library {
  exports::Names* names = nullptr;
  std::vector<Body> functions;
};

/// Characters of a node's name; it begins with a letter, a digit or a dot.
bool InNodeName(char c);
/// [a-z][a-z0-9_]*, near the name.
std::string ArgumentNear(std::string_view name, exports::Names* names);

class Emitter {
 public:
  explicit Emitter(Library* library) : library_(library), names_(InNodeName) {}

  /// A function's argument.
  Value Argument(std::string_view name, const Type& type, bool is_resource = false);
  /// Puts the nodes from `first` on in the order in which the results need them, whatever order a compiler evaluates
  /// arguments in; those that no result needs go. The results as they are then.
  Values Settle(int first, const Values& results);
  /// Settle, and names: those of results as wanted (`fallback` where that is empty), the others after the first result
  /// and their operation: "dense/add/Cast".
  Values NameNodes(int first, const Values& results, const std::vector<std::string>& wanted, std::string_view fallback);
  void NameNode(int i, std::string_view name) { SetName(&node(i), name); }
  /// A name that no other node gets from here on, near the wanted one.
  std::string Claim(std::string_view name);
  /// A new node of a claimed name with the value; `wanted` is what was asked for.
  Value Named(const Value& value, std::string claimed, std::string_view wanted);
  int num_nodes() const { return static_cast<int>(body_.nodes.size()); }
  GraphNode& node(int i) { return body_.nodes[static_cast<size_t>(i)]; }
  /// Says where a symbolic extent can be read in this function: an axis of a value.
  void BindSymbols(const Value& value);

  Body Finish(std::string name, Values results, std::vector<std::string> result_names);

  Value Emit(std::string_view op, const Values& operands, const Type& type, Attrs attrs = {});
  Values EmitAll(std::string_view op, const Values& operands, const std::vector<Type>& types, Attrs attrs = {});

  // Constants; small ones are there once.
  Value Constant(const ir::Literal& literal);
  Value Scalar(DType dtype, double value) { return Constant(ir::Literal::Scalar(dtype, value)); }
  Value ScalarInt(DType dtype, int64_t value) { return Constant(ir::Literal::ScalarInt(dtype, value)); }
  Value Numbers(const std::vector<int64_t>& values);  ///< i64[n]

  // Elementwise; a scalar goes with any shape.
  Value Unary(std::string_view op, const Value& x) { return Emit(op, {x}, x.type); }
  Value Binary(std::string_view op, const Value& a, const Value& b);
  Value Add(const Value& a, const Value& b) { return Binary("AddV2", a, b); }
  Value Sub(const Value& a, const Value& b) { return Binary("Sub", a, b); }
  Value Mul(const Value& a, const Value& b) { return Binary("Mul", a, b); }
  Value Div(const Value& a, const Value& b) { return Binary("RealDiv", a, b); }
  Value And(const Value& a, const Value& b) { return Binary("LogicalAnd", a, b); }
  Value Or(const Value& a, const Value& b) { return Binary("LogicalOr", a, b); }
  Value Not(const Value& x) { return Unary("LogicalNot", x); }
  /// "Less", "Equal", ...
  Value Compare(std::string_view op, const Value& a, const Value& b);
  Value Select(const Value& condition, const Value& a, const Value& b);
  Value Convert(const Value& x, DType dtype);
  Value Bitcast(const Value& x, DType dtype);

  // Shape.
  Value Reshape(const Value& x, const Shape& shape);
  Value BroadcastTo(const Value& x, const Shape& shape);
  Value Transpose(const Value& x, const std::vector<int64_t>& permutation);
  Value Full(const Type& type, const ir::Literal& scalar) { return BroadcastTo(Constant(scalar), type.shape); }
  /// `op` along axes, which go: "Sum", "All".
  Value Reduce(std::string_view op, const Value& x, const std::vector<int64_t>& axes);
  /// 0, 1, ... along an axis.
  Value Iota(const Type& type, int axis);

  /// Carried values: all that cond and body read; each builds a function of its own.
  using Region = std::function<Values(Emitter&, const Values&)>;
  /// `most` iterations, -1: any number. In TensorFlow the loop carries a counter and that number before the values,
  /// from which its tape knows how many results of each iteration to keep.
  Values While(const Values& start, const Region& cond, const Region& body, int64_t most = -1);

  /// The extents of a shape as i64[rank], the symbolic ones read at run time.
  Value Extents(const Shape& shape);
  Value ExtentOf(Extent extent);  ///< one, as i64[]
  /// Whether every symbol of the shape can be read in this function; else the first that cannot.
  bool Knows(const Shape& shape, int32_t* missing) const;

 private:
  void SetName(GraphNode* node, std::string_view name);
  std::string AddFunction(std::string_view name, const std::vector<Type>& arguments, const Region& body);

  Library* library_;
  exports::Names names_, argument_names_;
  Body body_;
  std::map<int32_t, std::pair<Value, int>> symbols_;
  std::map<std::string, Value> constants_;  // by type and bytes
};

}  // namespace reel::tensorflow

#endif  // REEL_FRONTEND_TENSORFLOW_EMITTER_H_
