#ifndef REEL_FRONTEND_ONNX_FUNCTIONS_H_
#define REEL_FRONTEND_ONNX_FUNCTIONS_H_

#include <map>
#include <string_view>
#include <tuple>
#include <vector>

#include "frontend/onnx/schema.h"

// Operators that a model defines itself.

namespace reel::onnx {

/// The functions of a model, which must outlive it.
class FunctionTable {
 public:
  explicit FunctionTable(const Model& model);
  /// The function that a node calls, or null.
  const FunctionBody* Find(const Node& node) const;

 private:
  using Key = std::tuple<std::string_view, std::string_view, std::string_view>;  // domain, name, overload
  std::map<Key, const FunctionBody*> functions_;
};

/// The nodes of a function as one call means them: attributes that refer to those of the call have
/// their values or defaults; one that the call leaves out is left out. Throws InvalidArgument if the
/// call has an attribute that the function does not declare.
std::vector<Node> WithAttributes(const FunctionBody& body, const Node& call);

}  // namespace reel::onnx

#endif  // REEL_FRONTEND_ONNX_FUNCTIONS_H_
