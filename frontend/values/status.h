#ifndef REEL_FRONTEND_VALUES_STATUS_H_
#define REEL_FRONTEND_VALUES_STATUS_H_

#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "reel/error.h"

// The one place where an absl::Status becomes a reel::Error.

namespace reel::internal {

/// Throws the status as an Error; the user's line is appended if one is known.
[[noreturn]] void Throw(const absl::Status& status);
/// Throws InvalidArgument with this message and the user's line.
[[noreturn]] void ThrowInvalid(std::string message);
[[noreturn]] void ThrowError(ErrorCode code, std::string message);

inline void Check(const absl::Status& status) {
  if (!status.ok()) Throw(status);
}

/// The value, or its status thrown.
template <typename T>
T Take(absl::StatusOr<T> value) {
  if (!value.ok()) Throw(value.status());
  return *std::move(value);
}

}  // namespace reel::internal

#endif  // REEL_FRONTEND_VALUES_STATUS_H_
