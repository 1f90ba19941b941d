#ifndef REEL_IR_CALLBACK_H_
#define REEL_IR_CALLBACK_H_

#include <cstdint>
#include <exception>
#include <functional>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "ir/types.h"

// Functions of this process that graphs call: what a `callback` op does. They live as long as the process.

namespace reel::ir {

/// A row-major tensor in somebody's memory.
struct CallbackTensor {
  Type type;
  void* data;
};

/// Reads the operands, writes the result; may throw.
using Callback = std::function<void(absl::Span<const CallbackTensor> operands, const CallbackTensor& result)>;

/// Registers a function; its number, which no other process uses.
int64_t AddCallback(Callback callback);
/// Whether a number is one of this process's.
bool HasCallback(int64_t id);
/// Runs it; throws what it throws.
void RunCallback(int64_t id, absl::Span<const CallbackTensor> operands, const CallbackTensor& result);
/// What the last callback of this thread that compiled code called has thrown; null: nothing. Asked once.
std::exception_ptr TakeCallbackError() noexcept;

/// Types as compiled code hands them over: how many, then dtype, rank and extents of each.
std::vector<int64_t> CallbackWords(absl::Span<const Type> types);

/// For errors: what no engine but the process that traced a callback can do.
std::string_view CallbackAdvice();

}  // namespace reel::ir

/// What compiled code calls: the result's type and buffer come first. Not 0: it has thrown.
extern "C" int32_t reel_callback(int64_t id, const int64_t* types, void* const* buffers) noexcept;

#endif  // REEL_IR_CALLBACK_H_
