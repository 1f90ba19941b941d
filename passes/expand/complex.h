#ifndef REEL_PASSES_EXPAND_COMPLEX_H_
#define REEL_PASSES_EXPAND_COMPLEX_H_

#include "absl/status/statusor.h"
#include "ir/graph.h"

namespace reel::passes {

bool HasComplex(const ir::Module& m);
/// Replaces every complex value by its real and imaginary part; whether there was one. What leaves or
/// enters a function keeps its bytes: c64[S] becomes f32[S, 2], the parts side by side. So do variables.
absl::StatusOr<bool> SplitComplex(ir::Module* m);

}  // namespace reel::passes

#endif  // REEL_PASSES_EXPAND_COMPLEX_H_
