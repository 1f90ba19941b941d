#include "passes/vectorize/rule.h"

namespace reel::passes {

// Rows of both are one more batch axis. Rows of one are one more free axis of it, the first, which
// is moved to the front: behind the batch axes, or behind those and the free ones of a.
BATCH(Contract) {
  using Ints = std::vector<int64_t>;
  const auto axes = [&](std::string_view name, int operand) {
    Ints out = c.ints(name);
    for (int64_t& axis : out) axis += c.batched(operand) ? 1 : 0;
    return out;
  };
  ir::Builder::ContractAxes all{axes("a_batch", 0), axes("b_batch", 1), axes("a_contract", 0), axes("b_contract", 1)};
  if (c.batched(0) && c.batched(1)) {
    all.a_batch.insert(all.a_batch.begin(), 0);
    all.b_batch.insert(all.b_batch.begin(), 0);
    return c.Set(0, b.Contract(c.in(0), c.in(1), all));
  }
  const auto batch = static_cast<int64_t>(all.a_batch.size());
  const int64_t free = c.x_type(0).shape.rank() - batch - static_cast<int64_t>(all.a_contract.size());
  const ir::Value y = b.Contract(c.in(0), c.in(1), all);
  if (y.valid()) c.Set(0, MoveAxis(b, y, c.batched(0) ? batch : batch + free, 0));
}

}  // namespace reel::passes
