#ifndef REEL_FRONTEND_RECORD_OBSERVED_H_
#define REEL_FRONTEND_RECORD_OBSERVED_H_

// Whether somebody looks at the ops of this thread: what a binding to another language asks, too.

namespace reel::internal {

/// True while something on this thread records or traces.
bool Observed();
/// True inside of a trace.
bool InTrace();

}  // namespace reel::internal

#endif  // REEL_FRONTEND_RECORD_OBSERVED_H_
