#ifndef REEL_FRONTEND_CLI_PROFILE_H_
#define REEL_FRONTEND_CLI_PROFILE_H_

#include <string>

#include "frontend/cli/bench/machine.h"
#include "frontend/cli/cli.h"
#include "reel/profile.h"

namespace reel::cli {

/// --profile or --profile=FILE.json of a command.
struct ProfileOption {
  bool on = false;
  std::string file;  ///< for a Chrome trace; empty: none
};
void AddProfileOption(Command* command, ProfileOption* option);

/// A line per kernel, the last column the time that the machine's limit allows as a part of the time taken.
std::string ProfileText(const ExecutionProfile& profile, const Machine& machine);
/// {"calls", "seconds", "kernels": [{"name", ...}]}
Json ProfileJson(const ExecutionProfile& profile, const Machine& machine);

}  // namespace reel::cli

#endif  // REEL_FRONTEND_CLI_PROFILE_H_
