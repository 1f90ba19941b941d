#ifndef REEL_IR_GRAPH_H_
#define REEL_IR_GRAPH_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "absl/types/span.h"
#include "ir/attributes.h"
#include "ir/ops.h"
#include "ir/types.h"

// The program representation.
//
// SSA: a Function is parameters, nodes in topological order, results. Every value has one definition and a
//   Type; values are numbered densely: parameters first, then node results in order.
// Purity: nodes have no side effects. State is explicit: a function that touches variable v has a hidden
//   parameter with v's value and returns v's new value (the parameter itself if it only reads). call, if and
//   while carry the states of the functions they name as ordinary operands and results.
// Numbers: IEEE 754, round to nearest even, no contraction, no reassociation; NaN payloads are unspecified;
//   integers wrap. The bits of every op are fixed by op, shapes and attributes (see ir/README.md).
// Shapes: extents are constants or symbols; zero extents and rank 0 are ordinary.
// Ownership: a Module owns its functions and variables; literals and attributes are shared, immutable.

namespace reel::ir {

/// Index of a value in its function.
struct Value {
  int32_t id = -1;
  bool valid() const { return id >= 0; }
  size_t index() const { return static_cast<size_t>(id); }  ///< in tables by value
  friend bool operator==(Value, Value) = default;
  friend bool operator<(Value a, Value b) { return a.id < b.id; }
};

using ValueList = absl::InlinedVector<Value, 3>;
using TypeList = absl::InlinedVector<Type, 1>;

/// Where a node came from in the user's program.
struct Location {
  std::string file;
  int32_t line = 0;
  friend bool operator==(const Location&, const Location&) = default;
};

struct Node {
  Op op;
  ValueList operands;
  std::shared_ptr<const Attributes> attributes;  // null = none
  int32_t first_result = 0;
  int32_t num_results = 1;
  int32_t location = -1;  // index into Function::locations(), -1 = unknown

  Value result(int i = 0) const { return {first_result + i}; }
  const Attributes& attrs() const;
  template <typename T>
  const T& attr(std::string_view name) const {
    return attrs().Get<T>(name);
  }
};

struct Parameter {
  std::string name;
  Type type;
};

/// A typed function. Parameters are the declared ones, then one per entry of state(); results
/// likewise: the declared ones, then the new value of each state entry.
class Function {
 public:
  explicit Function(std::string name) : name_(std::move(name)) {}

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  /// Adds a declared parameter; only before the first state entry and the first node.
  Value AddParameter(std::string name, Type type);
  /// Adds a variable this function touches: its hidden parameter; only before the first node.
  Value AddState(std::string variable, Type type);
  /// Appends a node whose result types are known. Checks nothing: the verifier does.
  const Node& AddNode(Op op, absl::Span<const Value> operands, std::shared_ptr<const Attributes> attributes,
                      absl::Span<const Type> types, int32_t location = -1);
  /// Sets all results: declared ones, then one per state entry.
  void SetResults(std::vector<Value> results) { results_ = std::move(results); }
  void set_result_names(std::vector<std::string> names) { result_names_ = std::move(names); }

  int num_parameters() const { return static_cast<int>(parameters_.size()); }   // with state
  int num_arguments() const { return num_parameters() - static_cast<int>(state_.size()); }
  const Parameter& parameter(int i) const { return parameters_[static_cast<size_t>(i)]; }
  /// Names of the touched variables, in the order of their hidden parameters.
  const std::vector<std::string>& state() const { return state_; }
  const std::vector<Value>& results() const { return results_; }
  int num_outputs() const { return static_cast<int>(results_.size() - state_.size()); }
  /// Names of declared results: may be empty or shorter; see result_name().
  const std::vector<std::string>& result_names() const { return result_names_; }
  /// The name of declared result i, "result<i>" if none was given.
  std::string result_name(int i) const;

