#include "runtime/communicator.h"

#include <cstdio>
#include <cstring>
#include <utility>

namespace reel::runtime {
namespace {

constinit std::atomic<const reel_communicator*> of_process = nullptr;
[[gnu::tls_model("initial-exec")]] thread_local constinit const reel_communicator* of_scope = nullptr;

// Static memory: a failure is told where there may be none left.
struct ErrorText {
  char text[256];
};
[[gnu::tls_model("initial-exec")]] thread_local constinit ErrorText last_error = {};

}  // namespace

const reel_communicator* CurrentCommunicator() noexcept {
  return of_scope ? of_scope : of_process.load(std::memory_order_acquire);
}

bool IsMemberThread() noexcept { return of_scope != nullptr; }

void SetProcessCommunicator(const reel_communicator* communicator) noexcept {
  of_process.store(communicator, std::memory_order_release);
}

CommunicatorScope::CommunicatorScope(const reel_communicator* communicator) noexcept
    : outer_(std::exchange(of_scope, communicator)) {}
CommunicatorScope::~CommunicatorScope() { of_scope = outer_; }

void NoteCommunicationError(const char* text) noexcept {
  std::snprintf(last_error.text, sizeof last_error.text, "%s", text);
}

std::string TakeCommunicationError() {
  std::string text = last_error.text;
  last_error.text[0] = '\0';
  return text;
}

ThreadGroup::ThreadGroup(int64_t size) : members_(static_cast<size_t>(size)) {
  for (size_t i = 0; i < members_.size(); ++i) {
    Member& m = members_[i];
    m.group = this;
    m.communicator = {static_cast<int64_t>(i), size, &m, AllToAll, AllGather, Broadcast};
  }
}

void ThreadGroup::Abort(int64_t rank) noexcept {
  int64_t none = -1;
  ended_.compare_exchange_strong(none, rank, std::memory_order_acq_rel);
  round_.fetch_or(kAborted, std::memory_order_acq_rel);
  round_.notify_all();
}

// A round that all have come to counts, whoever ends after it.
bool ThreadGroup::Meet() noexcept {
  const uint64_t round = round_.load(std::memory_order_acquire);
  if (round & kAborted) return false;
  if (arrived_.fetch_add(1, std::memory_order_acq_rel) + 1 == static_cast<int64_t>(members_.size())) {
    arrived_.store(0, std::memory_order_relaxed);
    round_.fetch_add(1, std::memory_order_acq_rel);
    round_.notify_all();
    return true;
  }
  round_.wait(round, std::memory_order_acquire);
  return (round_.load(std::memory_order_acquire) & ~kAborted) != round;
}

int32_t ThreadGroup::Fail() const noexcept {
  char text[96];
  const int64_t size = static_cast<int64_t>(members_.size());
  std::snprintf(text, sizeof text, "member %lld of %lld has ended or failed",
                static_cast<long long>(ended_.load(std::memory_order_acquire)), static_cast<long long>(size));
  NoteCommunicationError(text);
  return REEL_COMMUNICATION_FAILED;
}

// Between two meetings all members read what the others send.
int32_t ThreadGroup::Take(Member* member, const Call& call, void* receive) {
  ThreadGroup& group = *member->group;
  member->call = call;
  if (!group.Meet()) return group.Fail();
  const auto bytes = static_cast<size_t>(call.bytes);
  const auto rank = static_cast<size_t>(member - group.members_.data());
  bool same = true;
  for (size_t i = 0; i < group.members_.size(); ++i) {
    const Call& other = group.members_[i].call;
    same = same && other == call;
    if (!same || bytes == 0) continue;
    const auto* from = static_cast<const char*>(other.send);
    if (call.kind == Kind::kBroadcast) {
      if (static_cast<int64_t>(i) == call.root && i != rank) std::memcpy(receive, from, bytes);
      continue;
    }
    const size_t offset = call.kind == Kind::kAllToAll ? rank * bytes : 0;
    std::memcpy(static_cast<char*>(receive) + i * bytes, from + offset, bytes);
  }
  if (!group.Meet()) return group.Fail();
  if (same) return REEL_OK;
  NoteCommunicationError("members called different collectives; all must run the same program in the same order");
  return REEL_COMMUNICATION_FAILED;
}

int32_t ThreadGroup::AllToAll(void* member, const void* send, void* receive, int64_t bytes) {
  return Take(static_cast<Member*>(member), {Kind::kAllToAll, bytes, 0, send}, receive);
}
int32_t ThreadGroup::AllGather(void* member, const void* send, void* receive, int64_t bytes) {
  return Take(static_cast<Member*>(member), {Kind::kAllGather, bytes, 0, send}, receive);
}
int32_t ThreadGroup::Broadcast(void* member, void* buffer, int64_t bytes, int64_t root) {
  return Take(static_cast<Member*>(member), {Kind::kBroadcast, bytes, root, buffer}, buffer);
}

}  // namespace reel::runtime
