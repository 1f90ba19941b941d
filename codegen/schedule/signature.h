#ifndef REEL_CODEGEN_SCHEDULE_SIGNATURE_H_
#define REEL_CODEGEN_SCHEDULE_SIGNATURE_H_

#include <string>
#include <vector>

#include "codegen/plan/plan.h"
#include "ir/graph.h"

namespace reel::codegen {

/// All that ScheduleKernel looks at. Kernels with equal words have equal loops, on the values at equal positions:
/// the layers of a deep net are scheduled once.
struct KernelSignature {
  std::vector<int64_t> words;
  std::vector<ir::Value> values;  ///< in the order of their appearance
  std::vector<size_t> addresses;  ///< words that are addresses of large constants

  /// A name for the same kernel in every process: 128 bits in hexadecimal digits, of all words but addresses.
  std::string Name() const;
};
KernelSignature SignatureOf(const ir::Function& f, const PlanGraph& plan, int index);

}  // namespace reel::codegen

#endif  // REEL_CODEGEN_SCHEDULE_SIGNATURE_H_
