#include "tests/ops/engines.h"

namespace reel::optable {

bool HasControl(const ir::Module& module) {
  for (const auto& f : module.functions()) {
    for (const ir::Node& node : f->nodes()) {
      if (node.op == ir::Op::kIf || node.op == ir::Op::kWhile) return true;
    }
  }
  return false;
}

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
