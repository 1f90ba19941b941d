#include "passes/vectorize/rule.h"

namespace reel::passes {

BATCH(Recurrence) { c.Emit(c.AllRows(), c.Shifted({"axis"})); }

}  // namespace reel::passes
