#include "ir/suggest.h"

#include <algorithm>
#include <vector>

#include "ir/names.h"
#include "ir/strings.h"

namespace reel::ir {

size_t EditDistance(std::string_view a, std::string_view b, size_t most) {
  const size_t difference = a.size() > b.size() ? a.size() - b.size() : b.size() - a.size();
  if (difference > most) return most + 1;
  // Rows i - 2, i - 1 and i of the table of distances between the beginnings of both.
  std::vector<size_t> before(b.size() + 1), last(b.size() + 1), row(b.size() + 1);
  for (size_t j = 0; j <= b.size(); ++j) last[j] = j;
  for (size_t i = 1; i <= a.size(); ++i) {
    row[0] = i;
    for (size_t j = 1; j <= b.size(); ++j) {
      row[j] = std::min({last[j] + 1, row[j - 1] + 1, last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1)});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) row[j] = std::min(row[j], before[j - 2] + 1);
    }
    std::swap(before, last);
    std::swap(last, row);
  }
  return std::min(last[b.size()], most + 1);
}

std::string DidYouMean(std::string_view wrong, std::span<const std::string> names) {
  constexpr size_t kLongest = 200;  // the table of longer ones takes long, and nobody mistypes one
  if (wrong.empty() || wrong.size() > kLongest) return "";
  size_t nearest = std::max<size_t>(1, (wrong.size() + 1) / 3) + 1;
  const std::string* found = nullptr;
  for (const std::string& name : names) {
    if (name.empty() || name.size() > kLongest) continue;
    const size_t distance = EditDistance(wrong, name, nearest - 1);
    if (distance >= nearest || distance >= std::max(name.size(), wrong.size())) continue;
    nearest = distance;
    found = &name;
    if (nearest == 0) break;
  }
  return found ? StrCat("; did you mean ", Quoted(*found), "?") : "";
}

}  // namespace reel::ir
