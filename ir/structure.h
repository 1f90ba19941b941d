#ifndef REEL_IR_STRUCTURE_H_
#define REEL_IR_STRUCTURE_H_

#include "ir/graph.h"

namespace reel::ir {

/// Whether the functions are equal but for names of values, locations and their own names: what Fingerprint() only
/// suggests. Floats are equal if their bits are. Linear.
bool SameStructure(const Function& a, const Function& b);

}  // namespace reel::ir

#endif  // REEL_IR_STRUCTURE_H_
