#ifndef REEL_PASSES_SHARD_BUCKETS_H_
#define REEL_PASSES_SHARD_BUCKETS_H_

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "ir/builder.h"

namespace reel::passes {

/// Messages of a group. What is small travels together, a bucket at a time: a message costs the time of many bytes.
/// Elements are combined one by one, so company changes no bits.
class Buckets {
 public:
  /// Buckets of so many bytes; what has half as many goes alone.
  Buckets(ir::Builder* b, int64_t members, int64_t bytes) : b_(b), members_(members), bytes_(bytes) {}

  using Set = std::function<void(ir::Value)>;
  /// `set` gets the sum or maximum of the members' x, at the latest in Flush.
  void AllReduce(const std::string& kind, ir::Value x, Set set) { Add({kReduce, kind}, x, std::move(set)); }
  /// `set` gets the member's own of as many equal parts of the sum along axis 0.
  void ReduceScatter(ir::Value x, Set set) { Add({kScatter, "sum"}, x, std::move(set)); }
  /// `set` gets the members' x one behind the other along axis 0.
  void AllGather(ir::Value x, Set set) { Add({kGather, ""}, x, std::move(set)); }

  /// Sends all that has been added.
  void Flush();

 private:
  enum Message { kReduce, kScatter, kGather };
  using Key = std::pair<Message, std::string>;
  struct Part {
    ir::Value x;
    Set set;
  };
  struct Bucket {
    int64_t bytes = 0;
    std::vector<Part> parts;
  };
  void Add(Key key, ir::Value x, Set set);
  void Send(const Key& key, const std::vector<Part>& parts);
  ir::Value Exchange(const Key& key, ir::Value x);
  Shape ResultOf(const Key& key, ir::Value x) const;

  ir::Builder* const b_;
  const int64_t members_, bytes_;
  std::map<std::pair<Key, DType>, Bucket> buckets_;
};

}  // namespace reel::passes

#endif  // REEL_PASSES_SHARD_BUCKETS_H_
