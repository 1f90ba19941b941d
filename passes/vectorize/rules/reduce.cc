#include "passes/vectorize/rule.h"

namespace reel::passes {

BATCH(ReduceSum) { c.Emit({c.in()}, c.Shifted({"axes"})); }
BATCH(ReduceMax) { c.Emit({c.in()}, c.Shifted({"axes"})); }
BATCH(ReduceMin) { c.Emit({c.in()}, c.Shifted({"axes"})); }
BATCH(ReduceProd) { c.Emit({c.in()}, c.Shifted({"axes"})); }

}  // namespace reel::passes
