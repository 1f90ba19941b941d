#include "tests/ops/engines.h"

namespace reel::optable {

const std::vector<std::unique_ptr<Engine>>& AllEngines() {
  static const auto* engines = [] {
    auto* list = new std::vector<std::unique_ptr<Engine>>;
#define ENGINE(Name) list->push_back(Make##Name##Engine());
#include "tests/ops/engines.def"
#undef ENGINE
    return list;
  }();
  return *engines;
}

}  // namespace reel::optable
