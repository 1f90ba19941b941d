#ifndef REEL_CODEGEN_AOT_NAMES_H_
#define REEL_CODEGEN_AOT_NAMES_H_

#include <string>
#include <string_view>
#include <vector>

#include "absl/status/statusor.h"
#include "codegen/program/program.h"

namespace reel::codegen {

/// The C identifiers of an object.
struct ObjectNames {
  std::string name;   ///< type and prefix of every function
  std::string upper;  ///< prefix of the macros
  struct Entry {
    std::string name;    ///< the function is <name>_<entry>
    std::string member;  ///< of the C++ class
    std::vector<std::string> extents, arguments, results;
  };
  std::vector<Entry> entries;  ///< of ObjectEntries
  std::vector<std::string> variables;         ///< the accessor is <name>_variable_<variable>
  std::vector<std::string> variable_members;  ///< of the C++ class
};

/// Letters, digits and underscores; others become '_'. "dense/kernel:0" -> "dense_kernel_0".
std::string ToIdentifier(std::string_view text);

/// Errors: `name` is not a C identifier, two names become one, an entry point hides one of the
/// object's own functions.
absl::StatusOr<ObjectNames> NameObject(const Program& program, const std::string& name);

/// The C type of an element: "float", "int32_t", ...
std::string_view CTypeOf(DType dtype);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_AOT_NAMES_H_
