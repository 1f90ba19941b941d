#ifndef REEL_PASSES_SPLAT_H_
#define REEL_PASSES_SPLAT_H_

#include <optional>

#include "ir/graph.h"

namespace reel::passes {

/// The scalar that all elements of a value are equal to, bit for bit: a constant, seen through
/// broadcasts and other ops that only move elements.
std::optional<ir::Literal> SplatOf(const ir::Function& f, ir::Value v);

}  // namespace reel::passes

#endif  // REEL_PASSES_SPLAT_H_
