#ifndef REEL_CODEGEN_PROGRAM_LIVENESS_H_
#define REEL_CODEGEN_PROGRAM_LIVENESS_H_

#include <optional>
#include <vector>

#include "codegen/program/block.h"

namespace reel::codegen {

using Places = std::vector<std::optional<Slot>>;  ///< by result; none: nobody reads it

/// Which values of a block are read, until when, and in whose place they had best be.
struct Liveness {
  /// `parameters`: where they live; `places`: where results must be in the end.
  Liveness(const Block& block, const std::vector<Slot>& parameters, const Places& places);

  bool IsResult(ir::Value v) const { return result_of[v.index()] >= 0; }
  bool IsRead(ir::Value v) const { return last_read[v.index()] >= 0 || IsResult(v); }

  // By value:
  std::vector<int32_t>
      last_read;  ///< item; a chain is one point in time, its end, and so are kernels beside each other; -1: none
  std::vector<int32_t> result_of;  ///< the result it is, -1: none
  std::vector<int32_t> wanted;     ///< the result in whose place it had best be, -1: none
  std::vector<bool> needed;        ///< by item: something reads what it writes
  std::vector<std::vector<ir::Value>> occupants;  ///< by result: parameters that live in its place
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_PROGRAM_LIVENESS_H_
