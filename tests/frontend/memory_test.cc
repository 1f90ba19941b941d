// Every allocation that LLVM asks for fails once, while a small model is compiled. The answer is the result or an error,
// never a signal; nothing is lost, the next call works. REEL_FAIL_EVERY=1 tries all, which takes minutes, n every n-th;
// without it about 150.
#include <gtest/gtest.h>
#include <link.h>
#include <sys/wait.h>
#include <unistd.h>

#include <atomic>
#include <cstdlib>
#include <exception>
#include <new>
#include <string_view>

#include "frontend/reel/reel.h"

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(__GLIBC__)
#define REEL_NO_FAILING_ALLOCATOR  // the sanitizer has the allocator
#endif

#ifdef REEL_NO_FAILING_ALLOCATOR
TEST(Memory, EachAllocationOfLlvmFailsOnce) { GTEST_SKIP() << "the allocator is the sanitizer's"; }
#else
namespace {
std::atomic<int64_t> allocations{0};   // that LLVM asked for
std::atomic<int64_t> failing{-1};      // the one that fails; negative: none
std::atomic<uintptr_t> first{0}, last{0};  // addresses of LLVM's library

bool Fails(const void* caller) {
  const auto at = reinterpret_cast<uintptr_t>(caller);
  if (at < first.load(std::memory_order_relaxed) || at >= last.load(std::memory_order_relaxed)) return false;
  return allocations.fetch_add(1, std::memory_order_relaxed) == failing.load(std::memory_order_relaxed);
}

int FindLlvm(dl_phdr_info* info, size_t, void*) {
  if (std::string_view(info->dlpi_name).find("libLLVM") == std::string_view::npos) return 0;
  for (int i = 0; i < info->dlpi_phnum; ++i) {
    const auto& part = info->dlpi_phdr[i];
    if (part.p_type != PT_LOAD || !(part.p_flags & PF_X)) continue;
    first = info->dlpi_addr + part.p_vaddr;
    last = first + part.p_memsz;
  }
  return 1;
}
}  // namespace

// In the place of the C and C++ libraries', for all libraries of this program.
extern "C" {
void* __libc_malloc(size_t);
void* __libc_calloc(size_t, size_t);
void* __libc_realloc(void*, size_t);
void* __libc_memalign(size_t, size_t);

void* malloc(size_t bytes) { return Fails(__builtin_return_address(0)) ? nullptr : __libc_malloc(bytes); }
void* calloc(size_t n, size_t bytes) { return Fails(__builtin_return_address(0)) ? nullptr : __libc_calloc(n, bytes); }
void* realloc(void* p, size_t bytes) {
  return Fails(__builtin_return_address(0)) ? nullptr : __libc_realloc(p, bytes);
}
}

static void* New(size_t bytes, size_t alignment, const void* caller) {
  for (bool fails = Fails(caller);; fails = false) {
    if (void* const p = fails ? nullptr : __libc_memalign(alignment, bytes == 0 ? 1 : bytes)) return p;
    const std::new_handler handler = std::get_new_handler();
    if (handler == nullptr) throw std::bad_alloc();
    handler();
  }
}
void* operator new(size_t bytes) { return New(bytes, 16, __builtin_return_address(0)); }
void* operator new[](size_t bytes) { return New(bytes, 16, __builtin_return_address(0)); }
void* operator new(size_t bytes, std::align_val_t alignment) {
  return New(bytes, static_cast<size_t>(alignment), __builtin_return_address(0));
}
void operator delete(void* p) noexcept { std::free(p); }
void operator delete(void* p, size_t) noexcept { std::free(p); }
void operator delete[](void* p) noexcept { std::free(p); }
void operator delete[](void* p, size_t) noexcept { std::free(p); }
void operator delete(void* p, std::align_val_t) noexcept { std::free(p); }
void operator delete(void* p, size_t, std::align_val_t) noexcept { std::free(p); }

