#include "codegen/program/arena.h"

#include <algorithm>
#include <iterator>

namespace reel::codegen {
namespace {

// What no budget allows: sums stay here rather than wrap. A buffer has at most twice as many bytes.
constexpr int64_t kMaxBytes = int64_t{1} << 61;

int64_t RoundUp(int64_t bytes) { return (std::max<int64_t>(bytes, 1) + 63) / 64 * 64; }

}  // namespace

int64_t Arena::Allocate(int64_t bytes) {
  bytes = RoundUp(bytes);
  live_ = std::min(live_ + bytes, kMaxBytes);
  peak_ = std::max(peak_, live_);
  const auto it = by_size_.lower_bound({bytes, 0});
  if (it == by_size_.end()) {
    const int64_t offset = size_;
    size_ = std::min(size_ + bytes, kMaxBytes);
    return offset;
  }
  const auto [have, offset] = *it;
  by_size_.erase(it);
  by_offset_.erase(offset);
  if (have > bytes) {
    by_offset_.emplace(offset + bytes, have - bytes);
    by_size_.emplace(have - bytes, offset + bytes);
  }
  return offset;
}

void Arena::Free(int64_t offset, int64_t bytes) {
  bytes = RoundUp(bytes);
  live_ = std::max<int64_t>(live_ - bytes, 0);
  if (offset + bytes >= kMaxBytes) return;  // where sums stopped
  auto next = by_offset_.lower_bound(offset);
  if (next != by_offset_.end() && offset + bytes == next->first) {
    bytes += next->second;
    by_size_.erase({next->second, next->first});
    next = by_offset_.erase(next);
  }
  if (next != by_offset_.begin()) {
    const auto before = std::prev(next);
    if (before->first + before->second == offset) {
      offset = before->first;
      bytes += before->second;
      by_size_.erase({before->second, before->first});
      by_offset_.erase(before);
    }
  }
  by_offset_[offset] = bytes;
  by_size_.emplace(bytes, offset);
}

}  // namespace reel::codegen
