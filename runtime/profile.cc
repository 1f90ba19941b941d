#include "runtime/profile.h"

#include <algorithm>
#include <atomic>
#include <chrono>
#include <cstring>
#include <new>

namespace reel::runtime {
namespace {

// All chunks, here or by the instance's threads.
void RunChunks(const reel_instance& instance, reel_body body, void* argument, int64_t chunks) noexcept {
  if (chunks > 1 && instance.parallel_for != nullptr) {
    instance.parallel_for(instance.context, chunks, body, argument);
    return;
  }
  for (int64_t chunk = 0; chunk < chunks; ++chunk) body(argument, chunk);
}

}  // namespace

void ProfileSums::Add(int64_t took) {
  least = calls == 0 ? took : std::min(least, took);
  ++calls;
  nanoseconds += took;
}

int32_t ThreadNumber() noexcept {
  static std::atomic<int32_t> next{0};
  thread_local const int32_t number = next.fetch_add(1, std::memory_order_relaxed);
  return number;
}

int64_t ProfileClock() noexcept {
  return std::chrono::duration_cast<std::chrono::nanoseconds>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

// A kernel call in progress: what its chunks are given.
struct Profiler::Step {
  Profiler* profiler;
  reel_body body;
  void* buffers;
  int32_t kernel, caller;
  int32_t own_chunks = 0;                // of the calling thread
  std::vector<ProfileEvent> workers = {};  // under the lock
};

void Profiler::AddEvent(const ProfileEvent& event) noexcept {
  if (events_.size() < kMaxEvents) {
    try {
      events_.push_back(event);
      return;
    } catch (const std::bad_alloc&) {  // counted as dropped
    }
  }
  ++dropped_events_;
}

void Profiler::AddChunk(Step* step, int64_t begin, int64_t end) noexcept {
  const int32_t thread = ThreadNumber();
  if (thread == step->caller) {
    ++step->own_chunks;
    return;
  }
  const std::lock_guard lock(mutex_);
  for (ProfileEvent& event : step->workers) {
    if (event.thread != thread) continue;
    event.end = end;
    ++event.chunks;
    return;
  }
  try {
    step->workers.push_back({step->kernel, thread, 0, 1, begin, end});
  } catch (const std::bad_alloc&) {
    ++dropped_events_;
  }
}

void Profiler::RunStep(reel_instance* instance, int32_t kernel, reel_body body, void* buffers,
                       int64_t chunks) noexcept {
  Step step{this, body, buffers, kernel, ThreadNumber()};
  const auto timed = [](void* argument, int64_t chunk) {
    auto* const s = static_cast<Step*>(argument);
    const int64_t begin = ProfileClock();
    s->body(s->buffers, chunk);
    s->profiler->AddChunk(s, begin, ProfileClock());
  };
  const int64_t begin = ProfileClock();
  if (chunks == 1) {
    body(buffers, 0);
    step.own_chunks = 1;
  } else {
    RunChunks(*instance, timed, &step, chunks);
  }
  const int64_t end = ProfileClock();
  const std::lock_guard lock(mutex_);
  kernels_[static_cast<size_t>(kernel)].Add(end - begin);
  AddEvent({kernel, step.caller, 0, step.own_chunks, begin, end});
  for (const ProfileEvent& event : step.workers) AddEvent(event);
}

void Profiler::RunCopy(void* to, const void* from, int64_t bytes) noexcept {
  const int64_t begin = ProfileClock();
  std::memcpy(to, from, static_cast<size_t>(bytes));
  const int64_t end = ProfileClock();
  const std::lock_guard lock(mutex_);
  copies_.Add(end - begin);
  copies_.bytes += bytes;
  AddEvent({ProfileEvent::kCopy, ThreadNumber(), 0, 1, begin, end});
}

void Profiler::AddRun(int32_t entry, int64_t begin) noexcept {
  const int64_t end = ProfileClock();
  const std::lock_guard lock(mutex_);
  runs_.Add(end - begin);
  AddEvent({ProfileEvent::kRun, ThreadNumber(), entry, 0, begin, end});
}

Profiler::Data Profiler::Get() const {
  const std::lock_guard lock(mutex_);
  Data data{kernels_, copies_, runs_, events_, dropped_events_};
  std::stable_sort(data.events.begin(), data.events.end(), [](const ProfileEvent& a, const ProfileEvent& b) {
    return a.begin != b.begin ? a.begin < b.begin : a.end > b.end;  // what is around comes first
  });
  return data;
}

void Profiler::Clear() {
  const std::lock_guard lock(mutex_);
  std::fill(kernels_.begin(), kernels_.end(), ProfileSums());
  copies_ = runs_ = {};
  events_.clear();
  dropped_events_ = 0;
}

}  // namespace reel::runtime

extern "C" void reel_profile_step(void* instance, int64_t kernel, reel_body body, void* buffers,
                                  int64_t chunks) noexcept {
  auto* const header = static_cast<reel_instance*>(instance);
  if (header->profile != nullptr) {
    static_cast<reel::runtime::Profiler*>(header->profile)
        ->RunStep(header, static_cast<int32_t>(kernel), body, buffers, chunks);
  } else {
    reel::runtime::RunChunks(*header, body, buffers, chunks);
  }
}

extern "C" void reel_profile_copy(void* instance, void* to, const void* from, int64_t bytes) noexcept {
  auto* const header = static_cast<reel_instance*>(instance);
  if (header->profile != nullptr) {
    static_cast<reel::runtime::Profiler*>(header->profile)->RunCopy(to, from, bytes);
  } else {
    std::memcpy(to, from, static_cast<size_t>(bytes));
  }
}
