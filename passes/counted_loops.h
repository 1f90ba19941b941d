#ifndef REEL_PASSES_COUNTED_LOOPS_H_
#define REEL_PASSES_COUNTED_LOOPS_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "ir/graph.h"

namespace reel::passes {

/// How often the condition of a while node of f holds, if that is a matter of counting.
std::optional<int64_t> CountedIterations(const ir::Function& f, const ir::Node& loop, const ir::Module& m);

/// By operand of a while node of f: whether the loop writes every element of the carried value before anything reads
/// it, so that it need not be filled: a table that a counting loop writes row by row and does not look into.
std::vector<bool> OverwrittenOperands(const ir::Function& f, const ir::Node& loop, const ir::Module& m);

}  // namespace reel::passes

#endif  // REEL_PASSES_COUNTED_LOOPS_H_
