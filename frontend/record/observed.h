#ifndef REEL_FRONTEND_RECORD_OBSERVED_H_
#define REEL_FRONTEND_RECORD_OBSERVED_H_

#include "absl/types/span.h"
#include "reel/tensor.h"

// Whether somebody looks at the ops of this thread: what a binding to another language asks, too.

namespace reel::internal {

/// True while something on this thread records or traces.
bool Observed();
/// True inside of a trace.
bool InTrace();
/// True where derivatives of derivatives may be asked for: inside of a trace, or while two things record.
bool MayDifferentiateTwice();
/// Whether gradients of results of the trace in progress multiply by values of it, numbers included: behind a product,
/// exp or loop, but not behind sums, means, choices and gathers alone.
bool GradientsReadTrace(absl::Span<const Tensor> results);

}  // namespace reel::internal

#endif  // REEL_FRONTEND_RECORD_OBSERVED_H_
