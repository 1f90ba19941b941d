#include "frontend/cli/profile.h"

#include <CLI/CLI.hpp>
#include <nlohmann/json.hpp>

#include "frontend/program/execution_profile.h"

namespace reel::cli {

void AddProfileOption(CLI::App* command, ProfileOption* option) {
  const auto parse = [option](const CLI::results_t& values) {
    option->on = true;
    option->file = values.back() == "true" ? "" : values.back();
    if (option->file.empty() || option->file == kStandard ||
        (option->file.size() > 5 && option->file.ends_with(".json")))
      return true;
    throw CLI::ValidationError("--profile=" + option->file, "write --profile or --profile=FILE.json");
  };
  command
      ->add_option("--profile", parse,
                   "Time every kernel: a table, beside the limits of this machine; =FILE.json also writes a "
                   "Chrome trace for ui.perfetto.dev")
      ->type_name("")
      ->expected(0);
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
