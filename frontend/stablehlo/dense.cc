#include "frontend/stablehlo/dense.h"

#include <bit>
#include <cstring>

#include "ir/strings.h"
#include "ir/text/float_bits.h"

namespace reel::stablehlo {
namespace {

using ir::Literal;

// Longer lists are bytes.
constexpr int64_t kLongestList = 32;
constexpr char kHex[] = "0123456789ABCDEF";

uint64_t Bits(const std::byte* at, size_t size) {
  uint64_t bits = 0;
  std::memcpy(&bits, at, size);  // little endian, as everything here
  return bits;
}

// "0x7FC00000": as many digits as the format has bits.
std::string HexBits(uint64_t bits, size_t bytes) {
  std::string out = "0x";
  for (size_t digit = bytes * 2; digit-- > 0;) out += kHex[bits >> (4 * digit) & 15];
  return out;
}

// The shortest number that reads back as x; MLIR wants a point in it.
template <typename T>
std::string FloatText(T x) {
  std::string out = StrCat(x);
  if (out.find('.') != std::string::npos) return out;
  const size_t exponent = out.find('e');
  return out.insert(exponent == std::string::npos ? out.size() : exponent, ".0");
}

// A real number, or a part of a complex one.
std::string PartText(DType dtype, const std::byte* at) {
  const auto size = static_cast<size_t>(SizeOf(dtype));
  const uint64_t bits = Bits(at, size);
  if (dtype == kBool) return bits ? "true" : "false";
  if (IsInteger(dtype)) {
    const auto shift = static_cast<unsigned>(64 - 8 * size);
    if (IsUnsigned(dtype)) return StrCat(bits);
    return StrCat(static_cast<int64_t>(bits << shift) >> shift);
  }
  if ((bits & ir::FormatOf(dtype).infinity()) == ir::FormatOf(dtype).infinity()) return HexBits(bits, size);
  if (IsHalf(dtype)) return FloatText(WidenHalf(dtype == kFloat16 ? 5 : 8, static_cast<uint16_t>(bits)));
  if (dtype == kFloat64) return FloatText(std::bit_cast<double>(bits));
  return FloatText(std::bit_cast<float>(static_cast<uint32_t>(bits)));
}

std::string Element(const Literal& literal, int64_t i) {
  const DType part = RealOf(literal.dtype());
  const std::byte* at = literal.bytes().data() + i * SizeOf(literal.dtype());
  if (!IsComplex(literal.dtype())) return PartText(part, at);
  return StrCat("(", PartText(part, at), ", ", PartText(part, at + SizeOf(part)), ")");
}

void AppendList(const Literal& literal, int axis, int64_t* next, std::string* out) {
  if (axis == literal.shape().rank()) {
    *out += Element(literal, (*next)++);
    return;
  }
  *out += '[';
  for (int64_t i = 0; i < literal.shape().dim(axis); ++i) {
    if (i > 0) *out += ", ";
    AppendList(literal, axis + 1, next, out);
  }
  *out += ']';
}

bool AllEqual(const Literal& literal) {
  const auto bytes = literal.bytes();
  const auto size = static_cast<size_t>(SizeOf(literal.dtype()));
  return bytes.size() <= size || std::memcmp(bytes.data(), bytes.data() + size, bytes.size() - size) == 0;
}

}  // namespace

size_t HexSize(const Literal& literal) {
  // MLIR packs the bits of bool.
  if (literal.size() <= kLongestList || literal.dtype() == kBool || AllEqual(literal)) return 0;
  return 2 * literal.bytes().size();
}

std::string Dense(const Literal& literal) {
  if (literal.size() == 0) return "dense<>";
  if (AllEqual(literal)) return StrCat("dense<", Element(literal, 0), ">");
  std::string out = "dense<";
  const size_t hex = HexSize(literal);
  if (hex == 0) {
    int64_t next = 0;
    AppendList(literal, 0, &next, &out);
    return out + ">";
  }
  out.reserve(out.size() + hex + 5);
  out += "\"0x";
  for (const std::byte b : literal.bytes()) {
    out += kHex[static_cast<unsigned>(b) >> 4];
    out += kHex[static_cast<unsigned>(b) & 15];
  }
  return out += "\">";
}

}  // namespace reel::stablehlo
