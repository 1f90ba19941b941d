#ifndef REEL_CODEGEN_CACHE_MAC_H_
#define REEL_CODEGEN_CACHE_MAC_H_

#include <array>
#include <cstdint>
#include <string>
#include <string_view>

namespace reel::codegen {

using Secret = std::array<uint64_t, 2>;

/// SipHash-2-4 with 128 bits of result, as 32 hexadecimal digits: who does not know the secret cannot make one.
std::string AuthenticationCode(const Secret& secret, std::string_view bytes);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_CACHE_MAC_H_
