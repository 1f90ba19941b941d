#ifndef REEL_IR_NAMES_H_
#define REEL_IR_NAMES_H_

#include <string>
#include <string_view>

namespace reel::ir {

inline constexpr size_t kMaxNameBytes = 4096;

/// True for names the text form prints without quotes: [A-Za-z_][A-Za-z0-9_.]*
bool IsIdentifier(std::string_view name);

/// True if a name may appear in a module: UTF-8 without control characters, at most kMaxNameBytes.
bool IsValidName(std::string_view name);

/// Appends "..." with \" \\ \n \t and \xNN for everything else that is not printable UTF-8, so the
/// result is safe on a terminal and reads back to the same bytes.
void AppendQuoted(std::string* out, std::string_view text);

/// The quoted text for an error message, shortened to a line; of a path, which somebody looks for, all of it.
std::string Quoted(std::string_view text, size_t longest = 60);
inline std::string QuotedPath(std::string_view path) { return Quoted(path, kMaxNameBytes); }

}  // namespace reel::ir

#endif  // REEL_IR_NAMES_H_
