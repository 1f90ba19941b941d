#include "passes/vectorize/rule.h"

// Element i of the result depends on elements i of the operands: the rows are one more axis.

namespace reel::passes {

static void BatchElementwise(BatchContext& c, ir::Builder&) { c.Emit(c.AllRows(), c.node().attrs()); }

#define ELEMENTWISE(Enum)                   \
  extern const BatchRule k##Enum##Batching; \
  const BatchRule k##Enum##Batching{BatchElementwise};

#define OP(...)
#define UNARY(Enum, ...) ELEMENTWISE(Enum)
#define BINARY(Enum, ...) ELEMENTWISE(Enum)
#include "ir/ops.def"
#undef OP

ELEMENTWISE(Identity)
ELEMENTWISE(Cast)
ELEMENTWISE(Bitcast)
ELEMENTWISE(Betainc)
ELEMENTWISE(Select)
ELEMENTWISE(CheckIndex)
ELEMENTWISE(CheckInteger)

}  // namespace reel::passes
