#include <limits>

#include "frontend/stablehlo/import/context.h"
#include "ir/strings.h"
#include "reel/functions.h"

// Operations of one or two tensors that are several of Reel's.

namespace reel::stablehlo::reading {
namespace {

Tensor Number(const Tensor& like, int64_t value) {
  return BroadcastAlong(ScalarOf(like.dtype(), value), like.shape(), {});
}

Values ReadRoundAwayFromZero(const Context& c) {
  const Tensor &x = c.x(0), whole = Trunc(x);
  return {Where(GreaterEqual(Abs(x - whole), 0.5), whole + Sign(x), whole)};
}

// The sign fills what the logical shift leaves empty.
Values ReadShiftRightArithmetic(const Context& c) {
  const Tensor &x = c.x(0), &n = c.x(1);
  if (x.type() != n.type()) Malformed("its operands have two types");
  if (IsUnsigned(x.dtype())) return {ShiftRight(x, n)};
  return {Where(Less(x, Number(x, 0)), LogicalNot(ShiftRight(LogicalNot(x), n)), ShiftRight(x, n))};
}

// Bits that are set, of each byte's sums (Hacker's Delight 5-1), in u64.
Tensor CountBits(const Tensor& bits) {
  const auto number = [&](uint64_t value) { return Number(bits, static_cast<int64_t>(value)); };
  const Tensor pairs = bits - (ShiftRight(bits, number(1)) & number(0x5555555555555555));
  const Tensor fours =
      (pairs & number(0x3333333333333333)) + (ShiftRight(pairs, number(2)) & number(0x3333333333333333));
  const Tensor bytes = (fours + ShiftRight(fours, number(4))) & number(0x0F0F0F0F0F0F0F0F);
  return ShiftRight(Mul(bytes, number(0x0101010101010101)), number(56));
}

// The integer's bits without those that a wider signed one would have.
Tensor AsBits(const Tensor& x) {
  const auto width = static_cast<unsigned>(8 * SizeOf(x.dtype()));
  const Tensor wide = Cast(x, kInt64);
  const Tensor bits = x.dtype() == kUInt64 ? x : Bitcast(wide, kUInt64);
  if (width == 64) return bits;
  return bits & Number(bits, static_cast<int64_t>((uint64_t{1} << width) - 1));
}

Values ReadPopcnt(const Context& c) { return {Cast(CountBits(AsBits(c.x(0))), c.x(0).dtype())}; }

Values ReadCountLeadingZeros(const Context& c) {
  Tensor bits = AsBits(c.x(0));
  for (const int64_t shift : {1, 2, 4, 8, 16, 32}) bits = bits | ShiftRight(bits, Number(bits, shift));
  const Tensor width = Number(bits, 8 * SizeOf(c.x(0).dtype()));
  return {Cast(width - CountBits(bits), c.x(0).dtype())};
}

Values ReadIsPositiveInfinity(const Context& c) {
  return {Equal(c.x(0), BroadcastAlong(Tensor(Full({}, std::numeric_limits<double>::infinity(), c.x(0).dtype())),
                                       c.x(0).shape(), {}))};
}
Values ReadIsNegativeInfinity(const Context& c) {
  return {Equal(c.x(0), BroadcastAlong(Tensor(Full({}, -std::numeric_limits<double>::infinity(), c.x(0).dtype())),
                                       c.x(0).shape(), {}))};
}

// Through the narrower format, if Reel has it.
Values ReadReducePrecision(const Context& c) {
  const Tensor& x = c.x(0);
  std::string format = c.Word("format");
  if (format.empty()) format = StrCat("e", c.NeedInt("exponent_bits"), "m", c.NeedInt("mantissa_bits"));
  const DType dtype = x.dtype();
  const bool same = (dtype == kFloat64 && format == "e11m52") || (dtype == kFloat32 && format == "e8m23") ||
                    (dtype == kBFloat16 && format == "e8m7") || (dtype == kFloat16 && format == "e5m10");
  if (same) return {Identity(x)};
  if (format == "e8m7" && (dtype == kFloat32 || dtype == kFloat64)) return {Cast(Cast(x, kBFloat16), dtype)};
  if (format == "e5m10" && (dtype == kFloat32 || dtype == kFloat64)) return {Cast(Cast(x, kFloat16), dtype)};
  if (format == "e8m23" && dtype == kFloat64) return {Cast(Cast(x, kFloat32), dtype)};
  Refuse(StrCat("to ", format, " of ", Name(dtype), ": Reel has f16 (e5m10), bf16 (e8m7), f32 (e8m23) and f64"));
}

// Per-feature numbers along the feature axis.
Tensor AlongFeature(const Context& c, size_t i) {
  return BroadcastAlong(c.x(i), c.x(0).shape(), {c.NeedInt("feature_index")});
}

double Epsilon(const Context& c) {
  const Attribute* epsilon = c.op().Find("epsilon");
  if (!epsilon || epsilon->kind != Attribute::Kind::kFloat) Malformed("the attribute epsilon is missing");
  return epsilon->number;
}

Ints OtherAxes(const Context& c) {
  Ints axes;
  const int64_t feature = c.NeedInt("feature_index");
  if (feature < 0 || feature >= c.x(0).rank()) Malformed("feature_index is no axis");
  for (int64_t i = 0; i < c.x(0).rank(); ++i) {
    if (i != feature) axes.push_back(i);
  }
  return axes;
}

Tensor Epsilons(const Context& c, const Tensor& like) { return Full(like.shape(), Epsilon(c), like.dtype()); }

Values ReadBatchNormInference(const Context& c) {
  OtherAxes(c);
  const Tensor variance = AlongFeature(c, 4);
  const Tensor normal = Div(c.x(0) - AlongFeature(c, 3), Sqrt(variance + Epsilons(c, variance)));
  return {normal * AlongFeature(c, 1) + AlongFeature(c, 2)};
}

Values ReadBatchNormTraining(const Context& c) {
  const Ints axes = OtherAxes(c);
  const Ints feature{c.NeedInt("feature_index")};
  const Tensor mean = ReduceMean(c.x(0), axes);
  const Tensor centered = c.x(0) - BroadcastAlong(mean, c.x(0).shape(), feature);
  const Tensor variance = ReduceMean(centered * centered, axes);
  const Tensor deviation = BroadcastAlong(Sqrt(variance + Epsilons(c, variance)), c.x(0).shape(), feature);
  return {Div(centered, deviation) * AlongFeature(c, 1) + AlongFeature(c, 2), mean, variance};
}

// Operands: x, scale, mean, variance, gradient of the result; formulas of the specification.
Values ReadBatchNormGrad(const Context& c) {
  const Ints axes = OtherAxes(c);
  const Tensor &x = c.x(0), &dy = c.x(4), variance = AlongFeature(c, 3);
  double count = 1;
  for (const int64_t axis : axes) count *= static_cast<double>(x.shape().dim(static_cast<int>(axis)));
  const Tensor deviation = Sqrt(variance + Epsilons(c, variance)), centered = x - AlongFeature(c, 2);
  const Ints feature{c.NeedInt("feature_index")};
  const Tensor bias = ReduceSum(dy, axes), products = ReduceSum(dy * centered, axes);
  const Tensor inner = dy * Full(x.shape(), count, x.dtype()) - BroadcastAlong(bias, x.shape(), feature) -
                       Div(BroadcastAlong(products, x.shape(), feature) * centered, variance + Epsilons(c, variance));
  const Tensor dx = Div(Div(AlongFeature(c, 1), deviation) * inner, Full(x.shape(), count, x.dtype()));
  return {dx, ReduceSum(Div(dy * centered, deviation), axes), bias};
}

constexpr ImportRow kComposedRows[] = {
    {"stablehlo.batch_norm_grad", ReadBatchNormGrad},
    {"stablehlo.batch_norm_inference", ReadBatchNormInference},
    {"stablehlo.batch_norm_training", ReadBatchNormTraining},
    {"stablehlo.count_leading_zeros", ReadCountLeadingZeros},
    {"stablehlo.popcnt", ReadPopcnt},
    {"stablehlo.reduce_precision", ReadReducePrecision, "to formats that Reel has: e5m10, e8m7, e8m23"},
    {"stablehlo.round_nearest_afz", ReadRoundAwayFromZero},
    {"stablehlo.shift_right_arithmetic", ReadShiftRightArithmetic},
    {"chlo.is_neg_inf", ReadIsNegativeInfinity},
    {"chlo.is_pos_inf", ReadIsPositiveInfinity},
};

}  // namespace

absl::Span<const ImportRow> ComposedRows() { return kComposedRows; }

}  // namespace reel::stablehlo::reading
