#include "ir/attributes.h"

#include <algorithm>

namespace reel::ir {

Attributes::Attributes(std::initializer_list<std::pair<std::string_view, AttrValue>> entries) {
  for (const auto& [name, value] : entries) Set(name, value);
}

void Attributes::Set(std::string_view name, AttrValue value) {
  auto at = std::lower_bound(entries_.begin(), entries_.end(), name,
                             [](const auto& e, std::string_view n) { return e.first < n; });
  if (at != entries_.end() && at->first == name) {
    at->second = std::move(value);
  } else {
    entries_.insert(at, {std::string(name), std::move(value)});
  }
}

const AttrValue* Attributes::Find(std::string_view name) const {
  for (const auto& [key, value] : entries_) {
    if (key == name) return &value;
  }
  return nullptr;
}

}  // namespace reel::ir
