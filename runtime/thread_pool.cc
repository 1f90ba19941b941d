#include "runtime/thread_pool.h"

#include <pthread.h>
#include <signal.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <new>

#include "runtime/cores.h"
#include "runtime/environment.h"
#include "runtime/float_mode.h"

namespace reel::runtime {
namespace {

// Tells the core that this is a spin loop.
inline void Pause() {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#elif defined(__aarch64__)
  asm volatile("isb");
#endif
}

// Spins until `done` or about 50 us have passed; whether it is done. Reads no clock if done soon.
template <typename Predicate>
bool SpinUntil(const Predicate& done) {
  using Clock = std::chrono::steady_clock;
  constexpr auto kSpin = std::chrono::microseconds(50);
  constexpr int kBatch = 32;  // 0.3 to 1.5 us
  Clock::time_point deadline{};
  for (;;) {
    for (int i = 0; i < kBatch; ++i) {
      if (done()) return true;
      Pause();
    }
    const Clock::time_point now = Clock::now();
    if (deadline == Clock::time_point{}) deadline = now + kSpin;
    if (now >= deadline) return done();
  }
}

// std::condition_variable with constant initialisation.
class Condition {
 public:
  template <typename Predicate>
  void Wait(std::unique_lock<std::mutex>& lock, const Predicate& ready) {
    while (!ready()) pthread_cond_wait(&condition_, lock.mutex()->native_handle());
  }
  void NotifyOne() { pthread_cond_signal(&condition_); }
  void NotifyAll() { pthread_cond_broadcast(&condition_); }

 private:
  pthread_cond_t condition_ = PTHREAD_COND_INITIALIZER;
};

// A ticket is the one word everybody synchronises on: (step number << 24) | chunks not yet claimed.
constexpr int kRemainingBits = 24;
constexpr uint64_t kRemainingMask = (uint64_t{1} << kRemainingBits) - 1;
constexpr int64_t kMaxChunks = static_cast<int64_t>(kRemainingMask);

constexpr int64_t Remaining(uint64_t ticket) { return static_cast<int64_t>(ticket & kRemainingMask); }
constexpr uint64_t StepOf(uint64_t ticket) { return ticket >> kRemainingBits; }

class Gang {
 public:
  // Runs all chunks with at most threads - 1 workers; false, with nothing done, if the gang is
  // taken.
  bool TryRun(int threads, int64_t n, reel_body body, void* argument) {
    if (busy_.load(std::memory_order_relaxed) || busy_.exchange(true, std::memory_order_acquire)) {
      return false;
    }
    if (threads != threads_) Resize(threads);
    for (int64_t first = 0; first < n; first += kMaxChunks) {
      RunStep(first, std::min(n - first, kMaxChunks), body, argument);
    }
    busy_.store(false, std::memory_order_release);
    return true;
  }

  // Ends the workers and keeps the gang taken for good. At exit a step may still be running,
  // perhaps in the very thread that exits; its workers are then left to the system.
  void StopForExit() {
    if (!busy_.exchange(true, std::memory_order_acquire)) StopWorkers();
  }

 private:
  static void* WorkerMain(void* gang) {
    static_cast<Gang*>(gang)->Work();
    return nullptr;
  }

  void Resize(int threads);
  void StopWorkers();
  void Work();
  void SleepAfter(uint64_t step);
  void WakeOneFor(int64_t count);
  void RunStep(int64_t first, int64_t count, reel_body body, void* argument);
  int64_t RunChunks(uint64_t& ticket);
  int64_t ShareOf(int64_t remaining) const;
  void Report(int64_t ran);
  void AwaitWorkers();

  // One cache line that moves from the caller to the workers with each step.
  alignas(64) std::atomic<uint64_t> ticket_{0};
  // The step's description. Rewritten only while the ticket shows no chunk left, so that who has
  // claimed a chunk has read a whole one: relaxed atomics suffice.
  std::atomic<int64_t> first_{0};
  std::atomic<int64_t> count_{0};
  std::atomic<reel_body> body_{nullptr};
  std::atomic<void*> argument_{nullptr};
  std::atomic<uint64_t> float_mode_{0};

  // The line that moves back: chunks finished by workers since the gang began.
  alignas(64) std::atomic<int64_t> done_{0};
  std::atomic<bool> caller_sleeps_{false};

  // Written only when threads sleep, wake, start or stop.
  alignas(64) std::atomic<int> sleepers_{0};  // written under mutex_
  std::atomic<int> workers_{0};
  std::atomic<bool> stopping_{false};
  int wakeups_ = 0;  // sleepers told to wake that have not yet; under mutex_
  std::mutex mutex_;
  Condition work_;      // workers wait here for wakeups_
  Condition finished_;  // the caller waits here for done_

