#ifndef REEL_FRONTEND_STABLEHLO_IMPORT_PROBE_H_
#define REEL_FRONTEND_STABLEHLO_IMPORT_PROBE_H_

#include <vector>

#include "frontend/stablehlo/import/context.h"
#include "reel/module.h"

namespace reel::stablehlo::reading {

/// What a region of scalars computes, found by running it. A region that only compares its arguments and selects among
/// them is known once the results for all orders of the arguments are.
class Probe {
 public:
  /// Whether the region does no more than compare and select.
  static bool Understands(const Region& region);
  /// Throws Unimplemented if it does more.
  Probe(const Context& c, const Region& region);
  /// The results for these arguments, numbers of the parameters' dtypes, by the reference evaluator.
  std::vector<double> operator()(const std::vector<double>& arguments) const;

 private:
  const Region& region_;
  reel::Function function_;
};

}  // namespace reel::stablehlo::reading

#endif  // REEL_FRONTEND_STABLEHLO_IMPORT_PROBE_H_
