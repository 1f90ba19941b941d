#ifndef REEL_FRONTEND_STABLEHLO_WRITER_H_
#define REEL_FRONTEND_STABLEHLO_WRITER_H_

#include <string>

#include "ir/graph.h"
#include "reel/stablehlo.h"

namespace reel::stablehlo {

/// The text of a verified module. Throws before anything is written: Unimplemented for an op that StableHLO does not
/// have, InvalidArgument for an unknown entry point or extent.
std::string Write(const ir::Module& module, const StableHloOptions& options);

}  // namespace reel::stablehlo

#endif  // REEL_FRONTEND_STABLEHLO_WRITER_H_
