// Times of the steps of compiled code. Code that was compiled with profiling calls reel_profile_step in
// the place of a kernel and reel_profile_copy in that of a copy; these report to the profiler that the
// instance's header names. Code compiled without it knows nothing of this file.
#ifndef REEL_RUNTIME_PROFILE_H_
#define REEL_RUNTIME_PROFILE_H_

#include <cstddef>
#include <cstdint>
#include <mutex>
#include <vector>

#include "runtime/abi.h"
#include "runtime/fork.h"

namespace reel::runtime {

// What the calls of one kernel, or all copies, took.
struct ProfileSums {
  int64_t calls = 0;
  int64_t nanoseconds = 0;  // from the step's begin to its end, on the calling thread
  int64_t least = 0;        // of these, in one call
  int64_t bytes = 0;        // that copies moved

  void Add(int64_t took);
};

// A thread's part of one step: from the begin of its first chunk to the end of its last one. The
// calling thread's is the whole step.
struct ProfileEvent {
  static constexpr int32_t kRun = -2, kCopy = -1;  // values of `site`

  int32_t site = 0;    // kernel, or one of the above
  int32_t thread = 0;  // see ThreadNumber
  int32_t entry = 0;   // kRun: the entry point
  int32_t chunks = 0;  // that this thread ran
  int64_t begin = 0;   // nanoseconds of the steady clock
  int64_t end = 0;
};

// A small number of the calling thread, the same as long as it lives.
int32_t ThreadNumber() noexcept;
// Nanoseconds of the steady clock.
int64_t ProfileClock() noexcept;

// Collects the steps of one instance, whose calls come one after another; workers report to it at once.
class Profiler {
 public:
  // Events kept: the first ones. Sums go on.
  static constexpr size_t kMaxEvents = 1 << 18;

  explicit Profiler(int32_t kernels) : kernels_(static_cast<size_t>(kernels)) {}

  // Copies of what was collected.
  struct Data {
    std::vector<ProfileSums> kernels;
    ProfileSums copies, runs;
    std::vector<ProfileEvent> events;  // in the order of their begins
    int64_t dropped_events = 0;
  };
  Data Get() const;
  // Forgets everything.
  void Clear();

  // A call of an entry point, from begin until now.
  void AddRun(int32_t entry, int64_t begin) noexcept;
  void RunStep(reel_instance* instance, int32_t kernel, reel_body body, void* buffers, int64_t chunks) noexcept;
  void RunCopy(void* to, const void* from, int64_t bytes) noexcept;

 private:
  struct Step;
  void AddEvent(const ProfileEvent& event) noexcept;           // under the lock
  void AddChunk(Step* step, int64_t begin, int64_t end) noexcept;

  mutable Mutex mutex_;
  std::vector<ProfileSums> kernels_;
  ProfileSums copies_, runs_;
  std::vector<ProfileEvent> events_;
  int64_t dropped_events_ = 0;
};

}  // namespace reel::runtime

// What generated code calls: all chunks of a kernel, through the instance's parallel_for if it has one;
// memcpy. Neither throws.
extern "C" void reel_profile_step(void* instance, int64_t kernel, reel_body body, void* buffers,
                                  int64_t chunks) noexcept;
extern "C" void reel_profile_copy(void* instance, void* to, const void* from, int64_t bytes) noexcept;

#endif  // REEL_RUNTIME_PROFILE_H_
