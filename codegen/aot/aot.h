#ifndef REEL_CODEGEN_AOT_AOT_H_
#define REEL_CODEGEN_AOT_AOT_H_

#include <string>

#include "absl/status/statusor.h"
#include "codegen/program/code.h"
#include "codegen/program/program.h"
#include "codegen/target/target.h"

namespace reel::codegen {

/// A relocatable object with its C header and manifest: position independent, no writable globals,
/// no calls but memcpy, memmove and memset. The same program, name and target give the same bytes.
absl::StatusOr<ObjectFiles> AotCompile(const Program& program, const std::string& name, const Target& target,
                                       const CodeOptions& options);

/// LLVM IR or assembly of that object.
absl::StatusOr<std::string> AotText(const Program& program, const std::string& name, const Target& target,
                                    const CodeOptions& options, bool assembly);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_AOT_AOT_H_
