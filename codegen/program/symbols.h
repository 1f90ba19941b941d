#ifndef REEL_CODEGEN_PROGRAM_SYMBOLS_H_
#define REEL_CODEGEN_PROGRAM_SYMBOLS_H_

#include <cstdint>
#include <vector>

#include "codegen/program/program.h"

// What the code of a program and whoever loads it agree on.

namespace reel::codegen {

/// Symbols of code for this process: the constants, and entry point i with its number appended.
inline constexpr char kJitConstants[] = "reel_constants";
inline constexpr char kJitEntry[] = "reel_entry_";

/// What code with profiling calls (runtime/profile.h).
inline constexpr char kProfileStep[] = "reel_profile_step";
inline constexpr char kCallback[] = "reel_callback";
inline constexpr char kProfileCopy[] = "reel_profile_copy";

/// Where constants are in their one block.
struct ConstantLayout {
  std::vector<int64_t> offsets;  ///< multiples of 64
  int64_t bytes = 0;
};

inline ConstantLayout LayOutConstants(const Program& program) {
  ConstantLayout layout;
  for (const ir::Literal& c : program.constants) {
    layout.offsets.push_back(layout.bytes);
    layout.bytes += (static_cast<int64_t>(c.bytes().size()) + 63) / 64 * 64;
  }
  return layout;
}

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_SYMBOLS_H_
