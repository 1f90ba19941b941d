#include "ir/callback.h"

#include <memory>
#include <random>
#include <stdexcept>
#include <utility>

#include "ir/hash_map.h"
#include "ir/lazy.h"
#include "ir/strings.h"
#include "runtime/abi.h"
#include "runtime/fork.h"
#include "runtime/per_thread.h"

namespace reel::ir {
namespace {

struct Registry {
  // Random, so that a number in a file is hardly ever one of another process.
  Registry() : next(static_cast<int64_t>(std::random_device()()) << 24) {}
  runtime::Mutex mutex;
  HashMap<int64_t, std::shared_ptr<const Callback>> callbacks;
  int64_t next;
};

Registry& Known() {
  static constinit Lazy<Registry> registry;
  return registry.Get();
}

std::shared_ptr<const Callback> Find(int64_t id) {
  Registry& known = Known();
  const std::lock_guard lock(known.mutex);
  const auto found = known.callbacks.find(id);
  return found == known.callbacks.end() ? nullptr : found->second;
}

// What was thrown on this thread.
struct Thrown {
  std::exception_ptr error;
};

}  // namespace

int64_t AddCallback(Callback callback) {
  auto shared = std::make_shared<const Callback>(std::move(callback));
  Registry& known = Known();
  const std::lock_guard lock(known.mutex);
  known.callbacks.emplace(known.next, std::move(shared));
  return known.next++;
}

bool HasCallback(int64_t id) { return Find(id) != nullptr; }

void RunCallback(int64_t id, absl::Span<const CallbackTensor> operands, const CallbackTensor& result) {
  const auto callback = Find(id);
  if (!callback) throw std::runtime_error(StrCat("callback: ", CallbackAdvice()));
  (*callback)(operands, result);
}

std::exception_ptr TakeCallbackError() noexcept {
  Thrown* const thrown = runtime::FindPerThread<Thrown>();
  return thrown ? std::exchange(thrown->error, nullptr) : nullptr;
}

std::vector<int64_t> CallbackWords(absl::Span<const Type> types) {
  std::vector<int64_t> words{static_cast<int64_t>(types.size())};
  for (const Type& type : types) {
    words.push_back(static_cast<int64_t>(type.dtype));
    words.push_back(type.shape.rank());
    for (int64_t extent : type.shape.dims()) words.push_back(extent);
  }
  return words;
}

std::string_view CallbackAdvice() { return "a function of the process that traced it; trace it in this one"; }

}  // namespace reel::ir

int32_t reel_callback(int64_t id, const int64_t* types, void* const* buffers) noexcept {
  using reel::ir::CallbackTensor;
  try {
    reel::runtime::PerThread<reel::ir::Thrown>();
    std::vector<CallbackTensor> tensors;
    const int64_t* next = types + 1;
    for (int64_t i = 0; i < types[0]; ++i) {
      const auto dtype = static_cast<reel::DType>(*next++);
      const int64_t rank = *next++;
      reel::Shape shape;
      for (int64_t k = 0; k < rank; ++k) shape.push_back(*next++);
      tensors.push_back({{dtype, shape}, buffers[i]});
    }
    reel::ir::RunCallback(id, absl::MakeConstSpan(tensors).subspan(1), tensors[0]);
    return REEL_OK;
  } catch (...) {
    if (auto* const thrown = reel::runtime::FindPerThread<reel::ir::Thrown>()) thrown->error = std::current_exception();
    return REEL_CANCELLED;
  }
}
