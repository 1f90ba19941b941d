#include "passes/gradient/rule.h"

namespace reel::passes {

NOT_DIFFERENTIABLE(RandomBits)
NOT_DIFFERENTIABLE(Callback)

}  // namespace reel::passes
