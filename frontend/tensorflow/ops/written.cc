#include "frontend/tensorflow/operators.h"

namespace reel::tensorflow {

// What the writer has put compositions in the place of, if extents are numbers.
HANDLER(Expanded) {
  NeedNumbers(c, c.x[0].type.shape);
  Refuse(c, "was not written out as loops, which is a fault of Reel");
}

HANDLER(Written) {
  NeedNumbers(c, c.type().shape);
  Refuse(c, "was not written out as integers, which is a fault of Reel");
}

}  // namespace reel::tensorflow
