#ifndef REEL_PASSES_SINK_TRANSPOSES_H_
#define REEL_PASSES_SINK_TRANSPOSES_H_

#include "ir/builder.h"

namespace reel::passes {

/// The permutation that undoes this one.
std::vector<int64_t> Inverse(const std::vector<int64_t>& permutation);

/// pad(transpose(x)) as transpose(pad(x)): `transposed` is a transpose, `pad` has the attributes of what pads it by
/// `value`.
ir::Value PadBelow(ir::Builder& b, ir::Value transposed, ir::Value value, const ir::Attributes& pad);

}  // namespace reel::passes

#endif  // REEL_PASSES_SINK_TRANSPOSES_H_
