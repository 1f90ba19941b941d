#ifndef REEL_CODEGEN_AOT_WEIGHTS_LAYOUT_H_
#define REEL_CODEGEN_AOT_WEIGHTS_LAYOUT_H_

#include "absl/status/statusor.h"
#include "codegen/program/program.h"
#include "ir/file/safetensors.h"

namespace reel::codegen {

/// More variables than these would take too much stack of NAME_load, 16 bytes each.
inline constexpr size_t kMaxLoadedVariables = 16384;

/// How the file that NAME_save writes lies: the variables in their order, by the names of the graph. An error says why
/// the object has no NAME_save and NAME_load; it names nothing of the user's.
absl::StatusOr<ir::SafetensorsLayout> LayOutWeights(const Program& program);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_AOT_WEIGHTS_LAYOUT_H_
