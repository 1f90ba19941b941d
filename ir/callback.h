#ifndef REEL_IR_CALLBACK_H_
#define REEL_IR_CALLBACK_H_

#include <cstdint>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "ir/types.h"

// What a `callback` op says to the function of the process that it calls.

namespace reel::ir {

/// A call: the types of the result and of the operands, and the attribute `guarded`.
struct CallbackCall {
  bool guarded = false;
  std::vector<Type> types;  ///< the result's first
};
/// As compiled code hands it over: guarded, how many types, then dtype, rank and extents of each.
std::vector<int64_t> CallbackWords(bool guarded, absl::Span<const Type> types);
CallbackCall ReadCallbackWords(const int64_t* words);

/// For errors: what no engine but the process that traced a callback can do.
std::string_view CallbackAdvice();

}  // namespace reel::ir

#endif  // REEL_IR_CALLBACK_H_
