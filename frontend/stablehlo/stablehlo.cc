#include "reel/stablehlo.h"

#include "frontend/record/event_log.h"
#include "frontend/stablehlo/import/importer.h"
#include "frontend/stablehlo/writer.h"
#include "frontend/values/status.h"
#include "ir/file/reader.h"
#include "ir/file/writer.h"
#include "ir/strings.h"

namespace reel {

std::string ToStableHlo(const Module& module, const StableHloOptions& options) {
  return stablehlo::Write(module.internal_data()->module, options);
}

void SaveStableHlo(const Module& module, const std::string& path, const StableHloOptions& options) {
  internal::Check(ir::WriteFile(path, ToStableHlo(module, options)));
}

Module ImportStableHlo(std::string_view text, const std::string& name, const StableHloImportOptions& options) {
  return stablehlo::Import(text, name, options);
}

Module LoadStableHlo(const std::string& path, const StableHloImportOptions& options) {
  auto text = ir::ReadFile(path, options.budget);
  if (!text.ok())
    internal::Check(absl::Status(text.status().code(), StrCat("stablehlo: ", std::string(text.status().message()))));
  return ImportStableHlo(*text, path, options);
}

}  // namespace reel
