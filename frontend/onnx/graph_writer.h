#ifndef REEL_FRONTEND_ONNX_GRAPH_WRITER_H_
#define REEL_FRONTEND_ONNX_GRAPH_WRITER_H_

#include <string>
#include <string_view>
#include <vector>

#include "frontend/export/names.h"
#include "frontend/onnx/schema.h"
#include "ir/graph.h"
#include "ir/hash_map.h"

// How nodes of ONNX are written: what the handlers of export_ops/ call.

namespace reel::onnx {

/// A value of the graph that is written.
struct Val {
  std::string name;
  DType dtype = kFloat32;
};
using Vals = std::vector<Val>;
using Ints = std::vector<int64_t>;

/// What the graph of a model and the graphs inside it share.
struct ExportState {
  int64_t opset = 17;
  const ir::Module* module = nullptr;
  Graph main = {};                         ///< has all constants
  exports::Names names = exports::Names();  ///< of values; each is given once in the whole model
  Vals symbols = {};  ///< by symbol: its number as i64[1]; no name: no input has it
  HashMap<std::string, std::string> constants = {};  ///< names of small ones, by type and bytes
  int64_t nodes = 0;
};

/// Appends nodes to one graph. Where a kernel is usual for some dtypes alone (ONNX Runtime's on the CPU), values of
/// others are carried by one that has all of theirs, between casts.
class GraphWriter {
 public:
  GraphWriter(ExportState* state, Graph* graph) : state_(*state), graph_(*graph) {}

  ExportState& state() { return state_; }
  Graph& graph() { return graph_; }
  int64_t opset() const { return state_.opset; }

  /// A node as it is; one result for each dtype.
  Vals Node(std::string_view op, const Vals& inputs, const std::vector<DType>& results,
            std::vector<Attribute> attributes = {});
  Val One(std::string_view op, const Vals& inputs, DType result, std::vector<Attribute> attributes = {}) {
    return Node(op, inputs, {result}, std::move(attributes))[0];
  }
  /// A node whose result has the dtype of the first input; inputs of that dtype are carried.
  Val Same(std::string_view op, const Vals& inputs, std::vector<Attribute> attributes = {});
  /// a == b and the like: bool.
  Val Compare(std::string_view op, const Val& a, const Val& b);
  Val Where(const Val& condition, const Val& a, const Val& b);
  /// A node whose results have names already.
  void Append(std::string_view op, const Vals& inputs, std::vector<std::string> outputs,
              std::vector<Attribute> attributes = {});

  Val Constant(const ir::Literal& literal, std::string_view name = "");
  Val Scalar(DType dtype, double value) { return Constant(ir::Literal::Scalar(dtype, value)); }
  Val ScalarInt(DType dtype, int64_t value) { return Constant(ir::Literal::ScalarInt(dtype, value)); }
  Val List(const Ints& values);
  /// As i64[1], as i64[rank].
  Val ExtentOf(Extent extent);
  Val ShapeOf(const Shape& shape);

  /// ONNX's own conversion: integers wrap.
  Val Cast(const Val& x, DType dtype);
  Val Reshape(const Val& x, const Shape& shape);
  Val Unsqueeze(const Val& x, const Ints& axes);
  Val Expand(const Val& x, const Shape& shape);
  Val Transpose(const Val& x, const Ints& permutation);  ///< x itself if nothing moves
  Val Slice(const Val& x, const Ints& starts, const Ints& ends, const Ints& axes, const Ints& steps);
  Val Full(const Type& type, double value);
  Val Concat(const Vals& parts, int64_t axis);

 private:
  ExportState& state_;
  Graph& graph_;
};

/// The dtype that carries values of another through a node of this op: itself where kernels have it.
DType Carrier(std::string_view op, DType dtype);

inline Attribute Int(std::string name, int64_t value) { return {std::move(name), "", value}; }
inline Attribute IntList(std::string name, Ints value) { return {std::move(name), "", std::move(value)}; }
inline Attribute Text(std::string name, std::string value) { return {std::move(name), "", std::move(value)}; }

}  // namespace reel::onnx

#endif  // REEL_FRONTEND_ONNX_GRAPH_WRITER_H_
