#ifndef REEL_FRONTEND_ONNX_FUNCTIONS_H_
#define REEL_FRONTEND_ONNX_FUNCTIONS_H_

#include <vector>

#include "frontend/onnx/schema.h"

// Operators that a model defines itself.

namespace reel::onnx {

/// The nodes of a function as one call means them.
using Calls = std::vector<Node>;

/// The function of a model that a node calls, or null.
const FunctionBody* FindFunction(const Model& model, const Node& node);

/// The nodes of a function whose attributes that refer to those of the call have their values or
/// defaults; one that the call leaves out is left out. Throws InvalidArgument if the call has an
/// attribute that the function does not declare.
Calls WithAttributes(const FunctionBody& body, const Node& call);

}  // namespace reel::onnx

#endif  // REEL_FRONTEND_ONNX_FUNCTIONS_H_
