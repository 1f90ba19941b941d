#ifndef REEL_IR_LAZY_H_
#define REEL_IR_LAZY_H_

#include <atomic>
#include <memory>

namespace reel {

/// An object that the first who asks makes and nobody destroys: `static constinit Lazy<T> lazy; lazy.Get(make)`. Unlike
/// a static of a function nobody ever waits for another thread, which a forked child would not have: threads that ask
/// at once each make one, and the first of these stays.
template <typename T>
class Lazy {
 public:
  /// `make` returns std::unique_ptr<T>; the first of equals is as good as any.
  template <typename Make>
  T& Get(const Make& make) {
    if (T* const made = made_.load(std::memory_order_acquire)) [[likely]]
      return *made;
    std::unique_ptr<T> mine = make();
    T* first = nullptr;
    return made_.compare_exchange_strong(first, mine.get(), std::memory_order_acq_rel) ? *mine.release() : *first;
  }
  T& Get() {
    return Get([] { return std::make_unique<T>(); });
  }
  /// Null if nobody has asked.
  T* found() const { return made_.load(std::memory_order_acquire); }

 private:
  std::atomic<T*> made_{nullptr};
};

}  // namespace reel

#endif  // REEL_IR_LAZY_H_
