#ifndef REEL_PASSES_WITHOUT_H_
#define REEL_PASSES_WITHOUT_H_

#include <string>

#include "ir/graph.h"
#include "ir/hash_map.h"

namespace reel::passes {

/// Names of functions, and of what stands for them.
using Names = HashMap<std::string, std::string>;

/// A function that does the same without nodes that do no more than to fail or to act (`drops`), whose results become
/// their first operands; so do those that it calls. The function itself if there are none. `made` keeps what was made.
std::string Without(ir::Module* m, const std::string& function, bool (*drops)(const ir::Node&), Names* made);

/// What Without takes away: checks of indices and divisors; effects of callbacks.
bool IsCheck(const ir::Node& node);
bool IsEffect(const ir::Node& node);

}  // namespace reel::passes

#endif  // REEL_PASSES_WITHOUT_H_
