#include "ir/literal.h"

#include <cmath>
#include <cstring>
#include <stdexcept>

namespace reel::ir {
namespace {

template <typename T>
T At(const Literal& l, int64_t i) {
  T v;
  std::memcpy(&v, l.bytes().data() + static_cast<size_t>(i) * sizeof(T), sizeof(T));
  return v;
}

template <typename T>
Literal One(T value) {
  return Literal::From<T>({}, std::span<const T>(&value, 1));
}

}  // namespace

int64_t SaturateInt(DType dtype, double x) {
  if (std::isnan(x)) return 0;
  const auto bits = static_cast<int>(8 * SizeOf(dtype)) - (IsUnsigned(dtype) ? 0 : 1);
  if (x >= std::ldexp(1.0, bits)) return HighestInt(dtype);
  if (x <= static_cast<double>(LowestInt(dtype))) return LowestInt(dtype);
  return dtype == kUInt64 ? static_cast<int64_t>(static_cast<uint64_t>(x)) : static_cast<int64_t>(x);
}

Literal::Literal(Type type, std::vector<std::byte> bytes) : type_(std::move(type)), num_bytes_(bytes.size()) {
  if (static_cast<int64_t>(num_bytes_) != type_.bytes())
    throw std::logic_error("the bytes of a literal do not make its type");
  const auto owner = std::make_shared<const std::vector<std::byte>>(std::move(bytes));
  bytes_ = {owner, owner->data()};
}

Literal::Literal(Type type, std::shared_ptr<const std::byte> bytes)
    : type_(std::move(type)), bytes_(std::move(bytes)), num_bytes_(static_cast<size_t>(type_.bytes())) {}

Literal Literal::Scalar(DType dtype, double value) {
  switch (dtype) {
    case kFloat16: return One(Float16(value));
    case kBFloat16: return One(BFloat16(value));
    case kFloat32: return One(static_cast<float>(value));
    case kFloat64: return One(value);
    case kComplex64: return One(std::complex<float>(static_cast<float>(value)));
    case kComplex128: return One(std::complex<double>(value));
    case kBool: return One(value != 0);
    default: return ScalarInt(dtype, SaturateInt(dtype, value));
  }
}

Literal Literal::ScalarInt(DType dtype, int64_t value) {
  switch (dtype) {
    case kBool: return One(value != 0);
    case kInt8: return One(static_cast<int8_t>(value));
    case kInt16: return One(static_cast<int16_t>(value));
    case kInt32: return One(static_cast<int32_t>(value));
    case kInt64: return One(value);
    case kUInt8: return One(static_cast<uint8_t>(value));
    case kUInt16: return One(static_cast<uint16_t>(value));
    case kUInt32: return One(static_cast<uint32_t>(value));
    case kUInt64: return One(static_cast<uint64_t>(value));
    case kFloat32: return One(static_cast<float>(value));
    default: return Scalar(dtype, static_cast<double>(value));
  }
}

Literal Literal::Zeros(Type type) {
  const auto n = static_cast<size_t>(type.bytes());
  return Literal(std::move(type), std::vector<std::byte>(n));
}

double Literal::AsDouble(int64_t i) const {
  switch (dtype()) {
    case kFloat16: return At<Float16>(*this, i);
    case kBFloat16: return At<BFloat16>(*this, i);
    case kFloat32: return At<float>(*this, i);
    case kFloat64: return At<double>(*this, i);
    case kUInt64: return static_cast<double>(At<uint64_t>(*this, i));
    default: return static_cast<double>(AsInt(i));
  }
}

int64_t Literal::AsInt(int64_t i) const {
  switch (dtype()) {
    case kBool: return At<uint8_t>(*this, i) != 0;
    case kInt8: return At<int8_t>(*this, i);
    case kInt16: return At<int16_t>(*this, i);
    case kInt32: return At<int32_t>(*this, i);
    case kInt64: return At<int64_t>(*this, i);
    case kUInt8: return At<uint8_t>(*this, i);
    case kUInt16: return At<uint16_t>(*this, i);
    case kUInt32: return At<uint32_t>(*this, i);
    case kUInt64: return static_cast<int64_t>(At<uint64_t>(*this, i));
    case kComplex64:
    case kComplex128: throw std::logic_error("a complex number is asked for as a real one");
    default: return SaturateInt(kInt64, AsDouble(i));
  }
}

bool operator==(const Literal& a, const Literal& b) {
  return a.type_ == b.type_ &&
         (a.bytes_ == b.bytes_ ||
          (a.bytes().size() == b.bytes().size() &&
           (a.bytes().empty() || std::memcmp(a.bytes().data(), b.bytes().data(), a.bytes().size()) == 0)));
}

}  // namespace reel::ir
