#include "passes/gradient/rule.h"

namespace reel::passes {

NOT_DIFFERENTIABLE(RandomBits)

}  // namespace reel::passes
