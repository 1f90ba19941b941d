#include "codegen/aot/layout.h"

#include <algorithm>

#include "ir/strings.h"
#include "runtime/abi.h"

namespace reel::codegen {

ObjectLayout LayoutOf(std::span<const TargetProgram> levels) {
  ObjectLayout layout;
  for (const TargetProgram& level : levels) {
    StrAppend(&layout.levels, layout.levels.empty() ? "" : ",", level.target.level);
    layout.arena_bytes = std::max(layout.arena_bytes, level.program.arena_bytes);
    layout.instance_bytes = std::max(layout.instance_bytes, level.program.instance_bytes);
  }
  if (levels.size() > 1) {
    layout.level_offset = layout.instance_bytes;  // which is a whole number of cache lines
    layout.instance_bytes += REEL_INSTANCE_ALIGNMENT;
  }
  return layout;
}

}  // namespace reel::codegen
