#ifndef REEL_FRONTEND_AUTODIFF_CHECK_NUMERICS_H_
#define REEL_FRONTEND_AUTODIFF_CHECK_NUMERICS_H_

#include <atomic>
#include <string_view>
#include <vector>

#include "absl/types/span.h"
#include "ir/graph.h"
#include "passes/check_numerics.h"
#include "reel/debugging.h"
#include "reel/tensor.h"

namespace reel::internal {

/// What CheckNumerics set.
extern std::atomic<NumericsCheck> numerics_check;
inline bool ChecksNumerics() { return numerics_check.load(std::memory_order_relaxed) != NumericsCheck::kOff; }

/// Looks at what an eager op gave; throws where it is not finite.
void CheckNumericsOf(ir::Op op, absl::Span<const Tensor> operands, absl::Span<const Tensor> results);

/// Throws what a compiled entry point found, unless that is nothing.
void CheckNumericsFault(std::string_view entry, const std::vector<passes::NumericsSite>& sites, int64_t result);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_AUTODIFF_CHECK_NUMERICS_H_
