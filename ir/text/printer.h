#ifndef REEL_IR_TEXT_PRINTER_H_
#define REEL_IR_TEXT_PRINTER_H_

#include <string>

#include "ir/graph.h"

namespace reel::ir {

/// Version in the first line of the text form, "reel 1". It rises with the version of any op.
inline constexpr int kTextVersion = 1;
/// Literals of more bytes print as base64.
inline constexpr size_t kMaxDecimalBytes = 4096;

struct PrintOptions {
  /// For dumps: large literals as elided(bytes), which does not load.
  bool elide_large_constants = false;
  /// Append loc("file":line).
  bool locations = false;
};

/// The text form (grammar in ir/README.md). ParseModule() gives the module back, bit for bit
/// (without locations unless they are asked for).
std::string Print(const Module& module, const PrintOptions& options = {});

/// One function, for messages and dumps; `module` names its symbolic extents.
std::string Print(const Function& function, const PrintOptions& options = {}, const Module* module = nullptr);

/// f32[B,784]: a type with the names of symbolic extents.
std::string Print(const Type& type, const Module& module);

}  // namespace reel::ir

#endif  // REEL_IR_TEXT_PRINTER_H_
