#ifndef REEL_FRONTEND_ONNX_SCHEMA_H_
#define REEL_FRONTEND_ONNX_SCHEMA_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "ir/literal.h"

// What an ONNX file says, as plain structs: all that the importer and the exporter know of the
// format. Protocol buffers stay in reader.cc and writer.cc.

namespace reel::onnx {

struct Graph;

/// `small` of what follows: the number of ONNX's element type if Reel has no dtype for it (small.h), else 0.

/// An attribute of a node; Unsupported names a kind that is not read (sequences, sparse tensors).
struct Unsupported {
  std::string kind;
};
struct Attribute {
  std::string name;
  std::string reference;  ///< in a function: the attribute of the call whose value this one has; else empty
  std::variant<Unsupported, float, int64_t, std::string, ir::Literal, std::shared_ptr<const Graph>, std::vector<float>,
               std::vector<int64_t>, std::vector<std::string>>
      value;
  int64_t small = 0;
};

/// An empty name among the inputs or outputs means: left out.
struct Node {
  std::string op, domain, name, overload;
  std::vector<std::string> inputs, outputs;
  std::vector<Attribute> attributes;
};

/// An extent: a number, or a name whose number the user must give; neither: unknown.
struct Dimension {
  int64_t value = -1;
  std::string name;
};

/// A graph's input or output. `unsupported` says why it is not a tensor that Reel has, or is empty.
struct ValueInfo {
  std::string name, unsupported;
  DType dtype = kFloat32;
  int64_t small = 0;
  bool has_shape = false;
  std::vector<Dimension> shape;
};

struct Graph {
  std::string name;
  std::vector<Node> nodes;
  std::vector<ValueInfo> inputs, outputs;
  std::vector<std::pair<std::string, ir::Literal>> initializers;
  std::map<std::string, int64_t, std::less<>> small;  ///< of those initializers that have such a type
};

using Opsets = std::vector<std::pair<std::string, int64_t>>;  ///< domain, version

/// An operator that the model defines by nodes.
struct FunctionBody {
  std::string domain, name, overload;
  std::vector<std::string> inputs, outputs, attributes;
  std::vector<Attribute> defaults;  ///< attributes that a call may leave out
  std::vector<Node> nodes;
  Opsets opsets;
};

struct Model {
  Opsets opsets;
  Graph graph;
  std::vector<FunctionBody> functions;
  std::vector<std::pair<std::string, std::string>> metadata;  ///< written only
};

}  // namespace reel::onnx

#endif  // REEL_FRONTEND_ONNX_SCHEMA_H_
