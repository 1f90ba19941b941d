#include "frontend/data/reader.h"

#include <pthread.h>
#include <signal.h>

#include <chrono>
#include <exception>
#include <list>
#include <new>
#include <utility>

#include "frontend/data/iterator.h"
#include "frontend/program/interrupt.h"

namespace reel::internal {
namespace {

std::atomic<int> fork_generation{0};  // of this process

}  // namespace

/// All readers whose threads may run. They end by themselves when told to, and are joined when the next one begins, or
/// when the process ends: nobody who drops an iterator waits, with whatever lock he has.
class Readers {
 public:
  bool Add(const std::shared_ptr<Reader>& reader) {
    const std::lock_guard lock(mutex_);
    if (closed_) return false;
    for (auto r = all_.begin(); r != all_.end();) {
      const bool ended = (*r)->ended_;
      if (ended) (*r)->thread_.join();
      r = ended ? all_.erase(r) : std::next(r);
    }
    all_.push_back(reader);
    // The thread inherits the mask: signals go to the user's threads.
    sigset_t every, before;
    sigfillset(&every);
    pthread_sigmask(SIG_SETMASK, &every, &before);
    bool begun = true;
    try {
      reader->thread_ = std::thread([reader] { reader->Main(); });
    } catch (const std::exception&) {  // no thread, or no memory for one
      all_.pop_back();
      begun = false;
    }
    pthread_sigmask(SIG_SETMASK, &before, nullptr);
    return begun;
  }

  void StopAll() {
    std::list<std::shared_ptr<Reader>> all;
    {
      const std::lock_guard lock(mutex_);
      closed_ = true;
      all.swap(all_);
    }
    for (const auto& reader : all) reader->Stop();
    for (const auto& reader : all) reader->thread_.join();
  }

 private:
  std::mutex mutex_;
  std::list<std::shared_ptr<Reader>> all_;
  bool closed_ = false;
};

namespace {

// Never destroyed: iterators may be dropped late.
union TheReaders {
  TheReaders() : readers() {}
  ~TheReaders() {}
  Readers readers;
};
TheReaders the_readers;

// A child has none of the threads.
struct ReadersHooks {
  ReadersHooks() {
    pthread_atfork(nullptr, nullptr, [] {
      ++fork_generation;
      ::new (&the_readers.readers) Readers;
    });
  }
  ~ReadersHooks() { the_readers.readers.StopAll(); }
};
const ReadersHooks readers_hooks;

}  // namespace

void StopReaders() { the_readers.readers.StopAll(); }

Reader::Reader(NodePtr node, int64_t epoch, int64_t position)
    : node_(std::move(node)),
      epoch_(epoch),
      first_(position),
      process_(fork_generation),
      ready_(static_cast<size_t>(node_->prefetch())) {}

std::shared_ptr<Reader> Reader::Start(NodePtr node, int64_t epoch, int64_t position) {
  std::shared_ptr<Reader> reader(new Reader(std::move(node), epoch, position));
  return the_readers.readers.Add(reader) ? reader : nullptr;
}

bool Reader::lost() const { return process_ != fork_generation; }

void Abandon(std::shared_ptr<Reader> reader) { new std::shared_ptr<Reader>(std::move(reader)); }

MadeExample MakeExample(const DatasetNode& node, int64_t epoch, int64_t i, FetchMemory* memory) {
  MadeExample made;
  try {
    made.example = node.Fetch(epoch, {&i, 1}, false, memory);
  } catch (...) {
    made.error = std::current_exception();
  }
  return made;
}

void Reader::Main() {
#ifdef __linux__
  pthread_setname_np(pthread_self(), "reel-data");
#endif
  for (int64_t i = first_; i < node_->size(); ++i) {
    MadeExample made = MakeExample(*node_, epoch_, i, &memory_);
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return stop_ || num_ready_ < ready_.size(); });
    if (stop_) break;
    ready_[(next_ + num_ready_++) % ready_.size()] = std::move(made);
    lock.unlock();
    changed_.notify_all();
  }
  node_ = nullptr;  // may be the last to hold the data
  ended_ = true;
}

MadeExample Reader::Take() {
  MadeExample made;
  {
    std::unique_lock lock(mutex_);
    const auto wanted = [&] { return num_ready_ > 0 || stop_; };
    while (!changed_.wait_for(lock, std::chrono::milliseconds(50), wanted)) {
      lock.unlock();
      CheckPending();
      lock.lock();
    }
    if (ready_.empty())
      throw Error(ErrorCode::kCancelled, "data: the thread that prefetches has ended with the process");
    made = std::exchange(ready_[next_], {});
    next_ = (next_ + 1) % ready_.size();
    --num_ready_;
  }
  changed_.notify_all();
  return made;
}

void Reader::Stop() {
  std::vector<MadeExample> dropped;  // without the lock: what goes may be Python's
  {
    const std::lock_guard lock(mutex_);
    stop_ = true;
    num_ready_ = 0;
    dropped.swap(ready_);
  }
  changed_.notify_all();
}

}  // namespace reel::internal
