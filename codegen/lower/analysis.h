#ifndef REEL_CODEGEN_LOWER_ANALYSIS_H_
#define REEL_CODEGEN_LOWER_ANALYSIS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "absl/container/inlined_vector.h"
#include "codegen/loop/loop.h"
#include "ir/hash_map.h"

// What the emitter asks about a kernel before it emits: on what expressions depend, what loops
// write.

namespace reel::codegen {

/// Sorted sets of small numbers.
using IdSet = absl::InlinedVector<int32_t, 4>;
void Insert(IdSet* set, int32_t id);
void Insert(IdSet* set, const IdSet& ids);
bool Has(const IdSet& set, int32_t id);
bool Intersect(const IdSet& a, const IdSet& b);

/// What the value of an expression depends on, operands included.
struct Dependencies {
  IdSet axes;
  IdSet locals;   ///< locals it reads
  IdSet buffers;  ///< buffers it reads that the kernel writes
};

/// What the statements of a loop write, inner loops included.
struct Writes {
  IdSet locals;
  IdSet buffers;
};

struct Analysis {
  explicit Analysis(const Kernel& kernel);

  std::vector<Dependencies> exprs;                 ///< by ExprId
  HashMap<const Stmt*, Writes> loops;  ///< by loop statement
  std::vector<int64_t> extents;                    ///< by AxisId: largest extent of its loops
  int64_t max_width = 1;                           ///< of all vector loops

  /// Smallest and largest value of an affine expression over all iterations.
  std::pair<int64_t, int64_t> Range(const Affine& affine) const;
};

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_LOWER_ANALYSIS_H_
