#include "codegen/aot/weights_layout.h"

#include "ir/strings.h"

namespace reel::codegen {

absl::StatusOr<ir::SafetensorsLayout> LayOutWeights(const Program& program) {
  if (program.variables.empty()) return absl::NotFoundError("there are no variables");
  if (program.variables.size() > kMaxLoadedVariables)
    return absl::ResourceExhaustedError(StrCat("there are more than ", kMaxLoadedVariables, " variables"));
  std::vector<ir::SafetensorsEntry> entries;
  for (const VariableSlot& v : program.variables) {
    if (ir::SafetensorsName(v.type.dtype).empty())
      return absl::InvalidArgumentError(StrCat("safetensors has no ", Name(v.type.dtype), ", which a variable is"));
    if (v.name == ir::kSafetensorsMetadata)
      return absl::InvalidArgumentError(StrCat("safetensors has no entry ", v.name, ", as a variable is called"));
    entries.push_back({v.name, v.type});
  }
  return ir::LayOutSafetensors(entries);
}

}  // namespace reel::codegen
