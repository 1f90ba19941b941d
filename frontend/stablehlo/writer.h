#ifndef REEL_FRONTEND_STABLEHLO_WRITER_H_
#define REEL_FRONTEND_STABLEHLO_WRITER_H_

#include <cstddef>
#include <cstdint>
#include <string>

#include "ir/graph.h"
#include "reel/stablehlo.h"

namespace reel::stablehlo {

/// Readers count places in a text in 31 bits.
inline constexpr size_t kMostText = INT32_MAX;

/// The text of a verified module. Throws before anything is written: Unimplemented for an op that StableHLO does not
/// have, InvalidArgument for an unknown entry point or extent; and where the text would have more than `most`
/// characters.
std::string Write(const ir::Module& module, const StableHloOptions& options, size_t most = kMostText);

}  // namespace reel::stablehlo

#endif  // REEL_FRONTEND_STABLEHLO_WRITER_H_
