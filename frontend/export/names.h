#ifndef REEL_FRONTEND_EXPORT_NAMES_H_
#define REEL_FRONTEND_EXPORT_NAMES_H_

#include <cstdint>
#include <string>
#include <string_view>

#include "ir/hash_map.h"

namespace reel::exports {

/// Gives names that are valid in a format and each given once: the wanted name where that is so.
class Names {
 public:
  using Allowed = bool (*)(char);
  /// Characters for which `allowed` is false become '_'; null: all are allowed.
  explicit Names(Allowed allowed = nullptr) : allowed_(allowed) {}

  /// The wanted name ("value" if it is empty), or that with the first "_1", "_2", ... which nobody has.
  std::string Unique(std::string_view wanted);

 private:
  Allowed allowed_;
  HashSet<std::string> taken_;
  HashMap<std::string, int64_t> last_;  // by name: the largest suffix that was given
};

}  // namespace reel::exports

#endif  // REEL_FRONTEND_EXPORT_NAMES_H_
