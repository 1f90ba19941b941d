#ifndef REEL_IR_SUGGEST_H_
#define REEL_IR_SUGGEST_H_

#include <span>
#include <string>
#include <string_view>

namespace reel::ir {

/// Insertions, deletions, replacements and swaps of neighbours, of bytes, that make `a` of `b` where each place is
/// edited once (optimal string alignment); no distance above `most` is told from another: it is most + 1.
size_t EditDistance(std::string_view a, std::string_view b, size_t most);

/// What follows "there is no x": "; did you mean NAME?" with the nearest of the names, of which about one character in
/// three may be wrong, the first of equals; "" if there is none.
std::string DidYouMean(std::string_view wrong, std::span<const std::string> names);

}  // namespace reel::ir

#endif  // REEL_IR_SUGGEST_H_
