#include "ir/check.h"

#include <utility>

#include "ir/strings.h"

namespace reel::ir {

Attributes CheckIndexAttributes(std::string of, const Type& type, int64_t axis, bool labels) {
  return {{"axis", axis}, {"dtype", type.dtype}, {"labels", labels}, {"of", std::move(of)}, {"shape", type.shape}};
}

int64_t CheckedExtent(const Attributes& check) {
  return check.Get<Shape>("shape").dim(static_cast<int>(check.Get<int64_t>("axis")));
}

std::string IndexOutOfRangeText(const Attributes& check, int64_t index) {
  const auto& of = check.Get<std::string>("of");
  const int64_t extent = CheckedExtent(check);
  if (check.Get<bool>("labels")) return StrCat(of, ": label ", index, " is not one of ", extent, " classes");
  const Type type{check.Get<DType>("dtype"), check.Get<Shape>("shape")};
  return StrCat(of, ": index ", index, " is out of range for axis ", check.Get<int64_t>("axis"), " of ",
                type.ToString(), "; indices must be in [0, ", extent, ")");
}

Attributes CheckIntegerAttributes(std::string of, bool negative) {
  return {{"negative", negative}, {"of", std::move(of)}};
}

std::string IntegerRefusedText(const Attributes& check) {
  const auto& of = check.Get<std::string>("of");
  if (check.Get<bool>("negative")) {
    return StrCat("Integers to negative integer powers are not allowed [Op:", of, "]; cast them to a float");
  }
  return StrCat("Integer division by zero [Op:", of, "]; choose another divisor, with where");
}

}  // namespace reel::ir
