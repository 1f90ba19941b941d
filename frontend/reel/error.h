#ifndef REEL_ERROR_H_
#define REEL_ERROR_H_

#include <stdexcept>
#include <string>

namespace reel {

/// What kind of failure an Error is. The values are those of the canonical status codes.
enum class ErrorCode {
  kCancelled = 1,
  kUnknown = 2,
  kInvalidArgument = 3,
  kDeadlineExceeded = 4,
  kNotFound = 5,
  kAlreadyExists = 6,
  kPermissionDenied = 7,
  kResourceExhausted = 8,
  kFailedPrecondition = 9,
  kAborted = 10,
  kOutOfRange = 11,
  kUnimplemented = 12,
  kInternal = 13,
  kUnavailable = 14,
  kDataLoss = 15,
};

/// "InvalidArgument", "NotFound", ...
const char* Name(ErrorCode code);

/// Every failure of Reel. what() is one readable paragraph: what failed, with which shapes, where,
/// and what to do about it.
class Error : public std::runtime_error {
 public:
  Error(ErrorCode code, const std::string& message) : std::runtime_error(message), code_(code) {}
  /// What kind of failure it is.
  ErrorCode code() const { return code_; }

 private:
  ErrorCode code_;
};

}  // namespace reel

#endif  // REEL_ERROR_H_
