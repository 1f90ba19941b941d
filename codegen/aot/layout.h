#ifndef REEL_CODEGEN_AOT_LAYOUT_H_
#define REEL_CODEGEN_AOT_LAYOUT_H_

#include <cstdint>
#include <span>
#include <string>

#include "codegen/program/code.h"

namespace reel::codegen {

/// What an object's levels share: its instances.
struct ObjectLayout {
  std::string levels;           ///< "x86-64-v3"; "x86-64-v2,x86-64-v3" of an object that chooses
  int64_t arena_bytes = 0;      ///< of the level that needs most
  int64_t instance_bytes = 0;   ///< of the level that needs most, and the place below
  int64_t level_offset = -1;    ///< where an instance has the number of its level, an int32; -1: there is one level
};

ObjectLayout LayoutOf(std::span<const TargetProgram> levels);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_AOT_LAYOUT_H_
