#ifndef REEL_CODEGEN_AOT_AOT_H_
#define REEL_CODEGEN_AOT_AOT_H_

#include <span>
#include <string>

#include "absl/status/statusor.h"
#include "codegen/program/code.h"
#include "codegen/program/program.h"
#include "codegen/target/target.h"

namespace reel::codegen {

/// A relocatable object with its C header and manifest: position independent, no writable globals,
/// no calls but memcpy, memmove and memset. The same programs, name and targets give the same bytes. With several
/// levels each has its kernels and entry points, and `init` chooses.
absl::StatusOr<ObjectFiles> AotCompile(std::span<const TargetProgram> levels, const std::string& name,
                                       const CodeOptions& options);

/// LLVM IR or assembly of that object.
absl::StatusOr<std::string> AotText(std::span<const TargetProgram> levels, const std::string& name,
                                    const CodeOptions& options, bool assembly);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_AOT_AOT_H_
