// Locks that survive fork(): every lock of the library is one of these.
//
// A child has only the thread that forked. A lock that another thread held at that moment is never given back there,
// and what it guards may be half changed. So fork() waits until no thread is inside such a lock, takes them all, and
// gives them back on both sides. What takes long or waits for others opens a ForkWindow under its lock: compiled code,
// the caller's functions, a compiler between two functions. A fork does not wait for it; in the child the lock is free,
// and its next owner is told that somebody was cut off.
#ifndef REEL_RUNTIME_FORK_H_
#define REEL_RUNTIME_FORK_H_

#include <pthread.h>

#include <atomic>
#include <mutex>
#include <thread>
#include <utility>

namespace reel::runtime {

// A lock of the process's table, which fork() goes through. Held for moments: whoever holds it takes no lock of another
// library that a forking thread may hold (Python's), and waits for no thread, but in a ForkWindow.
class Mutex {
 public:
  // Never freed: the memory of a mutex on the stack of a thread that the child does not have may be used again there.
  struct Lock {
    enum Window : int { kClosed, kOpen, kHeld };  // kHeld: open, and a fork is under way
    enum class Fork { kTaken, kOwn, kInWindow };

    std::mutex mutex;
    std::atomic<pthread_t> owner{};
    std::atomic<int> window{kClosed};
    bool interrupted = false;  // guarded by the mutex
    Fork fork = Fork::kTaken;  // how the fork that is under way met it
    Lock* next = nullptr;  // of all
    Lock* next_free = nullptr;

    bool IsMine() const { return owner.load(std::memory_order_relaxed) == pthread_self(); }
    void Acquire() {
      mutex.lock();
      owner.store(pthread_self(), std::memory_order_relaxed);
    }
    bool TryAcquire() {
      if (!mutex.try_lock()) return false;
      owner.store(pthread_self(), std::memory_order_relaxed);
      return true;
    }
    void Release() {
      owner.store(pthread_t{}, std::memory_order_relaxed);
      mutex.unlock();
    }
    void Open() { window.store(kOpen, std::memory_order_release); }
    void Close() {
      for (int open = kOpen; !window.compare_exchange_weak(open, kClosed, std::memory_order_acquire); open = kOpen)
        std::this_thread::yield();
    }
  };

  Mutex();
  ~Mutex();
  Mutex(const Mutex&) = delete;
  Mutex& operator=(const Mutex&) = delete;

  void lock() { lock_->Acquire(); }
  bool try_lock() { return lock_->TryAcquire(); }
  void unlock() noexcept { lock_->Release(); }

  // Once after a fork that met an owner in a window, in the child, for who holds it now.
  bool TakeInterrupted() noexcept { return lock_->interrupted && std::exchange(lock_->interrupted, false); }

 private:
  friend class ForkWindow;
  friend class CallMutex;
  Lock* const lock_;
};

// While it lives, the calling thread holds the mutex and a fork may happen. Closing it waits for a fork that is under
// way.
class ForkWindow {
 public:
  explicit ForkWindow(Mutex& mutex) noexcept : lock_(mutex.lock_) { lock_->Open(); }
  ~ForkWindow() { lock_->Close(); }
  ForkWindow(const ForkWindow&) = delete;
  ForkWindow& operator=(const ForkWindow&) = delete;

 private:
  Mutex::Lock* const lock_;
};

// A mutex that its owner may lock again, and in a window as long as it is held: for orders among calls, which guard no
// data. In a child it is free unless the thread that forked holds it.
class CallMutex {
 public:
  void lock();
  void unlock() noexcept;

 private:
  Mutex mutex_;
  int depth_ = 0;
};

// No fork happens while this thread has one, but in LetFork(). They nest.
class NoFork {
 public:
  NoFork();
  ~NoFork();
  NoFork(const NoFork&) = delete;
  NoFork& operator=(const NoFork&) = delete;
};

// Runs functions around each fork: `before` while others still have their locks, the others when they have them again.
// For static initialisers.
void OnFork(void (*before)(), void (*after_in_parent)(), void (*after_in_child)());

// Lets a fork that waits happen, if this thread's NoFork keeps it from it. Costs a load.
void LetFork() noexcept;

}  // namespace reel::runtime

#endif  // REEL_RUNTIME_FORK_H_
