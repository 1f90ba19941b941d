// The one place that reads REEL_* environment variables.
//
//   REEL_DUMP_TO         DIRECTORY        write the IR after each pass, LLVM IR and assembly there
//   REEL_DUMP_PASSES     NAME[,NAME...]   dump only after these passes
//   REEL_DISABLE_PASSES  NAME[,NAME...]   leave these passes out
//   REEL_PASS_LIMIT      COUNT            stop after that many pass runs (to bisect a wrong result)
//   REEL_PROFILE         0 | 1 | FILE.json  time every kernel; a Chrome trace goes to the file
//   REEL_NUM_THREADS     COUNT            threads of a parallel step, the caller included
//   REEL_CACHE_DIR       DIRECTORY        compiled kernels are kept there
//   REEL_CPU             NAME | FILE.target  what the CPU "native" is: a level, a class, or a target file
//   REEL_SCHEDULES       FILE             schedules that were found by `reel tune`
//   REEL_TAPE_CACHE      0 | 1            0: eager code always runs op by op, nothing is compiled behind it
//   REEL_VERIFY          0 | 1            1: plans are checked after each phase, kernels before code is made of them
//
// An empty value means unset. A malformed value is reported with its grammar and left at its
// default.
#ifndef REEL_RUNTIME_ENVIRONMENT_H_
#define REEL_RUNTIME_ENVIRONMENT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace reel::runtime {

// Most threads a parallel step can use.
inline constexpr int kMaxThreads = 1024;

// Parsed values; the default of each member means "not set".
struct Environment {
  std::string dump_to;
  std::vector<std::string> dump_passes;
  std::vector<std::string> disable_passes;
  std::optional<int64_t> pass_limit;
  bool profile = false;
  std::string profile_to;  // the file of REEL_PROFILE, which then is on
  int num_threads = 0;
  std::string cache_dir;
  std::string cpu, schedules;
  bool tape_cache = true;
  bool verify = false;

  // One line per malformed variable, empty when all are well formed. Front ends turn it into their
  // kind of error before they compile or run anything.
  std::string error;
};

// Value of a variable or null, as getenv gives it.
using EnvironmentLookup = std::function<const char*(const char* name)>;

// Parses all variables as `lookup` gives them.
Environment ParseEnvironment(const EnvironmentLookup& lookup);

// The process's variables, read once, at the first call.
const Environment& GetEnvironment();

}  // namespace reel::runtime

#endif  // REEL_RUNTIME_ENVIRONMENT_H_
