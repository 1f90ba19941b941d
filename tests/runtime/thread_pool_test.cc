#include "runtime/thread_pool.h"

#include <gtest/gtest.h>
#include <signal.h>

#include <atomic>
#include <cfenv>
#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <mutex>
#include <set>
#include <thread>
#include <vector>

#include "runtime/environment.h"

namespace reel::runtime {
namespace {

using Clock = std::chrono::steady_clock;

// Restores the default number of threads after each test.
class ThreadPool : public ::testing::Test {
 protected:
  ~ThreadPool() override { SetNumThreads(0); }
};

// Runs n chunks and expects each exactly once.
void ExpectEachChunkOnce(int64_t n) {
  std::vector<std::atomic<int>> runs(static_cast<size_t>(n));
  ParallelFor(
      n, [&](int64_t chunk) noexcept { runs[static_cast<size_t>(chunk)].fetch_add(1, std::memory_order_relaxed); });
  for (size_t i = 0; i < runs.size(); ++i) ASSERT_EQ(runs[i].load(), 1) << "chunk " << i;
}

TEST_F(ThreadPool, EachChunkOnceForAnyThreads) {
  for (const int threads : {1, 2, 3, 4, 7, 16}) {
    SetNumThreads(threads);
    EXPECT_EQ(NumThreads(), threads);
    for (const int64_t n : {0, 1, 2, 3, 5, 64, 1000}) ExpectEachChunkOnce(n);
  }
  ParallelFor(-5, [](int64_t) noexcept { FAIL(); });
}

TEST_F(ThreadPool, ManyTinySteps) {
  SetNumThreads(4);
  int64_t total = 0;
  for (int step = 0; step < 20000; ++step) {
    std::atomic<int64_t> sum{0};  // on this stack frame: a late worker would touch freed memory
    const int64_t n = 1 + step % 7;
    ParallelFor(n, [&](int64_t chunk) noexcept { sum.fetch_add(chunk + 1); });
    ASSERT_EQ(sum.load(), n * (n + 1) / 2);
    total += sum.load();
  }
  EXPECT_GT(total, 0);
}

TEST_F(ThreadPool, PlainMemoryIsSynchronised) {
  SetNumThreads(3);
  std::vector<int64_t> values(512, 0);
  for (int step = 0; step < 500; ++step) {
    ParallelFor(64, [&](int64_t chunk) noexcept {
      for (int64_t i = 8 * chunk; i < 8 * (chunk + 1); ++i) ++values[static_cast<size_t>(i)];
    });
    for (int64_t& value : values) ++value;  // the caller writes between steps without atomics
  }
  for (const int64_t value : values) EXPECT_EQ(value, 1000);
}

// Each change ends the workers while some still look for chunks of the step before.
TEST_F(ThreadPool, WorkersStopRightAfterAStep) {
  for (int i = 0; i < 500; ++i) {
    SetNumThreads(2 + i % 3);
    ExpectEachChunkOnce(2 + i % 5);
  }
}

TEST_F(ThreadPool, WorkersTakePart) {
  SetNumThreads(3);
  std::mutex mutex;
  std::set<std::thread::id> ids;
  std::atomic<int> inside{0};
  // Two chunks that wait for each other can only both run if a worker helps.
  ParallelFor(2, [&](int64_t) noexcept {
    inside.fetch_add(1);
    const auto deadline = Clock::now() + std::chrono::seconds(20);
    while (inside.load() < 2 && Clock::now() < deadline) std::this_thread::yield();
    const std::lock_guard lock(mutex);
    ids.insert(std::this_thread::get_id());
  });
  EXPECT_EQ(ids.size(), 2u);
}

TEST_F(ThreadPool, SleepersWakeAndAllTakePart) {
  SetNumThreads(5);
  for (int round = 0; round < 3; ++round) {
    std::this_thread::sleep_for(std::chrono::milliseconds(5));  // all workers are asleep now
    std::atomic<int> inside{0};
    ParallelFor(5, [&](int64_t) noexcept {
      inside.fetch_add(1);
      const auto deadline = Clock::now() + std::chrono::seconds(20);
      while (inside.load() < 5 && Clock::now() < deadline) std::this_thread::yield();
    });
    EXPECT_EQ(inside.load(), 5);
  }
}

TEST_F(ThreadPool, CallerSleepsThroughALongChunk) {
  SetNumThreads(2);
  std::atomic<int> started{0};
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<bool> worker_finished{false};
  ParallelFor(2, [&](int64_t) noexcept {
    started.fetch_add(1);
    while (started.load() < 2) std::this_thread::yield();
    if (std::this_thread::get_id() == caller) return;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
    worker_finished = true;
  });
  EXPECT_TRUE(worker_finished.load());
}

// Who is held up keeps no more than half of its part: the others do the rest, and the last chunks are single ones.
TEST_F(ThreadPool, OthersDoWhatIsLeft) {
  SetNumThreads(2);
  std::atomic<int> done{0};
  ParallelFor(64, [&](int64_t chunk) noexcept {
    const auto deadline = Clock::now() + std::chrono::seconds(20);
    while (chunk == 0 && done.load() < 48 && Clock::now() < deadline) std::this_thread::yield();
    if (chunk == 0) {
      EXPECT_EQ(done.load(), 48);
    }
    done.fetch_add(1);
  });
  EXPECT_EQ(done.load(), 64);
}

TEST_F(ThreadPool, NestedStepsRunSeriallyOnTheirThread) {
  SetNumThreads(4);
  std::atomic<int64_t> sum{0};
  ParallelFor(16, [&](int64_t outer) noexcept {
    const std::thread::id thread = std::this_thread::get_id();
    ParallelFor(16, [&](int64_t inner) noexcept {
      EXPECT_EQ(std::this_thread::get_id(), thread);
      sum.fetch_add(16 * outer + inner);
    });
  });
  EXPECT_EQ(sum.load(), 255 * 256 / 2);
}

TEST_F(ThreadPool, SimultaneousCallers) {
  SetNumThreads(4);
  std::vector<std::thread> callers;
  for (int c = 0; c < 8; ++c) {
    callers.emplace_back([c] {
      for (int step = 0; step < 1500; ++step) {
        std::vector<int> out(static_cast<size_t>(1 + (step + c) % 13), 0);
        ParallelFor(static_cast<int64_t>(out.size()),
                    [&](int64_t chunk) noexcept { out[static_cast<size_t>(chunk)] += c + 1; });
        for (const int value : out) ASSERT_EQ(value, c + 1);
      }
    });
  }
  for (std::thread& caller : callers) caller.join();
}

TEST_F(ThreadPool, ThreadsChangeWhileOthersCompute) {
  std::atomic<bool> stop{false};
  std::thread changer([&] {
    for (int i = 0; !stop.load(); ++i) {
      SetNumThreads(1 + i % 6);
      std::this_thread::sleep_for(std::chrono::microseconds(200));
    }
  });
  for (int step = 0; step < 300; ++step) ExpectEachChunkOnce(50);
  stop = true;
  changer.join();
}

// The rounding mode as arithmetic shows it: upward, downward or to nearest.
int RoundingInEffect() {
  volatile double one = 1;
  volatile double tiny = 1e-30;
  if (one + tiny > 1) return FE_UPWARD;
  return one - tiny < 1 ? FE_DOWNWARD : FE_TONEAREST;
}

TEST_F(ThreadPool, WorkersTakeTheCallersRoundingMode) {
  SetNumThreads(4);
  for (const int mode : {FE_UPWARD, FE_TONEAREST, FE_DOWNWARD, FE_TONEAREST}) {
    std::fesetround(mode);
    std::atomic<int> inside{0};
    std::atomic<int> wrong{0};
    ParallelFor(4, [&](int64_t) noexcept {
      inside.fetch_add(1);
      while (inside.load() < 4) std::this_thread::yield();  // one chunk for each thread
      if (RoundingInEffect() != mode) wrong.fetch_add(1);
    });
    EXPECT_EQ(wrong.load(), 0);
  }
}

TEST_F(ThreadPool, WorkersBlockSignals) {
  SetNumThreads(3);
  const std::thread::id caller = std::this_thread::get_id();
  std::atomic<int> unblocked{0};
  ParallelFor(64, [&](int64_t) noexcept {
    sigset_t mask;
    pthread_sigmask(SIG_SETMASK, nullptr, &mask);
    const bool blocked = sigismember(&mask, SIGALRM) == 1;
    if (std::this_thread::get_id() != caller && !blocked) unblocked.fetch_add(1);
  });
  EXPECT_EQ(unblocked.load(), 0);
}

TEST_F(ThreadPool, ThreadCountIsClamped) {
  SetNumThreads(-3);
  EXPECT_EQ(NumThreads(), 1);
  SetNumThreads(1 << 30);
  EXPECT_EQ(NumThreads(), kMaxThreads);
  SetNumThreads(0);
  EXPECT_GE(NumThreads(), 1);
}

TEST_F(ThreadPool, MoreChunksThanATicketHolds) {
  SetNumThreads(2);
  const int64_t n = (int64_t{1} << 24) + 5;
  struct State {
    std::atomic<int64_t> last{0};
    int64_t n;
  } state;
  state.n = n;
  ParallelFor(
      n,
      [](void* argument, int64_t chunk) {
        auto* const s = static_cast<State*>(argument);
        if (chunk >= s->n - 10) s->last.fetch_add(s->n - chunk);
      },
      &state);
  EXPECT_EQ(state.last.load(), 55);  // 1 + ... + 10: the last ten chunks once each
}

TEST_F(ThreadPool, ExitInsideAStepEndsTheProcess) {
  GTEST_FLAG_SET(death_test_style, "threadsafe");
  SetNumThreads(3);
  EXPECT_EXIT(ParallelFor(100,
                          [](int64_t chunk) noexcept {
                            if (chunk == 50) std::exit(7);
                          }),
              ::testing::ExitedWithCode(7), "");
}

// A static destructor that runs after the gang's own: it must still get an answer.
struct LateCaller {
  ~LateCaller() {
    std::atomic<int> chunks{0};
    ParallelFor(10, [&](int64_t) noexcept { chunks.fetch_add(1); });
    if (chunks.load() != 10) std::abort();
  }
} late_caller;

}  // namespace
}  // namespace reel::runtime
