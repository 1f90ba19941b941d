#include "runtime/allocator.h"

#include <sys/mman.h>

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <cstring>
#include <limits>
#include <new>
#include <utility>

#ifdef __has_feature
#if __has_feature(address_sanitizer)
#define REEL_ADDRESS_SANITIZER
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define REEL_ADDRESS_SANITIZER
#endif
#ifdef REEL_ADDRESS_SANITIZER
#include <sanitizer/asan_interface.h>
#endif

namespace reel::runtime {
namespace {

constexpr size_t kHugePage = size_t{2} << 20;
constexpr size_t kSmallPage = 4096;

// Marks [begin, end) of a block as out of bounds, or as usable, for AddressSanitizer.
void Poison([[maybe_unused]] void* block, [[maybe_unused]] size_t begin, [[maybe_unused]] size_t end) {
#ifdef REEL_ADDRESS_SANITIZER
  __asan_poison_memory_region(static_cast<char*>(block) + begin, end - begin);
#endif
}
void Unpoison([[maybe_unused]] void* block, [[maybe_unused]] size_t bytes) {
#ifdef REEL_ADDRESS_SANITIZER
  __asan_unpoison_memory_region(block, bytes);
#endif
}

bool IsMapping(size_t block_bytes) { return block_bytes >= kHugePage; }

size_t PagesOf(size_t block_bytes) { return (block_bytes + kSmallPage - 1) & ~(kSmallPage - 1); }

// Zero pages that begin at a huge page, or null.
void* NewMapping(size_t block_bytes) {
  const size_t bytes = PagesOf(block_bytes);
  void* const mapped = mmap(nullptr, bytes + kHugePage, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) return nullptr;
  auto* const begin = static_cast<char*>(mapped);
  const size_t before = -reinterpret_cast<uintptr_t>(mapped) & (kHugePage - 1);
  if (before > 0) munmap(begin, before);
  munmap(begin + before + bytes, kHugePage - before);
#ifdef MADV_HUGEPAGE
  // Only a hint: without it the block works as well, with small pages.
  madvise(begin + before, bytes, MADV_HUGEPAGE);
#endif
  return begin + before;
}

// A block fresh from the system, or null.
void* NewBlock(size_t block_bytes) {
  if (IsMapping(block_bytes)) return NewMapping(block_bytes);
  void* block = nullptr;
  return posix_memalign(&block, kAlignment, block_bytes) == 0 ? block : nullptr;
}

}  // namespace

// Class c holds blocks of 64 + 64 u bytes: u = 1 2 3 4 | 5 6 7 8 | 10 12 14 16 | 20 24 28 32 | ...
int Allocator::ClassOf(size_t bytes) noexcept {
  const size_t units = bytes <= 2 * kAlignment ? 1 : (bytes - 1) / kAlignment;
  if (units <= 4) return static_cast<int>(units) - 1;
  const int shift = static_cast<int>(std::bit_width(units - 1)) - 3;
  const size_t steps = (units + (size_t{1} << shift) - 1) >> shift;  // 5..8
  return 4 * shift + static_cast<int>(steps) - 1;
}

size_t Allocator::BytesOfClass(int size_class) noexcept {
  const auto index = static_cast<size_t>(size_class);
  const size_t units = index < 4 ? index + 1 : (5 + index % 4) << (index / 4 - 1);
  return kAlignment + kAlignment * units;
}

size_t Allocator::BlockBytes(size_t bytes) noexcept {
  if (bytes > BytesOfClass(kClasses - 1)) return 0;
  return BytesOfClass(ClassOf(bytes));
}

namespace {

// Constant initialisation: a lazy one could be under way in another thread when a process forks,
// and its child would wait for it forever.
union DefaultAllocator {
  constexpr DefaultAllocator() : allocator() {}
  ~DefaultAllocator() {}
  Allocator allocator;
};
constinit DefaultAllocator default_allocator;

}  // namespace

Allocator& Allocator::Default() { return default_allocator.allocator; }

// A block; *zero tells whether all its bytes are known to be zero.
void* Allocator::Take(size_t bytes, bool* zero) noexcept {
  const size_t block_bytes = BlockBytes(bytes);
  if (block_bytes == 0) return nullptr;
  const auto charge = static_cast<int64_t>(block_bytes);
  void* block = nullptr;
  {
    std::lock_guard lock(mutex_);
    if (limit_ != 0 && static_cast<size_t>(stats_.live_bytes + charge) > limit_) return nullptr;
    stats_.live_bytes += charge;
    block = TakeCached(ClassOf(bytes));
    if (block != nullptr) {
      ++stats_.allocations;
      stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.live_bytes);
    }
  }
  *zero = block == nullptr && IsMapping(block_bytes);
  if (block == nullptr) {
    block = NewBlock(block_bytes);
    if (block == nullptr) {
      ReleaseCache();
      block = NewBlock(block_bytes);
    }
    std::lock_guard lock(mutex_);
    if (block == nullptr) {
      stats_.live_bytes -= charge;
      return nullptr;
    }
    ++stats_.allocations;
    stats_.peak_bytes = std::max(stats_.peak_bytes, stats_.live_bytes);
  }
  Unpoison(block, bytes);
  Poison(block, bytes, block_bytes);
  return block;
}

