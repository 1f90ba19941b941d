#ifndef REEL_RUNTIME_CALLBACK_H_
#define REEL_RUNTIME_CALLBACK_H_

#include <cstdint>
#include <exception>
#include <functional>
#include <memory>

// Functions of this process that compiled code calls, by number. Graphs and programs that name one hold it; it ends
// with the last of them.

namespace reel::runtime {

/// `call`: numbers that the caller and the function agree on; `buffers`: the result's, then the operands'. May throw.
using CallbackFunction = std::function<void(const int64_t* call, void* const* buffers)>;

class Callback {
 public:
  Callback(int64_t id, CallbackFunction function);
  ~Callback();
  Callback(const Callback&) = delete;
  Callback& operator=(const Callback&) = delete;

  /// No other process uses it, and this one never again.
  int64_t id() const { return id_; }
  void Run(const int64_t* call, void* const* buffers) const { function_(call, buffers); }

 private:
  const int64_t id_;
  const CallbackFunction function_;
};

/// Known by its number as long as somebody holds it.
std::shared_ptr<const Callback> AddCallback(CallbackFunction function);
/// Null: it has ended, or is of another process.
std::shared_ptr<const Callback> FindCallback(int64_t id);
/// What the last callback of this thread that compiled code called has thrown; null: nothing. Asked once.
std::exception_ptr TakeCallbackError() noexcept;

}  // namespace reel::runtime

/// What compiled code calls. Not 0: it has thrown.
extern "C" int32_t reel_callback(int64_t id, const int64_t* call, void* const* buffers) noexcept;

#endif  // REEL_RUNTIME_CALLBACK_H_
