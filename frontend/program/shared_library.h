#ifndef REEL_FRONTEND_PROGRAM_SHARED_LIBRARY_H_
#define REEL_FRONTEND_PROGRAM_SHARED_LIBRARY_H_

#include <string>
#include <string_view>

#include "absl/status/statusor.h"

namespace reel::internal {

/// Unimplemented if objects for that CPU and operating system are not for this machine: `cc` links its own alone.
absl::Status CheckLinkable(const std::string& cpu, const std::string& os);
/// The bytes of a shared library made of an object by `cc -shared`, in a temporary folder ($TMPDIR or /tmp).
/// Unavailable if there is no C compiler.
absl::StatusOr<std::string> LinkShared(std::string_view object);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_PROGRAM_SHARED_LIBRARY_H_
