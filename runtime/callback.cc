#include "runtime/callback.h"

#include <atomic>
#include <map>
#include <mutex>
#include <random>
#include <stdexcept>
#include <utility>

#include "runtime/abi.h"
#include "runtime/fork.h"
#include "runtime/per_thread.h"

namespace reel::runtime {
namespace {

struct Registry {
  Mutex mutex;
  std::map<int64_t, std::weak_ptr<const Callback>> callbacks;
  // Random, so that a number in a file is hardly ever one of another process.
  int64_t next = static_cast<int64_t>(std::random_device()()) << 24;
};

// Made by the first who asks, never destroyed.
Registry& Known() {
  static constinit std::atomic<Registry*> known = nullptr;
  if (Registry* const made = known.load(std::memory_order_acquire)) return *made;
  auto mine = std::make_unique<Registry>();
  Registry* first = nullptr;
  return known.compare_exchange_strong(first, mine.get(), std::memory_order_acq_rel) ? *mine.release() : *first;
}

// What was thrown on this thread.
struct Thrown {
  std::exception_ptr error;
};

}  // namespace

Callback::Callback(int64_t id, CallbackFunction function) : id_(id), function_(std::move(function)) {}

Callback::~Callback() {
  Registry& known = Known();
  const std::lock_guard lock(known.mutex);
  known.callbacks.erase(id_);
}

std::shared_ptr<const Callback> AddCallback(CallbackFunction function) {
  Registry& known = Known();
  const int64_t id = [&] {
    const std::lock_guard lock(known.mutex);
    return known.next++;
  }();
  auto callback = std::make_shared<const Callback>(id, std::move(function));
  const std::lock_guard lock(known.mutex);
  known.callbacks.emplace(id, callback);
  return callback;
}

std::shared_ptr<const Callback> FindCallback(int64_t id) {
  Registry& known = Known();
  const std::lock_guard lock(known.mutex);
  const auto found = known.callbacks.find(id);
  return found == known.callbacks.end() ? nullptr : found->second.lock();
}

std::exception_ptr TakeCallbackError() noexcept {
  Thrown* const thrown = FindPerThread<Thrown>();
  return thrown ? std::exchange(thrown->error, nullptr) : nullptr;
}

}  // namespace reel::runtime

int32_t reel_callback(int64_t id, const int64_t* call, void* const* buffers) noexcept {
  using reel::runtime::Thrown;
  try {
    reel::runtime::PerThread<Thrown>();
    const auto callback = reel::runtime::FindCallback(id);
    if (!callback) throw std::logic_error("a callback has ended before the program that calls it");
    callback->Run(call, buffers);
    return REEL_OK;
  } catch (...) {
    if (auto* const thrown = reel::runtime::FindPerThread<Thrown>()) thrown->error = std::current_exception();
    return REEL_CANCELLED;
  }
}
