#ifndef REEL_FRONTEND_DATA_ITERATOR_H_
#define REEL_FRONTEND_DATA_ITERATOR_H_

#include <memory>
#include <mutex>

#include "frontend/data/node.h"
#include "frontend/keep/state.h"
#include "runtime/fork.h"

// A place in a pipeline, and the thread that reads ahead of it.

namespace reel::internal {

class Reader;

/// Which example is next; `version` counts the jumps.
struct Place {
  int64_t epoch = 0, position = 0, version = 0;
  friend bool operator==(const Place&, const Place&) = default;
};

struct DatasetIteratorData {
  DatasetIteratorData(NodePtr node_, int64_t epoch) : node(std::move(node_)), place_{.epoch = epoch} {}
  ~DatasetIteratorData();
  DatasetIteratorData(const DatasetIteratorData&) = delete;
  DatasetIteratorData& operator=(const DatasetIteratorData&) = delete;

  Place place() const {
    const std::lock_guard lock(place_mutex_);
    return place_;
  }
  /// Counts the example there as taken, unless somebody has jumped elsewhere meanwhile.
  void Advance(const Place& taken);
  /// Undoes Advance(): who asked for the example was interrupted.
  void PutBack(const Place& taken);
  void Jump(int64_t epoch, int64_t position);

  const NodePtr node;
  runtime::Mutex mutex;  // guards what follows; in a fork window while an example is made or waited for
  FetchMemory memory = {};  // of who fetches here
  std::shared_ptr<Reader> reader = {};  // null: no thread reads ahead
  Place reader_place = {};  // what it gives next

 private:
  mutable runtime::Mutex place_mutex_;  // held for moments, whatever other lock its owner has
  Place place_;
};

/// The entry of an iterator in a state: its place.
StateEntry EntryOf(const DatasetIterator& iterator);

/// Ends all threads that read ahead, and lets none begin: the process ends. Not with Python's lock.
void StopReaders();

}  // namespace reel::internal

#endif  // REEL_FRONTEND_DATA_ITERATOR_H_
