#include "passes/gradient/rule.h"

// The cotangent of z = x + iy is dL/dx + i dL/dy, as in TensorFlow.

namespace reel::passes {

GRAD(Complex, kNone, kNone) {
  if (g.wants(0)) g.Set(0, b.Real(g.dy()));
  if (g.wants(1)) g.Set(1, b.Imag(g.dy()));
}
GRAD(Real, kNone, kNone) { g.Set(0, b.Complex(g.dy(), b.ScalarLike(g.dy(), 0))); }
GRAD(Imag, kNone, kNone) { g.Set(0, b.Complex(b.ScalarLike(g.dy(), 0), g.dy())); }

}  // namespace reel::passes
