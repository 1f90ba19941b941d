#include "ir/text/float_bits.h"

namespace reel::ir {

FloatFormat FormatOf(DType dtype) {
  switch (dtype) {
    case kFloat16: return {5, 10};
    case kBFloat16: return {8, 7};
    case kFloat32: return {8, 23};
    default: return {11, 52};
  }
}

}  // namespace reel::ir
