#include "reel/stablehlo.h"

#include "frontend/record/event_log.h"
#include "frontend/stablehlo/writer.h"
#include "frontend/values/status.h"
#include "ir/file/writer.h"

namespace reel {

std::string ToStableHlo(const Module& module, const StableHloOptions& options) {
  return stablehlo::Write(module.internal_data()->module, options);
}

void SaveStableHlo(const Module& module, const std::string& path, const StableHloOptions& options) {
  internal::Check(ir::WriteFile(path, ToStableHlo(module, options)));
}

}  // namespace reel
