#include "passes/vectorize/rule.h"

namespace reel::passes {

BATCH(Argsort) { c.Emit({c.in()}, c.Shifted({"axis"})); }

}  // namespace reel::passes
