#ifndef REEL_IR_FILE_CRC32C_H_
#define REEL_IR_FILE_CRC32C_H_

#include <cstdint>
#include <string_view>

namespace reel::ir {

/// CRC-32C (Castagnoli, RFC 3720) of bytes; of several pieces, if `crc` is that of the pieces before.
uint32_t Crc32c(std::string_view bytes, uint32_t crc = 0);

/// As TensorFlow's files store it: a CRC of bytes that hold their own CRCs says little, so it is rotated and a
/// constant added.
uint32_t MaskedCrc32c(uint32_t crc);

}  // namespace reel::ir

#endif  // REEL_IR_FILE_CRC32C_H_
