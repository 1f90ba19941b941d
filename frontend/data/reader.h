#ifndef REEL_FRONTEND_DATA_READER_H_
#define REEL_FRONTEND_DATA_READER_H_

#include <atomic>
#include <condition_variable>
#include <exception>
#include <memory>
#include <mutex>
#include <thread>
#include <vector>

#include "frontend/data/node.h"

namespace reel::internal {

/// An example, or what was thrown in its place.
struct MadeExample {
  Example example = {};
  std::exception_ptr error = {};
};
MadeExample MakeExample(const DatasetNode& node, int64_t epoch, int64_t i, FetchMemory* memory);

/// A thread that makes the examples of an epoch from a position on, and keeps some of them ready.
class Reader {
 public:
  /// Null where no thread may or can begin: the iterator makes its examples itself.
  static std::shared_ptr<Reader> Start(NodePtr node, int64_t epoch, int64_t position);
  /// The next example. Waits for it, and throws interrupts meanwhile.
  MadeExample Take();
  /// Ends soon; does not wait. What its thread is making is dropped.
  void Stop();
  /// True in a child: the thread is another process's.
  bool lost() const;

 private:
  friend class Readers;
  Reader(NodePtr node, int64_t epoch, int64_t position);
  void Main();

  NodePtr node_;  // until the thread ends
  const int64_t epoch_, first_;
  const int process_;
  std::atomic<bool> ended_ = false;  // the thread's last act
  std::mutex mutex_;
  std::condition_variable changed_;
  std::vector<MadeExample> ready_;  // a ring: the thread takes no memory while it has the lock
  size_t next_ = 0, num_ready_ = 0;
  bool stop_ = false;
  std::thread thread_;
  FetchMemory memory_;
};

/// Leaves a reader of another process alone for ever: its locks may be held, its thread does not exist.
void Abandon(std::shared_ptr<Reader> reader);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_DATA_READER_H_
