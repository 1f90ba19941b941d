#ifndef REEL_CODEGEN_AOT_SIZED_H_
#define REEL_CODEGEN_AOT_SIZED_H_

#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/program/program.h"
#include "ir/graph.h"

// Symbolic extents of objects, where nothing can be compiled when it is called.

namespace reel::codegen {

/// A module without symbolic extents that has entry points for some of their values.
struct SizedModule {
  ir::Module module;
  std::vector<ObjectEntry> offered;  ///< variants count through `entries`; empty: there were no symbols
  std::vector<std::string> entries;  ///< of the module, by the number that variants have for them
};

/// Entry points of an object, from values of symbols by name. A symbol with one value is that number. An entry point
/// that works row by row (passes/rowwise.h) takes any number of rows, in chunks of 64, 32, ... 1 and the values given;
/// others take the values given, several of a name, or all of a range of at most 16. Unimplemented: none are given for
/// a larger range. InvalidArgument: unknown names, values out of range, more than 64 combinations.
absl::StatusOr<SizedModule> SizeModule(const ir::Module& module,
                                       const std::vector<std::pair<std::string, int64_t>>& extents);

/// Lets the program of a sized module offer what it has.
void Offer(const SizedModule& sized, Program* program);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_AOT_SIZED_H_
