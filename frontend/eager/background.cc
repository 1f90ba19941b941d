#include "frontend/eager/background.h"

#include <pthread.h>
#include <signal.h>
#include <sys/resource.h>
#include <unistd.h>

#include <exception>
#include <utility>

namespace reel::internal {

bool Background::Submit(Job job) {
  std::list<Job> one;
  one.push_back(std::move(job));
  {
    const std::lock_guard lock(mutex_);
    if (ended_) return false;
    if (!joins_) Start();
    if (!joins_) return false;
    jobs_.splice(jobs_.end(), one);
  }
  changed_.notify_all();
  return true;
}

// The thread inherits the mask: signals go to the user's threads.
void Background::Start() {
  sigset_t all, before;
  sigfillset(&all);
  pthread_sigmask(SIG_SETMASK, &all, &before);
  try {
    thread_ = std::thread([this] { Main(); });
    joins_ = true;
  } catch (const std::exception&) {  // no thread, or no memory for one: the next job tries again
  }
  pthread_sigmask(SIG_SETMASK, &before, nullptr);
}

namespace {

// A job that fails for want of memory is done: what it was to make is not there.
bool Run(const Background::Job& job) noexcept {
  try {
    return job();
  } catch (const std::exception&) {
    return true;
  }
}

}  // namespace

void Background::Main() {
#ifdef __linux__
  pthread_setname_np(pthread_self(), "reel-background");
  setpriority(PRIO_PROCESS, static_cast<id_t>(gettid()), 10);  // of this thread, and of those it starts
#endif
  std::unique_lock lock(mutex_);
  for (;;) {
    changed_.wait(lock, [&] { return ended_ || (!paused_ && !jobs_.empty()); });
    if (ended_) return;
    std::list<Job> job;
    job.splice(job.end(), jobs_, jobs_.begin());
    running_ = true;
    lock.unlock();
    const bool done = Run(job.front());
    if (done) job.clear();
    lock.lock();
    running_ = false;
    if (!ended_) jobs_.splice(jobs_.begin(), job);
    changed_.notify_all();
  }
}

void Background::Wait() {
  std::unique_lock lock(mutex_);
  changed_.wait(lock, [&] { return ended_ || (jobs_.empty() && !running_); });
}

void Background::Stop() {
  {
    const std::lock_guard lock(mutex_);
    ended_ = true;
    jobs_.clear();
    cancelled_ = true;
  }
  changed_.notify_all();
  if (std::exchange(joins_, false)) thread_.join();
}

void Background::BeforeFork() {
  std::unique_lock lock(mutex_);
  cancelled_ = paused_ = true;
  changed_.wait(lock, [&] { return !running_; });
  lock.release();  // until after the fork
}

void Background::AfterForkInParent() {
  paused_ = false;
  cancelled_ = ended_;
  mutex_.unlock();
  changed_.notify_all();
}

void Background::AfterForkInChild() {
  joins_ = false;  // the thread is the parent's
  jobs_.clear();
  ended_ = true;
  mutex_.unlock();
}

}  // namespace reel::internal
