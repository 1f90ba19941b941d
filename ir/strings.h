#ifndef REEL_IR_STRINGS_H_
#define REEL_IR_STRINGS_H_

#include <charconv>
#include <concepts>
#include <string>
#include <string_view>

// Concatenation over std::string_view. Debian's Abseil is built for C++14, so absl::StrCat takes only
// Abseil's own string_view type; this keeps one string type in Reel.

namespace reel {

inline void AppendPart(std::string* out, std::string_view part) { out->append(part); }
inline void AppendPart(std::string* out, char part) { out->push_back(part); }
template <typename T>
  requires std::integral<T> || std::floating_point<T>
void AppendPart(std::string* out, T part) {
  char buffer[40];
  const auto end = std::to_chars(buffer, buffer + sizeof buffer, part).ptr;
  out->append(buffer, end);
}
template <typename T>  // absl::string_view
  requires requires(const T& t) {
    t.data();
    t.size();
  } && (!std::convertible_to<T, std::string_view>)
void AppendPart(std::string* out, const T& part) {
  out->append(part.data(), part.size());
}

/// Appends strings, characters, and numbers (floats in their shortest exact form).
template <typename... Parts>
void StrAppend(std::string* out, const Parts&... parts) {
  (AppendPart(out, parts), ...);
}

/// The parts as one string.
template <typename... Parts>
std::string StrCat(const Parts&... parts) {
  std::string out;
  StrAppend(&out, parts...);
  return out;
}

}  // namespace reel

#endif  // REEL_IR_STRINGS_H_
