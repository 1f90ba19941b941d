#ifndef REEL_IR_PRINTABLE_H_
#define REEL_IR_PRINTABLE_H_

#include <string>
#include <string_view>

namespace reel::ir {

/// The one rule of what goes to a terminal: `text` with \xNN for each byte of what is not UTF-8, control characters
/// but newline and tab, line separators, and characters that are not seen or change the direction of others.
std::string Printable(std::string_view text);

/// Bytes at the start of `text` that may go to a terminal: a character, or 0.
size_t PrintableLength(std::string_view text);

/// "..." as JSON in ASCII: \uNNNN for all else, U+FFFD for what is not UTF-8.
std::string JsonQuoted(std::string_view text);

}  // namespace reel::ir

#endif  // REEL_IR_PRINTABLE_H_
