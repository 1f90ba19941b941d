#ifndef REEL_RUNTIME_PER_THREAD_H_
#define REEL_RUNTIME_PER_THREAD_H_

#include <pthread.h>

#include <memory>

namespace reel::runtime {

namespace internal {
// Of the thread's static block, so that to find it takes no memory.
template <typename T>
[[gnu::tls_model("initial-exec")]] inline thread_local constinit T* of_thread = nullptr;
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
  if (T* const object = FindPerThread<T>()) [[likely]] return *object;
  struct Key {
    Key() {
      made = pthread_key_create(&key, [](void* mine) {
               internal::of_thread<T> = nullptr;
               delete static_cast<T*>(mine);
             }) == 0;
    }
    pthread_key_t key{};
    bool made = false;
  };
  static const Key key;
  auto mine = std::make_unique<T>();
  if (key.made) pthread_setspecific(key.key, mine.get());  // if that fails the object outlives its thread
  return *(internal::of_thread<T> = mine.release());
}

}  // namespace reel::runtime

#endif  // REEL_RUNTIME_PER_THREAD_H_
