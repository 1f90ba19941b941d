#include "runtime/allocator.h"

#include <gtest/gtest.h>
#include <sys/resource.h>

#include <cstdint>
#include <cstring>
#include <limits>
#include <new>
#include <random>
#include <thread>
#include <utility>
#include <vector>

#include "runtime/buffer.h"

namespace reel::runtime {
namespace {

constexpr size_t kMiB = size_t{1} << 20;

bool IsAligned(const void* block) { return reinterpret_cast<uintptr_t>(block) % kAlignment == 0; }

TEST(Allocator, SizeClassesAreTightAndMonotone) {
  size_t previous = 0;
  for (size_t bytes = 0; bytes < 70000; ++bytes) {
    const size_t block = Allocator::BlockBytes(bytes);
    ASSERT_GE(block, bytes);
    ASSERT_GE(block, previous);
    ASSERT_EQ(block % kAlignment, 0u);
    ASSERT_EQ(Allocator::BlockBytes(block), block);
    if (bytes > 1024) {
      ASSERT_LE(block - 64, (bytes - 64) * 5 / 4 + 64);
    }
    previous = block;
  }
  // A power of two plus a buffer's header wastes nothing.
  for (size_t bytes = 64; bytes <= 1024 * kMiB; bytes *= 2) {
    EXPECT_EQ(Allocator::BlockBytes(bytes + 64), bytes + 64);
  }
}

TEST(Allocator, BlocksAreAlignedAndWritable) {
  Allocator allocator;
  for (const size_t bytes : {size_t{0}, size_t{1}, size_t{63}, size_t{64}, size_t{65}, size_t{1000}, size_t{4097},
                             kMiB - 1, 2 * kMiB, 5 * kMiB + 3}) {
    void* const block = allocator.Allocate(bytes);
    ASSERT_NE(block, nullptr);
    EXPECT_TRUE(IsAligned(block)) << bytes;
    std::memset(block, 0xAB, bytes);
    allocator.Free(block, bytes);
  }
  allocator.Free(nullptr, 10);
}

TEST(Allocator, ZeroedBlocksAreZeroNewOrReused) {
  Allocator allocator;
  for (const size_t bytes : {size_t{0}, size_t{100}, kMiB, 2 * kMiB, 7 * kMiB + 5}) {
    for (int use = 0; use < 3; ++use) {
      auto* const block = static_cast<unsigned char*>(allocator.TryAllocateZeroed(bytes));
      ASSERT_NE(block, nullptr);
      EXPECT_TRUE(IsAligned(block));
      for (size_t i = 0; i < bytes; ++i) ASSERT_EQ(block[i], 0) << i << " of " << bytes;
      if (bytes > 0) std::memset(block, 0xAB, bytes);
      allocator.Free(block, bytes);
      if (use == 1) allocator.ReleaseCache();
    }
  }
  const Buffer buffer = Buffer::TryAllocateZeroed(3 * kMiB, allocator);
  EXPECT_EQ(buffer.size(), 3 * kMiB);
  EXPECT_EQ(static_cast<const unsigned char*>(buffer.data())[0], 0);
  EXPECT_FALSE(Buffer::TryAllocateZeroed(std::numeric_limits<size_t>::max(), allocator));
}

// Zeros that nobody wrote to take no memory.
TEST(Allocator, LargeZeroedBlocksAreNotTouched) {
  const auto faults = [] {
    rusage usage;
    ::getrusage(RUSAGE_SELF, &usage);
    return usage.ru_minflt;
  };
  Allocator allocator;
  const int64_t before = faults();
  void* const block = allocator.TryAllocateZeroed(1024 * kMiB);
  ASSERT_NE(block, nullptr);
  EXPECT_LT(faults() - before, 100);
  allocator.Free(block, 1024 * kMiB);
}

TEST(Allocator, ReusesFreedBlocksOfTheClass) {
  Allocator allocator;
  void* const first = allocator.Allocate(1000);
  allocator.Free(first, 1000);
  void* const second = allocator.Allocate(1024 - 32);  // the same class
  EXPECT_EQ(second, first);
  void* const third = allocator.Allocate(1000);
  EXPECT_NE(third, second);
  EXPECT_EQ(allocator.stats().allocations, 3);
  EXPECT_EQ(allocator.stats().reuses, 1);
  allocator.Free(second, 1024 - 32);
  allocator.Free(third, 1000);
}

TEST(Allocator, CountsLivePeakAndCachedBytes) {
  Allocator allocator;
  const auto block = static_cast<int64_t>(Allocator::BlockBytes(5000));
  void* const a = allocator.Allocate(5000);
  void* const b = allocator.Allocate(5000);
  EXPECT_EQ(allocator.stats().live_bytes, 2 * block);
  allocator.Free(a, 5000);
  EXPECT_EQ(allocator.stats().live_bytes, block);
  EXPECT_EQ(allocator.stats().cached_bytes, block);
  EXPECT_EQ(allocator.stats().peak_bytes, 2 * block);
  allocator.ResetPeak();
  EXPECT_EQ(allocator.stats().peak_bytes, block);
  allocator.Free(b, 5000);
  allocator.ReleaseCache();
  EXPECT_EQ(allocator.stats().live_bytes, 0);
  EXPECT_EQ(allocator.stats().cached_bytes, 0);
}

TEST(Allocator, CacheIsBoundedAndDropsLongestUnusedClasses) {
  Allocator allocator(16 * kMiB);
  void* const old_block = allocator.Allocate(6 * kMiB);
  allocator.Free(old_block, 6 * kMiB);
  std::vector<void*> blocks;
  for (int i = 0; i < 12; ++i) blocks.push_back(allocator.Allocate(kMiB));
  for (void* const block : blocks) {
    allocator.Free(block, kMiB);
    EXPECT_LE(allocator.stats().cached_bytes, static_cast<int64_t>(16 * kMiB));
  }
  EXPECT_EQ(allocator.stats().cached_bytes, static_cast<int64_t>(12 * Allocator::BlockBytes(kMiB)));

  void* const oversize = allocator.Allocate(32 * kMiB);  // larger than the cache: never kept
  allocator.Free(oversize, 32 * kMiB);
  EXPECT_EQ(allocator.stats().cached_bytes, static_cast<int64_t>(12 * Allocator::BlockBytes(kMiB)));
}

TEST(Allocator, OutOfMemoryIsAnAnswer) {
  Allocator allocator;
  for (const size_t bytes : {std::numeric_limits<size_t>::max(), std::numeric_limits<size_t>::max() - 63,
                             size_t{1} << 62, size_t{1} << 41}) {
    EXPECT_EQ(allocator.TryAllocate(bytes), nullptr);
    EXPECT_THROW(allocator.Allocate(bytes), std::bad_alloc);
    EXPECT_FALSE(Buffer::TryAllocate(bytes, allocator));
    EXPECT_THROW(Buffer::Allocate(bytes, allocator), std::bad_alloc);
  }
  EXPECT_EQ(allocator.stats().live_bytes, 0);
  EXPECT_EQ(allocator.stats().allocations, 0);
  allocator.Free(allocator.Allocate(100), 100);  // and goes on
}

TEST(Allocator, LimitFailsCleanlyAndCanBeLifted) {
  Allocator allocator;
  void* const kept = allocator.Allocate(kMiB);
  allocator.SetLimit(2 * kMiB);
  EXPECT_EQ(allocator.TryAllocate(kMiB), nullptr);
  void* const small = allocator.TryAllocate(kMiB / 2);
  EXPECT_NE(small, nullptr);
  allocator.SetLimit(0);
  void* const large = allocator.TryAllocate(kMiB);
  EXPECT_NE(large, nullptr);
  allocator.Free(kept, kMiB);
  allocator.Free(small, kMiB / 2);
  allocator.Free(large, kMiB);
  EXPECT_EQ(allocator.stats().live_bytes, 0);
}

// Each thread keeps a random set of blocks filled with its own pattern; blocks change hands.
TEST(Allocator, ManyThreads) {
  Allocator allocator(8 * kMiB);
  std::vector<std::thread> threads;
  for (unsigned seed = 0; seed < 8; ++seed) {
    threads.emplace_back([&allocator, seed] {
      std::mt19937 random(seed);
      struct Held {
        unsigned char* data;
        size_t bytes;
        unsigned char pattern;
      };
      std::vector<Held> held;
      for (int i = 0; i < 3000; ++i) {
        if (held.size() < 16) {
          const size_t bytes = 1 + random() % (random() % 64 == 0 ? 300000 : 3000);
          const auto pattern = static_cast<unsigned char>(random());
          held.push_back({static_cast<unsigned char*>(allocator.Allocate(bytes)), bytes, pattern});
          std::memset(held.back().data, pattern, bytes);
        } else {
          std::swap(held[random() % held.size()], held.back());
          const Held freed = held.back();
          EXPECT_EQ(freed.data[0], freed.pattern);
          EXPECT_EQ(freed.data[freed.bytes - 1], freed.pattern);
          allocator.Free(freed.data, freed.bytes);
          held.pop_back();
        }
      }
      for (const Held& block : held) allocator.Free(block.data, block.bytes);
    });
  }
  for (std::thread& thread : threads) thread.join();
  const AllocatorStats stats = allocator.stats();
  EXPECT_EQ(stats.live_bytes, 0);
  EXPECT_GT(stats.reuses, 0);
  EXPECT_LE(stats.cached_bytes, static_cast<int64_t>(8 * kMiB));
}

TEST(Buffer, SharesOneBlock) {
  Allocator allocator;
  {
    Buffer a = Buffer::Allocate(100, allocator);
    EXPECT_TRUE(IsAligned(a.data()));
    EXPECT_EQ(a.size(), 100u);
    EXPECT_TRUE(a.unique());
    EXPECT_EQ(allocator.stats().allocations, 1);
    Buffer b = a;
    EXPECT_EQ(a, b);
    EXPECT_EQ(a.use_count(), 2);
    EXPECT_FALSE(a.unique());
    Buffer c = std::move(a);
    EXPECT_EQ(c.data(), b.data());
    EXPECT_EQ(c.use_count(), 2);
    b = Buffer();
    EXPECT_TRUE(c.unique());
    Buffer& alias = c;
    c = alias;
    EXPECT_EQ(c.use_count(), 1);
    EXPECT_GT(allocator.stats().live_bytes, 0);
  }
  EXPECT_EQ(allocator.stats().live_bytes, 0);
}

TEST(Buffer, NullAndEmpty) {
  const Buffer null;
  EXPECT_FALSE(null);
  EXPECT_EQ(null.data(), nullptr);
  EXPECT_EQ(null.size(), 0u);
  EXPECT_EQ(null.use_count(), 0);
  const Buffer empty = Buffer::Allocate(0);
  EXPECT_TRUE(empty);
  EXPECT_NE(empty.data(), nullptr);
  EXPECT_EQ(empty.size(), 0u);
}

TEST(Buffer, AdoptsMemoryOfOthers) {
  Allocator allocator;
  const int elements[] = {1, 2, 3};
  int released = 0;
  {
    Buffer a = Buffer::TryAdopt(
        elements, sizeof elements, [](void* count) { ++*static_cast<int*>(count); }, &released, allocator);
    EXPECT_EQ(a.data(), elements);
    EXPECT_EQ(a.size(), sizeof elements);
    EXPECT_TRUE(a.adopted());
    EXPECT_EQ(a.use_count(), 1);
    EXPECT_FALSE(a.unique());  // nobody may write there
    Buffer b = a;
    a = Buffer();
    EXPECT_EQ(released, 0);
  }
  EXPECT_EQ(released, 1);
  EXPECT_EQ(allocator.stats().live_bytes, 0);
}

TEST(Buffer, LastOwnerOnAnyThreadFrees) {
  Allocator allocator;
  for (int round = 0; round < 200; ++round) {
    Buffer buffer = Buffer::Allocate(256, allocator);
    std::memset(buffer.data(), round, 256);
    std::thread other([copy = buffer, round] { EXPECT_EQ(static_cast<unsigned char*>(copy.data())[255], round); });
    buffer = Buffer();
    other.join();
  }
  EXPECT_EQ(allocator.stats().live_bytes, 0);
}

}  // namespace
}  // namespace reel::runtime
