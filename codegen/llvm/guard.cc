#include "codegen/llvm/guard.h"

#include <setjmp.h>
#include <sys/mman.h>

#include <algorithm>
#include <atomic>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <mutex>
#include <new>
#include <string>

#include "codegen/llvm/ir_headers.h"
#include "ir/lazy.h"
#include "ir/strings.h"
#include "runtime/fork.h"

namespace reel::codegen {
namespace {

enum Way : int { kNone = 0, kNoMemory, kFatal };

/// Address space that counts as used and costs no memory.
class Reserve {
 public:
  explicit Reserve(size_t bytes)
      : bytes_(bytes), memory_(::mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)) {}
  ~Reserve() { GiveBack(); }
  Reserve(const Reserve&) = delete;
  Reserve& operator=(const Reserve&) = delete;

  bool held() const { return memory_ != MAP_FAILED; }
  void GiveBack() {
    if (held()) ::munmap(memory_, bytes_);
    memory_ = MAP_FAILED;
  }

 private:
  const size_t bytes_;
  void* memory_;
};

/// A thread's stay in LLVM.
struct Stay {
  explicit Stay(size_t bytes) : reserve(bytes) {}
  Reserve reserve;
  jmp_buf out;
  char reason[400] = "";
};
[[gnu::tls_model("initial-exec")]] thread_local constinit Stay* stay = nullptr;

[[noreturn]] void Leave(Way way) {
  stay->reserve.GiveBack();
  ::longjmp(stay->out, way);
}

// The handlers are the process's: threads that are not in LLVM get what they had.
constinit std::atomic<std::new_handler> handler_before{nullptr};

void OnNewFailed() {
  if (stay != nullptr) {
    if (!stay->reserve.held()) Leave(kNoMemory);
    stay->reserve.GiveBack();
    return;  // operator new tries again
  }
  const std::new_handler before = handler_before;
  if (before == nullptr) throw std::bad_alloc();
  before();
}

void OnMallocFailed(void*, const char*, bool) {
  if (stay != nullptr) Leave(kNoMemory);
  std::fputs("reel: LLVM has no memory\n", stderr);
  std::abort();  // somebody else's call of LLVM
}

void OnFatal(void*, const char* reason, bool) {
  if (stay == nullptr) return;  // LLVM ends the process
  std::snprintf(stay->reason, sizeof stay->reason, "%s", reason);
  Leave(kFatal);
}

/// Handlers are there while some thread is in LLVM.
class Handlers {
 public:
  void Enter() {
    const std::lock_guard lock(mutex_);
    if (!installed_) {
      llvm::install_bad_alloc_error_handler(OnMallocFailed);
      llvm::install_fatal_error_handler(OnFatal);
      installed_ = true;
    }
    if (threads_++ > 0) return;
    const std::new_handler before = std::set_new_handler(OnNewFailed);
    if (before != OnNewFailed) handler_before = before;
  }
  void Exit() noexcept {
    const std::lock_guard lock(mutex_);
    if (--threads_ == 0 && std::get_new_handler() == OnNewFailed) std::set_new_handler(handler_before);
  }

 private:
  runtime::Mutex mutex_;
  int threads_ = 0;
  bool installed_ = false;
};
Handlers& TheHandlers() {
  static constinit Lazy<Handlers> handlers;
  return handlers.Get();
}

absl::Status OutOfMemory() {
  return absl::ResourceExhaustedError("LLVM has no memory to compile; free some, or compile less at once");
}

absl::Status Call(absl::FunctionRef<absl::Status()> work) {
  try {
    return work();
  } catch (const std::bad_alloc&) {
    return OutOfMemory();
  } catch (const std::exception& e) {
    return absl::InternalError(StrCat("the compiler failed: ", e.what()));
  }
}

/// What Call returns; kNoMemory and kFatal if control left LLVM by a jump. A frame of its own, without objects.
[[gnu::noinline]] int Jumpable(absl::FunctionRef<absl::Status()> work, absl::Status* status) {
  const int way = ::_setjmp(stay->out);
  if (way == kNone) *status = Call(work);
  return way;
}

}  // namespace

absl::Status InLlvm(int64_t reserve, absl::FunctionRef<absl::Status()> work) {
  const runtime::NoFork no_fork;
  TheHandlers().Enter();
  Stay here(static_cast<size_t>(std::max(reserve, kMinReserve)));
  absl::Status status;
  int way = kNoMemory;
  if (here.reserve.held()) {
    stay = &here;
    way = Jumpable(work, &status);
    stay = nullptr;
  }
  here.reserve.GiveBack();
  TheHandlers().Exit();
  if (way == kNoMemory) return OutOfMemory();
  if (way == kFatal) return absl::InternalError(StrCat("LLVM failed: ", here.reason));
  return status;
}

absl::Status CheckLlvm() {
  runtime::LetFork();
  if (stay == nullptr || stay->reserve.held()) return absl::OkStatus();
  return OutOfMemory();
}

}  // namespace reel::codegen
