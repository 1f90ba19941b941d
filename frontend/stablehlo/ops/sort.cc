#include "frontend/stablehlo/operators.h"
#include "ir/strings.h"

namespace reel::stablehlo {

// Values with their places; NaN is the largest.
HANDLER(Argsort) {
  Emitter& e = c.e;
  const Value& x = c.x[0];
  const bool descending = c.attr_bool("descending");
  const int64_t axis = c.attr_int("axis");
  const DType dtype = x.type.dtype;
  const auto before = [&](const Values& v) -> Values {
    const Value &a = v[0], &b = v[1];
    const Value sooner = e.Compare(descending ? "GT" : "LT", a, b);
    if (!IsFloat(dtype)) return {sooner};
    const Value larger = descending ? a : b, other = descending ? b : a;
    return {e.Or(sooner, e.And(e.Compare("NE", larger, larger), e.Compare("EQ", other, other)))};
  };
  const Type places{kInt64, x.type.shape};
  const std::vector<Type> arguments{ScalarType(dtype), ScalarType(dtype), ScalarType(kInt64), ScalarType(kInt64)};
  return {c.e.EmitAll(c.said, {x, e.Iota(places, axis)}, {x.type, places},
                      StrCat("dimension = ", axis, " : i64, is_stable = true"), {{arguments, before}})[1]};
}

}  // namespace reel::stablehlo
