#ifndef REEL_TESTS_FRONTEND_FAILING_ALLOCATOR_H_
#define REEL_TESTS_FRONTEND_FAILING_ALLOCATOR_H_

// In the place of the C and C++ libraries' allocators, for all libraries of the program that includes it, once: they
// count, and one allocation fails.

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/auxv.h>

#include <algorithm>
#include <atomic>
#include <cerrno>
#include <cstdint>
#include <cstdlib>
#include <new>

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define REEL_NO_FAILING_ALLOCATOR  // the sanitizer has the allocator
#else

namespace reel::failing {

inline std::atomic<int64_t> allocations{0};  ///< of all threads, so far
inline thread_local constinit int64_t allocations_here = 0;  ///< of this thread
inline std::atomic<int64_t> failing{-1};     ///< the number of the one that fails; negative: none

// While a library is opened: without memory LLVM's static constructors end the process. Reel asks for room before.
inline std::atomic<int> opening{0};

// Whether the dynamic loader asks: for a thread's block of a library that was opened late. glibc ends the process
// (status 127) where there is no memory for that, whoever the thread-local variable belongs to: no program can do
// otherwise.
inline bool IsLoader(const void* caller) {
  static constinit uintptr_t end = 0;
  const uintptr_t base = getauxval(AT_BASE), at = reinterpret_cast<uintptr_t>(caller);
  if (base == 0) return false;
  if (end == 0) {
    const auto* header = reinterpret_cast<const ElfW(Ehdr)*>(base);
    const auto* segment = reinterpret_cast<const ElfW(Phdr)*>(base + header->e_phoff);
    uintptr_t last = base;
    for (int i = 0; i < header->e_phnum; ++i, ++segment) {
      if (segment->p_type == PT_LOAD) last = std::max<uintptr_t>(last, base + segment->p_vaddr + segment->p_memsz);
    }
    end = last;
  }
  return at >= base && at < end;
}

inline bool Fails(const void* caller = nullptr) {
  if (IsLoader(caller)) return false;
  if (opening.load(std::memory_order_relaxed) != 0) return false;
  ++allocations_here;
  return allocations.fetch_add(1, std::memory_order_relaxed) == failing.load(std::memory_order_relaxed);
}

}  // namespace reel::failing

extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

static void* ReelNoMemory() {
  errno = ENOMEM;
  return nullptr;
}
void* malloc(size_t bytes) {
  return reel::failing::Fails(__builtin_return_address(0)) ? ReelNoMemory() : __libc_malloc(bytes);
}
void* calloc(size_t n, size_t bytes) {
  return reel::failing::Fails(__builtin_return_address(0)) ? ReelNoMemory() : __libc_calloc(n, bytes);
}
void* realloc(void* p, size_t bytes) { return reel::failing::Fails() ? ReelNoMemory() : __libc_realloc(p, bytes); }
void* memalign(size_t alignment, size_t bytes) {
  return reel::failing::Fails(__builtin_return_address(0)) ? ReelNoMemory() : __libc_memalign(alignment, bytes);
}
void* aligned_alloc(size_t alignment, size_t bytes) { return memalign(alignment, bytes); }
int posix_memalign(void** out, size_t alignment, size_t bytes) noexcept {
  void* const p = memalign(alignment, bytes);
  if (p == nullptr) return ENOMEM;
  *out = p;
  return 0;
}
}

extern "C" void* dlopen(const char* name, int flags) noexcept {
  static auto* const real = reinterpret_cast<void* (*)(const char*, int)>(::dlsym(RTLD_NEXT, "dlopen"));
  reel::failing::opening.fetch_add(1);
  void* const library = real(name, flags);
  reel::failing::opening.fetch_sub(1);
  return library;
}

static void* ReelNew(size_t bytes, size_t alignment) {
  for (bool fails = reel::failing::Fails();; fails = false) {
    if (void* const p = fails ? nullptr : __libc_memalign(alignment, bytes == 0 ? 1 : bytes)) return p;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
void* operator new(size_t bytes) { return ReelNew(bytes, 16); }
void* operator new[](size_t bytes) { return ReelNew(bytes, 16); }
void* operator new(size_t bytes, std::align_val_t alignment) { return ReelNew(bytes, static_cast<size_t>(alignment)); }
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }

#endif  // a sanitizer's
#endif  // REEL_TESTS_FRONTEND_FAILING_ALLOCATOR_H_
