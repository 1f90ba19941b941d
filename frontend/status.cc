#include "frontend/status.h"

#include <string>

#include "frontend/core.h"
#include "ir/strings.h"

namespace reel {

const char* Name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCancelled:
      return "Cancelled";
    case ErrorCode::kUnknown:
      return "Unknown";
    case ErrorCode::kInvalidArgument:
      return "InvalidArgument";
    case ErrorCode::kDeadlineExceeded:
      return "DeadlineExceeded";
    case ErrorCode::kNotFound:
      return "NotFound";
    case ErrorCode::kAlreadyExists:
      return "AlreadyExists";
    case ErrorCode::kPermissionDenied:
      return "PermissionDenied";
    case ErrorCode::kResourceExhausted:
      return "ResourceExhausted";
    case ErrorCode::kFailedPrecondition:
      return "FailedPrecondition";
    case ErrorCode::kAborted:
      return "Aborted";
    case ErrorCode::kOutOfRange:
      return "OutOfRange";
    case ErrorCode::kUnimplemented:
      return "Unimplemented";
    case ErrorCode::kInternal:
      return "Internal";
    case ErrorCode::kUnavailable:
      return "Unavailable";
    case ErrorCode::kDataLoss:
      return "DataLoss";
  }
  return "Unknown";
}

namespace internal {

void ThrowError(ErrorCode code, std::string message) {
  const SourceLine line = UserLine();
  if (line.file) StrAppend(&message, " (", line.file, ":", line.line, ")");
  throw Error(code, message);
}

void ThrowInvalid(std::string message) {
  ThrowError(ErrorCode::kInvalidArgument, std::move(message));
}

void Throw(const absl::Status& status) {
  const int code = static_cast<int>(status.code());
  ThrowError(code >= 1 && code <= 15 ? static_cast<ErrorCode>(code) : ErrorCode::kUnknown,
             std::string(status.message()));
}

}  // namespace internal
}  // namespace reel
