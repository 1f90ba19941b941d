// The runtime after fork(): the child computes, allocates and exits; the parent does not notice.
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <vector>

#include "runtime/allocator.h"
#include "runtime/buffer.h"
#include "runtime/thread_pool.h"

// ThreadSanitizer does not support threads in the child of a process that has threads.
#ifdef __has_feature
#if __has_feature(thread_sanitizer)
#define REEL_NO_THREADS_AFTER_FORK
#endif
#elif defined(__SANITIZE_THREAD__)
#define REEL_NO_THREADS_AFTER_FORK
#endif

namespace reel::runtime {
namespace {

bool StepsAreRight() {
  for (int step = 0; step < 20; ++step) {
    std::atomic<int64_t> sum{0};
    ParallelFor(32, [&](int64_t chunk) noexcept { sum.fetch_add(chunk); });
    if (sum.load() != 31 * 32 / 2) return false;
    const Buffer buffer = Buffer::Allocate(1000);
    std::memset(buffer.data(), step, buffer.size());
  }
  return true;
}

class Fork : public ::testing::Test {
 protected:
#ifdef REEL_NO_THREADS_AFTER_FORK
  void SetUp() override { GTEST_SKIP() << "ThreadSanitizer cannot follow threads after a fork"; }
#endif
  ~Fork() override { SetNumThreads(0); }
};

// Forks a child that computes under a watchdog; its exit status.
int ComputeInChild() {
  const pid_t child = fork();
  if (child == 0) {
    alarm(20);
    _exit(StepsAreRight() ? 0 : 1);
  }
  int status = -1;
  if (child < 0 || waitpid(child, &status, 0) != child) return -1;
  return status;
}

TEST_F(Fork, ChildOfAnIdleProcess) {
  SetNumThreads(3);
  ASSERT_TRUE(StepsAreRight());
  EXPECT_EQ(ComputeInChild(), 0);
  EXPECT_TRUE(StepsAreRight());
}

TEST_F(Fork, ChildUsesWorkersOfItsOwn) {
  SetNumThreads(2);
  ASSERT_TRUE(StepsAreRight());
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    std::atomic<int> inside{0};
    // Two chunks that wait for each other: without a worker the alarm ends the child.
    ParallelFor(2, [&](int64_t) noexcept {
      inside.fetch_add(1);
      while (inside.load() < 2) std::this_thread::yield();
    });
    _exit(0);
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Fork, GrandchildAndOrderlyExit) {
  SetNumThreads(2);
  const pid_t child = fork();
  ASSERT_GE(child, 0);
  if (child == 0) {
    alarm(20);
    if (!StepsAreRight() || ComputeInChild() != 0) _exit(1);
    std::exit(StepsAreRight() ? 0 : 1);  // runs the gang's own clean-up
  }
  int status = -1;
  ASSERT_EQ(waitpid(child, &status, 0), child);
  EXPECT_EQ(status, 0);
}

TEST_F(Fork, AtAnyMomentWhileOthersComputeAndAllocate) {
  SetNumThreads(3);
  std::atomic<bool> stop{false};
  std::vector<std::thread> others;
  for (int t = 0; t < 3; ++t) {
    others.emplace_back([&] {
      while (!stop.load()) EXPECT_TRUE(StepsAreRight());
    });
  }
  int failed = 0;
  for (int i = 0; i < 100; ++i) failed += ComputeInChild() != 0;
  stop = true;
  for (std::thread& other : others) other.join();
  EXPECT_EQ(failed, 0);
}

}  // namespace
}  // namespace reel::runtime
