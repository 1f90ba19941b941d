#ifndef REEL_FRONTEND_PROGRAM_DEADLINE_H_
#define REEL_FRONTEND_PROGRAM_DEADLINE_H_

#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <condition_variable>
#include <cstdint>
#include <mutex>
#include <thread>

namespace reel::internal {

/// Sets a word when the time is up: reel_instance::stop.
class Deadline {
 public:
  explicit Deadline(double seconds) : thread_([this, seconds] { Wait(seconds); }) {}
  ~Deadline() {
    if (::getpid() != owner_) {
      thread_.detach();  // in a child of fork() there is no such thread
      return;
    }
    {
      const std::lock_guard lock(mutex_);
      over_ = true;
    }
    changed_.notify_one();
    thread_.join();
  }
  Deadline(const Deadline&) = delete;
  Deadline& operator=(const Deadline&) = delete;
  const volatile int32_t* passed() const { return &passed_; }

 private:
  void Wait(double seconds) {
    std::unique_lock lock(mutex_);
    const std::chrono::duration<double> most(std::min(seconds, 1e9));
    if (!changed_.wait_for(lock, most, [this] { return over_; })) passed_ = 1;
  }

  const pid_t owner_ = ::getpid();
  std::mutex mutex_;
  std::condition_variable changed_;
  bool over_ = false;
  volatile int32_t passed_ = 0;
  std::thread thread_;  // the last: it uses the others
};

}  // namespace reel::internal

#endif  // REEL_FRONTEND_PROGRAM_DEADLINE_H_
