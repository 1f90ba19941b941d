#include "passes/gradient/rule.h"

namespace reel::passes {

NOT_DIFFERENTIABLE(Argsort)  // sort takes the elements at these positions: the gradient flows there

}  // namespace reel::passes
