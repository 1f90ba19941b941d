#ifndef REEL_FRONTEND_ONNX_NODE_H_
#define REEL_FRONTEND_ONNX_NODE_H_

#include <algorithm>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "frontend/onnx/schema.h"
#include "reel/ops.h"
#include "reel/tensor.h"
#include "reel/variable.h"

// What the functions that import one op (ops/*.cc) see of their node, and their table.

namespace reel::onnx {

using Tensors = std::vector<Tensor>;

struct Value;
using Sequence = std::vector<Value>;

/// A value of the graph.
struct Value {
  Tensor tensor;       ///< symbolic, or concrete if it is constant
  Variable variable;   ///< instead of the tensor: a weight, read where it is used
  Tensor known;        ///< its elements when they are known at import, else null
  std::string origin;  ///< a graph input that it depends on; empty if none
  std::shared_ptr<const Sequence> sequence = nullptr;  ///< instead of the tensor: a list of values
  int64_t small = 0;  ///< the number of its element type if the tensor's dtype only carries it (small.h)

  static Value Of(const Tensor& tensor) { return {tensor, {}, tensor.symbolic() ? Tensor() : tensor, ""}; }
  static Value Of(Sequence sequence) { return {{}, {}, {}, "", std::make_shared<const Sequence>(std::move(sequence))}; }
  bool defined() const { return tensor.defined() || variable.defined() || sequence; }
  /// The tensor; throws InvalidArgument if it is a sequence.
  Tensor Get() const;
};

/// An op needs the elements of a value that are only known when the model runs.
class UnknownElements : public Error {
 public:
  UnknownElements(std::string input, const std::string& message)
      : Error(ErrorCode::kFailedPrecondition, message), input_(std::move(input)) {}
  /// The graph input that has to become a constant, or empty.
  const std::string& input() const { return input_; }

 private:
  std::string input_;
};

/// Throws Unimplemented: Reel does not have this.
[[noreturn]] void Refuse(const std::string& what);
/// Throws InvalidArgument: the model is wrong.
[[noreturn]] void Wrong(const std::string& what);

/// Runs a subgraph on arguments, within the scope of the node that has it.
using RunGraph = std::function<std::vector<Value>(const Graph& graph, const std::vector<Value>& arguments)>;

class NodeContext {
 public:
  NodeContext(const Node& node, int64_t opset, std::vector<Value> inputs, RunGraph run)
      : node_(node), opset_(opset), inputs_(std::move(inputs)), run_(std::move(run)) {}

  const Node& node() const { return node_; }
  /// Version of the standard operators that the model was written for.
  int64_t opset() const { return opset_; }
  size_t num_inputs() const {
    asked_ = inputs_.size();
    return inputs_.size();
  }
  size_t num_outputs() const { return node_.outputs.size(); }
  /// True if output i is used.
  bool Wants(size_t i) const { return i < num_outputs() && !node_.outputs[i].empty(); }

  // Inputs. Since opsets add them, one that is never asked for is an error, as for attributes.
  bool Has(size_t i) const {
    asked_ = std::max(asked_, i + 1);
    return i < inputs_.size() && inputs_[i].defined();
  }
  /// Input i; throws if it is left out, or if its dtype only carries a smaller type.
  Tensor In(size_t i) const;
  /// Input i, also of a smaller type: Small(i).
  Tensor Carried(size_t i) const;
  /// The number of the type that input i's dtype carries, or 0.
  int64_t Small(size_t i) const { return Has(i) ? inputs_[i].small : 0; }
  /// Output i is of this smaller type.
  void MarkSmall(size_t i, int64_t number) const { small_[i] = number; }
  const std::map<size_t, int64_t>& small() const { return small_; }
  /// Input i or, if it is left out, this.
  Tensor In(size_t i, const Tensor& otherwise) const { return Has(i) ? In(i) : otherwise; }
  Tensors AllIn() const;
  /// Input i as it is, a tensor or a sequence; throws if it is left out.
  const Value& ValueIn(size_t i) const;
  /// Input i, which must be a sequence.
  const Sequence& SequenceIn(size_t i) const;
  /// True if the elements of input i are known.
  bool IsKnown(size_t i) const { return Has(i) && inputs_[i].known.defined(); }
  /// Input i with its elements; throws UnknownElements.
  Tensor Known(size_t i) const;
  /// Those of an integer input.
  std::vector<int64_t> KnownInts(size_t i) const;
  /// Those of numbers.
  std::vector<double> KnownFloats(size_t i) const;
  /// The only element.
  int64_t KnownInt(size_t i) const;
  double KnownFloat(size_t i) const;

