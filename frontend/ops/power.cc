#include "frontend/eager/dispatch.h"
#include "frontend/record/event_stream.h"
#include "frontend/values/location.h"
#include "frontend/values/promotion.h"
#include "frontend/values/status.h"
#include "frontend/values/tensor_data.h"
#include "ir/strings.h"
#include "reel/complex.h"
#include "reel/functions.h"
#include "reel/loops.h"
#include "reel/ops.h"
#include "reel/reductions.h"

// Powers: one op for floats, squarings for integers, which wrap as products do, log and exp for complex numbers.

namespace reel {

using internal::BroadcastTogether;
using internal::LocationScope;
using internal::Materialize;
using internal::TensorList;
using internal::ThrowInvalid;

namespace {

// e^(b log a); 0^0 = 1, other powers of 0 are 0.
Tensor ComplexPow(const Tensor& a, const Tensor& b) {
  const Tensor origin = Equal(a, 0.0);
  const Tensor power = Exp(Mul(b, Log(Where(origin, 1.0, a))));
  return Where(origin, Cast(Equal(b, 0.0), power.dtype()), power);
}

// A number as exponent: as many products as it has bits.
Tensor PowerOf(Tensor base, uint64_t n) {
  Tensor result = OnesLike(base);
  for (; n > 0; n >>= 1) {
    if ((n & 1) != 0) result = Mul(result, base);
    if (n > 1) base = Mul(base, base);
  }
  return result;
}

// A bit of the exponents in each round. Outside of recordings, which would freeze it, the number of rounds is that
// of the largest exponent.
Tensor PowersOf(const Tensor& a, const Tensor& b) {
  const bool is_signed = !IsUnsigned(b.dtype());
  const Tensor negative = Less(b, 0);
  // a^-n is 1 / a^n truncated: of -1, 0 and 1 what their powers are, else 0. The lowest bit is that of -n too.
  const Tensor small = LogicalOr(Equal(a, 1), Equal(Add(a, 1), 0));
  const Tensor base = is_signed ? Where(LogicalAnd(negative, LogicalNot(small)), 0, a) : a;
  const Tensor left = is_signed ? Where(negative, Sub(2, LogicalAnd(b, 1)), b) : b;
  const internal::ThreadState& thread = internal::State();
  const bool ends_early = thread.trace != nullptr || thread.sinks.empty();
  const auto pending = [&](const std::vector<Tensor>& loop) {
    return ends_early ? ReduceAny(NotEqual(loop[2], 0)) : Tensor(true);
  };
  const auto body = [](const std::vector<Tensor>& loop) -> std::vector<Tensor> {
    const Tensor &result = loop[0], &power = loop[1], &rest = loop[2];
    const Tensor odd = NotEqual(LogicalAnd(rest, 1), 0);
    return {Where(odd, Mul(result, power), result), Mul(power, power), ShiftRight(rest, 1)};
  };
  return WhileLoop(pending, body, {OnesLike(base), base, left}, {.maximum_iterations = 8 * SizeOf(b.dtype())})[0];
}

}  // namespace

Tensor Pow(const Operand& a, const Operand& b) {
  const LocationScope scope(a);
  if (IsInteger(a.type().dtype) && b.weak() && IsInteger(b.type().dtype)) {  // any exponent, whatever a can hold
    const auto n = b.tensor().item<int64_t>();
    if (n < 0 && !IsUnsigned(b.type().dtype))
      ThrowInvalid("pow: integers to negative powers are no integers; cast to a float dtype");
    return PowerOf(Materialize(a), static_cast<uint64_t>(n));
  }
  TensorList t = internal::Promote(ir::Op::kPow, {&a, &b});
  if (IsComplex(t[0].dtype())) return ComplexPow(t[0], t[1]);
  BroadcastTogether(ir::Op::kPow, absl::MakeSpan(t));
  return IsInteger(t[0].dtype()) ? PowersOf(t[0], t[1]) : internal::Dispatch(ir::Op::kPow, t);
}

}  // namespace reel
