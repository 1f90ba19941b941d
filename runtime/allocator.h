// Memory for tensors: 64-byte aligned blocks, recycled by size class.
//
// Touching fresh memory costs more than most kernels that fill it (about 0.3 ms per MiB), so freed
// blocks stay in a bounded cache. Classes: four per power of two, each with 64 bytes on top, so
// that a power of two plus a Buffer's header wastes nothing. Blocks of 2 MiB and more are mappings of
// their own, which ask for huge pages: new ones are zero without having been touched.
//
// Out of memory: TryAllocate returns null, Allocate throws std::bad_alloc; both first give the
// cache back to the system and try once more. Nothing aborts and no state is lost.
#ifndef REEL_RUNTIME_ALLOCATOR_H_
#define REEL_RUNTIME_ALLOCATOR_H_

#include <array>
#include <cstddef>
#include <cstdint>
#include <mutex>

namespace reel::runtime {

// Alignment of every block and of every Buffer's data, in bytes.
inline constexpr size_t kAlignment = 64;

// Counters of one allocator. Bytes are those of whole blocks, i.e. rounded up to their size class.
struct AllocatorStats {
  int64_t live_bytes = 0;    // handed out and not yet freed
  int64_t peak_bytes = 0;    // largest live_bytes since the start or ResetPeak
  int64_t cached_bytes = 0;  // freed and kept
  int64_t allocations = 0;   // successful allocations since the start
  int64_t reuses = 0;        // those of them that came from the cache
};

// A thread-safe recycling allocator. Block addresses are multiples of kAlignment; contents are
// unspecified. AddressSanitizer sees cached blocks as freed and each block at its exact size.
class Allocator {
 public:
  static constexpr size_t kDefaultCacheBytes = size_t{512} << 20;

  // Keeps at most `cache_bytes` of freed blocks; when full, the longest unused size classes go
  // first.
  constexpr explicit Allocator(size_t cache_bytes = kDefaultCacheBytes) noexcept : cache_bytes_(cache_bytes) {}
  // All blocks must have been freed.
  ~Allocator() { ReleaseCache(); }
  Allocator(const Allocator&) = delete;
  Allocator& operator=(const Allocator&) = delete;

  // The process's allocator: needs no initialisation, is never destroyed, works in a forked child.
  static Allocator& Default();

  // A block of at least `bytes` (0 included), or null when there is no memory.
  void* TryAllocate(size_t bytes) noexcept;
  // The same, all bytes zero; pages that are new from the system are not touched for it.
  void* TryAllocateZeroed(size_t bytes) noexcept;
  // The same, but throws std::bad_alloc.
  void* Allocate(size_t bytes);
  // Takes back a block of this allocator; `bytes` as it was requested. Null is ignored.
  void Free(void* block, size_t bytes) noexcept;

  // Gives all cached blocks back to the system.
  void ReleaseCache() noexcept;
  // Requests that would raise live_bytes above `bytes` fail as if memory had run out; 0 = no limit.
  void SetLimit(size_t bytes) noexcept;
  // Starts a new measurement of peak_bytes at the present live_bytes.
  void ResetPeak() noexcept;
  AllocatorStats stats() const noexcept;

  // Block size that a request of `bytes` gets; 0 when no block can be that large.
  static size_t BlockBytes(size_t bytes) noexcept;

 private:
  friend struct AllocatorForkHooks;

  // How a cached block begins: the next of its list.
  struct FreeBlock {
    FreeBlock* next;
    size_t block_bytes;
  };
  struct SizeClass {
    FreeBlock* first = nullptr;
    uint64_t last_use = 0;  // value of clock_
  };
  static constexpr int kClasses = 131;  // the last one holds 896 GiB

  static int ClassOf(size_t bytes) noexcept;
  static size_t BytesOfClass(int size_class) noexcept;
  static void ReleaseList(FreeBlock* list) noexcept;
  void* Take(size_t bytes, bool* zero) noexcept;
  FreeBlock* TakeCached(int size_class) noexcept;
  FreeBlock* TakeEvicted(size_t incoming) noexcept;
  void TakeClass(int size_class, FreeBlock*& list) noexcept;

  mutable std::mutex mutex_;  // guards everything below; never held while the system is called
  std::array<SizeClass, kClasses> classes_;
  AllocatorStats stats_;
  uint64_t clock_ = 0;
  size_t limit_ = 0;
  const size_t cache_bytes_;
};

}  // namespace reel::runtime

#endif  // REEL_RUNTIME_ALLOCATOR_H_
