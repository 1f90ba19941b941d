// The group of processes or threads that collectives of compiled code talk to (reel_communicator, runtime/abi.h).
#ifndef REEL_RUNTIME_COMMUNICATOR_H_
#define REEL_RUNTIME_COMMUNICATOR_H_

#include <atomic>
#include <cstdint>
#include <string>
#include <vector>

#include "runtime/abi.h"

namespace reel::runtime {

// What runs of this thread talk to: the communicator of the innermost scope, else that of the process; null: alone.
const reel_communicator* CurrentCommunicator() noexcept;
// Whether this thread is a member by itself: other threads of the process may be others.
bool IsMemberThread() noexcept;
// Of all threads without a scope; it must live until the process ends, or null.
void SetProcessCommunicator(const reel_communicator* communicator) noexcept;

class CommunicatorScope {
 public:
  explicit CommunicatorScope(const reel_communicator* communicator) noexcept;
  ~CommunicatorScope();
  CommunicatorScope(const CommunicatorScope&) = delete;
  CommunicatorScope& operator=(const CommunicatorScope&) = delete;

 private:
  const reel_communicator* const outer_;
};

// Why a collective of this thread has failed, for the error of the call; empty: unknown. Asked once.
void NoteCommunicationError(const char* text) noexcept;
std::string TakeCommunicationError();

// Threads of this process as members. Those that wait sleep.
class ThreadGroup {
 public:
  // Throws std::bad_alloc. `size` is at least 1.
  explicit ThreadGroup(int64_t size);
  ThreadGroup(const ThreadGroup&) = delete;
  ThreadGroup& operator=(const ThreadGroup&) = delete;

  // For member `rank`, one thread at a time; lives as long as the group.
  const reel_communicator* member(int64_t rank) const { return &members_[static_cast<size_t>(rank)].communicator; }
  // A member has ended or failed: collectives of all members fail from now on.
  void Abort(int64_t rank) noexcept;

 private:
  enum class Kind : int64_t { kAllToAll, kAllGather, kBroadcast };
  struct Call {
    Kind kind = Kind::kAllToAll;
    int64_t bytes = 0, root = 0;
    const void* send = nullptr;
    friend bool operator==(const Call& a, const Call& b) {
      return a.kind == b.kind && a.bytes == b.bytes && a.root == b.root;
    }
  };
  struct Member {
    ThreadGroup* group = nullptr;
    Call call;  // what it takes part in
    reel_communicator communicator = {};
  };
  static int32_t AllToAll(void* member, const void* send, void* receive, int64_t bytes);
  static int32_t AllGather(void* member, const void* send, void* receive, int64_t bytes);
  static int32_t Broadcast(void* member, void* buffer, int64_t bytes, int64_t root);
  static int32_t Take(Member* member, const Call& call, void* receive);
  bool Meet() noexcept;  // waits for all members; false: one has ended
  int32_t Fail() const noexcept;

  static constexpr uint64_t kAborted = uint64_t{1} << 63;  // beside the number of the round

  std::vector<Member> members_;
  std::atomic<int64_t> arrived_{0};
  std::atomic<uint64_t> round_{0};
  std::atomic<int64_t> ended_{-1};  // the first member that has
};

}  // namespace reel::runtime

#endif  // REEL_RUNTIME_COMMUNICATOR_H_
