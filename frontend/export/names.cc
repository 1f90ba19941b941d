#include "frontend/export/names.h"

#include "ir/strings.h"

namespace reel::exports {

std::string Names::Unique(std::string_view wanted) {
  std::string name(wanted.empty() ? "value" : wanted);
  for (char& c : name) {
    if (allowed_ && !allowed_(c)) c = '_';
  }
  if (taken_.insert(name).second) return name;
  int64_t& n = last_[name];
  while (true) {
    std::string next = StrCat(name, "_", ++n);
    if (taken_.insert(next).second) return next;
  }
}

}  // namespace reel::exports
