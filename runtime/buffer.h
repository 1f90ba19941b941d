// A shared, reference-counted block of bytes: the storage of tensors and variables.
#ifndef REEL_RUNTIME_BUFFER_H_
#define REEL_RUNTIME_BUFFER_H_

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <new>
#include <utility>

#include "runtime/allocator.h"

namespace reel::runtime {

// Handle of a block. Copies share it; the last handle gives it back. Count and size lie in the 64
// bytes before the data, so that a buffer is one allocation and the handle one pointer.
// The count is thread safe; a single handle and the bytes are not.
class Buffer {
 public:
  // The null handle: data() is null, size() is 0.
  Buffer() noexcept = default;

  // A buffer of `bytes` unspecified bytes; throws std::bad_alloc.
  static Buffer Allocate(size_t bytes, Allocator& allocator = Allocator::Default()) {
    Buffer buffer = TryAllocate(bytes, allocator);
    if (!buffer) throw std::bad_alloc();
    return buffer;
  }

  // The same, but gives the null handle when there is no memory.
  static Buffer TryAllocate(size_t bytes, Allocator& allocator = Allocator::Default()) noexcept {
    if (bytes > SIZE_MAX - sizeof(Header)) return Buffer();
    return In(allocator.TryAllocate(sizeof(Header) + bytes), bytes, allocator);
  }

  // The same with all bytes zero; large new ones take memory only where they are written.
  static Buffer TryAllocateZeroed(size_t bytes, Allocator& allocator = Allocator::Default()) noexcept {
    if (bytes > SIZE_MAX - sizeof(Header)) return Buffer();
    return In(allocator.TryAllocateZeroed(sizeof(Header) + bytes), bytes, allocator);
  }

  // Memory of someone else, read only: `release(context)` is called when the last handle goes away,
  // on its thread. Aligned to its elements at least. Null when there is no memory for the handle.
  static Buffer TryAdopt(const void* data, size_t bytes, void (*release)(void*), void* context,
                         Allocator& allocator = Allocator::Default()) noexcept {
    Buffer buffer = In(allocator.TryAllocate(sizeof(Header)), bytes, allocator);
    if (!buffer) return buffer;
    buffer.header_->data = const_cast<void*>(data);
    buffer.header_->release = release;
    buffer.header_->context = context;
    return buffer;
  }

  Buffer(const Buffer& other) noexcept : header_(other.header_) {
    if (header_ != nullptr) header_->owners.fetch_add(1, std::memory_order_relaxed);
  }
  Buffer(Buffer&& other) noexcept : header_(std::exchange(other.header_, nullptr)) {}
  Buffer& operator=(Buffer other) noexcept {
    std::swap(header_, other.header_);
    return *this;
  }
  ~Buffer() {
    if (header_ == nullptr) return;
    // A sole owner needs no atomic write: nobody else can copy its handle.
    if (use_count() != 1 && header_->owners.fetch_sub(1, std::memory_order_acq_rel) != 1) return;
    if (header_->release != nullptr) header_->release(header_->context);
    header_->allocator.Free(header_, sizeof(Header) + (adopted() ? 0 : header_->bytes));
  }

  // First byte, 64-byte aligned unless adopted; the same for all handles.
  void* data() const noexcept { return header_ == nullptr ? nullptr : header_->data; }
  // Bytes as requested.
  size_t size() const noexcept { return header_ == nullptr ? 0 : header_->bytes; }
  explicit operator bool() const noexcept { return header_ != nullptr; }

  // Number of handles; exact only while no other thread copies or drops one.
  int64_t use_count() const noexcept {
    return header_ == nullptr ? 0 : header_->owners.load(std::memory_order_acquire);
  }
  // True when this is the only handle of memory of ours: its owner may then write in place.
  bool unique() const noexcept { return use_count() == 1 && !adopted(); }
  // True for memory of someone else.
  bool adopted() const noexcept { return header_ != nullptr && header_->release != nullptr; }

  // Handles are equal when they share a block.
  friend bool operator==(const Buffer& a, const Buffer& b) noexcept = default;

 private:
  struct alignas(kAlignment) Header {
    Header(size_t size, Allocator& owner) noexcept : bytes(size), allocator(owner) {}
    std::atomic<int64_t> owners{1};
    const size_t bytes;
    Allocator& allocator;
    void* data = this + 1;
    void (*release)(void*) = nullptr;  // of adopted memory
    void* context = nullptr;
  };
  static_assert(sizeof(Header) == kAlignment);

  // The buffer that begins with this block; null for null.
  static Buffer In(void* block, size_t bytes, Allocator& allocator) noexcept {
    Buffer buffer;
    if (block != nullptr) buffer.header_ = ::new (block) Header(bytes, allocator);
    return buffer;
  }

  Header* header_ = nullptr;
};

}  // namespace reel::runtime

#endif  // REEL_RUNTIME_BUFFER_H_