  const std::vector<Node>& nodes() const { return nodes_; }
  int num_values() const { return static_cast<int>(types_.size()); }
  const Type& type(Value v) const { return types_[static_cast<size_t>(v.id)]; }
  bool is_parameter(Value v) const { return v.id < num_parameters(); }
  /// The node that defines a value; null for a parameter.
  const Node* producer(Value v) const;
  /// Index in nodes() of the node that defines a value, -1 for a parameter.
  int32_t producer_index(Value v) const { return producers_[static_cast<size_t>(v.id)]; }
  /// The only result of producer(v) as an op test: producer(v) && producer(v)->op == op.
  bool Is(Value v, Op op) const;

  /// Name hint of a value for printing and symbols; empty if none. Parameters have their own names.
  std::string_view name_hint(Value v) const;
  void set_name_hint(Value v, std::string name) { hints_[v.id] = std::move(name); }

  const std::vector<Location>& locations() const { return locations_; }
  int32_t AddLocation(Location location);

 private:
  std::string name_;
  std::vector<Parameter> parameters_;
  std::vector<std::string> state_, result_names_;
  std::vector<Node> nodes_;
  std::vector<Type> types_;          // by value
  std::vector<int32_t> producers_;   // by value: node index, -1 = parameter
  std::vector<Value> results_;
  std::unordered_map<int32_t, std::string> hints_;
  std::vector<Location> locations_;
};

/// A named piece of state shared by the functions of a module.
struct Variable {
  std::string name;
  Type type;
  bool trainable = true;
  /// Initial value: a literal, or the name of a function without parameters that computes it.
  std::variant<Literal, std::string> initial;
  /// Above 1: as many members of a group have equal parts of it along axis 0; type and value are of one part.
  int64_t parts = 1;

  /// Of all parts together.
  Type WholeType() const;
};

/// A named extent with the range it may take.
struct Symbol {
  std::string name;
  int64_t min = 0, max = 0;
  friend bool operator==(const Symbol&, const Symbol&) = default;
};

/// Functions + state + metadata: what a .reel file holds.
class Module {
 public:
  explicit Module(std::string name = "module") : name_(std::move(name)) {}
  Module(const Module& other);
  Module& operator=(const Module& other);
  Module(Module&&) = default;
  Module& operator=(Module&&) = default;

  const std::string& name() const { return name_; }
  void set_name(std::string name) { name_ = std::move(name); }

  /// Appends a function, or replaces the one with the same name. The reference stays valid until it is replaced.
  Function& AddFunction(Function function);
  const std::vector<std::unique_ptr<Function>>& functions() const { return functions_; }
  const Function* FindFunction(std::string_view name) const;
  Function* FindFunction(std::string_view name);
  void RemoveFunction(std::string_view name);
  /// name, or if a function has it name.n for an n above those of functions so far.
  std::string UniqueFunctionName(std::string_view name) const;

  /// Appends a variable; the name must be new.
  Variable& AddVariable(Variable variable);
  const std::vector<Variable>& variables() const { return variables_; }
  std::vector<Variable>& mutable_variables() { return variables_; }
  const Variable* FindVariable(std::string_view name) const;

  std::vector<Symbol>& symbols() { return symbols_; }
  const std::vector<Symbol>& symbols() const { return symbols_; }
  std::vector<std::pair<std::string, std::string>>& metadata() { return metadata_; }
  const std::vector<std::pair<std::string, std::string>>& metadata() const { return metadata_; }

 private:
  std::string name_;
  std::vector<std::unique_ptr<Function>> functions_;
  std::vector<Variable> variables_;
  std::unordered_map<std::string, size_t> function_index_, variable_index_;
  std::unordered_map<std::string, int64_t> last_suffix_;  // by name: the largest n of a name.n
  std::vector<Symbol> symbols_;
  std::vector<std::pair<std::string, std::string>> metadata_;
};

/// Types of operands of a node.
TypeList OperandTypes(const Function& function, absl::Span<const Value> operands);
/// A number that two functions share if and only if (with near certainty) they are structurally
/// equal: names of values, locations and the function's own name do not count.
uint64_t Fingerprint(const Function& function);

}  // namespace reel::ir

#endif  // REEL_IR_GRAPH_H_
