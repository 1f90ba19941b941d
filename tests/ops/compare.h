#ifndef REEL_TESTS_OPS_COMPARE_H_
#define REEL_TESTS_OPS_COMPARE_H_

#include <string>

#include "ir/eval/eval.h"
#include "tests/ops/op_cases.h"

namespace reel::optable {

/// Empty if both have the same type and bits (any NaN equals any NaN), else the first difference.
std::string DifferentBits(const ir::Literal& got, const ir::Literal& want);

/// Empty if `got` is within the tolerance of the unrounded reference, else the worst element.
/// `magnitude` is the reference of the absolute inputs; unused if tolerance.terms is 0.
std::string TooFar(const ir::Literal& got, const ir::EvalTensor& reference, const ir::EvalTensor& magnitude,
                   const Tolerance& tolerance);

/// |x| for floats and complex numbers, x for others.
ir::Literal Absolute(const ir::Literal& literal);

}  // namespace reel::optable

#endif  // REEL_TESTS_OPS_COMPARE_H_
