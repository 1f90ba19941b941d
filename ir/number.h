#ifndef REEL_IR_NUMBER_H_
#define REEL_IR_NUMBER_H_

#include <charconv>
#include <string_view>
#include <system_error>

namespace reel::ir {

/// The number that the whole text is; false if it is none, has more behind it, or does not fit into T.
template <typename T>
[[nodiscard]] bool ParseNumber(std::string_view text, T* number) {
  const char* const end = text.data() + text.size();
  const auto [last, error] = std::from_chars(text.data(), end, *number);
  return error == std::errc() && last == end;
}

}  // namespace reel::ir

#endif  // REEL_IR_NUMBER_H_
