#ifndef REEL_PASSES_ROWWISE_H_
#define REEL_PASSES_ROWWISE_H_

#include <cstdint>

#include "ir/graph.h"

namespace reel::passes {

/// Whether a function can be run on some rows after others: every argument and result with the symbol has
/// it as axis 0 and nowhere else, row r of these results depends on row r of these arguments alone, other
/// results on none, and variables keep their values. Since the size of a batch does not change the bits of a
/// row, chunks of rows give the bits of all at once. What is not known to be so is not.
bool IsRowwise(const ir::Module& module, const ir::Function& function, int32_t symbol);

}  // namespace reel::passes

#endif  // REEL_PASSES_ROWWISE_H_
