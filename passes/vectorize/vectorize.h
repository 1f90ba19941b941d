#ifndef REEL_PASSES_VECTORIZE_VECTORIZE_H_
#define REEL_PASSES_VECTORIZE_VECTORIZE_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "ir/graph.h"

// A function of one example as a function of a batch of them. Rules are in rules/, one per primitive.

namespace reel::passes {

struct VectorizedFunction {
  std::string name;
  /// Per declared result: whether it has the leading axis. One that has not is the same for all rows.
  std::vector<bool> batched;
};

/// Adds "<function>.vmap": takes the arguments of the function, those that `batched` marks with a
/// leading axis of extent `rows`, and returns what the function gives for each row, stacked along a
/// leading axis; results that depend on no batched argument stay as they are. Each row has the bits
/// that the function gives for it alone, sums over several axes aside. Branches on a batched
/// condition run both sides and select; loops on one run until all rows are done, finished rows
/// keeping their values. Variables are shared by the rows: an error if one would get a value per row.
///
///   auto f = Vectorize(&m, "predict", {true}, 32);   // f32[784] -> f32[10] is f32[32,784] -> f32[32,10]
absl::StatusOr<VectorizedFunction> Vectorize(ir::Module* m, std::string_view function, const std::vector<bool>& batched,
                                             Extent rows);

}  // namespace reel::passes

#endif  // REEL_PASSES_VECTORIZE_VECTORIZE_H_
