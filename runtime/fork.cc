#include "runtime/fork.h"

#include <pthread.h>
#include <unistd.h>

#include <array>
#include <atomic>
#include <chrono>
#include <cstddef>
#include <mutex>
#include <new>
#include <thread>
#include <utility>

#include "runtime/allocator.h"
#include "runtime/per_thread.h"

namespace reel::runtime {

struct AllocatorForkHooks {
  static void Lock() { Allocator::Default().mutex_.lock(); }
  static void Unlock() { Allocator::Default().mutex_.unlock(); }
};

namespace {

using Lock = Mutex::Lock;
using std::chrono::steady_clock;

// All locks there ever were. Constant initialisation: static initialisers of other files have mutexes.
struct Table {
  std::mutex mutex;  // taken after any lock
  Lock* all = nullptr;
  Lock* free = nullptr;
};
constinit Table table;

// Forks that wait for locks, or are under way.
constinit std::atomic<int> forks{0};

struct Hooks {
  void (*before)();
  void (*after_in_parent)();
  void (*after_in_child)();
};
constinit std::array<Hooks, 4> all_hooks{};
constinit size_t num_hooks = 0;

void Run(void (*Hooks::*which)()) {
  for (size_t i = 0; i < num_hooks; ++i) (all_hooks[i].*which)();
}

Lock* NewLock() {
  const std::lock_guard guard(table.mutex);
  if (Lock* const lock = table.free) {
    table.free = lock->next_free;
    return lock;
  }
  auto* const lock = new Lock;
  lock->next = table.all;
  return table.all = lock;
}

void FreeLock(Lock* lock) {
  const std::lock_guard guard(table.mutex);
  lock->interrupted = false;
  lock->next_free = table.free;
  table.free = lock;
}

bool TakeForFork(Lock* lock) {
  int open = Lock::kOpen;
  if (lock->IsMine()) {
    lock->fork = Lock::Fork::kOwn;
  } else if (lock->TryAcquire()) {
    lock->fork = Lock::Fork::kTaken;
  } else if (lock->window.compare_exchange_strong(open, Lock::kHeld, std::memory_order_acquire)) {
    lock->fork = Lock::Fork::kInWindow;
  } else {
    return false;
  }
  return true;
}

void GiveBack(Lock* lock) {
  if (lock->fork == Lock::Fork::kTaken) lock->Release();
  if (lock->fork == Lock::Fork::kInWindow) lock->window.store(Lock::kOpen, std::memory_order_release);
}

// All or none. What one holds, another may need to give back what it holds: so nobody waits long with locks taken.
bool TakeAll(std::chrono::microseconds patience) {
  table.mutex.lock();
  for (Lock* lock = table.all; lock != nullptr; lock = lock->next) {
    bool taken = TakeForFork(lock);
    for (const auto end = steady_clock::now() + patience; !taken && steady_clock::now() < end;) {
      std::this_thread::yield();
      taken = TakeForFork(lock);
    }
    if (taken) continue;
    for (Lock* had = table.all; had != lock; had = had->next) GiveBack(had);
    table.mutex.unlock();
    return false;
  }
  return true;
}

void BeforeFork() {
  Run(&Hooks::before);
  forks.fetch_add(1);
  std::chrono::microseconds patience{50};
  while (!TakeAll(patience)) {
    std::this_thread::sleep_for(patience);
    if (patience < std::chrono::milliseconds(10)) patience *= 2;
  }
  AllocatorForkHooks::Lock();  // the last: all others allocate
}

void AfterForkInParent() {
  AllocatorForkHooks::Unlock();
  for (Lock* lock = table.all; lock != nullptr; lock = lock->next) GiveBack(lock);
  table.mutex.unlock();
  forks.fetch_sub(1);
  Run(&Hooks::after_in_parent);
}

void AfterForkInChild() {
  AllocatorForkHooks::Unlock();
  for (Lock* lock = table.all; lock != nullptr; lock = lock->next) {
    if (lock->fork != Lock::Fork::kInWindow) {
      GiveBack(lock);
      continue;
    }
    ::new (&lock->mutex) std::mutex;  // its owner does not exist
    lock->owner.store(pthread_t{}, std::memory_order_relaxed);
    lock->window.store(Lock::kClosed, std::memory_order_relaxed);
    lock->interrupted = true;
  }
  table.mutex.unlock();
  forks.store(0);
  Run(&Hooks::after_in_child);
}

const struct ForkHooks {
  ForkHooks() { pthread_atfork(&BeforeFork, &AfterForkInParent, &AfterForkInChild); }
} fork_hooks;

// A thread's NoFork: its lock is given to another when the thread ends.
struct Own {
  Lock* lock = nullptr;
  int depth = 0;
  ~Own() {
    if (lock != nullptr) FreeLock(lock);
  }
};

}  // namespace

void OnFork(void (*before)(), void (*after_in_parent)(), void (*after_in_child)()) {
  all_hooks.at(num_hooks) = {before, after_in_parent, after_in_child};
  ++num_hooks;
}

Mutex::Mutex() : lock_(NewLock()) {}
Mutex::~Mutex() { FreeLock(lock_); }

void CallMutex::lock() {
  if (mutex_.lock_->IsMine()) {
    ++depth_;
    return;
  }
  mutex_.lock();
  if (mutex_.TakeInterrupted()) depth_ = 0;
  mutex_.lock_->Open();
}

void CallMutex::unlock() noexcept {
  if (depth_ > 0) {
    --depth_;
    return;
  }
  mutex_.lock_->Close();
  mutex_.unlock();
}

NoFork::NoFork() {
  Own& own = PerThread<Own>();
  if (own.lock == nullptr) own.lock = NewLock();
  if (own.depth++ == 0) own.lock->Acquire();
}

NoFork::~NoFork() {
  Own& own = PerThread<Own>();
  if (--own.depth == 0) own.lock->Release();
}

void LetFork() noexcept {
  if (forks.load(std::memory_order_relaxed) == 0) return;
  const Own* const own = FindPerThread<Own>();
  if (own == nullptr || own->depth == 0) return;
  own->lock->Open();
  while (forks.load() != 0) std::this_thread::sleep_for(std::chrono::microseconds(50));
  own->lock->Close();
}

}  // namespace reel::runtime
