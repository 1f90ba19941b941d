#ifndef REEL_PASSES_GRADIENT_RULES_WINDOW_H_
#define REEL_PASSES_GRADIENT_RULES_WINDOW_H_

#include "ir/graph.h"

namespace reel::passes {

/// Whether windows along entry i of the axes of a window node, `windows` of them, may hold an element of each other.
bool WindowsOverlap(const ir::Node& window, size_t i, int64_t windows);

}  // namespace reel::passes

#endif  // REEL_PASSES_GRADIENT_RULES_WINDOW_H_
