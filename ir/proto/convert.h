#ifndef REEL_IR_PROTO_CONVERT_H_
#define REEL_IR_PROTO_CONVERT_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "ir/budget_meter.h"
#include "ir/graph.h"

namespace reel::proto {
class Module;
}

namespace reel::ir {

/// What this reader and writer speak.
inline constexpr uint32_t kFormatVersion = 3;
/// What is written, and the oldest reader that understands it: of modules as a rule, and with variables in parts.
inline constexpr uint32_t kWrittenVersion = 2, kMinReaderVersion = 1;
inline constexpr uint32_t kPartsVersion = 3;
/// Largest total of constants in one binary file.
inline constexpr int64_t kMaxTensorBytes = int64_t{64} << 20;

/// Fills an empty message from a verified module. ResourceExhausted if the constants are too large.
absl::Status ToProto(const Module& module, proto::Module* out);

/// The module of a message from an untrusted source; not yet verified. `name` begins every error.
absl::StatusOr<Module> FromProto(const proto::Module& in, std::string_view name, BudgetMeter* meter);

}  // namespace reel::ir

#endif  // REEL_IR_PROTO_CONVERT_H_
