#ifndef REEL_TESTS_PASSES_GRADIENT_TESTING_H_
#define REEL_TESTS_PASSES_GRADIENT_TESTING_H_

#include <functional>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/eval/eval.h"
#include "passes/gradient/gradient.h"

namespace reel::passes {

using ir::Value;
using Values = std::vector<Value>;
using Doubles = std::vector<double>;

/// Builds a function from its parameters' types; the body returns the results.
using Body = std::function<Values(ir::Builder& b, const Values& parameters)>;
ir::Function& Define(ir::Module* m, const std::string& name, const std::vector<Type>& parameters, const Body& body);

Type F64(const Shape& shape = {});
Type I32(const Shape& shape = {});
/// A tensor of the type with these numbers; one number fills it.
ir::EvalTensor Fill(const Type& type, const Doubles& values);
/// The tensor's elements, whatever its dtype.
Doubles Numbers(const ir::EvalTensor& tensor);

/// Verifies the module and runs a function of it.
std::vector<Doubles> RunFunction(const ir::Module& m, std::string_view function,
                                 const std::vector<Doubles>& parameters);
/// Appends Gradients(ys, xs) to a function made by `body` (which returns ys then xs, `num_ys`
/// first) and runs it: one entry per x, empty for None.
std::vector<Doubles> RunGradients(const std::vector<Type>& types, const std::vector<Doubles>& inputs, int num_ys,
                                  const Body& body, GradientOptions options = {});

/// Compares <u, J v> by central differences with <J'u, v> from the gradient pass and <u, J v> from
/// forward mode (functions without state), for random u and v, then does the same to the gradient function, `order`
/// times.
void CheckDerivatives(ir::Module* m, const std::string& function, std::vector<Doubles> inputs, int order = 2);

}  // namespace reel::passes

#endif  // REEL_TESTS_PASSES_GRADIENT_TESTING_H_
