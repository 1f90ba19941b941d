#ifndef REEL_TESTS_OPS_OP_CASES_H_
#define REEL_TESTS_OPS_OP_CASES_H_

#include <functional>
#include <random>
#include <string>
#include <vector>

#include "ir/builder.h"
#include "ir/eval/eval.h"

// The op table: what every primitive is tested with, one row per op in op_cases.def. Generic tests
// run all cases through all engines, shape rules, gradients. Inputs are parameters, never
// constants, so that folding cannot erase a test.

namespace reel::optable {

using Rng = std::mt19937_64;

/// How far a compiled engine may be from the reference, per element:
/// ulps * ulp(reference) + terms * epsilon * (the op applied to the absolute inputs)
///   + norm * epsilon * (the largest |reference| of the result).
struct Tolerance {
  double ulps = 0;   ///< all 0: the reference rounded to the dtype, bit for bit
  double terms = 0;  ///< roundings on the way of one term into a sum
  double norm = 0;   ///< where errors are those of a whole matrix
  bool exact() const { return ulps == 0 && terms == 0 && norm == 0; }
};

/// A module with one function @main (and its callees) and inputs for it.
struct OpCase {
  ir::Op op{};
  std::string name;  ///< "reduce_sum f32[3,7] axes 0"
  ir::Module module;
  std::vector<ir::Literal> inputs;
  Tolerance tolerance;
  bool differentiable = false;  ///< smooth around the inputs
  bool out_of_range = false;  ///< an index is out of range: an engine that checks indices refuses it

  const ir::Function& main() const { return *module.FindFunction("main"); }
};

/// All cases of the op, the same in every run: bool i32 i64 f32 f64 with every shape, the other dtypes
/// with a sample.
std::vector<OpCase> CasesFor(ir::Op op);

/// A float dtype's epsilon, smallest normal and denormal number, largest number.
struct FloatFormat {
  double epsilon, least, tiny, most;
};
FloatFormat FormatOf(DType dtype);

/// Where the values of a row's inputs come from; far from kinks by construction.
struct Domain {
  double low = -3, high = 3;
  double gap = 0;  ///< no value nearer than this to `kink` (mod `period` if > 0)
  double kink = 0, period = 0;
  double Sample(Rng& rng) const;
};

/// A row of op_cases.def.
struct OpRow {
  ir::Op op;
  void (*make)(const OpRow& row, std::vector<OpCase>* cases);
  std::vector<DType> dtypes;
  Domain domain;
  double ulps;  ///< allowed error in units in the last place of a function that is not exact
  bool differentiable;
};

const OpRow& RowOf(ir::Op op);
/// Options of an evaluator that knows the functions of this process.
ir::EvalOptions WithCallbacks();
/// Whether gradients of the row's cases of this dtype are checked.
bool IsSmooth(const OpRow& row, DType dtype);

// --- for the families ---

/// Whether a dtype gets variant n of `count`: all of them, or a sample of at least four.
bool IsSampled(DType dtype, size_t n, size_t count);
/// Of a sum in which a term meets so many roundings: f16 and bf16 add in f32 and round once.
Tolerance OfSum(DType dtype, double terms);

/// Builds a case: all inputs first, then nodes and results.
class CaseBuilder {
 public:
  /// The name seeds the inputs.
  CaseBuilder(ir::Op op, std::string name);
  CaseBuilder(const CaseBuilder&) = delete;
  CaseBuilder& operator=(const CaseBuilder&) = delete;
  ir::Module& module() { return case_.module; }
  ir::Builder& b() { return builder_; }
  Rng& rng() { return rng_; }

  /// Parameters of @main with their inputs.
  ir::Value Input(ir::Literal literal);
  ir::Value Input(const Type& type, const Domain& domain);
  ir::Value InputInts(DType dtype, const Shape& shape, const std::vector<int64_t>& values);
  /// A node of the case's op; its results become results of @main.
  ir::ValueList Emit(absl::Span<const ir::Value> operands, ir::Attributes attributes = {});
  void Tolerate(Tolerance t) { case_.tolerance = t; }
  void Differentiable(bool d) { case_.differentiable = d; }
  void OutOfRange() { case_.out_of_range = true; }
  OpCase Build();

 private:
  OpCase case_;
  Rng rng_;
  ir::Function function_;
  ir::Builder builder_;
  std::vector<ir::Value> results_;
};

/// A literal of values: floats round, integers truncate, bool is value > 0.
ir::Literal MakeLiteral(const Type& type, const std::vector<double>& values);
ir::Literal MakeIntLiteral(const Type& type, const std::vector<int64_t>& values);
/// Values drawn from the domain: for integers rounded, for bool a coin.
ir::Literal Sample(const Type& type, const Domain& domain, Rng& rng);
/// NaN, infinities, zeros, denormals, ...; MIN, MAX, ... for integers.
ir::Literal SpecialValues(DType dtype);
/// "f32[3,7]", for names.
std::string Text(const Type& type);
std::string Text(const std::vector<int64_t>& values);
/// `count` random bit patterns of the dtype; random numbers for complex ones.
ir::Literal RandomBitPatterns(DType dtype, int64_t count, Rng& rng);

#define FAMILY(Name) void Make##Name##Cases(const OpRow& row, std::vector<OpCase>* cases)
FAMILY(Elementwise);
FAMILY(Cast);
FAMILY(Bitcast);
FAMILY(Select);
FAMILY(Special);
FAMILY(Reduce);
FAMILY(Constant);
FAMILY(Reshape);
FAMILY(Transpose);
FAMILY(Slice);
FAMILY(Broadcast);
FAMILY(Pad);
FAMILY(Reverse);
FAMILY(Iota);
FAMILY(Window);
FAMILY(Contract);
FAMILY(Conv);
FAMILY(Recurrence);
FAMILY(Cholesky);
FAMILY(TriangularSolve);
FAMILY(Lu);
FAMILY(Qr);
FAMILY(Eigh);
FAMILY(Svd);
FAMILY(Gather);
FAMILY(Scatter);
FAMILY(DynamicSlice);
FAMILY(DynamicUpdate);
FAMILY(Argsort);
FAMILY(RandomBits);
FAMILY(Call);
FAMILY(If);
FAMILY(While);
FAMILY(CheckIndex);
FAMILY(CheckInteger);
FAMILY(Callback);
FAMILY(Collective);

}  // namespace reel::optable

#endif  // REEL_TESTS_OPS_OP_CASES_H_
