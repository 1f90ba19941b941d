#ifndef REEL_FRONTEND_EAGER_BACKGROUND_H_
#define REEL_FRONTEND_EAGER_BACKGROUND_H_

#include <atomic>
#include <condition_variable>
#include <functional>
#include <list>
#include <mutex>
#include <thread>

namespace reel::internal {

/// One thread of low priority that runs jobs one after the other. It starts with the first job and takes no signals.
/// Never destroyed before Stop.
class Background {
 public:
  /// Work that looks at cancelled() now and then. False if it gave up for that: it is run again, unless the process
  /// ends.
  using Job = std::function<bool()>;

  Background() = default;
  Background(const Background&) = delete;
  Background& operator=(const Background&) = delete;

  /// False if there is no thread to run it: after Stop, in a forked child, or where the system gives none.
  bool Submit(Job job);
  /// Returns when all jobs are done.
  void Wait();
  /// Cancels the job that runs, drops the others and joins the thread: at exit.
  void Stop();
  /// The running job should end soon.
  bool cancelled() const { return cancelled_; }

  /// Around fork(). Between Before and one of the others no job runs, so that none holds a lock that the child would
  /// find taken. The child has no thread, nor will it.
  void BeforeFork();
  void AfterForkInParent();
  void AfterForkInChild();

 private:
  void Start();
  void Main();

  std::mutex mutex_;  // guards everything below
  std::condition_variable changed_;
  std::list<Job> jobs_;  // taken and put back without memory
  std::thread thread_;
  bool joins_ = false, running_ = false, paused_ = false, ended_ = false;
  std::atomic<bool> cancelled_{false};
};

}  // namespace reel::internal

#endif  // REEL_FRONTEND_EAGER_BACKGROUND_H_
