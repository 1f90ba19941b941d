#ifndef REEL_DEBUGGING_H_
#define REEL_DEBUGGING_H_

#include <source_location>
#include <utility>
#include <vector>

#include "reel/module.h"
#include "reel/tensor.h"

// Finding what is wrong: the first NaN, a gradient that is not the derivative.

namespace reel {

/// What CheckNumerics looks for.
enum class NumericsCheck {
  kOff,
  kNan,        ///< NaN
  kNanAndInf,  ///< NaN, and infinities where they are born: of an op none of whose operands has one, as masks have
};

/// Sets what is looked for in this process, in all threads; returns what it was. From then on, the first op that gives
/// a NaN (or an infinity) throws InvalidArgument, naming the op, type, index, value and the user's line; of an op of a
/// gradient, the op that was differentiated, and its line. Looked at are the floating and complex results of ops that
/// compute; not of those that move elements or choose among them (Reshape, Gather, Where, Maximum, negation), and no
/// constants, arguments or variables: where these bring a NaN in, the first op that computes with it is named.
///
/// Eager: each op as it runs, before any tape or variable sees the result. Compiled: what is compiled while it is on,
/// for good (objects never). A run looks at all values of the program in its order, those inside of branches, loops and
/// gradients too, stops loops, and then throws the same error; its variables keep their values. The bits of a run that
/// ends well are those without checks; it takes several times longer. When off, an eager op pays one branch and
/// compiled code nothing.
///
///   CheckNumerics(NumericsCheck::kNanAndInf);
///   train(x, labels);   // the result f32[64] of log is -inf at [3]; its operand is 0 there (loss.cc:12)
NumericsCheck CheckNumerics(NumericsCheck check);

/// Sets whether functions that are traced from now on, in all threads, look at their indices and labels when they run;
/// returns what it was, true at first. Where one is out of range the run then throws OutOfRange, naming op, index,
/// range and the user's line, and its variables keep their values. What is traced while it is off reads zeros there and
/// writes nothing. Eager ops always look. Costs one maximum over the indices; CompileOptions::check_bounds leaves the
/// checks of a graph out. Integer divisors and exponents of Python's reel.tf are checked with them.
bool CheckBounds(bool check);

/// Options of CheckGradients.
struct GradientCheckOptions {
  /// 1: gradients; n: also the gradients of gradients, to order n.
  int order = 1;
  /// The function runs in it, and inputs are cast to it; kFloat32 for functions that take no other.
  DType dtype = kFloat64;
  /// h of the central difference (f(x + h) - f(x - h)) / 2h is step * max(1, |x|). 0: the cube root of the dtype's
  /// epsilon, where its two errors, h^2 f'''/6 of the formula and eps f/h of rounding, balance (Press et al., Numerical
  /// Recipes, 5.7): 6e-6 for f64, 5e-3 for f32.
  double step = 0;
  /// Accepted: |gradient - difference| <= tolerance * max(1, |gradient|, |value|). 0: 1000 eps^(2/3), the error of
  /// the formula at that step for derivatives of moderate size: 4e-8 for f64, 2e-2 for f32.
  double tolerance = 0;
};

namespace internal {
double RunCheckGradients(const TracedFunction& function, const std::vector<Tensor>& inputs,
                         const GradientCheckOptions& options, std::source_location location);
}

/// Compares the gradients that a tape gives with central differences, for every element of the floating and complex
/// inputs (of complex ones, real and imaginary part). The function takes as many tensors as there are inputs and
/// returns a tensor, or a tuple or vector of them. Of the elements of its floating and complex results, a sum with
/// fixed weights is looked at; of order n, the sum with fixed weights of all gradients of order n - 1. Returns the
/// largest error found, in multiples of max(1, |gradient|, |value|). Throws FailedPrecondition, naming order, input,
/// element and both numbers, where they do not agree; InvalidArgument if there is nothing to differentiate by, or the
/// function is not one of its inputs alone (draws of the default generator, updates). It holds only where the function
/// is smooth: not at a kink of Relu or Abs.
///
///   CheckGradients([](const Tensor& x, const Tensor& w) { return Tanh(MatMul(x, w)); }, {x, w}, {.order = 2});
template <typename F>
double CheckGradients(F function, const std::vector<Tensor>& inputs, const GradientCheckOptions& options = {},
                      std::source_location location = std::source_location::current()) {
  return internal::RunCheckGradients(internal::MakeTraced(std::move(function)), inputs, options, location);
}

}  // namespace reel

#endif  // REEL_DEBUGGING_H_
