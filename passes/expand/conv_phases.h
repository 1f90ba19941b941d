#ifndef REEL_PASSES_EXPAND_CONV_PHASES_H_
#define REEL_PASSES_EXPAND_CONV_PHASES_H_

#include "passes/expand/rule.h"

namespace reel::passes {

/// A convolution of elements with zeros between them, as convolutions of the elements alone: results at places i, i +
/// m, i + 2 m, ... (a phase) meet elements with the same taps of the filter. Their results are interleaved. Invalid if
/// there are no such zeros, or more phases than ir::kConvPhases.
ir::Value ConvInPhases(ExpandContext& c);

}  // namespace reel::passes

#endif  // REEL_PASSES_EXPAND_CONV_PHASES_H_
