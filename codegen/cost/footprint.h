#ifndef REEL_CODEGEN_COST_FOOTPRINT_H_
#define REEL_CODEGEN_COST_FOOTPRINT_H_

#include <cstdint>
#include <vector>

#include "codegen/target/target.h"

namespace reel::codegen {

/// One place in a kernel's code that reads or writes memory, in the loops around it.
struct MemoryAccess {
  struct Loop {
    int32_t id = -1;       ///< of the loop's statement: accesses of one loop have the same
    double trips = 1;      ///< iterations of a run
    double times = 1;      ///< iterations in all
    int64_t stride = 0;    ///< bytes from one iteration's element to the next one's; 0: the same element
    bool unknown = false;  ///< each iteration is somewhere else, nobody knows where
    bool mixed = false;    ///< an iteration has other loops, too
  };
  std::vector<Loop> loops;  ///< outermost first
  int32_t memory = 0;       ///< accesses of one buffer, or of one local, have the same
  int64_t element = 4;      ///< bytes
  double most = 0;          ///< bytes of the whole buffer; 0: unknown
  bool writes = false;      ///< its lines go both ways
  bool prefetched = false;  ///< the kernel asks for the buffer's lines early
  bool near = false;        ///< it is never further away than L2
  size_t body = 0;          ///< of whom the cycles are (loop_nest.h)

  /// Bytes of the cache lines that a run of the loops from `first` on touches.
  double Bytes(size_t first, int64_t line) const;
  /// The part of a cache's sets that they are in, of a cache whose sets are chosen by these low bits of an address:
  /// strides of large powers of two meet in few.
  double Sets(size_t first, int64_t line, int64_t set_bytes) const;
  /// Whether its lines are on their way before they are read: asked for, or neighbours of so many others.
  bool IsForeseen(int64_t line) const;
};

/// Cycles that an access waits for lines.
struct Traffic {
  double near = 0;  ///< of L2, while its loop is at work
  double far = 0;   ///< from beyond, the same
  double any = 0;   ///< of lines that are written, or asked for early: at any time
};

/// What each access waits for. As in the roofline model (Williams et al. 2009) with a level for each cache: what loops
/// touch in all decides what stays from one iteration of those around them to the next.
std::vector<Traffic> TrafficCycles(const std::vector<MemoryAccess>& accesses, const Machine& machine);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_COST_FOOTPRINT_H_
