#ifndef REEL_IR_TEXT_BASE64_H_
#define REEL_IR_TEXT_BASE64_H_

#include <cstddef>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace reel::ir {

/// Appends RFC 4648 base64 with padding.
void AppendBase64(std::string* out, std::span<const std::byte> bytes);

/// Decodes exactly what AppendBase64 writes; false for anything else.
bool DecodeBase64(std::string_view text, std::vector<std::byte>* bytes);

}  // namespace reel::ir

#endif  // REEL_IR_TEXT_BASE64_H_
