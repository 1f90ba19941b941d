#ifndef REEL_PASSES_SIMPLIFY_ROWS_H_
#define REEL_PASSES_SIMPLIFY_ROWS_H_

#include <array>
#include <span>
#include <string_view>

#include "ir/builder.h"

namespace reel::passes {

enum class Domain { kAll, kInts, kSigned, kFloats, kBools };  // kSigned: what has negative numbers

/// An identity: what matches the pattern becomes the replacement.
struct Row {
  std::string_view pattern, replacement;
  Domain domain;  ///< of the dtype of the root's first operand
};

/// All identities; the tests prove each on special values.
std::span<const Row> Rows();
bool InDomain(Domain domain, DType dtype);

/// Values of the variables a to z.
using Bindings = std::array<ir::Value, 26>;
/// Emits a pattern or replacement; its numbers are constants of type `numbers`.
ir::Value BuildTerm(std::string_view term, ir::Builder& b, const Bindings& bindings, const Type& numbers);

}  // namespace reel::passes

#endif  // REEL_PASSES_SIMPLIFY_ROWS_H_
