#include "passes/vectorize/rule.h"

// Matrices are the last two axes, whatever is in front of them.

namespace reel::passes {

BATCH(Cholesky) { c.Emit({c.in()}, {}); }
BATCH(TriangularSolve) { c.Emit(c.AllRows(), c.node().attrs()); }
BATCH(Lu) { c.Emit({c.in()}, {}); }
BATCH(Qr) { c.Emit({c.in()}, {}); }
BATCH(Eigh) { c.Emit({c.in()}, {}); }
BATCH(Svd) { c.Emit({c.in()}, {}); }

}  // namespace reel::passes
