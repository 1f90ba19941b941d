#ifndef REEL_CODEGEN_PROGRAM_ARENA_H_
#define REEL_CODEGEN_PROGRAM_ARENA_H_

#include <cstdint>
#include <map>
#include <set>

namespace reel::codegen {

/// Hands out 64-byte aligned offsets of one arena: best fit among freed blocks, else at the end.
class Arena {
 public:
  int64_t Allocate(int64_t bytes);
  void Free(int64_t offset, int64_t bytes);
  int64_t size() const { return size_; }        ///< bytes the arena must have
  int64_t live() const { return live_; }        ///< bytes in use
  int64_t peak_live() const { return peak_; }   ///< most bytes in use at once

 private:
  std::map<int64_t, int64_t> by_offset_;             // free blocks: offset -> bytes
  std::set<std::pair<int64_t, int64_t>> by_size_;    // bytes, offset
  int64_t size_ = 0, live_ = 0, peak_ = 0;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_ARENA_H_
