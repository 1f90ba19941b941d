#include "passes/vectorize/rule.h"

namespace reel::passes {
namespace {

using Ints = std::vector<int64_t>;

// One entry per axis: the same with the rows' entry in front.
Ints InFront(int64_t first, Ints rest) {
  rest.insert(rest.begin(), first);
  return rest;
}

}  // namespace

SHARED(Constant)
SHARED(Iota)

BATCH(Reshape) { c.Set(0, b.Reshape(c.in(), WithRows(b, c.num_rows(), c.y_type().shape))); }

BATCH(Transpose) {
  Ints permutation = c.ints("permutation");
  for (int64_t& axis : permutation) ++axis;
  c.Set(0, b.Transpose(c.in(), InFront(0, std::move(permutation))));
}

BATCH(Slice) {
  c.Set(0, b.Slice(c.in(), InFront(0, c.ints("starts")), InFront(c.CountRows(), c.ints("limits")),
                   InFront(1, c.ints("strides"))));
}

BATCH(Broadcast) {
  Ints axes = c.ints("axes");
  for (int64_t& axis : axes) ++axis;
  const Shape shape = WithRows(b, c.num_rows(), c.y_type().shape);
  c.Set(0, b.Broadcast(c.in(), shape, InFront(0, std::move(axes))));
}

// A padding value per row is written over a padding of zeros.
BATCH(Pad) {
  const Ints &low = c.ints("low"), &high = c.ints("high"), &interior = c.ints("interior");
  const ir::Value zero = c.batched(1) ? b.Scalar(c.x_type().dtype, 0) : c.in(1), x = c.rows(0);
  const ir::Value padded = b.Pad(x, zero, InFront(0, low), InFront(0, high), InFront(0, interior));
  if (!c.batched(1)) return c.Set(0, padded);
  const ir::Value no = b.Zeros({kBool, c.x_type().shape}), yes = b.Scalar(kBool, 1);
  const ir::Value padding = Repeat(b, c.num_rows(), b.Pad(no, yes, low, high, interior));
  const Shape shape = b.shape(padded);
  c.Set(0, b.Select(padding, PerRow(b, c.in(1), shape), padded));
}

BATCH(Reverse) { c.Emit({c.in()}, c.Shifted({"axes"})); }

}  // namespace reel::passes
