#ifndef REEL_IR_EVAL_EVAL_H_
#define REEL_IR_EVAL_EVAL_H_

#include <complex>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "ir/graph.h"

// The reference evaluator: what every op means, in plain loops. It is the oracle of the tests and
// folds constants.
//
// Floats are held and computed as double and not rounded between ops, so f32 programs come out more
// exact than any engine computes them; cast and the conversion to a Literal round. Integers and
// bool are exact.

namespace reel::ir {

/// A tensor of constant shape, row-major: floats in `f`, integers and bool (0 or 1) in `i`, u64 as its
/// bits, complex numbers in `c`.
struct EvalTensor {
  Type type;
  std::vector<double> f;
  std::vector<int64_t> i;
  std::vector<std::complex<double>> c = {};

  size_t size() const { return f.size() + i.size() + c.size(); }
  int64_t bytes() const { return static_cast<int64_t>(size() + c.size()) * 8; }
};

/// All elements zero.
EvalTensor ZeroTensor(const Type& type);
/// The literal's values, exactly.
absl::StatusOr<EvalTensor> FromLiteral(const Literal& literal);
/// Rounds floats to the dtype, to nearest even.
Literal ToLiteral(const EvalTensor& tensor);

/// What a callback op with these attributes gives: the evaluator does not know the functions of the process.
using CallbackFunction = std::function<absl::StatusOr<Literal>(const Attributes& attributes,
                                                               absl::Span<const Literal> operands, const Type& result)>;

struct EvalOptions {
  /// Scalar operations before the evaluation fails with ResourceExhausted: bounds endless loops.
  int64_t max_operations = std::numeric_limits<int64_t>::max();
  /// Bytes alive at once, 8 per element, 16 per complex number.
  int64_t max_bytes = int64_t{1} << 34;
  /// Rounds floats to their dtype after every op: then exact ops give the very bits of compiled code.
  bool round_each_op = false;
  /// Null: callback ops fail.
  CallbackFunction callback = nullptr;
};

/// Runs a function of a verified module. `parameters` and the results include state. Iterative:
/// memory is bounded by the live values.
absl::StatusOr<std::vector<EvalTensor>> Evaluate(const Module& module, const Function& function,
                                                 absl::Span<const EvalTensor> parameters,
                                                 const EvalOptions& options = {});

/// Computes one node that calls no function. Checks operands and attributes as the verifier does.
absl::StatusOr<std::vector<EvalTensor>> EvaluateNode(Op op, const Attributes& attributes,
                                                     absl::Span<const EvalTensor> operands,
                                                     const EvalOptions& options = {});

/// Evaluate() on literals.
absl::StatusOr<std::vector<Literal>> EvaluateLiterals(const Module& module, const Function& function,
                                                      absl::Span<const Literal> parameters,
                                                      const EvalOptions& options = {});

/// The initial values of the module's variables, in the order of module.variables(). Init functions
/// run with round_each_op: all engines start from the same bits.
absl::StatusOr<std::vector<Literal>> InitialState(const Module& module, const EvalOptions& options = {});

struct EntryResult {
  std::vector<Literal> outputs;
  std::vector<Literal> state;  // of all variables, in the order of module.variables()
};

/// Runs an entry point: `arguments` without state; `state` as in EntryResult, empty = the initial
/// one.
absl::StatusOr<EntryResult> EvaluateEntry(const Module& module, std::string_view name,
                                          absl::Span<const Literal> arguments, absl::Span<const Literal> state = {},
                                          const EvalOptions& options = {});

}  // namespace reel::ir

#endif  // REEL_IR_EVAL_EVAL_H_