  // Attributes. One that is never asked for is an error: the op would mean something else.
  const Attribute* Find(std::string_view name) const;
  bool HasAttribute(std::string_view name) const { return Find(name) != nullptr; }
  int64_t Int(std::string_view name, int64_t otherwise) const;
  int64_t Int(std::string_view name) const;  ///< throws if it is missing
  double Float(std::string_view name, double otherwise) const;
  std::string String(std::string_view name, const std::string& otherwise) const;
  std::vector<int64_t> Ints(std::string_view name, const std::vector<int64_t>& otherwise = {}) const;
  std::vector<double> Floats(std::string_view name) const;
  std::vector<std::string> Strings(std::string_view name) const;
  std::optional<ir::Literal> Literal(std::string_view name) const;
  const Graph& Subgraph(std::string_view name) const;
  /// The dtype that an attribute names by its number in ONNX.
  DType DTypeAttribute(std::string_view name, DType otherwise) const;
  /// An attribute that changes nothing here.
  void Ignore(std::string_view name) const { Find(name); }
  /// Throws if the node has an attribute or an input that was not asked for.
  void CheckAllRead() const;

  /// Runs a subgraph: concrete arguments are known in it.
  Tensors Run(const Graph& graph, const Tensors& arguments) const;
  std::vector<Value> RunValues(const Graph& graph, const std::vector<Value>& arguments) const {
    return run_(graph, arguments);
  }

  /// Output i is this value, and not a tensor that the handler returns.
  void Give(size_t i, Value value) const;
  const std::vector<Value>& given() const { return given_; }

  /// Integers that are an attribute before `opset`, and input i from then on; nothing if left out.
  std::optional<std::vector<int64_t>> IntsSince(int64_t opset, std::string_view name, size_t i) const;

 private:
  void CheckNotSmall(size_t i) const;
  template <typename T>
  const T* Get(std::string_view name) const;

  const Node& node_;
  int64_t opset_;
  std::vector<Value> inputs_;
  RunGraph run_;
  mutable std::set<std::string, std::less<>> read_;
  mutable size_t asked_ = 0;  // inputs, from the first on
  mutable std::vector<Value> given_;
  mutable std::map<size_t, int64_t> small_;
};

/// How one op is imported: its results, as many as the node has outputs or fewer.
struct OpRow {
  std::string_view name;
  int64_t since;  ///< the oldest opset whose meaning this is
  Tensors (*import)(const NodeContext&);
  bool fold = true;  ///< computed at import where all inputs are known; not random, no subgraphs
};

absl::Span<const OpRow> ElementwiseOps();
absl::Span<const OpRow> ReduceOps();
absl::Span<const OpRow> ShapeOps();
absl::Span<const OpRow> IndexOps();
absl::Span<const OpRow> ContractOps();
absl::Span<const OpRow> NnOps();
absl::Span<const OpRow> RecurrentOps();
absl::Span<const OpRow> ResizeOps();
absl::Span<const OpRow> SampleOps();
absl::Span<const OpRow> QuantizeOps();
absl::Span<const OpRow> RandomOps();
absl::Span<const OpRow> SignalOps();
absl::Span<const OpRow> ControlOps();
absl::Span<const OpRow> ConvOps();
absl::Span<const OpRow> AttentionOps();
absl::Span<const OpRow> SequenceOps();

/// The row of an op, or null.
const OpRow* FindOp(std::string_view domain, std::string_view op);
/// Why Reel does not have an op of the standard domain.
std::string WhyNot(std::string_view op);
/// OPERATORS.md: a table of every op of the standard domain, with what it needs or why it is refused.
std::string OperatorsTable();

/// A concrete tensor of these integers, shape [n].
Tensor IntsTensor(const std::vector<int64_t>& values);

}  // namespace reel::onnx

#endif  // REEL_FRONTEND_ONNX_NODE_H_