  // The owner's line: busy_ tells that a caller owns the gang, who alone uses the rest.
  alignas(64) std::atomic<bool> busy_{false};
  int threads_ = 1;
  int64_t expected_done_ = 0;  // done_ at the end of the present step
  std::array<pthread_t, kMaxThreads> worker_threads_{};
};

// Replaces the workers. If the system refuses threads, fewer do: a step needs none.
void Gang::Resize(int threads) {
  StopWorkers();
  threads_ = threads;
  sigset_t all;
  sigset_t before;
  sigfillset(&all);
  // Workers inherit the mask: signals go to the user's threads.
  pthread_sigmask(SIG_SETMASK, &all, &before);
  int started = 0;
  for (; started < threads - 1; ++started) {
    pthread_t& thread = worker_threads_[static_cast<size_t>(started)];
    if (pthread_create(&thread, nullptr, &Gang::WorkerMain, this) != 0) break;
#ifdef __linux__
    pthread_setname_np(thread, "reel-worker");
#endif
  }
  workers_.store(started, std::memory_order_relaxed);
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

// A step without chunks makes every worker look at stopping_.
void Gang::StopWorkers() {
  stopping_.store(true, std::memory_order_relaxed);
  const uint64_t step = StepOf(ticket_.load(std::memory_order_relaxed)) + 1;
  ticket_.store(step << kRemainingBits, std::memory_order_seq_cst);
  {
    std::lock_guard lock(mutex_);
    wakeups_ += sleepers_.exchange(0, std::memory_order_relaxed);
  }
  work_.NotifyAll();
  const int workers = workers_.exchange(0, std::memory_order_relaxed);
  for (int i = 0; i < workers; ++i) {
    pthread_join(worker_threads_[static_cast<size_t>(i)], nullptr);
  }
  stopping_.store(false, std::memory_order_relaxed);
}

void Gang::Work() {
  uint64_t step = ~uint64_t{0};  // the last step seen; at first none
  for (;;) {
    const auto next_step = [&] { return StepOf(ticket_.load(std::memory_order_acquire)) != step; };
    if (!SpinUntil(next_step)) SleepAfter(step);
    uint64_t ticket = ticket_.load(std::memory_order_acquire);
    // Each woken worker wakes the next one, so the caller pays for one wake-up only.
    if (Remaining(ticket) > 1) WakeOneFor(count_.load(std::memory_order_relaxed));
    const int64_t ran = RunChunks(ticket);
    if (ran > 0) Report(ran);
    // Only now: RunChunks may have moved on to the ticket that says stop.
    if (stopping_.load(std::memory_order_relaxed)) return;
    step = StepOf(ticket);
  }
}

// Tells the caller of `ran` finished chunks.
void Gang::Report(int64_t ran) {
  done_.fetch_add(ran, std::memory_order_seq_cst);
  if (!caller_sleeps_.load(std::memory_order_seq_cst)) return;
  std::lock_guard lock(mutex_);
  finished_.NotifyOne();
}

// Sleeps until a step after `step` wants this worker. The order "count myself, then look at the
// ticket" mirrors RunStep's "publish the ticket, then look for sleepers": one of the two sees the
// other.
void Gang::SleepAfter(uint64_t step) {
  std::unique_lock lock(mutex_);
  sleepers_.fetch_add(1, std::memory_order_seq_cst);
  if (StepOf(ticket_.load(std::memory_order_seq_cst)) != step) {
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
    return;
  }
  work_.Wait(lock, [&] { return wakeups_ > 0; });
  --wakeups_;
}

// Moves one worker from sleeping to woken, if any sleeps and the awake ones and the caller are
// fewer than the step's chunks.
void Gang::WakeOneFor(int64_t count) {
  const int sleepers = sleepers_.load(std::memory_order_seq_cst);
  const int awake = workers_.load(std::memory_order_relaxed) - sleepers;
  if (sleepers == 0 || count <= awake + 1) return;
  {
    std::lock_guard lock(mutex_);
    if (sleepers_.load(std::memory_order_relaxed) == 0) return;
    sleepers_.fetch_sub(1, std::memory_order_relaxed);
    ++wakeups_;
  }
  work_.NotifyOne();
}

void Gang::RunStep(int64_t first, int64_t count, reel_body body, void* argument) {
  first_.store(first, std::memory_order_relaxed);
  count_.store(count, std::memory_order_relaxed);
  body_.store(body, std::memory_order_relaxed);
  argument_.store(argument, std::memory_order_relaxed);
  float_mode_.store(FloatMode(), std::memory_order_relaxed);
  const uint64_t step = StepOf(ticket_.load(std::memory_order_relaxed)) + 1;
  // The first share is the caller's own; only the other chunks are up to be claimed.
  const int64_t own = ShareOf(count);
  ticket_.store((step << kRemainingBits) | static_cast<uint64_t>(count - own), std::memory_order_seq_cst);
  WakeOneFor(count);
  for (int64_t i = 0; i < own; ++i) body(argument, first + i);
  uint64_t ticket = ticket_.load(std::memory_order_acquire);
  expected_done_ += count - own - RunChunks(ticket);
  AwaitWorkers();
}

// Chunks that one claim takes, neighbours: half of what would be each thread's part of those left. A claim costs about
// 0.1 us, as its line must come from another core; the last ones are single chunks, so that all end together ("guided
// self-scheduling", Polychronopoulos and Kuck 1987).
int64_t Gang::ShareOf(int64_t remaining) const {
  const int64_t threads = workers_.load(std::memory_order_relaxed) + 1;
  return std::max<int64_t>(remaining / (2 * threads), 1);
}

// Claims and runs chunks until none is left; returns how many. All belong to one step, for a step
// cannot end before its chunks are reported. Leaves the last ticket seen in `ticket`.
int64_t Gang::RunChunks(uint64_t& ticket) {
  int64_t ran = 0;
  while (Remaining(ticket) > 0) {
    // Valid if the exchange succeeds: then the step has been open since `ticket` was read.
    const reel_body body = body_.load(std::memory_order_relaxed);
    void* const argument = argument_.load(std::memory_order_relaxed);
    const int64_t end = first_.load(std::memory_order_relaxed) + count_.load(std::memory_order_relaxed);
    const uint64_t mode = float_mode_.load(std::memory_order_relaxed);
    const int64_t chunk = end - Remaining(ticket), share = ShareOf(Remaining(ticket));
    if (!ticket_.compare_exchange_weak(ticket, ticket - static_cast<uint64_t>(share), std::memory_order_acq_rel,
                                       std::memory_order_acquire)) {
      continue;
    }
    if (mode != FloatMode()) SetFloatMode(mode);
    for (int64_t i = 0; i < share; ++i) body(argument, chunk + i);
    ran += share;
    ticket = ticket_.load(std::memory_order_acquire);
  }
  return ran;
}

// Returns when workers have finished what they claimed; sleeps if that takes long.
void Gang::AwaitWorkers() {
  const auto finished = [&] { return done_.load(std::memory_order_seq_cst) == expected_done_; };
  if (SpinUntil(finished)) return;
  std::unique_lock lock(mutex_);
  caller_sleeps_.store(true, std::memory_order_seq_cst);
  finished_.Wait(lock, finished);
  caller_sleeps_.store(false, std::memory_order_relaxed);
}

// Constant initialisation and no destruction: early callers find the gang ready, late ones find it
// taken, and a fork never meets a half-made one.
union TheGang {
  constexpr TheGang() : gang() {}
  ~TheGang() {}
  Gang gang;
};
constinit TheGang the_gang;

// A child has none of the workers and perhaps a locked mutex: it starts with a new gang. At exit,
// and before the library is unloaded, the workers are stopped.
struct GangHooks {
  GangHooks() {
    pthread_atfork(nullptr, nullptr, [] { ::new (&the_gang.gang) Gang; });
  }
  ~GangHooks() { the_gang.gang.StopForExit(); }
};
const GangHooks gang_hooks;

int DefaultThreads() noexcept {
  try {
    const int requested = GetEnvironment().num_threads;
    return std::min(requested > 0 ? requested : AvailableCores(), kMaxThreads);
  } catch (const std::bad_alloc&) {
    return 1;
  }
}

std::atomic<int> threads_override{0};  // 0: the default
std::atomic<int> threads_default{0};   // 0: not yet known

}  // namespace

int NumThreads() noexcept {
  const int override = threads_override.load(std::memory_order_relaxed);
  if (override > 0) return override;
  int threads = threads_default.load(std::memory_order_relaxed);
  if (threads == 0) {
    threads = DefaultThreads();
    threads_default.store(threads, std::memory_order_relaxed);
  }
  return threads;
}

void SetNumThreads(int threads) noexcept {
  threads_override.store(threads == 0 ? 0 : std::clamp(threads, 1, kMaxThreads), std::memory_order_relaxed);
}

void ParallelFor(int64_t n, reel_body body, void* argument) noexcept {
  const int threads = NumThreads();
  if (n > 1 && threads > 1 && the_gang.gang.TryRun(threads, n, body, argument)) return;
  for (int64_t chunk = 0; chunk < n; ++chunk) body(argument, chunk);
}

}  // namespace reel::runtime

extern "C" void reel_gang_parallel_for(void*, int64_t n, reel_body body, void* argument) noexcept {
  reel::runtime::ParallelFor(n, body, argument);
}