namespace reel {
namespace {

// Something to do, and what it should give.
struct Step {
  std::string name;
  std::function<std::string()> run;
};

std::string Bits(const Tensor& t) {
  return {static_cast<const char*>(t.raw_data()), static_cast<size_t>(t.type().bytes())};
}

// A step of a small model: a product, a softmax, gradients, an update.
class Model {
 public:
  Model() {
    w_ = Variable(Full({6, 4}, 0.25), {.name = "w"});
    const Function f = Trace(
        [this](const Tensor& x) {
          GradientTape tape;
          const Tensor loss = ReduceSum(Square(Softmax(MatMul(x, w_), -1)));
          w_.AssignSub(0.1 * *tape.Gradient(loss, w_));
          return loss;
        },
        {Spec(kFloat32, {5, 6})});
    module_ = Module::Lift({{"main", f}});
    x_ = Full({5, 6}, 0.5);
  }
  Step Compiled() {
    return {"compile", [this] { return Bits(Compile(module_)("main", x_)[0]); }};
  }

 private:
  Variable w_;
  Module module_;
  Tensor x_;
};

// What it gave, or the text of an error that says that memory ran out; others are failures.
std::string Try(const Step& step, bool* failed) {
  *failed = true;
  try {
    std::string result = step.run();
    *failed = false;
    return result;
  } catch (const Error& e) {
    if (e.code() != ErrorCode::kResourceExhausted) return std::string("another error: ") + e.what();
  } catch (const std::bad_alloc&) {
  } catch (const std::exception& e) {
    return std::string("another exception: ") + e.what();
  }
  return "";
}

int64_t Count(const Step& step) {
  allocations = 0;
  step.run();
  return allocations;
}

// Allocations first, first + stride, ... (n of them) fail, one in each run; the status of a child.
int FailEach(const Step& step, const std::string& expected, int64_t first, int64_t stride, int64_t n) {
  for (int64_t i = 0; i < n; ++i) {
    bool failed = false;
    allocations = 0;
    failing = first + i * stride;
    std::string result = Try(step, &failed);
    failing = -1;
    const bool bad = failed ? !result.empty() : result != expected;
    if (bad) {
      std::fprintf(stderr, "%s: allocation %jd failed: %s\n", step.name.c_str(), intmax_t(first + i * stride),
                   failed ? result.c_str() : "the result is another");
      return 1;
    }
    if (i % 8 == 0 && step.run() != expected) {
      std::fprintf(stderr, "%s: after allocation %jd had failed the next call gave another result\n", step.name.c_str(),
                   intmax_t(first + i * stride));
      return 2;
    }
  }
  return 0;
}

// In a child: what a jump out of the compiler leaves behind goes with it.
int FailInChild(const Step& step, const std::string& expected, int64_t first, int64_t stride, int64_t n) {
  std::fflush(nullptr);
  const pid_t child = ::fork();
  if (child == 0) {
    ::alarm(600);
    ::_exit(FailEach(step, expected, first, stride, n));
  }
  int status = -1;
  if (child < 0 || ::waitpid(child, &status, 0) != child) return -1;
  return WIFSIGNALED(status) ? 1000 + WTERMSIG(status) : WEXITSTATUS(status);
}

TEST(Memory, EachAllocationOfLlvmFailsOnce) {
  constexpr int64_t kRuns = 150, kRunsOfChild = 50;
  const char* const every = std::getenv("REEL_FAIL_EVERY");
  Model model;
  const Step step = model.Compiled();
  const std::string expected = step.run();  // opens LLVM
  ::dl_iterate_phdr(FindLlvm, nullptr);
  ASSERT_NE(first, 0u) << "LLVM is not a library of this program";
  const int64_t count = std::max(Count(step), Count(step));
  EXPECT_GT(count, 1000);
  const int64_t stride = every ? std::max(1, std::atoi(every)) : std::max<int64_t>(1, count / kRuns);
  const int64_t runs = (count + stride - 1) / stride;
  for (int64_t i = 0; i < runs; i += kRunsOfChild) {
    const int64_t n = std::min(kRunsOfChild, runs - i);
    EXPECT_EQ(FailInChild(step, expected, i * stride, stride, n), 0)
        << "allocations " << i * stride << " to " << (i + n - 1) * stride << " by " << stride;
  }
  std::printf("%jd allocations, %jd failed\n", intmax_t(count), intmax_t(runs));
}

}  // namespace
}  // namespace reel
#endif  // REEL_NO_FAILING_ALLOCATOR
