#ifndef REEL_IR_TEXT_PARSER_H_
#define REEL_IR_TEXT_PARSER_H_

#include <string_view>

#include "absl/status/statusor.h"
#include "ir/budget.h"
#include "ir/graph.h"

namespace reel::ir {

/// Reads the text form and verifies the module. Syntax errors are
/// "file:line:col: found X, expected Y"; the others name function and node.
absl::StatusOr<Module> ParseModule(std::string_view text, std::string_view file_name = "text",
                                   const Budget& budget = {});

}  // namespace reel::ir

#endif  // REEL_IR_TEXT_PARSER_H_