void* Allocator::TryAllocate(size_t bytes) noexcept {
  bool zero;
  return Take(bytes, &zero);
}

void* Allocator::TryAllocateZeroed(size_t bytes) noexcept {
  bool zero = false;
  void* const block = Take(bytes, &zero);
  if (block != nullptr && !zero) std::memset(block, 0, bytes);
  return block;
}

void* Allocator::Allocate(size_t bytes) {
  void* const block = TryAllocate(bytes);
  if (block == nullptr) throw std::bad_alloc();
  return block;
}

void Allocator::Free(void* block, size_t bytes) noexcept {
  if (block == nullptr) return;
  const int size_class = ClassOf(bytes);
  const size_t block_bytes = BytesOfClass(size_class);
  Unpoison(block, sizeof(FreeBlock));
  Poison(block, sizeof(FreeBlock), block_bytes);
  auto* const freed = ::new (block) FreeBlock{nullptr, block_bytes};
  FreeBlock* released = freed;
  {
    std::lock_guard lock(mutex_);
    stats_.live_bytes -= static_cast<int64_t>(block_bytes);
    if (block_bytes <= cache_bytes_) {
      SizeClass& target = classes_[static_cast<size_t>(size_class)];
      target.last_use = ++clock_;
      released = TakeEvicted(block_bytes);
      freed->next = std::exchange(target.first, freed);
      stats_.cached_bytes += static_cast<int64_t>(block_bytes);
    }
  }
  ReleaseList(released);
}

// Pops a block of the class; null when it has none. The lock is held.
Allocator::FreeBlock* Allocator::TakeCached(int size_class) noexcept {
  SizeClass& source = classes_[static_cast<size_t>(size_class)];
  source.last_use = ++clock_;
  FreeBlock* const block = source.first;
  if (block == nullptr) return nullptr;
  source.first = block->next;
  stats_.cached_bytes -= static_cast<int64_t>(BytesOfClass(size_class));
  ++stats_.reuses;
  return block;
}

// Takes whole classes, longest unused first, until `incoming` more bytes fit. The lock is held.
Allocator::FreeBlock* Allocator::TakeEvicted(size_t incoming) noexcept {
  FreeBlock* evicted = nullptr;
  while (static_cast<size_t>(stats_.cached_bytes) + incoming > cache_bytes_) {
    int oldest = 0;
    uint64_t oldest_use = std::numeric_limits<uint64_t>::max();
    for (int c = 0; c < kClasses; ++c) {
      const SizeClass& candidate = classes_[static_cast<size_t>(c)];
      if (candidate.first == nullptr || candidate.last_use >= oldest_use) continue;
      oldest = c;
      oldest_use = candidate.last_use;
    }
    TakeClass(oldest, evicted);
  }
  return evicted;
}

// Moves all cached blocks of a class to the front of `list`. The lock is held.
void Allocator::TakeClass(int size_class, FreeBlock*& list) noexcept {
  SizeClass& source = classes_[static_cast<size_t>(size_class)];
  while (FreeBlock* const block = source.first) {
    source.first = block->next;
    block->next = std::exchange(list, block);
    stats_.cached_bytes -= static_cast<int64_t>(BytesOfClass(size_class));
  }
}

void Allocator::ReleaseList(FreeBlock* list) noexcept {
  while (list != nullptr) {
    FreeBlock* const block = std::exchange(list, list->next);
    const size_t bytes = block->block_bytes;
    if (IsMapping(bytes)) {
      Unpoison(block, bytes);  // the addresses may be somebody else's next
      munmap(block, PagesOf(bytes));
    } else {
      std::free(block);
    }
  }
}

void Allocator::ReleaseCache() noexcept {
  FreeBlock* released = nullptr;
  {
    std::lock_guard lock(mutex_);
    for (int c = 0; c < kClasses; ++c) TakeClass(c, released);
  }
  ReleaseList(released);
}

void Allocator::SetLimit(size_t bytes) noexcept {
  std::lock_guard lock(mutex_);
  limit_ = bytes;
}

void Allocator::ResetPeak() noexcept {
  std::lock_guard lock(mutex_);
  stats_.peak_bytes = stats_.live_bytes;
}

AllocatorStats Allocator::stats() const noexcept {
  std::lock_guard lock(mutex_);
  return stats_;
}

}  // namespace reel::runtime
