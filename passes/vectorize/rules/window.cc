#include "passes/vectorize/rule.h"

namespace reel::passes {

BATCH(Window) { c.Emit({c.in()}, c.Shifted({"axes"})); }

}  // namespace reel::passes
