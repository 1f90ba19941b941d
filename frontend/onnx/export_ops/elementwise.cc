#include <cmath>

#include "frontend/onnx/export_node.h"
#include "frontend/onnx/writer.h"

// Arithmetic, bits, comparisons, conversions.

namespace reel::onnx {
namespace {

// Two operands of one type: one may stay thin, if the other has the whole shape.
std::pair<Val, Val> Pair(const Site& s, size_t first = 0) {
  bool whole[2];
  Val a = s.frame.Thin(s.node.operands[first], &whole[0]);
  const Val b = s.frame.Thin(s.node.operands[first + 1], &whole[1]);
  if (!whole[0] && !whole[1]) a = s.x(first);
  return {a, b};
}

void Alias(const Site& s) {
  bool whole;
  const Val x = s.frame.Thin(s.node.operands[0], &whole);
  if (whole) return s.Set(x);
  s.frame.SetThin(s.node.result(), x);
}

void Unary(const Site& s) { s.Set(s.w().Same(s.name, {s.x()})); }

void Binary(const Site& s) {
  const auto [a, b] = Pair(s);
  s.Set(s.w().Same(s.name, {a, b}));
}

// u64 has no wider carrier: the larger by comparison.
void Extreme(const Site& s) {
  if (s.result().dtype != kUInt64) return Binary(s);
  const auto [a, b] = Pair(s);
  s.Set(s.w().Where(s.w().Compare(s.name == "Max" ? "Greater" : "Less", a, b), a, b));
}

void Comparison(const Site& s) {
  const auto [a, b] = Pair(s);
  s.Set(s.w().Compare(s.name, a, b));
}

void Negate(const Site& s) {
  if (!IsUnsigned(s.result().dtype)) return Unary(s);
  s.Set(s.w().Same("Sub", {s.w().ScalarInt(s.result().dtype, 0), s.x()}));
}

void Absolute(const Site& s) {
  const DType dtype = s.result().dtype;
  if (IsFloat(dtype)) return Unary(s);
  const Val x = s.x(), zero = s.w().ScalarInt(dtype, 0);
  if (IsUnsigned(dtype)) return s.Set(x);
  s.Set(s.w().Where(s.w().Compare("Less", x, zero), s.w().Same("Sub", {zero, x}), x));
}

// x itself where it is neither above nor below 0.
void SignOf(const Site& s) {
  GraphWriter& w = s.w();
  const DType dtype = s.result().dtype;
  const Val x = s.x(), zero = w.Scalar(dtype, 0);
  Val sign = w.Where(w.Compare("Greater", x, zero), w.Scalar(dtype, 1), x);
  if (!IsUnsigned(dtype)) sign = w.Where(w.Compare("Less", x, zero), w.Scalar(dtype, -1), sign);
  s.Set(sign);
}

void Truncate(const Site& s) {
  GraphWriter& w = s.w();
  const Val x = s.x(), negative = w.Compare("Less", x, w.Scalar(x.dtype, 0));
  s.Set(w.Where(negative, w.Same("Ceil", {x}), w.Same("Floor", {x})));
}

void NotOf(const Site& s) {
  const DType dtype = s.result().dtype;
  if (dtype == kBool) return s.Set(s.w().One("Not", {s.x()}, kBool));
  // ~x = -1 - x, of unsigned numbers the largest less x.
  s.Set(s.w().Same("Sub", {s.w().ScalarInt(dtype, -1), s.x()}));
}

void Divide(const Site& s) {
  if (IsFloat(s.result().dtype)) return Binary(s);
  s.Set(DivideIntegers(s.w(), s.x(0), s.x(1)));
}

void Remainder(const Site& s) {
  GraphWriter& w = s.w();
  if (IsFloat(s.result().dtype)) {
    const auto [a, b] = Pair(s);
    return s.Set(w.Same("Mod", {a, b}, {Int("fmod", 1)}));
  }
  const Val a = s.x(0), b = s.x(1), zero = w.ScalarInt(b.dtype, 0);
  const Val rest = w.Same("Sub", {a, w.Same("Mul", {DivideIntegers(w, a, b), b})});
  s.Set(w.Where(w.Compare("Equal", b, zero), zero, rest));
}

DType Unsigned(DType dtype) {
  switch (SizeOf(dtype)) {
    case 1: return kUInt8;
    case 2: return kUInt16;
    case 4: return kUInt32;
    default: return kUInt64;
  }
}

// The bits of integers as bools, a new last axis, the highest first.
Val BitsOf(GraphWriter& w, const Val& x, const Val& places) {
  const Val bits = w.Unsqueeze(w.Cast(x, Unsigned(x.dtype)), {-1});
  const Val up = w.One("BitShift", {bits, places}, bits.dtype, {Text("direction", "LEFT")});
  return w.Cast(w.One("BitShift", {up, w.ScalarInt(bits.dtype, SizeOf(x.dtype) * 8 - 1)}, bits.dtype,
                      {Text("direction", "RIGHT")}),
                kBool);
}

// Of integers before opset 18: bit by bit.
Val Bitwise(GraphWriter& w, std::string_view op, const Val& a, const Val& b) {
  const int64_t width = SizeOf(a.dtype) * 8;
  std::vector<uint64_t> places;
  std::vector<int64_t> weights;
  for (int64_t k = 0; k < width; ++k) {
    places.push_back(static_cast<uint64_t>(k));
    weights.push_back(static_cast<int64_t>(uint64_t{1} << (width - 1 - k)));
  }
  const Val at = w.Cast(w.Constant(ir::Literal::From<uint64_t>({width}, places)), Unsigned(a.dtype));
  const Val bits = w.Cast(w.One(op, {BitsOf(w, a, at), BitsOf(w, b, at)}, kBool), kInt64);
  return w.Cast(w.One("MatMul", {bits, w.List(weights)}, kInt64), a.dtype);
}

void Logical(const Site& s) {
  const auto [a, b] = Pair(s);
  if (a.dtype == kBool) return s.Set(s.w().One(s.name, {a, b}, kBool));
  if (s.w().opset() < 18) return s.Set(Bitwise(s.w(), s.name, a, b));
  s.Set(s.w().Same("Bitwise" + std::string(s.name), {a, b}));
}

void Shift(const Site& s) {
  GraphWriter& w = s.w();
  const bool left = s.node.op == ir::Op::kShiftLeft;
  const Val a = s.x(0), b = s.x(1), zero = w.ScalarInt(b.dtype, 0);
  const DType bits = Unsigned(a.dtype);
  Val inside = w.Compare("Less", b, w.ScalarInt(b.dtype, SizeOf(a.dtype) * 8));
  if (!IsUnsigned(b.dtype)) inside = w.One("And", {inside, w.Compare("GreaterOrEqual", b, zero)}, kBool);
  const Val places = w.Cast(w.Where(inside, b, zero), bits);
  const Val moved = w.One("BitShift", {w.Cast(a, bits), places}, bits, {Text("direction", left ? "LEFT" : "RIGHT")});
  s.Set(w.Where(inside, w.Cast(moved, a.dtype), w.ScalarInt(a.dtype, 0)));
}

void SelectOf(const Site& s) {
  bool whole_condition;
  const Val condition = s.frame.Thin(s.node.operands[0], &whole_condition);
  if (whole_condition) {
    bool whole;
    const Val a = s.frame.Thin(s.node.operands[1], &whole), b = s.frame.Thin(s.node.operands[2], &whole);
    return s.Set(s.w().Where(condition, a, b));
  }
  const auto [a, b] = Pair(s, 1);
  s.Set(s.w().Where(condition, a, b));
}

// Floats to integers: toward zero, NaN 0, what is too large the largest. ONNX leaves these to the runtime.
Val Saturate(GraphWriter& w, const Val& x, DType dtype) {
  const DType real = x.dtype == kFloat64 || SizeOf(dtype) > 2 ? kFloat64 : kFloat32;
  const Val from = w.Cast(x, real);
  const bool is_unsigned = IsUnsigned(dtype);
  const double top = std::ldexp(1.0, static_cast<int>(SizeOf(dtype) * 8) - (is_unsigned ? 0 : 1));
  const double bottom = is_unsigned ? 0 : -top;
  const Val above = w.Compare("GreaterOrEqual", from, w.Scalar(real, top));
  const Val inside = w.One("And",
                           {w.Compare("Greater", from, w.Scalar(real, is_unsigned ? -1 : bottom)),
                            w.Compare("Less", from, w.Scalar(real, top))},
                           kBool);
  // Negative fractions become -0, which every integer has.
  const Val number = w.Cast(w.Where(inside, from, w.Scalar(real, 0)), dtype);
  const Val high = w.Where(above, w.ScalarInt(dtype, HighestInt(dtype)), number);
  if (is_unsigned) return high;
  return w.Where(w.Compare("LessOrEqual", from, w.Scalar(real, bottom)), w.ScalarInt(dtype, LowestInt(dtype)), high);
}

void Convert(const Site& s) {
  const Val x = s.x();
  const DType to = s.result().dtype;
  if (IsFloat(x.dtype) && IsInteger(to)) return s.Set(Saturate(s.w(), x, to));
  s.Set(s.w().Cast(x, to));
}

void Reinterpret(const Site& s) {
  const DType to = s.result().dtype;
  if (IsInteger(s.type().dtype) && IsInteger(to)) return s.Set(s.w().Cast(s.x(), to));
  if (s.type().dtype == to) return s.Set(s.x());
  s.Set(s.w().One("BitCast", {s.x()}, to, {Int("to", TypeNumber(to))}));
}

std::string WhyNoBitcast(const Asked& a) {
  const DType from = a.type().dtype, to = a.f.type(a.node.result()).dtype;
  if (from == to || (IsInteger(from) && IsInteger(to)) || a.opset >= 26) return "";
  return "BitCast between floats and integers is in ONNX since opset 26; write that or a newer one";
}

// clang-format off
constexpr ExportRow kRows[] = {
    {ir::Op::kIdentity, Alias, "", "the value itself"},
    {ir::Op::kStopGradient, Alias, "", "the value itself"},
    {ir::Op::kNeg, Negate, "Neg", "of unsigned integers 0 - x"},
    {ir::Op::kAbs, Absolute, "Abs"},
    {ir::Op::kSign, SignOf, "Where, Greater, Less"},
    {ir::Op::kFloor, Unary, "Floor"},
    {ir::Op::kCeil, Unary, "Ceil"},
    {ir::Op::kRound, Unary, "Round"},
    {ir::Op::kTrunc, Truncate, "Where, Ceil, Floor"},
    {ir::Op::kSqrt, Unary, "Sqrt"},
    {ir::Op::kNot, NotOf, "Not", "of integers -1 - x"},
    {ir::Op::kCast, Convert, "Cast", "floats to integers saturate, by comparisons around it"},
    {ir::Op::kBitcast, Reinterpret, "Cast, BitCast", "between floats and integers from opset 26", WhyNoBitcast},
    {ir::Op::kAdd, Binary, "Add"},
    {ir::Op::kSub, Binary, "Sub"},
    {ir::Op::kMul, Binary, "Mul"},
    {ir::Op::kDiv, Divide, "Div", "integers by 0 and -1 are chosen before"},
    {ir::Op::kRem, Remainder, "Mod", "of floats with fmod; integers as a - a / b * b"},
    {ir::Op::kMax, Extreme, "Max", "of -0 and +0 the runtime takes one"},
    {ir::Op::kMin, Extreme, "Min", "of -0 and +0 the runtime takes one"},
    {ir::Op::kAnd, Logical, "And", "of integers BitwiseAnd; before opset 18 bit by bit, which is slow"},
    {ir::Op::kOr, Logical, "Or", "of integers BitwiseOr; before opset 18 bit by bit, which is slow"},
    {ir::Op::kXor, Logical, "Xor", "of integers BitwiseXor; before opset 18 bit by bit, which is slow"},
    {ir::Op::kShiftLeft, Shift, "BitShift", "of unsigned integers of the same size"},
    {ir::Op::kShiftRight, Shift, "BitShift", "of unsigned integers of the same size"},
    {ir::Op::kEqual, Comparison, "Equal"},
    {ir::Op::kNotEqual, [](const Site& s) {
       const auto [a, b] = Pair(s);
       s.Set(s.w().One("Not", {s.w().Compare("Equal", a, b)}, kBool));
     }, "Equal, Not"},
    {ir::Op::kLess, Comparison, "Less"},
    {ir::Op::kLessEqual, Comparison, "LessOrEqual"},
    {ir::Op::kGreater, Comparison, "Greater"},
    {ir::Op::kGreaterEqual, Comparison, "GreaterOrEqual"},
    {ir::Op::kSelect, SelectOf, "Where"},
};
// clang-format on

}  // namespace

ExportRows ElementwiseExports() { return kRows; }

}  // namespace reel::onnx
