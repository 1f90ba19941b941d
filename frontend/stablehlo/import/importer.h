#ifndef REEL_FRONTEND_STABLEHLO_IMPORT_IMPORTER_H_
#define REEL_FRONTEND_STABLEHLO_IMPORT_IMPORTER_H_

#include <string>
#include <string_view>

#include "reel/module.h"
#include "reel/stablehlo.h"

namespace reel::stablehlo {

/// A text of StableHLO as a module. `name` begins every error, and is the file of locations that the text does not
/// have.
Module Import(std::string_view text, const std::string& name, const StableHloImportOptions& options);

}  // namespace reel::stablehlo

#endif  // REEL_FRONTEND_STABLEHLO_IMPORT_IMPORTER_H_
