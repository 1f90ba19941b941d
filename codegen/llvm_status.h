#ifndef REEL_CODEGEN_LLVM_STATUS_H_
#define REEL_CODEGEN_LLVM_STATUS_H_

#include <string_view>
#include <utility>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "codegen/llvm_headers.h"
#include "ir/strings.h"

// The one place where LLVM's errors become absl::Status.

namespace reel::codegen {

/// Ok, or an InternalError "what: LLVM's text".
inline absl::Status ToStatus(llvm::Error error, std::string_view what) {
  if (!error) return absl::OkStatus();
  return absl::InternalError(StrCat(what, ": ", llvm::toString(std::move(error))));
}

template <typename T>
absl::StatusOr<T> ToStatusOr(llvm::Expected<T> value, std::string_view what) {
  if (!value) return ToStatus(value.takeError(), what);
  return std::move(*value);
}

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LLVM_STATUS_H_
