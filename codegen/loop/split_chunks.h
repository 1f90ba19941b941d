#ifndef REEL_CODEGEN_LOOP_SPLIT_CHUNKS_H_
#define REEL_CODEGEN_LOOP_SPLIT_CHUNKS_H_

#include "codegen/loop/loop.h"

// Chunks along two loops: a product of five blocks of rows has 5 chunks by its outermost loop, and 80 with sixteen
// panels of columns. They come in the order in which one thread goes through the loops.

namespace reel::codegen {

/// Splits chunks along the first loop with several iterations below the parallel one, if all around it do nothing else,
/// and its iterations write to elements of their own; a last panel behind it is one more. There are at most
/// Kernel::wanted_chunks then: where these are not twice as many as before, what a chunk goes through in long runs
/// stays as it is. No bits change.
void SplitChunks(Kernel* kernel);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOOP_SPLIT_CHUNKS_H_
