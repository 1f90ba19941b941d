#include "runtime/communicator.h"

#include <algorithm>
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
    m.communicator = {REEL_COMMUNICATOR_VERSION,
                      static_cast<int64_t>(i),
                      size,
                      &m,
                      AllToAll,
                      AllGather,
                      Broadcast,
                      StartAllToAll,
                      StartAllGather,
                      Wait};
  }
}

void ThreadGroup::Note() noexcept {
  changes_.fetch_add(1);
  changes_.notify_all();
}

// Nobody reads what it sends after this.
void ThreadGroup::Leave(Member* member) noexcept {
  member->gone = true;
  for (int64_t n = member->readers; n > 0; n = member->readers) member->readers.wait(n);
}

void ThreadGroup::Abort(int64_t rank) noexcept {
  if (static_cast<size_t>(rank) < members_.size()) Leave(&members_[static_cast<size_t>(rank)]);
  int64_t none = -1;
  ended_.compare_exchange_strong(none, rank);
  Note();
}

void ThreadGroup::NoteEnded(int64_t rank) const noexcept {
  char text[96];
  std::snprintf(text, sizeof text, "member %lld of %zu has ended or failed", static_cast<long long>(rank),
                members_.size());
  NoteCommunicationError(text);
}

int64_t ThreadGroup::Least(std::atomic<int64_t> Member::* count) const noexcept {
  int64_t least = INT64_MAX;
  for (const Member& m : members_) least = std::min(least, (m.*count).load());
  return least;
}

// All members have started it: what they send lies there until all have taken it.
bool ThreadGroup::Take(Member* member, int64_t number) noexcept {
  const auto slot = static_cast<size_t>(number % kMostUnderWay);
  const Call& call = member->calls[slot];
  const auto bytes = static_cast<size_t>(call.bytes);
  const auto rank = static_cast<size_t>(member - members_.data());
  for (const Member& m : members_) {
    if (m.calls[slot] == call) continue;
    NoteCommunicationError("members called different collectives; all must run the same program in the same order");
    return false;
  }
  for (size_t i = 0; i < members_.size(); ++i) {
    const bool broadcast = call.kind == Kind::kBroadcast;
    if (bytes == 0 || (broadcast && (static_cast<int64_t>(i) != call.root || i == rank))) continue;
    Member& other = members_[i];
    ++other.readers;
    const bool there = !other.gone;
    if (there) {
      const size_t from = call.kind == Kind::kAllToAll ? rank * bytes : 0, to = broadcast ? 0 : i * bytes;
      const char* const sent = static_cast<const char*>(other.calls[slot].send) + from;
      char* const place = static_cast<char*>(call.receive) + to;
      if (sent != place) std::memcpy(place, sent, bytes);
    }
    --other.readers;
    other.readers.notify_all();
    if (there) continue;
    NoteEnded(static_cast<int64_t>(i));
    return false;
  }
  return true;
}

bool ThreadGroup::TakeAll(Member* member) noexcept {
  const int64_t started = Least(&Member::started);
  for (int64_t n = member->taken; n < started; ++n) {
    if (!Take(member, n)) return false;
    member->taken = n + 1;
    Note();
  }
  return true;
}

// What all have taken counts, whoever ends after it.
int32_t ThreadGroup::WaitUntilTaken(Member* member, int64_t number) noexcept {
  for (;;) {
    const uint64_t before = changes_;
    const bool ended = ended_ >= 0;
    const bool all_there = TakeAll(member);
    if (all_there && Least(&Member::taken) > number) return REEL_OK;
    if (all_there && ended) NoteEnded(ended_);
    if (!all_there || ended) {
      Leave(member);
      return REEL_COMMUNICATION_FAILED;
    }
    changes_.wait(before);
  }
}

int32_t ThreadGroup::Start(void* of, const Call& call, int64_t* number) noexcept {
  auto* const member = static_cast<Member*>(of);
  *number = member->started;
  if (const int32_t code = member->group->WaitUntilTaken(member, *number - kMostUnderWay); code != REEL_OK) return code;
  member->calls[*number % kMostUnderWay] = call;
  ++member->started;
  member->group->Note();
  return REEL_OK;
}

int32_t ThreadGroup::Wait(void* of, int64_t number) {
  auto* const member = static_cast<Member*>(of);
  return member->group->WaitUntilTaken(member, number);
}

int32_t ThreadGroup::Do(void* member, const Call& call) noexcept {
  int64_t number = 0;
  const int32_t code = Start(member, call, &number);
  return code == REEL_OK ? Wait(member, number) : code;
}

int32_t ThreadGroup::AllToAll(void* member, const void* send, void* receive, int64_t bytes) {
  return Do(member, {Kind::kAllToAll, bytes, 0, send, receive});
}
int32_t ThreadGroup::AllGather(void* member, const void* send, void* receive, int64_t bytes) {
  return Do(member, {Kind::kAllGather, bytes, 0, send, receive});
}
int32_t ThreadGroup::Broadcast(void* member, void* buffer, int64_t bytes, int64_t root) {
  return Do(member, {Kind::kBroadcast, bytes, root, buffer, buffer});
}
int32_t ThreadGroup::StartAllToAll(void* member, const void* send, void* receive, int64_t bytes, int64_t* number) {
  return Start(member, {Kind::kAllToAll, bytes, 0, send, receive}, number);
}
int32_t ThreadGroup::StartAllGather(void* member, const void* send, void* receive, int64_t bytes, int64_t* number) {
  return Start(member, {Kind::kAllGather, bytes, 0, send, receive}, number);
}

}  // namespace reel::runtime
