#ifndef REEL_IR_KEY_HASH_H_
#define REEL_IR_KEY_HASH_H_

#include <atomic>
#include <cstddef>

#include "absl/hash/hash.h"

namespace reel::ir {

/// Hashes the keys of tables in which equal things are found: nodes, kernels, functions asked for. It only says where
/// to look, == decides. Seeded anew in each process, so that no file can be made slow to look up.
struct KeyHash {
  template <typename T>
  size_t operator()(const T& key) const {
    return absl::HashOf(key) & mask.load(std::memory_order_relaxed);
  }
  /// For tests: the bits that are kept. With 0 all hashes are equal, and every result has to be what it was.
  static inline std::atomic<size_t> mask = ~size_t{0};
};

}  // namespace reel::ir

#endif  // REEL_IR_KEY_HASH_H_
