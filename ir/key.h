#ifndef REEL_IR_KEY_H_
#define REEL_IR_KEY_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/attributes.h"
#include "ir/types.h"

namespace reel::ir {

// Keys of caches. Each appends bytes that only an equal value appends, and that say where they end: what is appended
// one after the other is equal only if all parts are. Floats are the same if their bits are.

/// One byte for small numbers of either sign, at most ten.
inline void AppendKey(std::string* key, int64_t x) {
  uint64_t rest = static_cast<uint64_t>(x) << 1 ^ static_cast<uint64_t>(x >> 63);
  for (; rest >= 0x80; rest >>= 7) key->push_back(static_cast<char>(rest | 0x80));
  key->push_back(static_cast<char>(rest));
}
/// With its length.
void AppendKey(std::string* key, std::string_view bytes);
void AppendKey(std::string* key, const Shape& shape);
void AppendKey(std::string* key, const Type& type);
void AppendKey(std::string* key, const Attributes& attributes);

}  // namespace reel::ir

#endif  // REEL_IR_KEY_H_
