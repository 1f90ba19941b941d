#ifndef REEL_TESTS_EQUAL_HASHES_H_
#define REEL_TESTS_EQUAL_HASHES_H_

#include "ir/key_hash.h"

namespace reel {

/// While it lives all keys of tables have one hash: what the tables find is found by comparing.
class EqualHashes {
 public:
  EqualHashes() { ir::KeyHash::mask = 0; }
  ~EqualHashes() { ir::KeyHash::mask = ~size_t{0}; }
  EqualHashes(const EqualHashes&) = delete;
  EqualHashes& operator=(const EqualHashes&) = delete;
};

}  // namespace reel

#endif  // REEL_TESTS_EQUAL_HASHES_H_
