#ifndef REEL_FRONTEND_KEY_H_
#define REEL_FRONTEND_KEY_H_

#include <cstdint>
#include <string>

#include "ir/attributes.h"
#include "ir/types.h"

namespace reel::internal {

/// Keys of caches. Each appends bytes that only an equal value appends, and that say where they end: what is appended one
/// after the other is equal only if all parts are.
void AppendKey(std::string* key, int64_t x);
void AppendKey(std::string* key, const Type& type);
void AppendKey(std::string* key, const ir::Attributes& attributes);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_KEY_H_
