#include "frontend/onnx/small.h"

#include <cmath>
#include <limits>

#include "frontend/onnx/node.h"
#include "frontend/onnx/ops/common.h"
#include "ir/half.h"
#include "ir/strings.h"
#include "reel/functions.h"

namespace reel::onnx {
namespace {

// float8e8m0, the powers of two, has a positive least value.
constexpr SmallType kTypes[] = {
    {17, "float8e4m3fn", kFloat16, 8, 3, -6, -448, 448},
    {18, "float8e4m3fnuz", kFloat16, 8, 3, -7, -240, 240, false, true},
    {19, "float8e5m2", kFloat16, 8, 2, -14, -57344, 57344, true},
    {20, "float8e5m2fnuz", kFloat16, 8, 2, -15, -57344, 57344, false, true},
    {21, "uint4", kUInt8, 4, 0, 0, 0, 15},
    {22, "int4", kInt8, 4, 0, 0, -8, 7},
    {23, "float4e2m1", kFloat16, 4, 1, 0, -6, 6},
    {24, "float8e8m0", kFloat32, 8, 0, -127, 0x1p-127, 0x1p127},
    {25, "uint2", kUInt8, 2, 0, 0, 0, 3},
    {26, "int2", kInt8, 2, 0, 0, -2, 1},
};

constexpr double kNan = std::numeric_limits<double>::quiet_NaN();

// The value of an element's bits.
double Decode(const SmallType& t, unsigned bits) {
  if (t.carrier == kUInt8) return bits;
  const unsigned sign = bits >> (t.bits - 1);
  if (t.carrier == kInt8) return static_cast<double>(bits) - (sign ? std::ldexp(1.0, t.bits) : 0);
  if (t.power_of_two()) return bits == 255 ? kNan : std::ldexp(1.0, static_cast<int>(bits) - 127);
  const unsigned mantissa = bits & ((1u << t.mantissa) - 1), magnitude = bits & ((1u << (t.bits - 1)) - 1);
  const unsigned exponent = magnitude >> t.mantissa;
  if (t.one_nan && sign && magnitude == 0) return kNan;
  double value = std::ldexp(static_cast<double>(mantissa), t.least - t.mantissa);
  if (exponent > 0) {
    value = std::ldexp(1 + std::ldexp(static_cast<double>(mantissa), -t.mantissa),
                       static_cast<int>(exponent) - 1 + t.least);
  }
  if (value > t.high) value = t.infinite && mantissa == 0 ? std::numeric_limits<double>::infinity() : kNan;
  return sign ? -value : value;
}

template <typename T>
void Append(T value, std::vector<std::byte>* out) {
  const auto* first = reinterpret_cast<const std::byte*>(&value);
  out->insert(out->end(), first, first + sizeof value);
}

Tensor RoundInteger(const SmallType& t, const Tensor& x, const RoundOptions& options) {
  if (!options.wrap) return Cast(Minimum(Maximum(x, ScalarLike(x, t.low)), ScalarLike(x, t.high)), t.carrier);
  const double count = t.high - t.low + 1;
  const Tensor whole = Cast(x, kInt32);
  return Cast(Mod(whole - static_cast<int32_t>(t.low), static_cast<int32_t>(count)) + static_cast<int32_t>(t.low),
              t.carrier);
}

// The bits of an f32 without its sign.
Tensor Magnitude(const Tensor& x) { return Bitcast(Abs(x), kInt32); }
constexpr int32_t kFractionBits = 23, kFraction = (1 << kFractionBits) - 1;

Tensor RoundPower(const SmallType& t, const Tensor& x, const RoundOptions& options) {
  const Tensor bits = Magnitude(x), fraction = bits & kFraction;
  Tensor exponent = ShiftRight(bits, kFractionBits);
  if (options.mode == "up")
    exponent = exponent + Cast(fraction > 0, kInt32);
  else if (options.mode == "nearest")
    exponent = exponent + Cast(fraction >= (kFraction + 1) / 2, kInt32);
  else if (options.mode != "down")
    Wrong(StrCat("round_mode ", options.mode, "; it must be up, down or nearest"));
  const Tensor power = Bitcast(ShiftLeft(exponent, kFractionBits), kFloat32);
  const Tensor ends = options.saturate ? Minimum(power, ScalarLike(power, t.high))
                                       : Where(power > ScalarLike(power, t.high), ScalarLike(power, kNan), power);
  const Tensor y = Maximum(ends, ScalarLike(power, t.low));
  return Where(IsNan(x), ScalarLike(y, kNan), y);
}

Tensor RoundFloat(const SmallType& t, const Tensor& x, const RoundOptions& options) {
  const Tensor exponent = Maximum(ShiftRight(Magnitude(x), kFractionBits) - 127, static_cast<int32_t>(t.least));
  const Tensor unit = Bitcast(ShiftLeft(exponent - static_cast<int32_t>(t.mantissa) + 127, kFractionBits), kFloat32);
  const Tensor y = Round(x / unit) * unit;
  const Tensor high = ScalarLike(y, t.high), beyond = Abs(y) > high;
  // Floats of 4 bits have nothing but finite values.
  const bool finite = t.bits < 8;
  Tensor end = Copysign(high, x);
  if (!options.saturate && !finite) end = t.infinite ? Copysign(ScalarLike(y, INFINITY), x) : ScalarLike(y, kNan);
  const Tensor out = Where(LogicalOr(beyond, IsInf(x)), end, y);
  return Cast(Where(IsNan(x), finite ? ScalarLike(x, 0) : x, out), t.carrier);
}

}  // namespace

const SmallType* FindSmall(int64_t number) {
  for (const SmallType& type : kTypes) {
    if (type.number == number) return &type;
  }
  return nullptr;
}

int64_t PackedBytes(const SmallType& type, int64_t count) {
  const int64_t in_byte = 8 / type.bits;
  return count / in_byte + (count % in_byte != 0 ? 1 : 0);
}

ir::Literal Unpack(const SmallType& type, const Shape& shape, std::span<const std::byte> packed) {
  const int64_t in_byte = 8 / type.bits;
  std::vector<std::byte> out;
  for (int64_t i = 0; i < shape.size(); ++i) {
    const auto byte = static_cast<unsigned>(packed[static_cast<size_t>(i / in_byte)]);
    const double value = Decode(type, byte >> (i % in_byte * type.bits) & ((1u << type.bits) - 1));
    if (type.carrier == kFloat16) Append(Float16(value), &out);
    if (type.carrier == kFloat32) Append(static_cast<float>(value), &out);
    if (type.carrier == kUInt8) Append(static_cast<uint8_t>(value), &out);
    if (type.carrier == kInt8) Append(static_cast<int8_t>(value), &out);
  }
  return ir::Literal({type.carrier, shape}, std::move(out));
}

Tensor RoundTo(const SmallType& type, const Tensor& x, const RoundOptions& options) {
  if (!IsFloat(type.carrier)) return RoundInteger(type, x, options);
  const Tensor wide = Cast(x, kFloat32);
  return type.power_of_two() ? RoundPower(type, wide, options) : RoundFloat(type, wide, options);
}

}  // namespace reel::onnx
