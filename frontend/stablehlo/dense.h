#ifndef REEL_FRONTEND_STABLEHLO_DENSE_H_
#define REEL_FRONTEND_STABLEHLO_DENSE_H_

#include <cstddef>
#include <string>

#include "ir/literal.h"

namespace reel::stablehlo {

/// The elements of a literal as MLIR writes them: `dense<1.0>` if all are equal, a nested list if there are few, else
/// their bytes in hexadecimal. The type follows it in the text.
std::string Dense(const ir::Literal& literal);

/// Characters that the bytes of a literal take in it; 0 if it is no text of bytes.
size_t HexSize(const ir::Literal& literal);

}  // namespace reel::stablehlo

#endif  // REEL_FRONTEND_STABLEHLO_DENSE_H_
