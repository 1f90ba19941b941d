#ifndef REEL_RUNTIME_PER_THREAD_H_
#define REEL_RUNTIME_PER_THREAD_H_

#include <pthread.h>

#include <atomic>
#include <cstdint>
#include <memory>

#if defined(__SANITIZE_ADDRESS__)
#include <sanitizer/lsan_interface.h>
#endif

namespace reel::runtime {

namespace internal {
// Of the thread's static block, so that to find it takes no memory.
template <typename T>
[[gnu::tls_model("initial-exec")]] inline thread_local constinit T* of_thread = nullptr;

template <typename T>
inline constinit std::atomic<int64_t> key_of = -1;  // a pthread_key_t; negative: none yet

// The key whose destructor ends a thread's T; negative if the system has none left. No lock: a fork may come at any
// time.
template <typename T>
int64_t KeyOf() {
  int64_t known = key_of<T>.load(std::memory_order_acquire);
  pthread_key_t made;
  const auto destroy = [](void* mine) {
    of_thread<T> = nullptr;
    delete static_cast<T*>(mine);
  };
  if (known >= 0 || pthread_key_create(&made, destroy) != 0) return known;
  if (key_of<T>.compare_exchange_strong(known, made, std::memory_order_acq_rel)) return made;
  pthread_key_delete(made);  // another thread was first
  return known;
}
}  // namespace internal

/// This thread's T; null if it has none.
template <typename T>
T* FindPerThread() {
  return internal::of_thread<T>;
}

/// This thread's T, made when the thread first asks and destroyed when it ends: what a thread_local with a destructor
/// is, but std::bad_alloc where there is no memory for it; glibc ends the process if it cannot note such a destructor.
/// The main thread's is not destroyed.
template <typename T>
T& PerThread() {
  if (T* const object = FindPerThread<T>()) [[likely]]
    return *object;
  auto mine = std::make_unique<T>();
#if defined(__SANITIZE_ADDRESS__)
  __lsan_ignore_object(mine.get());  // after a fork nothing leads to those of the threads that are not in the child
#endif
  const int64_t key = internal::KeyOf<T>();
  if (key >= 0) pthread_setspecific(static_cast<pthread_key_t>(key), mine.get());  // else it outlives its thread
  return *(internal::of_thread<T> = mine.release());
}

}  // namespace reel::runtime

#endif  // REEL_RUNTIME_PER_THREAD_H_
