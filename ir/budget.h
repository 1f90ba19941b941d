#ifndef REEL_IR_BUDGET_H_
#define REEL_IR_BUDGET_H_

#include <cstdint>

namespace reel {

/// Limits on what loading and compiling untrusted input may cost. Exceeding one is ResourceExhausted.
struct Budget {
  int64_t max_ops = int64_t{1} << 24;      ///< nodes over all functions
  int64_t max_bytes = int64_t{2} << 30;    ///< bytes of input read
  int64_t max_memory = int64_t{8} << 30;   ///< bytes of tensors and arenas
  double max_seconds = 600;                ///< wall time, checked between steps of bounded size
};

}  // namespace reel

#endif  // REEL_IR_BUDGET_H_
