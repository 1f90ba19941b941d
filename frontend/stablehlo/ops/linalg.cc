#include <limits>

#include "frontend/stablehlo/operators.h"
#include "ir/strings.h"

namespace reel::stablehlo {

// What is above the diagonal is the backend's, and how much of a matrix that is not positive definite is NaN: zeros
// here, and all of it.
HANDLER(Cholesky) {
  Emitter& e = c.e;
  const Shape& shape = c.type().shape;
  const Value x = e.Emit(c.said, c.x, c.type(), "lower = true");
  const int rank = shape.rank();
  const Type places{kInt32, shape};
  const Value above = e.Compare("GT", e.Iota(places, rank - 1), e.Iota(places, rank - 2));
  const Value lower = e.Select(above, e.FullLike(x, 0), x);
  const Value failed =
      e.Reduce(e.Compare("NE", lower, lower), e.Scalar(kBool, 0), {rank - 2, rank - 1}, "stablehlo.or");
  std::vector<int64_t> batch;
  for (int i = 0; i < rank - 2; ++i) batch.push_back(i);
  const Value none = e.Select(above, e.FullLike(x, 0), e.FullLike(x, std::numeric_limits<double>::quiet_NaN()));
  return {e.Select(e.Broadcast(failed, shape, batch), none, lower)};
}

HANDLER(TriangularSolve) {
  const auto text = [&](std::string_view name) { return c.attr_bool(name) ? "true" : "false"; };
  return {c.e.Emit(
      c.said, c.x, c.type(),
      StrCat("left_side = true, lower = ", text("lower"), ", unit_diagonal = ", text("unit_diagonal"),
             ", transpose_a = #stablehlo<transpose ", c.attr_bool("transpose") ? "TRANSPOSE" : "NO_TRANSPOSE", ">"))};
}

// The writer has put loops in its place.
HANDLER(Expanded) {
  NeedConstantShape(c, c.x[0].type.shape);
  Refuse(c, "was not written out as loops, which is a fault of Reel");
}

}  // namespace reel::stablehlo
