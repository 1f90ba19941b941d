#ifndef REEL_PASSES_CHECK_NUMERICS_H_
#define REEL_PASSES_CHECK_NUMERICS_H_

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"

// Finds the first NaN or infinity of a run. A graph cannot stop in its middle, so the pass adds to every function a
// number that goes from node to node, into callees, branches and loops: which value is the first that is not finite.
// It adds readers of values and changes none, so the bits of all values are those of the program without it.

namespace reel::passes {

/// Whether results of the op are looked at: those that compute, not those that only move elements or choose among
/// them, where nothing is born; constants may be what the user wants them to be.
bool ChecksNumerics(ir::Op op);

/// A value that is looked at.
struct NumericsSite {
  ir::Op op;
  Type type;
  std::string name;      ///< its name hint: "tanh.grad" of a node of a gradient
  std::string function;
  ir::Location location;  ///< line 0: unknown
};

/// What a run reports.
struct NumericsFault {
  enum class Kind : uint8_t { kNaN, kInf, kMinusInf };
  int64_t site = 0;
  int64_t element = 0;  ///< row-major
  Kind kind = Kind::kNaN;
};

/// Each entry point gets a last result, i64[]: `NoNumericsFault()`, or what `DecodeNumericsFault` reads; then its
/// variables keep their values. Loops end at the fault. `infinities`: they count too, of an op none of whose operands
/// has one: a mask of -inf is wanted. Shapes are constant; the module must be verified, and comes out verified. Returns
/// the sites.
absl::StatusOr<std::vector<NumericsSite>> AddNumericsChecks(ir::Module* m, bool infinities);

int64_t NoNumericsFault();
NumericsFault DecodeNumericsFault(int64_t result);

/// "1,0": the index of an element, counted in row-major order.
std::string IndexText(const Shape& shape, int64_t element);
/// "the result f32[2,3] of log is NaN at [1,0]"; "the result ... of div, in the gradient of sqrt, is ...".
std::string NumericsText(ir::Op op, const Type& type, std::string_view gradient_of, const NumericsFault& fault);
/// The same of a site.
std::string NumericsText(const NumericsSite& site, const NumericsFault& fault);

}  // namespace reel::passes

#endif  // REEL_PASSES_CHECK_NUMERICS_H_
