#ifndef REEL_LOOPS_H_
#define REEL_LOOPS_H_

#include <cstdint>
#include <functional>
#include <utility>
#include <vector>

#include "reel/ops.h"

// Loops with a known shape, made of Cond and WhileLoop. Eager: plain C++ loops. In a trace: one
// `while`, whatever the number of iterations, with a gradient that needs no bound.

namespace reel {

/// values = body(i, values) for i = 0, 1, ... n - 1, an i64 scalar. n may be computed in a trace:
/// with options.maximum_iterations its gradient saves every step, else it saves 64 and runs again.
std::vector<Tensor> ForLoop(const Operand& n,
                            const std::function<std::vector<Tensor>(const Tensor& i, const std::vector<Tensor>&)>& body,
                            const std::vector<Tensor>& values, WhileOptions options = {});
/// The same for one loop variable.
Tensor ForLoop(const Operand& n, const std::function<Tensor(const Tensor& i, const Tensor& value)>& body,
               const Tensor& value, WhileOptions options = {});

/// What a step of a scan returns, and a scan itself: then ys have a leading axis, one row a step.
struct ScanStep {
  std::vector<Tensor> carry, ys;
};
/// Options of Scan.
struct ScanOptions {
  bool reverse = false;  ///< from the last row to the first; rows of ys keep their places
  int64_t length = -1;   ///< steps, needed only without xs
};
/// (carry, ys[t]) = step(carry, {x[t] of each x in xs}) for each row t of the leading axis, which
/// all xs share. Without rows the carry is returned, and ys without rows: the step is traced, not
/// run, for their types.
///
///   auto [h, hs] = Scan(cell, {h0}, {inputs});   // inputs: [time, batch, features]
ScanStep Scan(const std::function<ScanStep(const std::vector<Tensor>& carry, const std::vector<Tensor>& x)>& step,
              const std::vector<Tensor>& carry, const std::vector<Tensor>& xs, ScanOptions options = {});

/// fn of each row, stacked: a scan that carries nothing.
Tensor Map(const std::function<Tensor(const Tensor& x)>& fn, const Operand& xs);
/// fn(... fn(fn(start, xs[0]), xs[1]) ..., xs[n - 1])
Tensor FoldL(const std::function<Tensor(const Tensor& value, const Tensor& x)>& fn, const Tensor& start,
             const Operand& xs);
/// The same from the last row to the first.
Tensor FoldR(const std::function<Tensor(const Tensor& value, const Tensor& x)>& fn, const Tensor& start,
             const Operand& xs);

/// branches[index](); an index out of range calls the last one. index: an i32 or i64 scalar. All
/// branches return the same types.
std::vector<Tensor> SwitchCase(const Operand& index, const std::vector<std::function<std::vector<Tensor>()>>& branches);
/// The second of the first pair whose bool scalar is true, called; otherwise() if none is.
std::vector<Tensor> Case(const std::vector<std::pair<Tensor, std::function<std::vector<Tensor>()>>>& branches,
                         const std::function<std::vector<Tensor>()>& otherwise);

}  // namespace reel

#endif  // REEL_LOOPS_H_
