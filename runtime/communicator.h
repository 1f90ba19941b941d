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

// Threads of this process as members. Those that wait sleep. A member takes what others send itself, whenever it waits
// for anything: so they may wait in any order.
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
    void* receive = nullptr;
    friend bool operator==(const Call& a, const Call& b) {
      return a.kind == b.kind && a.bytes == b.bytes && a.root == b.root;
    }
  };
  static constexpr int64_t kMostUnderWay = 256;  // of a member; who starts more waits for the oldest first
  // Calls are numbered from 0, and call n is in calls[n % kMostUnderWay] until all have taken it.
  struct Member {
    ThreadGroup* group = nullptr;
    Call calls[kMostUnderWay];
    std::atomic<int64_t> started{0};  // calls
    std::atomic<int64_t> taken{0};    // calls from 0 on, all of which it has taken
    std::atomic<int64_t> readers{0};  // of what it sends
    std::atomic<bool> gone{false};    // what it sent may be there no more
    reel_communicator communicator = {};
  };
  static int32_t AllToAll(void* member, const void* send, void* receive, int64_t bytes);
  static int32_t AllGather(void* member, const void* send, void* receive, int64_t bytes);
  static int32_t Broadcast(void* member, void* buffer, int64_t bytes, int64_t root);
  static int32_t StartAllToAll(void* member, const void* send, void* receive, int64_t bytes, int64_t* number);
  static int32_t StartAllGather(void* member, const void* send, void* receive, int64_t bytes, int64_t* number);
  static int32_t Wait(void* member, int64_t number);
  static int32_t Start(void* member, const Call& call, int64_t* number) noexcept;
  static int32_t Do(void* member, const Call& call) noexcept;
  int64_t Least(std::atomic<int64_t> Member::* count) const noexcept;  // of all members
  int32_t WaitUntilTaken(Member* member, int64_t number) noexcept;  // by all
  bool TakeAll(Member* member) noexcept;  // what all have started; false: one is gone, or called something else
  bool Take(Member* member, int64_t number) noexcept;
  void Note() noexcept;  // something that others may wait for
  void Leave(Member* member) noexcept;
  void NoteEnded(int64_t rank) const noexcept;  // in the error of the call

  std::vector<Member> members_;
  std::atomic<uint64_t> changes_{0};
  std::atomic<int64_t> ended_{-1};  // the first member that has
};

}  // namespace reel::runtime

#endif  // REEL_RUNTIME_COMMUNICATOR_H_
