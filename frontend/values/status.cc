#include "frontend/values/status.h"

#include <cctype>
#include <string>

#include "frontend/record/event_stream.h"
#include "frontend/values/location.h"
#include "ir/printable.h"
#include "ir/rank_handler.h"
#include "ir/strings.h"

namespace reel {

const char* Name(ErrorCode code) {
  switch (code) {
    case ErrorCode::kCancelled: return "Cancelled";
    case ErrorCode::kUnknown: return "Unknown";
    case ErrorCode::kInvalidArgument: return "InvalidArgument";
    case ErrorCode::kDeadlineExceeded: return "DeadlineExceeded";
    case ErrorCode::kNotFound: return "NotFound";
    case ErrorCode::kAlreadyExists: return "AlreadyExists";
    case ErrorCode::kPermissionDenied: return "PermissionDenied";
    case ErrorCode::kResourceExhausted: return "ResourceExhausted";
    case ErrorCode::kFailedPrecondition: return "FailedPrecondition";
    case ErrorCode::kAborted: return "Aborted";
    case ErrorCode::kOutOfRange: return "OutOfRange";
    case ErrorCode::kUnimplemented: return "Unimplemented";
    case ErrorCode::kInternal: return "Internal";
    case ErrorCode::kUnavailable: return "Unavailable";
    case ErrorCode::kDataLoss: return "DataLoss";
  }
  return "Unknown";
}

namespace internal {
namespace {

// "[?0,784]" becomes "[B,784]" with the symbols of the trace in progress: shapes do not know them.
void NameSymbols(std::string* message) {
  if (!State().trace) return;
  const auto& symbols = State().trace->module->symbols();
  for (size_t at = message->find('?'); at != std::string::npos; at = message->find('?', at + 1)) {
    if (at == 0 || ((*message)[at - 1] != '[' && (*message)[at - 1] != ',')) continue;
    size_t end = at + 1, symbol = 0;
    for (; end < message->size() && end < at + 8 && std::isdigit(static_cast<unsigned char>((*message)[end])); ++end) {
      symbol = symbol * 10 + static_cast<size_t>((*message)[end] - '0');
    }
    if (end > at + 1 && symbol < symbols.size()) message->replace(at, end - at, symbols[symbol].name);
  }
}

// An op wants the number of elements along an axis where there is none yet.
[[noreturn]] void ThrowSymbolicExtent(int32_t symbol) {
  const ThreadState& state = State();
  const std::string op = state.location.function ? StrCat(state.location.function, ": ") : "";
  const auto i = static_cast<size_t>(symbol);
  if (symbol < 0 || !state.trace || i >= state.trace->module->symbols().size()) {
    ThrowInvalid(StrCat(op, "an extent is negative; extents are 0 or more"));
  }
  const ir::Symbol& s = state.trace->module->symbols()[i];
  ThrowError(ErrorCode::kUnimplemented,
             StrCat(op, "needs the extent ", s.name, " as a number, but it is symbolic, in [", s.min, ", ", s.max,
                    "]; trace with a constant extent, or write it with x.shape()[i], ExtentOf(x, axis) or -1 in "
                    "Reshape"));
}

// A shape gets one extent too many.
[[noreturn]] void ThrowRank() {
  const ThreadState& state = State();
  ThrowInvalid(StrCat(state.location.function ? StrCat(state.location.function, ": ") : "", "a shape has at most ",
                      kMaxRank, " extents; reshape so that neighbouring axes become one"));
}

[[maybe_unused]] const bool handles_extents =
    (SetSymbolicExtentHandler(ThrowSymbolicExtent), SetRankHandler(ThrowRank), true);

}  // namespace

void ThrowError(ErrorCode code, std::string message) {
  NameSymbols(&message);
  const SourceLine line = UserLine();
  if (line.file) StrAppend(&message, " (", line.file, ":", line.line, ")");
  throw Error(code, ir::Printable(message));
}

void ThrowInvalid(std::string message) { ThrowError(ErrorCode::kInvalidArgument, std::move(message)); }

void Throw(const absl::Status& status) {
  const int code = static_cast<int>(status.code());
  ThrowError(code >= 1 && code <= 15 ? static_cast<ErrorCode>(code) : ErrorCode::kUnknown,
             std::string(status.message()));
}

}  // namespace internal
}  // namespace reel
