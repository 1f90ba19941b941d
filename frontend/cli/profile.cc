#include "frontend/cli/profile.h"

#include <nlohmann/json.hpp>

#include "frontend/program/execution_profile.h"

namespace reel::cli {

void AddProfileOption(Command* command, ProfileOption* option) {
  const auto take = [option](const std::string& file) {
    option->on = true;
    option->file = file;
    const bool fits = file.empty() || file == kStandard || (file.size() > 5 && file.ends_with(".json"));
    return std::string(fits ? "" : "write --profile or --profile=FILE.json");
  };
  command->FlagOrValue("--profile", take,
                       "Time every kernel: a table, beside the limits of this machine; =FILE.json also writes a "
                       "Chrome trace for ui.perfetto.dev");
}

std::string ProfileText(const ExecutionProfile& profile, const Machine& machine) {
  return internal::ProfileTable(profile, [&machine](const KernelProfile& k) { return machine.LimitSeconds(k); });
}

Json ProfileJson(const ExecutionProfile& profile, const Machine& machine) {
  Json kernels = Json::array();
  for (const KernelProfile& k : profile.kernels) {
    kernels.push_back({{"name", Printable(k.name, 200)},
                       {"kernel", k.kernel},
                       {"calls", k.calls},
                       {"seconds", k.seconds},
                       {"best_s", k.best},
                       {"flops", k.flops},
                       {"bytes_read", k.bytes_read},
                       {"bytes_written", k.bytes_written},
                       {"limit_s", machine.LimitSeconds(k)}});
  }
  return {{"calls", profile.calls},
          {"seconds", profile.seconds},
          {"best_s", profile.best},
          {"kernels", std::move(kernels)}};
}

}  // namespace reel::cli
