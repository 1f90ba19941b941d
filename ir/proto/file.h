#ifndef REEL_IR_PROTO_FILE_H_
#define REEL_IR_PROTO_FILE_H_

#include <span>
#include <string>
#include <string_view>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "ir/budget.h"
#include "ir/file/writer.h"
#include "ir/graph.h"

namespace reel::ir {

/// The binary form. Equal modules give equal bytes. Verifies first, so what is written can be read.
absl::StatusOr<std::string> SerializeModule(const Module& module);

/// Reads and verifies either form, told apart by the first bytes. `name` begins every error.
absl::StatusOr<Module> ParseModuleBytes(std::span<const std::byte> bytes, std::string_view name,
                                        const Budget& budget = {});

/// Appends the text form with locations, or the binary form as it is made. Verifies first.
absl::Status WriteModule(const Module& module, bool text, FileWriter* file);

/// Replaces what `path` names by a file that is complete: it is old or new, never half (ir/file/writer.h).
/// A name that ends in .txt gets the text form with locations, any other the binary form.
absl::Status SaveModule(const Module& module, const std::string& path);

/// Reads and verifies a file of either form.
absl::StatusOr<Module> LoadModule(const std::string& path, const Budget& budget = {});

}  // namespace reel::ir

#endif  // REEL_IR_PROTO_FILE_H_
