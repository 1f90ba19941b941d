#include "frontend/stablehlo/import/syntax.h"

#include "ir/strings.h"
#include "reel/error.h"

namespace reel::stablehlo::reading {

std::string Text(const Place& place) { return StrCat(place.line, ":", place.column); }

void Wrong(const Place& place, std::string_view what) {
  throw Error(ErrorCode::kInvalidArgument, StrCat(Text(place), ": ", what));
}

const Attribute* Attribute::Find(std::string_view name) const {
  for (const auto& [field, value] : fields) {
    if (field == name) return &value;
  }
  return nullptr;
}

const Attribute* Operation::Find(std::string_view attribute) const {
  for (const auto& [name_of, value] : attributes) {
    if (name_of == attribute) return &value;
  }
  return nullptr;
}

const std::string* FindString(const Attributes& attributes, std::string_view name) {
  for (const auto& [key, value] : attributes) {
    if (key == name && value.kind == Attribute::Kind::kString) return &value.text;
  }
  return nullptr;
}

}  // namespace reel::stablehlo::reading
